# `cmake --install`: the library, static and shared, for find_package(ndt) and pkg-config; and ndt-bench with the files that it reads. No path in
# it is absolute, so the prefix may be moved. `cpack` makes a .deb of the same.
#   ndt_shared   libndt.so: the same objects as the archives, with only this project's names to see
include_guard(GLOBAL)
if(NDT_SANITIZE)
  return()  # its users would need the same runtime
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The parts of the installed library. Users link align, initial_pose, localization and io, which bring in the rest.
get_property(ndt_parts GLOBAL PROPERTY NDT_IMPLEMENTATIONS)
list(APPEND ndt_parts common align initial_pose io localization)

add_library(ndt_shared SHARED)
foreach(part IN LISTS ndt_parts)
  target_sources(ndt_shared PRIVATE $<TARGET_OBJECTS:ndt_${part}>)
endforeach()
target_compile_features(ndt_shared INTERFACE cxx_std_20)
target_link_libraries(ndt_shared PRIVATE Threads::Threads OpenMP::OpenMP_CXX ${CMAKE_DL_LIBS} $<TARGET_NAME_IF_EXISTS:lzf::lzf>
  $<TARGET_NAME_IF_EXISTS:yaml-cpp::yaml-cpp>)
if(NDT_WITH_CUDA)
  target_link_libraries(ndt_shared PRIVATE CUDA::cudart_static)
endif()
target_link_options(ndt_shared PRIVATE -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/ndt.map -Wl,--no-undefined)
set_target_properties(ndt_shared PROPERTIES OUTPUT_NAME ndt EXPORT_NAME ndt LINKER_LANGUAGE CXX LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/ndt.map
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})  # before 1.0 a minor release may break it

set(ndt_package ${CMAKE_INSTALL_LIBDIR}/cmake/ndt)
list(TRANSFORM ndt_parts PREPEND ndt_ OUTPUT_VARIABLE archives)
install(TARGETS ${archives} EXPORT static INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# OPTIONAL: ./run bench builds ndt-bench and what is behind it; an installation of that has the archives.
install(TARGETS ndt_shared EXPORT shared OPTIONAL INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(kind static shared)
  install(EXPORT ${kind} NAMESPACE ndt:: FILE ndt-${kind}.cmake DESTINATION ${ndt_package})
endforeach()
install(DIRECTORY ${ndt_face}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(ndt_libraries "")  # that programs need to link the archives
foreach(library lzf yaml-cpp)
  if(TARGET ${library}::${library})
    list(APPEND ndt_libraries ${library})
  endif()
endforeach()
list(JOIN ndt_libraries " " ndt_libraries)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ndt-config.cmake.in ${PROJECT_BINARY_DIR}/ndt-config.cmake
  INSTALL_DESTINATION ${ndt_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ndt-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ndt-config.cmake ${PROJECT_BINARY_DIR}/ndt-config-version.cmake DESTINATION ${ndt_package})

set(ndt_pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(ndt_prefix_from_pc /)
cmake_path(RELATIVE_PATH ndt_prefix_from_pc BASE_DIRECTORY /${ndt_pkgconfig})
configure_file(${CMAKE_CURRENT_LIST_DIR}/ndt.pc.in ${PROJECT_BINARY_DIR}/ndt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ndt.pc DESTINATION ${ndt_pkgconfig})

set(ndt_share ${CMAKE_INSTALL_DATADIR}/ndt)
if(NDT_PROGRAMS)
  install(TARGETS ndt-bench)
  # As harness/base/project_folder.hpp looks for them.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/harness/presets DESTINATION ${ndt_share}/harness)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/datasets/catalogue DESTINATION ${ndt_share}/datasets)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/datasets/ndt_convert DESTINATION ${ndt_share}/datasets
    PATTERN __pycache__ EXCLUDE PATTERN *.cpp EXCLUDE)
  install(TARGETS ndt_readers OPTIONAL LIBRARY DESTINATION ${ndt_share}/datasets/ndt_convert)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/reports/ndt_report DESTINATION ${ndt_share}/reports PATTERN __pycache__ EXCLUDE)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/package.xml DESTINATION ${ndt_share})  # colcon and rosdep read it
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The maintainers of ndt <maintainers@ndt.invalid>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-pandas, python3-matplotlib, python3-jinja2")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, libpcl-dev")
include(CPack)
