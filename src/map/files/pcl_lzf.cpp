// The library that lzf.hpp describes.

#include <pcl/io/lzf.h>

extern "C" unsigned marsimLzfDecompress(const void* packed, unsigned packed_size, void* bytes,
                                        unsigned size) {
  return pcl::lzfDecompress(packed, packed_size, bytes, size);
}
