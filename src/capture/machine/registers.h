// The running frame as the handlers of instructions see it.
#pragma once

#include "capture/machine/code.h"

#ifdef MONOGRAPH_MACHINE
#include <initializer_list>

#include "capture/machine/machine.h"

namespace monograph::capture::machine {

// How many cache units follow an instruction.
namespace caches {
constexpr int kBinaryOp = 1, kBinarySubscr = 4, kStoreSubscr = 1, kCompareOp = 2, kUnpackSequence = 1, kLoadAttr = 4, kStoreAttr = 4,
              kLoadGlobal = 5, kLoadMethod = 10, kPrecall = 1, kCall = 4;
}  // namespace caches

struct Registers {
  PyThreadState* thread;
  PythonFrame* frame;
  const CodeInfo* code;
  PyObject** top;        // one past the topmost value
  const CodeUnit* next;  // the next unit to run, in code->units
  PyObject* names;       // co_names
  PyObject* constants;
  PyObject* keywords;  // borrowed: set by KW_NAMES for the CALL that follows
  _PyCFrame* c_frame;
  JumpHook* hook;
  bool calls_natively;  // calls of Python functions and steps of generators are CPython's, and not frames of this loop

  void push(PyObject* o) { *top++ = o; }
  PyObject* pop() { return *--top; }
  PyObject*& peek(int n) { return top[-n]; }
  void drop() { Py_DECREF(pop()); }
  PyObject* name(int i) const { return PyTuple_GET_ITEM(names, i); }
  int offset() const { return static_cast<int>(next - code->units.data()); }
  void jump_to(int offset) { next = code->units.data() + offset; }
  // Replaces the topmost value by a result, which may be null.
  bool set_top(PyObject* result) {
    PyObject* old = top[-1];
    top[-1] = result;
    Py_DECREF(old);
    return result != nullptr;
  }
  bool push_checked(PyObject* result) {
    if (!result) return false;
    push(result);
    return true;
  }
};

// Bytecode that is not the compiler's may give an instruction a value of another type. CPython would crash; here it is an error.
bool wrong_type(Registers& r, const char* expected);

inline PyObject* new_bool(bool b) { return Py_NewRef(b ? Py_True : Py_False); }

// How a handler ends that may switch frames.
enum class Next : uint8_t {
  Go,      // the next instruction of the same frame
  Error,   // an exception is set that does not know this frame yet
  Unwind,  // an exception is set whose traceback is complete
  Enter,   // r.thread->cframe->current_frame is a new frame to start
};

// Handlers return false with an exception set. What they leave on the stack is dropped by the loop. `arg` is the argument of the instruction.

// Operators and containers: operators.cpp, containers.cpp.
bool binary_op(Registers& r, int arg);
bool contains_op(Registers& r, int arg);
bool format_value(Registers& r, int arg);
bool unpack_sequence(Registers& r, int before, int after);
bool list_extend(Registers& r, int arg);
bool build_string(Registers& r, int arg);
bool build_set(Registers& r, int arg);
bool build_map(Registers& r, int arg);
bool build_const_key_map(Registers& r, int arg);
bool build_slice(Registers& r, int arg);
bool dict_update(Registers& r, int arg);
bool dict_merge(Registers& r, int arg);

// Names, attributes, cells and imports: names.cpp.
void raise_unbound_local(Registers& r, int index);
void raise_unbound_cell(Registers& r, int index);
bool load_name(Registers& r, int arg);
bool store_name(Registers& r, int arg);
bool delete_name(Registers& r, int arg);
bool load_global(Registers& r, int arg);
bool delete_global(Registers& r, int arg);
bool load_classderef(Registers& r, int arg);
bool load_method(Registers& r, int arg);
inline PyObject* found_by_watcher(Registers& r, PyObject* owner, PyObject* name) {
  return r.hook && r.hook->watcher ? r.hook->watcher->attribute(owner, name) : nullptr;
}
bool load_build_class(Registers& r);
bool setup_annotations(Registers& r);
bool import_name(Registers& r, int arg);
bool import_from(Registers& r, int arg);
bool import_star(Registers& r);

// Calls: calls.cpp.
void precall(Registers& r, int arg);
Next call(Registers& r, int arg);
Next call_function_ex(Registers& r, int arg);
bool make_function(Registers& r, int arg);
bool print_expression(Registers& r);
// A frame for the call, which owns what it needs; null without an exception if the arguments do not fit: CPython's own call then raises the error.
PythonFrame* bind_arguments(PyFunctionObject* function, PyObject* const* args, Py_ssize_t count, PyObject* keywords);
void raise_keywords_error(PyObject* function, PyObject* keywords);

// Exceptions, `with` and `match`: exceptions.cpp, match.cpp.
Next raise_varargs(Registers& r, int arg);
Next reraise(Registers& r, int arg);
Next end_async_for(Registers& r);
bool check_exc_match(Registers& r);
bool check_eg_match(Registers& r);
bool prep_reraise_star(Registers& r);
bool before_with(Registers& r, bool is_async);
bool with_except_start(Registers& r);
bool push_exc_info(Registers& r);
bool pop_except(Registers& r);
bool match_class(Registers& r, int arg);
bool match_keys(Registers& r);

// What a capture refuses: refusals.cpp. Whether the program itself would not have got the exception, and whether a handler of this type is ready for it.
bool is_refusal(const Registers& r, PyObject* value, PyObject* before);
bool names_refusals(PyObject* type);
// The exception that is set is a refusal if it is a TypeError that C code has raised because an operand stands for a value of the graph.
void mark_refusal(const Registers& r, std::initializer_list<PyObject*> operands);

// Generators and coroutines: generators.cpp.
bool get_aiter(Registers& r);
bool get_anext(Registers& r);
bool get_awaitable(Registers& r, int arg);
bool get_yield_from_iter(Registers& r);
bool async_gen_wrap(Registers& r);
Next send(Registers& r, int arg);
Next for_iter(Registers& r, int arg);
// If the generator can run in the machine without the C stack, makes its frame the current one and takes `value`.
bool enter_if_possible(Registers& r, PyObject* generator, PyObject* value);
// Makes of a StopIteration that is set what CPython makes of one that leaves a generator.
void raise_as_generator();
// Ends the run of a generator's frame that the machine entered; `result` is null with an exception set.
void finish_generator(Registers& r, PythonFrame* frame, bool raised);

}  // namespace monograph::capture::machine
#endif
