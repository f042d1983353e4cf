// The life of a fork: begin, the first way, the second way, and the join or the guard. Forks nest, so they are a stack.
#include "capture/machine/forks.h"

#ifdef MONOGRAPH_MACHINE
#include <string_view>

namespace monograph::capture::machine {

namespace {
constexpr size_t kDepth = 50;  // ways inside of ways: the C stack and the passes over the graph bear no more
constexpr int kCancelled = 32;  // of one capture: the code behind such a fork runs once for each of its ways
constexpr size_t kWideDepth = 5;
constexpr int kForks = 1'000;  // of one capture: returns in the middle can make code run once for each way to it
}  // namespace

std::unordered_set<FrameSlots*>& FrameSlots::all() {
  thread_local std::unordered_set<FrameSlots*> alive;
  return alive;
}

std::vector<const UndoLog*> Forks::all_logs() const {
  std::vector<const UndoLog*> logs;
  for (const auto& arm : arms_)
    for (const auto& log : arm->logs)
      if (log) logs.push_back(log.get());
  for (const auto& loop : loops_)
    if (loop->log) logs.push_back(loop->log.get());
  return logs;
}

Forks::Forks(ForkRecorder& recorder, PyObject* abort)
    : recorder_(recorder),
      abort_(abort),
      unread_(PyObject_CallNoArgs(reinterpret_cast<PyObject*>(&PyBaseObject_Type))),
      caller_(PyThreadState_Get()->cframe->current_frame),
      handled_(PyThreadState_Get()->exc_info->exc_value) {}

Forks::~Forks() {
  for (const auto& [globals, program] : programs_) Py_DECREF(globals);
  Py_XDECREF(unread_);
  Py_XDECREF(raised_);
}

CodeFlow* Forks::flow(PyCodeObject* code) {
  std::unique_ptr<CodeFlow>& flow = flows_[code];
  if (!flow) {
    const CodeInfo* info = info_of(code);
    if (!info) return nullptr;
    Py_INCREF(code);  // for good: its data says that the machine ran it
    flow = std::make_unique<CodeFlow>(code, *info);
  }
  return flow.get();
}

int Forks::begin(PyObject* condition) {
  if (arms_.size() >= kDepth || forks_ >= kForks) return 2;
  const int taken = recorder_.begin(condition);
  if (taken != 0 && taken != 1) return taken;
  ++forks_;
  arms_.push_back(std::make_unique<Arm>());
  arms_.back()->mode = recorder_.mode();
  arms_.back()->first_failure = std::exchange(cancelled_failure_, {});
  for (auto& log : arms_.back()->logs) log = std::make_unique<UndoLog>();
  return taken;
}

bool Forks::end_first() {
  Arm& arm = *arms_.back();
  arm.mode_after_first = recorder_.mode();
  arm.undone = true;
  return arm.logs[0]->undo();
}

bool Forks::begin_second() {
  arms_.back()->second = true;
  arms_.back()->made_second = std::make_unique<MadeObjects>(true);
  if (arms_.back()->mode_after_first != arms_.back()->mode) recorder_.restore_mode(arms_.back()->mode);
  recorder_.begin_second();
  return true;
}

bool Forks::end_second(bool first_goes_on, bool second_goes_on) {
  Arm& arm = *arms_.back();
  const bool same = recorder_.mode() == arm.mode_after_first;
  if (first_goes_on && second_goes_on && !same) fail("the sides leave gradients, or another mode, switched otherwise");
  arm.of_second = !first_goes_on;
  if (first_goes_on && !same) recorder_.restore_mode(arm.mode_after_first);
  return arm.logs[1]->undo();
}

// What a fork has written, the way around it has. A generator that this way has made goes with it, and is not put back.
bool Forks::note_outside(PyObject* o, PyObject* before) {
  return arms_.empty() || (PyGen_CheckExact(o) && is_made_here(o)) || log().note(o, before);
}

bool Forks::give_up() {
  std::unique_ptr<Arm> arm = std::move(arms_.back());
  arms_.pop_back();
  bool good = true;
  if (arm->of_second) recorder_.restore_mode(arm->mode_after_first);
  if (!arm->first_failure.empty()) arm->failure = arm->first_failure;
  if (!recorder_.has_example()) {
    if (!arm->undone) arm->logs[0]->undo();
    return recorder_.give_up(arm->failure) > 0;
  }
  for (const UndoLog::Entry& e : arm->logs[0]->entries()) {
    good = note_outside(e.object, e.before) && good;
    if (arm->undone) good = set_content(e.object, e.after) && good;
  }
  const int kept = recorder_.give_up(arm->failure);
  return kept == 0 ? irreversible(arm->failure) : kept > 0 && good;
}

void Forks::drop_second(FrameSlots& slots) {
  if (arms_.back()->made_second) arms_.back()->made_second->silence();
  slots.clear();
}

bool Forks::cancel(FrameSlots& first, FrameSlots& second) {
  if (cancelled_ >= kCancelled || arms_.size() > kWideDepth || !recorder_.cancel()) return false;
  ++cancelled_;
  Arm& arm = *arms_.back();
  arm.made.silence();
  first.clear(), second.clear();
  if (recorder_.mode() != arm.mode) recorder_.restore_mode(arm.mode);
  cancelled_failure_ = arm.first_failure.empty() ? arm.failure : arm.first_failure;
  arms_.pop_back();
  return true;
}

// --- Exceptions that a way raises.

static int line_of(PythonFrame* frame) {
  return PyCode_Addr2Line(frame->f_code, last_instruction(frame) * static_cast<int>(sizeof(CodeUnit)));
}

void Forks::note_raise(PythonFrame* frame) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Py_XSETREF(raised_, Py_XNewRef(value));
  if (value) recorder_.at_raise(value, frame->f_code, line_of(frame));
  PyErr_Restore(type, value, traceback);
}

namespace {

// An exception without a text, or with one text, is a node; others have no form in a graph.
bool has_one_text(PyObject* exception, ForkRecorder& recorder) {
  PyObject* args = PyObject_GetAttrString(exception, "args");
  const bool plain = args && PyTuple_Check(args) &&
                     (PyTuple_GET_SIZE(args) == 0 || (PyTuple_GET_SIZE(args) == 1 && (PyUnicode_CheckExact(PyTuple_GET_ITEM(args, 0)) ||
                                                                                      recorder.is_message(PyTuple_GET_ITEM(args, 0)))));
  if (!args) forget_error();
  Py_XDECREF(args);
  return plain;
}

// Exceptions that C code takes as an answer: the end of an iterator, a missing attribute or key.
bool may_be_an_answer(PyObject* exception) {
  for (PyObject* type : {PyExc_StopIteration, PyExc_StopAsyncIteration, PyExc_GeneratorExit, PyExc_AttributeError, PyExc_LookupError})
    if (PyErr_GivenExceptionMatches(exception, type)) return true;
  return !PyErr_GivenExceptionMatches(exception, PyExc_Exception);
}

}  // namespace

namespace {

// Whether `with` has called this as __exit__, and it lets every exception pass: one of this package, which switches a mode.
bool lets_pass(PyObject* exit) {
  if (!exit || !PyMethod_Check(exit)) return false;
  PyTypeObject* type = Py_TYPE(PyMethod_GET_SELF(exit));
  PyObject* home = PyDict_GetItemString(type->tp_dict, "__module__");
  const char* name = home && PyUnicode_Check(home) ? PyUnicode_AsUTF8(home) : nullptr;
  if (!name) PyErr_Clear();
  return name && (std::string_view(name) == "monograph.autograd.grad_mode" || std::string_view(name) == "monograph.amp.autocast_mode");
}

// Whether a handler around the instruction that runs in this frame may catch what it raises.
bool may_catch(PythonFrame* f, const CodeInfo& info) {
  const auto opcode = [&](size_t at) { return at < info.units.size() ? _Py_OPCODE(info.units[at]) : 0; };
  int at = last_instruction(f);
  while (const Handler* handler = info.handler_at(at)) {
    auto target = static_cast<size_t>(handler->target);
    const bool of_with = opcode(target) == PUSH_EXC_INFO && opcode(target + 1) == WITH_EXCEPT_START;
    if (of_with && !lets_pass(f->localsplus[f->f_code->co_nlocalsplus + handler->depth - 1])) return true;
    if (!of_with && !(opcode(target) == COPY && opcode(target + 1) == POP_EXCEPT)) return true;  // not the end of a handler
    while (opcode(target) != RERAISE && target < info.units.size()) ++target;
    if (static_cast<int>(target) <= at) return true;
    at = static_cast<int>(target);
  }
  return false;
}

}  // namespace

PyObject* Forks::uncaught_raise(PythonFrame* frame) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* found = value && value == raised_ && has_one_text(value, recorder_) ? Py_NewRef(value) : nullptr;
  for (PythonFrame* f = frame; found && f && f != caller_; f = f->previous) {
    const CodeInfo* info = belongs_to_program(f->f_globals) ? info_of(f->f_code) : nullptr;
    const bool caught = info && may_catch(f, *info);
    if (caught) {
      caught_ = value;
      const char* file = PyUnicode_AsUTF8(f->f_code->co_filename);
      if (!file) PyErr_Clear();
      caught_at_ = std::string(file ? file : "?") + ":" + std::to_string(line_of(f));
    }
    if (caught || (f->is_entry && f->previous != caller_ && may_be_an_answer(value))) Py_CLEAR(found);
  }
  PyErr_Restore(type, value, traceback);
  return found;
}

bool Forks::keep_beside_raise(bool second, PyObject* exception) {
  if (raised_ == exception) Py_CLEAR(raised_);  // its traceback holds the frames of the way, and what these made
  std::unique_ptr<Arm> arm = std::move(arms_.back());
  arms_.pop_back();
  PyObject* fields = reinterpret_cast<PyBaseExceptionObject*>(exception)->dict;  // what the way has set there was undone
  PyObject* ended = fields ? arm->logs[second ? 0 : 1]->content(fields) : nullptr;
  bool good = !ended || PyDict_Update(fields, ended) == 0;
  for (const UndoLog::Entry& e : arm->logs[second]->entries()) {
    good = note_outside(e.object, e.before) && good;
    good = set_content(e.object, e.after) && good;
  }
  return recorder_.keep_beside_raise(second, exception) > 0 && good;
}

bool Forks::refuse_effect(PyObject* function, PyObject* const* args, Py_ssize_t count) {
  static PyObject* const print = builtin("print");
  return function == print ? irreversible("it prints what a graph cannot show") : before_call(function, args, count);
}

// Whether what runs now runs on types alone: a second way, or the body of a loop.
bool Forks::types_only() const {
  for (const auto& arm : arms_)
    if (arm->second) return true;
  return false;
}

bool Forks::counts(PyObject* function) {
  if (PyType_Check(function))
    return function == reinterpret_cast<PyObject*>(&PyRange_Type) || function == reinterpret_cast<PyObject*>(&PyEnum_Type) ||
           function == reinterpret_cast<PyObject*>(&PyLong_Type) || function == reinterpret_cast<PyObject*>(&PyType_Type) ||
           function == reinterpret_cast<PyObject*>(&PyFloat_Type) || function == reinterpret_cast<PyObject*>(&PyZip_Type) ||
           function == reinterpret_cast<PyObject*>(&PyReversed_Type);
  static PyObject* const length = builtin("len");
  static PyObject* const is_instance = builtin("isinstance");
  static PyObject* const larger = builtin("max");
  static PyObject* const smaller = builtin("min");
  static PyObject* const math = PyImport_AddModule("math");
  return function == length || function == is_instance || function == larger || function == smaller ||
         (PyCFunction_Check(function) && PyCFunction_GET_SELF(function) == math);
}

PyObject* Forks::iterator(PyObject* iterable) {
  static PyObject* const iter = builtin("iter");
  return recorder_.is_tensor(iterable) ? recorder_.call(iter, &iterable, 1) : nullptr;
}

// --- Loops. A run of a body is an arm of its own: it is never the program's.

Forks::OpenLoop::~OpenLoop() {
  for (PyObject* o : carried) Py_DECREF(o);
  for (const auto& [o, content] : originals) Py_DECREF(o), Py_DECREF(content);
}

PyObject* Forks::counted(PyObject* iterator) {
  constexpr Py_ssize_t kFew = 4;  // rounds: as many branches say the same
  if (!Py_IS_TYPE(iterator, &PyRangeIter_Type)) return nullptr;
  const Py_ssize_t left = PyObject_LengthHint(iterator, 0);
  if (left <= kFew) return nullptr;
  return recorder_.counted(iterator);
}

int Forks::begin_loop(PyCodeObject* code, int head, PyObject* condition, bool stays_when, PyObject* iterator, bool must_leave) {
  constexpr int kTries = 3;  // of one loop: each may run a round as it is, after which its variables may have other types
  const std::pair place{code, head};
  const auto failed = failed_loops_.find(place);
  if (arms_.size() >= kDepth || (failed != failed_loops_.end() && failed->second >= kTries)) return 0;
  const int begun = recorder_.begin_loop(condition, stays_when, iterator);
  if (begun != 1) return begun;
  loops_.push_back(std::make_unique<OpenLoop>());
  loops_.back()->place = place, loops_.back()->must_leave = must_leave;
  return 1;
}

void Forks::begin_round() {
  arms_.push_back(std::make_unique<Arm>());
  arms_.back()->second = true;
  arms_.back()->mode = recorder_.mode();
  for (auto& log : arms_.back()->logs) log = std::make_unique<UndoLog>();
  recorder_.begin_round();
}

bool Forks::end_round() {
  if (recorder_.mode() != arms_.back()->mode) {
    fail("a round leaves gradients or another mode switched");
    recorder_.restore_mode(arms_.back()->mode);
  }
  recorder_.end_round();
  const std::unique_ptr<Arm> arm = std::move(arms_.back());
  arms_.pop_back();
  const bool good = arm->logs[1]->undo();
  loops_.back()->log = std::move(arm->logs[1]);
  loops_.back()->failure = arm->failure;
  return good;
}

bool Forks::give_up_loop(std::string_view why) {
  const std::unique_ptr<OpenLoop> loop = std::move(loops_.back());
  loops_.pop_back();
  recorder_.give_up_loop(loop->failure.empty() ? std::string(why) : loop->failure);
  bool good = true;
  for (const auto& [o, content] : loop->originals) good = set_content(o, content) && good;
  if (!types_only()) ++failed_loops_[loop->place];
  return good;
}

}  // namespace monograph::capture::machine
#endif
