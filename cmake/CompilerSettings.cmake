# SPDX-License-Identifier: MIT
# How all our own code is compiled: language level, warnings, sanitizers.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

# Link to this for our own code; generated code does not.
add_library(governor_warnings INTERFACE)
target_compile_options(governor_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  $<$<BOOL:${GOVERNOR_WERROR}>:-Werror>)
# g++ takes the files of a unity build for headers, whose unnamed namespaces would be a mistake.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(governor_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()

# A hundred test programs are linked in a quarter of the time.
find_program(GOVERNOR_LLD NAMES ld.lld ld.lld-14)
if(GOVERNOR_TESTS AND GOVERNOR_LLD)
  add_link_options(-fuse-ld=lld)
endif()

if(GOVERNOR_SANITIZE)
  add_compile_options(-fsanitize=${GOVERNOR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GOVERNOR_SANITIZE})
endif()

# governor_compile_alone(FILES...): not together with other files of the target where
# CMAKE_UNITY_BUILD is on. For files whose unnamed namespace has names that another file has, too.
function(governor_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# governor_add_module(NAME SOURCES... DEPENDS...): one room of the daemon as a static
# library whose headers are included as <room/file.hpp>.
function(governor_add_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(governor_${name} STATIC ${MODULE_SOURCES})
  target_include_directories(governor_${name} PUBLIC ${PROJECT_SOURCE_DIR}/governor)
  target_link_libraries(governor_${name} PUBLIC ${MODULE_DEPENDS} PRIVATE governor_warnings)
endfunction()
