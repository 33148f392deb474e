// SPDX-License-Identifier: BSD-3-Clause
// The object whose precompiled headers the libraries take (cmake/marsim.cmake).
