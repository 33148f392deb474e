# SPDX-License-Identifier: BSD-3-Clause
# Build settings and the two functions every module uses.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING
      "Release, RelWithDebInfo or Debug" FORCE)
endif()

include(CheckCXXCompilerFlag)
add_library(marsim_options INTERFACE)
target_compile_options(marsim_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow
                       -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Without collecting garbage below 500 MB, g++ takes a twelfth less time.
  target_compile_options(marsim_options INTERFACE --param=ggc-min-heapsize=500000)
endif()
if(MARSIM_WERROR)
  target_compile_options(marsim_options INTERFACE -Werror)
endif()
if(MARSIM_NATIVE)
  target_compile_options(marsim_options INTERFACE -march=native)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  check_cxx_compiler_flag(-march=x86-64-v2 MARSIM_HAS_X86_64_V2)
  if(MARSIM_HAS_X86_64_V2)
    target_compile_options(marsim_options INTERFACE -march=x86-64-v2)
  else()
    target_compile_options(marsim_options INTERFACE -msse4.2 -mpopcnt)  # GCC 9
  endif()
endif()
if(MARSIM_SANITIZE)
  target_compile_options(marsim_options INTERFACE
    -fsanitize=${MARSIM_SANITIZE} -fno-omit-frame-pointer)
  # Left out, because they take most of the time of compiling: checks of every access for null, for
  # the object's size and for pointers that overflow, which the address sanitizer sees where memory
  # is touched; of dynamic types; and of alignment, which Eigen asserts for its own types.
  if(MARSIM_SANITIZE MATCHES "undefined")
    target_compile_options(marsim_options INTERFACE
      -fno-sanitize=null,vptr,object-size,pointer-overflow,alignment)
    # The first error ends the program, which makes compiling faster.
    target_compile_options(marsim_options INTERFACE -fno-sanitize-recover=undefined)
  endif()
  target_link_options(marsim_options INTERFACE -fsanitize=${MARSIM_SANITIZE})
endif()

if(MARSIM_FUZZ)
  target_compile_options(marsim_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Precompiles the headers of nearly every source file; for libraries (position-independent code),
# see test/CMakeLists.txt for the tests. Sources with compiler flags of their own leave it out.
function(marsim_add_library_headers)
  add_library(marsim_headers OBJECT ${PROJECT_SOURCE_DIR}/src/headers.cpp)
  target_link_libraries(marsim_headers PRIVATE marsim_options Eigen3::Eigen fmt::fmt)
  target_precompile_headers(marsim_headers PRIVATE <Eigen/Geometry> <algorithm> <cmath>
    <fmt/format.h> <limits> <memory> <optional> <string> <vector>)
endfunction()

# Sources compiled together: headers and templates are compiled once for several sources, which
# halves a build from nothing; after a change, sources are compiled with their neighbours.
option(MARSIM_UNITY "Compile the sources of libraries several at a time" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)

# marsim_add_library(<module> [NOT_EXPORTED] SOURCES ... [PUBLIC lib...] [PRIVATE lib...]
#   [PRECOMPILED header...])
# makes the shared library marsim_<module>, installed with the package and, unless NOT_EXPORTED, known
# to find_package(marsim) as marsim::<module>.
function(marsim_add_library module)
  cmake_parse_arguments(ARG "NOT_EXPORTED" "" "SOURCES;PUBLIC;PRIVATE;PRECOMPILED" ${ARGN})
  set(target marsim_${module})
  add_library(${target} SHARED ${ARG_SOURCES})
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE marsim_options ${ARG_PRIVATE})
  if(ARG_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE ${ARG_PRECOMPILED})
  else()
    target_precompile_headers(${target} REUSE_FROM marsim_headers)
  endif()
  target_compile_features(${target} PUBLIC cxx_std_17)
  # Before 1.0 a new minor version may change the binary interface.
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN" EXPORT_NAME ${module}
    UNITY_BUILD ${MARSIM_UNITY}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  if(ARG_NOT_EXPORTED)
    install(TARGETS ${target} LIBRARY DESTINATION ${MARSIM_LIB_DESTINATION})
  else()
    install(TARGETS ${target} EXPORT marsimTargets LIBRARY DESTINATION ${MARSIM_LIB_DESTINATION})
  endif()
endfunction()

# marsim_add_executable(<name> SOURCES ... [LIBRARIES lib...])
# makes a program in the package's libexec folder, found by rosrun and by `marsim`.
function(marsim_add_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE marsim_options ${ARG_LIBRARIES})
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/..")
  install(TARGETS ${name} RUNTIME DESTINATION ${MARSIM_BIN_DESTINATION})
endfunction()

# marsim_add_test(<name> SOURCES ... [LIBRARIES lib...] [SEPARATE] [STARTS_PROGRAMS])
# registers every TEST of a
# GoogleTest program with ctest; with sanitizers the program as a whole, since starting it takes
# longer than most tests. SEPARATE: each test needs a process of its own there as well.
#
# With MARSIM_TESTS_FROM, a build with sanitizers compiles libraries and programs only: the test
# programs of that folder, built without sanitizers, run with this build's libraries.
# STARTS_PROGRAMS: it starts shells, whose leaks are not ours; leaks are then ignored.
include(GoogleTest)
set(MARSIM_TESTS_FROM "" CACHE PATH "Folder of test programs to run with this build's libraries")
if(MARSIM_TESTS_FROM)
  foreach(library asan ubsan)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${library}.so
      OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND MARSIM_PRELOADED ${path})
  endforeach()
  list(JOIN MARSIM_PRELOADED ":" MARSIM_PRELOADED)
endif()
function(marsim_add_test name)
  cmake_parse_arguments(ARG "SEPARATE;STARTS_PROGRAMS" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  if(MARSIM_TESTS_FROM AND NOT ARG_SEPARATE)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/test ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE marsim_options ${ARG_LIBRARIES} GTest::gtest GTest::gtest_main)
  target_precompile_headers(${name} REUSE_FROM test_headers)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test)
  set(environment "MARSIM_TEST_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
  if(MARSIM_TESTS_FROM AND NOT ARG_SEPARATE)
    add_test(NAME ${name} COMMAND ${MARSIM_TESTS_FROM}/${name})
    # Stacks of programs without frame pointers are wrong below the first frames, and slow to keep.
    set(asan malloc_context_size=2)
    if(ARG_STARTS_PROGRAMS)
      string(APPEND asan ":detect_leaks=0")
    endif()
    list(LENGTH ARG_SOURCES sources)  # those of many take long: they begin first
    set_tests_properties(${name} PROPERTIES COST ${sources} ENVIRONMENT
      "${environment};ASAN_OPTIONS=${asan};LD_PRELOAD=${MARSIM_PRELOADED};LD_LIBRARY_PATH=${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  elseif(MARSIM_SANITIZE AND NOT ARG_SEPARATE)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}")
  else()
    gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
      PROPERTIES ENVIRONMENT "${environment}")
  endif()
endfunction()
