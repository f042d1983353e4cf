// Operators as Python calls them: one object an overload set, made from the registry. No operator is named here.
#pragma once

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "core/ivalue.h"
#include "ops/record.h"
#include "python.h"

namespace monograph::python {

struct Builtin;

// The functions (torch.add), and the descriptors that bind as methods (Tensor.add).
extern PyTypeObject g_builtin_type, g_builtin_method_type;
// What torch.ops gives: an operator with all its overloads, and one overload. Both are builtins.
extern PyTypeObject g_packet_type, g_overload_type;

// Calls an overload set as Python would, with `n` positional arguments and the keywords of `names` behind them.
nb::object call_overloads(PyObject* builtin, PyObject* const* args, Py_ssize_t n, PyObject* names = nullptr);
// The one function object of an overload set.
nb::object builtin_of(const OverloadSet& overloads);

// The arguments of a vectorcall as Python functions take them: `n` positional ones, then those of `names`.
struct Arguments {
  nb::object positional;  // a tuple
  nb::dict keywords;
};
Arguments gather(PyObject* const* args, Py_ssize_t n, PyObject* names);

// Whether calls with this argument go to its type's __torch_function__.
bool overrides_calls(PyObject* o);
// Whether __torch_function__ gets a dict of keywords where the call has none: from functions of Python it does, from others it gets three arguments.
enum class KeywordDict : uint8_t { WhereGiven, Always };
// Hands a call over to the first of the arguments' types that answers; unwinds with TypeError where none does.
nb::object call_torch_function(PyObject* function, PyObject* const* args, Py_ssize_t n, PyObject* names,
                               KeywordDict keywords = KeywordDict::WhereGiven);

// Whether a torch.overrides.TorchFunctionMode takes over all calls of this thread, and the call that it gets.
bool in_function_mode();
nb::object call_function_mode(PyObject* function, PyObject* const* args, Py_ssize_t n, PyObject* names,
                              KeywordDict keywords = KeywordDict::WhereGiven);

// A call of an overload set that stands at one place of a program: with as many arguments each time, and the same keywords. Any number of threads may run
// one, without the GIL. The overload is found as a call from Python finds it.
struct [[gnu::visibility("hidden")]] Pattern;
class OperatorCallSite {
 public:
  explicit OperatorCallSite(const OverloadSet& overloads, std::vector<std::string> keywords = {});
  ~OperatorCallSite();
  OperatorCallSite(const OperatorCallSite&) = delete;
  // Whether Python does no more for such a call than to find the overload and run it, and its result has no type of its own.
  static bool takes(PyObject* builtin, const std::vector<std::string>& keywords, size_t positional);
  // `values` are the arguments, those of keywords last; they are used up. Several results are a tuple, none None.
  IValue operator()(std::vector<IValue>& values);

 private:
  static constexpr size_t kKnown = 4;
  const OverloadSet& overloads_;
  std::vector<std::string> keywords_;
  std::array<std::atomic<const Pattern*>, kKnown> known_{};  // filled one by one, never replaced
};
bool is_builtin(PyObject* o);  // a function of torch
bool is_builtin_method(PyObject* o);  // a method of Tensor
const OverloadSet& overloads_of(PyObject* builtin);

// Before Tensor's type is ready: the slots of Python's operators (operators.cpp); after: the methods.
void add_operator_slots(PyTypeObject& tensor);
void add_operator_methods(PyTypeObject& tensor);
void init_operators(PyObject* module);  // the table of Python's operators

}  // namespace monograph::python
