// torch.profiler: notes the calls of operators and the steps of backward passes of one thread, with their times. python/monograph/profiler reads the notes.
#include "profiler.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "core/tensor.h"
#include "ops/call_observer.h"
#include "python.h"
#include "values.h"

namespace monograph::python {
namespace {

int64_t now() { return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Note {
  const Operator* op = nullptr;  // or a step of a backward pass, or a region of the program
  std::string name;
  int64_t begin = 0, end = -1;  // -1: it has not ended
  int64_t parent = -1;
  bool region = false;
  std::vector<Dims> sizes;  // of the arguments; no entry for a recorder that notes none
};

class CallRecorder : public CallObserver {
 public:
  CallRecorder(bool sizes, int64_t first) : sizes_(sizes), first_(first) {}

  void begin(const Operator& op, const IValue* args) override {
    // A call that autocast or a capture passes on is the same call.
    if (!open_.empty() && notes_[open_.back()].op == &op) return open_.push_back(open_.back());
    Note& note = open();
    note.op = &op;
    if (!sizes_) return;
    for (size_t k = 0; k < op.schema().arguments().size(); ++k)
      note.sizes.push_back(args[k].is_tensor() && args[k].as_tensor().defined() ? args[k].as_tensor().sizes() : Dims());
  }
  void begin(std::string step) override { open().name = std::move(step); }
  // A number for end_region(), which no other profiler of this thread gives.
  int64_t begin_region(std::string name) {
    Note& note = open();
    note.name = std::move(name), note.region = true;
    return first_ + static_cast<int64_t>(open_.back());
  }
  void end() noexcept override {
    if (open_.empty()) return;
    notes_[open_.back()].end = now();
    open_.pop_back();
  }
  void end_region(int64_t number) noexcept {
    const int64_t place = number - first_;
    if (std::ranges::none_of(open_, [&](size_t k) { return static_cast<int64_t>(k) == place; })) return;  // it began under another profiler
    while (static_cast<int64_t>(open_.back()) != place) end();
    end();
  }
  int64_t next_number() const { return first_ + static_cast<int64_t>(notes_.size()); }

  // (name, whether it is a region, begin, end, place of the call around it or -1, sizes or None), in the order of their beginnings.
  nb::list told() const {
    nb::list all;
    for (const Note& n : notes_) {
      nb::object sizes = nb::none();
      if (sizes_ && n.op) {
        nb::list lists;
        for (const Dims& dims : n.sizes) {
          nb::list list;
          for (int64_t size : dims) list.append(size);
          lists.append(list);
        }
        sizes = lists;
      }
      all.append(nb::make_tuple(to_python(n.op ? std::string_view(n.op->schema().name()) : std::string_view(n.name)), n.region, n.begin,
                                n.end < 0 ? now() : n.end, n.parent, sizes));
    }
    return all;
  }

 private:
  Note& open() {
    Note note;
    note.parent = open_.empty() ? -1 : static_cast<int64_t>(open_.back());
    open_.push_back(notes_.size());
    notes_.push_back(std::move(note));
    notes_.back().begin = now();
    return notes_.back();
  }

  bool sizes_;
  int64_t first_;  // the number of the first region
  std::vector<Note> notes_;
  std::vector<size_t> open_;
};

thread_local std::unique_ptr<CallRecorder> t_recorder;
thread_local int64_t t_first = 0;

}  // namespace

void init_profiler(PyObject* module) {
  nb::handle m(module);
  m.attr("_start_recording_calls") = nb::cpp_function([](bool sizes) {
    MONOGRAPH_CHECK(!t_recorder, Runtime, "a profiler runs in this thread already; end it before another one starts");
    t_recorder = std::make_unique<CallRecorder>(sizes, t_first);
    CallObserver::set_current(t_recorder.get());
  });
  m.attr("_recorded_calls") = nb::cpp_function([] {
    MONOGRAPH_CHECK(t_recorder, Runtime, "no profiler runs in this thread; it ends in the thread that it was started in");
    CallObserver::set_current(nullptr);
    const std::unique_ptr<CallRecorder> ended = std::move(t_recorder);
    t_first = ended->next_number();
    return ended->told();
  });
  m.attr("_records_calls") = nb::cpp_function([] { return t_recorder != nullptr; });
  // The number of the region, or -1 where no profiler runs.
  m.attr("_begin_region") = nb::cpp_function([](std::string name) { return t_recorder ? t_recorder->begin_region(std::move(name)) : -1; });
  m.attr("_end_region") = nb::cpp_function([](int64_t number) {
    if (t_recorder && number >= 0) t_recorder->end_region(number);
  });
}

}  // namespace monograph::python
