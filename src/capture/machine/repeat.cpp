// Loops that a graph keeps. The body runs on types alone, from behind the jump that decides about the next round to where that is asked again. What it changes
// is carried: it runs again with placeholders for that, until no run changes more. Then the Loop is made, and the program goes on behind it.
#include "capture/machine/frame_loop.h"

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {
namespace {
constexpr int kRounds = 12;  // runs of one body until nothing more is carried
}

// Takes the locals and the stack where a round has ended, with what was returned, whether another round follows, and whether the loop was left early.
bool Loop::end_round(Way& way) {
  if (way.ended) return true;
  const LoopFlow& loop = *way.round;
  Forks& forks = *r_.hook->forks;
  const CodeFlow* flow = forks.flow(r_.frame->f_code);
  const int at = r_.offset();
  const LoopFlow::Head* head = way.returned ? nullptr : loop.head_at(at);
  PyObject* again = new_bool(head != nullptr);
  if (head && !loop.is_for) {
    PyObject* condition = r_.pop();
    PyObject* truth = forks.truth(condition, !head->stays_when);
    if (!truth && !PyErr_Occurred()) {
      const int is = PyObject_IsTrue(condition);
      truth = is < 0 ? nullptr : new_bool((is != 0) == head->stays_when);
    }
    Py_DECREF(condition);
    Py_SETREF(again, truth);
    if (!again) return false;
  }
  if (!head && !way.returned) loop.end_depth = static_cast<size_t>(r_.top - stack_base(r_.frame));
  FrameSlots slots = take_slots();
  const auto locals = static_cast<size_t>(r_.frame->f_code->co_nlocalsplus);
  for (size_t k = 0; k < locals; ++k) {
    PyObject*& slot = slots.values[k];
    if ((slot && PyCell_Check(slot)) || (!way.returned && flow->live(at, static_cast<int>(k)))) continue;
    Py_XSETREF(slot, Py_NewRef(forks.unread()));
  }
  while (slots.values.size() > locals + (way.returned ? 0 : way.depth)) {
    Py_XDECREF(slots.values.back());
    slots.values.pop_back();
  }
  while (slots.values.size() < locals + way.depth) slots.values.push_back(Py_NewRef(forks.unread()));
  slots.values.push_back(way.returned ? std::exchange(way.returned, nullptr) : Py_NewRef(forks.unread()));
  slots.values.push_back(again);
  slots.values.push_back(new_bool(head == nullptr));
  way.ended = std::move(slots);
  return true;
}

std::optional<LoopStep> Loop::repeat(PyObject* condition) {
  if (is_busy()) return {};
  CodeFlow* flow = r_.hook->forks->flow(r_.frame->f_code);
  if (!flow) return LoopStep::Error;
  const LoopFlow* loop = flow->loop(r_.offset(), in_way() ? way_->round : nullptr);
  if (!loop) return {};
  for (const LoopFlow::Head& head : loop->heads)
    if (flow->end_of(head.offset) == r_.offset()) return run_loop(*loop, flow, condition, head.stays_when, nullptr);
  return {};
}

std::optional<LoopStep> Loop::repeat_over(PyObject* iterator) {
  Forks& forks = *r_.hook->forks;
  const bool of_graph = forks.is_symbolic_iterator(iterator);
  if (is_busy() || (!of_graph && !Py_IS_TYPE(iterator, &PyRangeIter_Type))) return {};
  CodeFlow* flow = forks.flow(r_.frame->f_code);
  if (!flow) return LoopStep::Error;
  const LoopFlow* loop = flow->loop(r_.offset(), in_way() ? way_->round : nullptr);
  if (!loop) return {};
  if (of_graph) return run_loop(*loop, flow, nullptr, true, iterator);
  // A loop over a range is unrolled, unless a value decides how many rounds it has.
  PyObject* counted = loop->exits_early ? forks.counted(iterator) : nullptr;
  if (!counted) return PyErr_Occurred() ? std::optional(LoopStep::Error) : std::nullopt;
  const std::optional<LoopStep> step = run_loop(*loop, flow, nullptr, true, counted, true);
  Py_DECREF(counted);
  return step;
}

// One run of the body from these slots. False with an exception set if the capture ends; a run that is given up leaves none.
bool Loop::run_round(const LoopFlow& loop, const FrameSlots& begin, PyObject* iterator, FrameSlots& end) {
  Forks& forks = *r_.hook->forks;
  FrameSlots slots;
  for (PyObject* value : begin.values) slots.values.push_back(value == forks.unread() ? nullptr : Py_XNewRef(value));
  put_slots(slots);
  forks.begin_round();
  FrameSlots copies;
  const bool copied = copy_slots(copies, r_.frame->f_code->co_nlocalsplus);
  take_slots();
  if (!copied) return forks.end_round(), false;
  put_slots(copies);
  Way way(r_.frame, CodeFlow::kRoundEnd, &loop);
  way.depth = begin.values.size() - static_cast<size_t>(r_.frame->f_code->co_nlocalsplus);
  run_way(
      way,
      [&](bool) {
        if (iterator) {
          PyObject* element = forks.element(iterator);
          if (!element) return LoopStep::Error;
          r_.push(element);
        }
        r_.jump_to(loop.stay);
        return LoopStep::Go;
      },
      true);
  if (way.raised && !forks.take_abort()) {
    if (ends_capture()) return stop_round(), false;
    forks.fail(forks.raised_text());
  }
  forget_error();
  if (way.ended) end = std::move(*way.ended);
  else take_slots();
  return forks.end_round();
}

// Ends a run that an exception ends, which stays set.
void Loop::stop_round() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  take_slots();
  r_.hook->forks->end_round();
  PyErr_Restore(type, value, traceback);
}

std::optional<LoopStep> Loop::run_loop(const LoopFlow& loop, CodeFlow* flow, PyObject* condition, bool stays_when, PyObject* iterator,
                                       bool must_leave) {
  Forks& forks = *r_.hook->forks;
  const int behind = r_.offset();
  const int begun = forks.begin_loop(r_.frame->f_code, loop.heads[0].offset, condition, stays_when, iterator, must_leave);
  if (begun <= 0) return begun < 0 ? std::optional(LoopStep::Error) : std::nullopt;
  _Py_CODEUNIT* const at = r_.frame->prev_instr;
  FrameSlots original = take_slots(), begin;
  const int locals = r_.frame->f_code->co_nlocalsplus;
  for (size_t k = 0; k < original.values.size(); ++k) {
    PyObject* value = original.values[k];
    const bool is_local = k < static_cast<size_t>(locals);
    const bool read = !is_local || (value && PyCell_Check(value)) || flow->live(loop.heads[0].offset, static_cast<int>(k));
    begin.values.push_back(read ? Py_XNewRef(value) : Py_NewRef(forks.unread()));
  }
  const size_t depth = original.values.size();
  using Settled = Forks::Settled;
  Settled settled = Settled::Again;
  FrameSlots after;
  const std::vector<std::string> names = slot_names(depth + 3);
  for (int round = 0; settled == Settled::Again && round < kRounds; ++round) {
    FrameSlots end;
    settled = run_round(loop, begin, iterator, end) ? forks.settle(original, begin, end, names, after) : Settled::Error;
  }
  if (settled != Settled::Yes) {
    const bool good = forks.give_up_loop(settled == Settled::Again ? "what it carries never settles" : "") && !PyErr_Occurred();
    stand_at(at, original);
    r_.jump_to(behind);
    return settled == Settled::Error || !good ? std::optional(LoopStep::Error) : std::nullopt;
  }
  for (size_t k = 0; k < static_cast<size_t>(locals); ++k)  // not read behind the loop, but seen when it ends
    if (original.values[k] && begin.values[k] == forks.unread() && ends_seen(original.values[k]))
      Py_XSETREF(after.values[k], Py_NewRef(original.values[k]));
  return leave_loop(loop, flow, after);
}

// Goes on behind the Loop. If it may have been left early, that is a fork: one way stands where the early exits meet, the other one where the loop has ended.
std::optional<LoopStep> Loop::leave_loop(const LoopFlow& loop, CodeFlow* flow, FrameSlots& slots) {
  PyObject* early = slots.values.back();
  slots.values.pop_back();
  Py_XDECREF(slots.values.back());  // whether another round follows: no
  slots.values.pop_back();
  PyObject* returned = slots.values.back();
  slots.values.pop_back();
  if (loop.is_for) {
    Py_XDECREF(slots.values.back());  // the iterator
    slots.values.pop_back();
  }
  put_slots(slots);
  std::optional<LoopStep> step;
  if (early == Py_False || loop.leave == loop.end) {
    r_.jump_to(loop.leave);
    step = LoopStep::Go;
  } else {
    const Start go_on = [&](bool left) {
      r_.jump_to(left && loop.end >= 0 ? loop.end : loop.leave);
      while (left && loop.end >= 0 && r_.top > stack_base(r_.frame) + loop.end_depth) Py_XDECREF(r_.pop());
      if (!left || loop.end >= 0) return LoopStep::Go;
      r_.push(Py_XNewRef(returned));
      return LoopStep::Return;
    };
    step = fork_to(early, flow, loop.end, go_on);
    if (!step) {  // it is the same at every run, or there are too many forks: then it is guarded
      const int left = PyErr_Occurred() ? -1 : PyObject_IsTrue(early);
      step = left < 0 ? LoopStep::Error : go_on(left != 0);
    }
  }
  Py_XDECREF(early);
  Py_XDECREF(returned);
  return step;
}

}  // namespace monograph::capture::machine
#endif
