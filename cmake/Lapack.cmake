# LAPACK for torch.linalg: Debian's static libraries of the reference LAPACK and BLAS (docs/design/linear_algebra.md says why these).
#
# monograph_lapack(): the routines of src/kernels/lapack/routines.txt, and what they need, as one object in the layer of kernels. A routine dgesdd_ is
# monograph_dgesdd_ there, and nothing else of the object can be seen, so that a program may use a LAPACK of its own beside it.
function(monograph_lapack)
  set(folder ${PROJECT_SOURCE_DIR}/src/kernels/lapack)
  # What is made for shared libraries has `_pic` in its name; of BLAS one archive serves both.
  find_library(MONOGRAPH_LAPACK NAMES liblapack_pic.a REQUIRED)
  find_library(MONOGRAPH_BLAS NAMES libblas.a PATH_SUFFIXES blas REQUIRED)
  add_library(monograph_lapack_runtime OBJECT ${folder}/runtime.c)
  # Our loops stand in the places of the reference's: they come first, so that the archive's are not taken.
  set(loops "")
  foreach(level v2 v3 v4)
    add_library(monograph_blas_${level} OBJECT ${folder}/blas_loops.cpp)
    target_compile_definitions(monograph_blas_${level} PRIVATE MONOGRAPH_BLAS_LEVEL=${level})
    target_compile_options(monograph_blas_${level} PRIVATE -O3 -march=x86-64-${level})
    list(APPEND loops monograph_blas_${level})
  endforeach()
  add_library(monograph_blas OBJECT ${folder}/blas.cpp)
  # Only the routines stay visible of the joined object: a sanitizer's own symbols would not.
  set(objects "")
  foreach(target monograph_lapack_runtime monograph_blas ${loops})
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endforeach()
  foreach(target monograph_blas ${loops})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${target} PRIVATE -fno-exceptions -fno-rtti -Wno-psabi)
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/routines.txt)
  file(STRINGS ${folder}/routines.txt lines REGEX "^[a-z]")
  set(wanted "")
  set(new_names "")
  set(visible "")
  foreach(line ${lines})
    string(REGEX MATCH "[a-z0-9]+$" routine ${line})
    set(letters s d c z)
    if(line MATCHES "^real ")
      set(letters s d)
    elseif(line MATCHES "^complex ")
      set(letters c z)
    endif()
    foreach(letter ${letters})
      list(APPEND wanted -u ${letter}${routine}_)
      string(APPEND new_names "${letter}${routine}_ monograph_${letter}${routine}_\n")
      string(APPEND visible "monograph_${letter}${routine}_\n")
    endforeach()
  endforeach()
  set(object ${PROJECT_BINARY_DIR}/monograph_lapack.o)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/lapack_names.txt CONTENT "${new_names}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/lapack_visible.txt CONTENT "${visible}")
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_LINKER} -r -o ${object}.all ${wanted} ${objects} ${MONOGRAPH_LAPACK} ${MONOGRAPH_BLAS}
    COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${PROJECT_BINARY_DIR}/lapack_names.txt ${object}.all
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${PROJECT_BINARY_DIR}/lapack_visible.txt --strip-unneeded ${object}.all ${object}
    COMMAND ${CMAKE_COMMAND} -E rm ${object}.all
    DEPENDS ${objects} ${PROJECT_BINARY_DIR}/lapack_names.txt ${MONOGRAPH_LAPACK} ${MONOGRAPH_BLAS}
    COMMENT "Joining LAPACK's routines"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(monograph_kernels PRIVATE ${object})
  set(MONOGRAPH_LAPACK_OBJECT ${object} PARENT_SCOPE)
endfunction()
