// The capture machine: runs Python's code objects in C++, as CPython 3.11 does.
//
// A frame of the machine is a frame of CPython: the same struct, in the same chain of the thread. So super(), locals(), sys._getframe, tracebacks and
// debuggers see what they see under CPython, and a generator may run a step in CPython and the next one here. Calls from Python to Python do not use the C
// stack. docs/design/machine.md describes the parts.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace monograph::capture::machine {

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
  // Begins the way that the example takes, which is the answer: 0 or 1. 2 if the graph does not compute this value: no fork. -1 with an exception set.
  virtual int begin(PyObject* condition) = 0;
  virtual void begin_second() = 0;
  // Whether join() may take the values of this place. What it does not take must be the same object in both ways, or be made of such.
  virtual bool is_leaf(PyObject* value) = 0;
  // Ends the fork: the values behind it, new references in the order of the leaves. False if `failed` cannot be joined, for the reason `why`.
  virtual bool join(const std::vector<std::pair<PyObject*, PyObject*>>& leaves, std::vector<PyObject*>& values, size_t& failed,
                    std::string& why) = 0;
  // Ends the fork: the way that the example took is the program's, under a guard. `why` says what kept the other one out. False with an exception set.
  virtual bool give_up(const std::string& why) = 0;
  // bool(value) of a value that the graph computes, or `not value` if `negated`; null without an exception for another one.
  virtual PyObject* truth(PyObject* value, bool negated) = 0;
  virtual bool is_tensor(PyObject* value) = 0;
  // What a way must leave as it found it: gradients on or off, and the like.
  virtual int64_t mode() = 0;
};

class Forks;

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
};

// Whether the machine knows the running Python. If not, run() raises an error that says so.
bool supported();

// Calls function(*args, **kwargs). All Python code of this thread runs in the machine until it returns, also what C functions call back. Returns a new
// reference, or null with an exception set. `hook` may be null.
PyObject* run(PyObject* function, PyObject* args, PyObject* kwargs, JumpHook* hook);

// The same with forks: at each jump of the program's own Python on a value that the recorder knows, both ways run.
PyObject* run_with_forks(PyObject* function, PyObject* args, ForkRecorder& recorder);

// Whether the machine can run a code object; if not, false with an exception set that says why. run() asks this itself, once for each code object.
bool check_code(PyObject* code);

// How many frames the machine has started or resumed in this process. Tests use it to know that the code ran here.
int64_t frame_count();

}  // namespace monograph::capture::machine
