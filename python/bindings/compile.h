// torch.compile below Python: compiled functions, what they remember of a capture, and the check of a call.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/bytecode/guards.h"
#include "exec/interpreter.h"
#include "forks.h"
#include "python.h"
#include "tensor.h"

namespace monograph::python::compiled {

using capture::bytecode::Expected;
using capture::bytecode::GuardSet;
using capture::bytecode::NumberPlace;
using capture::bytecode::Object;

// What a call of a captured function needs of a tensor.
struct TensorSpec {
  TensorSpec(PyObject* tensor, bool static_sizes);
  bool matches(PyObject* tensor) const;
  std::string difference(PyObject* tensor) const;

 private:
  PyTypeObject* type_;  // one of Monograph's, or counted by the entry's guards
  DType dtype_;
  Device device_;
  size_t dims_;
  bool requires_grad_, leaf_, contiguous_, inference_, parameter_, live_;
  bool attributes_;  // that the program gave it
  std::optional<Dims> sizes_, strides_;  // where they count: all of a tensor that is not contiguous; of one whose sizes are fixed
};

// The arguments of a call, as a tree in order: what each part is.
struct ArgumentSpec {
  // Int: one that is an input of the graph, since it has had two values. Again: a container that the call has twice. From Cell on, values of frames that go on behind a break: objects that the call itself has made, part by part,
  // and iterators, which the graph hands on. Object: an object of the caller, known by its class and attributes. Fields: those of its attributes that were read.
  // Unread: one that the function never reads. Slots: an object whose attributes stand in slots, known by its class and those that it has, or those that were read. Set: known by its elements, in order.
  enum class Kind : uint8_t {
    Unread,
    Tensor,
    Int,
    Float,
    Value,
    Same,
    Again,
    Tuple,
    List,
    Dict,
    Cell,
    Function,
    Method,
    Instance,
    Iterator,
    Object,
    Fields,
    Slots,
    Set
  } kind;
  Object type;  // of a Function: its code
  Expected expected;  // Value, Same, and where is_same_object
  bool is_same_object = false;  // the program asks which object it is
  size_t index = 0;  // Tensor, Int, Float: which of them; of a container which of the containers
  Py_ssize_t size = 0;
  std::vector<Object> keys, absent;  // absent: attributes that the program looked for, and that were not there
  std::string name;
};

// What a thread has switched on.
struct Modes {
  bool grad, autocast, inference;
  DType dtype;
  Device device;  // where functions make tensors
  uint64_t other;  // autocast's state
  static Modes now();
  bool operator==(const Modes&) const = default;
};

// How objects are made from a graph's results. Steps run in order; each gives one object.
struct ResultRecipe {
  enum class Kind : uint8_t {
    Result,
    Constant,
    Container,
    Tuple,
    List,
    Dict,
    Set,
    Instance,
    Mapping,
    Cell,
    Function,
    Method,
    Iterator
  } kind;
  size_t index = 0;  // Result, Container
  Object value;  // Constant; the type of what is made; of a Function one like it; of an Iterator what makes it
  Object state;  // of an Iterator
  std::vector<size_t> parts;  // of an Instance: its __dict__; of a Mapping: that, then the values
  std::vector<Object> keys;
};

struct Write {
  enum class Kind : uint8_t { SetItem, DeleteItem, SetElement, Extend, Replace, Add, Discard, SetCell } kind;
  size_t target;
  Object key;
  Py_ssize_t index = 0;
  std::vector<size_t> values;
};

// Where the frames of a call stand at a break.
struct Break;

// Objects that this call has made anew from recipes: nobody outside of it has them.
using FreshObjects = std::unordered_map<PyObject*, Object>;

// One capture: what it holds for, and what then runs.
class CapturedEntry {
 public:
  // The arguments.
  std::vector<ArgumentSpec> arguments;
  Py_ssize_t positional = 0;
  Object keywords;
  size_t containers = 0;
  std::vector<TensorSpec> inputs;
  // Numbers outside of the arguments that the graph takes behind those of the arguments. Their types must be these.
  struct NumberRead {
    NumberPlace place;
    PyTypeObject* type;
  };
  std::vector<NumberRead> numbers;
  // What was read.
  Modes modes{};
  GuardSet guards;
  struct ReadTensor {
    Object tensor;
    TensorSpec spec;
    std::string name;
  };
  std::vector<ReadTensor> tensors;
  std::vector<std::pair<size_t, Object>> same;  // inputs that are tensors which were read, too
  std::vector<std::pair<size_t, Object>> different;  // inputs that must not be these tensors, since the program asks which they are
  std::vector<Object> kept;  // tensors that the graph refers to
  std::shared_ptr<const exec::Executable> size_check;
  std::vector<IValue> size_expected;
  std::vector<std::string> size_words;
  // What runs: a callable, the graph, or the function itself for the reason `why`.
  Object callable, graph;
  std::shared_ptr<const exec::Executable> run;
  // The graph changes nothing but the state of the random generator. So where it raises, or a guard in it fails, the function can run instead.
  bool may_miss = false, random = false;
  bool may_catch = false;  // the program calls inside of a `try`, or of a `with` that may catch an error
  std::shared_ptr<const exec::Executable> original;  // if it may: the graph that the backend was given
  std::vector<KeptRaise> raises;  // the exceptions of the program that the graph raises
  std::string kind, detail, where;
  // The graph ends in the middle of the function, for the reason `kind`: its result is a tuple of what the frames hold there.
  std::shared_ptr<const Break> broken;
  bool runs() const { return kind.empty() || broken; }
  bool grad_after = false;  // gradients are on behind it
  std::vector<ResultRecipe> recipes;
  size_t result = 0;
  std::vector<Write> writes;
  bool plain = false;  // one tensor, or a tuple of the results
  size_t calls = 0;

  // The call that is being looked at.
  struct CallInputs {
    std::vector<PyObject*> tensors, numbers, containers;  // borrowed
    std::string changed_number;  // the argument because of which it does not match, if that is an int or float with another value
    const FreshObjects* fresh = nullptr;
    std::vector<Object> held;  // of the numbers outside of the arguments
  };
  bool matches(PyObject* const* args, Py_ssize_t positional, PyObject* keywords, CallInputs& call, std::string* failed);
  // Runs; null with an exception set. `missed`: a guard on a value failed, nothing has changed. `fresh`: what it has made for the frames at a break.
  PyObject* execute(const CallInputs& call, bool& missed, FreshObjects& fresh);
  PyObject* finish(PyObject* const* results, size_t count, const CallInputs& call, FreshObjects* fresh) const;
  int traverse(visitproc visit, void* arg) const;

 private:
  bool matches_arguments(PyObject* const* args, Py_ssize_t count, CallInputs& call, std::string* failed) const;
  bool matches_fields(const ArgumentSpec& a, size_t& at, PyObject* o, CallInputs& call, std::string* failed) const;
  bool matches_object(const ArgumentSpec& a, size_t& at, PyObject* o, CallInputs& call, std::string* failed) const;
  bool matches_one(size_t& at, PyObject* o, CallInputs& call, std::string* failed) const;
  bool matches_numbers(CallInputs& call, std::string* failed) const;
  bool matches_sizes(const CallInputs& call, std::string* failed);
  bool original_raises(const CallInputs& call) const;
  std::vector<std::vector<int64_t>> passed_sizes_;
};

struct CompileOptions {
  Object backend;  // backend(graph, inputs, attributes) -> a callable, or None: the graph is built
  Object report;  // report(kind, detail, where): of what cannot be captured; raises where that is an error
  Object names;  // of the arguments by position, a tuple
  bool flat = false;  // no If and Loop: the backend takes none
  bool static_sizes = false;
  size_t limit = 8;
  // The calls of a module under set_execution("graph"): they are counted, and modules inside of them are not captured by themselves.
  bool outermost = false;
  // Names of arguments that are ints or floats and have had two values.
  std::shared_ptr<std::set<std::string>> changing_numbers = std::make_shared<std::set<std::string>>();
  // Where numbers outside of the arguments have had two values.
  std::shared_ptr<std::vector<NumberPlace>> changing_places = std::make_shared<std::vector<NumberPlace>>();
};

// A call of a module under set_execution("graph"), for as long as it runs; nothing where it is not counted.
class OutermostCall {
 public:
  explicit OutermostCall(bool counted);
  ~OutermostCall();
  OutermostCall(const OutermostCall&) = delete;
  OutermostCall& operator=(const OutermostCall&) = delete;
  void ran_as_graph() const;
  void was_captured() const;

 private:
  bool counted_;
};

// Runs the function once in the machine; the result is the program's, or what its frames hold at a break. `entry` is null where nothing is to be remembered.
// Null with an exception set. `fresh`: what the call has made before, and then what it made for the frames at the break.
PyObject* capture_call(PyObject* function, PyObject* const* args, Py_ssize_t positional, PyObject* keywords, const CompileOptions& options,
                       std::unique_ptr<CapturedEntry>& entry, FreshObjects& fresh);

// How a call goes on behind a break: `values` is the tuple that the graph before it gave, which this takes. True: the instruction at the break has run; `rest`
// is the function that runs the rest when it is called with `values` (new references), `at` the place, equal for equal ones, and `names` those of the values.
// False: the call has ended with `result`, or null with an exception set.
bool run_break(const Break& at_break, PyObject* state, std::shared_ptr<const Break>& at, std::vector<Object>& values, PyObject*& result);
Object rest_of(const std::shared_ptr<const Break>& at, Object& names);
// The attribute that stands in a slot of the object; null for none.
Object slot_of(PyObject* o, PyObject* name);
// The elements of a set, in the order in which it gives them.
std::vector<Object> elements_of(PyObject* set);
bool is_bound_builtin(PyObject* o);  // a method of C, with its object: each attribute access makes another one
bool same_place(const Break& a, const Break& b);
bool is_rest(PyObject* function);  // of rest_of()
// The code of a function, or of the forward of a module, borrowed; null if it has none. The place where it stands.
const PyCodeObject* code_of(PyObject* function);
std::string place_of(PyObject* function);
void init_breaks(PyObject* module);
// Dicts that every capture reads: the hooks of all modules. A tuple.
void set_tables_of_all(PyObject* dicts);
PyObject* tables_of_all();  // borrowed; may be null
// Whether this thread captures something now.
bool is_capturing();
bool is_compiling();

}  // namespace monograph::python::compiled

namespace monograph::python {
bool is_written_in_python(const ir::OpInfo* op);  // by torch.library: library.cpp
void init_compile(PyObject* module);
void init_execution(PyObject* module);
}  // namespace monograph::python
