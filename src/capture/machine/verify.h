// Whether a code object can be run at all. CPython trusts what the compiler wrote; hand-made bytecode makes it crash. The machine looks first, once.
#pragma once

#include "capture/machine/code.h"

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {

// What an instruction takes from the stack and leaves on it.
struct StackEffect {
  int pops = 0;
  int pushes = 0;
  int jump_pushes = 0;  // where it jumps
};

// The instructions that may follow one, as offsets; -1 for none.
struct Successors {
  int next = -1;
  int jump = -1;
};

// One instruction with its prefixes EXTENDED_ARG.
struct Decoded {
  int opcode = 0;
  int arg = 0;
  int offset = 0;  // of the instruction itself, behind its prefixes
  int end = 0;  // behind its caches
};

Decoded decode(const std::vector<CodeUnit>& units, int offset);
// False for an opcode that the machine does not know.
bool stack_effect(const Decoded& instruction, StackEffect& effect);
Successors successors(const Decoded& instruction);

// False with a SystemError set that names the function, its line, and what is wrong: instructions that do not exist, jumps to nowhere, names and constants
// that are missing, a stack that is too deep or too empty.
bool verify(PyCodeObject* code, const CodeInfo& info);

}  // namespace monograph::capture::machine
#endif
