# Three times the operators, as a trial of what they would cost: MONOGRAPH_FAMILY_COPIES=3, an option of CMake that is first read from the
# environment, compiles the families of operators and their structured kernels twice more and registers them under other names (add_copy2,
# relu_copy2_). Records, generated kernels, the Python functions, their stubs, the C++ API and the tests of all records are then three times as
# many. `MONOGRAPH_FAMILY_COPIES=3 .ci/run` takes all stages through it, in a fresh clone; the build for the thread sanitizer has the operators once, since
# its tests call no copy (tools/dev/builds.py).
#
# A copy is the same text in a namespace of its own, so that the linker keeps all of it. The mechanism is there once: dispatch, the shape rules'
# helpers, products, random streams. Tests compare a copy with the data of its original.
set(MONOGRAPH_FAMILY_COPIES "$ENV{MONOGRAPH_FAMILY_COPIES}" CACHE STRING "how many times the operator families are compiled and registered: a trial of growth")

# What is copied besides the families: the sources under src/kernels and src/ops that belong to operators.
set(MONOGRAPH_COPIED_KERNELS
    adaptive_max block_diag byte_products channel_blocks class_losses complex_parts convolution convolution_gradient cross_products ctc depthwise diagonals distances
    divisors draw_slopes draws elements embedding_bag equality factorizations fill fourier fourier_lines fourier_plan gather_scatter grid_sample histograms
    incomplete_gamma index_fill kron orthogonal_polynomials outer_products padding pooling repeats resampling runs scan search series shuffles sort spectra split_copy
    tables triangles unfold windows)
set(MONOGRAPH_COPIED_OPS packed_weight)

# monograph_copy_file(SOURCE COPY): the text of src/SOURCE as copy number COPY.
function(monograph_copy_file source copy)
  file(READ ${PROJECT_SOURCE_DIR}/src/${source} text)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${source})
  string(REPLACE "namespace monograph {" "namespace monograph::copy${copy} {" text "${text}")
  string(REPLACE "}  // namespace monograph\n" "}  // namespace monograph::copy${copy}\n" text "${text}")
  string(REPLACE " monograph::Convolution" " monograph::copy${copy}::Convolution" text "${text}")
  # Of C's names there is one each.
  string(REGEX REPLACE "MONOGRAPH_KERNEL\\(([a-z0-9_]+)\\)" "KernelStatus \\1_kernel(KernelCall& call)" text "${text}")
  foreach(kernel ${MONOGRAPH_COPIED_KERNELS})
    string(REPLACE "#include \"kernels/${kernel}.h\"" "#include \"copies/${copy}/kernels/${kernel}.h\"" text "${text}")
  endforeach()
  foreach(helper ${MONOGRAPH_COPIED_OPS})
    string(REPLACE "#include \"ops/${helper}.h\"" "#include \"copies/${copy}/ops/${helper}.h\"" text "${text}")
  endforeach()
  string(REPLACE "#include \"ops/families/" "#include \"copies/${copy}/ops/families/" text "${text}")
  set(path ${PROJECT_BINARY_DIR}/generated/copies/${copy}/${source})
  set(before "")
  if(EXISTS ${path})
    file(READ ${path} before)
  endif()
  if(NOT "${before}" STREQUAL "${text}")
    file(WRITE ${path} "${text}")
  endif()
endfunction()

# monograph_family_copies(): the sources of the copies, in lists of the caller: MONOGRAPH_COPIES_<layer> and, of the C library,
# MONOGRAPH_C_SOURCES and MONOGRAPH_C_TABLES.
function(monograph_family_copies)
  file(GLOB sources RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ops/families/*)
  foreach(kernel ${MONOGRAPH_COPIED_KERNELS})
    foreach(suffix h cpp)
      if(EXISTS ${PROJECT_SOURCE_DIR}/src/kernels/${kernel}.${suffix})
        list(APPEND sources kernels/${kernel}.${suffix})
      endif()
    endforeach()
  endforeach()
  foreach(helper ${MONOGRAPH_COPIED_OPS})
    list(APPEND sources ops/${helper}.h ops/${helper}.cpp)
  endforeach()
  set(declared "")
  set(called "")
  set(numbers "")
  if(MONOGRAPH_FAMILY_COPIES GREATER 1)
    foreach(copy RANGE 2 ${MONOGRAPH_FAMILY_COPIES})
      list(APPEND numbers ${copy})
      string(APPEND declared "namespace copy${copy} {\nvoid register_families(Registry& r);\n}\n")
      string(APPEND called "  r.begin_copy(${copy});\n  copy${copy}::register_families(r);\n")
    endforeach()
  endif()
  file(GLOB folders ${PROJECT_BINARY_DIR}/generated/copies/[0-9]*)
  foreach(folder ${folders})  # of an earlier configuration
    get_filename_component(copy ${folder} NAME)
    if(NOT copy IN_LIST numbers)
      file(REMOVE_RECURSE ${folder})
    endif()
  endforeach()
  foreach(copy ${numbers})
    foreach(source ${sources})
      monograph_copy_file(${source} ${copy})
      set(path ${PROJECT_BINARY_DIR}/generated/copies/${copy}/${source})
      if(source STREQUAL kernels/tables.cpp)
        list(APPEND MONOGRAPH_C_TABLES ${path})
      elseif(source MATCHES "^kernels/(.*)[.]cpp$")
        if(CMAKE_MATCH_1 IN_LIST MONOGRAPH_CPP_KERNELS)  # no part of the C library
          list(APPEND MONOGRAPH_COPIES_kernels ${path})
        else()
          list(APPEND MONOGRAPH_C_SOURCES ${path})
        endif()
      elseif(source MATCHES "cpp$")
        list(APPEND MONOGRAPH_COPIES_ops ${path})
      endif()
    endforeach()
    # As in the originals (CMakeLists.txt, which does it for the families).
    foreach(kernel ${MONOGRAPH_VECTORIZED_KERNELS})
      set_source_files_properties(${PROJECT_BINARY_DIR}/generated/copies/${copy}/kernels/${kernel}.cpp PROPERTIES COMPILE_OPTIONS "${MONOGRAPH_VECTORIZED}")
    endforeach()
  endforeach()
  set(MONOGRAPH_C_SOURCES ${MONOGRAPH_C_SOURCES} PARENT_SCOPE)
  set(MONOGRAPH_C_TABLES ${MONOGRAPH_C_TABLES} PARENT_SCOPE)
  set(MONOGRAPH_COPIES_kernels ${MONOGRAPH_COPIES_kernels} PARENT_SCOPE)
  set(path ${PROJECT_BINARY_DIR}/generated/copies/register_copies.cpp)
  file(CONFIGURE OUTPUT ${path} @ONLY CONTENT "// The copies of the operator families, where the build has some (cmake/Copies.cmake).
#include \"ops/registry.h\"

namespace monograph {

${declared}
void register_copies([[maybe_unused]] Registry& r) {
${called}}

}  // namespace monograph
")
  set(MONOGRAPH_COPIES_ops ${MONOGRAPH_COPIES_ops} ${path} PARENT_SCOPE)
endfunction()
