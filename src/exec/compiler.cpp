// Loads libmonograph_jit.so at the first compile, once, and remembers why it could not.
#include "exec/compiler.h"

#include <dlfcn.h>

#include <filesystem>

namespace monograph::exec {
namespace {

struct Compiler {
  KernelFn (*compile)(const Body* body, KernelForm form) = nullptr;
  std::string why;

  Compiler() {
    namespace fs = std::filesystem;
    Dl_info info{};
    std::error_code failed;
    const char* file = dladdr(reinterpret_cast<void*>(&compile_kernel), &info) ? info.dli_fname : nullptr;
    // dladdr names a program by the word that it was started with. A library's name may end with a version.
    const bool in_library = file && fs::path(file).filename().string().find(".so") != std::string::npos;
    fs::path here = fs::canonical(in_library ? file : "/proc/self/exe", failed).parent_path();
    for (const fs::path& folder : {here, here / "lib", here.parent_path() / "lib"}) {
      fs::path library = folder / "libmonograph_jit.so";
      if (fs::exists(library, failed) && load(library.c_str())) return;
    }
    if (why.empty() && !load("libmonograph_jit.so"))
      why = "libmonograph_jit.so is not installed beside " + here.string() + ", and the loader does not find it: " + why;
  }

 private:
  bool load(const char* library) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void* symbol = handle ? dlsym(handle, "monograph_jit_compile") : nullptr;
    compile = reinterpret_cast<decltype(compile)>(symbol);
    const char* text = symbol ? "" : dlerror();
    why = text ? text : "libmonograph_jit.so cannot be loaded";
    return symbol;
  }
};
const Compiler& compiler() {
  static auto* c = new Compiler;
  return *c;
}

}  // namespace

KernelFn compile_kernel(const Body& expanded, KernelForm form) {
  const Compiler& c = compiler();
  return c.compile ? c.compile(&expanded, form) : nullptr;
}

const std::string& why_no_compiler() { return compiler().why; }

}  // namespace monograph::exec
