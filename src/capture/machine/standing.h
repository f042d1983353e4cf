// Frames that stand between two instructions: taken out of a run, kept as values, and run on from there.
//
// A graph break ends a graph in the middle of a function. What the function's frames hold there becomes results of that graph. The instruction that no graph
// can record then runs as Python runs it, and the next capture begins behind it. docs/design/machine.md, "Breaks".
#pragma once

#include "capture/machine/registers.h"

#ifdef MONOGRAPH_MACHINE
#include <vector>

namespace monograph::capture::machine {

// How frames stand, the outermost first, without what they hold. Equal ones run on in the same way.
struct Standing {
  struct Frame {
    PyCodeObject* code;  // counted
    int last;  // the code unit before the next instruction
    int slots;  // locals and stack
    PyObject* keywords;  // borrowed from the code: of a call whose KW_NAMES has run; null for none
    bool operator==(const Frame&) const = default;
  };
  std::vector<Frame> frames;
  std::vector<bool> held;  // of all slots of all frames: whether there is a value
  bool all_locals = false;  // those too that the code does not read from there on

  Standing() = default;
  Standing(const Standing& other);
  Standing(Standing&&) noexcept = default;
  Standing& operator=(Standing other) noexcept;
  ~Standing();
  bool operator==(const Standing&) const = default;
  size_t value_count() const;  // the function of each frame, and its slots that are held
};

// The frames of a loop that stand before the running instruction, from `outermost` to the running one. Takes new references to their values, in the order of
// Standing. Locals that the code does not read from there on are left out, unless `all_locals` is set. False with an exception set.
bool take_standing(const Registers& r, PythonFrame* outermost, Standing& standing, std::vector<PyObject*>& values, bool all_locals = false);

// Which frames of a loop can be made again from what they hold: none of them, or of those that called them, is a generator's. A recursion has many frames, so
// those that are known are not looked at again: look_at() is called whenever another frame runs.
class StandingChain {
 public:
  // Whether the frame `innermost`, and all from `outermost` to it, can.
  bool look_at(PythonFrame* innermost, PythonFrame* outermost);
  void forget() { known_.clear(); }  // frames may have started and ended unseen

 private:
  struct ChainFrame {
    PythonFrame* frame;
    bool stands;
  };
  std::vector<ChainFrame> known_;  // the outermost first
};

// Whether the loop is between an `except` and its end, or under a tracing function. Frames cannot be made again then.
bool handles_exception(const Registers& r, PyObject* handled_before);

// Runs the frames to their end, in the machine if this thread's frames run there. `values` as of take_standing, borrowed. A new reference; null with an
// exception set.
PyObject* run_on(const Standing& standing, PyObject* const* values);

// Runs the next instruction as Python runs it. True: it is done, and `standing` and `values` (new references) are behind it. False: the frames have run to their
// end, because the instruction raised; `result` is what they gave, or null with an exception set. Takes the references to `values`.
bool run_one_instruction(Standing& standing, std::vector<PyObject*>& values, PyObject*& result);

}  // namespace monograph::capture::machine
#endif
