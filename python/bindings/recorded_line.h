// A line of generated code that calls a layer, or a function of the library that is written in Python, as a graph of the operators that it calls.
//
//   l = self.l(x)          aten::linear(x, weight, bias)
//   y = F.interpolate(x)   aten::upsample_nearest2d(x, [64, 64])
//
// The line runs once on tensors of the meta device, and its operators are recorded (monograph.fx._recorded). The recording holds for values of these kinds,
// and for a layer in this state: its class, its numbers, and no hooks. Everything else is left to Python.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "core/ivalue.h"
#include "exec/interpreter.h"
#include "python.h"

namespace monograph::python {

// A dict as it was: CPython gives every dict a number that is another one after each change.
class [[gnu::visibility("hidden")]] DictVersion {
 public:
  DictVersion() = default;
  explicit DictVersion(PyObject* dict) : dict_(dict), version_(version_of(dict)) {}
  bool is(PyObject* dict) const { return dict == dict_ && version_ && version_of(dict) == version_; }
  static uint64_t version_of(PyObject* dict) {
#if PY_VERSION_HEX < 0x030E0000
    return reinterpret_cast<PyDictObject*>(dict)->ma_version_tag;
#else
    return (void)dict, 0;  // they have none
#endif
  }

 private:
  PyObject* dict_ = nullptr;
  uint64_t version_ = 0;
};
// Changes whenever a function of torch.nn.functional or a method of Tensor is replaced. 0 where that cannot be told.
uint64_t version_of_library(PyObject* functional);

// What a recording of a line relied on in its layer. It counts no references: the list that it was made from has to live.
class [[gnu::visibility("hidden")]] LayerState {
 public:
  // written: for each module of the layer (module, [(name of a field, "same" | "none in it" | "list" | "items" | "tensors", what it holds)]).
  explicit LayerState(nb::handle written);
  // Whether the layer is in this state; adds its parameters and buffers. Needs the GIL.
  bool holds(PyObject* layer, std::vector<Tensor>& tensors) const;

 private:
  enum class Kind : uint8_t { Same, Empty, List, Items, Tensors };
  struct StateField {
    PyObject *name = nullptr, *value = nullptr;
    Kind kind = Kind::Same;
    std::vector<std::pair<PyObject*, PyObject*>> items;  // of a table: what each name means; of tensors only whether they are there
    mutable DictVersion seen;  // of a dict, when it was found to be this one
  };
  struct Part {
    PyObject* module = nullptr;
    unsigned type_version = 0;
    std::vector<StateField> fields;
    mutable DictVersion seen;
    mutable std::vector<PyObject*> tensors;
  };
  static bool is_unchanged(const Part& part, PyObject* fields);
  static bool holds(const Part& part, PyObject* fields);
  std::vector<Part> parts_;
};

// What a call of the plan found before its first line, and looks for again when Python has run.
struct [[gnu::visibility("hidden")]] LineContext {
  uint64_t library = 0;
  const LayerState* state = nullptr;
  std::span<const Tensor> tensors;
};

class [[gnu::visibility("hidden")]] RecordedLine {
 public:
  // record: a function of the line's values, which gives (graph, form of the result, state of the layer) or None. layer: its path; empty of a line without one.
  RecordedLine(PyObject* record, std::vector<PyObject*> layer) : record_(record), layer_(std::move(layer)) {}
  ~RecordedLine();
  RecordedLine(const RecordedLine&) = delete;

  const std::vector<PyObject*>& layer() const { return layer_; }
  // The state that the layer is in, of those that were recorded; adds its tensors. Needs the GIL.
  const LayerState* state_now(PyObject* root, std::vector<Tensor>& tensors) const;
  // Runs the line; false where Python has to, which has nothing to undo then. Needs no GIL. Raises what an operator raised where something was written.
  bool run(const std::vector<IValue>& values, const LineContext& context, IValue& result) const;
  // Python ran the line: from the second time on it is recorded. Needs the GIL.
  void missed(const std::vector<nb::object>& given, const std::vector<IValue>& values, const LineContext& context);
  // For the garbage collector: what the line holds of Python.
  template <class F>
  int visit(F&& f) const {
    for (const auto& o : held_)
      if (const int stop = f(o.ptr())) return stop;
    return 0;
  }
  void forget() { held_.clear(), attempts_ = kAttempts; }  // only where no call follows

 private:
  struct Recording;
  PyObject* layer_of(PyObject* root) const;

  static constexpr size_t kMost = 4;
  static constexpr int kAttempts = 8;

  PyObject* record_;
  std::vector<PyObject*> layer_;
  // The modules on the way to the layer, when it was found last: their fields, and their modules.
  mutable std::vector<std::pair<DictVersion, DictVersion>> way_;
  mutable std::vector<unsigned> way_types_;
  mutable std::vector<PyObject*> way_modules_;
  std::array<std::atomic<const Recording*>, kMost> recordings_{};  // filled one by one, never replaced
  std::array<std::atomic<const LayerState*>, kMost> states_{};
  std::vector<nb::object> held_;  // what states were made from
  int misses_ = 0, attempts_ = 0;
};

}  // namespace monograph::python
