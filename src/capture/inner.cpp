// While a function is traced, calls that a gradient may ask about are noted with their tensors. When a gradient does, the operator's decomposition
// runs on symbolic values, its nodes are put behind the call, and each inner tensor is given its node.
#include "capture/inner.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "autograd/engine.h"
#include "capture/tracer.h"
#include "core/generator.h"
#include "ops/pointwise.h"
#include "ops/size_values.h"

namespace monograph::capture {
namespace {

bool wants_gradient(const IValue& v) {
  if (v.is_list()) return std::ranges::any_of(v.items(), wants_gradient);
  if (!v.is_tensor()) return false;
  return v.as_tensor().requires_grad();
}

void note_tensors(const IValue& v, std::vector<Tensor>& out) {
  if (v.is_tensor()) out.push_back(v.to_tensor());
  if (v.is_list() || v.is_tuple())
    for (const IValue& item : v.items()) note_tensors(item, out);
}

// Makes the capture hold for the example's value of what a graph computes, and gives that value.
IValue fixed(const Operator& op, const IValue& v) {
  if (auto size = symbolic_size(v)) current_session()->writer.specialize(*size);
  else if (symbolic_value(v)) return demand(v);
  if (!v.is_list() || v.items().empty()) return example(op, v);
  if (v.items()[0].is_tensor()) return v;
  for (const IValue& item : v.items()) fixed(op, item);
  return example(op, v);
}

// What a graph computes from its inputs' sizes, as the size that it is; otherwise a number, which `number` gives.
IValue sizes_of_values(const Operator& op, const IValue& v, IValue (*number)(const Operator&, const IValue&)) {
  if (auto* value = symbolic_value(v)) {
    const ir::Args node(value->node);
    const Size size = value->node ? Size(size_value(node[0]).integer) : Size();
    return size.known() ? IValue(size) : number(op, v);
  }
  if (!v.is_list()) return v;
  std::vector<IValue> items;
  bool numbers = true;
  for (const IValue& item : v.items()) items.push_back(sizes_of_values(op, item, number)), numbers &= items.back().is_int();
  return numbers ? example(op, v) : IValue::list(std::move(items));
}

// Whether a decomposition reads this argument as sizes, which may be symbols.
bool takes_sizes(const Operator& op, size_t i) {
  return op.decompose_reads == Reads::Symbols && holds_sizes(op.schema().arguments()[i].type);
}

// What is known of an argument in the example's run, without asking for its elements.
AbstractValue known_of(Writer& writer, const IValue& v) {
  AbstractValue f;
  if (v.is_tensor() && v.as_tensor().defined()) {
    const Tensor& t = v.as_tensor();
    f.tensor.dtype = t.dtype(), f.tensor.device = t.device(), f.tensor.sizes.emplace();
    const Sizes sizes = writer.sizes(t);
    for (size_t d = 0; d < sizes.size(); ++d) f.tensor.sizes->push_back(sizes[d].symint());
    f.type = f.tensor, f.wrapped = t->wrapped_number;
    return f;
  }
  if (auto size = symbolic_size(v)) {
    f.type = ir::TypeKind::Int, f.integer = size->symint();
    return f;
  }
  if (!v.is_list() && !v.is_tuple()) return AbstractValue::of(v);
  f.items.emplace();
  for (const IValue& item : v.items()) f.items->push_back(known_of(writer, item));
  return f;
}

// Runs a decomposition on the example, and notes the results of every operator that it calls. The sizes that it reads are the symbols that it reads when it is
// recorded, so that it takes the same path then.
class Noting : public DispatchMode {
 public:
  Noting(Writer& writer, InnerCall& whole) : writer_(writer), whole_(whole), nested_(writer.noting) {
    for (const IValue& v : nested_ ? std::vector<IValue>() : whole.args) {
      std::vector<Tensor> tensors;
      note_tensors(v, tensors);
      for (const Tensor& t : tensors) writer.find_or_record(t);
    }
    writer.noting = true;
  }
  ~Noting() override {
    writer_.noting = nested_;
    if (!nested_) writer_.noted_sizes.clear();
  }
  Noting(const Noting&) = delete;
  // The operator by its decomposition: `args` are those of the graph.
  void take_apart(const Operator& op, const IValue* args, IValue* results) {
    std::vector<IValue> given(args, args + op.schema().arguments().size());
    for (size_t i = 0; i < given.size(); ++i)
      given[i] = takes_sizes(op, i) ? sizes_of_values(op, given[i], example) : example(op, given[i]);
    DispatchModeScope scope(*this);
    run_decomposition(op, given.data(), results);
  }
  void call(const Operator& op, const IValue* args, IValue* results) override {
    const size_t n = op.schema().arguments().size();
    std::vector<IValue> plain(args, args + n);
    for (IValue& v : plain) v = example(op, v);
    const bool apart = taken_apart(op, plain.data()), by_strides = apart && op.decompose_reads == Reads::Strides;
    whole_.steps.push_back({&op, apart && !by_strides});
    if (by_strides) {
      InnerCall& inner = run_noting(writer_, op, plain.data(), results);
      inner.outer = &whole_, inner.index = calls_++;
      note_sizes(op, args, results);
    } else if (apart) {
      take_apart(op, args, results);
    } else {
      Writer::CallScope call(writer_, {nullptr, 0, &whole_, calls_++});
      monograph::call(op, plain.data(), results);
      note_sizes(op, args, results);
    }
    for (size_t k = 0; k < op.results(); ++k) note_tensors(results[k], whole_.values);
  }

 private:
  void note_sizes(const Operator& op, const IValue* args, const IValue* results) {
    std::vector<AbstractValue> known;
    for (size_t i = 0; i < op.schema().arguments().size(); ++i) known.push_back(known_of(writer_, args[i]));
    const std::vector<ir::Type> types = infer_results(op, std::move(known));
    for (size_t k = 0; k < op.results(); ++k) {
      std::vector<Tensor> tensors;
      note_tensors(results[k], tensors);
      for (const Tensor& t : tensors) writer_.note_sizes(t, types[k].is(ir::TypeKind::Tensor) ? types[k].tensor() : ir::TensorType());
    }
  }
  Writer& writer_;
  InnerCall& whole_;
  bool nested_;  // inside of another call that is noted
  size_t calls_ = 0;
};

// Records every operator that a decomposition calls, but for writes to tensors from outside, which have happened.
class Recording : public DispatchMode {
 public:
  Recording(Writer& writer, InnerCall& call) : recorder_(writer), whole_(call) {}
  // The operator by its decomposition. What that reads as numbers holds for the example only. Sizes among its arguments stay symbols where it reads sizes so.
  void take_apart(const Operator& op, const IValue* args, IValue* results) {
    std::vector<IValue> given(args, args + op.schema().arguments().size());
    const bool reads = op.decompose_reads == Reads::Sizes;
    for (size_t i = 0; i < given.size(); ++i) {
      IValue& v = given[i];
      const Sizes sizes = reads && v.is_tensor() ? dispatch_hooks().sizes(v.as_tensor()) : Sizes();
      for (size_t d = 0; d < sizes.size(); ++d) dispatch_hooks().specialize(sizes[d]);
      if (takes_sizes(op, i)) v = sizes_of_values(op, v, fixed);
      else if (reads || op.decompose_reads == Reads::Symbols) v = fixed(op, v);
    }
    DispatchModeScope scope(*this);
    run_decomposition(op, given.data(), results);
  }
  std::vector<Tensor> values;
  void call(const Operator& op, const IValue* args, IValue* results) override {
    run(op, args, results);
    for (size_t k = 0; k < op.results(); ++k) note_tensors(results[k], values);
    for (const Tensor& t : values) own_.insert(t->storage.get());
  }

 private:
  void run(const Operator& op, const IValue* args, IValue* results) {
    MONOGRAPH_CHECK(
        calls_ < whole_.steps.size() && whole_.steps[calls_].op == &op, NotImplemented, "[", whole_.op->name(),
        "] a captured function takes a gradient through this operator, which computes other values where the sizes are not known; ",
        "capture the forward pass, and let the graph's caller ask for the gradient");
    const bool apart = whole_.steps[calls_++].apart;
    if (!apart) whole_.inner_args.emplace_back(args, args + op.schema().arguments().size());
    const auto& arguments = op.schema().arguments();
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].writes() && args[i].is_tensor() && !own_.contains(args[i].as_tensor()->storage.get()))
        return void(results[0] = args[i]);
    if (apart) take_apart(op, args, results);
    else recorder_.record(op, args, results);
  }

  Tracer recorder_;
  InnerCall& whole_;
  size_t calls_ = 0;
  std::unordered_set<const Storage*> own_;  // storages made inside
};

}  // namespace

bool taken_apart(const Operator& op, const IValue* args) {
  if (op.gradient || op.derived_gradient || !op.decompose || !dispatch_state().grad_enabled) return false;
  return std::any_of(args, args + op.schema().arguments().size(), wants_gradient);
}

InnerCall& run_noting(Writer& writer, const Operator& op, const IValue* args, IValue* results) {
  auto c = std::make_unique<InnerCall>();
  c->op = &op;
  c->args.assign(args, args + op.schema().arguments().size());
  {
    Noting noting(writer, *c);
    noting.take_apart(op, args, results);
  }
  for (const IValue& v : c->args) c->versions.push_back(v.is_tensor() ? v.as_tensor().version() : 0);
  InnerCall& noted = *c;
  writer.note_inner(std::move(c));
  return noted;
}

bool written_by_copy(const Operator& op, const IValue* args) {
  if (op.eval != eval_composite_form || !op.schema().arguments()[0].writes() || !dispatch_state().grad_enabled) return false;
  return std::any_of(args, args + op.schema().arguments().size(), wants_gradient);
}

InnerCall& run_noting_write(Writer& writer, const Operator& op, const IValue* args, const IValue* plain, IValue* results) {
  auto c = std::make_unique<InnerCall>();
  c->op = op.functional;
  c->written = args[0].to_tensor();
  c->args.assign(args, args + op.schema().arguments().size());
  c->args[0] = value_before_write(op, c->written);
  std::vector<IValue> before(plain, plain + c->args.size());
  before[0] = c->args[0];
  IValue computed[8];
  {
    Noting noting(writer, *c);
    DispatchModeScope scope(noting);
    monograph::call(*op.functional, before.data(), computed);
  }
  write_computed(op, plain, computed, results);
  for (const IValue& v : c->args) c->versions.push_back(v.is_tensor() ? v.as_tensor().version() : 0);
  InnerCall& noted = *c;
  writer.note_inner(std::move(c));
  return noted;
}

namespace {

// While it lives, nodes are made before a call that has run: the example has drawn its random numbers already.
class BeforeCall {
 public:
  BeforeCall(ir::Graph& graph, ir::Node* call)
      : graph_(graph), saved_(graph.insert_point()), call_(call), state_(default_generator().get_state()) {
    MONOGRAPH_ASSERT(call && !call->erased());
    graph.insert_before(call);
  }
  ~BeforeCall() {
    default_generator().set_state(state_);
    graph_.set_insert_point(saved_.before == call_ ? graph_.insert_point() : saved_);
  }
  BeforeCall(const BeforeCall&) = delete;

 private:
  ir::Graph& graph_;
  ir::Graph::InsertPoint saved_;
  ir::Node* call_;
  std::vector<uint8_t> state_;
};

// The functional form and the copy stand where the in-place form stood, which goes. What is copied to has its value already.
void record_write(Writer& writer, const InnerCall& c, Recording& recording) {
  ir::Node* is = nullptr;
  {
    BeforeCall before(writer.graph, c.node);
    IValue computed[8];
    recording.call(*c.op, c.args.data(), computed);
    const IValue copy[] = {c.written, computed[0], false};
    is = writer.append(find_operator("aten::copy_"), copy);
  }
  writer.graph.replace_all_uses(c.node, is);
  writer.graph.erase(c.node);
}

// The decomposition stands where the call stood, which goes.
void record_in_place(Writer& writer, const InnerCall& c, Recording& recording, IValue* results) {
  ir::Graph& graph = writer.graph;
  {
    BeforeCall before(graph, c.node);
    recording.take_apart(*c.op, c.args.data(), results);
  }
  for (size_t k = 0; k < c.op->results(); ++k) {
    ir::Node* was = c.node->multi() ? c.node->result(k) : c.node;
    if (!was || !results[k].is_tensor()) continue;
    ir::Node* is = writer.find(results[k].as_tensor());
    graph.replace_all_uses(was, is);
    writer.rename(was, is);
  }
  graph.erase(c.node);
}

// The nodes of the call's parts; their results in the order in which they were made.
std::vector<Tensor> record_parts(Writer& writer, InnerCall& c) {
  Recording recording(writer, c);
  IValue results[8];
  const bool draws = std::ranges::any_of(c.steps, [](const auto& step) { return (step.op->effects().reads & ir::Effects::Random) != 0; });
  if (c.written.defined()) record_write(writer, c, recording);
  else if (draws) record_in_place(writer, c, recording, results);
  else recording.take_apart(*c.op, c.args.data(), results);
  return std::move(recording.values);
}

}  // namespace

void record_inner(Writer& writer, InnerCall& c) {
  if (c.outer) {
    if (!c.outer->recorded) record_inner(writer, *c.outer);
    c.args = c.outer->inner_args[c.index];
    for (size_t i = 0; i < c.args.size(); ++i) c.versions[i] = c.args[i].is_tensor() ? c.args[i].as_tensor().version() : 0;
  }
  c.recorded = true;
  for (size_t i = 0; i < c.args.size(); ++i)
    MONOGRAPH_CHECK(c.op->is_view || !c.args[i].is_tensor() || c.args[i].as_tensor().version() == c.versions[i], NotImplemented, "[",
                    c.op->name(), "] the captured function takes a gradient through this operator after it has written to its argument '",
                    c.op->schema().arguments()[i].name, "'; write to a clone() of it");
  GradModeScope off(false);
  // A gradient's rule may ask between its calls: the recorder of the trace would take what is recorded here once more.
  struct Restore {
    DispatchMode* top = std::exchange(dispatch_state().top, nullptr);
    ~Restore() { dispatch_state().top = top; }
  } restore;
  const std::vector<Tensor> values = record_parts(writer, c);
  MONOGRAPH_ASSERT(values.size() == c.values.size());
  for (size_t k = 0; k < c.values.size(); ++k) {
    const Tensor &was = c.values[k], &is = values[k];
    MONOGRAPH_ASSERT(was.sizes() == is.sizes() && was.dtype() == is.dtype());
    if (ir::Node* n = writer.find(is); n && !writer.find(was)) writer.name(was, n);
  }
}

}  // namespace monograph::capture
