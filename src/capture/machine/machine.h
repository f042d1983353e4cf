// The capture machine: runs Python's code objects in C++, as CPython 3.11 does.
//
// A frame of the machine is a frame of CPython: the same struct, in the same chain of the thread. So super(), locals(), sys._getframe, tracebacks and
// debuggers see what they see under CPython, and a generator may run a step in CPython and the next one here. Calls from Python to Python do not use the C
// stack. docs/design/machine.md describes the parts.
#pragma once

#include <Python.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace monograph::capture::machine {

// The name of the first local variable of the running frame whose value is accepted; "" for none.
std::string running_local(const std::function<bool(PyObject*)>& accepts);
// Whether the running frame is at an operator such as `a & b`.
bool runs_binary_operator();

// A place where the program asks whether something is true, or for the next value.
struct Jump {
  PyCodeObject* code;
  int offset;  // of the instruction, in code units
  int opcode;  // as Python's module `opcode` counts
  PyObject* globals;  // borrowed, of the frame
  PyObject* value;  // borrowed: the condition; the iterator of a FOR_ITER
};

// What records the two ways of a fork. Ways nest, and end in the order in which they began.
class ForkRecorder {
 public:
  virtual ~ForkRecorder() = default;
  // Whether one of two ways is the example's. If not, neither way is the program's: nothing that cannot be undone happens in either, and a fork that cannot be
  // joined is an error.
  virtual bool has_example() { return true; }
  // Whether the graph computes this condition, and elements of tensors decide it.
  virtual bool asks_elements(PyObject*) { return false; }
  // What the program itself answers for a condition, before a fork is looked at: 0 or 1; 2 if it leaves that to the machine. -1 with an exception set.
  virtual int asked(PyObject*) { return 2; }
  // Whether call() is to see calls of this builtin, beside those that count.
  virtual bool takes(PyObject*) { return false; }
  // Begins the way that the example takes, which is the answer: 0 or 1. 2 if the graph does not compute this value: no fork. -1 with an exception set.
  virtual int begin(PyObject* condition) = 0;
  virtual void begin_second() = 0;
  // Whether join() may take the values of this place. What it does not take must be the same object in both ways, or be made of such.
  virtual bool is_leaf(PyObject* value) = 0;
  // Ends the fork: the values behind it, new references in the order of the leaves. False if `failed` cannot be joined, for the reason `why`.
  virtual bool join(const std::vector<std::pair<PyObject*, PyObject*>>& leaves, std::vector<PyObject*>& values, size_t& failed,
                    std::string& why) = 0;
  // Ends the fork: the way that the example took is the program's, under a guard; 1. `why` says what kept the other one out. 0 if nothing says which way to
  // go, because the code around runs on types alone; -1 with an exception set. Without an example it is always an error.
  virtual int give_up(const std::string& why) = 0;
  // Ends the fork as if it had not begun, so that it can begin again. False if something that the first way did cannot be done a second time.
  virtual bool cancel() = 0;
  // Ends the fork where one way raised this exception: the other one, the second if `second` goes on, is the program's. 1; -1 with an exception set.
  virtual int keep_beside_raise(bool second, PyObject* exception) = 0;
  // The program's own code raises this exception at this line.
  virtual void at_raise(PyObject* /*exception*/, PyCodeObject* /*code*/, int /*line*/) {}
  // Whether the example takes one of the ways of the innermost fork.
  virtual bool innermost_fork_has_example() = 0;
  // Whether an exception of this type goes through a fork as it is, where neither way is the program's. Another one is the reason of an error.
  virtual bool passes(PyObject*) { return true; }
  // Texts and effects: those below give a new reference; null without an exception where it is left to Python.
  // Whether the text of this object holds what the graph computes, and whether it is such a text.
  virtual bool is_shown(PyObject*) { return false; }
  virtual bool is_text(PyObject*) { return false; }
  // f"{value!conversion:spec}", of which the conversion may be 0 and the spec null; the parts of an f-string; `format % values`.
  virtual PyObject* format(PyObject*, char, PyObject*) { return nullptr; }
  virtual PyObject* put_together(PyObject* const*, size_t) { return nullptr; }
  virtual PyObject* percent(PyObject*, PyObject*) { return nullptr; }
  // Whether calls of this function make a text or are an effect: str(), format(), print(), warnings.warn(), the methods of a logger. And such a call.
  virtual bool says(PyObject*) { return false; }
  virtual bool is_effect(PyObject*) { return false; }
  virtual bool records_effects() { return true; }  // else they happen, and are no nodes
  virtual PyObject* say(PyObject*, PyObject* const*, size_t, PyObject*) { return nullptr; }
  // Whether an exception of the graph may have this as its text.
  virtual bool is_message(PyObject* o) { return is_text(o); }
  // What C code gets for a text of the graph: that of the example, guarded. Null with an exception set.
  virtual PyObject* plain_text(PyObject* text) { return Py_NewRef(text); }
  // bool(value) of a value that the graph computes, or `not value` if `negated`; null without an exception for another one.
  virtual PyObject* truth(PyObject* value, bool negated) = 0;
  // What `a is b` gives, or `a is not b` if `negated`, where one of them is a bool or an int that the graph computes; null without an exception for others.
  virtual PyObject* is_same(PyObject*, PyObject*, bool) { return nullptr; }
  // The same of two inputs of the graph, of which a call may pass one tensor for both, and whether this recorder makes a node of that.
  virtual PyObject* are_one_input(PyObject*, PyObject*, bool) { return nullptr; }
  virtual bool compares_inputs() { return false; }
  virtual bool is_tensor(PyObject* value) = 0;

  // Loops. Begins one that runs while `condition` has this truth, or for each element of the iterator; 1, or 0 if the graph does not compute that. -1 with an
  // exception set.
  virtual int begin_loop(PyObject* condition, bool stays_when, PyObject* iterator) = 0;
  // Begins a run of the body. What an earlier one recorded is gone.
  virtual void begin_round() = 0;
  virtual void end_round() = 0;
  // The iterator's element of a round. Null with an exception set.
  virtual PyObject* element(PyObject* iterator) = 0;
  // The value in the body of one that begins as `initial`, a new reference; `next` is what a run has made of it. Null if it cannot be carried, for the
  // reason `why`.
  virtual PyObject* carry(PyObject* initial, PyObject* next, std::string& why) = 0;
  struct RoundEnds {
    std::vector<PyObject*> carried;  // what the values end a run with, in the order of carry()
    std::vector<PyObject*> exits;  // values that only the code behind the loop reads
    PyObject* again = nullptr;  // whether another round follows
    PyObject* early = nullptr;  // whether the loop was left early; null if it cannot be
  };
  // 1: nothing changes any more. 0: a type has become wider: the body is to run again. -1: `failed` counts carried values, then exits.
  virtual int settle(const RoundEnds& ends, size_t& failed, std::string& why) = 0;
  // Ends the loop: the values behind it, new references: of what was carried, of the exits, and whether it was left early. False with an exception set,
  // or without one where the loop is to be given up.
  virtual bool finish_loop(std::vector<PyObject*>& values) = 0;
  // Without an example this sets an exception.
  virtual void give_up_loop(const std::string& why) = 0;
  // Whether a list whose length the graph computes may be a value of it, and the object that stands for one with these items, a new reference. Null with an
  // exception set.
  virtual bool carries_lists() { return true; }
  virtual PyObject* carried_list(PyObject*) { return nullptr; }
  // An iterator of the graph over what is left of a range's, a new reference; null without an exception where such a loop is unrolled.
  virtual PyObject* counted(PyObject*) { return nullptr; }
  // Whether it is an iterator over what the graph counts.
  virtual bool is_symbolic_iterator(PyObject* value) = 0;
  // What range(), enumerate(), zip(), len() and iter() give for values of the graph, a new reference; null without an exception for others.
  virtual PyObject* call(PyObject* function, PyObject* const* args, size_t count) = 0;
  // (function, iterator) to call instead of a builtin that consumes an iterable, function(value, ...): a tuple, a new reference; null without an exception where
  // the builtin is called. `source`: of a generator expression, the function that made it, with its iterator; else null. `count`: of positional arguments.
  virtual PyObject* folded(PyObject*, PyObject*, PyObject*, PyObject*, Py_ssize_t, PyObject*) { return nullptr; }
  // What a way must leave as it found it: gradients on or off, and the like.
  virtual int64_t mode() = 0;
  // Behind a trial that was given up in the middle.
  virtual void restore_mode(int64_t) {}
};

class Forks;
struct Registers;

// Sees what the frames of a run do: capture/bytecode notes what they read and write. Asked before each instruction, and where a frame starts or goes on.
// False with an exception set: that ends the run if `ending` says so, since then no handler of the program's sees the exception.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual bool at_start(Registers& r) = 0;
  virtual bool before(Registers& r, int opcode, int arg) = 0;
  // An attribute that is found without running the object's own __getattr__, a new reference. Null without an exception where the object has to be asked.
  virtual PyObject* attribute(PyObject*, PyObject*) { return nullptr; }
  // The machine itself has made a function of the program's code.
  virtual void add_made_function(PyObject*) {}
  // The effect whose call before() has seen is a node of the graph, or is not. False with an exception set.
  virtual void recorded() {}
  virtual bool not_recorded() { return true; }
  bool ending = false;
  // A call of an object whose class has __call__ in Python is a frame of the same loop, and not one that C code starts. A graph can end in it then.
  bool enters_objects = false;
};

// Asked at each jump before the machine asks the value itself. This is where a capture will look for symbolic conditions.
class JumpHook {
 public:
  enum class Answer : uint8_t {
    Ask,  // run as CPython does
    False,  // the condition counts as false, the value is not asked. Not for FOR_ITER
    True,
    Error,  // a Python exception is set: it is raised at the jump
    Fork,  // both ways run, if `forks` can; else as Ask. Not for FOR_ITER
  };
  virtual ~JumpHook() = default;
  virtual Answer at_jump(const Jump& jump) = 0;
  Forks* forks = nullptr;
  Watcher* watcher = nullptr;
};

// While one lives, what runs in this thread is no part of the program: no hook is asked.
class Unwatched {
 public:
  Unwatched();
  ~Unwatched();
  Unwatched(const Unwatched&) = delete;

 private:
  JumpHook* hook_;
};

// While one lives, inside of an Unwatched, the hook of the run is asked again.
class Watched {
 public:
  Watched();
  ~Watched();
  Watched(const Watched&) = delete;

 private:
  JumpHook* hook_;
};

// Whether the machine knows the running Python. If not, run() raises an error that says so.
bool supported();

// Calls function(*args, **kwargs). All Python code of this thread runs in the machine until it returns, also what C functions call back. Returns a new
// reference, or null with an exception set. `hook` may be null.
PyObject* run(PyObject* function, PyObject* args, PyObject* kwargs, JumpHook* hook);

// The same with forks: at each jump of the program's own Python on a value that the recorder knows, both ways run.
PyObject* run_with_forks(PyObject* function, PyObject* args, ForkRecorder& recorder, Watcher* watcher = nullptr);

// The same as run(), inside of a run or outside of one, with somebody who watches. Jumps are asked as the run around it does.
PyObject* run_watched(PyObject* function, PyObject* args, PyObject* kwargs, Watcher& watcher);

// Whether the machine can run a code object; if not, false with an exception set that says why. run() asks this itself, once for each code object.
bool check_code(PyObject* code);

// What bytecode raises that no compiler made: a SystemError. CPython would crash on such code, so nobody may run it there instead.
PyObject* bytecode_error();

// Drops the exception that is set: of Python code that only helps the capture, or of a way that is given up. A Ctrl-C that came meanwhile comes once more, at the
// next instruction.
inline void forget_error() {
  const bool interrupted = PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
  PyErr_Clear();
  if (interrupted) PyErr_SetInterrupt();
}

// Adds the place to the text of a RecursionError that is set, where it has none yet.
void place_recursion(const std::string& place);

// From now on CPython runs the frames of this code object, and not the machine: for code that is no part of any program. What it calls still runs in the
// machine. False with an exception set.
bool run_natively(PyObject* code);

// Which objects stand for values of a graph and are of another type than these: C code refuses some of them.
void set_stand_in(bool (*stands_in)(PyObject*));
// The function in C that code of this thread's machine calls just now, borrowed; null where it runs code of its own.
PyObject* native_callee();
// Whether the exception says that a capture refuses something, or is raised behind one that does.
bool is_marked_refusal(PyObject* exception);
class NativeCall {  // while one lives, this is the callee
 public:
  explicit NativeCall(PyObject* callee);
  ~NativeCall();
  NativeCall(const NativeCall&) = delete;

 private:
  PyObject* before_;
};

// How many frames the machine has started or resumed in this process. Tests use it to know that the code ran here.
int64_t frame_count();

}  // namespace monograph::capture::machine
