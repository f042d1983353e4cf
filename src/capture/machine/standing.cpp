// Frames that are taken out of a run and run on later.
#include "capture/machine/standing.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>
#include <memory>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "capture/machine/flow.h"
#include "capture/machine/forks.h"
#include "capture/machine/frame_loop.h"
#include "capture/machine/loop.h"

namespace monograph::capture::machine {

Standing::Standing(const Standing& other) : frames(other.frames), held(other.held), all_locals(other.all_locals) {
  for (const Frame& f : frames) Py_INCREF(f.code);
}

Standing& Standing::operator=(Standing other) noexcept {
  std::swap(frames, other.frames);
  std::swap(held, other.held);
  std::swap(all_locals, other.all_locals);
  return *this;
}

Standing::~Standing() {
  for (const Frame& f : frames) Py_DECREF(f.code);
}

size_t Standing::value_count() const { return frames.size() + static_cast<size_t>(std::ranges::count(held, true)); }

namespace {

// Where the instruction begins whose last unit is at `offset`: the units before it extend its argument.
int begin_of(const CodeInfo& code, int offset) {
  while (offset > 0 && _Py_OPCODE(code.units[static_cast<size_t>(offset - 1)]) == EXTENDED_ARG) --offset;
  return offset;
}

std::vector<PythonFrame*> chain(PythonFrame* innermost, PythonFrame* outermost) {
  std::vector<PythonFrame*> frames;
  for (PythonFrame* f = innermost; f; f = f->previous) {
    frames.push_back(f);
    if (f == outermost) break;
  }
  std::ranges::reverse(frames);
  return frames;
}

void take_frame(PythonFrame* f, int last, PyObject** top, PyObject* keywords, const CodeFlow* flow, Standing& standing,
                std::vector<PyObject*>& values) {
  const auto slots = static_cast<int>(top - f->localsplus);
  standing.frames.push_back({reinterpret_cast<PyCodeObject*>(Py_NewRef(f->f_code)), last, slots, keywords});
  values.push_back(Py_NewRef(f->f_func));
  for (int k = 0; k < slots; ++k) {
    PyObject* value = f->localsplus[k];
    const bool dead =
        k < f->f_code->co_nlocalsplus && value && !PyCell_Check(value) && flow && !flow->live(last + 1, k) && !ends_seen(value, 1);
    standing.held.push_back(value && !dead);
    if (value && !dead) values.push_back(Py_NewRef(value));
  }
}

// The frames with their values, linked, below the thread's current frame. Empty with an exception set.
class Rebuilt {
 public:
  Rebuilt(const Standing& standing, PyObject* const* values) {
    size_t slot = 0;
    for (const Standing::Frame& f : standing.frames) {
      auto* function = reinterpret_cast<PyFunctionObject*>(*values++);
      PythonFrame* frame = nullptr;
      if (reinterpret_cast<PyCodeObject*>(function->func_code) == f.code) frame = new_frame(function);
      else PyErr_SetString(PyExc_RuntimeError, "the code of a function has changed while it ran");
      if (!frame) {
        drop(0);
        return;
      }
      for (int k = 0; k < f.slots; ++k) frame->localsplus[k] = standing.held[slot++] ? Py_NewRef(*values++) : nullptr;
      frame->stacktop = f.slots;
      frame->prev_instr = _PyCode_CODE(f.code) + f.last;
      frames.push_back(frame);
    }
  }
  // The frames from this one on, which are no longer in the chain.
  void drop(size_t first) {
    while (frames.size() > first) {
      pop_frame(PyThreadState_Get(), frames.back());
      frames.pop_back();
    }
  }
  std::vector<PythonFrame*> frames;
};

// As CPython runs them: the innermost to its end, then the one that waits for it.
PyObject* run_in_python(Rebuilt& rebuilt, bool throwing) {
  PyThreadState* thread = PyThreadState_Get();
  PythonFrame* const below = thread->cframe->current_frame;
  const _PyFrameEvalFunction evaluate_frame = _PyInterpreterState_GetEvalFrameFunc(PyInterpreterState_Get());
  PyObject* result = nullptr;
  while (!rebuilt.frames.empty()) {
    PythonFrame* frame = rebuilt.frames.back();
    PythonFrame* caller = below;
    for (size_t k = 0; k + 1 < rebuilt.frames.size(); ++k) {
      rebuilt.frames[k]->previous = caller;
      caller = rebuilt.frames[k];
    }
    frame->previous = caller;
    frame->is_entry = true;
    thread->cframe->current_frame = caller;
    if (result) frame->localsplus[frame->stacktop++] = result;
    result = evaluate_frame(thread, frame, throwing ? 1 : 0);
    thread->cframe->current_frame = below;
    rebuilt.drop(rebuilt.frames.size() - 1);
    throwing = !result;
  }
  return result;
}

}  // namespace

bool StandingChain::look_at(PythonFrame* innermost, PythonFrame* outermost) {
  while (!known_.empty() && known_.back().frame != innermost && known_.back().frame != innermost->previous) known_.pop_back();
  if (!known_.empty() && known_.back().frame == innermost) return known_.back().stands;
  PythonFrame* const from = known_.empty() ? nullptr : known_.back().frame;
  std::vector<PythonFrame*> fresh;
  PythonFrame* f = innermost;
  for (; f && f != from; f = f->previous) {
    fresh.push_back(f);
    if (f == outermost) break;
  }
  bool good = f != nullptr && (known_.empty() || known_.back().stands);  // else `outermost` does not run
  for (PythonFrame* frame : fresh | std::views::reverse) {
    good = good && frame->owner == FRAME_OWNED_BY_THREAD && (frame->f_code->co_flags & CO_OPTIMIZED) != 0;
    known_.push_back({frame, good});
  }
  return good;
}

bool handles_exception(const Registers& r, PyObject* handled_before) {
  PyObject* handled = r.thread->exc_info->exc_value;
  if (handled == Py_None) handled = nullptr;
  return handled != (handled_before == Py_None ? nullptr : handled_before) || r.c_frame->use_tracing;
}

bool take_standing(const Registers& r, PythonFrame* outermost, Standing& standing, std::vector<PyObject*>& values, bool all_locals) {
  std::unordered_map<PyCodeObject*, std::unique_ptr<CodeFlow>> flows;
  standing.all_locals = all_locals;
  for (PythonFrame* f : chain(r.frame, outermost)) {
    const CodeInfo* info = info_of(f->f_code);
    if (!info) return false;
    std::unique_ptr<CodeFlow>& flow = flows[f->f_code];
    if (!flow) flow = std::make_unique<CodeFlow>(f->f_code, *info);
    const CodeFlow* used = all_locals ? nullptr : flow.get();
    if (f == r.frame) take_frame(f, begin_of(*info, r.offset() - 1) - 1, r.top, r.keywords, used, standing, values);
    // The call that waits is done where its caches end.
    else take_frame(f, last_instruction(f), f->localsplus + f->stacktop, nullptr, used, standing, values);
  }
  return true;
}

PyObject* run_on(const Standing& standing, PyObject* const* values) {
  Rebuilt rebuilt(standing, values);
  if (rebuilt.frames.empty()) return nullptr;
  PyThreadState* thread = PyThreadState_Get();
  JumpHook* hook = nullptr;
  if (!runs_here(hook)) return run_in_python(rebuilt, false);
  PythonFrame* entry = rebuilt.frames.front();
  PyObject* result = Loop(thread, entry, hook).run_chain(rebuilt.frames);
  pop_frame(thread, entry);
  return result;
}

bool run_one_instruction(Standing& standing, std::vector<PyObject*>& values, PyObject*& result) {
  Rebuilt rebuilt(standing, values.data());
  PyObject* keywords = standing.frames.back().keywords;
  const bool all_locals = standing.all_locals;
  standing = {};
  standing.all_locals = all_locals;
  for (PyObject* value : values) Py_DECREF(value);
  values.clear();
  result = nullptr;
  if (rebuilt.frames.empty()) return false;
  PyThreadState* thread = PyThreadState_Get();
  PythonFrame* entry = rebuilt.frames.front();
  bool raised = false;
  // A debugger has not seen these frames begin: it hears nothing of the instruction.
  const auto tracing = std::exchange(thread->cframe->use_tracing, decltype(thread->cframe->use_tracing){0});
  Loop loop(thread, entry, nullptr);
  const bool stands = loop.run_one_of(rebuilt.frames, keywords, standing, values, raised);
  if (tracing) thread->cframe->use_tracing = tracing;
  if (!stands) {
    result = loop.result();
    pop_frame(thread, entry);
    return false;
  }
  if (!raised) return true;
  // A handler of the program goes on: no graph has one.
  Rebuilt again(standing, values.data());
  for (PyObject* value : values) Py_DECREF(value);
  values.clear();
  if (!again.frames.empty()) result = run_in_python(again, false);
  return false;
}

// --- What the loop does for these.

bool Loop::enter_chain(const std::vector<PythonFrame*>& frames) {
  for (size_t k = 0; k < frames.size(); ++k) {
    PythonFrame* frame = frames[k];
    if (k > 0) frame->previous = frames[k - 1], frame->is_entry = false;
    c_frame_.current_frame = frame;
    count_frame();
    r_.frame = frame;
    if (!enter_call(r_.thread)) return false;
    if (r_.hook && r_.hook->watcher && !r_.hook->watcher->at_start(r_)) return false;
  }
  return load();
}

PyObject* Loop::run_chain(const std::vector<PythonFrame*>& frames) {
  if (enter_chain(frames)) drive(LoopStep::Go);
  else abandon_chain(frames);
  return result_;
}

// Before any of them has run: the exception that is set ends them all.
void Loop::abandon_chain(const std::vector<PythonFrame*>& frames) {
  const PythonFrame* last = c_frame_.current_frame;
  size_t entered = 0;
  while (entered < frames.size() && frames[entered] != last) ++entered;
  for (size_t k = 0; k <= entered && k < frames.size(); ++k) leave_call(r_.thread);
  c_frame_.current_frame = frames.front();
  for (size_t k = frames.size(); k > 1; --k) pop_frame(r_.thread, frames[k - 1]);
  finish(nullptr);
}

// What the instruction has given goes at once if nobody reads it. It would be an argument of the rest, and each other value another capture.
void Loop::drop_unread_result(bool all_locals) {
  const CodeInfo* info = info_of(r_.frame->f_code);
  if (!info) return forget_error();
  const int offset = r_.offset();
  const CodeUnit next = info->units[static_cast<size_t>(offset)];
  if (_Py_OPCODE(next) == POP_TOP) {
    ++r_.next;
    return r_.drop();
  }
  if (_Py_OPCODE(next) != STORE_FAST || all_locals) return;
  const int local = _Py_OPARG(next);
  if (CodeFlow(r_.frame->f_code, *info).live(offset + 1, local) || ends_seen(r_.peek(1), 1)) return;
  ++r_.next;
  Py_CLEAR(r_.frame->localsplus[local]);
  r_.drop();
}

bool Loop::run_one_of(const std::vector<PythonFrame*>& frames, PyObject* keywords, Standing& standing, std::vector<PyObject*>& values,
                      bool& raised) {
  if (!enter_chain(frames)) return abandon_chain(frames), false;
  r_.keywords = keywords;
  r_.calls_natively = true;
  single_ = r_.next;
  if (!drive(LoopStep::Go)) return false;
  raised = unwound_;
  // The frames that are left stand behind the instruction.
  PythonFrame* const entry = frames.front();
  const std::vector<PythonFrame*> standing_frames = chain(r_.frame, entry);
  const auto is_held = [](const PythonFrame* f) { return f->frame_obj && Py_REFCNT(f->frame_obj) > 1; };
  // The program holds one, and is to see the frame that goes on; or it has set a debugger, which is to hear of the rest: the frames run here to their end.
  if (!raised && (c_frame_.use_tracing || std::ranges::any_of(standing_frames, is_held))) {
    single_ = nullptr;
    drive(LoopStep::Go);
    return false;
  }
  if (!raised) drop_unread_result(standing.all_locals);
  for (PythonFrame* f : standing_frames) {
    if (f == r_.frame) take_frame(f, r_.offset() - 1, r_.top, nullptr, nullptr, standing, values);
    else take_frame(f, last_instruction(f), f->localsplus + f->stacktop, nullptr, nullptr, standing, values);
  }
  save();
  for (PythonFrame* f = r_.frame;;) {
    PythonFrame* below = f->previous;
    const bool last = f == entry;
    leave_call(r_.thread);
    c_frame_.current_frame = below;
    pop_frame(r_.thread, f);
    if (last) break;
    f = below;
  }
  finish(nullptr);
  return true;
}

}  // namespace monograph::capture::machine
#endif
