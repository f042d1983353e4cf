// The loop that runs frames, and the ways frames end.
#include "capture/machine/loop.h"

#ifdef MONOGRAPH_MACHINE
#include <atomic>
#include <optional>
#include <string>

#include "capture/machine/forks.h"

namespace monograph::capture::machine {
namespace {

std::atomic<int64_t> frames{0};

// How the loop goes on after an instruction that is not an ordinary one.
enum class Step : uint8_t {
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

 private:
  // Until the entry frame or the way has ended.
  void drive(Step step) {
    for (;;) switch (step) {
        case Step::Go: step = run_instructions(); break;
        case Step::Error: step = raise(); break;
        case Step::Unwind: step = unwind(); break;
        case Step::Start: step = start(); break;
        case Step::Return: step = in_way() ? way_returns() : leave_with_result(); break;
        case Step::Yield: step = yield(); break;
        case Step::Leave: step = leave_with_error(); break;
        case Step::Done:
        case Step::WayEnd: return;
      }
  }

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

  Step start() {
    r_.frame = c_frame_.current_frame;
    frames.fetch_add(1, std::memory_order_relaxed);
    return enter_call(r_.thread) && load() ? Step::Go : Step::Leave;
  }

  // gen.throw(): an exception is set, which is raised where the generator stands.
  Step start_throwing() {
    frames.fetch_add(1, std::memory_order_relaxed);
    if (!enter_call(r_.thread)) return Step::Leave;
    if (c_frame_.use_tracing && !trace_call(r_.thread, r_.frame)) return Step::Leave;
    return load() ? Step::Error : Step::Leave;
  }

  Step finish(PyObject* result) {
    r_.thread->cframe = c_frame_.previous;
    r_.thread->cframe->use_tracing = c_frame_.use_tracing;
    result_ = result;
    return Step::Done;
  }

  // Takes an ended frame out of the chain and gives up what it holds.
  void discard(PythonFrame* frame, bool raised) {
    c_frame_.current_frame = frame->previous;
    if (frame->owner == FRAME_OWNED_BY_GENERATOR) finish_generator(r_, frame, raised);
    else pop_frame(r_.thread, frame);
  }

  Step leave_with_result() {
    PythonFrame* frame = r_.frame;
    PyObject* result = r_.pop();
    save();
    if (c_frame_.use_tracing && !trace_return(r_.thread, frame, result)) {
      Py_DECREF(result);
      return Step::Leave;
    }
    leave_call(r_.thread);
    if (frame->is_entry) return finish(result);
    const bool generator = frame->owner == FRAME_OWNED_BY_GENERATOR;
    discard(frame, false);
    load();
    if (!generator) r_.push(result);
    else end_iteration(result);
    return Step::Go;
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

  Step yield() {
    PythonFrame* frame = r_.frame;
    if (frame->owner != FRAME_OWNED_BY_GENERATOR) return wrong_type(r_, "the frame of a generator"), Step::Error;
    PyObject* value = r_.pop();
    PyGenObject* generator = generator_of(frame);
    generator->gi_frame_state = FRAME_SUSPENDED;
    save();
    if (c_frame_.use_tracing && !trace_return(r_.thread, frame, value)) {
      Py_DECREF(value);
      return Step::Leave;
    }
    leave_call(r_.thread);
    if (frame->is_entry) return finish(value);
    leave_generator(r_.thread, generator);
    c_frame_.current_frame = frame->previous;
    frame->previous = nullptr;
    load();
    r_.push(value);
    return Step::Go;
  }

  Step return_generator() {
    PythonFrame* frame = r_.frame;
    const int kinds = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
    if (frame->owner != FRAME_OWNED_BY_THREAD || (frame->f_code->co_flags & kinds) == 0)
      return wrong_type(r_, "a generator function"), Step::Error;
    save();
    PyObject* generator = make_generator(r_.thread, frame);
    if (!generator) return Step::Error;
    leave_call(r_.thread);
    if (!frame->is_entry) {
      c_frame_.current_frame = frame->previous;
      free_frame(frame);  // the generator has its values
      load();
      r_.push(generator);
      return Step::Go;
    }
    // Who called the machine drops the frame: what it holds now belongs to the generator.
    frame->stacktop = 0;
    frame->f_locals = nullptr;
    Py_INCREF(frame->f_func);
    Py_INCREF(frame->f_code);
    return finish(generator);
  }

  // --- Exceptions.

  Step raise() {
    r_.keywords = nullptr;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "error return without exception set");
    if (!is_incomplete(r_.frame)) {
      PyFrameObject* object = PyThreadState_GetFrame(r_.thread);
      if (object) PyTraceBack_Here(object);
      Py_XDECREF(object);
    }
    if (r_.thread->c_tracefunc) trace_exception(r_.thread, r_.frame);
    return Step::Unwind;
  }

  Step unwind() {
    if (in_way()) {
      way_->raised = true;
      return Step::WayEnd;
    }
    const Handler* handler = r_.code->handler_at(r_.offset() - 1);
    drop_to(stack_base(r_.frame) + (handler ? handler->depth : 0));
    if (!handler) {
      save();
      if (c_frame_.use_tracing) trace_return(r_.thread, r_.frame, nullptr);  // unwinding goes on whether it raises or not
      return Step::Leave;
    }
    if (handler->push_offset) {
      PyObject* offset = PyLong_FromLong(last_instruction(r_.frame));
      if (!offset) return Step::Unwind;
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
    return Step::Go;
  }

  void drop_to(PyObject** top) {
    while (r_.top > top) Py_XDECREF(r_.pop());
  }

  Step leave_with_error() {
    leave_call(r_.thread);
    PythonFrame* frame = r_.frame;
    if (frame->is_entry) return finish(nullptr);
    discard(frame, true);
    load();
    return Step::Error;
  }

  // --- Conditions.

  // Where a jump leads: by `distance` if the value's truth is `when`; then the value stays on the stack if `keeps`.
  struct Ways {
    bool when;
    int distance;
    bool keeps;
  };
  // Whether a value is true: 0 or 1, or -1 with an exception set, or with next_step_ set where the jump was a fork, which is behind us.
  int truth(int opcode, PyObject* value, std::optional<Ways> ways = {}) {
    if (r_.hook) [[unlikely]] {
      switch (r_.hook->at_jump({r_.frame->f_code, r_.offset() - 1, opcode, r_.frame->f_globals, value})) {
        case JumpHook::Answer::Ask: break;
        case JumpHook::Answer::False: return 0;
        case JumpHook::Answer::True: return 1;
        case JumpHook::Answer::Error: return -1;
        case JumpHook::Answer::Fork: {
          if (!ways) break;
          if (ways->distance < 0 && !r_.hook->forks->count_round()) return -1;
          next_step_ = fork(value, *ways);
          if (next_step_) return -1;
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
    return for_iter(r_, arg);
  }

  // --- Forks.

  // One of the two ways from a jump, while it runs.
  struct Way {
    PythonFrame* frame;
    int stop;  // the offset where it ends; kReturn
    PyObject* returned = nullptr;
    bool raised = false;
  };
  bool in_way() const { return way_ && way_->frame == r_.frame; }
  Step way_returns() {
    way_->returned = r_.pop();
    return Step::WayEnd;
  }
  // Whether the running frame's writes are to be told to the forks.
  bool watched() const { return in_program() && r_.hook->forks->watching(); }
  bool in_program() const { return r_.hook && r_.hook->forks && r_.hook->forks->belongs_to_program(r_.frame->f_globals); }
  // bool(x) of a value of the graph: true if it was done, or with an exception set.
  bool call_of_bool(int arg);
  bool before(int opcode, int arg);

  // Runs both ways from the jump whose instruction was read. Nothing if it is no fork; else what to do next.
  std::optional<Step> fork(PyObject* condition, const Ways& ways);
  void run_way(Way& way, const Ways& ways, int behind, bool truth, PyObject* condition);
  FrameSlots take_slots();
  void put_slots(FrameSlots& slots);
  bool copy_slots(FrameSlots& slots, int keep);
  std::vector<std::string> slot_names(size_t count) const;
  Step after_first(Way& way);
  Step after_join(int stop, FrameSlots& joined);

  // --- Instructions.

  Step trace_instruction();
  Step run_instructions();
  bool run_one(int opcode, int arg);

  Registers r_{};
  _PyCFrame c_frame_;
  std::ptrdiff_t offset_shift_ = 0;  // bytes from our copy of the units to CPython's
  PyObject* result_ = nullptr;
  Way* way_ = nullptr;
  std::optional<Step> next_step_;
};

// The events of a debugger before the next instruction. Go: it may run.
Step Loop::trace_instruction() {
  PythonFrame* frame = r_.frame;
  if (r_.offset() < frame->f_code->_co_firsttraceable) return Step::Go;
  const int previous = last_instruction(frame);
  frame->prev_instr = _PyCode_CODE(frame->f_code) + r_.offset();
  if (_Py_OPCODE(*r_.next) == RESUME) {
    if (_Py_OPARG(*r_.next) < 2 && breaker_set(r_.thread) && handle_pending(r_.thread) != 0) return Step::Error;
    if (!c_frame_.use_tracing) return Step::Go;
    save();
    const bool good = trace_call(r_.thread, frame);
    r_.top = frame->localsplus + frame->stacktop;
    frame->stacktop = -1;
    return good ? Step::Go : Step::Error;
  }
  if (!r_.thread->c_tracefunc || r_.thread->tracing) return Step::Go;
  save();
  const bool good = trace_line(r_.thread, frame, previous);
  r_.top = frame->localsplus + frame->stacktop;  // the debugger may have jumped
  frame->stacktop = -1;
  if (!good) {
    ++r_.next;
    return Step::Error;
  }
  r_.jump_to(last_instruction(frame));
  return Step::Go;
}

// The instructions that neither switch frames nor are run most. False with an exception set.
bool Loop::run_one(int opcode, int arg) {
  Registers& r = r_;
  switch (opcode) {
    case UNARY_POSITIVE: return r.set_top(PyNumber_Positive(r.peek(1)));
    case UNARY_NEGATIVE: return r.set_top(PyNumber_Negative(r.peek(1)));
    case UNARY_INVERT: return r.set_top(PyNumber_Invert(r.peek(1)));
    case UNARY_NOT: return unary_not();
    case DELETE_SUBSCR: {
      PyObject* key = r.pop();
      PyObject* container = r.pop();
      const int status = PyObject_DelItem(container, key);
      Py_DECREF(container);
      Py_DECREF(key);
      return status == 0;
    }
    case SET_ADD: {
      PyObject* item = r.pop();
      const int status = PySet_Add(r.peek(arg), item);
      Py_DECREF(item);
      return status == 0;
    }
    case MAP_ADD: {
      PyObject* value = r.pop();
      PyObject* key = r.pop();
      const int status = PyDict_SetItem(r.peek(arg), key, value);
      Py_DECREF(key);
      Py_DECREF(value);
      return status == 0;
    }
    case LIST_TO_TUPLE: return r.set_top(PyList_AsTuple(r.peek(1)));
    case LIST_EXTEND: return list_extend(r, arg);
    case SET_UPDATE: {
      PyObject* iterable = r.pop();
      const int status = _PySet_Update(r.peek(arg), iterable);
      Py_DECREF(iterable);
      return status >= 0;
    }
    case BUILD_STRING: return build_string(r, arg);
    case BUILD_SET: return build_set(r, arg);
    case BUILD_MAP: return build_map(r, arg);
    case BUILD_CONST_KEY_MAP: return build_const_key_map(r, arg);
    case BUILD_SLICE: return build_slice(r, arg);
    case DICT_UPDATE: return dict_update(r, arg);
    case DICT_MERGE: return dict_merge(r, arg);
    case FORMAT_VALUE: return format_value(r, arg);
    case UNPACK_EX: return unpack_sequence(r, arg & 0xFF, arg >> 8);
    case GET_LEN: {
      const Py_ssize_t size = PyObject_Length(r.peek(1));
      return size >= 0 && r.push_checked(PyLong_FromSsize_t(size));
    }
    case MATCH_MAPPING: r.push(new_bool((Py_TYPE(r.peek(1))->tp_flags & Py_TPFLAGS_MAPPING) != 0)); return true;
    case MATCH_SEQUENCE: r.push(new_bool((Py_TYPE(r.peek(1))->tp_flags & Py_TPFLAGS_SEQUENCE) != 0)); return true;
    case MATCH_KEYS: return match_keys(r);
    case MATCH_CLASS: return match_class(r, arg);
    case LOAD_NAME: return load_name(r, arg);
    case STORE_NAME: return store_name(r, arg);
    case DELETE_NAME: return delete_name(r, arg);
    case STORE_GLOBAL: {
      PyObject* value = r.pop();
      const int status = PyDict_SetItem(r.frame->f_globals, r.name(arg), value);
      Py_DECREF(value);
      return status == 0;
    }
    case DELETE_GLOBAL: return delete_global(r, arg);
    case DELETE_ATTR: {
      PyObject* owner = r.pop();
      const int status = PyObject_SetAttr(owner, r.name(arg), nullptr);
      Py_DECREF(owner);
      return status == 0;
    }
    case DELETE_FAST: {
      PyObject* value = r.frame->localsplus[arg];
      if (!value) {
        raise_unbound_local(r, arg);
        return false;
      }
      r.frame->localsplus[arg] = nullptr;
      Py_DECREF(value);
      return true;
    }
    case MAKE_CELL: {
      PyObject* initial = r.frame->localsplus[arg];
      PyObject* cell = PyCell_New(initial);
      if (!cell) return false;
      r.frame->localsplus[arg] = cell;
      Py_XDECREF(initial);
      return true;
    }
    case COPY_FREE_VARS: {
      PyCodeObject* code = r.frame->f_code;
      PyObject* closure = r.frame->f_func->func_closure;
      if (arg > 0 && (!closure || PyTuple_GET_SIZE(closure) < arg)) return wrong_type(r, "a closure with its free variables");
      PyObject** cells = r.frame->localsplus + code->co_nlocals + code->co_nplaincellvars;
      for (int i = 0; i < arg; ++i) cells[i] = Py_NewRef(PyTuple_GET_ITEM(closure, i));
      return true;
    }
    case LOAD_CLOSURE: {
      PyObject* cell = r.frame->localsplus[arg];
      if (!cell) raise_unbound_local(r, arg);
      return r.push_checked(Py_XNewRef(cell));
    }
    case DELETE_DEREF: {
      PyObject* cell = r.frame->localsplus[arg];
      if (!cell || !PyCell_Check(cell)) return wrong_type(r, "a cell");
      PyObject* old = PyCell_GET(cell);
      if (!old) {
        raise_unbound_cell(r, arg);
        return false;
      }
      PyCell_SET(cell, nullptr);
      Py_DECREF(old);
      return true;
    }
    case LOAD_CLASSDEREF: return load_classderef(r, arg);
    case LOAD_ASSERTION_ERROR: r.push(Py_NewRef(PyExc_AssertionError)); return true;
    case LOAD_BUILD_CLASS: return load_build_class(r);
    case SETUP_ANNOTATIONS: return setup_annotations(r);
    case IMPORT_NAME: return import_name(r, arg);
    case IMPORT_FROM: return import_from(r, arg);
    case IMPORT_STAR: return import_star(r);
    case MAKE_FUNCTION: return make_function(r, arg);
    case PRINT_EXPR: return print_expression(r);
    case CHECK_EXC_MATCH: return check_exc_match(r);
    case CHECK_EG_MATCH: return check_eg_match(r);
    case PREP_RERAISE_STAR: return prep_reraise_star(r);
    case PUSH_EXC_INFO: return push_exc_info(r);
    case POP_EXCEPT: pop_except(r); return true;
    case BEFORE_WITH: return before_with(r, false);
    case BEFORE_ASYNC_WITH: return before_with(r, true);
    case WITH_EXCEPT_START: return with_except_start(r);
    case GET_AITER: return get_aiter(r);
    case GET_ANEXT: return get_anext(r);
    case GET_AWAITABLE: return get_awaitable(r, arg);
    case GET_YIELD_FROM_ITER: return get_yield_from_iter(r);
    case ASYNC_GEN_WRAP: return async_gen_wrap(r);
    default:  // verify() lets no other one pass
      PyErr_Format(PyExc_SystemError, "unknown opcode %d at offset %d of %U (the capture machine)", opcode, 2 * (r.offset() - 1),
                   r.frame->f_code->co_qualname);
      return false;
  }
}

Step step_of(Next next) {
  switch (next) {
    case Next::Go: return Step::Go;
    case Next::Error: return Step::Error;
    case Next::Unwind: return Step::Unwind;
    case Next::Enter: return Step::Start;
  }
  return Step::Error;
}

// Runs instructions of one frame until something else is to be done.
Step Loop::run_instructions() {
  Registers& r = r_;
  PyObject** const locals = r.frame->localsplus;
  const CodeUnit* const stop = in_way() && way_->stop >= 0 ? r.code->units.data() + way_->stop : nullptr;
  const bool watching = watched();
  bool good = true;
  for (;;) {
    if (r.next == stop) [[unlikely]]
      return Step::WayEnd;
    if (c_frame_.use_tracing) [[unlikely]]
      if (const Step step = trace_instruction(); step != Step::Go) return step;
    int opcode = _Py_OPCODE(*r.next), arg = _Py_OPARG(*r.next);
  dispatch:
    r.frame->prev_instr =
        reinterpret_cast<CodeUnit*>(reinterpret_cast<std::uintptr_t>(r.next) + static_cast<std::uintptr_t>(offset_shift_));
    ++r.next;
    bool check_breaker = false;
    Next next = Next::Go;
    if (watching && !before(opcode, arg)) [[unlikely]]
      return Step::Error;
    switch (opcode) {
      case NOP: continue;
      case RESUME: check_breaker = arg < 2; break;
      case EXTENDED_ARG:
        arg = arg << 8 | _Py_OPARG(*r.next);
        opcode = _Py_OPCODE(*r.next);
        goto dispatch;
      case LOAD_FAST: {
        PyObject* value = locals[arg];
        if (!value) [[unlikely]] {
          raise_unbound_local(r, arg);
          return Step::Error;
        }
        r.push(Py_NewRef(value));
        continue;
      }
      case STORE_FAST: {
        PyObject* old = locals[arg];
        locals[arg] = r.pop();
        Py_XDECREF(old);
        continue;
      }
      case LOAD_CONST: r.push(Py_NewRef(PyTuple_GET_ITEM(r.constants, arg))); continue;
      case POP_TOP: r.drop(); continue;
      case PUSH_NULL: r.push(nullptr); continue;
      case COPY: r.push(Py_XNewRef(r.peek(arg))); continue;
      case SWAP: {
        PyObject* top = r.peek(1);
        r.peek(1) = r.peek(arg);
        r.peek(arg) = top;
        continue;
      }
      case LOAD_DEREF: {
        PyObject* cell = locals[arg];
        if (!cell || !PyCell_Check(cell)) return wrong_type(r, "a cell"), Step::Error;
        PyObject* value = PyCell_GET(cell);
        if (!value) {
          raise_unbound_cell(r, arg);
          return Step::Error;
        }
        r.push(Py_NewRef(value));
        continue;
      }
      case STORE_DEREF: {
        PyObject* cell = locals[arg];
        if (!cell || !PyCell_Check(cell)) return wrong_type(r, "a cell"), Step::Error;
        PyObject* old = PyCell_GET(cell);
        PyCell_SET(cell, r.pop());
        Py_XDECREF(old);
        continue;
      }
      case LOAD_GLOBAL: good = load_global(r, arg); break;
      case LOAD_ATTR: {
        PyObject* owner = r.peek(1);
        PyObject* value = PyObject_GetAttr(owner, r.name(arg));
        if (!value) return Step::Error;
        r.peek(1) = value;
        Py_DECREF(owner);
        r.next += caches::kLoadAttr;
        continue;
      }
      case STORE_ATTR: {
        PyObject* owner = r.pop();
        PyObject* value = r.pop();
        const int status = PyObject_SetAttr(owner, r.name(arg), value);
        Py_DECREF(value);
        Py_DECREF(owner);
        if (status != 0) return Step::Error;
        r.next += caches::kStoreAttr;
        continue;
      }
      case LOAD_METHOD: good = load_method(r, arg); break;
      case BINARY_OP: good = binary_op(r, arg); break;
      case BINARY_SUBSCR: {
        PyObject* key = r.pop();
        PyObject* container = r.peek(1);
        PyObject* value = PyObject_GetItem(container, key);
        Py_DECREF(container);
        Py_DECREF(key);
        r.peek(1) = value;
        if (!value) return Step::Error;
        r.next += caches::kBinarySubscr;
        continue;
      }
      case STORE_SUBSCR: {
        PyObject* key = r.pop();
        PyObject* container = r.pop();
        PyObject* value = r.pop();
        const int status = PyObject_SetItem(container, key, value);
        Py_DECREF(value);
        Py_DECREF(container);
        Py_DECREF(key);
        if (status != 0) return Step::Error;
        r.next += caches::kStoreSubscr;
        continue;
      }
      case COMPARE_OP: {
        PyObject* right = r.pop();
        PyObject* left = r.peek(1);
        PyObject* result = PyObject_RichCompare(left, right, arg);
        r.peek(1) = result;
        Py_DECREF(left);
        Py_DECREF(right);
        if (!result) return Step::Error;
        r.next += caches::kCompareOp;
        continue;
      }
      case IS_OP: {
        PyObject* right = r.pop();
        PyObject* left = r.peek(1);
        r.peek(1) = new_bool((left == right) != (arg != 0));
        Py_DECREF(left);
        Py_DECREF(right);
        continue;
      }
      case CONTAINS_OP: good = contains_op(r, arg); break;
      case LIST_APPEND: {
        PyObject* item = r.pop();
        good = PyList_Append(r.peek(arg), item) == 0;
        Py_DECREF(item);
        break;
      }
      case BUILD_TUPLE:
      case BUILD_LIST: {
        PyObject* made = opcode == BUILD_TUPLE ? PyTuple_New(arg) : PyList_New(arg);
        if (!made) return Step::Error;
        r.top -= arg;
        for (int i = 0; i < arg; ++i)
          if (opcode == BUILD_TUPLE) PyTuple_SET_ITEM(made, i, r.top[i]);
          else PyList_SET_ITEM(made, i, r.top[i]);
        r.push(made);
        continue;
      }
      case UNPACK_SEQUENCE:
        good = unpack_sequence(r, arg, -1);
        if (good) r.next += caches::kUnpackSequence;
        break;
      case GET_ITER: {
        PyObject* iterable = r.peek(1);
        PyObject* iterator = PyObject_GetIter(iterable);
        Py_DECREF(iterable);
        r.peek(1) = iterator;
        good = iterator != nullptr;
        break;
      }
      case FOR_ITER: next = iterate(arg); break;
      case SEND: next = send(r, arg); break;
      case JUMP_FORWARD: r.next += arg; continue;
      case JUMP_BACKWARD: r.next -= arg, check_breaker = true; break;
      case JUMP_BACKWARD_NO_INTERRUPT: r.next -= arg; continue;
      case POP_JUMP_FORWARD_IF_FALSE: good = pop_jump(opcode, false, arg); break;
      case POP_JUMP_FORWARD_IF_TRUE: good = pop_jump(opcode, true, arg); break;
      case POP_JUMP_BACKWARD_IF_FALSE: good = pop_jump(opcode, false, -arg), check_breaker = true; break;
      case POP_JUMP_BACKWARD_IF_TRUE: good = pop_jump(opcode, true, -arg), check_breaker = true; break;
      case POP_JUMP_FORWARD_IF_NONE: good = pop_jump_none(opcode, true, arg); break;
      case POP_JUMP_FORWARD_IF_NOT_NONE: good = pop_jump_none(opcode, false, arg); break;
      case POP_JUMP_BACKWARD_IF_NONE: good = pop_jump_none(opcode, true, -arg), check_breaker = true; break;
      case POP_JUMP_BACKWARD_IF_NOT_NONE: good = pop_jump_none(opcode, false, -arg), check_breaker = true; break;
      case JUMP_IF_FALSE_OR_POP: good = jump_or_pop(opcode, false, arg); break;
      case JUMP_IF_TRUE_OR_POP: good = jump_or_pop(opcode, true, arg); break;
      case PRECALL: precall(r, arg); continue;
      case KW_NAMES: r.keywords = PyTuple_GET_ITEM(r.constants, arg); continue;
      case CALL:
        if (r.hook && arg == 1 && !r.keywords && call_of_bool(arg)) [[unlikely]] {
          if (PyErr_Occurred()) return Step::Error;
          continue;
        }
        next = call(r, arg), check_breaker = true;
        break;
      case CALL_FUNCTION_EX: next = call_function_ex(r, arg), check_breaker = true; break;
      case RAISE_VARARGS: next = raise_varargs(r, arg); break;
      case RERAISE: next = reraise(r, arg); break;
      case END_ASYNC_FOR: next = end_async_for(r); break;
      case RETURN_VALUE: return Step::Return;
      case YIELD_VALUE: return Step::Yield;
      case RETURN_GENERATOR: return return_generator();
      default: good = run_one(opcode, arg);
    }
    if (!good) return std::exchange(next_step_, std::nullopt).value_or(Step::Error);
    if (next != Next::Go) return step_of(next);
    if (check_breaker && breaker_set(r.thread) && handle_pending(r.thread) != 0) return Step::Error;
  }
}

// What an instruction is about to write or to call, told to the forks. False with an exception set.
bool Loop::before(int opcode, int arg) {
  Forks& forks = *r_.hook->forks;
  Registers& r = r_;
  switch (opcode) {
    case STORE_DEREF:
    case DELETE_DEREF:
      return !r.frame->localsplus[arg] || !PyCell_Check(r.frame->localsplus[arg]) || forks.before_write(r.frame->localsplus[arg], nullptr);
    case STORE_ATTR:
    case DELETE_ATTR: return forks.before_attribute(r.peek(1), r.name(arg));
    case STORE_SUBSCR:
    case DELETE_SUBSCR: return forks.before_write(r.peek(2), r.peek(1));
    case BINARY_SUBSCR: return forks.before_read(r.peek(2));
    case STORE_GLOBAL:
    case DELETE_GLOBAL: return forks.before_write(r.frame->f_globals, nullptr);
    case STORE_NAME:
    case DELETE_NAME: return !r.frame->f_locals || forks.before_write(r.frame->f_locals, nullptr);
    case LIST_APPEND:
    case SET_ADD:
    case LIST_EXTEND:
    case SET_UPDATE:
    case DICT_UPDATE:
    case DICT_MERGE: return forks.before_write(r.peek(arg + 1), nullptr);
    case MAP_ADD: return forks.before_write(r.peek(arg + 2), nullptr);
    case BINARY_OP: return arg < NB_INPLACE_ADD || forks.before_in_place(r.peek(2));
    case FOR_ITER:
    case GET_ITER: {
      if (opcode == GET_ITER && PyIter_Check(r.peek(1)) && Py_REFCNT(r.peek(1)) > 1) return forks.before_shared_iterator(r.peek(1));
      return forks.before_iteration(r.peek(1)) && (opcode != FOR_ITER || forks.count_round());
    }
    case JUMP_BACKWARD: return forks.count_round();
    case CALL: {
      const bool is_method = r.peek(arg + 2) != nullptr;
      const int total = arg + (is_method ? 1 : 0);
      return forks.before_call(r.peek(total + 1), r.top - total, total);
    }
    case CALL_FUNCTION_EX: {
      PyObject* args = r.peek(arg & 1 ? 2 : 1);
      PyObject* const* items = PyTuple_CheckExact(args) ? &PyTuple_GET_ITEM(args, 0) : nullptr;
      return forks.before_call(r.peek(arg & 1 ? 3 : 2), items, items ? PyTuple_GET_SIZE(args) : 0);
    }
    default: return true;
  }
}

bool Loop::call_of_bool(int arg) {
  const bool is_method = r_.peek(arg + 2) != nullptr;
  if (is_method || r_.peek(2) != reinterpret_cast<PyObject*>(&PyBool_Type) || !in_program()) return false;
  PyObject* value = r_.hook->forks->truth(r_.peek(1), false);
  if (!value) return PyErr_Occurred() != nullptr;
  for (int k = 0; k < 3; ++k) Py_XDECREF(r_.pop());
  r_.push(value);
  r_.next += caches::kCall;
  return true;
}

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

void Loop::run_way(Way& way, const Ways& ways, int behind, bool truth, PyObject* condition) {
  const bool jumps = truth == ways.when;
  if (ways.keeps && !jumps) r_.drop();
  (void)condition;
  r_.jump_to(jumps ? behind + ways.distance : behind);
  Way* outer = std::exchange(way_, &way);
  drive(Step::Go);
  way_ = outer;
}

// The example's way is the program's: the frame is as it left it.
Step Loop::after_first(Way& way) {
  if (way.raised) return Step::Unwind;
  if (way.stop >= 0) {
    r_.jump_to(way.stop);
    return Step::Go;
  }
  r_.push(way.returned);
  return Step::Return;
}

std::optional<Step> Loop::fork(PyObject* condition, const Ways& ways) {
  Forks& forks = *r_.hook->forks;
  const int behind = r_.offset();
  if (ways.distance < 0 || c_frame_.use_tracing || (r_.thread->exc_info->exc_value && r_.thread->exc_info->exc_value != Py_None)) return {};
  const CodeFlow* flow = forks.flow(r_.frame->f_code);
  if (!flow) return Step::Error;
  const int stop = flow->meeting(behind);
  if (stop == CodeFlow::kNowhere) return {};
  const int taken = forks.begin(condition);
  if (taken == 2) return {};
  if (taken < 0) return Step::Error;
  const int locals = r_.frame->f_code->co_nlocalsplus;
  FrameSlots at_jump;
  if (!copy_slots(at_jump, locals)) return forks.give_up(), Step::Error;
  Way first{r_.frame, stop}, second{r_.frame, stop};
  run_way(first, ways, behind, taken == 1, condition);
  if (first.raised || forks.failed()) {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    if (first.raised) forks.fail("the example's way raises");
    const bool good = forks.give_up();
    if (good || type) PyErr_Restore(type, value, traceback);
    if (!good && !first.raised) return Py_XDECREF(first.returned), Step::Error;
    return after_first(first);
  }
  FrameSlots first_slots = take_slots();
  if (first.stop < 0) first_slots.values.push_back(std::exchange(first.returned, nullptr));
  bool good = forks.end_first();
  put_slots(at_jump);
  bool interrupted = false;
  if (good && !forks.failed()) {
    forks.begin_second();
    run_way(second, ways, behind, taken == 0, condition);
    if (second.raised && !forks.take_abort()) {
      interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) || PyErr_ExceptionMatches(PyExc_MemoryError);
      forks.fail(forks.raised_text());
    }
  }
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  if (interrupted) PyErr_Fetch(&type, &value, &traceback);
  else if (second.raised) PyErr_Clear();
  FrameSlots second_slots = take_slots();
  if (second.stop < 0 && !second.raised) second_slots.values.push_back(std::exchange(second.returned, nullptr));
  good = good && forks.end_second();
  bool joined = false;
  if (good && !second.raised && !forks.failed()) {
    for (FrameSlots* slots : {&first_slots, &second_slots})
      for (int k = 0; k < locals; ++k)
        if (PyObject*& slot = slots->values[static_cast<size_t>(k)]; slot && !PyCell_Check(slot) && (stop < 0 || !flow->live(stop, k)))
          Py_CLEAR(slot);
    joined = forks.join(first_slots, second_slots, slot_names(first_slots.values.size()));
    good = joined || !PyErr_Occurred();
  }
  if (stop < 0) {
    first.returned = first_slots.values.back();
    first_slots.values.pop_back();
  }
  put_slots(first_slots);
  if (!joined) good = forks.give_up() && good;
  if (interrupted) PyErr_Restore(type, value, traceback);
  if (!good || interrupted) return Py_XDECREF(first.returned), Step::Error;
  return after_first(first);
}

}  // namespace

PyObject* evaluate(PyThreadState* thread, PythonFrame* entry, bool throwing, JumpHook* hook) {
  return Loop(thread, entry, hook).run(throwing);
}

int64_t frame_count() { return frames.load(std::memory_order_relaxed); }

}  // namespace monograph::capture::machine
#endif
