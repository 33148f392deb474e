// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Declares a function or table that is compiled for several instruction sets.
#define MARSIM_KERNEL(declaration) \
  namespace portable {             \
  declaration;                     \
  }                                \
  namespace baseline {             \
  declaration;                     \
  }                                \
  namespace avx2 {                 \
  declaration;                     \
  }

/// The one for `level`, which simdLevelFor() returned.
#ifdef MARSIM_HAS_X86_KERNELS
#define MARSIM_KERNEL_FOR(level, kernel)                \
  ((level) == SimdLevel::kAvx2       ? avx2::kernel     \
   : (level) == SimdLevel::kBaseline ? baseline::kernel \
                                     : portable::kernel)
#else
#define MARSIM_KERNEL_FOR(level, kernel) (static_cast<void>(level), portable::kernel)
#endif
