# SPDX-License-Identifier: MIT
# The origin of each peer.

find_package(threadcount QUIET NO_DEFAULT_PATH PATHS ${PEER_THREADCOUNT})
if(TARGET threadcount::pool)
  peer(threadcount threadcount::pool)
else()
  no_peer(threadcount "no threadcount::pool in ${PEER_THREADCOUNT}: build first (-DPEER_THREADCOUNT=DIR)")
endif()

peer(sequential)

find_package(OpenMP QUIET COMPONENTS CXX)
if(OpenMP_CXX_FOUND)
  peer(openmp OpenMP::OpenMP_CXX)
else()
  no_peer(openmp "the compiler has no OpenMP")
endif()

find_path(PEER_TASKFLOW_INCLUDE taskflow/taskflow.hpp HINTS ${PEER_TASKFLOW} NO_CACHE)
if(PEER_TASKFLOW_INCLUDE)
  headers(taskflow_headers ${PEER_TASKFLOW_INCLUDE})
  peer(taskflow taskflow_headers)
else()
  no_peer(taskflow "no taskflow/taskflow.hpp (-DPEER_TASKFLOW=DIR)")
endif()

find_path(PEER_BS_INCLUDE BS_thread_pool.hpp HINTS ${PEER_BS} ${PEER_BS}/include NO_CACHE)
if(PEER_BS_INCLUDE)
  headers(bs_headers ${PEER_BS_INCLUDE})
  peer(bs bs_headers)
else()
  no_peer(bs "no BS_thread_pool.hpp (-DPEER_BS=DIR)")
endif()

include(CheckCXXSourceCompiles)  # which dispenso expects to be there
if(PEER_DISPENSO)
  set(DISPENSO_BUILD_TESTS OFF CACHE BOOL "" FORCE)
  set(DISPENSO_SHARED_LIB OFF CACHE BOOL "" FORCE)
  add_subdirectory(${PEER_DISPENSO} dispenso EXCLUDE_FROM_ALL SYSTEM)
  peer(dispenso dispenso)
else()
  find_package(Dispenso QUIET)
  if(Dispenso_FOUND)
    peer(dispenso Dispenso::dispenso)
  else()
    no_peer(dispenso "no package Dispenso (-DPEER_DISPENSO=DIR)")
  endif()
endif()

find_path(PEER_EIGEN_INCLUDE unsupported/Eigen/CXX11/ThreadPool PATH_SUFFIXES eigen3 NO_CACHE)
if(PEER_EIGEN_INCLUDE)
  headers(eigen_headers ${PEER_EIGEN_INCLUDE})
  peer(eigen eigen_headers)
else()
  no_peer(eigen "no unsupported/Eigen/CXX11/ThreadPool (libeigen3-dev)")
endif()

find_path(PEER_ASIO_INCLUDE boost/asio/thread_pool.hpp NO_CACHE)
if(PEER_ASIO_INCLUDE)
  headers(asio_headers ${PEER_ASIO_INCLUDE})
  peer(asio asio_headers)
else()
  no_peer(asio "no boost/asio/thread_pool.hpp (libboost-dev)")
endif()

if(PEER_ONETBB)
  set(TBB_TEST OFF CACHE BOOL "" FORCE)
  set(TBB_STRICT OFF CACHE BOOL "" FORCE)
  add_subdirectory(${PEER_ONETBB} onetbb EXCLUDE_FROM_ALL SYSTEM)
else()
  find_package(TBB QUIET)
endif()
if(TARGET TBB::tbb)
  peer(onetbb TBB::tbb)
else()
  no_peer(onetbb "no package TBB (libtbb-dev, or -DPEER_ONETBB=DIR)")
endif()

find_path(PEER_CITOR_INCLUDE citor/thread_pool.h HINTS ${PEER_CITOR}/include NO_CACHE)
if(PEER_CITOR_INCLUDE)
  headers(citor_headers ${PEER_CITOR_INCLUDE})
  peer(citor citor_headers)
else()
  no_peer(citor "no citor/thread_pool.h (-DPEER_CITOR=DIR)")
endif()

find_path(PEER_LIBFORK_INCLUDE libfork.hpp HINTS ${PEER_LIBFORK}/include NO_CACHE)
if(PEER_LIBFORK_INCLUDE)
  headers(libfork_headers ${PEER_LIBFORK_INCLUDE})
  peer(libfork libfork_headers)
else()
  no_peer(libfork "no libfork.hpp (-DPEER_LIBFORK=DIR)")
endif()

find_path(PEER_TOOMANYCOOKS_INCLUDE tmc/all_headers.hpp HINTS ${PEER_TOOMANYCOOKS}/include NO_CACHE)
if(PEER_TOOMANYCOOKS_INCLUDE)
  headers(toomanycooks_headers ${PEER_TOOMANYCOOKS_INCLUDE})
  peer(toomanycooks toomanycooks_headers)
else()
  no_peer(toomanycooks "no tmc/all_headers.hpp (-DPEER_TOOMANYCOOKS=DIR)")
endif()

find_path(PEER_AFN_INCLUDE afn_threadpool.h HINTS ${PEER_AFN} ${PEER_AFN}/quiz4 NO_CACHE)
if(PEER_AFN_INCLUDE)
  add_library(afn STATIC EXCLUDE_FROM_ALL
    ${PEER_AFN_INCLUDE}/afn_threadpool.c ${PEER_AFN_INCLUDE}/ringbuffer.c)
  target_include_directories(afn SYSTEM PUBLIC ${PEER_AFN_INCLUDE} support/likwid)
  target_compile_options(afn PRIVATE -w)
  peer(afn afn)
  peer(afn_free afn)
else()
  no_peer(afn "no afn_threadpool.h (-DPEER_AFN=DIR)")
  no_peer(afn_free "no afn_threadpool.h (-DPEER_AFN=DIR)")
endif()

# Crates come from cargo; the lock file and all that is built stay in the build folder.
find_program(PEER_CARGO cargo NO_CACHE)
foreach(name rayon chili tokio)
  if(NOT PEER_CARGO)
    no_peer(${name} "no cargo")
    continue()
  endif()
  string(REPLACE "-mavx2" "-C target-feature=+avx2" rust_flags "${machine_flags}")
  add_custom_target(peer_${name}
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/rust ${PROJECT_BINARY_DIR}/rust
    COMMAND ${CMAKE_COMMAND} -E env "RUSTFLAGS=${rust_flags}"
      ${PEER_CARGO} build --release --quiet --bin ${name}
      --manifest-path ${PROJECT_BINARY_DIR}/rust/Cargo.toml --target-dir ${PROJECT_BINARY_DIR}/rust/target
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_BINARY_DIR}/rust/target/release/${name}
      ${PROJECT_BINARY_DIR}/bin/${name}
    VERBATIM)
  message(STATUS "peer ${name}: found")
endforeach()
