// Runs the code of a GraphModule as a list of steps, so that its operators need neither Python nor the GIL.
//
// monograph.fx._plan reads the generated code and writes one step for each of its lines. A line that calls an operator, as `add = relu + 1` does, is a step
// that runs here, over IValues. So is one that asks a tensor for its sizes, and one that takes an item of a tuple. A line that calls a layer, indexes a tensor,
// or calls a function of the library that is written in Python runs as the operators that it called when it was recorded (recorded_line.h). Any other line
// is a step that calls a Python function of that line, which holds the GIL.
//
// What a value is, only the run tells. So each step of an operator looks at its values first. Where Python would do more than to call the operator (a
// value that is no tensor and no number), the function of that line runs instead. Where an operator raises, its error is raised again by a function that
// has the place of that line, so that the traceback is that of the generated code.
#include <time.h>

#include <algorithm>
#include <exception>
#include <memory>

#include "autograd/engine.h"
#include "builtin.h"
#include "dtypes.h"
#include "ir/operators.h"
#include "module_tables.h"
#include "ops/dispatch.h"
#include "ops/registry.h"
#include "recorded_line.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

namespace monograph::python {
namespace {

PyTypeObject g_call_plan_type = make_type("monograph._C._CallPlan", 0);

constexpr int64_t kLargeWork = 1 << 15;  // elements from which the GIL is given away for one step
constexpr size_t kLongRun = 8;  // and steps one after another from which it is
constexpr int64_t kUninterrupted = 1 << 24;  // elements after which Ctrl-C is asked for
constexpr int64_t kPerStep = 1 << 12;  // what a step counts at least

enum class StepKind : uint8_t { Function, Method, Binary, Comparison, Unary, Fact, Item, Recorded, Python };

// What a tensor tells about itself without computing: a torch.Size or an int.
enum class Fact : uint8_t { Sizes, Rank, Elements };
struct FactName {
  const char* name;
  Fact fact;
  bool method;
};
constexpr FactName kFacts[] = {{"shape", Fact::Sizes, false},     {"ndim", Fact::Rank, false},      {"size", Fact::Sizes, true},
                               {"dim", Fact::Rank, true},         {"ndimension", Fact::Rank, true}, {"numel", Fact::Elements, true},
                               {"nelement", Fact::Elements, true}};

struct StepOperand {
  int32_t reg = -1;
  IValue constant;  // where reg < 0, and there are no parts
  std::vector<StepOperand> parts;
  bool tuple = false;
};

struct PlanStep {
  StepKind kind = StepKind::Python;
  Fact fact = Fact::Sizes;
  bool divides = false;
  std::unique_ptr<OperatorCallSite> call, reflected;
  std::string_view symbol;  // of a Binary step: "+"
  std::unique_ptr<RecordedLine> line;  // of a Recorded step, and of an Item of a tensor
  std::vector<StepOperand> operands;
  PyObject* function = nullptr;  // Python: counted by the plan
  std::vector<int32_t> inputs, results;  // inputs: of a Python step and of a line
  std::vector<int32_t> frees;
  size_t context = 0;  // of a line: its place in Plan::recorded
  size_t run = 0;  // how many steps from here on are no Python steps
};

// What a name in the code meant when the plan was made.
struct NameCheck {
  PyObject* globals = nullptr;
  PyObject* root = nullptr;
  std::vector<PyObject*> attributes;
  PyObject* expected = nullptr;
};
struct AttributeRead {
  int32_t reg = 0;
  std::vector<PyObject*> path;
};

struct Plan {
  size_t inputs = 0, registers = 0;
  int32_t result = 0;
  std::vector<PlanStep> steps;
  std::vector<NameCheck> names;
  std::vector<std::pair<PyObject*, PyObject*>> methods;  // names of Tensor's methods, and what they were
  std::vector<AttributeRead> attributes;
  PyObject *lines = nullptr, *parameter_type = nullptr, *module_getattr = nullptr, *functional = nullptr;
  std::vector<size_t> recorded;  // the steps that have a line
  std::vector<PyObject*> owned;

  PyObject* keep(nb::handle o) {
    owned.push_back(Py_NewRef(o.ptr()));
    return o.ptr();
  }
};

struct PlanObject {
  PyObject_HEAD Plan* plan;
};

// Nanoseconds of the processor that this thread has used.
int64_t thread_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
}

// Holds the GIL or not, and holds it again at the end.
class Gil {
 public:
  Gil() = default;
  ~Gil() { acquire(); }
  Gil(const Gil&) = delete;
  void release() {
    if (saved_) return;
    if (since_ >= 0) held_ += thread_time() - since_;
    saved_ = PyEval_SaveThread();
  }
  void acquire() {
    if (!saved_) return;
    PyEval_RestoreThread(std::exchange(saved_, nullptr));
    if (since_ >= 0) since_ = thread_time();
  }
  bool held() const { return !saved_; }
  // From now on the time is counted in which it is held.
  void measure() { since_ = thread_time(); }
  int64_t held_time() const { return held_ + thread_time() - since_; }

 private:
  PyThreadState* saved_ = nullptr;
  int64_t since_ = -1, held_ = 0;
};

thread_local std::exception_ptr t_raised;

PyObject* rethrow(PyObject*, PyObject*) {
  const std::exception_ptr raised = std::exchange(t_raised, nullptr);
  return guard([&]() -> PyObject* { std::rethrow_exception(raised); });
}

bool is_plain_tensor(const Plan& plan, PyObject* o) {
  return (Py_TYPE(o) == g_tensor_type || Py_TYPE(o) == reinterpret_cast<PyTypeObject*>(plan.parameter_type)) && tensor_of(o).defined() &&
         impl_of(o)->kind != TensorImpl::Kind::Symbolic;
}

// A value as Python gave it: tensors and numbers as such, other objects as they are.
IValue from_python(const Plan& plan, PyObject* o) {
  if (is_plain_tensor(plan, o)) return tensor_of(o);
  if (o == Py_None) return {};
  if (PyBool_Check(o)) return o == Py_True;
  if (PyFloat_CheckExact(o)) return PyFloat_AS_DOUBLE(o);
  if (PyLong_CheckExact(o)) {
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (!overflow) return static_cast<int64_t>(v);
  }
  if (Py_TYPE(o) == &g_size_type) {  // the only list of ints in a register
    Dims sizes;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o) && PyLong_CheckExact(PyTuple_GET_ITEM(o, i)); ++i)
      sizes.push_back(to_int64(PyTuple_GET_ITEM(o, i)));
    if (static_cast<Py_ssize_t>(sizes.size()) == PyTuple_GET_SIZE(o)) return sizes;
  }
  return Ref<ObjectBox>(new PyBox(o));
}

// As Python sees it. A list, tuple or dict is one object from then on: who reads it twice gets the same.
nb::object to_object(IValue& v) {
  if (v.is_ints()) return to_size(v.to_ints());
  nb::object o = to_python(v);
  if (v.is_list() || v.is_tuple() || v.is_dict()) v = Ref<ObjectBox>(new PyBox(o.ptr()));
  return o;
}

// Whether the call may run here at all; the generated code does what this does not.
bool may_run(const Plan& plan, PyObject* module, PyObject* args) {
  const PyThreadState* thread = PyThreadState_Get();
  if (thread->c_tracefunc || thread->c_profilefunc) return false;  // a debugger steps through the lines
  if (dispatch_state().top || records_factories() || anomaly_mode().enabled) return false;  // they ask for the line that runs
  if (has_default_device()) return false;  // functions make tensors elsewhere than the plan does
  if (static_cast<size_t>(PyTuple_GET_SIZE(args)) != plan.inputs) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* o = PyTuple_GET_ITEM(args, i);
    if (!is_plain_tensor(plan, o) && o != Py_None && !PyBool_Check(o) && !PyFloat_CheckExact(o) && !PyLong_CheckExact(o)) return false;
  }
  for (const NameCheck& name : plan.names) {
    nb::object found = nb::borrow(PyDict_GetItem(name.globals, name.root));
    for (PyObject* attribute : name.attributes) {
      if (!found.is_valid()) return false;
      found = nb::steal(PyObject_GetAttr(found.ptr(), attribute));
      if (!found.is_valid()) PyErr_Clear();
    }
    if (found.ptr() != name.expected) return false;
  }
  for (const auto& [name, expected] : plan.methods)
    for (PyTypeObject* type : {g_tensor_type, reinterpret_cast<PyTypeObject*>(plan.parameter_type)}) {
      PyObject* found = _PyType_Lookup(type, name);
      if ((found ? found : Py_None) != expected) return false;
    }
  return _PyType_Lookup(Py_TYPE(module), check(PyUnicode_InternFromString("__getattr__")).ptr()) == plan.module_getattr;
}

class PlanRun {
 public:
  PlanRun(const Plan& plan, PyObject* module) : plan_(plan), module_(module), registers_(plan.registers), contexts_(plan.recorded.size()) {}

  const std::vector<size_t>& steps_in_python() const { return steps_in_python_; }
  Gil& gil() { return gil_; }

  // Null where the code has to run.
  nb::object start(PyObject* args) {
    for (size_t i = 0; i < plan_.inputs; ++i) registers_[i] = from_python(plan_, PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(i)));
    for (const AttributeRead& read : plan_.attributes) {
      PyObject* found = plain_attribute(read.path, module_);
      if (!found || !is_plain_tensor(plan_, found)) return {};
      reg(read.reg) = tensor_of(found);
    }
    if (!contexts_.empty()) look();
    for (size_t k = 0; k < plan_.steps.size(); ++k) step(k);
    gil_.acquire();
    return to_object(reg(plan_.result));
  }

 private:
  IValue& reg(int32_t k) { return registers_[static_cast<size_t>(k)]; }

  void step(size_t k) {
    const PlanStep& s = plan_.steps[k];
    if (s.kind == StepKind::Python) run_python(s.function, s.inputs, s.results);
    else if (run_here(k, s)) return free(s);
    else run_line(k);
    steps_in_python_.push_back(k);
    free(s);
  }
  void free(const PlanStep& s) {
    for (int32_t r : s.frees) reg(r) = IValue();
  }

  // False where Python has to run the line.
  bool run_here(size_t k, const PlanStep& s) {
    switch (s.kind) {
      case StepKind::Fact: return run_fact(s);
      case StepKind::Item: return run_item(k, s);
      case StepKind::Recorded: return run_recorded(k, s);
      default: return run_operator(k, s);
    }
  }

  void run_python(PyObject* function, const std::vector<int32_t>& inputs, const std::vector<int32_t>& results) {
    gil_.acquire();
    std::vector<nb::object> values{nb::borrow(module_)};
    for (int32_t r : inputs) values.push_back(to_object(reg(r)));
    std::vector<PyObject*> given;
    for (const nb::object& v : values) given.push_back(v.ptr());
    stale_ = true;  // it may have changed any layer
    nb::object result = check(PyObject_Vectorcall(function, given.data(), given.size(), nullptr));
    if (results.size() == 1) return void(reg(results[0]) = from_python(plan_, result.ptr()));
    for (size_t k = 0; k < results.size(); ++k)
      reg(results[k]) = from_python(plan_, PyTuple_GET_ITEM(result.ptr(), static_cast<Py_ssize_t>(k)));
  }

  // The step as Python's code has it.
  void run_line(size_t k) {
    gil_.acquire();
    const auto line = nb::cast<nb::tuple>(nb::handle(plan_.lines).attr("function")(k));
    std::vector<int32_t> inputs, results;
    for (nb::handle r : nb::cast<nb::tuple>(line[1])) inputs.push_back(nb::cast<int32_t>(r));
    for (nb::handle r : nb::cast<nb::tuple>(line[2])) results.push_back(nb::cast<int32_t>(r));
    run_python(nb::object(line[0]).ptr(), inputs, results);
  }

  // Finds out which recordings may run. Needs the GIL.
  void look() {
    stale_ = false;
    const uint64_t library = version_of_library(plan_.functional);
    tensors_.clear();
    std::vector<size_t> ends;
    for (size_t k = 0; k < contexts_.size(); ++k) {
      const RecordedLine& line = *plan_.steps[plan_.recorded[k]].line;
      contexts_[k] = {library, line.layer().empty() ? nullptr : line.state_now(module_, tensors_), {}};
      ends.push_back(tensors_.size());
    }
    for (size_t k = 0; k < contexts_.size(); ++k)
      contexts_[k].tensors = std::span(tensors_).subspan(k ? ends[k - 1] : 0, ends[k] - (k ? ends[k - 1] : 0));
  }

  bool run_fact(const PlanStep& s) {
    IValue of;
    if (!value(s.operands[0], of) || !of.is_tensor()) return false;
    const Tensor& t = of.as_tensor();
    IValue& result = reg(s.results[0]);
    if (s.operands.size() == 2) {
      IValue at;
      if (!value(s.operands[1], at) || !at.is_int() || at.to_int() < -t.dim() || at.to_int() >= t.dim()) return false;
      result = t.size(at.to_int());
      return true;
    }
    if (s.fact == Fact::Sizes) result = Dims(t.sizes());
    else result = s.fact == Fact::Rank ? t.dim() : t.numel();
    return true;
  }

  // whole[k] of a tuple or torch.Size.
  bool run_item(size_t k, const PlanStep& s) {
    IValue whole, at;
    if (!value(s.operands[0], whole) || !value(s.operands[1], at)) return false;
    if (whole.is_tensor()) return run_recorded(k, s);
    if (!at.is_int() || !(whole.is_tuple() || whole.is_ints())) return false;
    const auto count = static_cast<int64_t>(whole.is_ints() ? whole.to_ints().size() : whole.items().size());
    const int64_t place = at.to_int() < 0 ? at.to_int() + count : at.to_int();
    if (place < 0 || place >= count) return false;
    IValue item = whole.is_ints() ? IValue(whole.to_ints()[static_cast<size_t>(place)]) : whole.items()[static_cast<size_t>(place)];
    reg(s.results[0]) = std::move(item);
    return true;
  }

  bool run_recorded(size_t k, const PlanStep& s) {
    if (stale_) {
      gil_.acquire();
      look();
    }
    values_.clear();
    int64_t elements = 0;
    for (int32_t r : s.inputs) {
      values_.push_back(reg(r));
      if (values_.back().is_tensor()) elements += values_.back().as_tensor().numel();
    }
    if (gil_.held() && (s.run >= kLongRun || elements >= kLargeWork)) gil_.release();
    const LineContext& context = contexts_[s.context];
    bool ran = false;
    try {
      ran = s.line->run(values_, context, reg(s.results[0]));
    } catch (...) {
      gil_.acquire();
      raise_at(k, std::current_exception());
    }
    if (ran) return count_work(elements), true;
    gil_.acquire();
    std::vector<nb::object> given;
    bool known = true;
    for (const IValue& v : values_) known &= !v.is_object() && !v.is_dict();
    if (!known) return false;
    for (const IValue& v : values_) given.push_back(v.is_ints() ? to_size(v.to_ints()) : to_python(v));
    s.line->missed(given, values_, context);
    return false;
  }

  // False where a value is an object that only Python knows.
  bool value(const StepOperand& o, IValue& out) {
    if (o.reg >= 0) {
      out = reg(o.reg);
      return !out.is_object();
    }
    if (o.parts.empty()) return out = o.constant, true;
    std::vector<IValue> items(o.parts.size());
    bool ints = true;
    for (size_t k = 0; k < items.size(); ++k) {
      if (!value(o.parts[k], items[k])) return false;
      ints &= items[k].is_int();
    }
    if (!ints) return out = o.tuple ? IValue::tuple(std::move(items)) : IValue::list(std::move(items)), true;
    Dims dims;  // of ints alone it is the list that shapes and dims are made of
    for (const IValue& item : items) dims.push_back(item.to_int());
    return out = std::move(dims), true;
  }

  static bool is_operand(const IValue& v) { return v.is_tensor() || v.is_number(); }

  // The call that Python's operator or method makes of these values; null where that is not known here.
  OperatorCallSite* call_of(const PlanStep& s) {
    switch (s.kind) {
      case StepKind::Function: return s.call.get();
      case StepKind::Method:
      case StepKind::Unary: return values_[0].is_tensor() ? s.call.get() : nullptr;
      case StepKind::Comparison: return values_[0].is_tensor() && is_operand(values_[1]) ? s.call.get() : nullptr;
      case StepKind::Binary:
        if (!is_operand(values_[0]) || !is_operand(values_[1])) return nullptr;
        if (values_[0].is_tensor()) return s.call.get();
        if (!values_[1].is_tensor()) return nullptr;
        if (!s.reflected) return s.divides ? nullptr : s.call.get();
        std::swap(values_[0], values_[1]);
        return s.reflected.get();
      case StepKind::Fact:
      case StepKind::Item:
      case StepKind::Recorded:
      case StepKind::Python: break;
    }
    return nullptr;
  }

  // n * 2 of ints, as Python computes it; false where it would be a longer number or an error.
  static bool of_ints(std::string_view symbol, int64_t a, int64_t b, IValue& out) {
    int64_t result = 0;
    if (symbol == "+"   ? __builtin_add_overflow(a, b, &result)
        : symbol == "-" ? __builtin_sub_overflow(a, b, &result)
                        : __builtin_mul_overflow(a, b, &result))
      if (symbol == "+" || symbol == "-" || symbol == "*") return false;
    if (symbol == "//" || symbol == "%") {
      if (b == 0 || b == -1) return false;
      const bool down = a % b != 0 && (a < 0) != (b < 0);
      result = symbol == "//" ? a / b - down : a % b + (down ? b : 0);
    } else if (symbol != "+" && symbol != "-" && symbol != "*") {
      return false;
    }
    return out = result, true;
  }
  bool run_numbers(const PlanStep& s) {
    if (s.kind != StepKind::Binary || !values_[0].is_int() || !values_[1].is_int()) return false;
    return of_ints(s.symbol, values_[0].to_int(), values_[1].to_int(), reg(s.results[0]));
  }

  bool run_operator(size_t k, const PlanStep& s) {
    values_.assign(s.operands.size(), IValue());
    int64_t elements = 0;
    for (size_t i = 0; i < s.operands.size(); ++i) {
      if (!value(s.operands[i], values_[i])) return false;
      if (values_[i].is_tensor()) elements += values_[i].as_tensor().numel();
    }
    OperatorCallSite* call = call_of(s);
    if (!call) return run_numbers(s);
    if (gil_.held() && (s.run >= kLongRun || elements >= kLargeWork)) gil_.release();
    try {
      IValue result = (*call)(values_);
      if (result.is_tensor() && !result.as_tensor().defined()) result = IValue();
      // Python has tuples where schemas say lists.
      if (result.is_list()) result = IValue::tuple({result.items().begin(), result.items().end()});
      reg(s.results[0]) = std::move(result);
    } catch (...) {
      gil_.acquire();
      raise_at(k, std::current_exception());
    }
    return count_work(elements), true;
  }

  void count_work(int64_t elements) {
    work_ += std::max(elements, kPerStep);
    if (work_ >= kUninterrupted && !gil_.held()) check_interrupts();
  }

  void check_interrupts() {
    work_ = 0;
    gil_.acquire();
    check(PyErr_CheckSignals());
  }

  // Raises the error at the line of a step.
  [[noreturn]] void raise_at(size_t k, std::exception_ptr raised) {
    nb::object raiser = nb::handle(plan_.lines).attr("raiser")(k);
    t_raised = std::move(raised);
    check(PyObject_CallOneArg(raiser.ptr(), module_));
    throw InternalError("an error of a GraphModule's operator got lost");
  }

  const Plan& plan_;
  PyObject* module_;
  std::vector<IValue> registers_, values_;
  std::vector<LineContext> contexts_;  // of the recorded lines
  std::vector<Tensor> tensors_;  // of their layers
  bool stale_ = false;
  int64_t work_ = 0;
  std::vector<size_t> steps_in_python_;
  Gil gil_;  // declared last: it is held again before the registers go
};

PyObject* plan_call(PyObject* self, PyObject* args, PyObject*) {
  return guard([&]() -> PyObject* {
    PyObject *module, *given;
    if (!PyArg_ParseTuple(args, "OO!", &module, &PyTuple_Type, &given)) return nullptr;
    const Plan& plan = *reinterpret_cast<PlanObject*>(self)->plan;
    if (!may_run(plan, module, given)) return Py_NewRef(Py_NotImplemented);
    nb::object result = PlanRun(plan, module).start(given);
    return result.is_valid() ? result.release().ptr() : Py_NewRef(Py_NotImplemented);
  });
}

// plan._measured(module, args): the lines that a call runs in Python, the processor's time that it takes, and how much of it the GIL is held; None where the
// code itself runs. For tests and measurements.
PyObject* measured(PyObject* self, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *module, *given;
    if (!PyArg_ParseTuple(args, "OO!", &module, &PyTuple_Type, &given)) return nullptr;
    const Plan& plan = *reinterpret_cast<PlanObject*>(self)->plan;
    const int64_t begin = thread_time();
    PlanRun run(plan, module);
    run.gil().measure();
    if (!may_run(plan, module, given) || !run.start(given).is_valid()) return Py_NewRef(Py_None);
    const int64_t held = run.gil().held_time(), all = thread_time() - begin;
    nb::list lines;
    for (size_t k : run.steps_in_python()) lines.append(nb::handle(plan.lines).attr("text")(k));
    return nb::make_tuple(lines, static_cast<double>(all) * 1e-9, static_cast<double>(held) * 1e-9).release().ptr();
  });
}
PyMethodDef plan_methods[] = {{"_measured", measured, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

// Making a plan of what _plan.py writes --------------------------------------------------------------------------------------------------

StepOperand operand_of(nb::handle written) {
  const auto pair = nb::cast<nb::tuple>(written);
  const auto kind = nb::cast<nb::str>(pair[0]);
  StepOperand o;
  if (kind.equal(nb::str("register"))) {
    o.reg = nb::cast<int32_t>(pair[1]);
  } else if (kind.equal(nb::str("constant"))) {
    if (to_ivalue(nb::object(pair[1]).ptr(), o.constant)) fail(ErrorKind::Type, "no operator takes this constant");
  } else {
    o.tuple = kind.equal(nb::str("tuple"));
    for (nb::handle part : nb::cast<nb::tuple>(pair[1])) o.parts.push_back(operand_of(part));
  }
  return o;
}

std::vector<int32_t> registers_of(nb::handle written) {
  std::vector<int32_t> all;
  for (nb::handle r : written) all.push_back(nb::cast<int32_t>(r));
  return all;
}

std::unique_ptr<OperatorCallSite> site_of(std::string_view op) {
  return op.empty() ? nullptr : std::make_unique<OperatorCallSite>(find_overloads(op));
}

void set_calls(PlanStep& s, nb::handle target, nb::handle keywords) {
  if (s.kind == StepKind::Function || s.kind == StepKind::Method) {
    std::vector<std::string> names;
    for (nb::handle name : keywords) names.emplace_back(text_of(name.ptr()));
    s.call = std::make_unique<OperatorCallSite>(overloads_of(target.ptr()), std::move(names));
    return;
  }
  const ir::PythonOperator& row = *ir::find_python_operator(text_of(target.ptr())).row;
  s.call = site_of(row.tensors), s.divides = row.name == "truediv";
  if (s.kind == StepKind::Binary) s.reflected = site_of(row.reflected), s.symbol = row.symbol;
}

std::vector<PyObject*> names_of(Plan& plan, nb::handle written) {
  std::vector<PyObject*> names;
  for (nb::handle name : written) names.push_back(plan.keep(name));
  return names;
}

PlanStep step_of(Plan& plan, nb::handle written) {
  // kind, target, operands or inputs, keywords, results, frees, and of a line (what records it, the path of its layer, inputs)
  const auto parts = nb::cast<nb::tuple>(written);
  const std::string_view kind = text_of(nb::object(parts[0]).ptr());
  PlanStep s;
  s.results = registers_of(parts[4]), s.frees = registers_of(parts[5]);
  if (kind == "python") {
    s.function = plan.keep(parts[1]), s.inputs = registers_of(parts[2]);
    return s;
  }
  s.kind = kind == "function"     ? StepKind::Function
           : kind == "method"     ? StepKind::Method
           : kind == "comparison" ? StepKind::Comparison
           : kind == "binary"     ? StepKind::Binary
           : kind == "fact"       ? StepKind::Fact
           : kind == "part"       ? StepKind::Item
           : kind == "recorded"   ? StepKind::Recorded
                                  : StepKind::Unary;
  if (const nb::object line = parts[6]; !line.is_none()) {
    s.line = std::make_unique<RecordedLine>(plan.keep(line[0]), names_of(plan, line[1])), s.inputs = registers_of(line[2]);
    s.context = plan.recorded.size();
    plan.recorded.push_back(plan.steps.size());
  }
  for (nb::handle o : nb::cast<nb::tuple>(parts[2])) s.operands.push_back(operand_of(o));
  if (s.kind == StepKind::Fact) s.fact = std::ranges::find(kFacts, text_of(nb::object(parts[1]).ptr()), &FactName::name)->fact;
  else if (s.kind != StepKind::Item && s.kind != StepKind::Recorded) set_calls(s, parts[1], parts[3]);
  return s;
}

// _CallPlan(written): what _plan.py writes.
PyObject* plan_new(PyTypeObject* type, PyObject* args, PyObject*) {
  return guard([&]() -> PyObject* {
    PyObject* given;
    if (!PyArg_ParseTuple(args, "O", &given)) return nullptr;
    const nb::handle w(given);
    auto plan = std::make_unique<Plan>();
    nb::object made = check(type->tp_alloc(type, 0));
    reinterpret_cast<PlanObject*>(made.ptr())->plan = plan.get();
    Plan& p = *plan.release();
    p.inputs = nb::cast<size_t>(w.attr("inputs")), p.registers = nb::cast<size_t>(w.attr("registers"));
    p.result = nb::cast<int32_t>(w.attr("result"));
    p.lines = p.keep(w.attr("lines")), p.parameter_type = p.keep(w.attr("parameter_type"));
    p.module_getattr = p.keep(w.attr("module_getattr")), p.functional = p.keep(w.attr("functional"));
    for (nb::handle s : w.attr("steps")) p.steps.push_back(step_of(p, s));
    for (size_t k = p.steps.size(); k-- > 0;)
      if (p.steps[k].kind != StepKind::Python) p.steps[k].run = 1 + (k + 1 < p.steps.size() ? p.steps[k + 1].run : 0);
    for (nb::handle n : w.attr("names")) {
      const auto parts = nb::cast<nb::tuple>(n);
      NameCheck name{p.keep(parts[0]), p.keep(parts[1]), {}, p.keep(parts[3])};
      name.attributes = names_of(p, parts[2]);
      p.names.push_back(std::move(name));
    }
    for (nb::handle m : w.attr("methods")) {
      const auto parts = nb::cast<nb::tuple>(m);
      PyObject* name = p.keep(parts[0]);
      p.methods.emplace_back(name, p.keep(parts[1]));
    }
    for (nb::handle a : w.attr("attributes")) {
      const auto parts = nb::cast<nb::tuple>(a);
      p.attributes.push_back({nb::cast<int32_t>(parts[0]), names_of(p, parts[1])});
    }
    return made.release().ptr();
  });
}

int plan_traverse(PyObject* self, visitproc visit, void* arg) {
  if (const Plan* plan = reinterpret_cast<PlanObject*>(self)->plan) {
    for (PyObject* o : plan->owned) Py_VISIT(o);
    for (size_t k : plan->recorded)
      if (const int stop = plan->steps[k].line->visit([&](PyObject* o) { return visit(o, arg); })) return stop;
  }
  return 0;
}
int plan_clear(PyObject* self) {
  if (Plan* plan = reinterpret_cast<PlanObject*>(self)->plan) {
    for (size_t k : plan->recorded) plan->steps[k].line->forget();
    for (PyObject* o : std::exchange(plan->owned, {})) Py_DECREF(o);
  }
  return 0;
}
void plan_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  plan_clear(self);
  delete reinterpret_cast<PlanObject*>(self)->plan;
  Py_TYPE(self)->tp_free(self);
}

}  // namespace

void init_call_plan(PyObject* module) {
  PyTypeObject& t = g_call_plan_type;
  t.tp_basicsize = sizeof(PlanObject);
  t.tp_flags |= Py_TPFLAGS_HAVE_GC;
  t.tp_methods = plan_methods;
  t.tp_new = plan_new, t.tp_call = plan_call, t.tp_dealloc = plan_dealloc;
  t.tp_traverse = plan_traverse, t.tp_clear = plan_clear, t.tp_free = PyObject_GC_Del;
  add_type(module, t);
  nb::handle m(module);
  static PyMethodDef again = {"_rethrow", rethrow, METH_NOARGS, "Raises the error of the operator that ran last in a plan."};
  m.attr("_rethrow") = check(PyCFunction_New(&again, nullptr));
  // Whether a call of a function or method of torch, with `positional` arguments and these keywords, may be a step of a plan.
  m.attr("_may_be_step") = nb::cpp_function([](nb::handle function, bool method, size_t positional, nb::handle keywords) {
    if (!(method ? is_builtin_method(function.ptr()) : is_builtin(function.ptr()))) return false;
    std::vector<std::string> names;
    for (nb::handle name : keywords) names.emplace_back(text_of(name.ptr()));
    return OperatorCallSite::takes(function.ptr(), names, positional);
  });
  m.attr("_is_operator") = nb::cpp_function([](nb::handle f) { return is_builtin_method(f.ptr()) || is_builtin(f.ptr()); });
  // What a class and its bases have of a name, as it is there; `missing` where they have nothing.
  m.attr("_set_module_getattr") = nb::cpp_function([](nb::handle method) { set_module_getattr(method.ptr()); });
  m.attr("_type_attribute") = nb::cpp_function(
      [](nb::handle type, nb::handle name, nb::handle missing) {
        PyObject* found = _PyType_Lookup(reinterpret_cast<PyTypeObject*>(type.ptr()), name.ptr());
        return nb::borrow(found ? found : missing.ptr());
      },
      nb::arg("type"), nb::arg("name"), nb::arg("missing").none() = nb::none());
  // What the code writes as x.shape or x.size(), and whether it is a method.
  m.attr("_tensor_facts") = nb::cpp_function([] {
    nb::dict facts;
    for (const FactName& f : kFacts) facts[f.name] = f.method;
    return facts;
  });
  // Whether an operator may be given this value as a constant.
  m.attr("_may_be_constant") = nb::cpp_function([](nb::handle value) {
    IValue v;
    return to_ivalue(value.ptr(), v) == nullptr && !v.is_object();
  });
}

}  // namespace monograph::python
