# fast_gicp's NDTCuda. Its header declares classes of thrust that are something else since CUDA 12; a copy in the build
# folder includes thrust in their place. All of it is compiled as CUDA, because thrust's names depend on the compiler.
enable_language(CUDA)
set(CMAKE_CUDA_FLAGS "-O3 -DNDEBUG -std=c++17 --expt-relaxed-constexpr -w")
set(source ${FAST_GICP}/include/fast_gicp/cuda/ndt_cuda.cuh)
set(copy ${CMAKE_CURRENT_BINARY_DIR}/fast_gicp_cuda/fast_gicp/cuda/ndt_cuda.cuh)
file(READ ${source} header)
string(REGEX REPLACE "namespace thrust {.*}  // namespace thrust" "#include <thrust/device_vector.h>" header "${header}")
file(CONFIGURE OUTPUT ${copy} CONTENT "${header}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})

peer_program(fast_gicp_cuda.cu ${FAST_GICP} include
  src/fast_gicp/gicp/lsq_registration.cpp src/fast_gicp/cuda/ndt_cuda.cu src/fast_gicp/cuda/ndt_compute_derivatives.cu
  src/fast_gicp/cuda/gaussian_voxelmap.cu src/fast_gicp/cuda/covariance_regularization.cu
  src/fast_gicp/cuda/find_voxel_correspondences.cu)
target_include_directories(fast_gicp_cuda_peer BEFORE PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/fast_gicp_cuda)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_include_directories(fast_gicp_cuda_peer BEFORE PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/cuda13)
endif()

set(compiler "CUDA ${CMAKE_CUDA_COMPILER_VERSION} ${CMAKE_CUDA_FLAGS}, ${compiler}")
set(runs_on "GPU (CUDA), a process of its own")
set(one_thread true)
set(note "voxels as the dataset asks, 7 of them a point")
set(about "NDT on a GPU, NDTCuda: distributions of voxels to distributions of voxels")
peer_file(fast_ndt_cuda_d2d fast_gicp_cuda D2D)
set(about "NDT on a GPU, NDTCuda: points to distributions of voxels")
peer_file(fast_ndt_cuda_p2d fast_gicp_cuda P2D)
