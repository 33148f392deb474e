// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <sys/types.h>

#include "common/file_descriptor.hpp"

namespace marsim {

/// A file that is written as a whole. commit() creates or replaces a regular file at once; until
/// then its content is in a temporary file beside it. Symbolic links are followed: their target is
/// replaced, the link stays. Devices and FIFOs are written directly. Folders, block devices,
/// sockets and FIFOs without a reader are refused. Every call throws FileError.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  /// Removes uncommitted content.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, std::size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  void open(mode_t mode);

  std::filesystem::path path_;       // as given, for messages
  std::filesystem::path target_;     // after following links
  std::filesystem::path temporary_;  // empty if written directly, and after commit()
  int file_ = -1;
};

/// Writes all bytes to an open file; errors (FileError) name `path`.
void writeFully(int file, const std::filesystem::path& path, const void* data, std::size_t size);

/// Writes a text as a whole, as above.
void writeFile(const std::filesystem::path& path, std::string_view text);

/// A file that grows while it is written. The first write empties a regular file; links are
/// followed, devices and FIFOs are written directly. Every call throws FileError.
class OutputStream {
 public:
  /// Refuses the same paths as OutputFile, and calls requireWritable().
  explicit OutputStream(std::filesystem::path path);
  /// Passes all bytes to the system at once, so that the write that fills a disk reports it.
  void write(std::string_view text);

 private:
  std::filesystem::path path_;
  FileDescriptor file_;  ///< open after the first write
};

/// Throws FileError if OutputFile would refuse `path`, except for a FIFO without a reader. Changes
/// nothing. Afterwards openRegularFile() refuses this file (the same device and inode), which would
/// be input and output. Commands therefore call this before they read.
void requireWritable(const std::filesystem::path& path);

/// Whether requireWritable() was called for the file with this status.
bool willBeReplaced(const struct stat& status);

/// Makes a folder and its parents if they do not exist. Throws FileError.
void makeFolder(const std::filesystem::path& folder);

/// Throws FileError unless the folder exists, or can be made, and can be written into; changes
/// nothing.
void requireFolder(const std::filesystem::path& folder);

/// The extension with its dot, in lower case.
std::string lowerExtension(const std::filesystem::path& path);

/// Throws UnknownNameError unless the extension (case ignored) is among `allowed`, each with its
/// dot. Devices and FIFOs need none. Returns the extension in lower case; for a file that needs
/// none the first one allowed.
std::string requireExtension(const std::filesystem::path& path,
                             const std::vector<std::string>& allowed);

}  // namespace marsim
