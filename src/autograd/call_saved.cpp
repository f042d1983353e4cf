// What the node of a call keeps, as a program sees it: the hooks that keep tensors in its place, and the edges and saved values that PyTorch's node has.
#include "autograd/call_node.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <variant>

#include "autograd/node_names.h"
#include "ops/dispatch.h"
#include "ops/evaluation_mode.h"

namespace monograph {
namespace {

constexpr size_t kMore = 100;  // index of a result that only PyTorch's operator has
constexpr uint32_t kUnread = std::numeric_limits<uint32_t>::max();
constexpr const char* kFreed =
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved "
    "intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
    "backward through the graph a second time or if you need to access saved tensors after calling backward.";

// What a program's hooks and modes must not see.
struct OutOfSight {
  OutOfSight() { std::swap(hooks, saved_tensor_hooks()); }
  ~OutOfSight() { std::swap(hooks, saved_tensor_hooks()), EvaluationMode::set_current(mode); }
  std::vector<std::shared_ptr<const SavedTensorHooks>> hooks;
  EvaluationMode* mode = EvaluationMode::set_current(nullptr);
  AutocastScope autocast{false};
};

// A result that only PyTorch's operator has, without history.
IValue more_of(const Operator& op, const std::vector<IValue>& args, const SavedFact& fact) {
  const OutOfSight scope;
  const GradModeScope off(false);
  return op.kept_value(fact.name)->compute(args.data());
}

// What PyTorch's formula has as a number where the call has none: the alpha of selu, which is elu.
struct NodeConstant {
  std::string_view base, name;
  std::variant<int, double> value;
};
constexpr NodeConstant kNodeConstants[] = {
#include "autograd/node_constants.inc"
};
std::optional<IValue> constant_of_formula(const Operator& op, std::string_view name) {
  const std::string_view base = op.base_name();
  for (const NodeConstant& c : kNodeConstants)
    if (c.base == base && c.name == name) return std::visit([](auto v) { return IValue(v); }, c.value);
  return {};
}

Tensor rows_of(const Tensor& t) { return t.dim() == 2 ? t : Tensor("reshape"_op(t, Dims{-1, t.sizes().back()})); }

// Whether the formula of this step of PyTorch is that of the operator itself, as max_pool2d is of MaxPool2DBackward0, or has the same arguments.
bool own_step(const Operator& op, std::string_view name) {
  std::string letters, own;
  for (char c : name.substr(0, name.find("Backward"))) letters += static_cast<char>(std::tolower(c));
  for (char c : op.base_name())
    if (c != '_') own += static_cast<char>(std::tolower(c));
  if ((letters == "unsafeview" && own == "view") || (letters == "permute" && (own == "t" || own == "transpose"))) return true;
  return letters == own || letters == "convolution" || op.one_step;
}

const NodeFacts* facts_of_step(const Operator& op, const char* name) {
  const NodeFacts* facts = name ? node_facts(name) : nullptr;
  if (!facts) return nullptr;
  for (std::string_view edge : facts->edges)
    if (std::ranges::find(op.schema().arguments(), edge, &ir::Argument::name) == op.schema().arguments().end()) return nullptr;
  return own_step(op, name) ? facts : nullptr;
}

}  // namespace

// ---- hooks ----

void OperatorBackward::pack(const std::shared_ptr<const SavedTensorHooks>& hooks, const IValue* args, std::span<const IValue> results,
                            bool writes_self) {
  const NodeFacts* known = hooks->neutral ? nullptr : facts();
  const bool linear = is_linear() && !hooks->neutral;
  std::vector<bool> asked(saved_.args.size() + saved_.results.size());
  for (bool result : {false, true}) {
    const size_t count = result ? saved_.results.size() : saved_.args.size(), first = result ? saved_.args.size() : 0;
    for (size_t i = 0; i < count; ++i) {
      const IValue& v = (result ? saved_.results : saved_.args)[i];
      asked[first + i] = (v.is_tensor() || v.is_list()) && reads(result, i);
    }
  }
  const GradCall::Saved original = saved_;
  const auto value_of = [&](bool result, size_t i) -> const IValue& {
    if (result) return results[i];
    return i == 0 && writes_self ? original.args[i] : args[i];
  };
  if (linear) pack_linear(hooks, args);
  for (size_t k = 0; known && k < known->saved.size(); ++k) {
    const SavedFact& fact = known->saved[k];
    const bool result = fact.kind == SavedFact::Kind::Result;
    if (fact.kind == SavedFact::Kind::Value || !is_saved(fact)) continue;
    const size_t i = result ? fact.result : *argument(fact.name);
    if (result && !is_result(fact)) {
      const IValue more = more_of(op_, original.args, fact);
      if (more.is_tensor()) pack_one(more.as_tensor(), {true, kMore + i, 0, Form::Same, hooks, nullptr});
      continue;
    }
    const IValue& v = value_of(result, i);
    pack_elements(result && !fact.differentiable && v.is_tensor() ? IValue(alias_without_history(v.as_tensor())) : v, result, i, hooks);
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    const bool result = i >= original.args.size();
    const size_t k = result ? i - original.args.size() : i;
    if (!asked[i]) drop(result, k);
    else if (!known && !linear) pack_elements(value_of(result, k), result, k, hooks);
  }
}

void OperatorBackward::drop(bool result, size_t i) {
  IValue& v = (result ? saved_.results : saved_.args)[i];
  if (v.is_tensor()) (result ? saved_.result_versions : saved_.arg_versions)[i] = kUnread;
  v = without_elements(v);
}

void OperatorBackward::pack_one(const Tensor& t, Packed place) {
  place.handle = place.hooks->pack(t);
  packed_.push_back(std::move(place));
}

void OperatorBackward::pack_elements(const IValue& v, bool result, size_t index, const std::shared_ptr<const SavedTensorHooks>& hooks) {
  if (!v.is_tensor() && !v.is_list()) return;
  const size_t count = v.is_list() ? v.items().size() : 1;
  for (size_t k = 0; k < count; ++k) {
    const IValue& item = v.is_list() ? v.items()[k] : v;
    if (!item.is_tensor() || item.as_tensor()->wrapped_number) continue;
    pack_one(item.as_tensor(), {result, index, k, Form::Same, hooks, nullptr});
  }
  IValue& kept = (result ? saved_.results : saved_.args)[index];
  if (!kept.is_tensor() || !kept.as_tensor()->wrapped_number) kept = without_elements(kept);
}

// The rows of the input where the weight needs a gradient, and the transposed weight where the input needs one.
void OperatorBackward::pack_linear(const std::shared_ptr<const SavedTensorHooks>& hooks, const IValue* args) {
  Tensor rows, transposed;
  {
    const OutOfSight scope;
    const GradModeScope on(true);
    const bool row = args[0].as_tensor().dim() == 1 && !args[2].is_tensor();
    if (edge_of(1, 0).node) rows = row ? Tensor("unsqueeze"_op(args[0], 0)) : rows_of(args[0].as_tensor());
    if (edge_of(0, 0).node && args[1].as_tensor().dim() == 2) transposed = "t"_op(args[1]);
  }
  const bool addmm = args[2].is_tensor();  // which saves mat1 first; mm saves mat2 first
  for (bool weight : {!addmm, addmm}) {
    if (!weight && rows.defined()) pack_one(rows, {false, 0, 0, args[0].as_tensor().dim() == 2 ? Form::Same : Form::Rows, hooks, nullptr});
    if (weight && transposed.defined()) pack_one(transposed, {false, 1, 0, Form::Transposed, hooks, nullptr});
  }
  for (const Packed& p : packed_) saved_.args[p.index] = without_elements(saved_.args[p.index]);
}

Tensor OperatorBackward::unpacked(const Packed& p) const {
  Tensor t = alias_without_history(p.hooks->unpack(p.handle));
  if (p.form == Form::Same) return t;
  const GradModeScope off(false);
  return alias_without_history(p.form == Form::Transposed ? "t"_op(t) : "reshape"_op(t, saved_.args[p.index].as_tensor().sizes()));
}

GradCall::Saved OperatorBackward::unpack() const {
  GradCall::Saved out = saved_;
  for (const Packed& p : packed_) {
    const Tensor t = unpacked(p);
    std::vector<IValue>& values = p.result ? out.results : out.args;
    if (p.index >= values.size()) continue;  // PyTorch reads it, and the rule here does not
    IValue& value = values[p.index];
    if (!p.result) link_argument(t, p.index, p.element);
    if (!value.is_list()) {
      (p.result ? out.result_versions : out.arg_versions)[p.index] = t.version();
      value = t;
      continue;
    }
    std::vector<IValue> items(value.items().begin(), value.items().end());
    items[p.element] = t;
    value = IValue::list(std::move(items));
    out.arg_versions[p.index] = 0;
  }
  return out;
}

// Gives an unpacked tensor the history of the argument that was packed.
void OperatorBackward::link_argument(const Tensor& t, size_t argument, size_t element) const {
  if (const GradEdge edge = edge_of(argument, element); edge.node) set_edge(t, edge);
}

const OperatorBackward::Packed* OperatorBackward::find_packed(bool result, size_t index, size_t element) const {
  for (const Packed& p : packed_)
    if (p.result == result && p.index == index && p.element == element) return &p;
  return nullptr;
}

void OperatorBackward::packed_objects(std::vector<void*>& objects) const {
  for (const Packed& p : packed_)
    if (p.handle.use_count() == 1) objects.push_back(p.handle.get());
}

// Whether the rule reads the elements of argument or result i (of a list: any elements). To find out, the rule runs on tensors without elements, and this
// one is marked as written since it was saved: reading it raises an error.
bool OperatorBackward::reads(bool result, size_t i) const {
  if (observed() || !op_.name().starts_with("aten::")) return true;  // a user's rule must run only once
  if (by_parts) return !result;
  GradCall::Saved probe = saved_;
  for (size_t k = 0; k < probe.args.size(); ++k)
    if (probe.args[k].is_tensor()) probe.arg_versions[k] = probe.args[k].as_tensor().version();
  std::vector<Tensor> grads;
  for (size_t k = 0; k < probe.results.size(); ++k) {
    if (!probe.results[k].is_tensor()) continue;
    probe.result_versions[k] = probe.results[k].as_tensor().version();
    grads.push_back(without_elements(probe.results[k]).to_tensor());
  }
  if (gives_list(op_)) grads.emplace_back();
  if ((result ? probe.results : probe.args)[i].is_list()) probe.released = true;
  else ++(result ? probe.result_versions : probe.arg_versions)[i];
  GradModeScope off(false);
  const OutOfSight trial;
  try {
    GradCall call(op_, probe, grads);
    if (op_.gradient) op_.gradient(call);
    else recorded_slopes(call, result_dtype);
    return false;
  } catch (const Error&) {
    return true;
  }
}

// ---- what PyTorch's node shows ----

const NodeFacts* one_step_in_pytorch(const Operator& op, const IValue* args) {
  if (gives_list(op)) return nullptr;
  const char* name = pytorchs_node_name(op, {args, op.schema().arguments().size()});
  static thread_local std::map<std::pair<const Operator*, const char*>, const NodeFacts*> known;
  const auto found = known.find({&op, name});
  return found != known.end() ? found->second : known[{&op, name}] = facts_of_step(op, name);
}

bool can_run_again(const Operator& op) {
  return !(op.effects().reads & ir::Effects::Random) && (!op.effects().writes || op.base_name() == "batch_norm");
}

std::optional<size_t> OperatorBackward::argument(std::string_view name) const {
  const auto& arguments = op_.schema().arguments();
  const auto found = std::ranges::find(arguments, name, &ir::Argument::name);
  if (found == arguments.end()) return {};
  return static_cast<size_t>(found - arguments.begin());
}

const NodeFacts* OperatorBackward::facts() const {
  const NodeFacts* facts = node_facts(name());
  // The last step of an operator that is made of others: its arguments are not those of PyTorch's step.
  if (facts && name_ && !own_step(op_, name_)) return nullptr;
  if (facts)
    for (std::string_view edge : facts->edges)
      if (!argument(edge)) return nullptr;
  return facts;
}

GradEdge OperatorBackward::edge_of(size_t argument, size_t element) const {
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].argument == argument && slots[i].element == element) return next[i];
  return {};
}

// linear by the steps of PyTorch, on tensors without elements that have the edges of the arguments.
GradNode* OperatorBackward::replayed() {
  if (shown_ || !is_linear() || observed() || saved_.args[1].as_tensor().dim() != 2) return shown_.get();
  const OutOfSight scope;
  const GradModeScope on(true);
  replay_ = std::make_shared<Replay>();
  replay_->origin = this;
  std::vector<Tensor>& given = replay_->arguments;
  for (size_t k = 0; k < 3; ++k) {
    given.push_back(saved_.args[k].is_tensor() ? without_elements(saved_.args[k]).to_tensor() : Tensor());
    if (!given[k].defined()) continue;
    given[k]->requires_grad = false;
    link_argument(given[k], k, 0);
  }
  const uint64_t begin = node_count();
  const Dims sizes = given[0].sizes();
  const bool row = sizes.size() == 1 && !given[2].defined();
  const Tensor transposed = "t"_op(given[1]), rows = row ? Tensor("unsqueeze"_op(given[0], 0)) : rows_of(given[0]);
  Tensor out = given[2].defined() ? "addmm"_op(given[2], rows, transposed) : "mm"_op(rows, transposed);
  if (row) {
    out = "squeeze"_op(out, 0);
  } else if (sizes.size() != 2) {
    Dims shape;
    for (size_t d = 0; d + 1 < sizes.size(); ++d) shape.push_back(sizes[d]);
    shape.push_back(given[1].sizes()[0]);
    out = "view"_op(out, shape);
  }
  shown_ = grad_fn(out);
  if (sizes.size() != 2) shown_->rename(pytorchs_node_name(op_, saved_.args), nullptr);
  const std::function<void(GradNode&)> visit = [&](GradNode& node) {
    if (node.sequence < begin || node.sequence == std::numeric_limits<uint64_t>::max()) return;
    auto& step = static_cast<OperatorBackward&>(node);
    step.replay_ = replay_, step.is_shown_only = true;
    for (const GradEdge& e : step.shown_next())
      if (e.node) visit(*e.node);
  };
  visit(*shown_);
  return shown_.get();
}

// The tensor of the call of linear for which this saved one stands, which has no elements: mat2 is the transposed weight, the other the rows of the input.
Tensor OperatorBackward::of_replay(const SavedFact& fact, const Tensor& t) const {
  MONOGRAPH_CHECK(replay_->origin && !replay_->origin->saved_.released, Runtime, kFreed);
  OperatorBackward& call = *replay_->origin;
  const size_t k = fact.name == "mat2" ? 1 : 0;
  Tensor real = call.saved_element(false, k, 0, call.saved_.args[k].as_tensor(), true);
  if (k == 0 && t.sizes() == real.sizes()) return real;
  const GradModeScope off(false);
  Tensor part = alias_without_history(k == 1 ? "t"_op(real) : "reshape"_op(real, t.sizes()));
  if (t.requires_grad()) set_edge(part, gradient_edge(t));
  return part;
}

std::vector<GradEdge> OperatorBackward::shown_next() {
  if (GradNode* step = replayed()) return step->shown_next();
  const NodeFacts* known = facts();
  if (!known) return next;
  std::vector<GradEdge> edges;
  for (std::string_view name : known->edges) {
    const size_t k = *argument(name), count = saved_.args[k].is_list() ? saved_.args[k].items().size() : 1;
    for (size_t i = 0; i < count; ++i) edges.push_back(edge_of(k, i));
  }
  return edges;
}

bool OperatorBackward::is_saved(const SavedFact& fact) {
  if (fact.kind == SavedFact::Kind::Value) return true;
  if (fact.kind == SavedFact::Kind::Argument && !argument(fact.name)) return false;
  if (fact.kind == SavedFact::Kind::Result && !is_result(fact) && !op_.kept_value(fact.name)) return false;
  if (fact.edges.empty()) return true;
  const std::vector<GradEdge> edges = shown_next();
  return std::ranges::any_of(fact.edges, [&](size_t e) { return e < edges.size() && edges[e].node; });
}

std::vector<const SavedFact*> OperatorBackward::shown_saved() {
  if (GradNode* step = replayed()) return step->shown_saved();
  const NodeFacts* known = facts();
  std::vector<const SavedFact*> names;
  for (size_t k = 0; known && k < known->saved.size(); ++k) {
    const SavedFact& fact = known->saved[k];
    const bool there = fact.kind == SavedFact::Kind::Value      ? other_value(fact.name).has_value()
                       : fact.kind == SavedFact::Kind::Argument ? argument(fact.name).has_value()
                                                                : is_result(fact) || op_.kept_value(fact.name);
    if (there) names.push_back(&fact);
  }
  return names;
}

IValue OperatorBackward::saved_value(const SavedFact& fact) {
  if (GradNode* step = replayed()) {
    const IValue v = step->saved_value(fact);
    return v.is_tensor() && replay_ && replay_->origin != this ? IValue(of_replay(fact, v.as_tensor())) : v;
  }
  if (fact.kind == SavedFact::Kind::Value) return other_value(fact.name).value_or(IValue());
  if (!is_saved(fact)) return {};
  const IValue v = saved_tensors(fact);
  return v.is_tensor() && replay_ && replay_->origin != this ? IValue(of_replay(fact, v.as_tensor())) : v;
}

// Whether the operator has this result of PyTorch's.
bool OperatorBackward::is_result(const SavedFact& fact) const {
  if (fact.result >= saved_.results.size()) return false;
  const auto& returns = op_.schema().returns();
  return fact.result == 0 || fact.result >= returns.size() || returns[fact.result].name.empty() || returns[fact.result].name == fact.name;
}

IValue OperatorBackward::saved_tensors(const SavedFact& fact) {
  MONOGRAPH_CHECK(!saved_.released, Runtime, kFreed);
  const bool result = fact.kind == SavedFact::Kind::Result;
  const size_t i = result ? fact.result : *argument(fact.name);
  if (result && !is_result(fact)) {
    if (const Packed* p = find_packed(true, kMore + i, 0)) return unpacked(*p);
    return more_of(op_, saved_.args, fact);
  }
  const IValue& value = (result ? saved_.results : saved_.args)[i];
  if (value.is_number()) return fact.kind == SavedFact::Kind::Argument ? IValue(wrapped_number(value)) : value;
  if (!value.is_list()) return value.is_tensor() ? IValue(saved_element(result, i, 0, value.as_tensor(), fact.differentiable)) : IValue();
  std::vector<IValue> items;
  for (size_t k = 0; k < value.items().size(); ++k) {
    const IValue& item = value.items()[k];
    items.push_back(item.is_tensor() ? IValue(saved_element(result, i, k, item.as_tensor(), true)) : IValue());
  }
  return IValue::list(std::move(items));
}

// A tensor as it was at the call, with its history.
Tensor OperatorBackward::saved_element(bool result, size_t index, size_t element, const Tensor& kept, bool history) {
  const Packed* p = find_packed(result, index, element);
  const std::vector<uint32_t>& versions = result ? saved_.result_versions : saved_.arg_versions;
  const bool written = !p && index < versions.size() && element == 0 && versions[index] != kUnread &&
                       !(result ? saved_.results : saved_.args)[index].is_list() && versions[index] != kept.version();
  MONOGRAPH_CHECK(!written, Runtime,
                  "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.",
                  info(kept.dtype()).scalar_type, "Tensor ", to_string(kept.sizes()), "] is at version ", kept.version(),
                  "; expected version ", versions[index], " instead.");
  if (!p && !result) return kept;
  const Tensor t = p ? unpacked(*p) : alias_without_history(kept);
  if (!result) link_argument(t, index, element);
  else if (history && differentiable(t.dtype()))
    set_history(t, history_of_results_.node ? history_of_results_.node : Ref<GradNode>(this),
                history_of_results_.node ? history_of_results_.slot : static_cast<uint32_t>(index));
  return t;
}

// What is no tensor: an argument, or what PyTorch's formula asks of one (self.sym_sizes()).
std::optional<IValue> OperatorBackward::other_value(std::string_view name) const {
  if (const auto k = argument(name)) {
    const IValue& v = saved_.args[*k];
    if (op_.base_name() == "slice" && v.is_none() && name != "step")
      return name == "start" ? int64_t{0} : std::numeric_limits<int64_t>::max();
    return v;
  }
  if (const KeptValue* kept = op_.kept_value(name)) return kept->compute(saved_.args.data());
  if (const auto known = constant_of_formula(op_, name)) return known;
  if (name == "transposed") return op_.base_name().find("transpose") != std::string_view::npos;
  if (const auto stride = argument("stride"); name == "output_padding" && stride && saved_.args[*stride].is_ints())
    return Dims(saved_.args[*stride].to_ints().size(), 0);
  const size_t end = name.find("_sym_");
  const bool dim = end == name.npos && name.ends_with("_dim");
  if (end == name.npos && !dim) return {};
  const auto k = argument(name.substr(0, dim ? name.size() - 4 : end));
  if (!k) return {};
  if (!saved_.args[*k].is_tensor()) return name.ends_with("_opt") ? std::optional<IValue>(Dims(1, 0)) : std::nullopt;
  const Tensor& t = saved_.args[*k].as_tensor();
  if (dim) return t.dim();
  const std::string_view asked = name.substr(end + 5);
  if (asked == "sizes" || asked == "sizes_opt") return t.sizes();
  if (asked == "strides") return edge_of(*k, 0).node ? t.strides() : Dims();  // asked for where they are needed
  if (asked == "numel") return t.numel();
  if (!asked.starts_with("argsize_")) return {};
  const bool from_end = asked.find("minus") != asked.npos;
  const int64_t at = asked.back() - '0';
  const int64_t d = from_end ? t.dim() - at : at;
  return d >= 0 && d < t.dim() ? std::optional<IValue>(t.sizes()[static_cast<size_t>(d)]) : std::nullopt;
}

void OperatorBackward::pack_value(const SavedFact& fact, const std::shared_ptr<const SavedTensorHooks>& hooks) {
  MONOGRAPH_CHECK(
      !saved_.released, Runtime,
      "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are freed when you "
      "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if "
      "you need to access saved variables after calling backward.");
  MONOGRAPH_CHECK(replayed() || saved_value(fact).is_tensor(), Runtime,
                  "Calling register_hooks on a saved tensor with value None is forbidden");
  MONOGRAPH_CHECK(!shown_ && !replay_, NotImplemented, name(), ": hooks of this saved value are not implemented; use ",
                  "torch.autograd.graph.saved_tensors_hooks around the call");
  const bool result = fact.kind == SavedFact::Kind::Result;
  const size_t i = result ? fact.result : *argument(fact.name);
  const std::vector<IValue>& values = result ? saved_.results : saved_.args;
  MONOGRAPH_CHECK(i < values.size() && values[i].is_tensor(), NotImplemented, name(), ": the step here does not read ", fact.name,
                  ", so hooks of it would never run");
  MONOGRAPH_CHECK(
      !find_packed(result, i, 0), Runtime,
      "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of hooks is allowed at a time.");
  pack_one(alias_without_history(values[i].as_tensor()), {result, i, 0, Form::Same, hooks, nullptr});
  drop(result, i);
}

Tensor OperatorBackward::result_like(uint32_t slot) const {
  const bool there = slot < saved_.results.size() && saved_.results[slot].is_tensor();
  return there ? without_elements(saved_.results[slot]).to_tensor() : Tensor();
}

void OperatorBackward::keep_what_is_shown(const NodeFacts& known) {
  for (size_t i = 0; i < saved_.args.size(); ++i) {
    if (!saved_.args[i].is_tensor()) continue;
    const std::string& name = op_.schema().arguments()[i].name;
    bool kept = false, asked = false;  // for its sizes
    for (const SavedFact& f : known.saved) {
      const auto leads = [&](size_t e) { return leads_somewhere(known, e); };
      kept |= f.name == name && (f.edges.empty() || std::ranges::any_of(f.edges, leads));
      asked |= f.kind == SavedFact::Kind::Value && f.name.starts_with(name);
    }
    if (!kept) saved_.args[i] = asked ? without_elements(saved_.args[i]) : IValue();
  }
}

bool OperatorBackward::leads_somewhere(const NodeFacts& known, size_t edge) const {
  return edge < known.edges.size() && edge_of(*argument(known.edges[edge]), 0).node;
}

// ---- hooks of nodes, which see PyTorch's gradients ----

std::string OperatorBackward::why_no_hooks() {
  if (is_shown_only)
    return "linear is computed in one step, so this step of PyTorch's does not run. Hang the hook on the weight or the input";
  const bool in_one_step = is_linear() && saved_.args[0].as_tensor().dim() == 2;
  if (in_one_step || !replayed()) return {};
  return is_linear() ? "linear is computed in one step, and the hook would see the gradients of several. Hang it on the tensors, or on a "
                       "module by register_full_backward_hook"
                     : "this operator is computed in several steps, and the hook would see the gradients of the last one. Hang it on the "
                       "tensors, or on a module by register_full_backward_hook";
}

std::vector<Tensor> OperatorBackward::as_shown(std::vector<Tensor> made) {
  std::vector<Tensor> shown;
  for (size_t i : shown_order()) shown.push_back(i < made.size() ? made[i] : Tensor());
  if (is_linear() && shown.size() > 1 && shown.back().defined()) shown.back() = "t"_op(shown.back());
  return shown;
}

std::vector<Tensor> OperatorBackward::from_shown(std::vector<Tensor> shown) {
  const std::vector<size_t> order = shown_order();
  if (is_linear() && shown.size() > 1 && shown.back().defined()) shown.back() = "t"_op(shown.back());
  std::vector<Tensor> made(next.size());
  for (size_t k = 0; k < order.size() && k < shown.size(); ++k)
    if (order[k] < made.size()) made[order[k]] = shown[k];
  return made;
}

// For each edge that PyTorch's node has, which of `next` it is; next.size() for none.
std::vector<size_t> OperatorBackward::shown_order() const {
  std::vector<size_t> order;
  const auto add = [&](size_t argument, size_t element) {
    size_t i = 0;
    while (i < slots.size() && !(slots[i].argument == argument && slots[i].element == element)) ++i;
    order.push_back(i < slots.size() ? i : next.size());
  };
  const NodeFacts* known = facts();
  if (is_linear()) {
    if (saved_.args[2].is_tensor()) add(2, 0);
    add(0, 0), add(1, 0);
  } else if (known) {
    for (std::string_view name : known->edges) {
      const size_t k = *argument(name), count = saved_.args[k].is_list() ? saved_.args[k].items().size() : 1;
      for (size_t i = 0; i < count; ++i) add(k, i);
    }
  } else {
    for (size_t i = 0; i < next.size(); ++i) order.push_back(i);
  }
  return order;
}

}  // namespace monograph
