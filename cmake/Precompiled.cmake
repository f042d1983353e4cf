# Precompiled headers. Half of the time that the compiler spends on a source of a hundred lines goes into the headers it shares with all others. They are
# parsed once for each set of options instead.
#
# A source still includes what it uses: clang-tidy reads it without these headers (tools/dev/tidy.py).
option(MONOGRAPH_PRECOMPILED "parse the headers that most sources include once" ${PROJECT_IS_TOP_LEVEL})
set(MONOGRAPH_STANDARD_HEADERS
    <algorithm> <array> <charconv> <cmath> <complex> <cstdint> <cstring> <functional> <limits> <map> <memory> <optional> <ranges> <set> <span>
    <string> <string_view> <tuple> <unordered_map> <utility> <vector>)
set(MONOGRAPH_HEADERS_ir <core/error.h> <core/ivalue.h> <core/tensor.h> <ir/graph.h>)
set(MONOGRAPH_HEADERS_ops ${MONOGRAPH_HEADERS_ir} <ops/dispatch.h> <ops/registry.h> <ops/rule.h>)
# A source that is compiled with other options than these reads its headers itself.
set(MONOGRAPH_OPTION_SETS fast small)
set(MONOGRAPH_OPTIONS_fast "")
set(MONOGRAPH_OPTIONS_small -Os)
if(MONOGRAPH_SANITIZE)
  list(APPEND MONOGRAPH_OPTION_SETS unoptimized)
  set(MONOGRAPH_OPTIONS_unoptimized -O0)
endif()

# monograph_precompiled_headers(): for each of ir and ops, and each set of options, the library monograph_precompiled_HEADERS_OPTIONS that makes them.
function(monograph_precompiled_headers)
  if(NOT MONOGRAPH_PRECOMPILED)
    return()
  endif()
  monograph_write(${PROJECT_BINARY_DIR}/generated/precompiled.cpp "// Compiled for its precompiled headers (cmake/Precompiled.cmake).\n")
  foreach(headers ir ops)
    foreach(options ${MONOGRAPH_OPTION_SETS})
      set(name monograph_precompiled_${headers}_${options})
      # An object library, of a source of its own, since the options of a source belong to it and not to the library.
      configure_file(${PROJECT_BINARY_DIR}/generated/precompiled.cpp ${PROJECT_BINARY_DIR}/generated/${name}.cpp COPYONLY)
      add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
      target_compile_options(${name} PRIVATE ${MONOGRAPH_OPTIONS_${options}})
      target_precompile_headers(${name} PRIVATE ${MONOGRAPH_STANDARD_HEADERS} ${MONOGRAPH_HEADERS_${headers}})
    endforeach()
  endforeach()
endfunction()

# monograph_use_precompiled(TARGET HEADERS SOURCES...): the sources, which have their options by now, begin with the precompiled headers.
function(monograph_use_precompiled target headers)
  if(NOT MONOGRAPH_PRECOMPILED)
    return()
  endif()
  set(suffix gch)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(suffix pch)
  endif()
  foreach(source ${ARGN})
    get_source_file_property(given ${source} COMPILE_OPTIONS)
    if(NOT given OR given STREQUAL "-O3")
      set(options fast)
    elseif(given STREQUAL "-Os")
      set(options small)
    elseif(given STREQUAL "-O0")
      set(options unoptimized)
    else()
      continue()
    endif()
    set(name monograph_precompiled_${headers}_${options})
    set(header ${PROJECT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx)
    set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -include ${header})
    set_property(SOURCE ${source} APPEND PROPERTY OBJECT_DEPENDS ${header}.${suffix})
    add_dependencies(${target} ${name})
  endforeach()
endfunction()
