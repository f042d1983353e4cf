// The two ways from a jump: each runs from a copy of the frame to where they meet, and there they are joined, or one of them is given up.
#include "capture/machine/frame_loop.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>

namespace monograph::capture::machine {

FrameSlots Loop::take_slots() {
  FrameSlots slots;
  slots.values.assign(r_.frame->localsplus, r_.top);
  const int locals = r_.frame->f_code->co_nlocalsplus;
  for (int k = 0; k < locals; ++k) r_.frame->localsplus[k] = nullptr;
  r_.top = stack_base(r_.frame);
  return slots;
}

void Loop::put_slots(FrameSlots& slots) {
  std::copy(slots.values.begin(), slots.values.end(), r_.frame->localsplus);
  r_.top = r_.frame->localsplus + slots.values.size();
  slots.values.clear();
}

// The slots as they are. Iterators on the stack become copies, which stand where these stand; one that cannot be copied must not move.
bool Loop::copy_slots(FrameSlots& slots, int locals) {
  for (PyObject** at = r_.frame->localsplus; at < r_.top; ++at) {
    PyObject* value = Py_XNewRef(*at);
    if (value && at - r_.frame->localsplus >= locals && PyIter_Check(value)) {
      if (PyObject* copy = copy_iterator(value)) {
        Py_DECREF(value);
        value = copy;
      } else if (PyErr_Occurred()) {
        Py_DECREF(value);
        return false;
      } else {
        r_.hook->forks->forbid_iterator(value);
      }
    }
    slots.values.push_back(value);
  }
  return true;
}

std::vector<std::string> Loop::slot_names(size_t count) const {
  std::vector<std::string> names;
  PyCodeObject* code = r_.frame->f_code;
  for (size_t k = 0; k < count; ++k) {
    const auto at = static_cast<Py_ssize_t>(k);
    const char* name = at < code->co_nlocalsplus ? PyUnicode_AsUTF8(PyTuple_GET_ITEM(code->co_localsplusnames, at)) : nullptr;
    names.emplace_back(name ? name : "the value of the expression");
  }
  PyErr_Clear();
  return names;
}

bool Loop::is_busy() const {
  PyObject* handled = r_.thread->exc_info->exc_value;
  return handled && handled != Py_None && handled != r_.hook->forks->handled_by_caller();
}

void Loop::set_round(Way& way) const {
  if (in_way()) way.round = way_->round, way.depth = way_->depth;
}

void Loop::run_way(Way& way, const Start& start, bool truth) {
  Way* outer = std::exchange(way_, &way);
  drive(start(truth));
  if (way.stop == CodeFlow::kRoundEnd && !way.raised) way.raised = !end_round(way);
  way_ = outer;
}

// What the frame holds where the way has ended, and what it returns.
FrameSlots Loop::take_ends(Way& way) {
  if (way.stop == CodeFlow::kRoundEnd && way.ended) return std::move(*way.ended);
  FrameSlots slots = take_slots();
  if (way.stop == CodeFlow::kReturn && !way.raised) slots.values.push_back(std::exchange(way.returned, nullptr));
  return slots;
}

void Loop::put_ends(Way& way, FrameSlots& slots) {
  if (way.stop == CodeFlow::kRoundEnd) return void(way.ended = std::move(slots));
  if (way.stop == CodeFlow::kReturn) {
    way.returned = slots.values.back();
    slots.values.pop_back();
  }
  put_slots(slots);
}

// The frame as it was at this instruction. An exception that leaves from there finds the stack that its handlers know, whatever ran since.
void Loop::stand_at(_Py_CODEUNIT* instruction, FrameSlots& slots) {
  take_slots();
  put_slots(slots);
  r_.frame->prev_instr = instruction;
}

// Locals that nobody reads behind the fork need not join. One whose end the program sees stays.
void Loop::clear_dead(FrameSlots& slots, const CodeFlow& flow, int stop) {
  if (stop == CodeFlow::kRoundEnd) return;
  for (int k = 0; k < r_.frame->f_code->co_nlocalsplus; ++k)
    if (PyObject*& slot = slots.values[static_cast<size_t>(k)];
        slot && !PyCell_Check(slot) && !is_end_of_generator_seen(slot) && (stop < 0 || (!flow.live(stop, k) && !ends_seen(slot))))
      Py_CLEAR(slot);
}

// The example's way is the program's: the frame is as it left it.
LoopStep Loop::after_first(Way& way) {
  if (way.raised) return LoopStep::Unwind;
  if (way.stop >= 0) {
    r_.jump_to(way.stop);
    return LoopStep::Go;
  }
  if (way.stop == CodeFlow::kRoundEnd) {  // so does the way around it
    way_->ended = std::move(way.ended);
    return LoopStep::WayEnd;
  }
  r_.push(way.returned);
  return LoopStep::Return;
}

// Without an example there is no way to go on where a way raises. The error that is set says so, unless what was raised may pass. Takes the references.
void Loop::refuse_because(PyObject* type, PyObject* value, PyObject* traceback) {
  if (!type || !PyErr_Occurred() || r_.hook->forks->passes(type)) {
    PyErr_Clear();
    return PyErr_Restore(type, value, traceback);
  }
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value && traceback) PyException_SetTraceback(value, traceback);
  PyObject *error_type = nullptr, *error = nullptr, *error_traceback = nullptr;
  PyErr_Fetch(&error_type, &error, &error_traceback);
  PyErr_NormalizeException(&error_type, &error, &error_traceback);
  if (error && value) PyException_SetCause(error, Py_NewRef(value));
  PyErr_Restore(error_type, error, error_traceback);
  Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(traceback);
}

// The first way raises, or does what cannot be undone: it alone counts.
LoopStep Loop::keep_first(Way& way) {
  Forks& forks = *r_.hook->forks;
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  const bool gave_up = !forks.has_example() && forks.take_abort();
  if (way.raised && !gave_up && !forks.has_example()) forks.fail(forks.raised_text());
  PyErr_Fetch(&type, &value, &traceback);
  if (way.raised) forks.fail("the example's side raises");
  const bool good = forks.give_up();
  if (!good && way.raised && !gave_up && !forks.has_example()) refuse_because(type, value, traceback);
  else if (good) PyErr_Restore(type, value, traceback);
  else Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(traceback);
  if (!good) return Py_XDECREF(way.returned), LoopStep::Error;
  return after_first(way);
}

// False with an exception set that ends the capture; a way that is given up leaves none.
bool Loop::run_second(Way& way, const Start& start, bool truth) {
  Forks& forks = *r_.hook->forks;
  forks.begin_second();
  run_way(way, start, truth);
  if (!way.raised || forks.take_abort()) {
    forget_error();
    return true;
  }
  if (way.exception) return PyErr_Clear(), true;
  if (ends_capture()) return false;
  forks.fail(forks.raised_text());
  PyErr_Clear();
  return true;
}

// Where one way has raised what a graph can raise, the program goes on with the other one. Nothing if neither has, or if both have.
std::optional<LoopStep> Loop::raise_in_fork(Way& first, FrameSlots& first_ends, Way& second, FrameSlots& second_ends) {
  Forks& forks = *r_.hook->forks;
  if (forks.failed() || first.raised == second.raised) return {};
  Way &goes_on = first.raised ? second : first, &raises = first.raised ? first : second;
  if (!raises.exception) return {};
  put_ends(goes_on, first.raised ? second_ends : first_ends);
  if (!forks.keep_beside_raise(first.raised, raises.exception)) return Py_XDECREF(goes_on.returned), LoopStep::Error;
  return after_first(goes_on);
}

// Whether what a way raised goes through the fork.
bool Loop::ends_capture() const {
  return !r_.hook->forks->has_example() || PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) || PyErr_ExceptionMatches(PyExc_MemoryError);
}

std::optional<LoopStep> Loop::fork(PyObject* condition, const Ways& ways) {
  const int behind = r_.offset();
  // A jump backwards is the next round of a loop, unless a round around it ends before. So is the `if` of a comprehension: an element of a list that a way
  // decides on is another object than the one that it was made of, which an `is` behind the list would see.
  if ((ways.distance < 0 && !(in_way() && way_->round)) || is_busy()) return {};
  CodeFlow* flow = r_.hook->forks->flow(r_.frame->f_code);
  if (!flow) return LoopStep::Error;
  const int stop = flow->meeting(behind, in_way() ? way_->round : nullptr);
  if (stop == CodeFlow::kNowhere) return {};
  return fork_to(condition, flow, stop, [this, ways, behind](bool truth) {
    const bool jumps = truth == ways.when;
    if (ways.keeps && !jumps) r_.drop();
    r_.jump_to(jumps ? behind + ways.distance : behind);
    return LoopStep::Go;
  });
}

std::optional<LoopStep> Loop::fork_to(PyObject* condition, CodeFlow* flow, int stop, const Start& start) {
  Forks& forks = *r_.hook->forks;
  const int taken = forks.begin(condition);
  if (taken == 2) return {};
  if (taken < 0) return LoopStep::Error;
  FrameSlots at_jump;
  if (!copy_slots(at_jump, r_.frame->f_code->co_nlocalsplus)) return forks.give_up(), LoopStep::Error;
  // Where the ways cannot be joined, they may be where the way around them ends: what differs until then, such as None beside a tensor, is no result.
  const int here = r_.offset();
  _Py_CODEUNIT* const at = r_.frame->prev_instr;
  // A generator's frame does not come to its return in one go.
  const bool is_generator = (r_.frame->f_code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
  const int wider = in_way() ? way_->stop : is_generator ? stop : CodeFlow::kReturn;
  FrameSlots again;
  if (wider != stop && !copy_slots(again, r_.frame->f_code->co_nlocalsplus)) return forks.give_up(), LoopStep::Error;
  FrameSlots before;  // alive as long as the ways run: no other object gets their addresses
  for (PyObject* value : at_jump.values) before.values.push_back(Py_XNewRef(value));
  Way first(r_.frame, stop), second(r_.frame, stop);
  set_round(first), set_round(second);
  run_way(first, start, taken == 1);
  if ((first.raised && (!first.exception || forks.innermost_fork_has_example())) || forks.failed()) return keep_first(first);
  if (first.raised) PyErr_Clear();
  FrameSlots first_ends = take_ends(first);
  bool good = forks.end_first();
  put_slots(at_jump);
  bool interrupted = false;
  if (good && !forks.failed()) interrupted = !run_second(second, start, taken == 0);
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  if (interrupted && !forks.has_example()) forks.fail(forks.raised_text());
  if (interrupted) PyErr_Fetch(&type, &value, &traceback);
  FrameSlots second_ends = take_ends(second);
  good = good && forks.end_second(!first.raised, !second.raised);
  if (good && !interrupted)
    if (const std::optional<LoopStep> step = raise_in_fork(first, first_ends, second, second_ends)) return step;
  bool joined = false;
  if (first.raised) forks.fail("both sides raise");
  if (good && !interrupted && !second.raised && !forks.failed()) {
    for (FrameSlots* slots : {&first_ends, &second_ends}) clear_dead(*slots, *flow, stop);
    joined = forks.join(first_ends, second_ends, before, slot_names(first_ends.values.size()));
    good = joined || !PyErr_Occurred();
    if (!joined && good && wider != stop && forks.cancel(first_ends, second_ends)) {
      Py_CLEAR(first.returned);
      Py_CLEAR(second.returned);
      put_slots(again);
      r_.jump_to(here);
      r_.frame->prev_instr = at;
      return fork_to(condition, flow, wider, start);
    }
  }
  put_ends(first, first_ends);
  if (!joined) forks.drop_second(second_ends);
  if (!joined) good = forks.give_up() && good;
  if (interrupted && !forks.has_example()) refuse_because(type, value, traceback);
  else if (interrupted) PyErr_Restore(type, value, traceback);
  if (!good || interrupted) {
    Py_XDECREF(first.returned);
    stand_at(at, before);
    return LoopStep::Error;
  }
  return after_first(first);
}

}  // namespace monograph::capture::machine
#endif
