// The machine knows Python's objects, the capture knows tensors and nodes: a recorder of forks stands between them.
#include "forks.h"

#include <memory>

#include "capture/capture.h"
#include "capture/fork.h"
#include "capture/machine/machine.h"
#include "ops/dispatch.h"
#include "ops/size_values.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

IValue run_one(std::string_view name, const IValue& argument) {
  const Operator& op = find_operator(name);
  IValue result;
  call(op, &argument, &result);
  return result;
}

class GraphForks : public capture::machine::ForkRecorder {
 public:
  int begin(PyObject* condition) override {
    return guard([&] {
      capture::Session* s = session();
      if (!s) return kNone;
      const IValue truth = truth_of(condition);
      const SymbolicValue* symbolic = symbolic_value(truth);
      if (!symbolic || !symbolic->node || symbolic->hint.is_none()) return kNone;
      const Dim always = size_value(ir::Args(symbolic->node)[0]).integer;
      if (always && always->is_int()) return kNone;
      forks_.push_back(std::make_unique<capture::Fork>(*s, truth, caller_expression()));
      return forks_.back()->taken() ? 1 : 0;
    });
  }

  void begin_second() override { forks_.back()->begin_second(); }

  bool is_tensor(PyObject* o) override { return python::is_tensor(o); }
  bool is_leaf(PyObject* o) override {
    return python::is_tensor(o) || is_symbolic(o) || PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o);
  }

  bool join(const std::vector<std::pair<PyObject*, PyObject*>>& leaves, std::vector<PyObject*>& values, size_t& failed,
            std::string& why) override {
    return guard([&]() -> int {
             std::vector<capture::Fork::Ends> ends(leaves.size());
             for (size_t k = 0; k < leaves.size(); ++k)
               if (to_ivalue(leaves[k].first, ends[k].first) || to_ivalue(leaves[k].second, ends[k].second)) {
                 failed = k, why = "a graph cannot hold it";
                 return 0;
               }
             std::vector<IValue> joined;
             if (auto refused = forks_.back()->join(ends, joined)) {
               failed = refused->index, why = refused->why;
               return 0;
             }
             forks_.pop_back();
             for (const IValue& v : joined) values.push_back((v.is_tensor() ? wrap(v.as_tensor()) : to_python(v)).release().ptr());
             return 1;
           }) == 1;
  }

  bool give_up(const std::string&) override {
    return guard([&] {
             const std::unique_ptr<capture::Fork> fork = std::move(forks_.back());
             forks_.pop_back();
             fork->give_up();
             return 0;
           }) == 0;
  }

  PyObject* truth(PyObject* value, bool negated) override {
    return guard([&]() -> PyObject* {
      if (!session()) return nullptr;
      const IValue truth = truth_of(value);
      if (!symbolic_value(truth)) return nullptr;
      return to_python(negated ? run_one("aten::__not__", truth) : truth).release().ptr();
    });
  }

  int64_t mode() override { return dispatch_state().grad_enabled | dispatch_state().autocast << 1; }

 private:
  static constexpr int kNone = 2;
  static capture::Session* session() {
    capture::Session* s = capture::current_session();
    return s && !s->symbolic && s->control_flow == capture::ControlFlow::Keep ? s : nullptr;
  }
  // The bool behind a condition if the graph computes it; None for another object.
  static IValue truth_of(PyObject* o) {
    if (python::is_tensor(o)) {
      const Tensor& t = tensor_of(o);
      return t.numel() == 1 && has_captured_values(t) ? run_one("aten::Bool.Tensor", t) : IValue();
    }
    if (!is_symbolic(o)) return {};
    const IValue& v = symbolic_of(o);
    const SymbolicValue* symbolic = symbolic_value(v);
    if (!symbolic && !symbolic_size(v)) return {};
    if (symbolic && symbolic->hint.is_bool()) return v;
    if (symbolic && symbolic->hint.is_float()) return run_one("aten::Bool.float", v);
    if (symbolic && !symbolic->hint.is_int()) return {};
    return run_one("aten::Bool.int", v);
  }

  std::vector<std::unique_ptr<capture::Fork>> forks_;
};

}  // namespace

PyObject* run_keeping(PyObject* function, PyObject* args) {
  GraphForks recorder;
  return capture::machine::run_with_forks(function, args, recorder);
}

}  // namespace monograph::python
