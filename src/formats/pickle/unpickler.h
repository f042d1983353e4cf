// Reads a pickle into values. No Python code runs.
//
// A global (the name of a function or class) is read as a name. The functions by which PyTorch rebuilds tensors are done in C++; any other object is
// refused, or becomes a NamedObject. The bytes are not trusted: each length is compared with the bytes that are left before memory is allocated, and the
// memory of all values is limited (memory.h). Containers nest at most kMaxDepth deep, so code that walks them may recurse.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "formats/pickle/values.h"

namespace monograph::pickle {

class MemoryLimit;

inline constexpr size_t kMaxDepth = 1000;

// A pickle that is damaged or not allowed. In Python, torch.load raises pickle.UnpicklingError.
class UnpicklingError : public Error {
 public:
  explicit UnpicklingError(std::string message) : Error(ErrorKind::File, std::move(message)) {}
};

struct Options {
  std::string where;  // names the file in messages
  std::string encoding = "utf-8";  // the encoding of strings that Python 2 wrote: utf-8, ascii, latin1, or bytes (which gives bytes)
  // Whether objects of any class are read as NamedObjects. If not, a name that is not on the allow-list is an error, unless `also_allowed` returns true
  // for it.
  bool name_all = false;
  std::function<bool(const GlobalBox&)> also_allowed;
  // Whether a tensor of a kind that Monograph lacks becomes a NamedObject. If not, it is an error.
  bool name_unsupported = false;
  // Whether a string or name that is no UTF-8 is an error. Python's str may hold one.
  bool checks_text = false;
  // Returns the storage of a persistent id; `view` is the id's sixth part or None. Null: persistent ids are errors.
  std::function<Ref<StorageBox>(const StorageBox& wanted, const IValue& view)> load_storage;
  MemoryLimit* memory = nullptr;  // counts what is built; null: a limit for a file that is this pickle alone
};

// The value of a pickle. If containers in it hold each other in a circle, this object keeps them, and its destructor empties them.
class Unpickled {
 public:
  Unpickled() = default;
  Unpickled(Unpickled&&) = default;
  Unpickled& operator=(Unpickled&&) = default;
  ~Unpickled();

  IValue value;
  size_t size = 0;  // the size of the pickle in bytes; other data may follow it
  std::vector<IValue> circular;  // all containers, if some hold each other in a circle; else empty
};

// Reads the pickle at the beginning of `bytes`. Throws UnpicklingError for a damaged pickle or a name that is not allowed, and Error (Value) for an
// unknown encoding.
Unpickled unpickle(std::span<const std::byte> bytes, const Options& options);

// The names of functions and classes in a pickle for which is_allowed is false, each once, in order.
std::vector<std::string> unsafe_globals_in(std::span<const std::byte> bytes, std::string_view where);

// Whether torch.load(weights_only=True) accepts this name, such as "collections.OrderedDict", without add_safe_globals.
bool is_allowed(std::string_view full_name);

// A copy of the pickle in which each pair of opcodes `int k, BINPERSID` is replaced by the global names[k], a module and a name in it. Frames are left
// out.
std::string with_names(std::span<const std::byte> bytes, std::span<const std::pair<std::string, std::string>> names);

}  // namespace monograph::pickle
