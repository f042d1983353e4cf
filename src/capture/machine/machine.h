// The capture machine: runs Python's code objects in C++, as CPython 3.11 does.
//
// A frame of the machine is a frame of CPython: the same struct, in the same chain of the thread. So super(), locals(), sys._getframe, tracebacks and
// debuggers see what they see under CPython, and a generator may run a step in CPython and the next one here. Calls from Python to Python do not use the C
// stack. docs/design/machine.md describes the parts.
#pragma once

#include <Python.h>

#include <cstdint>

namespace monograph::capture::machine {

// A place where the program asks whether something is true, or for the next value.
struct Jump {
  PyCodeObject* code;
  int offset;  // of the instruction, in code units
  int opcode;  // as Python's module `opcode` counts
  PyObject* value;  // borrowed: the condition; the iterator of a FOR_ITER
};

// Asked at each jump before the machine asks the value itself. This is where a capture will look for symbolic conditions.
class JumpHook {
 public:
  enum class Answer : uint8_t {
    Ask,  // run as CPython does
    False,  // the condition counts as false, the value is not asked. Not for FOR_ITER
    True,
    Error,  // a Python exception is set: it is raised at the jump
  };
  virtual ~JumpHook() = default;
  virtual Answer at_jump(const Jump& jump) = 0;
};

// Whether the machine knows the running Python. If not, run() raises an error that says so.
bool supported();

// Calls function(*args, **kwargs). All Python code of this thread runs in the machine until it returns, also what C functions call back. Returns a new
// reference, or null with an exception set. `hook` may be null.
PyObject* run(PyObject* function, PyObject* args, PyObject* kwargs, JumpHook* hook);

// Whether the machine can run a code object; if not, false with an exception set that says why. run() asks this itself, once for each code object.
bool check_code(PyObject* code);

// How many frames the machine has started or resumed in this process. Tests use it to know that the code ran here.
int64_t frame_count();

}  // namespace monograph::capture::machine
