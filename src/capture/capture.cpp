#include "capture/capture.h"

#include "passes/dce.h"

namespace monograph::capture {
namespace {

using ir::Args;
using ir::Node;

// Code of the user that runs as it is, seen by no capture.
class Pause {
 public:
  Pause() : session_(nullptr), top_(std::exchange(dispatch_state().top, nullptr)) {}
  ~Pause() { dispatch_state().top = top_; }
  Pause(const Pause&) = delete;

 private:
  SessionScope session_;
  Interpreter* top_;
};

// Code of the user on symbolic tensors, inside an arm or body.
class SymbolicScope {
 public:
  explicit SymbolicScope(Writer& w) : session_{w, true, ControlFlow::Error}, session_scope_(&session_), recorder_(w), scope_(recorder_) {}

 private:
  Session session_;
  SessionScope session_scope_;
  SymbolicRecorder recorder_;
  InterpreterScope scope_;
};

ir::Type example_type(const Tensor& t, size_t input) {
  std::vector<SymInt> sizes;
  for (int64_t d = 0; d < t.dim(); ++d) {
    Symbol s;
    s.name = concat("s", input, "_", d), s.hint = t.sizes()[static_cast<size_t>(d)];
    sizes.push_back(SymInt::symbol(s));
  }
  ir::TensorType type;
  type.dtype = t.dtype();
  type.sizes.emplace(sizes.begin(), sizes.end());
  return type;
}

Node* node_of(Writer& w, const IValue& v) {
  Args a;
  w.add(a, v);
  Node* n = a[0].node();
  MONOGRAPH_CHECK(n, Runtime, "the condition is a constant of this capture; it must depend on the inputs");
  return n;
}

IValue as_bool(const Tensor& t) {
  static const Operator& op = find_operator("aten::Bool.Tensor");
  IValue arg = t, out;
  call(op, &arg, &out);
  return out;
}

std::vector<Tensor> symbolic_of(Writer& w, const std::vector<Tensor>& tensors) {
  std::vector<Tensor> out;
  for (const Tensor& t : tensors) {
    Args a;
    w.add(a, t);
    Node* n = a[0].node();
    out.push_back(n ? w.symbolic(n) : t);  // a constant is one in the arm too
  }
  return out;
}

// The handles that a region's results have behind it: symbolic ones, or under trace aliases of the example's.
std::vector<Tensor> results_of(Session& s, ir::RegionBuilder& b, const std::vector<ir::RegionBuilder::Slot>& slots,
                               const std::vector<Tensor>& example) {
  std::vector<Tensor> out;
  for (size_t k = 0; k < slots.size(); ++k) {
    Node* n = b.node(slots[k]);
    out.push_back(s.symbolic ? s.writer.symbolic(n) : Recorder(s.writer).alias(example[k], n));
  }
  return out;
}

}  // namespace

Captured capture(const Function& f, std::vector<Tensor> inputs, const Options& options) {
  install_symbolic_hook();
  Captured out;
  out.how = options.how == How::Auto ? How::Trace : options.how;
  bool symbolic = out.how == How::Symbolic;
  out.graph = std::make_unique<ir::Graph>(options.name, options.unit);
  Writer writer(*out.graph);
  writer.location = options.location, writer.attribute = options.attribute;
  std::vector<Tensor> arguments;
  for (size_t k = 0; k < inputs.size(); ++k) {
    std::string name = k < options.input_names.size() ? options.input_names[k] : inputs.size() == 1 ? "x" : concat("x", k);
    Node* p = out.graph->placeholder(name, inputs[k].defined() ? example_type(inputs[k], k) : ir::Type(ir::TypeKind::Tensor));
    if (symbolic) arguments.push_back(writer.symbolic(p));
    else if (writer.find(inputs[k])) arguments.push_back(Recorder(writer).alias(inputs[k], p));  // one tensor passed twice is two inputs
    else writer.name(inputs[k], p), arguments.push_back(inputs[k]);
  }
  Session session{writer, symbolic, options.control_flow};
  SessionScope session_scope(&session);
  Recorder trace(writer);
  SymbolicRecorder append(writer);
  {
    InterpreterScope scope(symbolic ? static_cast<Interpreter&>(append) : trace);
    IValue result = f(std::move(arguments));
    writer.finish(result);
    if (!symbolic) out.result = std::move(result);
  }
  // Elements of lists that nobody took.
  if (!symbolic) passes::eliminate_dead_code(*out.graph);
  return out;
}

bool truth(const Tensor& t, std::string_view expression) { return demand(as_bool(t), expression).to_bool(); }

IValue element(const IValue& list, int64_t index) {
  if (!symbolic_value(list) && (list.is_list() || list.is_tuple())) {
    auto n = static_cast<int64_t>(list.items().size());
    MONOGRAPH_CHECK(index >= -n && index < n, Index, "index ", index, " is out of range for a list of ", n);
    return list.items()[static_cast<size_t>(index < 0 ? index + n : index)];
  }
  static const Operator& getitem = find_operator("aten::__getitem__.t");
  IValue args[] = {list, index}, out;
  call(getitem, args, &out);
  return out;
}

std::vector<Tensor> cond(const Tensor& predicate, const Branch& then, const Branch& otherwise, const std::vector<Tensor>& operands) {
  IValue p = as_bool(predicate);
  if (!symbolic_value(p)) return p.to_bool() ? then(operands) : otherwise(operands);
  Session* s = current_session();
  MONOGRAPH_ASSERT(s);
  Writer& w = s->writer;
  ir::RegionBuilder b(w.graph);
  std::vector<ir::RegionBuilder::Slot> slots;
  std::vector<Tensor> example;
  b.begin_if(node_of(w, p));
  for (int arm = 0; arm < 2; ++arm) {
    if (arm) b.begin_else();
    const Branch& f = arm ? otherwise : then;
    bool runs = s->symbolic || symbolic_value(p)->hint.to_bool() == !arm;
    std::vector<Tensor> results;
    if (runs) {
      results = f(operands);
      example = results;
    } else {
      std::vector<Tensor> handles = symbolic_of(w, operands);
      SymbolicScope scope(w);
      results = f(handles);
    }
    if (!arm)
      for (size_t k = 0; k < results.size(); ++k) slots.push_back(b.slot(concat("result_", k)));
    MONOGRAPH_CHECK(results.size() == slots.size(), Value, "cond: the first function returns ", slots.size(), " tensors, the second ",
                    results.size());
    for (size_t k = 0; k < results.size(); ++k) {
      Args value;
      w.add(value, results[k]);
      b.set(slots[k], value);
    }
  }
  b.end_if();
  return results_of(*s, b, slots, example);
}

std::vector<Tensor> while_loop(const Condition& condition, const Branch& body, const std::vector<Tensor>& initial) {
  std::vector<Tensor> values = initial;
  IValue first = as_bool(condition(initial));
  if (!symbolic_value(first)) {
    for (bool go = first.to_bool(); go; go = as_bool(condition(values)).to_bool()) values = body(values);
    return values;
  }
  Session* s = current_session();
  MONOGRAPH_ASSERT(s);
  Writer& w = s->writer;
  ir::RegionBuilder b(w.graph);
  std::vector<ir::RegionBuilder::Slot> slots;
  for (size_t k = 0; k < initial.size(); ++k) {
    Args value;
    w.add(value, initial[k]);
    slots.push_back(b.slot(concat("carried_", k), value));
  }
  b.begin_loop(Args(std::numeric_limits<int64_t>::max()), Args(node_of(w, first)), slots);
  Args again;
  {
    std::vector<Tensor> carried;
    for (auto slot : slots) carried.push_back(w.symbolic(b.get(slot)[0].node()));
    SymbolicScope scope(w);
    std::vector<Tensor> next = body(carried);
    MONOGRAPH_CHECK(next.size() == slots.size(), Value, "while_loop: the body takes ", slots.size(), " tensors and returns ", next.size());
    for (size_t k = 0; k < next.size(); ++k) {
      Args value;
      w.add(value, next[k]);
      b.set(slots[k], value);
    }
    w.add(again, as_bool(condition(next)));
  }
  b.end_loop(again);
  if (!s->symbolic) {
    Pause pause;
    for (bool go = symbolic_value(first)->hint.to_bool(); go; go = as_bool(condition(values)).to_bool()) values = body(values);
  }
  return results_of(*s, b, slots, values);
}

}  // namespace monograph::capture
