// SPDX-License-Identifier: BSD-3-Clause
// The program whose precompiled headers the tests take (CMakeLists.txt).
int main() { return 0; }
