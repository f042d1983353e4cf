// What a run has made, and the collector while it runs.
#include "capture/machine/made.h"

#ifdef MONOGRAPH_MACHINE
#include <exception>
#include <unordered_set>

namespace monograph::capture::machine {
namespace {

// The collector begins when the youngest generation counts more objects than its threshold.
constexpr int kPause = 1 << 24;

thread_local MadeObjects* t_made = nullptr;

struct _gc_runtime_state& collector() { return PyThreadState_Get()->interp->gc; }

// One of Monograph's own, such as a `with` of its library: it puts back what it has set when it is closed.
bool is_of_library(PyObject* o) {
  auto* generator = reinterpret_cast<PyGenObject*>(o);
  if (generator->gi_frame_state != FRAME_SUSPENDED && generator->gi_frame_state != FRAME_CREATED) return false;
  PyObject* name = PyDict_GetItemString(frame_of(generator)->f_globals, "__name__");
  const char* text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
  if (!text) PyErr_Clear();
  return text && starts_with_package(text);
}

bool is_generator(PyObject* o) { return PyGen_CheckExact(o) || PyCoro_CheckExact(o) || PyAsyncGen_CheckExact(o); }

}  // namespace

PausedCollector::PausedCollector() { collector().generations[0].count -= kPause; }
PausedCollector::~PausedCollector() {
  // A collection that the program asked for has set it to 0.
  if (collector().generations[0].count < -kPause / 2) collector().generations[0].count += kPause;
}

MadeObjects::MadeObjects(bool of_way) : first_(PyList_New(0)), outer_(std::exchange(t_made, this)), of_way_(of_way) {
  if (!of_way) pause_.emplace();
  if (!first_) PyErr_Clear();
}

template <class F>
bool MadeObjects::visit(F each) const {
  auto& gc = collector();
  PyGC_Head* const end = gc.generation0;
  std::vector<PyObject*> found;
  for (PyGC_Head* g = _PyGCHead_NEXT(_Py_AS_GC(first_)); g != end; g = _PyGCHead_NEXT(g)) {
    if (g == &gc.generations[1].head || g == &gc.generations[2].head || g == &gc.permanent_generation.head) return false;
    auto* o = reinterpret_cast<PyObject*>(g + 1);
    if (is_generator(o) || PyWeakref_Check(o) || has_finalizer(Py_TYPE(o)) || PyExceptionInstance_Check(o)) found.push_back(o);
  }
  for (PyObject* o : found) each(o);
  return true;
}

void MadeObjects::silence() {
  if (!first_) return;
  visit([&](PyObject* o) {
    if (PyWeakref_Check(o)) {
      auto* reference = reinterpret_cast<PyWeakReference*>(o);
      if (reference->wr_callback) callbacks_.emplace_back(o, std::exchange(reference->wr_callback, nullptr));
    } else if (!_PyGC_FINALIZED(o) && !(is_generator(o) && is_of_library(o)) && (is_generator(o) || has_finalizer(Py_TYPE(o)))) {
      _PyGC_SET_FINALIZED(o);
      silent_.push_back(o);
    }
  });
}

void MadeObjects::end_quietly() {
  MadeObjects* run = t_made;
  while (run && run->of_way_) run = run->outer_;
  if (run) run->silence();
}

bool MadeObjects::has_made(PyObject* object) const {
  if (!first_ || !(is_generator(object) || PyExceptionInstance_Check(object))) return false;
  bool found = false;
  return visit([&](PyObject* o) { found = found || o == object; }) && found;
}

MadeObjects::~MadeObjects() {
  t_made = outer_;
  if (!first_) return;
  // What is still there belongs to somebody else: another thread has made it meanwhile.
  const std::unordered_set<PyObject*> silent(silent_.begin(), silent_.end());
  std::unordered_set<PyObject*> references;
  if (!silent_.empty() || !callbacks_.empty())
    visit([&](PyObject* o) {
      if (silent.contains(o)) _Py_AS_GC(o)->_gc_prev &= ~static_cast<uintptr_t>(_PyGC_PREV_MASK_FINALIZED);
      if (PyWeakref_Check(o)) references.insert(o);
    });
  for (const auto& [reference, callback] : callbacks_) {
    auto* r = reinterpret_cast<PyWeakReference*>(reference);
    if (references.contains(reference) && !r->wr_callback) r->wr_callback = callback;
    else Py_DECREF(callback);
  }
  Py_DECREF(first_);
}

QuietFailure::QuietFailure() : exceptions_(std::uncaught_exceptions()) {}
QuietFailure::~QuietFailure() {
  if (std::uncaught_exceptions() > exceptions_) MadeObjects::end_quietly();
}

bool is_end_of_generator_seen(PyObject* o) {
  if (!is_generator(o)) return false;
  auto* generator = reinterpret_cast<PyGenObject*>(o);
  // A coroutine that was never awaited warns. What has no handler runs nothing when it is closed.
  if (generator->gi_frame_state == FRAME_CREATED) return PyCoro_CheckExact(o);
  return generator->gi_frame_state == FRAME_SUSPENDED && PyBytes_GET_SIZE(generator->gi_code->co_exceptiontable) > 0;
}

std::vector<PyObject*> held_by_generator(PyObject* o) {
  auto* generator = reinterpret_cast<PyGenObject*>(o);
  std::vector<PyObject*> held;
  if (generator->gi_frame_state != FRAME_SUSPENDED && generator->gi_frame_state != FRAME_CREATED) return held;
  const PythonFrame* frame = frame_of(generator);
  for (int k = 0; k < frame->stacktop; ++k)
    if (frame->localsplus[k]) held.push_back(frame->localsplus[k]);
  return held;
}

}  // namespace monograph::capture::machine
#endif
