// Forks: at a jump on a value that a graph computes, both ways run to where they meet, and what differs there is joined.
//
// The loop (loop.cpp) runs the ways. Forks keeps what they write to lists, dicts, sets, attributes and cells, so that the second way starts from what the
// first one found, and plans the join. A ForkRecorder, which knows tensors and graphs, records the arms. docs/design/machine.md, "Forks and joins".
#pragma once

#include "capture/machine/flow.h"

#ifdef MONOGRAPH_MACHINE
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "capture/machine/machine.h"

namespace monograph::capture::machine {

using LeafPair = std::pair<PyObject*, PyObject*>;  // what the first and the second way have at one place

// The slots of a frame, with references of their own.
class FrameSlots {
 public:
  FrameSlots() = default;
  FrameSlots(FrameSlots&& other) noexcept : values(std::exchange(other.values, {})) {}
  FrameSlots& operator=(FrameSlots&& other) noexcept {
    std::swap(values, other.values);
    return *this;
  }
  ~FrameSlots() {
    for (PyObject* value : values) Py_XDECREF(value);
  }
  std::vector<PyObject*> values;
};

// What one way wrote to that Python knows: each object as it was before the first write.
class UndoLog {
 public:
  ~UndoLog();
  // `before`: what it held, if it has been written to since. False with an exception set.
  bool note(PyObject* container, PyObject* before = nullptr);
  // Ends the way: remembers what the objects hold now and gives them back what they held.
  bool undo();
  // What an object held when the way ended; null if the way did not write to it.
  PyObject* content(PyObject* container) const;
  struct Entry {
    PyObject* object;
    PyObject* before;
    PyObject* after = nullptr;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  std::unordered_map<PyObject*, size_t> index_;
};

// The engine behind a JumpHook that forks.
class Forks {
 public:
  Forks(ForkRecorder& recorder, PyObject* abort);  // `abort`: the exception that ends a way which cannot be undone
  ~Forks();

  // Whether the code of this frame's module takes part. Monograph's own does not: it has no branches of the program, and its writes are its own.
  bool belongs_to_program(PyObject* globals);
  const CodeFlow* flow(PyCodeObject* code);

  // The example's way begins. `place` says where for messages. As ForkRecorder::begin.
  int begin(PyObject* condition);
  bool end_first();  // false with an exception set
  bool begin_second();
  bool end_second();
  // Puts the joined values into `first`, of which null stays null. False if something cannot be joined: nothing has changed then. `names` for messages.
  bool join(FrameSlots& first, FrameSlots& second, const std::vector<std::string>& names);
  // The example's way alone counts, under a guard; its writes are done again if they were undone. False with an exception set.
  bool give_up();
  bool failed() const { return !arms_.back()->failure.empty(); }
  void fail(std::string_view why);

  // Asked before the program writes or calls C code. False with an exception set: the way ends here.
  bool before_write(PyObject* container, PyObject* key);
  bool before_read(PyObject* container);  // an element of it
  bool before_attribute(PyObject* owner, PyObject* name);
  bool before_in_place(PyObject* left);
  bool before_call(PyObject* function, PyObject* const* args, Py_ssize_t count);
  bool before_iteration(PyObject* iterator);
  bool before_shared_iterator(PyObject* iterator);  // which somebody else holds too
  // Each jump backwards: a way that the example does not take may never end.
  bool count_round();

  bool watching() const { return !arms_.empty(); }
  // As ForkRecorder::truth.
  PyObject* truth(PyObject* value, bool negated) { return recorder_.truth(value, negated); }
  static std::string raised_text();  // of the exception that is set
  bool take_abort();  // whether the way that just ended was given up
  void forbid_iterator(PyObject* iterator) { arms_.back()->fixed_iterators.push_back(iterator); }

 private:
  struct Arm {
    bool taken = true;
    bool second = false, undone = false;
    int rounds = 0;
    std::string failure;
    std::unique_ptr<UndoLog> logs[2];
    std::vector<PyObject*> fixed_iterators;  // borrowed: the frame's, which no way may advance
    int64_t mode = 0;  // of the recorder, where the fork began
  };
  bool irreversible(const std::string& what);
  UndoLog& log() { return *arms_.back()->logs[arms_.back()->second]; }

  ForkRecorder& recorder_;
  PyObject* abort_;
  bool aborting_ = false;
  int forks_ = 0;
  std::vector<std::unique_ptr<Arm>> arms_;
  std::unordered_map<PyCodeObject*, std::unique_ptr<CodeFlow>> flows_;
  std::unordered_map<PyObject*, bool> programs_;
  std::vector<PyObject*> keep_;  // copies that a join looks at
};

// A copy of an iterator of the standard kinds that goes on where it stands, a new reference; null without an exception if it cannot be copied.
PyObject* copy_iterator(PyObject* iterator);
// Whether two iterators of the standard kinds stand at the same place of the same object: 1, 0, or -1 with an exception set.
int same_place(PyObject* a, PyObject* b);

// What an object holds, as a copy, a new reference: of a list, dict, set or cell. Null with an exception set.
PyObject* copy_content(PyObject* container);
bool set_content(PyObject* container, PyObject* content);

}  // namespace monograph::capture::machine
#endif
