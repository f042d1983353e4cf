# How Monograph's folders become libraries: one static library a folder, sources found by name, so that a new file needs no edit here.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# What a project around this one may have chosen for its own sources. Some of ours cannot stand in one file, and `ld -r` joins machine code only.
set(CMAKE_UNITY_BUILD OFF)
set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)
find_package(Threads REQUIRED)

find_program(MONOGRAPH_CCACHE ccache)
if(MONOGRAPH_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the checkout are hashed relative to it, so that every build folder and every fresh clone shares one cache.
  set(monograph_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_COMMENTS=1 ${MONOGRAPH_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${monograph_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${monograph_launcher})
endif()

# lld links a test in a third of the time that GNU ld takes, and a rebuild after one source links dozens.
find_program(MONOGRAPH_LLD ld.lld PATHS /usr/lib/llvm-19/bin)
if(MONOGRAPH_LLD)
  get_filename_component(monograph_lld_folder ${MONOGRAPH_LLD} DIRECTORY)
  add_link_options(-B${monograph_lld_folder} -fuse-ld=lld)
endif()

# The pointers of a shared library that follow the place it is loaded at: two bits each in place of 24 bytes, 2 MB of libmonograph_jit.so. The
# loader of glibc 2.36 was the first to read them; a library that is built where it is older may be loaded there.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#include <features.h>
#if !__GLIBC_PREREQ(2, 36)
#error
#endif
int main() {}" MONOGRAPH_RELATIVE_RELOCATIONS)
set(MONOGRAPH_SMALL_RELOCATIONS "")
if(MONOGRAPH_RELATIVE_RELOCATIONS)
  set(MONOGRAPH_SMALL_RELOCATIONS -Wl,-z,pack-relative-relocs)
endif()

# Contraction is off everywhere: a fused multiply-add is formed only where a body says fma (docs/numerics.md).
add_compile_options(-Wall -Wextra -Werror=return-type -Wno-unused-parameter -ffp-contract=off)
if(CMAKE_CXX_FLAGS MATCHES "-Werror")  # of a project around this one
  add_compile_options(-Wno-error -Werror=return-type)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # so that ccache sees which precompiled header is read
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()
if(MONOGRAPH_SANITIZE)
  add_compile_definitions(MONOGRAPH_SANITIZED=1)
  # vptr is left out: src/codegen is built without RTTI, as LLVM is.
  add_compile_options(-fsanitize=${MONOGRAPH_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 -O1)
  add_link_options(-fsanitize=${MONOGRAPH_SANITIZE})
endif()
include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)

# monograph_library(NAME [DEPENDS...]): src/NAME/**.cpp as the static library monograph_NAME, but for those of the C library (Kernels.cmake) and LAPACK's
# products (Lapack.cmake).
function(monograph_library name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/src/capture/(machine|bytecode)/")  # a part of the Python extension
  list(APPEND sources ${MONOGRAPH_COPIES_${name}})
  list(REMOVE_ITEM sources ${MONOGRAPH_C_SOURCES} ${MONOGRAPH_C_TABLES} ${MONOGRAPH_C_ENTRIES})
  list(FILTER sources EXCLUDE REGEX "/kernels/lapack/")
  list(TRANSFORM ARGN PREPEND monograph_ OUTPUT_VARIABLE dependencies)
  if(sources)
    add_library(monograph_${name} STATIC ${sources})
    target_link_libraries(monograph_${name} PUBLIC ${dependencies} Threads::Threads)
    # The layers that read what a fuzz target makes up. Counting edges in the others as well would only make them slower to compile and to run.
    # This is what -fsanitize=fuzzer-no-link counts, spelled so that these layers share the precompiled headers of the others.
    if(MONOGRAPH_FUZZ AND name MATCHES "^(core|ir|capture|formats)$")
      target_compile_options(monograph_${name} PRIVATE -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp,indirect-calls)
    endif()
    # The lowest layers change least; what stands above src/ir reads records too.
    if(name MATCHES "^(core|ir|kernels)$")
      monograph_use_precompiled(monograph_${name} ir ${sources})
    else()
      monograph_use_precompiled(monograph_${name} ops ${sources})
    endif()
  else()
    add_library(monograph_${name} INTERFACE)
    target_link_libraries(monograph_${name} INTERFACE ${dependencies} Threads::Threads)
  endif()
endfunction()

# The page that `monograph view` writes: the files of src/passes/page as texts in a source of monograph_passes.
function(monograph_view_page)
  set(source "// Written by cmake/Monograph.cmake from src/passes/page.\n#include <string_view>\n\nnamespace monograph::passes {\n")
  foreach(part Html=page.html Style=page.css Model=model.js Script=page.js)
    string(REPLACE "=" ";" part ${part})
    list(GET part 0 name)
    list(GET part 1 file)
    set(file ${PROJECT_SOURCE_DIR}/src/passes/page/${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(APPEND source "extern const std::string_view kPage${name};\nconst std::string_view kPage${name} = R\"PAGE(${text})PAGE\";\n")
  endforeach()
  string(APPEND source "}  // namespace monograph::passes\n")
  set(path ${PROJECT_BINARY_DIR}/generated/view_page.cpp)
  monograph_write(${path} "${source}")
  target_sources(monograph_passes PRIVATE ${path})
endfunction()

# The sources of the layers (python/monograph/nn), for C++: as texts in a source of monograph_capture, and the names of their classes in a public header.
function(monograph_embedded_layers)
  set(package ${PROJECT_SOURCE_DIR}/python/monograph)
  file(GLOB modules CONFIGURE_DEPENDS ${package}/nn/modules/*.py)
  # module.py and __init__.py say what Python's modules are; C++ has its own.
  list(FILTER modules EXCLUDE REGEX "/(module|__init__)\\.py$")
  set(sources "")
  set(layers "")
  set(header "// Written by cmake/Monograph.cmake from python/monograph/nn/modules.\n")
  set(options "")
  foreach(file ${modules} ${package}/nn/functional.py ${package}/nn/_losses.py ${package}/nn/_adaptive_sizes.py ${package}/nn/init.py ${package}/nn/utils/rnn.py
          ${package}/_jit_internal.py)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(RELATIVE_PATH name ${package}/.. ${file})
    string(REGEX REPLACE "\\.py$" "" name ${name})
    string(REPLACE "/" "." name ${name})
    file(READ ${file} text)
    string(APPEND sources "    {\"${name}\", R\"SOURCE(${text})SOURCE\"},\n")
    # What constructors and functions take, for LayerOptions.
    set(takers "")
    if(file IN_LIST modules)
      string(REGEX MATCHALL "def __init__\\([^)]*" takers "${text}")
    elseif(file MATCHES "/nn/(functional|_losses)\\.py$")
      string(REGEX MATCHALL "\ndef [a-z][a-z0-9_]*\\([^)]*" takers "${text}")
    endif()
    foreach(taker ${takers})
      string(REGEX MATCHALL "[(, \n][a-z][a-z0-9_]*[:=]" parameters "${taker}")
      foreach(parameter ${parameters})
        string(REGEX REPLACE "[^a-z0-9_]" "" parameter "${parameter}")
        list(APPEND options ${parameter})
      endforeach()
    endforeach()
    if(file IN_LIST modules)
      file(STRINGS ${file} classes REGEX "^class [A-Z][A-Za-z0-9]*")
      foreach(class ${classes})
        string(REGEX REPLACE "^class ([A-Z][A-Za-z0-9]*).*" "\\1" class "${class}")
        string(APPEND layers "    {\"${class}\", \"${name}\"},\n")
        string(APPEND header "using ${class} = LayerOf<\"${class}\">;\nusing ${class}Options = LayerOptions;\n")
      endforeach()
    endif()
  endforeach()
  set(source "// Written by cmake/Monograph.cmake from python/monograph.\n#include \"capture/layers/evaluator.h\"\n
namespace monograph::capture::layers {\nnamespace {\nconstexpr EmbeddedSource kSources[] = {\n${sources}};\nconstexpr EmbeddedLayer kLayers[] = {\n${layers}};
}  // namespace\nstd::span<const EmbeddedSource> embedded_sources() { return kSources; }\nstd::span<const EmbeddedLayer> embedded_layers() { return kLayers; }
}  // namespace monograph::capture::layers\n")
  set(generated ${PROJECT_BINARY_DIR}/generated)
  monograph_write(${generated}/embedded_layers.cpp "${source}")
  monograph_write(${generated}/monograph/generated/layers.inc "${header}")
  list(REMOVE_DUPLICATES options)
  list(SORT options)
  list(TRANSFORM options REPLACE "(.+)" "MONOGRAPH_LAYER_OPTION(\\1)")
  list(JOIN options "\n" options)
  monograph_write(${generated}/monograph/generated/layer_options.inc
                  "// Written by cmake/Monograph.cmake from python/monograph/nn/modules.\n${options}\n")
  target_sources(monograph_capture PRIVATE ${generated}/embedded_layers.cpp)
endfunction()

# Writes a file where its content is another one, so that what is made of it is not made again.
function(monograph_write path content)
  set(before "")
  if(EXISTS ${path})
    file(READ ${path} before)
  endif()
  if(NOT "${before}" STREQUAL "${content}")
    file(WRITE ${path} "${content}")
  endif()
endfunction()

# src/codegen: the only sources that see LLVM's headers. One library serves the build-time kernel generator, the JIT and ahead-of-time objects.
function(monograph_codegen)
  set(other_llvm "${LLVM_DIR}")
  find_package(LLVM 19.1 REQUIRED CONFIG PATHS /usr/lib/llvm-19/lib/cmake/llvm NO_DEFAULT_PATH)
  if(NOT PROJECT_IS_TOP_LEVEL)  # the project around this one may look for another LLVM
    set(LLVM_DIR "${other_llvm}" CACHE PATH "The directory containing a CMake configuration file for LLVM." FORCE)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/codegen/*.cpp)
  llvm_map_components_to_libnames(llvm_libraries core native object analysis scalaropts instcombine)
  if(NOT sources)
    add_library(monograph_codegen INTERFACE)
    return()
  endif()
  add_library(monograph_codegen STATIC ${sources})
  target_include_directories(monograph_codegen SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(monograph_codegen PRIVATE ${LLVM_DEFINITIONS})
  target_compile_options(monograph_codegen PRIVATE -fno-rtti)
  target_link_libraries(monograph_codegen PUBLIC monograph_passes PRIVATE ${llvm_libraries})
  # LLVM 19's unstripped archives make for a large link; lld does it in a second.
  target_link_options(monograph_codegen INTERFACE -B${LLVM_TOOLS_BINARY_DIR} -fuse-ld=lld -Wl,--gc-sections -Wl,--exclude-libs,ALL)
  # The part that is loaded at the first compile (exec/compiler.h): with LLVM in it, stripped.
  add_library(monograph_jit MODULE ${PROJECT_SOURCE_DIR}/src/codegen/library/jit_library.cpp)
  set_target_properties(monograph_jit PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  # The C++ runtime first: a template of it that LLVM asks for is not taken from the layers' archives, which would come along with it.
  target_link_libraries(monograph_jit PRIVATE stdc++ monograph_codegen)
  # Functions of LLVM that came out equal become one: 2 MB of 31.
  target_link_options(monograph_jit PRIVATE -s -Wl,--icf=all -Wl,-O2 ${MONOGRAPH_SMALL_RELOCATIONS})
endfunction()

# src/cli: the code of the `monograph` program, as a library.
function(monograph_cli)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.cpp)
  add_library(monograph_cli STATIC ${sources})
  target_compile_definitions(monograph_cli PRIVATE MONOGRAPH_VERSION="${PROJECT_VERSION}")
  target_link_libraries(monograph_cli PRIVATE monograph_formats)
endfunction()

# The program. It calls its code in the shared library, or has everything in it where there is none: in a wheel.
function(monograph_program)
  add_executable(monograph_program ${PROJECT_SOURCE_DIR}/src/cli/program/main.cpp)
  set_target_properties(monograph_program PROPERTIES OUTPUT_NAME monograph)
  if(TARGET monograph)
    target_link_libraries(monograph_program PRIVATE monograph)
  else()
    target_link_libraries(monograph_program PRIVATE monograph_cli)
  endif()
endfunction()

# monograph_fingerprint(RESULT PATTERN...): one hash of the files that match; CMake runs again when one changes.
function(monograph_fingerprint result)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(hashes "")
  foreach(file ${files})
    file(SHA256 ${file} hash)
    string(APPEND hashes ${hash})
  endforeach()
  string(SHA256 hash "${hashes}")
  set(${result} ${hash} PARENT_SCOPE)
endfunction()

# tools/kernelgen writes the eager kernels (docs/adding_an_operator.md) as one archive, and the table that names them as an object, which
# every program above src/ops is linked with. Objects of untouched operators are kept; the fingerprint makes all anew where the emitter changed.
function(monograph_generated_kernels)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/kernelgen/*.cpp)
  set(MONOGRAPH_KERNELGEN "" CACHE FILEPATH "the kernelgen of another build, so that a sanitized build runs no slow one of its own")
  if(MONOGRAPH_KERNELGEN)
    add_executable(monograph_kernelgen IMPORTED GLOBAL)
    set_target_properties(monograph_kernelgen PROPERTIES IMPORTED_LOCATION ${MONOGRAPH_KERNELGEN})
  else()
    add_executable(monograph_kernelgen ${sources})
    set_target_properties(monograph_kernelgen PROPERTIES OUTPUT_NAME kernelgen RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_link_libraries(monograph_kernelgen PRIVATE monograph_codegen monograph_ops)
  endif()
  set(codegen ${PROJECT_SOURCE_DIR}/src/codegen)
  set(kernels ${PROJECT_SOURCE_DIR}/src/kernels)
  monograph_fingerprint(fingerprint ${codegen}/emit*.* ${codegen}/instructions.* ${codegen}/row_plan.* ${codegen}/target.*)
  monograph_fingerprint(matmul_fingerprint ${codegen}/matmul* ${codegen}/convolution* ${codegen}/target.* ${kernels}/matmul.h ${kernels}/convolution.h)
  set(folder ${PROJECT_BINARY_DIR}/generated/kernels)
  set(begin "")
  if(MONOGRAPH_KERNELGEN)  # that build has made the kernels: this one takes what is the same
    get_filename_component(made ${MONOGRAPH_KERNELGEN} DIRECTORY)
    set(begin COMMAND ${CMAKE_COMMAND} -E copy_directory ${made}/generated/kernels ${folder})
  endif()
  set(objects ${folder}/kernel_tables.o ${folder}/matmul_kernels.o ${folder}/convolution_kernels.o)
  add_custom_command(
    OUTPUT ${folder}/libgenerated_kernels.a ${objects}
    ${begin}
    COMMAND monograph_kernelgen --out ${folder} --fingerprint ${fingerprint} --matmul-fingerprint ${matmul_fingerprint}
    DEPENDS monograph_kernelgen ${MONOGRAPH_KERNELGEN}
    COMMENT "Generating kernels"
    VERBATIM)
  add_custom_target(monograph_kernel_files DEPENDS ${folder}/libgenerated_kernels.a ${objects})
  add_library(monograph_generated_kernels INTERFACE)
  add_dependencies(monograph_generated_kernels monograph_kernel_files)
  target_link_libraries(monograph_generated_kernels INTERFACE ${objects} monograph_ops ${folder}/libgenerated_kernels.a)
endfunction()
