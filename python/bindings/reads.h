// What a trace read outside of its arguments: reads.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture/machine/machine.h"
#include "core/tensor.h"
#include "python.h"

namespace monograph::python {

// One run of a program in the capture machine, of which `reads`, a _Reads or None, is told what it read. symbolic: for a symbolic trace, which records no
// operators on tensors.
class ReadingRun {
 public:
  explicit ReadingRun(nb::handle reads, bool symbolic = false);
  ~ReadingRun();
  ReadingRun(const ReadingRun&) = delete;
  // From here on runs the program, as a call of `root` by a symbolic trace.
  void begin(nb::handle root);
  // Null where nobody asks.
  capture::machine::Watcher* watcher();
  // Behind the run.
  void finish();
  // The graph has copied the values of these tensors, which the program holds.
  void set_copied(const std::vector<Tensor>& tensors);

 private:
  struct State;
  nb::handle reads_;
  std::unique_ptr<State> state_;
};

// What a program makes now depends on the default dtype.
void note_default_dtype();

// Whether code that runs from here on writes to an object outside of the run that is watched: a list, a dict, a set, or the attributes of an object.
class WritesSince {
 public:
  WritesSince();
  ~WritesSince();
  WritesSince(const WritesSince&) = delete;
  // The name of what was written; "" for nothing, and where nobody watches.
  std::string found() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

void init_reads(PyObject* module);

}  // namespace monograph::python
