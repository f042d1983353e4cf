# The public C++ library: its generated headers, the libraries that other projects link, and what `cmake --install` puts where.

# monograph_api_headers(): tools/apigen writes the functions and methods of the public headers from the operators' records.
function(monograph_api_headers)
  add_executable(monograph_apigen ${PROJECT_SOURCE_DIR}/tools/apigen/apigen.cpp ${PROJECT_SOURCE_DIR}/tools/apigen/functional.cpp)
  set(package ${PROJECT_SOURCE_DIR}/python/monograph)
  set_target_properties(monograph_apigen PROPERTIES OUTPUT_NAME apigen RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(monograph_apigen PRIVATE monograph_ops)
  set(folder ${PROJECT_BINARY_DIR}/generated/monograph/generated)
  # A file that stays the same keeps its time: the stamp is what says that apigen ran.
  add_custom_command(
    OUTPUT ${folder}/stamp
    BYPRODUCTS ${folder}/methods.inc ${folder}/functions.inc ${folder}/functional.inc ${folder}/init.inc ${folder}/functions.cpp
    COMMAND monograph_apigen ${folder} ${package}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/stamp
    DEPENDS monograph_apigen ${package}/nn/functional.py ${package}/nn/_losses.py ${package}/nn/init.py ${package}/_pytorch_names.py
    COMMENT "Generating the public API"
    VERBATIM)
  add_custom_target(monograph_api_headers DEPENDS ${folder}/stamp)
endfunction()

# monograph_public_library(): the shared library libmonograph.so, as Monograph::monograph, with all layers, the generated kernels and the code of the
# `monograph` program in it. It exports the public API, and monograph_command for the program. The compiler of captured graphs, which it loads
# when it is needed, stands beside it.
function(monograph_public_library)
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.txt)
  # What is exported comes as objects; the rest as archives, which export nothing.
  add_library(monograph SHARED $<TARGET_OBJECTS:monograph_api> $<TARGET_OBJECTS:monograph_cli>)
  set_target_properties(monograph PROPERTIES LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib LINK_DEPENDS ${exports}
                                             VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_libraries(monograph PRIVATE monograph_formats)
  # Calls inside of the library are not for others to replace. Its threads outlive a dlclose.
  target_link_options(monograph PRIVATE -Wl,--version-script=${exports} -Wl,-Bsymbolic-functions -Wl,--exclude-libs,ALL -Wl,--gc-sections
                                        -Wl,-z,nodelete ${MONOGRAPH_SMALL_RELOCATIONS})
  add_dependencies(monograph monograph_jit)
  monograph_public_interface(monograph)
  add_library(Monograph::monograph ALIAS monograph)
endfunction()

# monograph_static_library(): the same as an archive, libmonograph.a, as Monograph::monograph_static; built only where something needs it. The
# kernels are in the C library. All of it is one object: a program that uses some of it needs the records of all operators anyway, and what the
# sources share (templates, inline functions) is in it once.
function(monograph_static_library)
  set(objects "")
  foreach(layer ${MONOGRAPH_LAYERS})
    if(NOT layer STREQUAL codegen)  # LLVM: a library for itself, which is loaded at the first compile
      list(APPEND objects $<TARGET_OBJECTS:monograph_${layer}>)
    endif()
  endforeach()
  list(APPEND objects ${MONOGRAPH_LAPACK_OBJECT})
  set(whole ${PROJECT_BINARY_DIR}/monograph_whole.o)
  set(list ${PROJECT_BINARY_DIR}/monograph_whole.txt)
  file(GENERATE OUTPUT ${list} CONTENT "$<JOIN:${objects},\n>\n")
  add_custom_command(
    OUTPUT ${whole}
    COMMAND ${CMAKE_LINKER} -r -o ${whole} @${list}
    COMMAND ${CMAKE_STRIP} --strip-unneeded ${whole}
    DEPENDS ${objects} ${list}
    COMMENT "Joining the layers for libmonograph.a"
    VERBATIM)
  set_source_files_properties(${whole} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(monograph_static STATIC EXCLUDE_FROM_ALL ${whole})
  set_target_properties(monograph_static PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME monograph ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  add_dependencies(monograph_static monograph_jit)
  target_link_libraries(monograph_static INTERFACE Monograph::kernels ZLIB::ZLIB ${CMAKE_DL_LIBS})
  # The compiler of captured graphs is loaded when it is needed, from the program's rpath. MonographConfig.cmake knows the installed place.
  target_link_options(monograph_static INTERFACE $<BUILD_INTERFACE:-Wl,-rpath,${PROJECT_BINARY_DIR}/lib>)
  monograph_public_interface(monograph_static)
  add_library(Monograph::monograph_static ALIAS monograph_static)
endfunction()

# monograph_public_interface(TARGET): what programs that link it compile with.
function(monograph_public_interface target)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_link_libraries(${target} INTERFACE Threads::Threads)
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# monograph_install(): for find_package(Monograph) and pkg-config. A wheel has its own rules (python/CMakeLists.txt).
function(monograph_install)
  include(CMakePackageConfigHelpers)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Monograph)
  # The script that installs a project around this one goes on after these rules.
  install(CODE "set(MONOGRAPH_STRIP_BEFORE \"\${CMAKE_INSTALL_DO_STRIP}\")\nset(CMAKE_INSTALL_DO_STRIP TRUE)")
  install(TARGETS monograph monograph_shipped_kernels EXPORT Monograph LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS monograph_jit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH from_program /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(monograph_program PROPERTIES INSTALL_RPATH $ORIGIN/${from_program})
  install(TARGETS monograph_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # cmake --install ... --component static
  install(TARGETS monograph_static EXPORT MonographStatic ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT static EXCLUDE_FROM_ALL)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/monograph DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/monograph/generated DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/monograph
          FILES_MATCHING PATTERN *.inc)
  install(EXPORT Monograph NAMESPACE Monograph:: FILE MonographTargets.cmake DESTINATION ${package})
  install(EXPORT MonographStatic NAMESPACE Monograph:: FILE MonographStaticTargets.cmake DESTINATION ${package} COMPONENT static EXCLUDE_FROM_ALL)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/MonographConfig.cmake.in ${PROJECT_BINARY_DIR}/MonographConfig.cmake
                                INSTALL_DESTINATION ${package} PATH_VARS CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/MonographConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/MonographConfig.cmake ${PROJECT_BINARY_DIR}/MonographConfigVersion.cmake DESTINATION ${package})
  # pkg-config finds the folders from the place of its file, so that the installed tree can be moved.
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" up "${up}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/monograph.pc.in ${PROJECT_BINARY_DIR}/monograph.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/monograph.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  install(CODE "set(CMAKE_INSTALL_DO_STRIP \"\${MONOGRAPH_STRIP_BEFORE}\")")
endfunction()
