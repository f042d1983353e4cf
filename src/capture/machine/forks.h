// Forks: at a jump on a value that a graph computes, both ways run to where they meet, and what differs there is joined.
//
// The loop (loop.cpp) runs the ways. Forks keeps what they write to lists, dicts, sets, attributes and cells, so that the second way starts from what the
// first one found, and plans the join. A ForkRecorder, which knows tensors and graphs, records the arms. docs/design/machine.md, "Forks and joins".
#pragma once

#include "capture/machine/flow.h"

#ifdef MONOGRAPH_MACHINE
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "capture/machine/machine.h"
#include "capture/machine/made.h"

namespace monograph::capture::machine {

using LeafPair = std::pair<PyObject*, PyObject*>;  // what the first and the second way have at one place

// The slots of a frame, with references of their own.
class FrameSlots {
 public:
  FrameSlots() { all().insert(this); }
  FrameSlots(FrameSlots&& other) noexcept : values(std::exchange(other.values, {})) { all().insert(this); }
  FrameSlots& operator=(FrameSlots&& other) noexcept {
    std::swap(values, other.values);
    return *this;
  }
  ~FrameSlots() {
    all().erase(this);
    clear();
  }
  void clear() {
    for (PyObject* value : std::exchange(values, {})) Py_XDECREF(value);
  }
  std::vector<PyObject*> values;
  // Those of this thread that are alive: who asks which references the machine itself holds looks here.
  static std::unordered_set<FrameSlots*>& all();
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
  CodeFlow* flow(PyCodeObject* code);

  // The example's way begins. `place` says where for messages. As ForkRecorder::begin.
  int begin(PyObject* condition);
  bool end_first();  // false with an exception set
  bool begin_second();
  bool end_second(bool first_goes_on, bool second_goes_on);  // whether the ways do not raise
  // Puts the joined values into `first`, of which null stays null. False if something cannot be joined: nothing has changed then. `names` for messages.
  // `before`: what the frame held where the ways begin.
  bool join(FrameSlots& first, FrameSlots& second, const FrameSlots& before, const std::vector<std::string>& names);
  // The example's way alone counts, under a guard; its writes are done again if they were undone. False with an exception set.
  bool give_up();
  // The exception that the capture's caller handles; null if none.
  PyObject* handled_by_caller() const { return handled_; }
  // The way that raised counts no more: the other one, the second if `second`, is the program's. False with an exception set.
  bool keep_beside_raise(bool second, PyObject* exception);
  bool innermost_fork_has_example() { return recorder_.innermost_fork_has_example(); }
  bool passes(PyObject* type) { return recorder_.passes(type); }
  // The program's own code has raised the exception that is set.
  void note_raise(PythonFrame* frame);
  // The exception that is set, if the program's own code raised it and nothing between the place and the capture's caller would catch it: a new reference.
  PyObject* uncaught_raise(PythonFrame* frame);
  bool says(PyObject* function) { return recorder_.says(function); }
  ForkRecorder& recorder() { return recorder_; }
  // All is as it was before the fork, which is to begin again with ways that end later. False if that cannot be, or was done too often.
  // What the ways end with goes.
  bool cancel(FrameSlots& first, FrameSlots& second);
  // The second way is none of the program's: what it ends with goes.
  void drop_second(FrameSlots& slots);
  // An effect that the graph cannot have.
  bool refuse_effect(PyObject* function, PyObject* const* args, Py_ssize_t count);
  bool failed() const { return !arms_.back()->failure.empty(); }
  void fail(std::string_view why);

  // Loops: begin_loop(), then runs of the body between begin_round() and end_round(), each followed by settle().
  // `must_leave`: it is not captured unless a value of the graph decides whether it is left early.
  int begin_loop(PyCodeObject* code, int head, PyObject* condition, bool stays_when, PyObject* iterator, bool must_leave);
  // The iterator of the graph over what is left of a range with more than a few elements, a new reference; null without an exception for others.
  PyObject* counted(PyObject* iterator);
  void begin_round();
  bool end_round();  // false with an exception set
  PyObject* element(PyObject* iterator) { return recorder_.element(iterator); }
  bool is_symbolic_iterator(PyObject* value) { return recorder_.is_symbolic_iterator(value); }
  PyObject* call(PyObject* function, PyObject* const* args, size_t count) { return recorder_.call(function, args, count); }
  // Whether it is a builtin that counts: range(), len(), enumerate(), zip(), reversed().
  static bool counts(PyObject* function);
  bool takes(PyObject* function) { return counts(function) || recorder_.takes(function); }
  bool has_example() { return recorder_.has_example(); }
  // As ForkRecorder::asked.
  int asked(PyObject* value) { return recorder_.asked(value); }
  PyObject* iterator(PyObject* iterable);  // iter() of a value of the graph; null without an exception for others
  enum class Settled : uint8_t { Yes, Again, No, Error };
  // Compares what the run began and ended with. Again: `begin` has changed, and the body is to run from there. Yes: the Loop is made, `after` is what stands
  // behind it. Behind locals and stack `end` has what was returned, whether another round follows, and whether the loop was left early.
  Settled settle(const FrameSlots& original, FrameSlots& begin, FrameSlots& end, const std::vector<std::string>& names, FrameSlots& after);
  bool give_up_loop(std::string_view why);  // all is as it was before; false with an exception set
  // What stands in a slot that nobody reads behind one of the ways.
  PyObject* unread() const { return unread_; }

  // Asked before the program writes or calls C code. False with an exception set: the way ends here.
  bool before_write(PyObject* container, PyObject* key);
  bool before_read(PyObject* container);  // an element of it
  bool before_attribute(PyObject* owner, PyObject* name, PyObject* value = nullptr);
  bool before_in_place(PyObject* left);
  bool before_call(PyObject* function, PyObject* const* args, Py_ssize_t count);
  bool before_bound_slot(PyObject* slot, const std::string& name, PyObject* const* args, Py_ssize_t count);
  bool before_iteration(PyObject* iterator);
  bool before_generator(PyObject* generator);  // it runs on
  bool before_shared_iterator(PyObject* iterator);  // which somebody else holds too
  bool before_release(PyObject* value);  // a local of the running frame lets go of it
  // Each jump backwards: a way that the example does not take may never end.
  bool count_round();

  bool watching() const { return !arms_.empty(); }
  bool is_inside() const { return !arms_.empty() || !loops_.empty(); }  // of a fork or loop that is being captured
  // As ForkRecorder::truth.
  PyObject* truth(PyObject* value, bool negated) { return recorder_.truth(value, negated); }
  // As ForkRecorder::is_same.
  PyObject* is_same(PyObject* a, PyObject* b, bool negated) { return recorder_.is_same(a, b, negated); }
  // As ForkRecorder::are_one_input.
  PyObject* are_one_input(PyObject* a, PyObject* b, bool negated) { return recorder_.are_one_input(a, b, negated); }
  bool compares_inputs() { return recorder_.compares_inputs(); }
  std::string raised_text() const;  // of the exception that is set
  bool take_abort();  // whether the way that just ended was given up
  void forbid_iterator(PyObject* iterator) { arms_.back()->fixed_iterators.push_back(iterator); }

 private:
  struct Arm {
    bool taken = true;
    bool second = false, undone = false;
    int rounds = 0;
    std::string failure, first_failure;  // with the ways as they are, and with those that ended earlier
    std::unique_ptr<UndoLog> logs[2];
    MadeObjects made{true};  // since the fork
    std::unique_ptr<MadeObjects> made_second;  // since the second way began
    std::vector<PyObject*> fixed_iterators;  // borrowed: the frame's, which no way may advance
    int64_t mode = 0, mode_after_first = 0;  // of the recorder, where the fork began and where the first way ended
    bool of_second = false;  // the mode is that where the second way ended
  };
  // A loop that is being captured.
  struct OpenLoop {
    std::pair<PyCodeObject*, int> place;
    std::vector<PyObject*> carried;  // the values in the body
    std::vector<std::string> names;  // of these
    std::vector<std::pair<PyObject*, PyObject*>> originals;  // objects whose parts are carried, and what they held before the loop
    std::unique_ptr<UndoLog> log;  // of the last run
    std::string failure;
    bool must_leave = false;
    ~OpenLoop();
  };
  class Settling;
  std::vector<const UndoLog*> all_logs() const;
  bool irreversible(const std::string& what);
  bool is_made_here(PyObject* generator) const { return arms_.back()->made.has_made(generator); }
  bool note_carried(PyObject* list);
  bool note_outside(PyObject* o, PyObject* before = nullptr);
  bool is_trial(const Arm& arm) { return arm.second || !recorder_.has_example(); }  // nothing that it does is the program's yet
  bool types_only() const;
  UndoLog& log() { return *arms_.back()->logs[arms_.back()->second]; }

  ForkRecorder& recorder_;
  PyObject* abort_;
  bool aborting_ = false;
  int forks_ = 0, cancelled_ = 0;
  std::string cancelled_failure_;  // of the fork that begins again
  std::vector<std::unique_ptr<Arm>> arms_;
  std::vector<std::unique_ptr<OpenLoop>> loops_;
  std::map<std::pair<PyCodeObject*, int>, int> failed_loops_;  // how often each could not be captured
  PyObject* unread_;
  PyObject* caught_ = nullptr;  // the last exception that a `try` of the program's would catch; borrowed, to be compared
  std::string caught_at_;  // where that is
  PyObject* raised_ = nullptr;  // the last exception that the program's own code raised
  PythonFrame* caller_;  // of the capture
  PyObject* handled_;  // borrowed: the caller has it
  std::unordered_map<PyCodeObject*, std::unique_ptr<CodeFlow>> flows_;
  std::unordered_map<PyObject*, bool> programs_;
  std::vector<PyObject*> keep_;  // copies that a join looks at
};

// The object that stands for a list whose length the graph computes (monograph/_lists.py), and the dict that holds its items: a new reference.
bool is_carried_list(PyObject* o);
PyObject* dict_of_carried(PyObject* list);

// Whether it is an iterator over a list, tuple or range, or enumerate() or zip().
bool is_standard_iterator(PyObject* iterator);
// Whether the object would end if the slots of the ways, and `others`, let go of it, and the program would see that: by a __del__ or by a weak reference, of
// this object or of one that it alone holds.
bool ends_seen(PyObject* o, Py_ssize_t others = 0);

// A copy of an iterator of the standard kinds that goes on where it stands, a new reference; null without an exception if it cannot be copied.
PyObject* copy_iterator(PyObject* iterator);
// Whether two iterators of the standard kinds stand at the same place of the same object: 1, 0, or -1 with an exception set.
int same_place(PyObject* a, PyObject* b);

// Whether a generator is suspended or has ended, and can be put back to where it stands now; that state; and how it is put back.
bool has_generator_state(PyObject* o);
PyObject* copy_generator_state(PyObject* generator);
bool set_generator_state(PyObject* generator, PyObject* state);

// What an object holds, as a copy, a new reference: of a list, dict, set, cell or generator. Null with an exception set.
PyObject* copy_content(PyObject* container);
bool set_content(PyObject* container, PyObject* content);

}  // namespace monograph::capture::machine
#endif
