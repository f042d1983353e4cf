// Captures whose branches the machine keeps: forks.cpp.
#pragma once

#include <string>
#include <vector>

#include "capture/machine/machine.h"
#include "python.h"

namespace monograph::python {

// function(*args) in the capture machine, of which the running capture keeps branches on its values. `watcher`: sees what its frames do. A new reference, or null with an exception set.
PyObject* run_keeping(PyObject* function, PyObject* args, capture::machine::Watcher* watcher = nullptr);

// An exception of the program that the graph of a capture raises: its class, and what it holds besides its text. Where its `raise` stands.
struct KeptRaise {
  std::string name, file, function;
  int line = 0;
  bool has_text = false;
  nb::object type, members;
};
// Those of the last capture on this thread.
const std::vector<KeptRaise>& kept_raises();
// In the place of the exception that is set, the program's own, if the graph has raised it: with the program's class, its text alone, and its line in the traceback.
void restore_raise(const std::vector<KeptRaise>& kept);

void init_forks(PyObject* module);

}  // namespace monograph::python
