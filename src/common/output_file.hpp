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

/// A file that is written as a whole. A regular file appears, or is replaced, at once by commit();
/// until then its content is in a file of a passing name beside it. Symbolic links are followed:
/// the file they lead to is replaced, the link stays. Devices and FIFOs are written through.
/// Folders, block devices, sockets and FIFOs that nobody reads are refused. Every call throws
/// FileError.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  /// Removes what was not committed.
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
  std::filesystem::path target_;     // where links lead
  std::filesystem::path temporary_;  // empty where written through, and after commit()
  int file_ = -1;
};

/// Writes all bytes to an open file; `path` is for errors (FileError).
void writeFully(int file, const std::filesystem::path& path, const void* data, std::size_t size);

/// Writes a text as a whole, as above.
void writeFile(const std::filesystem::path& path, std::string_view text);

/// A file that grows as its content arises. The first write empties a regular file; links are
/// followed, devices and FIFOs are written through. Every call throws FileError.
class OutputStream {
 public:
  /// Refuses what OutputFile refuses, and calls requireWritable().
  explicit OutputStream(std::filesystem::path path);
  /// Hands all bytes to the system, so that a full disk is reported by the write that meets it.
  void write(std::string_view text);

 private:
  std::filesystem::path path_;
  FileDescriptor file_;  ///< open from the first write on
};

/// Throws FileError where OutputFile would refuse `path` (but unread FIFOs); leaves nothing. From then on
/// openRegularFile() refuses the file that is there (the same device and inode): it would be an
/// output and an input. Commands therefore call this before they read.
void requireWritable(const std::filesystem::path& path);

/// Whether requireWritable() was called for the file with this status.
bool willBeReplaced(const struct stat& status);

/// Makes a folder, and those above it, where it is not there. Throws FileError.
void makeFolder(const std::filesystem::path& folder);

/// Throws FileError unless the folder is there, or can be made, and can be written into; changes
/// nothing.
void requireFolder(const std::filesystem::path& folder);

/// The extension with its dot, in lower case.
std::string lowerExtension(const std::filesystem::path& path);

/// Throws UnknownNameError unless the extension (case ignored) is among `allowed`, each with its
/// dot. Devices and FIFOs need none. Returns the extension in lower case, or the first one allowed.
std::string requireExtension(const std::filesystem::path& path,
                             const std::vector<std::string>& allowed);

}  // namespace marsim
