// What a run has made, and the collector while it runs.
//
// A run that is given up never was: what it made ends without a sign. No generator runs its `finally`, no __del__ and no callback of a weak reference is called.
#pragma once

#include "capture/machine/cpython.h"

#ifdef MONOGRAPH_MACHINE
#include <optional>
#include <utility>
#include <vector>

namespace monograph::capture::machine {

// While one lives, the collector does not begin by itself: what it frees runs code that is no part of the program, at a place that nobody can tell. The
// program may still call it, and is told what it has set itself (gc.isenabled()).
class PausedCollector {
 public:
  PausedCollector();
  ~PausedCollector();
  PausedCollector(const PausedCollector&) = delete;
};

// What this thread makes while one lives. The collector pauses, so that it keeps objects in the order in which they were made.
class MadeObjects {
 public:
  // `of_way`: what a way of a fork makes.
  explicit MadeObjects(bool of_way = false);
  ~MadeObjects();
  MadeObjects(const MadeObjects&) = delete;
  // From here on, to the end of this, what was made ends quietly.
  void silence();
  // The same for the innermost run of this thread.
  static void end_quietly();
  bool has_made(PyObject* object) const;

 private:
  // Calls for each object that was made, in order. False if the collector has run.
  template <class F>
  bool visit(F each) const;

  std::optional<PausedCollector> pause_;  // of a run
  PyObject* first_;  // stands before them in the collector's list; null if there is none
  MadeObjects* outer_;
  bool of_way_;
  std::vector<PyObject*> silent_;  // borrowed
  std::vector<std::pair<PyObject*, PyObject*>> callbacks_;  // weak references, borrowed, and what they would call
};

// What was made since this began ends quietly if an exception ends the scope.
class QuietFailure {
 public:
  QuietFailure();
  ~QuietFailure();
  QuietFailure(const QuietFailure&) = delete;

 private:
  int exceptions_;
};

// Whether the end of a generator or coroutine may run code of the program.
bool is_end_of_generator_seen(PyObject* o);
// What the frame of a suspended one holds, borrowed.
std::vector<PyObject*> held_by_generator(PyObject* generator);

}  // namespace monograph::capture::machine
#endif
