// Converts graphs to onnx:: nodes and back. Exporter writes the rule of an operator's record as onnx:: nodes. Matcher applies the rules backwards: at each
// node it tries the largest expressions first.
#include "passes/onnx.h"

#include <algorithm>
#include <map>
#include <optional>

#include "ops/infer.h"
#include "ops/onnx_rule.h"
#include "ops/registry.h"
#include "passes/decompose.h"

namespace monograph::passes {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::TypeKind;
using ExprKind = OnnxExpr::Kind;
using ConditionKind = OnnxCondition::Kind;

constexpr std::string_view kPrefix = "onnx::";

std::string printed(ArgRef a) {
  std::string text;
  ir::print_arg(text, a);
  return text;
}
bool same(ArgRef a, ArgRef b) { return printed(a) == printed(b); }

// Whether an argument equals its default. A default of one number equals a list of that number.
bool is_default(const ir::Argument& place, ArgRef a) {
  if (!place.default_value) return false;
  ArgRef d = (*place.default_value)[0];
  if (!a.is(ArgKind::List) || d.is(ArgKind::List)) return same(a, d);
  for (ArgRef part : a)
    if (!same(part, d)) return false;
  return true;
}

const ir::TensorType* tensor_type(ArgRef a) {
  Node* n = a.node();
  return n && n->type().is(TypeKind::Tensor) ? &n->type().tensor() : nullptr;
}
std::optional<int64_t> rank_of(ArgRef a) {
  const ir::TensorType* t = tensor_type(a);
  return t && t->sizes ? std::optional(static_cast<int64_t>(t->sizes->size())) : std::nullopt;
}

bool is_number(Node* n) { return n->type().is(TypeKind::Int) || n->type().is(TypeKind::SymInt) || n->type().is(TypeKind::Float); }

// The permutation of dims that swaps dims `a` and `b`.
std::optional<Args> swapped(ArgRef tensor, ArgRef a, ArgRef b) {
  auto rank = rank_of(tensor);
  if (!rank || *rank == 0 || !a.is(ArgKind::Int) || !b.is(ArgKind::Int)) return {};
  std::vector<int64_t> order;
  for (int64_t d = 0; d < *rank; ++d) order.push_back(d);
  std::swap(order[static_cast<size_t>(wrap_dim(a.as_int(), *rank))], order[static_cast<size_t>(wrap_dim(b.as_int(), *rank))]);
  Args list;
  list.open(ArgKind::List);
  for (int64_t d : order) list.add(d);
  return list.close(), list;
}

// Converts PyTorch's pads (pairs, last dim first) to ONNX's order (all begins, then all ends). Nothing if the rank or a pad is not known, if a pad is
// negative, or if the last pair is (0, 0): from_onnx could not restore such a pair.
std::optional<Args> onnx_pads(ArgRef list, ArgRef tensor) {
  const auto rank = rank_of(tensor);
  if (!rank || *rank == 0 || !list.is(ArgKind::List) || list.size() % 2 || static_cast<int64_t>(list.size()) > 2 * *rank) return {};
  std::vector<int64_t> pads(2 * static_cast<size_t>(*rank), 0);
  for (size_t k = 0; k < list.size(); ++k) {
    if (!list[k].is(ArgKind::Int) || list[k].as_int() < 0) return {};
    const size_t dim = static_cast<size_t>(*rank) - 1 - k / 2;
    pads[dim + (k % 2 ? static_cast<size_t>(*rank) : 0)] = list[k].as_int();
  }
  if (list.size() && list[list.size() - 1].as_int() == 0 && list[list.size() - 2].as_int() == 0) return {};
  Args out;
  out.open(ArgKind::List);
  for (int64_t n : pads) out.add(n);
  return out.close(), out;
}
// The inverse of onnx_pads.
std::optional<Args> torch_pads(ArgRef list) {
  std::vector<int64_t> pads;
  for (ArgRef part : list) {
    if (!part.is(ArgKind::Int)) return {};
    pads.push_back(part.as_int());
  }
  if (pads.size() % 2) return {};
  const size_t rank = pads.size() / 2;
  size_t first = 0;  // the first dim that is padded
  while (first < rank && pads[first] == 0 && pads[rank + first] == 0) ++first;
  Args out;
  out.open(ArgKind::List);
  for (size_t d = rank; d-- > first;) out.add(pads[d]), out.add(pads[rank + d]);
  return out.close(), out;
}

// --- Export.

class Exporter {
 public:
  // If `to` is null, nothing is written: run() only finds out whether a counterpart exists.
  Exporter(const Node& node, int opset, ir::Graph* to, const ir::Graph::NodeMap* map) : node_(node), opset_(opset), to_(to), map_(map) {}

  // Returns the nodes of the results, null for a result that ONNX does not give. If there is no counterpart, returns an empty list and sets `why`.
  std::vector<Node*> run() {
    op_ = dynamic_cast<const Operator*>(node_.info());
    if (!op_) return refuse("the registry has no such operator");
    written_ = op_->functional ? op_ : nullptr;
    if (op_->functional) op_ = op_->functional;
    if (written_ && written_->schema().arguments().back().out) return refuse("it writes to its out= argument");
    const OnnxRule* rule = onnx_rule(*op_);
    if (!rule) return refuse(op_->no_onnx ? op_->no_onnx : "its record states none");
    auto args = bound_args(written_ ? *written_ : *op_, node_);
    if (!args) return refuse("its arguments do not bind to its schema");
    args_ = std::move(*args);
    const auto& places = op_->schema().arguments();
    for (size_t k = args_.size(); k < places.size(); ++k) args_.add(*places[k].default_value);  // arguments that the in-place form lacks
    for (const OnnxCase& c : rule->cases)
      if (applies(c)) return write(c);
    return refuse("no case of its rule fits these arguments, types and opset");
  }
  std::string why;

 private:
  std::vector<Node*> refuse(std::string_view reason) { return why = reason, std::vector<Node*>(); }
  ArgRef arg(size_t k) const { return args_[k]; }

  bool applies(const OnnxCase& c) {
    const auto& places = op_->schema().arguments();
    for (size_t k = 0; k < places.size(); ++k)
      if (!c.named[k] && !is_default(places[k], arg(k))) return false;
    for (const OnnxCondition& q : c.conditions)
      if (!holds(q)) return false;
    // ONNX has no dim 0 for a tensor without dims, and no any() that returns uint8 for uint8; PyTorch has both.
    int dim = op_->schema().index_of("dim");
    if (dim >= 0 && c.named[static_cast<size_t>(dim)] && args_.size() && rank_of(arg(0)) == 0) return false;
    if (op_->rows && op_->rows->result == RowRule::Result::Bool && node_.type().is(TypeKind::Tensor) &&
        node_.type().tensor().dtype == DType::u8)
      return false;
    if (op_->pointwise && op_->pointwise->promote == Promote::Compare && !compares_alike()) return false;
    for (size_t k = c.results.size(); k < node_.result_count(); ++k)
      if (node_.multi() && node_.result(k)) return false;
    return std::all_of(c.results.begin(), c.results.end(), [&](const OnnxExpr& e) { return can_write(e, true); });
  }

  bool holds(const OnnxCondition& q) const {
    ArgRef a = arg(q.argument);
    switch (q.kind) {
      case ConditionKind::Equal: return same(a, q.literal[0]);
      case ConditionKind::Given: return !a.is_none();
      case ConditionKind::Opset: return opset_ >= q.number;
      case ConditionKind::Rank: return rank_of(a) == q.number;
      case ConditionKind::One: {
        auto rank = rank_of(a);
        if (!rank || *rank == 0 || !arg(q.dim_argument).is(ArgKind::Int)) return false;
        const auto& size = (*tensor_type(a)->sizes)[static_cast<size_t>(wrap_dim(arg(q.dim_argument).as_int(), *rank))];
        return size && size->is_int() && size->as_int() == 1;
      }
      case ConditionKind::Keeps: {
        const ir::TensorType* t = tensor_type(a);
        return t && t->dtype && node_.type().is(TypeKind::Tensor) && node_.type().tensor().dtype == t->dtype;
      }
      case ConditionKind::Floats: {
        const ir::TensorType* t = tensor_type(a);
        return !t || !t->dtype || is_floating(*t->dtype);
      }
      case ConditionKind::Any:
      case ConditionKind::Dense: return true;
    }
    return false;
  }

  // Whether the common dtype of a comparison depends only on the dtypes of its operands, and not on which of them has no dims.
  bool compares_alike() const {
    std::optional<DType> common;
    bool equal = true, without_dims = false;
    for (size_t v = 0; v < static_cast<size_t>(op_->pointwise->body.arity); ++v) {
      ArgRef a = arg(op_->pointwise->position[v]);
      const ir::TensorType* t = tensor_type(a);
      if (!t || !t->dtype) continue;
      equal = equal && (!common || *common == *t->dtype), common = t->dtype;
      without_dims = without_dims || rank_of(a).value_or(0) == 0;
    }
    return equal || !without_dims;
  }

  bool is_number_argument(const OnnxExpr& e) const {
    if (e.kind == ExprKind::Literal) return true;
    return e.kind == ExprKind::Argument &&
           (arg(e.argument).is(ArgKind::Int) || arg(e.argument).is(ArgKind::Float) || arg(e.argument).is(ArgKind::Bool));
  }

  bool can_write(const OnnxExpr& e, bool required) const {
    if (e.kind == ExprKind::Spread) {  // all tensors must have one dtype and rank
      std::optional<DType> common;
      std::optional<int64_t> rank;
      for (ArgRef part : arg(e.argument)) {
        const ir::TensorType* t = tensor_type(part);
        if (!t || !t->dtype || (common && *common != *t->dtype)) return false;
        if (rank && rank_of(part) != rank) return false;
        common = t->dtype, rank = rank_of(part);
      }
      return true;
    }
    // An onnx:: node of two numbers would have no known dtype.
    if (e.kind == ExprKind::Operator && e.parts.size() == 2 && is_number_argument(e.parts[0]) && is_number_argument(e.parts[1]))
      return false;
    if (e.kind == ExprKind::Argument) {
      ArgRef a = arg(e.argument);
      return !(required && a.is_none()) && !a.is(ArgKind::SymInt);
    }
    if (e.kind == ExprKind::Function) {
      if (e.name == "swapped") return swapped(arg(e.parts[0].argument), arg(e.parts[1].argument), arg(e.parts[2].argument)).has_value();
      if (e.name == "pads") return onnx_pads(arg(e.parts[0].argument), arg(e.parts[1].argument)).has_value();
      return arg(e.parts[0].argument).is(ArgKind::List);
    }
    // Inputs may be absent only for operators with more than two: Conv's third may, Add's second may not.
    bool optional = e.kind == ExprKind::Operator && e.parts.size() > 2;
    for (size_t k = 0; k < e.parts.size(); ++k)
      if (!can_write(e.parts[k], e.kind != ExprKind::Operator || !optional)) return false;
    return std::all_of(e.attributes.begin(), e.attributes.end(), [&](const auto& a) {
      bool empty = a.value.kind == ExprKind::Argument && arg(a.value.argument).is(ArgKind::List) && arg(a.value.argument).size() == 0;
      return !empty && can_write(a.value, false);
    });
  }

  std::vector<Node*> write(const OnnxCase& c) {
    std::vector<Node*> out(std::max<size_t>(1, node_.result_count()));
    if (!to_) return out;
    to_->set_location_of(&node_);
    compute_ = compute_dtype();
    for (size_t k = 0; k < c.results.size(); ++k) {
      if (node_.multi() && !node_.result(k)) continue;
      Args value;
      put(value, c.results[k], k);
      out[k] = value[0].node();
    }
    return out;
  }

  // The dtype to which a pointwise or row operator converts its tensors before it computes; nothing if not known.
  std::optional<DType> compute_dtype() const {
    auto dtype_of = [](const Node& n) { return n.type().is(TypeKind::Tensor) ? n.type().tensor().dtype : std::nullopt; };
    if (op_->rows) {
      if (op_->rows->result == RowRule::Result::Sum || op_->rows->dtype_arg >= 0) return dtype_of(node_);
      return {};
    }
    if (!op_->pointwise) return {};
    const PointwiseRule& rule = *op_->pointwise;
    if (rule.promote == Promote::Logical) return DType::b1;
    if (rule.promote != Promote::Compare) return dtype_of(node_);
    std::optional<DType> widest;
    for (int k = 0; k < rule.body.arity; ++k) {
      const ir::TensorType* t = tensor_type(arg(rule.position[static_cast<size_t>(k)]));
      if (!t || !t->dtype) continue;
      widest = widest ? promote_types(*widest, *t->dtype) : *t->dtype;
    }
    // A number of a wider category widens the dtype.
    for (int k = 0; widest && k < rule.body.arity; ++k) {
      ArgRef a = arg(rule.position[static_cast<size_t>(k)]);
      if (a.is(ArgKind::Float) && is_integral(*widest, true)) widest = default_dtype();
      else if (a.is(ArgKind::Int) && *widest == DType::b1) widest = DType::i64;
    }
    return widest;
  }

  // The dtype that argument k is converted to.
  std::optional<DType> wanted(size_t k) const {
    if (!compute_) return {};
    if (op_->rows) return op_->rows->tensors[0] == static_cast<int8_t>(k) ? compute_ : std::nullopt;
    const PointwiseRule& rule = *op_->pointwise;
    for (size_t v = 0; v < static_cast<size_t>(rule.body.arity); ++v)
      if (rule.position[v] == k) return rule.fixed[v] >= 0 ? static_cast<DType>(rule.fixed[v]) : *compute_;
    return {};
  }

  void put_argument(Args& out, size_t k) {
    ArgRef a = arg(k);
    const ir::TensorType* t = tensor_type(a);
    if (auto dtype = wanted(k); t && t->dtype && dtype && *t->dtype != *dtype) {
      ir::TensorType converted;
      converted.dtype = dtype, converted.sizes = t->sizes;
      return void(out.add(create("Cast", Args(map_->at(a.node())).kw("to", *dtype), converted)));
    }
    out.add_mapped(a, [&](Node* n) { return map_->at(n); });
  }

  Node* create(std::string_view name, const Args& args, ir::Type type = {}, const Node* named = nullptr) {
    Node* n = to_->call(concat(kPrefix, name), args, named ? std::string_view(named->name()) : std::string_view());
    if (type) to_->set_type(n, type);
    return n;
  }

  void put(Args& out, const OnnxExpr& e, std::optional<size_t> result = {}) {
    switch (e.kind) {
      case ExprKind::Literal: out.add(e.literal[0]); return;
      case ExprKind::Argument: return put_argument(out, e.argument);
      case ExprKind::Spread:
        for (ArgRef part : arg(e.argument)) out.add_mapped(part, [&](Node* n) { return map_->at(n); });
        return;
      case ExprKind::List:
        out.open(ArgKind::List);
        for (const OnnxExpr& p : e.parts) put(out, p);
        out.close();
        return;
      case ExprKind::Function: return put_function(out, e);
      case ExprKind::Operator: break;
    }
    Args args;
    size_t parts = e.parts.size();
    while (parts && e.parts[parts - 1].kind == ExprKind::Argument && arg(e.parts[parts - 1].argument).is_none()) --parts;
    for (size_t k = 0; k < parts; ++k) put(args, e.parts[k]);
    for (const auto& [name, value] : e.attributes) {
      if (value.kind == ExprKind::Argument && arg(value.argument).is_none()) continue;
      args.name(name);
      // ONNX's boolean attributes are ints.
      if (value.kind == ExprKind::Argument && arg(value.argument).is(ArgKind::Bool)) args.add(int{arg(value.argument).as_bool()});
      else put(args, value);
    }
    if (!result) return void(out.add(create(e.name, args)));
    const Node* named = node_.multi() ? node_.result(*result) : &node_;
    out.add(create(e.name, args, node_.result_type(*result), named));
  }

  void put_function(Args& out, const OnnxExpr& e) {
    ArgRef list = arg(e.parts[0].argument);
    if (e.name == "swapped") return void(out.add(*swapped(list, arg(e.parts[1].argument), arg(e.parts[2].argument))));
    if (e.name == "pads") return void(out.add((*onnx_pads(list, arg(e.parts[1].argument)))[0]));
    if (e.name == "negative_length") return void(out.add(-static_cast<int64_t>(list.size())));
    out.open(ArgKind::List);
    for (int again = e.name == "twice" ? 2 : 1; again--;)
      for (ArgRef part : list) {
        if (e.name == "ones" && part.is(ArgKind::Int) && part.as_int() == -1) out.add(1);
        else out.add_mapped(part, [&](Node* n) { return map_->at(n); });
      }
    out.close();
  }

  const Node& node_;
  const int opset_;
  ir::Graph* to_;
  const ir::Graph::NodeMap* map_;
  const Operator *op_ = nullptr, *written_ = nullptr;
  Args args_;
  std::optional<DType> compute_;
};

// Whether no other value shares this value's memory. Then a write to it can become a new value.
bool is_private(const Node* value) {
  auto shows = [](const Node* n) {
    const ir::OpInfo* op = n->info();
    return n->op() != ir::Op::CallFunction || !op || op->schema().result_aliases(0) || n->is_projection();
  };
  if (shows(value)) {
    // A result of an in-place call is private if the tensor that the call writes is.
    const auto* op = dynamic_cast<const Operator*>(value->info());
    return op && op->functional && value->input_count() && is_private(value->input(0));
  }
  for (const ir::Use* u = value->first_use(); u; u = u->next) {
    const ir::OpInfo* op = u->user->info();
    if (u->user->op() == ir::Op::Output) continue;
    if (!op || (op->schema().result_aliases(0) && op->schema().is_pure())) return false;
  }
  return true;
}

[[noreturn]] void fail_at(const Node& n, std::string_view message) {
  Error e(ErrorKind::NotImplemented, std::string(message));
  e.locate(n.span());
  throw e;
}

void check_flat(const ir::Graph& graph) {
  for (Node* n : *graph.root())
    if (n->block_count()) fail_at(*n, concat("[", n->target().name(), "] control flow has no rule towards ONNX yet; unroll or guard it"));
}

Node* copy_input(ir::Graph& to, const Node* n) {
  Node* p = n->op() == ir::Op::Placeholder ? to.placeholder(n->name(), n->type())
                                           : to.create(n->op(), to.target(n->target().name()), {}, n->name());
  if (n->op() == ir::Op::GetAttr && n->type()) to.set_type(p, n->type(), n->type_declared());
  return p;
}

void copy_output(ir::Graph& to, const Node* output, const ir::Graph::NodeMap& map) {
  Args results;
  for (auto it = output->args_begin(); it != output->args_end(); ++it) results.add_mapped(*it, [&](Node* n) { return map.at(n); });
  to.set_output(results);
}

}  // namespace

std::string why_not_onnx(const Node& node, int opset) {
  Exporter e(node, opset, nullptr, nullptr);
  e.run();
  return e.why;
}

OnnxGraph to_onnx(const ir::Graph& source, int opset) {
  check_flat(source);
  std::unique_ptr<ir::Graph> graph = source.clone();
  ir::infer_types(*graph);
  decompose(*graph, [&](const Node& n) { return !why_not_onnx(n, opset).empty(); });
  OnnxGraph out{std::make_unique<ir::Graph>(source.name()), opset};
  out.graph->set_level(ir::Level::Operator);
  ir::Graph::NodeMap map;
  for (Node* n : *graph->root()) {
    if (n->op() == ir::Op::Placeholder || n->op() == ir::Op::GetAttr) {
      map[n] = copy_input(*out.graph, n);
    } else if (n->op() == ir::Op::Output) {
      copy_output(*out.graph, n, map);
    } else if (!n->is_projection()) {
      Exporter e(*n, opset, out.graph.get(), &map);
      std::vector<Node*> values = e.run();
      if (values.empty())
        fail_at(*n, concat("[", n->target().overload ? *n->target().overload : n->target().name(), "] has no counterpart in ONNX opset ",
                           opset, ": ", e.why));
      const auto* op = dynamic_cast<const Operator*>(n->info());
      if (op->functional) {
        Node* self = n->input(0);
        if (!is_private(self))
          fail_at(*n, concat("[", op->name(), "] writes to %", self->name(), ", whose memory others may see; write x = x.",
                             op->functional->base_name(), "(…) instead"));
        map[self] = values[0];  // later readers of the tensor use the new value
        for (auto& [from, to] : map)
          if (from->op() == ir::Op::CallFunction && from->info() && from->input_count() && from->input(0) == self &&
              dynamic_cast<const Operator*>(from->info())->functional)
            to = values[0];
      }
      if (!n->multi()) map[n] = values[0];
      for (size_t k = 0; n->multi() && k < n->result_count(); ++k)
        if (Node* r = n->result(k)) map[r] = values[k];
    }
  }
  return out;
}

// --- Import.

namespace {

struct RuleCase {
  const Operator* op;
  const OnnxCase* what;
};

// The cases whose root is this ONNX operator: first those with more operators, then in the order of the records.
const std::vector<RuleCase>& candidates(const std::string& root) {
  static const auto* table = [] {
    auto* t = new std::map<std::string, std::vector<RuleCase>>;
    for (const auto& op : Registry::global().all()) {
      const OnnxRule* rule = op->functional ? nullptr : onnx_rule(*op);
      if (!rule || !rule->both_ways) continue;
      for (const OnnxCase& c : rule->cases)
        if (c.results.size() == 1 && c.results[0].kind == ExprKind::Operator) (*t)[c.results[0].name].push_back({op, &c});
    }
    for (auto& [name, list] : *t)
      std::stable_sort(list.begin(), list.end(), [](const RuleCase& a, const RuleCase& b) {
        return a.what->results[0].operators() > b.what->results[0].operators();
      });
    return t;
  }();
  static const std::vector<RuleCase> none;
  auto found = table->find(root);
  return found == table->end() ? none : found->second;
}

bool commutes(std::string_view name) {
  return name == "Add" || name == "Mul" || name == "And" || name == "Or" || name == "Xor" || name == "Equal" || name == "Max" ||
         name == "Min";
}

// Whether a value is dense, so that view() accepts it: no view, or a dense view of a dense value.
bool is_dense(const Node* n) {
  for (; n->op() == ir::Op::CallFunction; n = n->input(0)) {
    std::string_view name = n->target().name();
    if (!name.starts_with(kPrefix)) return true;
    name.remove_prefix(kPrefix.size());
    if (name == "Transpose" || name == "Expand" || name == "Slice" || name == "Gather" || name == "SequenceAt") return false;
    if ((name != "Reshape" && name != "Unsqueeze" && name != "Squeeze" && name != "Identity") || !n->input_count()) return true;
  }
  return true;
}

class Matcher {
 public:
  Matcher(const RuleCase& c, int opset, const std::vector<bool>& taken) : op_(*c.op), case_(*c.what), opset_(opset), taken_(taken) {
    bound_.resize(op_.schema().arguments().size());
  }

  bool run(Node* root) { return match_operator(case_.results[0], root, true) && finish(); }
  const Operator& op() const { return op_; }
  // `inner`: the nodes of the match except its root. bound(): the arguments by position in the schema, with nodes of the onnx graph.
  std::vector<Node*> inner;
  const std::vector<std::optional<Args>>& bound() const { return bound_; }

 private:
  // The value as an argument of this type, or nothing if it does not fit. An ONNX 0 or 1 becomes a bool if the schema has a bool.
  static std::optional<Args> fitted(ir::Type type, ArgRef a) {
    if (type.is(TypeKind::Optional)) {
      if (a.is_none()) return Args(a);
      type = type.element();
    }
    Node* n = a.node();
    auto yes = [&](bool fits) { return fits ? std::optional(Args(a)) : std::nullopt; };
    switch (type.kind()) {
      case TypeKind::Tensor: return yes(a.is(ArgKind::Tensor) || (n && !is_number(n) && !n->type().is(TypeKind::List)));
      case TypeKind::Number:
        return yes(a.is(ArgKind::Int) || a.is(ArgKind::Float) || a.is(ArgKind::Bool) || a.is(ArgKind::Complex) || (n && is_number(n)));
      case TypeKind::Int:
      case TypeKind::SymInt: return yes(a.is(ArgKind::Int) || a.is(ArgKind::SymInt) || (n && is_number(n)));
      case TypeKind::Float: return yes(a.is(ArgKind::Float) || a.is(ArgKind::Int));
      case TypeKind::Bool:
        if (a.is(ArgKind::Int)) return a.as_int() == 0 || a.as_int() == 1 ? std::optional(Args(a.as_int() == 1)) : std::nullopt;
        return yes(a.is(ArgKind::Bool));
      case TypeKind::Str: return yes(a.is(ArgKind::Str));
      case TypeKind::DType: return yes(a.is(ArgKind::DType));
      case TypeKind::List: {
        if (n && n->type().is(TypeKind::List)) return Args(a);
        if (!a.is(ArgKind::List)) return {};
        for (ArgRef part : a)
          if (!fitted(type.element(), part)) return {};
        return Args(a);
      }
      case TypeKind::Variable: return Args(a);
      default: return {};
    }
  }

  bool bind(size_t k, ArgRef a) {
    auto value = fitted(op_.schema().arguments()[k].type, a);
    if (!value) return false;
    if (bound_[k]) return same((*bound_[k])[0], (*value)[0]);
    bound_[k] = std::move(value);
    return true;
  }

  bool match(const OnnxExpr& e, ArgRef a) {
    switch (e.kind) {
      case ExprKind::Literal: return same(e.literal[0], a);
      case ExprKind::Argument: return bind(e.argument, a);
      case ExprKind::Spread: return false;  // match_inputs handles it
      case ExprKind::List: {
        if (!a.is(ArgKind::List) || a.size() != e.parts.size()) return false;
        for (size_t k = 0; k < e.parts.size(); ++k)
          if (!match(e.parts[k], a[k])) return false;
        return true;
      }
      case ExprKind::Function: return match_function(e, a);
      case ExprKind::Operator: return a.node() && match_operator(e, a.node(), false);
    }
    return false;
  }

  bool match_function(const OnnxExpr& e, ArgRef a) {
    if (!a.is(ArgKind::List)) return false;
    if (e.name == "ones") return match_ones(e, a);
    if (e.name == "pads") {
      const auto pads = torch_pads(a);
      return pads && bind(e.parts[0].argument, (*pads)[0]);
    }
    std::vector<ArgRef> parts;
    for (ArgRef part : a) parts.push_back(part);
    if (e.name == "twice") {
      size_t half = parts.size() / 2;
      Args list;
      list.open(ArgKind::List);
      for (size_t k = 0; k < half; ++k) {
        if (!same(parts[k], parts[half + k])) return false;
        list.add(parts[k]);
      }
      list.close();
      return parts.size() % 2 == 0 && bind(e.parts[0].argument, list[0]);
    }
    if (e.name != "swapped") return false;
    std::vector<int64_t> moved;
    for (size_t k = 0; k < parts.size(); ++k)
      if (!parts[k].is(ArgKind::Int)) return false;
      else if (parts[k].as_int() != static_cast<int64_t>(k)) moved.push_back(static_cast<int64_t>(k));
    if (moved.size() != 2 || parts[static_cast<size_t>(moved[0])].as_int() != moved[1]) return false;
    Args dims(moved[0], moved[1]);
    return bind(e.parts[1].argument, dims[0]) && bind(e.parts[2].argument, dims[1]);
  }

  // In ONNX's Expand, 1 keeps an existing dim, as -1 does in expand(). For a new leading dim, both use 1.
  bool match_ones(const OnnxExpr& e, ArgRef a) {
    auto rank = bound_[0] ? rank_of((*bound_[0])[0]) : std::nullopt;
    if (!rank) return false;
    Args list;
    list.open(ArgKind::List);
    int64_t place = *rank - static_cast<int64_t>(a.size());
    for (ArgRef part : a) {
      if (place++ >= 0 && part.is(ArgKind::Int) && part.as_int() == 1) list.add(-1);
      else list.add(part);
    }
    list.close();
    return bind(e.parts[0].argument, list[0]);
  }

  bool match_operator(const OnnxExpr& e, Node* n, bool root) {
    if (n->op() != ir::Op::CallFunction || n->target().name() != concat(kPrefix, e.name)) return false;
    if (!root && (!n->has_one_use() || taken_[n->id()])) return false;
    std::vector<ArgRef> inputs;
    auto it = n->args_begin();
    for (size_t k = 0; k < n->positional_count(); ++k, ++it) inputs.push_back(*it);
    auto saved = bound_;
    auto saved_inner = inner;
    bool fits = match_inputs(e, inputs);
    if (!fits && inputs.size() == 2 && commutes(e.name)) {
      bound_ = saved, inner = saved_inner;
      std::swap(inputs[0], inputs[1]);
      fits = match_inputs(e, inputs);
    }
    fits = fits && match_attributes(e, n);
    if (!fits) return bound_ = std::move(saved), inner = std::move(saved_inner), false;
    if (!root) inner.push_back(n);
    return true;
  }

  bool match_inputs(const OnnxExpr& e, const std::vector<ArgRef>& inputs) {
    if (e.parts.size() == 1 && e.parts[0].kind == ExprKind::Spread) {
      Args list;
      list.open(ArgKind::List);
      for (ArgRef a : inputs) list.add(a);
      list.close();
      return bind(e.parts[0].argument, list[0]);
    }
    static const Args absent = Args().none();
    if (inputs.size() > e.parts.size()) return false;
    for (size_t k = 0; k < e.parts.size(); ++k)
      if (!match(e.parts[k], k < inputs.size() ? inputs[k] : absent[0])) return false;
    return true;
  }

  bool match_attributes(const OnnxExpr& e, const Node* n) {
    static const Args absent = Args().none();
    size_t found = 0;
    for (const auto& [name, value] : e.attributes) {
      auto a = n->kwarg(name);
      found += a.has_value();
      if (!match(value, a ? *a : absent[0])) return false;
    }
    return found == n->arg_count() - n->positional_count();
  }

  bool finish() {
    for (const OnnxCondition& q : case_.conditions) {
      auto& value = bound_[q.argument];
      switch (q.kind) {
        case ConditionKind::Equal:
        case ConditionKind::Any:
          if (!value) value = q.literal;
          else if (q.kind == ConditionKind::Equal && !same((*value)[0], q.literal[0])) return false;
          break;
        case ConditionKind::Given:
          if (!value || (*value)[0].is_none()) return false;
          break;
        case ConditionKind::Opset:
          if (opset_ < q.number) return false;
          break;
        case ConditionKind::Rank:
          if (!value || rank_of((*value)[0]) != q.number) return false;
          break;
        case ConditionKind::Dense:
          if (!value || !(*value)[0].node() || !is_dense((*value)[0].node())) return false;
          break;
        case ConditionKind::Keeps: {  // the result has the input's dtype. Not for integers other than int64, whose sums PyTorch makes int64
          const ir::TensorType* t = value ? tensor_type((*value)[0]) : nullptr;
          if (!t || !t->dtype || (is_integral(*t->dtype, true) && *t->dtype != DType::i64)) return false;
          break;
        }
        case ConditionKind::Floats:  // the ONNX operator takes floats only
        case ConditionKind::One: break;  // the ONNX operator rejects other sizes
      }
    }
    const auto& places = op_.schema().arguments();
    for (size_t k = 0; k < places.size(); ++k)
      if (!bound_[k]) {
        if (!places[k].default_value) return false;
        bound_[k] = Args((*places[k].default_value)[0]);
      }
    return true;
  }

  const Operator& op_;
  const OnnxCase& case_;
  const int opset_;
  const std::vector<bool>& taken_;
  std::vector<std::optional<Args>> bound_;
};

Args call_args(const Matcher& m, const ir::Graph::NodeMap& map) {
  const auto& places = m.op().schema().arguments();
  auto at_default = [&](size_t k) { return is_default(places[k], (*m.bound()[k])[0]); };
  size_t positional = 0;
  for (size_t k = 0; k < places.size() && !places[k].kwarg_only; ++k)
    if (!at_default(k)) positional = k + 1;
  Args args;
  for (size_t k = 0; k < places.size(); ++k) {
    if (places[k].kwarg_only ? at_default(k) : k >= positional) continue;
    if (places[k].kwarg_only) args.name(places[k].name);
    args.add_mapped((*m.bound()[k])[0], [&](Node* n) { return map.at(n); });
  }
  return args;
}

}  // namespace

std::unique_ptr<ir::Graph> from_onnx(const OnnxGraph& onnx) {
  check_flat(*onnx.graph);
  std::vector<Node*> nodes(onnx.graph->root()->begin(), onnx.graph->root()->end());
  std::vector<bool> taken(onnx.graph->id_limit());
  std::unordered_map<const Node*, Matcher> found;
  // From the last node up, so that a node inside of a larger match is skipped.
  for (size_t k = nodes.size(); k-- > 0;) {
    Node* n = nodes[k];
    if (n->op() != ir::Op::CallFunction || taken[n->id()]) continue;
    std::string name = n->target().name();
    if (!name.starts_with(kPrefix)) fail_at(*n, concat("[", name, "] is not an operator of ONNX"));
    for (const RuleCase& c : candidates(name.substr(kPrefix.size()))) {
      Matcher m(c, onnx.opset, taken);
      if (!m.run(n)) continue;
      for (Node* inner : m.inner) taken[inner->id()] = true;
      found.emplace(n, std::move(m));
      break;
    }
    if (!found.contains(n)) fail_at(*n, concat("[", name, "] with these inputs and attributes is the node of no operator here"));
  }
  auto out = std::make_unique<ir::Graph>(onnx.graph->name());
  out->set_level(ir::Level::Operator);
  ir::Graph::NodeMap map;
  for (Node* n : nodes) {
    if (n->op() == ir::Op::Output) {
      copy_output(*out, n, map);
    } else if (n->op() != ir::Op::CallFunction) {
      map[n] = copy_input(*out, n);
    } else if (auto m = found.find(n); m != found.end()) {
      out->set_location_of(n);
      map[n] = out->call(m->second.op(), call_args(m->second, map), n->name());
    }
  }
  ir::infer_types(*out);
  return out;
}

}  // namespace monograph::passes
