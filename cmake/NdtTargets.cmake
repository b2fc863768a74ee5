# Every target of the project is made by one of these, so that flags are decided in one place.
#
#   ndt_library(<name> [SOURCES f...] [CUDA_SOURCES f.cu...] [PUBLIC dep...] [PRIVATE dep...] [HEADERS dep...])
#       static library ndt_<name>, alias ndt::<name>; header-only without sources. Other modules include what is in include/.
#       HEADERS: header-only dependencies that users of the installed library need not have
#   ndt_executable(<name> SOURCES f... [CUDA_SOURCES f.cu...] [DEPS dep...] [BY_NAME])
#       program <name> in <build>/bin; target `programs` builds all of them but those BY_NAME, which a build without tests leaves out
#       unless its target is named
#   ndt_test(<name> SOURCES f... [CUDA_SOURCES f.cu...] [DEPS dep...] [LABELS l...] [DATA_TESTS regex] [TIMEOUT s] [SERIAL] [WHOLE])
#       GoogleTest program that sees tests/support, one ctest entry per TEST, or one in all (WHOLE). Target `tests-<label>` builds the tests
#       of a label. DATA_TESTS: tests that read NDT_DATASETS or NDT_GOLDEN_DIR, by their whole names; they get the label `data`.
#       SERIAL: nothing runs beside them
#
# CUDA_SOURCES are dropped without CUDA; code asks `#ifdef NDT_WITH_CUDA`, CMake asks `if(NDT_WITH_CUDA)`.
include_guard(GLOBAL)
include(GoogleTest)

# Results must not depend on whether the compiler fuses a*b+c. Nobody reads errno behind a square root.
set(NDT_FLOATING_POINT_FLAGS -ffp-contract=off -fno-math-errno)
list(JOIN NDT_FLOATING_POINT_FLAGS "," ndt_host_flags)

# Flags of our own code: private to each target, never handed to a user of the libraries.
add_library(ndt_flags INTERFACE)
target_compile_features(ndt_flags INTERFACE cxx_std_20)
target_compile_options(ndt_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wconversion -Wshadow>
  "$<$<COMPILE_LANGUAGE:CXX>:${NDT_FLOATING_POINT_FLAGS}>"
  # CMake 3.25 emits no flag for CUDA_STANDARD 20 with nvcc 13.
  $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>
  # -Wpedantic and -Wconversion fire in what nvcc itself generates.
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow,${ndt_host_flags}>")
if(CMAKE_COMPILE_WARNING_AS_ERROR)  # in the presets; not for who builds with a compiler that we have not seen
  target_compile_options(ndt_flags INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>)  # CMake asks nvcc alone
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms in std::string's operator+, https://gcc.gnu.org/PR105651.
  target_compile_options(ndt_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms in the inlined long division of fmt 9, which prints a double. Others come for a function that takes a
  # temporary and returns a reference to something else, such as an entry of a table.
  target_compile_options(ndt_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-dangling-reference>")
endif()
if(NDT_WITH_CUDA)
  target_compile_definitions(ndt_flags INTERFACE NDT_WITH_CUDA=1)
endif()
if(NDT_STAGE_CLOCK)
  target_compile_definitions(ndt_flags INTERFACE NDT_STAGE_CLOCK=1)
endif()
if(NDT_SANITIZE)
  # gcc documents more false alarms of -Wmaybe-uninitialized under -fsanitize.
  target_compile_options(ndt_flags INTERFACE
    -fsanitize=${NDT_SANITIZE} -fno-sanitize-recover=all
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(ndt_flags INTERFACE -fsanitize=${NDT_SANITIZE})
endif()

# Leaves out two warnings of sources that are compiled as one file. A local name may be that of another's constant there, and gcc
# takes sources for headers. Builds that compile each source by itself keep them.
add_library(ndt_united_flags INTERFACE)
target_compile_options(ndt_united_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow> $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
if(CMAKE_UNITY_BUILD)
  target_link_libraries(ndt_flags INTERFACE ndt_united_flags)
endif()

# Large headers are read once: they are a third of what a file takes to compile. Not with ccache, which gains nothing from it, so
# that files are also built from their own includes alone.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(NDT_PRECOMPILE TRUE)
  # gcc 12 raises false alarms in what it precompiled.
  target_compile_options(ndt_flags INTERFACE "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
endif()

# ndt_precompile(<target> <header>...)
function(ndt_precompile target)
  if(NDT_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# ndt_unite(<target>): compiles its sources together, eight of a folder at a time, so that large headers are read and optimised once for
# all of them. A test that compiles one folder again then links the others. Not with ccache, for the same reasons.
function(ndt_unite target)
  if(NOT NDT_PRECOMPILE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:ndt_united_flags>)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "of_${folder}" folder)
    list(APPEND ${folder} ${source})
    list(LENGTH ${folder} number)
    math(EXPR eighth "(${number} - 1) / 8")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${eighth})
  endforeach()
endfunction()

# Optimises tests and the harness less: it takes most of their time, for inline functions of JSON, CLI11 and GoogleTest. The library
# that they call is compiled as it is shipped. With AddressSanitizer, -O0 takes half of the time of -O1.
add_library(ndt_quick_to_compile INTERFACE)
target_compile_options(ndt_quick_to_compile INTERFACE
  $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1> $<$<AND:$<CONFIG:Debug>,$<COMPILE_LANGUAGE:CXX>>:-O0>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)  # false alarms, where less is inlined

if(NDT_TESTS AND NDT_PRECOMPILE)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp CONTENT "// Carries the headers that tests precompile.\n")
  add_library(ndt_test_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/test_headers.cpp)
  target_link_libraries(ndt_test_headers PRIVATE GTest::gmock ndt_flags ndt_quick_to_compile)
  ndt_precompile(ndt_test_headers <gmock/gmock.h> <gtest/gtest.h> <algorithm> <cmath> <filesystem> <fstream> <random>)
endif()

add_custom_target(programs)

# The headers that are installed; those in a module's include/ are for the other modules.
set(ndt_face ${CMAKE_CURRENT_LIST_DIR}/../modules/include)
cmake_path(NORMAL_PATH ndt_face)

# Stops on a misspelt keyword, which CMake would otherwise take for a file or ignore.
macro(ndt_refuse_unparsed function)
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${function}(${name}): cannot use ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT NDT_WITH_CUDA)
    set(arg_CUDA_SOURCES "")
  endif()
endmacro()

function(ndt_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;CUDA_SOURCES;PUBLIC;PRIVATE;HEADERS")
  ndt_refuse_unparsed(ndt_library)
  set(target ndt_${name})
  if(arg_SOURCES OR arg_CUDA_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES} ${arg_CUDA_SOURCES})
    target_include_directories(${target} PUBLIC "$<BUILD_INTERFACE:${ndt_face};${CMAKE_CURRENT_SOURCE_DIR}/include>")
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_link_libraries(${target} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} $<BUILD_INTERFACE:ndt_flags>)
    foreach(dependency IN LISTS arg_HEADERS)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${dependency}>)
    endforeach()
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${name})
    if(NDT_FUZZ AND NOT name MATCHES "^(common|io|harness)")
      # The readers are fuzzed, which call nothing of these modules; instrumented, Eigen takes minutes to compile.
      target_compile_options(${target} PRIVATE -fno-sanitize=all)
    endif()
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${ndt_face})
    target_compile_features(${target} INTERFACE cxx_std_20)
    target_link_libraries(${target} INTERFACE ${arg_PUBLIC} ${arg_PRIVATE})
  endif()
  add_library(ndt::${name} ALIAS ${target})
endfunction()

function(ndt_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "BY_NAME" "" "SOURCES;CUDA_SOURCES;DEPS")
  ndt_refuse_unparsed(ndt_executable)
  add_executable(${name} ${arg_SOURCES} ${arg_CUDA_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} ndt_flags)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  if(NOT arg_BY_NAME)
    add_dependencies(programs ${name})
  elseif(NOT NDT_TESTS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

function(ndt_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL;WHOLE" "TIMEOUT;DATA_TESTS" "SOURCES;CUDA_SOURCES;DEPS;LABELS")
  ndt_refuse_unparsed(ndt_test)
  add_executable(${name} ${arg_SOURCES} ${arg_CUDA_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS} GTest::gmock GTest::gmock_main ndt_flags ndt_quick_to_compile)
  if(TARGET ndt_test_headers)  # a target with compile options of its own sets DISABLE_PRECOMPILE_HEADERS
    target_precompile_headers(${name} REUSE_FROM ndt_test_headers)
  endif()
  if(NOT arg_CUDA_SOURCES)
    ndt_unite(${name})
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin/tests)
  foreach(label IN LISTS arg_LABELS)
    if(NOT TARGET tests-${label})
      add_custom_target(tests-${label})
    endif()
    add_dependencies(tests-${label} ${name})
  endforeach()

  # The time limit of each TEST, in seconds.
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(NDT_SANITIZE)
    math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}")
  endif()
  if(arg_WHOLE)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} ENVIRONMENT NDT_SHARE=${PROJECT_SOURCE_DIR} LABELS "${arg_LABELS}")
    return()
  endif()
  # PRE_TEST: no test program runs during the build; one that was not built or cannot list its tests fails in ctest. NDT_SHARE
  # is for build folders outside the project; inside it, programs find its files themselves.
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_LIST ${name}_tests
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES TIMEOUT ${arg_TIMEOUT} RUN_SERIAL ${arg_SERIAL}
    ENVIRONMENT NDT_SHARE=${PROJECT_SOURCE_DIR})
  # A list of labels does not survive PROPERTIES above; ctest reads this file after the discovery.
  if(arg_LABELS OR arg_DATA_TESTS)
    set(labels_file ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
    file(CONFIGURE OUTPUT ${labels_file} @ONLY CONTENT
"foreach(test IN LISTS @name@_tests)
  set(labels @arg_LABELS@)
  if(test MATCHES \"^(@arg_DATA_TESTS@)$\")
    list(APPEND labels data)
  endif()
  set_tests_properties(\${test} PROPERTIES LABELS \"\${labels}\")
endforeach()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels_file})
  endif()
endfunction()

# Prints what is built, and what was left out and why.
function(ndt_print_summary)
  message(STATUS "ndt ${PROJECT_VERSION}: ${CMAKE_BUILD_TYPE}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  if(NDT_SANITIZE)
    message(STATUS "  sanitizers     ${NDT_SANITIZE}")
  endif()
  if(NDT_WITH_CUDA)
    list(JOIN CMAKE_CUDA_ARCHITECTURES " " architectures)
    message(STATUS "  CUDA           built with nvcc ${CMAKE_CUDA_COMPILER_VERSION} for architectures ${architectures}")
  else()
    message(STATUS "  CUDA           LEFT OUT: ${NDT_CUDA_LEFT_OUT}")
  endif()
  if(TARGET lzf::lzf)
    message(STATUS "  compressed PCD read with ${NDT_LZF_LIBRARY}")
  else()
    message(STATUS "  compressed PCD LEFT OUT: liblzf was not found (Debian: liblzf-dev); binary_compressed files are refused")
  endif()
  if(NDT_PROGRAMS)
    if(NDT_WITH_PCL)
      message(STATUS "  pcl_ndt        built with PCL ${NDT_PCL_VERSION} in ${NDT_PCL_INCLUDE_DIR}")
    else()
      message(STATUS "  pcl_ndt        LEFT OUT: ${NDT_PCL_LEFT_OUT}")
    endif()
    if(TARGET yaml-cpp::yaml-cpp)
      message(STATUS "  map metadata   read with yaml-cpp")
    else()
      message(STATUS "  map metadata   LEFT OUT: yaml-cpp was not found (Debian: libyaml-cpp-dev); pointcloud_map_metadata.yaml is refused")
    endif()
    if(TARGET ndt-microbench)
      message(STATUS "  ndt-microbench built")
    else()
      message(STATUS "  ndt-microbench LEFT OUT: Google Benchmark was not found (Debian: libbenchmark-dev)")
    endif()
  else()
    message(STATUS "  programs       LEFT OUT: NDT_PROGRAMS=${NDT_PROGRAMS}")
  endif()
  if(NDT_TESTS)
    message(STATUS "  tests          built")
    if(NOT TARGET rapidcheck)
      message(STATUS "  property tests LEFT OUT: RapidCheck was not found (Debian: librapidcheck-dev)")
    endif()
  elseif(NDT_FUZZ)
    message(STATUS "  tests          fuzz targets only")
  else()
    message(STATUS "  tests          LEFT OUT: NDT_TESTS=${NDT_TESTS}")
  endif()
endfunction()
