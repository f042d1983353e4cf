// What a run of a program reads and writes outside of itself, found while the capture machine runs it.
//
// Objects that existed before the run are reached by reads alone: from the function, its globals, cells and arguments, through attributes and elements. Each
// such read becomes a guard, and the object that it gives is `older` from then on. What is not older was made by the run: its parts are nobody's else.
// Writes to older lists, dicts, sets and cells are noted before they happen, so that all can be put back, and compared at the end. What a program does that
// cannot be put back ends the run before it happens.
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

// What only the bindings know of objects.
class ObjectKinds {
 public:
  virtual ~ObjectKinds() = default;
  virtual bool is_tensor(PyObject* o) = 0;
  virtual bool has_attributes(PyObject* tensor) = 0;  // that the program gave it
  virtual bool is_symbolic(PyObject* o) = 0;  // a number or list that the graph computes
  virtual void read_tensor(PyObject* tensor, const std::string& name) = 0;  // an older one
  // A tensor that C code made of Python's numbers, and nobody else holds: a constant of the graph. What the program gets instead, a copy that the graph makes
  // anew at each run; null for itself, or with an exception set.
  virtual PyObject* made_tensor(PyObject* tensor) = 0;
  // The example's value of a number that the graph computes, guarded, and a tuple of sizes with such values; null with an exception set.
  virtual PyObject* plain(PyObject* o) = 0;
  // A number of Python of the type that it counts as; null for what is no number.
  virtual PyObject* of_same_type(PyObject* number) = 0;
  virtual std::string place() = 0;  // "file:line" of the program
  virtual bool is_input(PyObject*) { return false; }  // a tensor that the call was given
  virtual size_t guard_count() { return 0; }  // how many guards the graph has by now
};

// Counts the instructions of a run at which a graph may end, and takes the frames' values where it does. Inside of a fork, of a loop that is captured, and of
// Python code that C code calls, it does not count: the last one that it counted is where a graph ends that cannot have what follows.
class BreakPoints {
 public:
  int64_t stop_at = 0;  // the instruction to end before; 0 for none
  bool active = false;  // the run has frames that can be taken
  const PyCodeObject* root = nullptr;  // of the first frame: a debugger's own may run before
  PyObject* handled = nullptr;  // borrowed: the exception that the caller handles

  // Which instruction is the last that counted; 0 where a graph cannot end.
  int64_t here() const { return active && can_stand_ ? count_ : 0; }
  // True where the run ends here: the frames are taken, or an exception is set.
  bool before(const machine::Registers& r, size_t guards);
  // At which instruction the graph got this guard; 0 if that is not known.
  int64_t of_guard(size_t k) const { return active && k < guards_.size() ? guards_[k] : 0; }
  void frame_changes() { last_frame_ = nullptr; }
  bool taken() const { return taken_; }

  machine::Standing standing;
  std::vector<Object> values;

 private:
  const void* base_ = nullptr;  // the loop of the first frame
  machine::PythonFrame* outermost_ = nullptr;
  const machine::PythonFrame* last_frame_ = nullptr;
  int64_t count_ = 0;
  machine::StandingChain chain_;
  bool frames_stand_ = false, can_stand_ = false, taken_ = false;
  std::vector<int64_t> guards_;
};

class ReadSet : public machine::Watcher {
 public:
  // What a program does that cannot be put back, or that no later check would see, ends the run by the exception `abort`. Without it the run goes on, and
  // `unseen` has what that was.
  ReadSet(ObjectKinds& values, PyObject* abort) : values_(values), abort_(abort) {}
  bool at_start(machine::Registers& r) override;
  bool before(machine::Registers& r, int opcode, int arg) override;
  void recorded() override;
  bool not_recorded() override;

  // An object that existed before the run, and how the program gets to it. Constants of Python are none.
  void add_older(PyObject* o, const std::string& name);
  void add_parts(PyObject* o, const std::string& name);
  // A list, tuple or dict that the call was given: its contents are checked as a part of the arguments, and need no guards.
  void add_argument(PyObject* container, const std::string& name);
  void add_made_function(PyObject* f) { new_functions_.insert(f); }  // the call itself has made it
  bool is_older(PyObject* o) const { return older_.contains(o); }
  bool is_argument(PyObject* o) const { return arguments_.contains(o); }
  std::string name_of(PyObject* o) const;
  // All that a container holds, guarded.
  void read_all(PyObject* container, int depth = 0);

  // What the run wrote to, in order, each with what it held before.
  const std::vector<machine::UndoLog::Entry>& written() const { return log_.entries(); }
  // Behind the run: guards of what is known only then.
  void finish();
  // Puts back what was written. False with an exception set.
  bool undo() { return log_.undo(); }

  GuardSet guards;
  BreakPoints points;
  bool began_with_grad = true;  // where it does not, a graph cannot switch gradients on
  // Which instruction ended the run; 0 where a graph cannot end before it.
  int64_t stopped_at = 0;
  // The program calls something inside of `try` with `except`, or with `finally`.
  bool tries = false, finishes = false;
  // Why the run ended, if `ending`: a kind of docs/graph_breaks.md, what the program did, and where.
  std::string kind, detail, where;
  struct Unseen {
    const char* kind;  // of docs/graph_breaks.md, or "logging", or "same_input": it asks whether two inputs are the same tensor
    std::string callee;  // what the program called, "" where it called nothing: "time.time", "_random.Random.random"
    std::string what, place;
  };
  std::vector<Unseen> unseen;
  bool asks_grad_mode = false;  // whether gradients were on where it began decides what the program gives
  bool records_effects = false;  // print() and warnings.warn() may be nodes of the graph
  bool of_program_alone = false;  // what Monograph's own code reads for it is left out
  // The containers outside of the run that it has changed.
  std::vector<PyObject*> changed() const;

 private:
  using Registers = machine::Registers;
  bool stop(const char* kind, const std::string& detail, const std::string& callee = {});
  bool stop_unless_recorded(const char* kind, const std::string& detail, const std::string& callee = {});
  std::optional<Unseen> pending_;  // an effect that is about to happen
  bool is_program(PyObject* globals);
  bool names_reporting_module(PyObject* globals);
  void note_logging(Registers& r);
  bool reports(PyObject* globals);  // modules of Python that show something, or keep caches: no result depends on their own state
  PyObject* held(PyObject* container) const;  // before the run
  std::string attribute_name(PyObject* owner, PyObject* name) const;

  void read_item(PyObject* dict, PyObject* key);
  bool read_element(PyObject* container, PyObject* key);
  bool read_attribute(PyObject* owner, PyObject* name, bool program);
  bool read_instance(PyObject* owner, PyObject* name, bool by_object = false);  // by_object: object.__getattribute__(owner, name)
  void read_global(Registers& r, PyObject* name);
  void read_cell(PyObject* cell);
  bool read_values(Registers& r, int count);  // the topmost ones, all that they hold
  bool read_iterated(PyObject* o);
  bool read_with(PyObject* manager, bool program);
  bool read_matched(Registers& r, int count);
  void read_function(PyFunctionObject* f);
  void read_method(PyTypeObject* type, PyFunctionObject* f);

  bool write(PyObject* container);
  bool write_attribute(PyObject* owner, PyObject* name, bool by_object = false);
  bool write_item(PyObject* container);
  bool write_in_place(PyObject* left);
  bool before_call(PyObject* function, PyObject* const* args, Py_ssize_t count, bool program);
  bool before_c_function(PyObject* function, PyObject* const* args, Py_ssize_t count, bool program);
  bool before_method(PyObject* self, const std::string& name, PyObject* const* args, Py_ssize_t count, bool program);
  bool before_container_method(PyObject* self, const std::string& name, PyObject* const* args, Py_ssize_t count);
  bool before_builtin(const std::string& name, PyObject* const* args, Py_ssize_t count, bool program);
  bool read_arguments(PyObject* const* args, Py_ssize_t count);
  // Whether what the object holds is known from reads: not of a deque, an array, a dict's view. Those that are older end the run where their contents are read.
  bool is_understood(PyObject* o);
  bool check_contents(PyObject* o);
  bool call_instruction(Registers& r, int opcode, int arg, bool program);
  bool finish_previous(Registers& r);
  // Texts and keys of dicts need numbers: what the graph computes becomes the example's value in this place.
  bool make_plain(PyObject*& place);
  bool make_plain_in_text(PyObject*& place);
  bool make_plain_for(Registers& r, int opcode, int arg);
  void note_try(const Registers& r);

  ObjectKinds& values_;
  PyObject* abort_;
  machine::UndoLog log_;
  std::unordered_map<PyObject*, PyObject*> before_;  // borrowed from the log
  struct Older {
    Object object;
    std::string name;
  };
  std::unordered_map<PyObject*, Older> older_;
  std::unordered_set<PyObject*> arguments_, new_functions_;
  std::vector<Object> caches_;  // functions of functools.lru_cache that were called
  std::unordered_map<PyObject*, bool> programs_, reports_;
  PyObject* last_globals_ = nullptr;  // of reports()
  bool last_reports_ = false;
  bool imported_ = false;
  machine::PythonFrame* importing_ = nullptr;  // which waits for a module's first import; without `abort` alone
  machine::PythonFrame* previous_ = nullptr;  // whose last instruction gave something that is to be looked at
  int previous_opcode_ = 0;
};

}  // namespace monograph::capture::bytecode
#endif
