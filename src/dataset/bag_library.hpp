// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dataset/writer.hpp"

/// The library that writes bags, loaded when needed: it links ROS, which nothing else here needs.
namespace marsim::dataset {

constexpr char kBagLibrary[] = "libmarsim_bag_writer.so";
constexpr char kBagFunction[] = "marsimMakeBagWriter";

/// Empty if the library can be loaded, else the reason.
std::string whyNoBags();

}  // namespace marsim::dataset

/// Its only function; the caller owns the writer.
extern "C" marsim::dataset::Writer* marsimMakeBagWriter(const marsim::dataset::Destination& to);
