// The life of a fork: begin, the first way, the second way, and the join or the guard. Forks nest, so they are a stack.
#include "capture/machine/forks.h"

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {

namespace {
constexpr size_t kDepth = 50;  // ways inside of ways: the C stack and the passes over the graph bear no more
constexpr int kForks = 1'000;  // of one capture: returns in the middle can make code run once for each way to it
}  // namespace

Forks::Forks(ForkRecorder& recorder, PyObject* abort) : recorder_(recorder), abort_(abort) {}

Forks::~Forks() {
  for (const auto& [globals, program] : programs_) Py_DECREF(globals);
}

const CodeFlow* Forks::flow(PyCodeObject* code) {
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
  for (auto& log : arms_.back()->logs) log = std::make_unique<UndoLog>();
  return taken;
}

bool Forks::end_first() {
  Arm& arm = *arms_.back();
  if (recorder_.mode() != arm.mode) fail("a way leaves gradients or another mode switched");
  arm.undone = true;
  return arm.logs[0]->undo();
}

bool Forks::begin_second() {
  arms_.back()->second = true;
  recorder_.begin_second();
  return true;
}

bool Forks::end_second() {
  Arm& arm = *arms_.back();
  if (recorder_.mode() != arm.mode) fail("a way leaves gradients or another mode switched");
  return arm.logs[1]->undo();
}

bool Forks::give_up() {
  std::unique_ptr<Arm> arm = std::move(arms_.back());
  arms_.pop_back();
  bool good = true;
  for (const UndoLog::Entry& e : arm->logs[0]->entries()) {
    if (!arms_.empty()) good = log().note(e.object, e.before) && good;
    if (arm->undone) good = set_content(e.object, e.after) && good;
  }
  return recorder_.give_up(arm->failure) && good;
}

}  // namespace monograph::capture::machine
#endif
