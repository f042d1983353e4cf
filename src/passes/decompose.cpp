// Replaces nodes by their decompositions. An Expansion runs the decomposition of one node's operator on tensors that stand for nodes (NodeCalls), which inserts
// a node for each call that it makes.
#include "passes/decompose.h"

#include <algorithm>

#include "autograd/body.h"
#include "core/plain_number.h"
#include "ops/decomposition.h"
#include "ops/infer.h"
#include "ops/rows.h"
#include "ops/size_values.h"
#include "passes/node_calls.h"

namespace monograph::passes {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::TypeKind;

// Whether the node is the length of a list. Of the operators with a list of any type as their only argument, only len returns an int.
bool is_length(const Node* n) {
  if (!n->info() || n->info()->schema().arguments().size() != 1 || n->info()->schema().returns().size() != 1) return false;
  const ir::Type list = n->info()->schema().arguments()[0].type;
  return list.is(TypeKind::List) && list.element().is(TypeKind::Variable) && n->info()->schema().returns()[0].type.is(TypeKind::Int);
}

// The decomposition of one node.
class Expansion : public NodeCalls {
 public:
  Expansion(ir::Graph& graph, Node* node, const Operator& op, UnknownSizes unknown)
      : NodeCalls(graph), node_(node), op_(op), unknown_(unknown) {}

  std::optional<int64_t> guarded(const Size& size) override {
    const auto known = NodeCalls::guarded(size);
    return known || unknown_ == UnknownSizes::Leave ? known : by_example(size);
  }

  // The length of the list that the node returns, if a guard fixes it.
  std::optional<int64_t> guarded_length() override {
    for (const ir::Guard& g : graph_.guards())
      if (g.value && is_length(g.value) && g.value->arg(0).node() == node_ && g.expected[0].is(ArgKind::Int)) return g.expected[0].as_int();
    return {};
  }

  // Adds the guards that the decomposition relies on. Called once its nodes are in the graph.
  void add_guards() {
    for (ir::Guard& g : guards_) graph_.add_guard(std::move(g));
  }

  // Inserts the nodes of the decomposition, and returns the values of the results.
  std::vector<IValue> run() {
    auto bound = bound_args(op_, *node_);
    if (!bound) throw UnknownInGraph();
    kind_ = decomposition(op_);
    reads_sizes_ = kind_ == Decomposition::Stated && op_.decompose_reads == Reads::Sizes;
    graph_.insert_before(node_);
    graph_.set_location_of(node_);
    std::vector<IValue> args;
    for (size_t k = 0; k < bound->size(); ++k) {
      const ir::Type type = op_.schema().arguments()[k].type;
      const bool passed_on = op_.decompose_reads == Reads::Nothing && type.is(TypeKind::List);
      takes_sizes_ = (op_.decompose_reads == Reads::Symbols || passed_on) && holds_sizes(type);
      args.push_back(value((*bound)[k]));
    }
    takes_sizes_ = false;
    DispatchModeScope scope(*this);
    PlainNumberScope no_numbers([](const IValue&) -> IValue { throw UnknownInGraph(); });
    switch (kind_) {
      case Decomposition::Stated: return stated(args.data());
      case Decomposition::Body: return body(args);
      default: return rows(args);
    }
  }

 private:
  std::vector<IValue> stated(const IValue* args) {
    if (op_.decompose_reads == Reads::Strides) throw UnknownInGraph();
    IValue result = op_.decompose(args);
    if (op_.results() > 1) return result.items();
    return {std::move(result)};
  }

  // The dtype that the operator computes in, from what the graph knows of its results and arguments.
  DType compute_dtype(const std::vector<IValue>& args) const {
    const PointwiseRule& rule = *op_.pointwise;
    if (rule.promote == Promote::Logical) return DType::b1;
    if (rule.promote != Promote::Compare) {
      if (!node_->type().is(TypeKind::Tensor) || !node_->type().tensor().dtype) throw UnknownInGraph();
      return *node_->type().tensor().dtype;
    }
    std::optional<DType> common;
    for (size_t v = 0; v < static_cast<size_t>(rule.body.arity); ++v) {
      const IValue& a = args[rule.position[v]];
      if (!a.is_tensor()) continue;  // checked below
      if (common && *common != a.as_tensor().dtype()) throw UnknownInGraph();
      common = a.as_tensor().dtype();
    }
    if (!common) throw UnknownInGraph();
    // A number of another category would be compared in a wider dtype.
    for (size_t v = 0; v < static_cast<size_t>(rule.body.arity); ++v) {
      const IValue& a = args[rule.position[v]];
      if (!a.is_tensor() && !is_floating(*common) && !(a.is_bool() || (a.is_int() && *common != DType::b1))) throw UnknownInGraph();
    }
    return *common;
  }

  // A number as an argument of dtype t holds it: rounded, if t has 16 bits.
  static IValue stored(const IValue& number, DType t) {
    if (t != DType::f16 && t != DType::bf16) return number;
    if (!number.is_number()) throw UnknownInGraph();
    const auto value = static_cast<float>(number.to_double());
    return static_cast<double>(t == DType::f16 ? static_cast<float>(half(value)) : static_cast<float>(bfloat16(value)));
  }

  std::vector<IValue> body(const std::vector<IValue>& args) {
    const PointwiseRule& rule = op_.pointwise->chosen(args.data());
    DType compute = compute_dtype(args);
    if (is_complex(compute)) throw UnknownInGraph();
    std::vector<IValue> values;
    for (size_t v = 0; v < static_cast<size_t>(rule.body.arity); ++v) {
      values.push_back(args[rule.position[v]]);
      if (rule.is_scalar[v]) values.back() = stored(values.back(), rule.storage(v, compute));
    }
    std::vector<IValue> results = interpret_body(rule.record(compute), values);
    if (!results[0].is_tensor()) throw UnknownInGraph();
    return results;
  }

  std::vector<IValue> rows(const std::vector<IValue>& args) {
    const RowRule& rule = *op_.rows;
    const ir::TensorType& type =
        static_cast<NodeTensor*>(args[static_cast<size_t>(rule.tensors[0])].as_tensor().impl())->node->type().tensor();
    if (!type.sizes) throw UnknownInGraph();
    Dims sizes;  // 0 for an unknown size, since only the number of dims is read
    for (const auto& d : *type.sizes) sizes.push_back(d && d->is_int() ? d->as_int() : 0);
    RowSpan span;
    if (rule.rows == RowRule::Rows::NormalizedShape) {
      const IValue& numbers = args[static_cast<size_t>(rule.dim_arg)];
      const auto computed = size_value((*bound_args(op_, *node_))[static_cast<size_t>(rule.dim_arg)]).items;
      if (!numbers.is_ints() && !numbers.is_list() && !computed) throw UnknownInGraph();
      const size_t count = numbers.is_ints() ? numbers.to_ints().size() : numbers.is_list() ? numbers.items().size() : computed->size();
      if (count > sizes.size()) throw UnknownInGraph();
      for (size_t d = sizes.size() - count; d < sizes.size(); ++d) span.dims.push_back(static_cast<int64_t>(d));
      if (numbers.is_ints()) span.count = product(numbers.to_ints());
    } else {
      span.dims = row_dims(op_, sizes, args.data());
      span.count = 1;
      for (int64_t d : span.dims) {
        const auto& size = (*type.sizes)[static_cast<size_t>(d)];
        if (!size || !size->is_int()) span.count.reset();
        else if (span.count) *span.count *= size->as_int();
      }
    }
    if (rule.keepdim_arg >= 0) span.keepdim = args[static_cast<size_t>(rule.keepdim_arg)].to_bool();
    else span.keepdim = !rule.reduces;
    std::optional<DType> stated;
    if (rule.dtype_arg >= 0 && !args[static_cast<size_t>(rule.dtype_arg)].is_none())
      stated = args[static_cast<size_t>(rule.dtype_arg)].to_dtype();
    RowTypes types = row_types(op_, *type.dtype, stated);
    unsigned present = 0;
    std::vector<IValue> values;
    for (size_t k = 0; k < rule.tensors.size(); ++k)
      if (rule.tensors[k] >= 0 && !args[static_cast<size_t>(rule.tensors[k])].is_none())
        present |= 1u << k, values.push_back(args[static_cast<size_t>(rule.tensors[k])]);
    for (size_t k = 0; k < rule.scalars.size(); ++k)
      if (rule.scalars[k] >= 0) {
        const IValue& v = args[static_cast<size_t>(rule.scalars[k])];
        values.push_back(v.is_none() ? IValue(rule.scalar_defaults[k]) : v);
      }
    return interpret_body(record_rows(rule, types.storage, types.result, present), values, &span);
  }

  IValue node_value(Node* n) override {
    ir::Type t = n->type();
    if (!t.is(TypeKind::Tensor)) {
      if (const IValue sizes = takes_sizes_ ? as_sizes(size_value(ir::Args(n)[0])) : IValue(); !sizes.is_none()) return sizes;
      if (kind_ == Decomposition::Stated) return read_number(n);
      return Ref<ObjectBox>(new SymbolicValue(n, {}));
    }
    if (reads_sizes_ && !NodeTensor::has_sizes(t.tensor())) return with_numbers(n);
    if (kind_ == Decomposition::Stated && op_.decompose_reads == Reads::Symbols && !t.tensor().sizes) throw UnknownInGraph();
    return Tensor(Ref<TensorImpl>(new SizedNodeTensor(n, open_)));
  }
  const SizeSources* sources(SymInt) override { return &open_; }

  // A size, or a list of sizes; None if one is not known.
  static IValue as_sizes(const SizeValue& value) {
    if (value.integer) return Size(value.integer);
    if (!value.items) return {};
    std::vector<IValue> items;
    Dims numbers;
    for (const AbstractValue& item : *value.items) {
      if (!item.integer) return {};
      items.emplace_back(Size(*item.integer));
      if (item.integer->is_int()) numbers.push_back(item.integer->as_int());
    }
    return numbers.size() == items.size() ? IValue(numbers) : IValue::list(std::move(items));
  }

  // The number that a rule reads from a node: it must be a size that is known or guarded.
  IValue read_number(Node* n) {
    const Dim size = size_value(ir::Args(n)[0]).integer;
    const auto value = size ? guarded(*size) : std::nullopt;
    if (!value) throw UnknownInGraph();
    return *value;
  }
  // The example's value of a size, with a guard. Nothing if the size does not come from the graph's inputs, or there was no example.
  std::optional<int64_t> by_example(const Size& size) {
    if (!size.known() || size.is_int()) return {};
    const SymInt whole = *size.symint();
    const auto value = whole.hint();
    bool open = false;
    whole.visit_symbols([&](const Symbol& s) { open |= open_.contains(s.name); });
    if (!value || open) return {};
    if (std::ranges::any_of(guards_, [&](const ir::Guard& g) { return g.size == whole; })) return value;
    ir::Guard g;
    g.size = whole;
    g.expected.add(*value);
    g.expression = concat("the size ", to_string(whole), " in the gradient of ", op_.name());
    g.span = node_->span();
    guards_.push_back(std::move(g));
    return value;
  }
  IValue with_numbers(Node* n) {
    const auto& sizes = n->type().tensor().sizes;
    if (unknown_ == UnknownSizes::Leave || !sizes) throw UnknownInGraph();
    std::vector<SymInt> numbers;
    for (const auto& d : *sizes) {
      const auto value = d ? d->is_int() ? std::optional(d->as_int()) : guarded(*d) : std::nullopt;
      if (!value) throw UnknownInGraph();
      numbers.push_back(*value);
    }
    ir::TensorType type = n->type().tensor();
    type.sizes = ir::TensorType::of(*type.dtype, numbers).sizes;
    const ir::Type before = n->type();
    graph_.set_type(n, type);
    Tensor value(Ref<TensorImpl>(new SizedNodeTensor(n, open_)));
    graph_.set_type(n, before);
    return value;
  }

  std::vector<ir::Guard> guards_;
  Node* node_;
  const Operator& op_;
  UnknownSizes unknown_;
  Decomposition kind_ = Decomposition::Core;
  bool reads_sizes_ = false;
  bool takes_sizes_ = false;  // the argument that is converted now is a size or list of sizes, which may be symbols
  SizeSources open_;
};

// Replaces the users of a node that take an element of its list by the elements. Users that only read the length keep the node. False if there is any
// other user.
bool replace_list(ir::Graph& graph, Node* n, const std::vector<IValue>& items, Expansion& expansion) {
  std::vector<Node*> users = n->users();
  auto element = [&](Node* user) -> const IValue* {
    const auto* op = dynamic_cast<const Operator*>(user->info());
    const bool takes = op && op->takes_element && user->arg_count() == 2 && user->arg(1).is(ArgKind::Int);
    if (!takes) return nullptr;
    int64_t k = user->arg(1).as_int(), size = static_cast<int64_t>(items.size());
    return k >= -size && k < size ? &items[static_cast<size_t>(k < 0 ? k + size : k)] : nullptr;
  };
  if (std::ranges::all_of(users, is_length) && !users.empty()) return false;
  if (!std::ranges::all_of(users, [&](Node* u) { return element(u) || is_length(u); })) return false;
  for (Node* u : users) {
    if (is_length(u)) continue;
    Args value;
    expansion.put(value, *element(u));
    graph.replace_all_uses(u, value[0].as_node());
    graph.erase(u);
  }
  return true;
}

bool replace(ir::Graph& graph, Node* n, const std::vector<IValue>& values, Expansion& expansion) {
  if (values.size() == 1 && values[0].is_list()) {
    if (!replace_list(graph, n, values[0].items(), expansion)) return false;
    if (!n->has_uses()) graph.erase(n);
    return true;
  }
  std::vector<Node*> by;
  for (const IValue& v : values) {
    Args value;
    expansion.put(value, v);
    if (!value[0].node()) return false;
    by.push_back(value[0].as_node());
  }
  for (size_t k = 0; k < values.size(); ++k)
    if (Node* old = n->multi() ? n->result(k) : n) graph.replace_all_uses(old, by[k]);
  bool fresh = !n->multi() && std::ranges::count(expansion.appended(), by[0]);
  graph.erase(n);
  if (fresh) graph.derive(by[0], n);
  return true;
}

// Erases those of the new nodes that nobody uses.
void erase_unused(ir::Graph& graph, const std::vector<Node*>& made) {
  for (size_t k = made.size(); k-- > 0;)
    if (!made[k]->erased() && !made[k]->has_uses() && own_effects(*made[k]).droppable()) graph.erase(made[k]);
}

bool decompose_node(ir::Graph& graph, Node* n, const Operator& op, UnknownSizes unknown) {
  Expansion expansion(graph, n, op, unknown);
  bool done = false;
  try {
    std::vector<IValue> values = expansion.run();
    done = replace(graph, n, values, expansion);
  } catch (const UnknownInGraph&) {
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::NotImplemented) throw;
  }
  if (!done)
    for (size_t k = expansion.appended().size(); k-- > 0;) graph.erase(expansion.appended()[k]);
  else expansion.add_guards(), erase_unused(graph, expansion.appended());
  return done;
}

}  // namespace

// Deeper than any operator is made of others.
constexpr int kMaxRounds = 64;

size_t decompose(ir::Graph& graph, const std::function<bool(const ir::Node&)>& choose, UnknownSizes unknown) {
  return decompose(graph, graph.root(), choose, unknown);
}

size_t decompose(ir::Graph& graph, ir::Block* block, const std::function<bool(const ir::Node&)>& choose, UnknownSizes unknown) {
  size_t count = 0;
  std::vector<bool> kept;  // nodes that cannot be decomposed here
  int rounds = 0;
  for (bool again = true; again;) {
    again = false;
    if (++rounds > kMaxRounds) throw InternalError("decomposition does not end: an operator is made of itself");
    std::vector<Node*> work;
    for (Node* n : ir::NestedNodes(block)) work.push_back(n);
    kept.resize(graph.id_limit());
    for (Node* n : work) {
      if (n->erased() || n->op() != ir::Op::CallFunction || n->is_projection() || n->block_count() || kept[n->id()]) continue;
      const auto* op = dynamic_cast<const Operator*>(n->info());
      if (!op || !op->schema().is_pure() || (choose && !choose(*n))) continue;
      Decomposition kind = decomposition(*op);
      if (kind == Decomposition::Core || kind == Decomposition::Blank) continue;
      if (decompose_node(graph, n, *op, unknown)) ++count, again = true;
      else kept[n->id()] = true;
    }
  }
  return count;
}

}  // namespace monograph::passes
