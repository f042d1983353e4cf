// Finds what a run of a program reads and writes outside of itself, while the capture machine runs it.
//
// An object is `older` if it existed before the run. The program can reach older objects only by reads: from the function, its globals, cells and arguments,
// through attributes and elements. Each such read becomes a guard, and the object that it gives counts as older from then on. All other objects were made
// by the run, and nobody else can see them. Writes to older lists, dicts, sets and cells are logged before they happen, so that they can be undone. An
// effect that cannot be undone ends the run before it happens.
#pragma once

#include "capture/bytecode/guards.h"
#include "capture/machine/cpython.h"

#ifdef MONOGRAPH_MACHINE
#include <optional>
#include <string_view>
#include <unordered_set>

#include "capture/machine/forks.h"
#include "capture/machine/registers.h"
#include "capture/machine/standing.h"

namespace monograph::capture::bytecode {

// Questions about objects that only the Python bindings can answer.
class ObjectKinds {
 public:
  virtual ~ObjectKinds() = default;
  virtual bool is_tensor(PyObject* o) = 0;
  virtual PyObject* type_of_tensors() = 0;  // torch.Tensor, borrowed
  virtual bool has_attributes(PyObject* tensor) = 0;  // whether the program has set attributes of its own
  virtual bool is_symbolic(PyObject* o) = 0;  // whether it is a number or list that the graph computes
  virtual void read_tensor(PyObject* tensor, const std::string& name) = 0;  // called when the program reads an older tensor
  virtual void read_sizes(PyObject*) {}  // called when the program of a trace asks an older tensor for its sizes
  virtual void read_memory(PyObject*) {}  // the same for its .data
  // C code made this tensor of Python numbers, and nobody else holds it: it becomes a constant of the graph. Returns the copy that the program gets instead,
  // which the graph makes anew at each run; null if the program keeps the tensor, or with an exception set.
  virtual PyObject* made_tensor(PyObject* tensor) = 0;
  // The example's value of a number that the graph computes, or of a tuple of sizes with such numbers. Adds guards. Null with an exception set.
  virtual PyObject* plain(PyObject* o) = 0;
  // A Python number of the same type as this symbolic number; null if it is no number.
  virtual PyObject* of_same_type(PyObject* number) = 0;
  virtual std::string place() = 0;  // "file:line" of the program
  virtual PyObject* submodule(PyObject*, PyObject*) {
    return nullptr;
  }  // what the module's __getattr__ finds under the name, borrowed; null: it has to run
  virtual bool is_input(PyObject*) { return false; }  // whether the tensor is an input of the call
  // The program of a compiled function asks which tensor this is, and whether it is `other`, which a container holds.
  virtual void asks_which(PyObject*) {}
  virtual void asks_whether(PyObject*) {}
  // Whether `tensor.data = value` of a trace gives an older tensor other memory. What it has now is put back behind the run.
  virtual bool gives_other_memory(PyObject*, PyObject*) { return false; }
  virtual bool is_computed(PyObject*) { return false; }  // whether the graph computes the tensor
  // Whether tolist() of this tensor gives numbers of the graph.
  virtual bool lists_in_graph(PyObject*) { return false; }
  virtual bool is_of_graph(PyObject*) {
    return false;
  }  // whether the graph computes the tensor, or has it from outside as it is at each run
  virtual bool is_of_input(PyObject* tensor) { return is_input(tensor); }  // or one in a list, tuple or dict that is
  // What `a is b` of two different objects of a trace depends on.
  enum class Sameness : uint8_t {
    Program,  // on the program alone, as Python's answer says
    Inputs,  // on what a call passes for two inputs, or for an input that may be a parameter or buffer
    Outside,  // on whether it passes a tensor from outside of which the graph has a copy
  };
  virtual Sameness sameness(PyObject*, PyObject*) { return Sameness::Program; }
  // What decides whether this tensor is the same object as another one, in words: "a branch or loop decides". "" if the program alone does.
  virtual const char* who_decides(PyObject*) { return ""; }
  virtual bool requires_grad(PyObject* /*tensor*/) { return false; }
  virtual bool is_chosen(PyObject* /*tensor*/) { return false; }  // by a branch or loop
  virtual std::string optional_state(PyObject*) {
    return {};
  }  // ".grad" if the value is that of a tensor, and may be None in another run; else ""
  virtual bool is_grad_computed(PyObject*) { return false; }  // whether the .grad of the tensor is a value of the graph
  virtual bool is_parameter(PyObject*) { return false; }
  virtual bool is_proxy(PyObject*) { return false; }  // whether it stands for a value that a symbolic trace does not have
  virtual void read_order(PyObject*) {}  // called when the program of a trace runs over the items of a dict
  virtual size_t guard_count() { return 0; }  // the number of guards that the graph has so far
};

// Counts the instructions of a run at which a graph may end, and saves the values of the frames where it ends. Instructions inside of a fork, inside of a
// captured loop, and in Python code that C code calls are not counted. If the graph cannot record an instruction, it ends at the last one that was counted.
class BreakPoints {
 public:
  int64_t stop_at = 0;  // the number of the instruction before which the run ends; 0 for none
  bool active = false;  // the values of the run's frames can be saved
  bool keeps_locals = false;  // those too that the code does not read any more
  const PyCodeObject* root = nullptr;  // the code of the first frame; frames of a debugger may run before it
  PyObject* handled = nullptr;  // the exception that the caller is handling; borrowed

  // The number of the last counted instruction; 0 if a graph cannot end here.
  int64_t here() const { return active && can_stand_ ? count_ : 0; }
  // True if the run ends here: the frames were saved, or an exception is set.
  bool before(const machine::Registers& r, size_t guards);
  // The number of the instruction at which the graph got this guard; 0 if not known.
  int64_t of_guard(size_t k) const { return active && k < guards_.size() ? guards_[k] : 0; }
  void frame_changes() { last_frame_ = nullptr; }
  bool taken() const { return taken_; }

  machine::Standing standing;
  std::vector<Object> values;

 private:
  const void* base_ = nullptr;  // the C frame that runs the first frame
  machine::PythonFrame* outermost_ = nullptr;
  const machine::PythonFrame* last_frame_ = nullptr;
  int64_t count_ = 0;
  machine::StandingChain chain_;
  bool frames_stand_ = false, can_stand_ = false, taken_ = false;
  std::vector<int64_t> guards_;
};

// The first key whose place in the order of the dict has changed since `before`, a copy of what the dict held, and all keys after it. If a program deletes these keys
// and sets them again in this order, the keys have the order of the dict. Empty if no key has moved; new keys at the end do not count.
std::vector<Object> moved_keys(PyObject* dict, PyObject* before);

class ReadSet : public machine::Watcher {
 public:
  // An effect that cannot be undone, or a read that no guard can check, ends the run by the exception `abort`. If `abort` is null the run goes on, and
  // `unseen` lists these effects and reads.
  ReadSet(ObjectKinds& values, PyObject* abort);
  bool at_start(machine::Registers& r) override;
  bool before(machine::Registers& r, int opcode, int arg) override;
  PyObject* attribute(PyObject* owner, PyObject* name) override;
  void recorded() override;
  bool not_recorded() override;

  // Marks an object as older; `name` is the expression by which the program reaches it. Python constants are not marked.
  void add_older(PyObject* o, const std::string& name);
  void add_parts(PyObject* o, const std::string& name);
  // Marks a list, tuple or dict among the arguments of the call. Its contents need no guards: they are checked together with the arguments.
  void add_argument(PyObject* container, const std::string& name);
  // Marks an object among the arguments, whose attributes `fields` are checked with the arguments: those that the run reads.
  void add_argument_object(PyObject* o, PyObject* fields);
  // The attributes of an object among the arguments that the run has read, there or not; `whole` if it read or changed all of them.
  struct ReadKeys {
    std::vector<Object> keys;
    bool whole = false;
  };
  const ReadKeys& read_keys(PyObject* fields) const { return argument_keys_.at(fields); }
  bool has_read_keys(PyObject* fields) const { return argument_keys_.contains(fields); }
  // Whether the run asks which object an argument is: another one that holds the same gives another result.
  bool is_identified(PyObject* argument) const { return identified_arguments_.contains(argument); }
  void add_made_function(PyObject* f) override { new_functions_.insert(f); }  // the run has made it
  bool is_older(PyObject* o) const { return older_.contains(o); }
  bool is_argument(PyObject* o) const { return arguments_.contains(o); }
  std::string name_of(PyObject* o) const;
  // Guards all that a container holds.
  void read_all(PyObject* container, int depth = 0);

  // The objects to which the run wrote, in order, each with its contents before.
  const std::vector<machine::UndoLog::Entry>& written() const { return log_.entries(); }
  // Numbers that are inputs of the graph: where the program reads one, it gets the symbol, and no guard compares the number.
  struct NumberInput {
    NumberPlace place;
    Object value, symbol;
    bool used = false, guarded = false;
  };
  std::vector<NumberInput> numbers;
  // The symbol that the container has held under this key since the beginning; null if the number is no input.
  PyObject* symbol_of(PyObject* container, PyObject* key) const;
  // The keys, elements and indices of an older container that the run has set or deleted, and null for a cell that it has set. The value may be what was there
  // before: it is written all the same, because another call may find another one.
  const std::vector<Object>& set_keys(PyObject* container) const;
  // Called after the run: adds guards that are known only then.
  void finish();
  // Undoes all writes. False with an exception set.
  bool undo() { return log_.undo(); }
  void empty_filled_caches();  // for a run that is given up

  GuardSet guards;
  BreakPoints points;
  bool began_with_grad = true;  // gradients were on at the beginning; else the graph cannot switch them on
  // The number of the instruction that ended the run; 0 if a graph cannot end before it.
  int64_t stopped_at = 0;
  // Whether the program calls something inside of a `try` with `except` (tries) or with `finally` (finishes).
  bool tries = false, finishes = false;
  bool suppresses = false;  // it enters a context manager that is not Monograph's, which may catch what is raised in it
  // Why the run ended, if `ending`: the kind in docs/graph_breaks.md, what the program did, and where.
  std::string kind, detail, where;
  struct Unseen {
    // A kind of docs/graph_breaks.md, "logging", "same_input" (the program asks whether two inputs are the same tensor), "matched" (it matches a proxy),
    // "left_set" (it leaves a context variable set), "seed" (it sets where the stream of random numbers begins), "address" (it asks where an input is),
    // "array_of_objects" or "older_deque" (it reads such an object, whose contents cannot be compared), or "frozen" (it reads what no graph computes).
    const char* kind;
    std::string callee;  // the function that the program called ("time.time", "_random.Random.random"); "" if it called none
    std::string what, place;
  };
  std::vector<Unseen> unseen;
  // What the program of a trace asks about inputs, which are plain tensors while it runs: an attribute, or "" for the type.
  struct AskedOfInputs {
    std::string attribute, what, place;
  };
  std::vector<AskedOfInputs> asked_of_inputs;
  // The object becomes a part of what the captured program returns or keeps.
  void note_kept(PyObject* o) {
    if (!streams_.empty()) use_stream(o);
  }
  bool asks_grad_mode = false;  // the program's result depends on whether gradients were on at the beginning
  bool records_effects = false;  // print() and warnings.warn() can become nodes of the graph
  bool of_program_alone = false;  // reads by Monograph's own Python code are ignored
  // The older containers whose contents differ from before the run.
  std::vector<PyObject*> changed() const;

 private:
  using Registers = machine::Registers;
  bool stop(const char* kind, const std::string& detail, const std::string& callee = {});
  bool stop_without_graph(const char* kind, const std::string& detail, const std::string& callee = {});
  bool stop_unless_recorded(const char* kind, const std::string& detail, const std::string& callee = {});
  std::optional<Unseen> pending_;  // an effect that may become a node; recorded() or not_recorded() decides
  bool is_program(PyObject* globals);
  bool holds_settings(PyObject* globals);
  bool names_reporting_module(PyObject* globals);
  void note_logging(Registers& r);
  void note_random(Registers& r);
  bool reports(PyObject* globals);  // a module of Python that only shows something or keeps caches: no result depends on its state
  PyObject* held(PyObject* container) const;  // its contents before the run
  std::string attribute_name(PyObject* owner, PyObject* name) const;

  void read_item(PyObject* dict, PyObject* key);
  bool read_element(PyObject* container, PyObject* key);
  bool read_number(PyObject* container, PyObject* key);
  bool guard_number();
  bool read_attribute(PyObject* owner, PyObject* name, bool program);
  bool read_instance(PyObject* owner, PyObject* name, bool by_object = false);  // by_object: object.__getattribute__(owner, name)
  void read_global(Registers& r, PyObject* name);
  void read_cell(PyObject* cell);
  bool read_values(Registers& r, int count);  // guards the contents of the topmost `count` values of the stack
  bool read_iterated(PyObject* o);
  // Guards the contents of all older objects that C code can reach from here through containers: reach.cpp.
  bool read_reachable(PyObject* o);
  bool read_given_back(Registers& r);
  bool read_index(PyObject* container, PyObject* key, PyObject* value);
  bool read_operands(PyObject* left, PyObject* right, bool reads_left);
  bool read_given_to_library(PyObject* function, PyObject* const* args, Py_ssize_t count);
  bool read_named_attributes(PyObject* getter, PyObject* owner, bool program);
  bool read_with(PyObject* manager, bool program);
  bool read_matched(Registers& r, int count);
  void read_function(PyFunctionObject* f);
  void read_method(PyTypeObject* type, PyFunctionObject* f);

  bool write(PyObject* container);
  bool write_attribute(PyObject* owner, PyObject* name, bool by_object = false, PyObject* value = nullptr);
  bool takes_back_gradient(PyObject* tensor, const std::string& attribute, PyObject* value);
  bool write_place(PyObject* container, PyObject* key);
  bool write_item(PyObject* container, PyObject* key);
  bool write_in_place(PyObject* left);
  bool before_call(PyObject* function, PyObject* const* args, Py_ssize_t count, bool program);
  bool before_c_function(PyObject* function, PyObject* const* args, Py_ssize_t count, bool program);
  bool before_method(PyObject* self, const std::string& name, PyObject* const* args, Py_ssize_t count, bool program);
  bool before_container_method(PyObject* self, const std::string& name, PyObject* const* args, Py_ssize_t count);
  bool before_builtin(const std::string& name, PyObject* const* args, Py_ssize_t count, bool program);
  bool before_context_variable(PyObject* variable, const std::string& name);
  bool ask_stated(PyObject* function, const std::string& home, const std::string& name, PyObject* const* args, Py_ssize_t count);
  bool ask_stated_method(PyObject* self, const std::string& full_name, const std::string& name, Py_ssize_t count);
  void ask_decimals();
  void ask_setting(PyObject* function, const std::string& name);
  void ask_logging(Registers& r);
  void note_related(PyObject* type, PyObject* classes, int depth = 0);
  void note_subclasses(PyObject* type);
  void read_class(PyTypeObject* type, PyObject* name);
  void read_own_attribute(PyObject* tensor, PyObject* name);
  void note_type_of_input(PyObject* o, PyObject* classes);
  void note_input(const std::string& attribute, const std::string& what);
  void add_stream(PyObject* fields, PyObject* name, PyObject* stream);
  void use_stream(PyObject* o);
  void note_streams(Registers& r, int opcode, int arg);
  void before_cached_call(PyObject* function);
  void note_cached_result(PyObject* function, PyObject* result);
  void note_filled_caches();
  void note_context_variables();
  // keeps: the call keeps the arguments, or the elements of one, and looks at them no further.
  bool read_arguments(PyObject* const* args, Py_ssize_t count, bool keeps = false);
  bool read_arguments_of_method(PyObject* self, const std::string& name, PyObject* const* args, Py_ssize_t count);
  // Whether guards can record the contents of the object. They cannot for a deque: reading one that is older ends the run.
  bool is_understood(PyObject* o);
  bool check_contents(PyObject* o);
  void note_identity(PyObject* o, PyObject* held_by = nullptr);
  void note_asked_tensor(PyObject* o, PyObject* held_by);
  void note_same_inputs(Registers& r);
  void identify(PyObject* o, int depth = 0);
  void identify_operands(Registers& r, int opcode, int arg);
  void identify_given(PyObject* function, PyObject* const* args, Py_ssize_t count);
  void read_property(PyObject* tensor, PyObject* name);
  void note_hashed(Registers& r, int opcode, int arg);
  bool read_import(Registers& r, PyObject* name);
  bool before_instruction(Registers& r, int opcode, int arg);
  bool note_test_of_none(PyObject* value);
  bool note_test_of_joined(Registers& r);
  bool note_chosen(PyObject* o, const std::string& what);
  bool note_test_of_leaf(PyObject* o);
  bool note_chosen_keys(Registers& r, int opcode, int arg);
  bool note_match(PyObject* subject);
  void note_order(machine::Registers& r, int opcode, int arg);
  bool call_instruction(Registers& r, int opcode, int arg, bool program);
  bool finish_previous(Registers& r);
  // Replaces a number that the graph computes by the example's value, where Python needs a plain number: in strings, and as keys of dicts.
  bool make_plain(PyObject*& place);
  bool make_plain_in_text(PyObject*& place);
  bool make_plain_for(Registers& r, int opcode, int arg);
  void note_try(const Registers& r);

  ObjectKinds& values_;
  Object decimals_;  // what the context of decimal numbers was when the run began
  bool asked_decimals_ = false;
  PyObject* abort_;
  machine::UndoLog log_;
  std::unordered_map<PyObject*, PyObject*> before_;  // borrowed from the log
  struct SetKeys {
    std::unordered_set<PyObject*> known;
    std::vector<Object> keys;
  };
  std::unordered_map<PyObject*, SetKeys> set_keys_;
  bool inside_ = false;  // of a fork or loop that is being captured
  bool no_example_ = false;  // of one of a symbolic trace
  struct Older {
    Object object;
    std::string name;
  };
  std::unordered_map<PyObject*, Older> older_;
  std::unordered_set<PyObject*> arguments_, new_functions_, identified_arguments_;
  std::unordered_map<PyObject*, ReadKeys> argument_keys_;  // by the __dict__ of the object
  std::unordered_map<PyObject*, PyObject*> argument_objects_;  // each with its __dict__
  std::unordered_set<PyObject*> read_whole_;  // older containers that read_reachable() has read, since the run last wrote to an older one
  const machine::PythonFrame* outermost_ = nullptr;  // the frame of the captured function
  struct Cache {  // of a function with functools.lru_cache that was called
    Object function, keys;  // keys: those that it had before the run
    std::unordered_set<PyObject*> before;  // the same
  };
  std::vector<Object> filled_keys(const Cache& cache, const CacheContents& contents) const;  // by the run
  std::vector<Cache> caches_;
  PyObject* cached_call_ = nullptr;  // such a function, which the instruction calls; borrowed
  struct Stream {
    Object fields, name, stream;
  };
  std::vector<Stream> streams_;  // sys.stdout and sys.stderr, where the program has read them and they have no guard yet
  bool has_keywords_ = false;  // the instruction calls with keywords
  // Context variables that the run of a trace has set, by their addresses.
  struct SetVariable {
    Object variable, before;  // what it held before; null if nothing
    std::string place;
  };
  std::unordered_map<PyObject*, SetVariable> set_variables_;
  std::unordered_map<PyObject*, bool> programs_, reports_, settings_;
  PyObject* identified_ = nullptr;  // an input of which the program asked the identity; borrowed, for comparisons alone
  PyObject* last_globals_ = nullptr;  // the last argument of reports(), with its result
  bool last_reports_ = false;
  bool imported_ = false;
  machine::PythonFrame* importing_ = nullptr;  // the frame that waits for the first import of a module; only if `abort` is null
  machine::PythonFrame* previous_ = nullptr;  // the frame whose previous instruction made a value that finish_previous() must look at
  int previous_opcode_ = 0;
  bool may_take_number_ = false;  // the instruction pushes the value that it reads
  NumberInput* number_ = nullptr;  // what the previous instruction has read
};

// Functions in C that a graph of torch.compile shall not have.
std::unordered_set<PyObject*>& disallowed_in_graph();

// The dict behind a types.MappingProxyType, borrowed; any other object as it is.
PyObject* behind_proxy(PyObject* o);

}  // namespace monograph::capture::bytecode
#endif
