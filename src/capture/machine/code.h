// What the machine knows of a code object: its instructions before CPython specialized them, and its table of handlers.
#pragma once

#include "capture/machine/cpython.h"

#ifdef MONOGRAPH_MACHINE
#include <vector>

namespace monograph::capture::machine {

struct Handler {
  int begin, end;  // code units that it covers
  int target;
  int depth;         // of the stack when it starts
  bool push_offset;  // the offset of the raising instruction is pushed for RERAISE
};

struct CodeInfo {
  std::vector<CodeUnit> units;  // as PyCode_GetCode gives them; caches are zero
  std::vector<Handler> handlers;
  const Handler* handler_at(int offset) const;
  bool natively = false;  // see run_natively() in machine.h
};

// Null with an exception set where the code cannot be run. The code object keeps it.
const CodeInfo* info_of(PyCodeObject* code);

// Whether CPython runs a frame of this code, and not the machine.
bool runs_natively(PyCodeObject* code);

}  // namespace monograph::capture::machine
#endif
