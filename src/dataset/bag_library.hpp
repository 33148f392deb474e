#pragma once

#include "dataset/writer.hpp"

/// The library that writes bags, which is loaded when it is needed: it brings ROS with it, which
/// nothing else here needs.
namespace marsim::dataset {

constexpr char kBagLibrary[] = "libmarsim_bag_writer.so";
constexpr char kBagFunction[] = "marsimMakeBagWriter";

/// Empty where there is the library, else why not.
std::string whyNoBags();

}  // namespace marsim::dataset

/// Its only function; the caller owns the writer.
extern "C" marsim::dataset::Writer* marsimMakeBagWriter(const marsim::dataset::Destination& to);
