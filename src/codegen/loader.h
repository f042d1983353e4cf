// Object files of codegen/target.h, loaded into the process.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace monograph {

// The code and the constants of one object file; they live as long as this. Such a file names nothing outside of itself, so that loading it is a
// copy, the addresses of its own parts, and the rights of its pages. LLVM's loaders serve every file format and processor, in 1 MB of code.
class LoadedObject {
 public:
  explicit LoadedObject(std::string_view file);  // InternalError where it is no such file

  // The address of a function or of a constant; InternalError where the file has none of this name.
  void* symbol(const std::string& name) const;

 private:
  struct Unmap {
    size_t size;
    void operator()(char* memory) const;
  };
  std::unique_ptr<char, Unmap> memory_;
  std::unordered_map<std::string, void*> symbols_;
};

}  // namespace monograph
