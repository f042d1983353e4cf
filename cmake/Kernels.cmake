# The C library: kernels, the pool of threads and the driver of products, which need libc, libm and pthreads only (include/monograph/kernels.h).
#
# Their sources are compiled once, without exceptions, for the layers and for the archive that is shipped. c_library_test fails where
# one of them comes to need the C++ runtime.

# Written for C++ callers: recorded bodies and what interprets them, draws from a Generator, errors as exceptions; and what calls LAPACK (Lapack.cmake). (registry and tables: below.)
set(MONOGRAPH_CPP_KERNELS body draws evaluator factorizations launch matmul_errors random random_checks random_math row_split spectra)

# Their loops are made vectors of by the compiler.
set(MONOGRAPH_VECTORIZED_KERNELS elements fourier fourier_plan gather_scatter scan sort)

file(GLOB MONOGRAPH_C_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/kernels/*.cpp)
foreach(name ${MONOGRAPH_CPP_KERNELS})
  list(REMOVE_ITEM MONOGRAPH_C_SOURCES ${PROJECT_SOURCE_DIR}/src/kernels/${name}.cpp)
endforeach()
list(APPEND MONOGRAPH_C_SOURCES ${PROJECT_SOURCE_DIR}/src/core/dtype.cpp ${PROJECT_SOURCE_DIR}/src/core/threads/cpus.cpp
     ${PROJECT_SOURCE_DIR}/src/core/threads/pool.cpp)
# These look for generated kernels: weakly in the layers, strongly in what is shipped (src/kernels/registry.h).
set(MONOGRAPH_C_TABLES ${PROJECT_SOURCE_DIR}/src/kernels/registry.cpp ${PROJECT_SOURCE_DIR}/src/kernels/tables.cpp)
list(REMOVE_ITEM MONOGRAPH_C_SOURCES ${MONOGRAPH_C_TABLES})
set(MONOGRAPH_C_ENTRIES ${PROJECT_SOURCE_DIR}/src/api/kernels.cpp ${PROJECT_SOURCE_DIR}/src/api/kernel_calls.cpp)

# monograph_c_library(): the target monograph_c, which the layer core links.
function(monograph_c_library)
  add_library(monograph_c_objects OBJECT ${MONOGRAPH_C_SOURCES})
  target_compile_options(monograph_c_objects PRIVATE -fno-exceptions -fno-rtti)
  if(NOT MONOGRAPH_SANITIZE)
    # No exception passes through C, so an installed copy needs no tables for one.
    target_compile_options(monograph_c_objects PRIVATE -fno-asynchronous-unwind-tables)
  else()
    # Their templates are the longest code of all. Checked and not optimized, one compiles in a fifth of the time.
    target_compile_options(monograph_c_objects PRIVATE -O0)
  endif()
  add_library(monograph_c STATIC $<TARGET_OBJECTS:monograph_c_objects> ${MONOGRAPH_C_TABLES})
  target_compile_options(monograph_c PRIVATE -fno-exceptions -fno-rtti)
  target_link_libraries(monograph_c PUBLIC Threads::Threads)
endfunction()

# monograph_shipped_c_library(): libmonograph_kernels.a, as Monograph::kernels, with the generated kernels in it.
function(monograph_shipped_c_library)
  set(kernels ${PROJECT_BINARY_DIR}/generated/kernels)
  # The loops are one object: their table names all of them, and as one they have one table of names and one of sections.
  set(loops ${PROJECT_BINARY_DIR}/monograph_loops.o)
  add_custom_command(
    OUTPUT ${loops}
    COMMAND ${CMAKE_LINKER} -r -o ${loops} ${kernels}/kernel_tables.o --whole-archive ${kernels}/libgenerated_kernels.a
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=monograph_kernel_tables --strip-unneeded ${loops}
    DEPENDS ${kernels}/kernel_tables.o ${kernels}/libgenerated_kernels.a
    COMMENT "Joining the loops for libmonograph_kernels.a"
    VERBATIM)
  set(tables ${loops} ${kernels}/matmul_kernels.o ${kernels}/convolution_kernels.o)
  set_source_files_properties(${tables} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(monograph_c_entries OBJECT ${MONOGRAPH_C_TABLES} ${MONOGRAPH_C_ENTRIES})
  target_compile_definitions(monograph_c_entries PRIVATE MONOGRAPH_GENERATED_KERNELS)
  target_compile_options(monograph_c_entries PRIVATE -fno-exceptions -fno-rtti)
  # To its users this is C: whoever links it needs no compiler of C++.
  add_library(monograph_shipped_kernels STATIC $<TARGET_OBJECTS:monograph_c_objects> $<TARGET_OBJECTS:monograph_c_entries> ${tables})
  set_target_properties(monograph_shipped_kernels PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME monograph_kernels EXPORT_NAME kernels
                                                            ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  add_dependencies(monograph_shipped_kernels monograph_kernel_files)
  add_custom_command(TARGET monograph_shipped_kernels POST_BUILD VERBATIM
                     COMMAND ${CMAKE_STRIP} --strip-unneeded $<TARGET_FILE:monograph_shipped_kernels>)
  target_link_libraries(monograph_shipped_kernels INTERFACE Threads::Threads m)
  target_include_directories(monograph_shipped_kernels INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  add_library(Monograph::kernels ALIAS monograph_shipped_kernels)
endfunction()
