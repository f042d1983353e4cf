// Loads object files of codegen/target.h into the process.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

namespace monograph {

// The code and the constants of one object file; they are valid as long as this object. Such a file has no references to other files. So to load it is to
// copy its sections, relocate the references between them, and set the permissions of its pages. LLVM's own loaders support every file format and
// processor, with 1 MB of code.
class LoadedObject {
 public:
  explicit LoadedObject(std::string_view file);  // `file`: its contents. Raises InternalError if it is not such a file

  // The address of a function or of a constant. Raises InternalError if the file has no symbol with this name.
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
