// Gradients in a trace through operators that have only a decomposition. While the function runs, such a call is one node; its decomposition runs on the
// example, and the inner tensors are noted (Noting). If a gradient rule reads one of them, the decomposition runs again and is recorded in the graph
// (Recording), and each inner tensor gets its node.
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

// The example's value of a value that the graph computes. The capture is specialized to it by a guard.
IValue fixed(const Operator& op, const IValue& v) {
  if (auto size = symbolic_size(v)) current_session()->writer.specialize(*size);
  else if (symbolic_value(v)) return demand(v);
  if (!v.is_list() || v.items().empty()) return example(op, v);
  if (v.items()[0].is_tensor()) return v;
  for (const IValue& item : v.items()) fixed(op, item);
  return example(op, v);
}

// A value that the graph computes from its inputs' sizes, as a Size. Any other number is the result of `number`.
IValue sizes_of_values(const Operator& op, const IValue& v, IValue (*number)(const Operator&, const IValue&)) {
  if (auto* value = symbolic_value(v)) {
    const ir::Args node(value->node);
    const Size size = value->node ? Size(size_value(node[0]).integer) : Size();
    return size.known() ? IValue(size) : number(op, v);
  }
  if (!v.is_list()) return v;
  std::vector<IValue> items;
  bool all_numbers = true;
  for (const IValue& item : v.items()) items.push_back(sizes_of_values(op, item, number)), all_numbers &= items.back().is_int();
  return all_numbers ? example(op, v) : IValue::list(std::move(items));
}

// Whether a decomposition reads this argument as sizes, which may be symbols.
bool takes_sizes(const Operator& op, size_t i) {
  return op.decompose_reads == Reads::Symbols && holds_sizes(op.schema().arguments()[i].type);
}

// Describes an argument in the example's run, without the elements of tensors. The sizes of tensors are the capture's symbols.
AbstractValue abstract_value_of(Writer& writer, const IValue& v) {
  return abstract_value(v, [&](const Tensor& t) {
    AbstractValue out;
    out.tensor.dtype = t.dtype(), out.tensor.device = t.device(), out.tensor.sizes.emplace();
    const Sizes sizes = writer.sizes(t);
    for (size_t d = 0; d < sizes.size(); ++d) out.tensor.sizes->push_back(sizes[d].symint());
    out.type = out.tensor, out.wrapped = t->wrapped_number;
    return out;
  });
}

// Runs a decomposition on the example, and notes the results of every operator that it calls. It reads the same symbolic sizes as it will when it is recorded,
// so that it takes the same path then.
class Noting : public DispatchMode {
 public:
  Noting(Writer& writer, InnerCall& noted) : writer_(writer), noted_(noted), nested_(writer.noting) {
    for (const IValue& v : nested_ ? std::vector<IValue>() : noted.args) {
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
  // Runs the operator's decomposition. `args` are values of the graph; it gets those of the example, and symbolic sizes where it takes them.
  void decompose(const Operator& op, const IValue* args, IValue* results) {
    std::vector<IValue> values(args, args + op.schema().arguments().size());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = takes_sizes(op, i) ? sizes_of_values(op, values[i], example) : example(op, values[i]);
    DispatchModeScope scope(*this);
    run_decomposition(op, values.data(), results);
  }
  void call(const Operator& op, const IValue* args, IValue* results) override {
    const size_t n = op.schema().arguments().size();
    std::vector<IValue> plain(args, args + n);
    for (IValue& v : plain) v = example(op, v);
    const bool decomposed = autograd_decomposes(op, plain.data()), by_strides = decomposed && op.decompose_reads == Reads::Strides;
    noted_.steps.push_back({&op, decomposed && !by_strides});
    if (by_strides) {
      InnerCall& inner = run_noting(writer_, op, plain.data(), results);
      inner.outer = &noted_, inner.index = calls_++;
      note_sizes(op, args, results);
    } else if (decomposed) {
      decompose(op, args, results);
    } else {
      Writer::CallScope call(writer_, {nullptr, 0, &noted_, calls_++});
      monograph::call(op, plain.data(), results);
      note_sizes(op, args, results);
    }
    for (size_t k = 0; k < op.results(); ++k) note_tensors(results[k], noted_.values);
  }

 private:
  void note_sizes(const Operator& op, const IValue* args, const IValue* results) {
    std::vector<AbstractValue> known;
    for (size_t i = 0; i < op.schema().arguments().size(); ++i) known.push_back(abstract_value_of(writer_, args[i]));
    const std::vector<ir::Type> types = infer_results(op, std::move(known));
    for (size_t k = 0; k < op.results(); ++k) {
      std::vector<Tensor> tensors;
      note_tensors(results[k], tensors);
      for (const Tensor& t : tensors) writer_.note_sizes(t, types[k].is(ir::TypeKind::Tensor) ? types[k].tensor() : ir::TensorType());
    }
  }
  Writer& writer_;
  InnerCall& noted_;
  bool nested_;  // inside of another call that is noted
  size_t calls_ = 0;
};

// Records every operator that a decomposition calls, except writes to tensors from outside, which have happened already.
class Recording : public DispatchMode {
 public:
  Recording(Writer& writer, InnerCall& call) : recorder_(writer), noted_(call) {}
  // Runs the operator's decomposition. Where it reads numbers, the capture is specialized to those of the example. Sizes stay symbols where it takes them.
  void decompose(const Operator& op, const IValue* args, IValue* results) {
    std::vector<IValue> values(args, args + op.schema().arguments().size());
    const bool reads_numbers = op.decompose_reads == Reads::Sizes;
    for (size_t i = 0; i < values.size(); ++i) {
      IValue& v = values[i];
      const Sizes sizes = reads_numbers && v.is_tensor() ? dispatch_hooks().sizes(v.as_tensor()) : Sizes();
      for (size_t d = 0; d < sizes.size(); ++d) dispatch_hooks().specialize(sizes[d]);
      if (takes_sizes(op, i)) v = sizes_of_values(op, v, fixed);
      else if (reads_numbers || op.decompose_reads == Reads::Symbols) v = fixed(op, v);
    }
    DispatchModeScope scope(*this);
    run_decomposition(op, values.data(), results);
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
        calls_ < noted_.steps.size() && noted_.steps[calls_].op == &op, NotImplemented, "[", noted_.op->name(),
        "] a captured function takes a gradient through this operator, which is computed in another way where the sizes are not known; ",
        "capture the forward pass, and let the graph's caller ask for the gradient");
    const bool decomposed = noted_.steps[calls_++].decomposed;
    if (!decomposed) noted_.inner_args.emplace_back(args, args + op.schema().arguments().size());
    const auto& arguments = op.schema().arguments();
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].writes() && args[i].is_tensor() && !own_.contains(args[i].as_tensor()->storage.get()))
        return void(results[0] = args[i]);
    if (decomposed) decompose(op, args, results);
    else recorder_.record(op, args, results);
  }

  Tracer recorder_;
  InnerCall& noted_;
  size_t calls_ = 0;
  std::unordered_set<const Storage*> own_;  // the storages that the decomposition has made
};

}  // namespace

bool autograd_decomposes(const Operator& op, const IValue* args) {
  if (op.gradient || op.derived_gradient || !op.decompose || !dispatch_state().grad_enabled) return false;
  return std::any_of(args, args + op.schema().arguments().size(), wants_gradient);
}

InnerCall& run_noting(Writer& writer, const Operator& op, const IValue* args, IValue* results) {
  auto c = std::make_unique<InnerCall>();
  c->op = &op;
  c->args.assign(args, args + op.schema().arguments().size());
  {
    Noting noting(writer, *c);
    noting.decompose(op, args, results);
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
  std::vector<IValue> functional_args(plain, plain + c->args.size());
  functional_args[0] = c->args[0];
  IValue computed[8];
  {
    Noting noting(writer, *c);
    DispatchModeScope scope(noting);
    monograph::call(*op.functional, functional_args.data(), computed);
  }
  write_computed(op, plain, computed, results);
  for (const IValue& v : c->args) c->versions.push_back(v.is_tensor() ? v.as_tensor().version() : 0);
  InnerCall& noted = *c;
  writer.note_inner(std::move(c));
  return noted;
}

namespace {

// While it lives, nodes are inserted before a call that has run already. The state of the random generator is restored at the end, since the example has drawn
// the call's numbers.
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

// Replaces the node of an in-place call by its functional form and a copy_. The written tensor of the example has its value already.
void record_write(Writer& writer, const InnerCall& c, Recording& recording) {
  ir::Node* copy_node = nullptr;
  {
    BeforeCall before(writer.graph, c.node);
    IValue computed[8];
    recording.call(*c.op, c.args.data(), computed);
    const IValue copy[] = {c.written, computed[0], false};
    copy_node = writer.append(find_operator("aten::copy_"), copy);
  }
  writer.graph.replace_all_uses(c.node, copy_node);
  writer.graph.erase(c.node);
}

// Replaces the node of a call by its decomposition.
void record_in_place(Writer& writer, const InnerCall& c, Recording& recording, IValue* results) {
  ir::Graph& graph = writer.graph;
  {
    BeforeCall before(graph, c.node);
    recording.decompose(*c.op, c.args.data(), results);
  }
  for (size_t k = 0; k < c.op->results(); ++k) {
    ir::Node* old_node = c.node->multi() ? c.node->result(k) : c.node;
    if (!old_node || !results[k].is_tensor()) continue;
    ir::Node* new_node = writer.find(results[k].as_tensor());
    graph.replace_all_uses(old_node, new_node);
    writer.rename(old_node, new_node);
  }
  graph.erase(c.node);
}

// Records the decomposition of a noted call. Returns the results of its operators, in the order of their calls.
std::vector<Tensor> record_parts(Writer& writer, InnerCall& c) {
  Recording recording(writer, c);
  IValue results[8];
  const bool draws = std::ranges::any_of(c.steps, [](const auto& step) { return (step.op->effects().reads & ir::Effects::Random) != 0; });
  if (c.written.defined()) record_write(writer, c, recording);
  else if (draws) record_in_place(writer, c, recording, results);
  else recording.decompose(*c.op, c.args.data(), results);
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
  // A gradient rule may call this while the trace records: without this, the trace would record the same calls a second time.
  struct Restore {
    DispatchMode* top = std::exchange(dispatch_state().top, nullptr);
    ~Restore() { dispatch_state().top = top; }
  } restore;
  const std::vector<Tensor> values = record_parts(writer, c);
  MONOGRAPH_ASSERT(values.size() == c.values.size());
  for (size_t k = 0; k < c.values.size(); ++k) {
    const Tensor &noted = c.values[k], &recorded = values[k];
    MONOGRAPH_ASSERT(noted.sizes() == recorded.sizes() && noted.dtype() == recorded.dtype());
    if (ir::Node* n = writer.find(recorded); n && !writer.find(noted)) writer.name(noted, n);
  }
}

}  // namespace monograph::capture
