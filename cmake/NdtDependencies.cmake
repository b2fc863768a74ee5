# Third-party packages, by find_package and never by download. A package in no system path is given with
# -DCMAKE_PREFIX_PATH=...; for header-only ones a bare include/ folder under that prefix is enough.
include_guard(GLOBAL)

# ndt_require(<package> <target> <Debian package> [OPTIONAL] [VERSION v] [HEADER h [SUFFIX s] [DEFINES d...]])
# Finds <package> and makes <target> exist. With HEADER, falls back to the header alone (and DEFINES). With OPTIONAL, no
# <target> is an answer; otherwise it stops the build.
function(ndt_require package target debian)
  cmake_parse_arguments(PARSE_ARGV 3 arg "OPTIONAL" "VERSION;HEADER;SUFFIX" "DEFINES")
  find_package(${package} ${arg_VERSION} CONFIG QUIET)
  if(NOT TARGET ${target} AND arg_HEADER)
    find_path(NDT_${package}_INCLUDE_DIR ${arg_HEADER} PATH_SUFFIXES ${arg_SUFFIX})
    mark_as_advanced(NDT_${package}_INCLUDE_DIR)
    if(NDT_${package}_INCLUDE_DIR)
      add_library(${target} INTERFACE IMPORTED GLOBAL)
      target_include_directories(${target} INTERFACE ${NDT_${package}_INCLUDE_DIR})
      target_compile_definitions(${target} INTERFACE ${arg_DEFINES})
    endif()
  endif()
  if(NOT TARGET ${target} AND NOT arg_OPTIONAL)
    message(FATAL_ERROR "${package} ${arg_VERSION} was not found. On Debian: apt-get install ${debian}. "
                        "Elsewhere: -DCMAKE_PREFIX_PATH=<where it is installed>.")
  endif()
endfunction()

ndt_require(Eigen3 Eigen3::Eigen libeigen3-dev VERSION 3.4 HEADER Eigen/Core SUFFIX eigen3)
# The library takes fmt as headers, so that its users need none; the programs take what was found.
ndt_require(fmt fmt::fmt-header-only libfmt-dev HEADER fmt/format.h DEFINES FMT_HEADER_ONLY=1)
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt ALIAS fmt::fmt-header-only)
endif()
ndt_require(nanoflann nanoflann::nanoflann libnanoflann-dev HEADER nanoflann.hpp)
if(NDT_PROGRAMS)
  ndt_require(nlohmann_json nlohmann_json::nlohmann_json nlohmann-json3-dev HEADER nlohmann/json.hpp)
  ndt_require(CLI11 CLI11::CLI11 libcli11-dev HEADER CLI/CLI.hpp)
  ndt_require(tomlplusplus tomlplusplus::tomlplusplus libtomlplusplus-dev HEADER toml++/toml.h)
  ndt_require(benchmark benchmark::benchmark libbenchmark-dev OPTIONAL)
endif()
if(NDT_TESTS)
  ndt_require(GTest GTest::gmock_main "libgtest-dev libgmock-dev")
  find_package(rapidcheck CONFIG QUIET)  # optional: property tests
endif()

# Optional: reads the metadata of maps in tiles. Before 0.8 its target has no namespace.
ndt_require(yaml-cpp yaml-cpp::yaml-cpp libyaml-cpp-dev OPTIONAL)
if(TARGET yaml-cpp AND NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp INTERFACE IMPORTED GLOBAL)
  target_link_libraries(yaml-cpp::yaml-cpp INTERFACE yaml-cpp)
endif()

find_package(Threads REQUIRED)
find_package(OpenMP COMPONENTS CXX)
if(NOT TARGET OpenMP::OpenMP_CXX)
  message(FATAL_ERROR "OpenMP was not found for ${CMAKE_CXX_COMPILER}. On Debian: apt-get install g++.")
endif()

# liblzf is optional and has no usable CMake package: lzf::lzf exists if it was found, and brings NDT_WITH_LZF.
find_path(NDT_LZF_INCLUDE_DIR lzf.h PATH_SUFFIXES liblzf)
find_library(NDT_LZF_LIBRARY lzf)
mark_as_advanced(NDT_LZF_INCLUDE_DIR NDT_LZF_LIBRARY)
if(NDT_LZF_INCLUDE_DIR AND NDT_LZF_LIBRARY)
  add_library(lzf::lzf UNKNOWN IMPORTED GLOBAL)
  set_target_properties(lzf::lzf PROPERTIES IMPORTED_LOCATION ${NDT_LZF_LIBRARY})
  target_include_directories(lzf::lzf INTERFACE ${NDT_LZF_INCLUDE_DIR})
  target_compile_definitions(lzf::lzf INTERFACE NDT_WITH_LZF=1)
endif()
