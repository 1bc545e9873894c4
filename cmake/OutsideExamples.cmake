# SPDX-License-Identifier: MIT
# Builds examples/ as an outside consumer does, through find_package(threadcount): with g++ for
# libgomp and, where clang++ has an OpenMP runtime, the loads once more for libomp (names end in -omp).
include(ExternalProject)

function(governor_add_examples name compiler suffix pools)
  ExternalProject_Add(examples-${name}
    SOURCE_DIR ${PROJECT_SOURCE_DIR}/examples
    BINARY_DIR ${PROJECT_BINARY_DIR}/examples-${name}
    CMAKE_ARGS
      -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_CXX_COMPILER=${compiler}
      -Dthreadcount_DIR=${PROJECT_BINARY_DIR}
      -DEXAMPLES_SUFFIX=${suffix}
      -DEXAMPLES_OUTPUT_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/examples
      -DEXAMPLES_POOLS=${pools}
      -DEXAMPLES_WERROR=${GOVERNOR_WERROR}
    DEPENDS threadcount threadcount_pool
    BUILD_ALWAYS ON
    INSTALL_COMMAND ""
    USES_TERMINAL_BUILD ON)
endfunction()

find_program(GOVERNOR_GXX g++)
if(GOVERNOR_GXX)
  governor_add_examples(libgomp ${GOVERNOR_GXX} "" ON)
endif()

# clang++ is often installed without libomp; asking it to link tells.
find_program(GOVERNOR_CLANGXX NAMES clang++ clang++-14)
if(GOVERNOR_CLANGXX AND NOT DEFINED GOVERNOR_CLANG_HAS_OPENMP)
  file(WRITE ${PROJECT_BINARY_DIR}/try-openmp.cpp "#include <omp.h>\nint main() { return omp_in_parallel(); }\n")
  execute_process(
    COMMAND ${GOVERNOR_CLANGXX} -fopenmp -o ${PROJECT_BINARY_DIR}/try-openmp ${PROJECT_BINARY_DIR}/try-openmp.cpp
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    message(STATUS "${GOVERNOR_CLANGXX} cannot link OpenMP: no libomp examples")
  endif()
  if(failed)
    set(GOVERNOR_CLANG_HAS_OPENMP OFF CACHE INTERNAL "")
  else()
    set(GOVERNOR_CLANG_HAS_OPENMP ON CACHE INTERNAL "")
  endif()
endif()
if(GOVERNOR_CLANG_HAS_OPENMP)
  governor_add_examples(libomp ${GOVERNOR_CLANGXX} -omp OFF)
endif()
