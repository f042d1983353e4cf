// Follows every way through a code object with the depth of the stack, and checks each instruction on it: its argument, where it leads, and what it takes from
// the stack.
#include "capture/machine/verify.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>
#include <cstdarg>

#include "capture/machine/registers.h"

namespace monograph::capture::machine {
namespace {

int cache_count(int opcode) {
  switch (opcode) {
    case BINARY_OP: return caches::kBinaryOp;
    case BINARY_SUBSCR: return caches::kBinarySubscr;
    case STORE_SUBSCR: return caches::kStoreSubscr;
    case COMPARE_OP: return caches::kCompareOp;
    case UNPACK_SEQUENCE: return caches::kUnpackSequence;
    case LOAD_ATTR: return caches::kLoadAttr;
    case STORE_ATTR: return caches::kStoreAttr;
    case LOAD_GLOBAL: return caches::kLoadGlobal;
    case LOAD_METHOD: return caches::kLoadMethod;
    case PRECALL: return caches::kPrecall;
    case CALL: return caches::kCall;
    default: return 0;
  }
}

constexpr int kMaxArgument = 1 << 28;  // twice as much is an int still

// A place of the stack holds a value; or null, or one of both, which only calls take.
using Stack = std::vector<bool>;  // "may be null" for each value

class BytecodeVerifier {
 public:
  BytecodeVerifier(PyCodeObject* code, const CodeInfo& info)
      : code_(code), info_(info), size_(static_cast<int>(info.units.size())), stacks_(info.units.size()), reached_(info.units.size()) {}

  bool run() {
    for (const Handler& h : info_.handlers)
      if (h.begin < 0 || h.end > size_ || h.begin >= h.end || h.target < 0 || h.target >= size_ || h.depth < 0)
        return wrong(0, "an entry of the exception table is out of range");
    if (size_ == 0) return wrong(0, "there are no instructions");
    if (!arrive(0, {}, 0)) return false;
    while (!todo_.empty()) {
      const int offset = todo_.back();
      todo_.pop_back();
      if (!step(offset)) return false;
    }
    return true;
  }

 private:
  bool wrong(int offset, const char* format, ...) {
    va_list args;
    va_start(args, format);
    PyObject* what = PyUnicode_FromFormatV(format, args);
    va_end(args);
    if (what) {
      const int line = PyCode_Addr2Line(code_, offset * static_cast<int>(sizeof(CodeUnit)));
      PyErr_Format(bytecode_error(), "the bytecode of %U (%U:%d) cannot run: %U at offset %d", code_->co_qualname, code_->co_filename,
                   line > 0 ? line : code_->co_firstlineno, what, offset * static_cast<int>(sizeof(CodeUnit)));
    }
    Py_XDECREF(what);
    return false;
  }

  // A way leads from `from` to `offset` with this stack.
  bool arrive(int offset, const Stack& stack, int from) {
    if (offset < 0 || offset >= size_) return wrong(from, "it leads out of the code");
    const auto at = static_cast<size_t>(offset);
    if (static_cast<int>(stack.size()) > code_->co_stacksize) return wrong(from, "the stack is deeper than %d values", code_->co_stacksize);
    if (!reached_[at]) {
      reached_[at] = true;
      stacks_[at] = stack;
      todo_.push_back(offset);
      return true;
    }
    Stack& known = stacks_[at];
    if (known.size() != stack.size()) return wrong(offset, "the stack is of two depths");
    bool changed = false;
    for (size_t i = 0; i < stack.size(); ++i)
      if (stack[i] && !known[i]) known[i] = changed = true;
    if (changed) todo_.push_back(offset);
    return true;
  }

  bool step(int start) {
    const Decoded d = decode(info_.units, start);
    if (d.end > size_) return wrong(start, "the code ends inside of an instruction");
    if (d.arg < 0 || d.arg > kMaxArgument) return wrong(d.offset, "its argument is too big");
    StackEffect effect;
    if (!stack_effect(d, effect)) {
      // PyCode_GetCode() has no number for instructions that do not exist.
      const int raw = _Py_OPCODE(_PyCode_CODE(code_)[d.offset]);
      return wrong(d.offset, "unknown opcode %d", raw);
    }
    if (!check_argument(d)) return false;
    Stack stack = stacks_[static_cast<size_t>(start)];
    for (int i = start; i <= d.offset; ++i)
      if (const Handler* h = info_.handler_at(i); h && !enter_handler(*h, stack, i)) return false;
    if (static_cast<int>(stack.size()) < effect.pops)
      return wrong(d.offset, "the stack has %d values of %d", static_cast<int>(stack.size()), effect.pops);
    Stack before = stack;
    if (!apply(d, effect, stack)) return wrong(d.offset, "a value is missing");
    const Successors ways = successors(d);
    if (ways.next >= 0 && !arrive(ways.next, stack, d.offset)) return false;
    if (ways.jump < 0 && !jumps(d.opcode)) return true;
    before.resize(before.size() - static_cast<size_t>(effect.pops));
    before.resize(before.size() + static_cast<size_t>(effect.jump_pushes), false);
    return arrive(ways.jump, before, d.offset);
  }

  static bool jumps(int opcode) { return successors({opcode, 0, 0, 1}).jump >= 0; }

  bool enter_handler(const Handler& h, const Stack& stack, int from) {
    if (static_cast<int>(stack.size()) < h.depth) return wrong(from, "the stack is not as deep as its handler says");
    Stack inside(stack.begin(), stack.begin() + h.depth);
    if (std::find(inside.begin(), inside.end(), true) != inside.end()) return wrong(from, "a value is missing below its handler");
    inside.insert(inside.end(), h.push_offset ? 2 : 1, false);
    return arrive(h.target, inside, from);
  }

  // The stack behind an instruction; false where it takes a null that it cannot use.
  static bool apply(const Decoded& d, const StackEffect& effect, Stack& stack) {
    const size_t n = stack.size();
    const auto arg = static_cast<size_t>(d.arg);
    switch (d.opcode) {
      case PUSH_NULL: stack.push_back(true); return true;
      case LOAD_GLOBAL:
        if (d.arg & 1) stack.push_back(true);
        stack.push_back(false);
        return true;
      case LOAD_METHOD:
        if (stack.back()) return false;
        stack.back() = true;
        stack.push_back(false);
        return true;
      case COPY: stack.push_back(stack[n - arg]); return true;
      case SWAP: {
        const bool top = stack[n - 1];
        stack[n - 1] = stack[n - arg];
        stack[n - arg] = top;
        return true;
      }
      default: break;
    }
    const bool call = d.opcode == PRECALL || d.opcode == CALL || d.opcode == CALL_FUNCTION_EX;
    for (size_t i = n - static_cast<size_t>(effect.pops); i < n; ++i)
      if (stack[i] && !(call && i == n - static_cast<size_t>(effect.pops))) return false;
    if (d.opcode == PRECALL) return true;
    stack.resize(n - static_cast<size_t>(effect.pops));
    stack.resize(stack.size() + static_cast<size_t>(effect.pushes), false);
    return true;
  }

  static bool are_texts(PyObject* names) {
    if (!PyTuple_CheckExact(names)) return false;
    return std::all_of(&PyTuple_GET_ITEM(names, 0), &PyTuple_GET_ITEM(names, 0) + PyTuple_GET_SIZE(names),
                       [](PyObject* name) { return PyUnicode_Check(name) != 0; });
  }
  // KW_NAMES lets the next call of the frame know; one that does not follow at once would be another one.
  bool stands_before_call(const Decoded& names) const {
    if (names.end >= size_) return false;
    const Decoded precall = decode(info_.units, names.end);
    return precall.opcode == PRECALL && precall.end < size_ && decode(info_.units, precall.end).opcode == CALL;
  }

  bool check_argument(const Decoded& d) {
    const auto below = [&](Py_ssize_t limit, int index, const char* what) {
      return index >= 0 && index < limit ? true : wrong(d.offset, "there is no %s %d", what, index);
    };
    switch (d.opcode) {
      case LOAD_CONST: return below(PyTuple_GET_SIZE(code_->co_consts), d.arg, "constant");
      case KW_NAMES:
        return below(PyTuple_GET_SIZE(code_->co_consts), d.arg, "constant") &&
               (are_texts(PyTuple_GET_ITEM(code_->co_consts, d.arg)) || wrong(d.offset, "the names of keywords are no tuple of texts")) &&
               (stands_before_call(d) || wrong(d.offset, "no call follows the names of its keywords"));
      case LOAD_GLOBAL: return below(PyTuple_GET_SIZE(code_->co_names), d.arg >> 1, "name");
      case LOAD_NAME:
      case STORE_NAME:
      case DELETE_NAME:
      case STORE_GLOBAL:
      case DELETE_GLOBAL:
      case LOAD_ATTR:
      case STORE_ATTR:
      case DELETE_ATTR:
      case LOAD_METHOD:
      case IMPORT_NAME:
      case IMPORT_FROM: return below(PyTuple_GET_SIZE(code_->co_names), d.arg, "name");
      case LOAD_FAST:
      case STORE_FAST:
      case DELETE_FAST:
      case MAKE_CELL:
      case LOAD_CLOSURE:
      case LOAD_DEREF:
      case STORE_DEREF:
      case DELETE_DEREF:
      case LOAD_CLASSDEREF: return below(code_->co_nlocalsplus, d.arg, "variable");
      case COPY_FREE_VARS:
        return d.arg == code_->co_nfreevars || wrong(d.offset, "there are %d free variables, not %d", code_->co_nfreevars, d.arg);
      case JUMP_BACKWARD_NO_INTERRUPT: {
        // Signals are not looked at here, since the loop of `yield from` looks at them in the inner generator.
        const int target = d.end - d.arg;
        return target < 0 || _Py_OPCODE(info_.units[static_cast<size_t>(target)]) == SEND ||
               wrong(d.offset, "it is not the loop of a SEND");
      }
      case COPY:
      case SWAP: return d.arg > 0 || wrong(d.offset, "its argument is 0");
      case COMPARE_OP: return below(Py_GE + 1, d.arg, "comparison");
      case BINARY_OP: return below(NB_INPLACE_XOR + 1, d.arg, "operator");
      case IS_OP:
      case CONTAINS_OP: return d.arg <= 1 || wrong(d.offset, "its argument is %d, not 0 or 1", d.arg);
      case RAISE_VARARGS: return d.arg <= 2 || wrong(d.offset, "it takes at most 2 values, not %d", d.arg);
      default: return true;
    }
  }

  PyCodeObject* code_;
  const CodeInfo& info_;
  int size_;
  std::vector<Stack> stacks_;
  std::vector<bool> reached_;
  std::vector<int> todo_;
};

}  // namespace

Decoded decode(const std::vector<CodeUnit>& units, int offset) {
  const int size = static_cast<int>(units.size());
  Decoded d;
  d.opcode = _Py_OPCODE(units[static_cast<size_t>(offset)]);
  d.arg = _Py_OPARG(units[static_cast<size_t>(offset)]);
  while (d.opcode == EXTENDED_ARG && offset + 1 < size) {
    const CodeUnit unit = units[static_cast<size_t>(++offset)];
    d.opcode = _Py_OPCODE(unit);
    d.arg = static_cast<int>(static_cast<unsigned>(d.arg) << 8 | _Py_OPARG(unit));
  }
  d.offset = offset;
  d.end = offset + 1 + cache_count(d.opcode);
  return d;
}

Successors successors(const Decoded& d) {
  switch (d.opcode) {
    case RETURN_VALUE:
    case RAISE_VARARGS:
    case RERAISE: return {};
    case JUMP_FORWARD: return {-1, d.end + d.arg};
    case JUMP_BACKWARD:
    case JUMP_BACKWARD_NO_INTERRUPT: return {-1, d.end - d.arg};
    case FOR_ITER:
    case SEND:
    case JUMP_IF_FALSE_OR_POP:
    case JUMP_IF_TRUE_OR_POP:
    case POP_JUMP_FORWARD_IF_FALSE:
    case POP_JUMP_FORWARD_IF_TRUE:
    case POP_JUMP_FORWARD_IF_NONE:
    case POP_JUMP_FORWARD_IF_NOT_NONE: return {d.end, d.end + d.arg};
    case POP_JUMP_BACKWARD_IF_FALSE:
    case POP_JUMP_BACKWARD_IF_TRUE:
    case POP_JUMP_BACKWARD_IF_NONE:
    case POP_JUMP_BACKWARD_IF_NOT_NONE: return {d.end, d.end - d.arg};
    default: return {d.end, -1};
  }
}

bool stack_effect(const Decoded& d, StackEffect& e) {
  const int arg = d.arg;
  switch (d.opcode) {
    case NOP:
    case RESUME:
    case MAKE_CELL:
    case COPY_FREE_VARS:
    case DELETE_FAST:
    case DELETE_DEREF:
    case DELETE_NAME:
    case DELETE_GLOBAL:
    case SETUP_ANNOTATIONS:
    case KW_NAMES:
    case JUMP_FORWARD:
    case JUMP_BACKWARD:
    case JUMP_BACKWARD_NO_INTERRUPT: e = {0, 0}; return true;
    case PUSH_NULL:
    case LOAD_CONST:
    case LOAD_FAST:
    case LOAD_CLOSURE:
    case LOAD_DEREF:
    case LOAD_CLASSDEREF:
    case LOAD_NAME:
    case LOAD_ASSERTION_ERROR:
    case LOAD_BUILD_CLASS:
    case RETURN_GENERATOR: e = {0, 1}; return true;  // the frame of a generator starts with the value that is sent
    case LOAD_GLOBAL: e = {0, 1 + (arg & 1)}; return true;
    case POP_TOP:
    case STORE_FAST:
    case STORE_DEREF:
    case STORE_NAME:
    case STORE_GLOBAL:
    case DELETE_ATTR:
    case PRINT_EXPR:
    case IMPORT_STAR:
    case POP_EXCEPT:
    case RETURN_VALUE:
    case POP_JUMP_FORWARD_IF_FALSE:
    case POP_JUMP_FORWARD_IF_TRUE:
    case POP_JUMP_FORWARD_IF_NONE:
    case POP_JUMP_FORWARD_IF_NOT_NONE:
    case POP_JUMP_BACKWARD_IF_FALSE:
    case POP_JUMP_BACKWARD_IF_TRUE:
    case POP_JUMP_BACKWARD_IF_NONE:
    case POP_JUMP_BACKWARD_IF_NOT_NONE: e = {1, 0}; return true;
    case JUMP_IF_FALSE_OR_POP:
    case JUMP_IF_TRUE_OR_POP: e = {1, 0, 1}; return true;
    case UNARY_POSITIVE:
    case UNARY_NEGATIVE:
    case UNARY_NOT:
    case UNARY_INVERT:
    case LIST_TO_TUPLE:
    case LOAD_ATTR:
    case GET_ITER:
    case GET_YIELD_FROM_ITER:
    case GET_AITER:
    case GET_AWAITABLE:
    case ASYNC_GEN_WRAP:
    case YIELD_VALUE: e = {1, 1}; return true;
    case GET_LEN:
    case MATCH_MAPPING:
    case MATCH_SEQUENCE:
    case IMPORT_FROM:
    case GET_ANEXT:
    case LOAD_METHOD:
    case BEFORE_WITH:
    case BEFORE_ASYNC_WITH:
    case PUSH_EXC_INFO: e = {1, 2}; return true;
    case MATCH_KEYS: e = {2, 3}; return true;
    case FOR_ITER: e = {1, 2, 0}; return true;
    case SEND: e = {2, 2, 1}; return true;
    case BINARY_OP:
    case BINARY_SUBSCR:
    case COMPARE_OP:
    case IS_OP:
    case CONTAINS_OP:
    case IMPORT_NAME:
    case PREP_RERAISE_STAR: e = {2, 1}; return true;
    case CHECK_EXC_MATCH:
    case CHECK_EG_MATCH: e = {2, 2}; return true;
    case STORE_ATTR:
    case DELETE_SUBSCR:
    case END_ASYNC_FOR: e = {2, 0}; return true;
    case STORE_SUBSCR: e = {3, 0}; return true;
    case MATCH_CLASS: e = {3, 1}; return true;
    case WITH_EXCEPT_START: e = {4, 5}; return true;
    case COPY: e = {arg, arg + 1}; return true;
    case SWAP: e = {arg, arg}; return true;
    case BUILD_TUPLE:
    case BUILD_LIST:
    case BUILD_SET:
    case BUILD_STRING: e = {arg, 1}; return true;
    case BUILD_MAP: e = {2 * arg, 1}; return true;
    case BUILD_CONST_KEY_MAP: e = {arg + 1, 1}; return true;
    case BUILD_SLICE: e = {arg == 3 ? 3 : 2, 1}; return true;
    case FORMAT_VALUE: e = {arg & 4 ? 2 : 1, 1}; return true;
    case UNPACK_SEQUENCE: e = {1, arg}; return true;
    case UNPACK_EX: e = {1, (arg & 0xFF) + 1 + (arg >> 8)}; return true;
    // These write to a container that lies deeper.
    case LIST_APPEND:
    case SET_ADD:
    case LIST_EXTEND:
    case SET_UPDATE:
    case DICT_UPDATE: e = {arg + 1, arg}; return arg > 0;
    case DICT_MERGE: e = {std::max(arg + 3, 1), arg + 2}; return arg > 0;  // and names the function in its error
    case MAP_ADD: e = {arg + 2, arg}; return arg > 0;
    case RAISE_VARARGS: e = {std::min(arg, 2), 0}; return true;
    case RERAISE: e = {arg + 1, arg}; return true;
    case PRECALL: e = {arg + 2, arg + 2}; return true;
    case CALL: e = {arg + 2, 1}; return true;
    case CALL_FUNCTION_EX: e = {3 + (arg & 1), 1}; return true;
    case MAKE_FUNCTION: e = {1 + (arg & 1) + (arg >> 1 & 1) + (arg >> 2 & 1) + (arg >> 3 & 1), 1}; return true;
    default: return false;
  }
}

bool verify(PyCodeObject* code, const CodeInfo& info) { return BytecodeVerifier(code, info).run(); }

}  // namespace monograph::capture::machine
#endif
