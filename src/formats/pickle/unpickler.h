// A pickle virtual machine: it makes values of a pickle's opcodes, and executes nothing.
//
// A global (the name of a function or class) is a name here. The functions by which PyTorch rebuilds tensors are done in C++; every other object
// stays a NamedObject, or is refused. Nothing trusts the bytes: each length is compared with what is left before memory is taken for it, and all that
// a pickle makes is at most a fixed multiple of its size. Containers nest at most kMaxDepth deep, so that whoever walks them may recurse.
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

inline constexpr size_t kMaxDepth = 1000;

// What a pickle must not do: torch.load raises pickle.UnpicklingError.
class UnpicklingError : public Error {
 public:
  explicit UnpicklingError(std::string message) : Error(ErrorKind::File, std::move(message)) {}
};

struct Options {
  std::string where;  // the file, in messages
  std::string encoding = "utf-8";  // of strings that Python 2 wrote: utf-8, ascii, latin1, or bytes
  // Whether names outside of the allow-list become named objects; otherwise each is an error, unless `also_allowed` says yes. It is asked for
  // each such name.
  bool name_all = false;
  std::function<bool(const GlobalBox&)> also_allowed;
  // The storage of a persistent id. Null: persistent ids are errors.
  std::function<Ref<StorageBox>(const StorageBox& wanted, const IValue& view)> load_storage;
};

// A value and all containers that were made on the way. Where containers hold each other in a circle, they are emptied with this object.
class Unpickled {
 public:
  Unpickled() = default;
  Unpickled(Unpickled&&) = default;
  Unpickled& operator=(Unpickled&&) = default;
  ~Unpickled();

  IValue value;
  size_t size = 0;  // of the pickle, in bytes; more may follow
  std::vector<IValue> circular;
};

Unpickled unpickle(std::span<const std::byte> bytes, const Options& options);

// The names of functions and classes in a pickle that is_allowed says no to, each once, in order.
std::vector<std::string> unsafe_globals_in(std::span<const std::byte> bytes, std::string_view where);

// Whether torch.load(weights_only=True) takes this name without being told.
bool is_allowed(std::string_view full_name);

// The pickle with names in the places of `int, BINPERSID`: entry `int` of `names`, a module and a name behind it. Frames are left out.
std::string with_names(std::span<const std::byte> bytes, std::span<const std::pair<std::string, std::string>> names);

}  // namespace monograph::pickle
