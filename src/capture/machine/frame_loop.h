// The loop that runs frames, as its files see it: loop.cpp holds the instructions, ways.cpp the forks.
#pragma once

#include "capture/machine/registers.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "capture/machine/forks.h"

namespace monograph::capture::machine {

struct Standing;
void count_frame();  // that the machine has started or resumed one

// How the loop goes on after an instruction that is not an ordinary one.
enum class LoopStep : uint8_t {
  Go,
  Error,
  Unwind,
  Start,   // the current frame is new
  Return,  // the frame has ended with `result`
  Yield,
  Leave,  // the frame has ended with an exception; its values are dropped
  Done,   // the entry frame has ended: `result` is what run() gives
  WayEnd,  // a way of a fork has come to its end
};

class Loop {
 public:
  Loop(PyThreadState* thread, PythonFrame* entry, JumpHook* hook) {
    r_.thread = thread;
    r_.hook = hook;
    r_.frame = entry;
    c_frame_.use_tracing = thread->cframe->use_tracing;
    c_frame_.previous = thread->cframe;
    c_frame_.current_frame = entry;
    r_.c_frame = &c_frame_;
    entry->is_entry = true;
    entry->previous = thread->cframe->current_frame;
    thread->cframe = &c_frame_;
  }

  PyObject* run(bool throwing) {
    drive(throwing ? start_throwing() : start());
    return result_;
  }
  // Frames that stand (standing.h), of which the first is the entry: all to their end, or one instruction of the last one. The second is true where the frames
  // that are left stand behind it; they are gone then. False: the entry frame has ended with result(). `raised`: they stand at a handler.
  PyObject* run_chain(const std::vector<PythonFrame*>& frames);
  bool run_one_of(const std::vector<PythonFrame*>& frames, PyObject* keywords, Standing& standing, std::vector<PyObject*>& values,
                  bool& raised);
  PyObject* result() const { return result_; }

 private:
  void drop_unread_result(bool all_locals);
  // Until the entry frame, the way, or the single instruction has ended; false for the entry frame.
  bool drive(LoopStep step) {
    for (;;) switch (step) {
        case LoopStep::Go: step = run_instructions(); break;
        case LoopStep::Error: step = raise(); break;
        case LoopStep::Unwind: step = unwind(); break;
        case LoopStep::Start: step = start(); break;
        case LoopStep::Return: step = in_way() ? way_returns() : leave_with_result(); break;
        case LoopStep::Yield: step = yield(); break;
        case LoopStep::Leave: step = leave_with_error(); break;
        case LoopStep::Done: return false;
        case LoopStep::WayEnd: return true;
      }
  }
  bool enter_chain(const std::vector<PythonFrame*>& frames);
  void abandon_chain(const std::vector<PythonFrame*>& frames);

  // --- Frames.

  // Makes the current frame the running one, behind its last instruction.
  bool load() {
    PythonFrame* frame = r_.frame = c_frame_.current_frame;
    PyCodeObject* code = frame->f_code;
    r_.code = info_of(code);
    if (!r_.code) return false;
    r_.names = code->co_names;
    r_.constants = code->co_consts;
    offset_shift_ = reinterpret_cast<const char*>(_PyCode_CODE(code)) - reinterpret_cast<const char*>(r_.code->units.data());
    r_.jump_to(last_instruction(frame) + 1);
    r_.top = frame->localsplus + frame->stacktop;
    frame->stacktop = -1;  // the garbage collector does not look at a running frame
    return true;
  }
  void save() { r_.frame->stacktop = static_cast<int>(r_.top - r_.frame->localsplus); }

  LoopStep start() {
    r_.frame = c_frame_.current_frame;
    count_frame();
    if (!enter_call(r_.thread) || !load()) return LoopStep::Leave;
    return r_.hook && r_.hook->watcher && !r_.hook->watcher->at_start(r_) ? LoopStep::Error : LoopStep::Go;
  }

  // gen.throw(): an exception is set, which is raised where the generator stands.
  LoopStep start_throwing() {
    count_frame();
    if (!enter_call(r_.thread)) return LoopStep::Leave;
    if (c_frame_.use_tracing && !trace_call(r_.thread, r_.frame)) return LoopStep::Leave;
    return load() ? LoopStep::Error : LoopStep::Leave;
  }

  LoopStep finish(PyObject* result) {
    r_.thread->cframe = c_frame_.previous;
    r_.thread->cframe->use_tracing = c_frame_.use_tracing;
    result_ = result;
    return LoopStep::Done;
  }

  // Takes an ended frame out of the chain and gives up what it holds.
  void discard(PythonFrame* frame, bool raised) {
    c_frame_.current_frame = frame->previous;
    if (frame->owner == FRAME_OWNED_BY_GENERATOR) finish_generator(r_, frame, raised);
    else pop_frame(r_.thread, frame);
  }

  LoopStep leave_with_result() {
    PythonFrame* frame = r_.frame;
    if (frame->is_entry && in_program() && !make_plain(r_.peek(1))) return LoopStep::Error;  // C code called it
    PyObject* result = r_.pop();
    save();
    if (c_frame_.use_tracing && !trace_return(r_.thread, frame, result)) {
      Py_DECREF(result);
      return LoopStep::Leave;
    }
    leave_call(r_.thread);
    if (frame->is_entry) return finish(result);
    const bool generator = frame->owner == FRAME_OWNED_BY_GENERATOR;
    discard(frame, false);
    load();
    if (!generator) r_.push(result);
    else end_iteration(result);
    return LoopStep::Go;
  }

  // The caller's FOR_ITER or SEND of a generator that has returned.
  void end_iteration(PyObject* result) {
    int at = r_.offset() - 1;
    const CodeUnit* units = r_.code->units.data();
    int arg = _Py_OPARG(units[at]);
    const bool is_for = _Py_OPCODE(units[at]) == FOR_ITER;
    for (int shift = 8; at > 0 && _Py_OPCODE(units[at - 1]) == EXTENDED_ARG; shift += 8) arg |= _Py_OPARG(units[--at]) << shift;
    if (r_.thread->c_tracefunc && result != Py_None) {  // a debugger that the generator has set hears of its StopIteration
      _PyGen_SetStopIterationValue(result);
      trace_exception(r_.thread, r_.frame);
      PyErr_Clear();
    }
    if (is_for) {
      Py_DECREF(result);
      r_.drop();
    } else {
      r_.set_top(result);
    }
    r_.next += arg;
  }

  LoopStep yield() {
    PythonFrame* frame = r_.frame;
    if (frame->owner != FRAME_OWNED_BY_GENERATOR) return wrong_type(r_, "the frame of a generator"), LoopStep::Error;
    if (frame->is_entry && in_program() && !make_plain(r_.peek(1))) return LoopStep::Error;
    PyObject* value = r_.pop();
    PyGenObject* generator = generator_of(frame);
    generator->gi_frame_state = FRAME_SUSPENDED;
    save();
    if (c_frame_.use_tracing && !trace_return(r_.thread, frame, value)) {
      Py_DECREF(value);
      return LoopStep::Leave;
    }
    leave_call(r_.thread);
    if (frame->is_entry) return finish(value);
    leave_generator(r_.thread, generator);
    c_frame_.current_frame = frame->previous;
    frame->previous = nullptr;
    load();
    r_.push(value);
    return LoopStep::Go;
  }

  LoopStep return_generator() {
    PythonFrame* frame = r_.frame;
    const int kinds = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
    if (frame->owner != FRAME_OWNED_BY_THREAD || (frame->f_code->co_flags & kinds) == 0)
      return wrong_type(r_, "a generator function"), LoopStep::Error;
    save();
    PyObject* generator = make_generator(r_.thread, frame);
    if (!generator) return LoopStep::Error;
    leave_call(r_.thread);
    if (!frame->is_entry) {
      c_frame_.current_frame = frame->previous;
      free_frame(frame);  // the generator has its values
      load();
      r_.push(generator);
      return LoopStep::Go;
    }
    // Who called the machine drops the frame: what it holds now belongs to the generator.
    frame->stacktop = 0;
    frame->f_locals = nullptr;
    Py_INCREF(frame->f_func);
    Py_INCREF(frame->f_code);
    return finish(generator);
  }

  // --- Exceptions.

  LoopStep raise() {
    r_.keywords = nullptr;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "error return without exception set");
    if (!is_incomplete(r_.frame)) {
      PyFrameObject* object = PyThreadState_GetFrame(r_.thread);
      if (object) PyTraceBack_Here(object);
      Py_XDECREF(object);
    }
    if (r_.hook && PyErr_ExceptionMatches(PyExc_RecursionError)) place_recursion(place());
    if (r_.thread->c_tracefunc) trace_exception(r_.thread, r_.frame);
    return LoopStep::Unwind;
  }

  LoopStep unwind() {
    unwound_ = true;
    if (in_way()) {
      way_->raised = true;
      Py_XSETREF(way_->exception, r_.hook->forks->uncaught_raise(r_.frame));
      return LoopStep::WayEnd;
    }
    const bool ending = r_.hook && r_.hook->watcher && r_.hook->watcher->ending;
    const Handler* handler = ending ? nullptr : r_.code->handler_at(r_.offset() - 1);
    if (handler && !is_filled(handler->depth)) {
      wrong_type(r_, "as many values below its handler as the handler says");
      handler = nullptr;
    }
    drop_to(stack_base(r_.frame) + (handler ? handler->depth : 0));
    if (!handler) {
      save();
      if (c_frame_.use_tracing) trace_return(r_.thread, r_.frame, nullptr);  // unwinding goes on whether it raises or not
      return LoopStep::Leave;
    }
    if (handler->push_offset) {
      PyObject* offset = PyLong_FromLong(last_instruction(r_.frame));
      if (!offset) return LoopStep::Unwind;
      r_.push(offset);
    }
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyException_SetTraceback(value, traceback ? traceback : Py_None);
    Py_XDECREF(traceback);
    Py_XDECREF(type);
    r_.push(value);
    r_.jump_to(handler->target);
    return LoopStep::Go;
  }

  // The running line, as "file:line". An exception that is set stays.
  std::string place() const {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyCodeObject* code = r_.frame->f_code;
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    PyErr_Restore(type, value, traceback);
    return std::string(file ? file : "?") + ":" + std::to_string(PyCode_Addr2Line(code, 2 * (r_.offset() - 1)));
  }

  // Whether the stack has `depth` values: an instruction that raises may have taken some of them.
  bool is_filled(int depth) const {
    PyObject** base = stack_base(r_.frame);
    return r_.top - base >= depth && std::find(base, base + depth, nullptr) == base + depth;
  }

  void drop_to(PyObject** top) {
    while (r_.top > top) Py_XDECREF(r_.pop());
  }

  // The run is given up in code that C called because an object has ended. C would complain of the exception; a closed generator may raise this one. True: the
  // frame is that of a __del__, and no exception is set any more.
  bool ends_an_object(const PythonFrame* frame) {
    if (!r_.hook || !r_.hook->watcher || !r_.hook->watcher->ending) return false;
    const bool finalizer = PyUnicode_CompareWithASCIIString(frame->f_code->co_name, "__del__") == 0;
    if (!finalizer && frame->owner != FRAME_OWNED_BY_GENERATOR) return false;
    forget_error();
    if (!finalizer) PyErr_SetNone(PyExc_GeneratorExit);
    return finalizer;
  }

  LoopStep leave_with_error() {
    leave_call(r_.thread);
    PythonFrame* frame = r_.frame;
    if (is_folded(frame->f_code)) raise_as_generator();
    if (frame->is_entry) return finish(ends_an_object(frame) ? Py_NewRef(Py_None) : nullptr);
    discard(frame, true);
    load();
    return LoopStep::Error;
  }

  // --- Conditions.

  // Where a jump leads: by `distance` if the value's truth is `when`; then the value stays on the stack if `keeps`.
  struct Ways {
    bool when;
    int distance;
    bool keeps;
  };
  // What the program's own __bool__ gives for the object, a new reference: a bool, or a value of the graph. Null for objects without one, or with an exception
  // set. C code would take a bool alone.
  PyObject* own_truth(PyObject* value) {
    if (!in_program() || !is_python_class(Py_TYPE(value))) return nullptr;
    static PyObject* const name = PyUnicode_InternFromString("__bool__");
    PyObject* method = _PyType_Lookup(Py_TYPE(value), name);
    if (!method || !PyFunction_Check(method) || !r_.hook->forks->belongs_to_program(PyFunction_GET_GLOBALS(method))) return nullptr;
    PyObject* own = PyObject_CallOneArg(method, value);
    if (!own || PyBool_Check(own)) return own;
    if (!PyLong_CheckExact(own) && !PyFloat_CheckExact(own) && r_.hook->forks->recorder().is_leaf(own)) return own;
    PyErr_Format(PyExc_TypeError, "__bool__ should return bool, returned %.200s", Py_TYPE(own)->tp_name);
    Py_DECREF(own);
    return nullptr;
  }

  // Whether a value is true: 0 or 1, or -1 with an exception set, or with next_step_ set where the jump was a fork, which is behind us.
  int truth(int opcode, PyObject* value, std::optional<Ways> ways = {}) {
    if (r_.hook) [[unlikely]] {
      if (PyObject* own = own_truth(value)) {
        const int is = truth(opcode, own, ways);
        Py_DECREF(own);
        return is;
      }
      if (PyErr_Occurred()) return -1;
      switch (r_.hook->at_jump({r_.frame->f_code, r_.offset() - 1, opcode, r_.frame->f_globals, value})) {
        case JumpHook::Answer::Ask: break;
        case JumpHook::Answer::False: return 0;
        case JumpHook::Answer::True: return 1;
        case JumpHook::Answer::Error: return -1;
        case JumpHook::Answer::Fork: {
          if (!ways) break;
          if (ways->distance < 0 && !r_.hook->forks->count_round()) return -1;
          next_step_ = repeat(value);
          if (!next_step_ && !PyErr_Occurred()) next_step_ = fork(value, *ways);
          if (next_step_ || PyErr_Occurred()) return -1;
          break;
        }
      }
    }
    if (value == Py_True) return 1;
    if (value == Py_False) return 0;
    return PyObject_IsTrue(value);
  }

  // POP_JUMP_*: jumps by `distance` where the value's truth is `when`.
  bool pop_jump(int opcode, bool when, int distance) {
    PyObject* value = r_.pop();
    const int is = truth(opcode, value, Ways{when, distance, false});
    Py_DECREF(value);
    if (is < 0) return false;
    if ((is != 0) == when) r_.next += distance;
    return true;
  }
  bool pop_jump_none(int opcode, bool when, int distance) {
    PyObject* value = r_.pop();
    int is = value == Py_None;
    if (r_.hook) [[unlikely]] {
      const JumpHook::Answer answer = r_.hook->at_jump({r_.frame->f_code, r_.offset() - 1, opcode, r_.frame->f_globals, value});
      if (answer == JumpHook::Answer::Error) is = -1;
      else if (answer != JumpHook::Answer::Ask) is = answer == JumpHook::Answer::True;
    }
    Py_DECREF(value);
    if (is < 0) return false;
    if ((is != 0) == when) r_.next += distance;
    return true;
  }
  // JUMP_IF_*_OR_POP.
  bool jump_or_pop(int opcode, bool when, int distance) {
    const int is = truth(opcode, r_.peek(1), Ways{when, distance, true});
    if (is < 0) return false;
    if ((is != 0) == when) r_.next += distance;
    else r_.drop();
    return true;
  }
  bool unary_not() {
    if (in_program()) [[unlikely]] {
      if (PyObject* own = own_truth(r_.peek(1))) r_.set_top(own);
      if (PyErr_Occurred()) return false;
      if (PyObject* negated = r_.hook->forks->truth(r_.peek(1), true)) return r_.set_top(negated);
      if (PyErr_Occurred()) return false;
    }
    PyObject* value = r_.pop();
    const int is = truth(UNARY_NOT, value);
    Py_DECREF(value);
    if (is < 0) return false;
    r_.push(new_bool(is == 0));
    return true;
  }
  Next iterate(int arg) {
    if (r_.hook) [[unlikely]] {
      const JumpHook::Answer answer = r_.hook->at_jump({r_.frame->f_code, r_.offset() - 1, FOR_ITER, r_.frame->f_globals, r_.peek(1)});
      if (answer == JumpHook::Answer::False || answer == JumpHook::Answer::True)
        PyErr_SetString(PyExc_SystemError, "a hook cannot answer for FOR_ITER: an iterator is neither true nor false");
      if (answer != JumpHook::Answer::Ask) return Next::Error;
    }
    if (in_program()) [[unlikely]] {
      next_step_ = repeat_over(r_.peek(1));
      if (next_step_ || PyErr_Occurred()) return Next::Error;
    }
    return for_iter(r_, arg);
  }

  // --- Forks.

  // One of the two ways from a jump, or one round of a loop, while it runs.
  struct Way {
    PythonFrame* frame;
    int stop;  // the offset where it ends; kReturn; kRoundEnd
    const LoopFlow* round = nullptr;  // of the loop whose body it is in
    size_t depth = 0;  // of the stack where that loop's rounds end
    PyObject* returned = nullptr;
    PyObject* exception = nullptr;  // that the graph can raise
    bool raised = false;
    Way(PythonFrame* of, int end, const LoopFlow* loop = nullptr) : frame(of), stop(end), round(loop) {}
    ~Way() { Py_XDECREF(exception); }
    Way(const Way&) = delete;
    std::optional<FrameSlots>
        ended;  // at kRoundEnd: locals and stack, what was returned, whether another round follows, whether the loop was left early
  };
  using Start = std::function<LoopStep(bool)>;  // puts the frame to where the way with this truth of the condition begins
  bool in_way() const { return way_ && way_->frame == r_.frame; }
  LoopStep way_returns() {
    way_->returned = r_.pop();
    return LoopStep::WayEnd;
  }
  // Whether the running frame's writes are to be told to the forks.
  bool watched() const { return in_program() && r_.hook->forks->watching(); }
  bool in_program() const { return r_.hook && r_.hook->forks && r_.hook->forks->belongs_to_program(r_.frame->f_globals); }
  // bool(x), range(n), len(x) and their like of values of the graph: true if it was done, or with an exception set.
  bool call_of_graph(int arg);
  PyObject* call_with_keyword(PyObject* function, int arg);
  // A builtin that consumes a generator expression becomes a function with its loop: folds.cpp. False with an exception set.
  bool fold(int arg);
  PyObject** variable_of(PyObject* generator);
  static bool is_folded(PyCodeObject* code);
  // Texts of the graph and effects: texts.cpp. Whether a call was one, and is done, or an exception is set.
  bool says(int arg);
  bool record_effect_of_call(int arg);
  bool format(int arg);
  bool put_together(int arg);
  bool remainder(int arg);
  bool give_plain_texts(PyObject* function, PyObject** args, Py_ssize_t count);
  bool say(PyObject* function, PyObject* const* args, Py_ssize_t count, PyObject* keywords, PyObject*& value);
  bool has_texts() const { return r_.hook && r_.hook->forks; }
  bool make_plain(PyObject*& value) {
    if (!has_texts() || !r_.hook->forks->recorder().is_text(value)) return true;
    PyObject* plain = r_.hook->forks->recorder().plain_text(value);
    if (!plain) return false;
    Py_SETREF(value, plain);
    return true;
  }
  bool before(int opcode, int arg);

  // Runs both ways from the jump whose instruction was read. Nothing if it is no fork; else what to do next.
  std::optional<LoopStep> fork(PyObject* condition, const Ways& ways);
  std::optional<LoopStep> fork_to(PyObject* condition, CodeFlow* flow, int stop, const Start& start);
  void set_round(Way& way) const;
  void run_way(Way& way, const Start& start, bool truth);
  bool run_second(Way& way, const Start& start, bool truth);
  LoopStep keep_first(Way& way);
  std::optional<LoopStep> raise_in_fork(Way& first, FrameSlots& first_ends, Way& second, FrameSlots& second_ends);
  bool ends_capture() const;
  void refuse_because(PyObject* type, PyObject* value, PyObject* traceback);
  FrameSlots take_slots();
  FrameSlots take_ends(Way& way);
  void put_slots(FrameSlots& slots);
  void stand_at(_Py_CODEUNIT* instruction, FrameSlots& slots);
  void put_ends(Way& way, FrameSlots& slots);
  bool copy_slots(FrameSlots& slots, int keep);
  void clear_dead(FrameSlots& slots, const CodeFlow& flow, int stop);
  std::vector<std::string> slot_names(size_t count) const;
  LoopStep after_first(Way& way);
  bool is_busy() const;  // with what no fork is made in: an exception that is handled, a debugger

  // --- Loops: repeat.cpp.

  // Captures the loop that the jump decides about. Nothing if it is none, or cannot be captured: then the frame is as it was.
  std::optional<LoopStep> repeat(PyObject* condition);
  std::optional<LoopStep> repeat_over(PyObject* iterator);
  std::optional<LoopStep> run_loop(const LoopFlow& loop, CodeFlow* flow, PyObject* condition, bool stays_when, PyObject* iterator,
                                   bool must_leave = false);
  bool run_round(const LoopFlow& loop, const FrameSlots& begin, PyObject* iterator, FrameSlots& end);
  void stop_round();
  std::optional<LoopStep> leave_loop(const LoopFlow& loop, CodeFlow* flow, FrameSlots& slots);
  bool end_round(Way& way);

  // --- Instructions.

  LoopStep trace_instruction();
  LoopStep run_instructions();
  bool run_one(int opcode, int arg);

  Registers r_{};
  _PyCFrame c_frame_;
  std::ptrdiff_t offset_shift_ = 0;  // bytes from our copy of the units to CPython's
  PyObject* result_ = nullptr;
  Way* way_ = nullptr;
  std::optional<LoopStep> next_step_;
  const CodeUnit* single_ = nullptr;  // the only instruction to run
  bool unwound_ = false;  // an exception has been raised
};

}  // namespace monograph::capture::machine
#endif
