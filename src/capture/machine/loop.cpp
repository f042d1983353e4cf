// The loop that runs frames, and the ways frames end.
#include "capture/machine/loop.h"

#ifdef MONOGRAPH_MACHINE
#include <atomic>

#include "capture/machine/frame_loop.h"

namespace monograph::capture::machine {
namespace {

std::atomic<int64_t> frames{0};

}  // namespace

void count_frame() { frames.fetch_add(1, std::memory_order_relaxed); }

// The events of a debugger before the next instruction. Go: it may run.
LoopStep Loop::trace_instruction() {
  PythonFrame* frame = r_.frame;
  if (r_.offset() < frame->f_code->_co_firsttraceable) return LoopStep::Go;
  const int previous = last_instruction(frame);
  frame->prev_instr = _PyCode_CODE(frame->f_code) + r_.offset();
  if (_Py_OPCODE(*r_.next) == RESUME) {
    if (_Py_OPARG(*r_.next) < 2 && breaker_set(r_.thread) && handle_pending(r_.thread) != 0) return LoopStep::Error;
    if (!c_frame_.use_tracing) return LoopStep::Go;
    save();
    const bool good = trace_call(r_.thread, frame);
    r_.top = frame->localsplus + frame->stacktop;
    frame->stacktop = -1;
    return good ? LoopStep::Go : LoopStep::Error;
  }
  if (!r_.thread->c_tracefunc || r_.thread->tracing) return LoopStep::Go;
  save();
  const bool good = trace_line(r_.thread, frame, previous);
  r_.top = frame->localsplus + frame->stacktop;  // the debugger may have jumped
  frame->stacktop = -1;
  if (!good) {
    ++r_.next;
    return LoopStep::Error;
  }
  r_.jump_to(last_instruction(frame));
  return LoopStep::Go;
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
      if (status != 0) mark_refusal(r, {key});
      Py_DECREF(container);
      Py_DECREF(key);
      return status == 0;
    }
    case SET_ADD: {
      if (!PySet_Check(r.peek(arg + 1))) return wrong_type(r, "a set");
      if (!make_plain(r.peek(1))) return false;
      PyObject* item = r.pop();
      const int status = PySet_Add(r.peek(arg), item);
      Py_DECREF(item);
      return status == 0;
    }
    case MAP_ADD: {
      if (!PyDict_Check(r.peek(arg + 2))) return wrong_type(r, "a dict");
      if (!make_plain(r.peek(2))) return false;
      PyObject* value = r.pop();
      PyObject* key = r.pop();
      const int status = PyDict_SetItem(r.peek(arg), key, value);
      Py_DECREF(key);
      Py_DECREF(value);
      return status == 0;
    }
    case LIST_TO_TUPLE:
      if (!PyList_Check(r.peek(1))) return wrong_type(r, "a list");
      return r.set_top(PyList_AsTuple(r.peek(1)));
    case LIST_EXTEND: return list_extend(r, arg);
    case SET_UPDATE: {
      if (!PySet_Check(r.peek(arg + 1))) return wrong_type(r, "a set");
      PyObject* iterable = r.pop();
      const int status = _PySet_Update(r.peek(arg), iterable);
      Py_DECREF(iterable);
      return status >= 0;
    }
    case BUILD_STRING: return put_together(arg);
    case BUILD_SET:
      for (int k = 1; k <= arg; ++k)
        if (!make_plain(r.peek(k))) return false;
      return build_set(r, arg);
    case BUILD_MAP:
      for (int k = 1; k <= arg; ++k)
        if (!make_plain(r.peek(2 * k))) return false;
      return build_map(r, arg);
    case BUILD_CONST_KEY_MAP: return build_const_key_map(r, arg);
    case BUILD_SLICE: return build_slice(r, arg);
    case DICT_UPDATE: return dict_update(r, arg);
    case DICT_MERGE: return dict_merge(r, arg);
    case FORMAT_VALUE: return format(arg);
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
    case POP_EXCEPT: return pop_except(r);
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

static LoopStep step_of(Next next) {
  switch (next) {
    case Next::Go: return LoopStep::Go;
    case Next::Error: return LoopStep::Error;
    case Next::Unwind: return LoopStep::Unwind;
    case Next::Enter: return LoopStep::Start;
  }
  return LoopStep::Error;
}

// Runs instructions of one frame until something else is to be done.
LoopStep Loop::run_instructions() {
  Registers& r = r_;
  PyObject** const locals = r.frame->localsplus;
  const CodeUnit* const stop = in_way() && way_->stop >= 0 ? r.code->units.data() + way_->stop : nullptr;
  const std::vector<bool>* const stops = in_way() && way_->stop == CodeFlow::kRoundEnd ? &way_->round->stops : nullptr;
  const bool watching = watched();
  Watcher* const watcher = r.hook ? r.hook->watcher : nullptr;
  bool good = true;
  for (;;) {
    if (r.next == stop || (stops && (*stops)[static_cast<size_t>(r.offset())]) || (single_ && r.next != single_)) [[unlikely]]
      return LoopStep::WayEnd;
    if (c_frame_.use_tracing) [[unlikely]]
      if (const LoopStep step = trace_instruction(); step != LoopStep::Go) return step;
    int opcode = _Py_OPCODE(*r.next), arg = _Py_OPARG(*r.next);
  dispatch:
    r.frame->prev_instr =
        reinterpret_cast<CodeUnit*>(reinterpret_cast<std::uintptr_t>(r.next) + static_cast<std::uintptr_t>(offset_shift_));
    ++r.next;
    bool check_breaker = false;
    Next next = Next::Go;
    if (watching && !before(opcode, arg)) [[unlikely]]
      return LoopStep::Error;
    if (watcher && !watcher->before(r, opcode, arg)) [[unlikely]]
      return LoopStep::Error;
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
          return LoopStep::Error;
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
        if (!cell || !PyCell_Check(cell)) return wrong_type(r, "a cell"), LoopStep::Error;
        PyObject* value = PyCell_GET(cell);
        if (!value) {
          raise_unbound_cell(r, arg);
          return LoopStep::Error;
        }
        r.push(Py_NewRef(value));
        continue;
      }
      case STORE_DEREF: {
        PyObject* cell = locals[arg];
        if (!cell || !PyCell_Check(cell)) return wrong_type(r, "a cell"), LoopStep::Error;
        PyObject* old = PyCell_GET(cell);
        PyCell_SET(cell, r.pop());
        Py_XDECREF(old);
        continue;
      }
      case LOAD_GLOBAL: good = load_global(r, arg); break;
      case LOAD_ATTR: {
        PyObject* owner = r.peek(1);
        PyObject* value = found_by_watcher(r, owner, r.name(arg));
        if (!value) value = PyObject_GetAttr(owner, r.name(arg));
        if (!value) return LoopStep::Error;
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
        if (status != 0) return LoopStep::Error;
        r.next += caches::kStoreAttr;
        continue;
      }
      case LOAD_METHOD: good = load_method(r, arg); break;
      case BINARY_OP: good = (arg == NB_REMAINDER || arg == NB_INPLACE_REMAINDER) && r.hook ? remainder(arg) : binary_op(r, arg); break;
      case BINARY_SUBSCR: {
        PyObject* key = r.pop();
        PyObject* container = r.peek(1);
        PyObject* value = PyObject_GetItem(container, key);
        // What takes no key at all raises for the program, too.
        if (!value && (PyMapping_Check(container) || PySequence_Check(container))) mark_refusal(r, {key});
        Py_DECREF(container);
        Py_DECREF(key);
        r.peek(1) = value;
        if (!value) return LoopStep::Error;
        r.next += caches::kBinarySubscr;
        continue;
      }
      case STORE_SUBSCR: {
        if (!make_plain(r.peek(1))) return LoopStep::Error;
        PyObject* key = r.pop();
        PyObject* container = r.pop();
        PyObject* value = r.pop();
        const int status = PyObject_SetItem(container, key, value);
        if (status != 0) mark_refusal(r, {key, value});
        Py_DECREF(value);
        Py_DECREF(container);
        Py_DECREF(key);
        if (status != 0) return LoopStep::Error;
        r.next += caches::kStoreSubscr;
        continue;
      }
      case COMPARE_OP: {
        PyObject* right = r.pop();
        PyObject* left = r.peek(1);
        PyObject* result = PyObject_RichCompare(left, right, arg);
        if (!result) mark_refusal(r, {left, right});
        r.peek(1) = result;
        Py_DECREF(left);
        Py_DECREF(right);
        if (!result) return LoopStep::Error;
        r.next += caches::kCompareOp;
        continue;
      }
      case IS_OP: {
        PyObject *left = r.peek(2), *right = r.peek(1), *result = nullptr;
        if (left != right && left != Py_None && right != Py_None && r.hook && r.hook->forks) {
          result = r.hook->forks->is_same(left, right, arg != 0);
          if (!result && !PyErr_Occurred() && in_program()) result = r.hook->forks->are_one_input(left, right, arg != 0);
          if (!result && PyErr_Occurred()) return LoopStep::Error;
        }
        if (!result) result = new_bool((left == right) != (arg != 0));
        r.drop();
        r.set_top(result);
        continue;
      }
      case CONTAINS_OP: good = contains_op(r, arg); break;
      case LIST_APPEND: {
        PyObject* item = r.pop();
        if (PyList_Check(r.peek(arg))) [[likely]] {
          good = PyList_Append(r.peek(arg), item) == 0;
        } else {  // a list whose length a graph computes
          const bool appends = is_carried_list(r.peek(arg));
          PyObject* done = appends ? PyObject_CallMethod(r.peek(arg), "append", "(O)", item) : nullptr;  // "O" would take a tuple apart
          good = done || (!appends && wrong_type(r, "a list"));
          Py_XDECREF(done);
        }
        Py_DECREF(item);
        break;
      }
      case BUILD_TUPLE:
      case BUILD_LIST: {
        PyObject* made = opcode == BUILD_TUPLE ? PyTuple_New(arg) : PyList_New(arg);
        if (!made) return LoopStep::Error;
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
        PyObject* iterator = in_program() ? r.hook->forks->iterator(iterable) : nullptr;
        if (!iterator && !PyErr_Occurred()) iterator = PyObject_GetIter(iterable);
        Py_DECREF(iterable);
        r.peek(1) = iterator;
        good = iterator != nullptr;
        break;
      }
      case FOR_ITER:
        next = iterate(arg);
        if (next_step_) [[unlikely]]
          return *std::exchange(next_step_, std::nullopt);
        break;
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
      case PRECALL:
        if (!fold(arg)) [[unlikely]]
          return LoopStep::Error;
        precall(r, arg);
        continue;
      case KW_NAMES: r.keywords = PyTuple_GET_ITEM(r.constants, arg); continue;
      case CALL:
        if (r.hook && (says(arg) || call_of_graph(arg))) [[unlikely]] {
          if (PyErr_Occurred()) return LoopStep::Error;
          continue;
        }
        next = call(r, arg), check_breaker = true;
        break;
      case CALL_FUNCTION_EX:
        if (r.hook && record_effect_of_call(arg)) [[unlikely]] {
          if (PyErr_Occurred()) return LoopStep::Error;
          continue;
        }
        next = call_function_ex(r, arg), check_breaker = true;
        break;
      case RAISE_VARARGS:
        next = raise_varargs(r, arg);
        if ((watching || in_way()) && PyErr_Occurred()) [[unlikely]]  // in_way(): a check of a library is a fork of its own code
          r.hook->forks->note_raise(r.frame);
        break;
      case RERAISE: next = reraise(r, arg); break;
      case END_ASYNC_FOR: next = end_async_for(r); break;
      case RETURN_VALUE: return LoopStep::Return;
      case YIELD_VALUE: return LoopStep::Yield;
      case RETURN_GENERATOR: return return_generator();
      default: good = run_one(opcode, arg);
    }
    if (!good) return std::exchange(next_step_, std::nullopt).value_or(LoopStep::Error);
    if (next != Next::Go) return step_of(next);
    if (check_breaker && breaker_set(r.thread) && handle_pending(r.thread) != 0) return LoopStep::Error;
  }
}

// What an instruction is about to write or to call, told to the forks. False with an exception set.
bool Loop::before(int opcode, int arg) {
  Forks& forks = *r_.hook->forks;
  Registers& r = r_;
  switch (opcode) {
    case STORE_FAST:
    case DELETE_FAST: return !r.frame->localsplus[arg] || forks.before_release(r.frame->localsplus[arg]);
    case STORE_DEREF:
    case DELETE_DEREF:
      return !r.frame->localsplus[arg] || !PyCell_Check(r.frame->localsplus[arg]) || forks.before_write(r.frame->localsplus[arg], nullptr);
    case STORE_ATTR: return forks.before_attribute(r.peek(1), r.name(arg), r.peek(2));
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
    case SEND: return !PyGen_CheckExact(r.peek(2)) || forks.before_generator(r.peek(2));
    case JUMP_BACKWARD: return forks.count_round();
    case CALL: {
      const bool is_method = r.peek(arg + 2) != nullptr;
      const int total = arg + (is_method ? 1 : 0);
      return forks.says(r.peek(total + 1)) || forks.before_call(r.peek(total + 1), r.top - total, total);  // says() decides
    }
    case CALL_FUNCTION_EX: {
      PyObject* args = r.peek(arg & 1 ? 2 : 1);
      PyObject* const* items = PyTuple_CheckExact(args) ? &PyTuple_GET_ITEM(args, 0) : nullptr;
      return forks.says(r.peek(arg & 1 ? 3 : 2)) || forks.before_call(r.peek(arg & 1 ? 3 : 2), items, items ? PyTuple_GET_SIZE(args) : 0);
    }
    default: return true;
  }
}

// What stands for zip(..., strict=True).
static PyObject* strict_zip() {
  static PyObject* const found = [] {
    PyObject* module = PyImport_ImportModule("monograph._loops");
    PyObject* function = module ? PyObject_GetAttrString(module, "strict_zip") : nullptr;
    forget_error();
    Py_XDECREF(module);
    return function;
  }();
  return found;
}

// zip(..., strict=True) and enumerate(..., start=k).
PyObject* Loop::call_with_keyword(PyObject* function, int arg) {
  if (PyTuple_GET_SIZE(r_.keywords) != 1) return nullptr;
  const auto is = [&](PyTypeObject* type, const char* word) {
    return function == reinterpret_cast<PyObject*>(type) && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(r_.keywords, 0), word) == 0;
  };
  Forks& forks = *r_.hook->forks;
  if (arg == 2 && is(&PyEnum_Type, "start")) return forks.call(function, r_.top - arg, 2);
  if (arg < 2 || !is(&PyZip_Type, "strict") || !PyBool_Check(r_.peek(1)) || !strict_zip()) return nullptr;
  return forks.call(r_.peek(1) == Py_True ? strict_zip() : function, r_.top - arg, static_cast<size_t>(arg - 1));
}

bool Loop::call_of_graph(int arg) {
  const bool is_method = r_.peek(arg + 2) != nullptr;
  if (is_method || !in_program()) return false;
  Forks& forks = *r_.hook->forks;
  PyObject* function = r_.peek(arg + 1);
  PyObject* value = nullptr;
  if (arg == 0) return false;
  static PyObject* const is = PyObject_GetAttrString(PyImport_AddModule("_operator"), "is_");
  static PyObject* const is_not = PyObject_GetAttrString(PyImport_AddModule("_operator"), "is_not");
  if (r_.keywords) {
    value = call_with_keyword(function, arg);
    if (value) r_.keywords = nullptr;
  } else if (function == reinterpret_cast<PyObject*>(&PyBool_Type)) {
    value = arg == 1 ? forks.truth(r_.peek(1), false) : nullptr;
  } else if (arg == 2 && (function == is || function == is_not)) {
    if (r_.peek(1) != r_.peek(2)) value = forks.is_same(r_.peek(2), r_.peek(1), function == is_not);
  } else if (forks.takes(function)) {
    value = forks.call(function, r_.top - arg, static_cast<size_t>(arg));
  }
  if (!value) return PyErr_Occurred() != nullptr;
  for (int k = 0; k < arg + 2; ++k) Py_XDECREF(r_.pop());
  r_.push(value);
  r_.next += caches::kCall;
  return true;
}

PyObject* evaluate(PyThreadState* thread, PythonFrame* entry, bool throwing, JumpHook* hook) {
  const NativeCall none(nullptr);
  return Loop(thread, entry, hook).run(throwing);
}

int64_t frame_count() { return frames.load(std::memory_order_relaxed); }

}  // namespace monograph::capture::machine
#endif
