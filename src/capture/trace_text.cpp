// The flat graph is copied, the copy is brought into PyTorch's form, its modules are outlined again, and the root's method is printed.
#include "capture/trace_text.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <tuple>

#include "capture/hierarchy.h"
#include "exec/interpreter.h"
#include "ir/bind.h"
#include "ir/text.h"
#include "ir/torchscript_code.h"
#include "ir/unit.h"
#include "ir/walk.h"
#include "ops/dispatch.h"
#include "ops/infer.h"

namespace monograph::capture {
namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Graph;
using ir::Node;
using ir::Op;
using ir::Type;
using ir::TypeKind;

using Names = std::unordered_map<const Node*, std::string>;

bool is_call(const Node* n, std::string_view target) { return n->op() == Op::CallFunction && n->info() && n->info()->name() == target; }

std::vector<Node*> nodes_of(const Graph& g) {
  std::vector<Node*> nodes;
  for (Node* n : *g.root()) nodes.push_back(n);
  return nodes;
}
std::vector<const ir::Use*> uses_of(const Node* n) {
  std::vector<const ir::Use*> uses;
  for (const ir::Use* u = n->first_use(); u; u = u->next) uses.push_back(u);
  return uses;
}

// --- The copy of the flat graph.

// The number of items of a list that the graph unpacks; 0 where it is not known.
using Lengths = std::unordered_map<const Node*, int64_t>;

class FlatForm {
 public:
  FlatForm(const Graph& flat, const TraceNotes& notes, Graph& g) : flat_(flat), notes_(notes), g_(g) {}

  void run() {
    copy();
    for (const auto& [id, name] : notes_.variables)
      if (const auto copy = copies_.find(id); copy != copies_.end()) names[copy->second] = name;
    for (const TraceNotes::WholeSlice& slice : notes_.whole_slices) write_slice(slice);
    for (Node* n : nodes_of(g_)) give_what_is_written(n);
    write_sizes();
    for (Node* n : nodes_of(g_)) write_numbers(n);
    for (Node* n : nodes_of(g_)) write_convolution(n);
    for (const uint32_t id : notes_.symbols)
      if (const auto copy = copies_.find(id); copy != copies_.end()) write_symbol(copy->second);
    find_lengths();
  }

  Names names;
  Lengths lengths;
  std::vector<ModuleCall> calls;  // with the ids of the copy
  std::unordered_map<const Node*, uint32_t> times;  // of nodes that were put in: the ids of those with which they count as recorded

 private:
  void copy() {
    Graph::NodeMap map;
    g_.set_dialect(flat_.dialect());
    for (Node* p : flat_.placeholders())
      map[p] = g_.placeholder(g_.root(), p->target().name(), p->type(), p->arg_count() ? Args().add(p->arg(0)) : Args());
    g_.insert_at_end(g_.root());
    std::vector<Node*> order;
    for (Node* n : *flat_.root())
      if (n->op() != Op::Placeholder && n->op() != Op::Output) order.push_back(n);
    // When a node counts as recorded (see hierarchy.cpp), and the id limit of the copy then.
    std::vector<std::pair<uint32_t, uint32_t>> ids(order.size());
    uint32_t least = UINT32_MAX;
    for (size_t k = order.size(); k-- > 0;) ids[k].first = least = std::min(least, order[k]->id());
    for (size_t k = 0; k < order.size(); ++k) {
      ids[k].second = g_.id_limit();
      if (!map.contains(order[k])) g_.copy(order[k], map);
    }
    const auto renumbered = [&](uint32_t id) {
      const auto at = std::ranges::lower_bound(ids, id, {}, &std::pair<uint32_t, uint32_t>::first);
      return at == ids.end() ? g_.id_limit() : at->second;
    };
    for (ModuleCall call : notes_.calls) {
      call.begin = renumbered(call.begin), call.end = renumbered(call.end);
      if (call.asked != UINT32_MAX) call.asked = renumbered(call.asked);
      calls.push_back(std::move(call));
    }
    g_.set_output(Args().add_mapped(flat_.output()->arg(0), [&](Node* n) { return map.at(n); }));
    for (ir::Guard guard : flat_.guards()) {
      if (guard.value) guard.value = map.at(guard.value);
      g_.add_guard(std::move(guard));
    }
    for (const auto& [from, to] : map) copies_[from->id()] = to, ids_[to] = from->id();
  }

  // x[:, 1] is slice(x, 0) and select(..., 1, 1) in PyTorch's trace. What is indexed is either the value of the step before, which nobody else has, or the next
  // step takes it.
  void write_slice(const TraceNotes::WholeSlice& slice) {
    const auto found = copies_.find(slice.value);
    if (found == copies_.end()) return;
    Node* value = found->second;
    if (const auto sliced = sliced_.find(slice.value); sliced != sliced_.end() && sliced->second.first == slice.before)
      value = sliced->second.second;
    const bool own = slice.value + 1 == slice.before && is_view(found->second);
    std::vector<std::pair<Node*, size_t>> later;
    for (const ir::Use* u : uses_of(value))
      if (const auto id = ids_.find(u->user); id != ids_.end() ? id->second >= slice.before : u->user->op() == Op::Output)
        if (own || (u->index == 0 && (is_view(u->user) || is_call(u->user, "aten::index.Tensor")))) later.emplace_back(u->user, u->index);
    const auto before = [](const auto& a, const auto& b) { return a.first->is_before(b.first); };
    if (later.empty()) return;
    const auto first = std::ranges::min_element(later, before);
    if (first->first->block() != g_.root()) return;
    if (!own) later = {*first};
    Node* next = std::ranges::min_element(later, before)->first;
    g_.insert_before(next);
    g_.set_location_of(next);
    Node* made = g_.call("aten::slice.Tensor", Args(value, slice.dim, int64_t{0}, std::numeric_limits<int64_t>::max()));
    g_.set_type(made, value->type());
    times[made] = next->id();
    for (const auto& [user, index] : later) g_.replace_input(user, index, made);
    sliced_[slice.value] = {slice.before, made};
  }
  static bool is_view(const Node* n) {
    return is_call(n, "aten::slice.Tensor") || is_call(n, "aten::select.int") || is_call(n, "aten::unsqueeze");
  }

  // --- Sizes, which are tensors in PyTorch's trace.

  void write_sizes() {
    std::vector<Node*> numbers;
    std::unordered_set<const Node*> known;
    for (Node* n : nodes_of(g_)) {
      const bool size = is_call(n, "aten::sym_size.int") || is_call(n, "aten::size.int");
      if (!size && !computes_with(n, known)) continue;
      if (n->arg_count() != 2) continue;
      numbers.push_back(n), known.insert(n);
    }
    for (const ir::Guard& guard : g_.guards())
      if (known.contains(guard.value)) return;
    for (Node* n : numbers) tensors_[n] = as_tensor(n);
    for (Node* n : numbers) read_number(n, known);
    for (Node* n : numbers | std::views::reverse)
      if (!n->has_uses()) g_.erase(n);
  }
  static constexpr std::pair<std::string_view, std::string_view> kArithmetic[] = {{"aten::add.int", "aten::add.Tensor"},
                                                                                  {"aten::sub.int", "aten::sub.Tensor"},
                                                                                  {"aten::mul.int", "aten::mul.Tensor"},
                                                                                  {"aten::floordiv.int", "aten::floor_divide"}};
  static bool computes_with(const Node* n, const std::unordered_set<const Node*>& known) {
    const bool named = std::ranges::any_of(kArithmetic, [&](const auto& pair) { return is_call(n, pair.first); });
    if (!named || n->arg_count() != 2) return false;
    bool any = false;
    for (size_t k = 0; k < 2; ++k) {
      if (n->arg(k).node() ? !known.contains(n->arg(k).node()) : !n->arg(k).is(ArgKind::Int)) return false;
      any |= n->arg(k).node() != nullptr;
    }
    return any;
  }
  Node* as_tensor(Node* n) {
    g_.insert_after(n);
    g_.set_location_of(n);
    Node* made = nullptr;
    for (const auto& [number, tensor] : kArithmetic)
      if (is_call(n, number)) {
        Args args;
        for (size_t k = 0; k < 2; ++k) n->arg(k).node() ? args.add(tensors_.at(n->arg(k).node())) : args.add(constant(n->arg(k)));
        made = g_.call(tensor, args);
      }
    if (!made) {
      g_.set_target(n, g_.resolved(find_operator("aten::size.int")));
      made = g_.call("prim::NumToTensor", Args(n));
    }
    if (const auto name = names.find(n); name != names.end()) names[made] = std::move(name->second), names.erase(name);
    g_.set_type(made, TypeKind::Tensor);
    times[made] = n->id();
    return made;
  }
  // Each use reads the number behind the tensor, so that the last one stands first.
  void read_number(Node* n, const std::unordered_set<const Node*>& known) {
    Node* tensor = tensors_.at(n);
    std::vector<std::pair<Node*, size_t>> uses;
    for (const ir::Use* u : uses_of(n))
      if (u->user != tensor && !known.contains(u->user)) uses.emplace_back(u->user, u->index);
    std::ranges::stable_sort(uses, [](const auto& a, const auto& b) { return a.first != b.first && a.first->is_before(b.first); });
    for (const auto& [user, index] : uses) {
      if (const std::string_view of_tensors = with_tensors(user); !of_tensors.empty() && user->arg(1).node() == n) {
        const Type type = user->type();
        g_.set_target(user, g_.resolved(find_operator(of_tensors)));
        g_.replace_input(user, index, tensor);
        g_.set_type(user, type);
        continue;
      }
      g_.insert_after(tensor);
      g_.set_location_of(n);
      Node* read = g_.call("aten::Int.Tensor", Args(tensor));
      g_.set_type(read, TypeKind::Int);
      times[read] = n->id();
      g_.replace_input(user, index, read);
    }
  }

  // A tensor that was written to is what the write returns.
  void give_what_is_written(Node* n) {
    if (n->op() != Op::CallFunction || !n->info() || n->multi() || n->block_count()) return;
    const auto& arguments = n->info()->schema().arguments();
    for (size_t k = 0; k < arguments.size() && k < n->positional_count(); ++k) {
      Node* written = n->arg(k).node();
      if (!written || !arguments[k].writes() || !n->info()->schema().returns_argument(0, k)) continue;
      std::vector<std::pair<Node*, size_t>> later;
      for (const ir::Use* u : uses_of(written))
        if (u->user != n && n->dominates(u->user)) later.emplace_back(u->user, u->index);
      for (const auto& [user, index] : later) g_.replace_input(user, index, n);
    }
  }

  // PyTorch has no overload with a number of these in Python, so that its trace holds a tensor.
  static constexpr std::pair<std::string_view, std::string_view> kNumbers[] = {
      {"aten::add.Scalar", "aten::add.Tensor"},   {"aten::add_.Scalar", "aten::add_.Tensor"}, {"aten::sub.Scalar", "aten::sub.Tensor"},
      {"aten::sub_.Scalar", "aten::sub_.Tensor"}, {"aten::mul.Scalar", "aten::mul.Tensor"},   {"aten::mul_.Scalar", "aten::mul_.Tensor"},
      {"aten::div.Scalar", "aten::div.Tensor"},   {"aten::div_.Scalar", "aten::div_.Tensor"}};

  void write_numbers(Node* n) {
    if (is_call(n, "aten::slice.Tensor"))
      return change(n, [](size_t k, ArgRef a, Args& args) {
        if (k == 2 && a.is_none()) args.add(int64_t{0});
        else if (k == 3 && a.is_none()) args.add(std::numeric_limits<int64_t>::max());
        else args.add(a);
      });
    const std::string_view of_tensors = with_tensors(n);
    if (of_tensors.empty() || n->arg(1).node()) return;
    const Type type = n->type();
    g_.set_target(n, g_.resolved(find_operator(of_tensors)));
    change(n, [this](size_t k, ArgRef a, Args& args) {
      if (k == 1) args.add(constant(a));
      else args.add(a);
    });
    g_.set_type(n, type);
  }
  // The overload for tensors of one that takes a number second; "" where PyTorch has both in Python.
  static std::string_view with_tensors(const Node* n) {
    for (const auto& [scalar, tensor] : kNumbers)
      if (is_call(n, scalar) && n->positional_count() >= 2) return tensor;
    return {};
  }
  template <class F>
  void change(Node* n, const F& add) {
    Args args;
    for (size_t k = 0; k < n->arg_count(); ++k) {
      if (k >= n->positional_count()) args.name(n->keyword(k - n->positional_count()));
      add(k, n->arg(k), args);
    }
    g_.set_args(n, args);
  }
  ir::TensorRef constant(ArgRef number) {
    std::string text;
    ir::print_arg(text, number);
    auto [at, fresh] = numbers_.try_emplace(text);
    if (fresh) at->second = std::make_shared<exec::LiveTensor>(wrapped_number(exec::literal(number)));
    return at->second;
  }
  // A convolution is aten::_convolution there, whose last arguments are switches of other libraries.
  void write_convolution(Node* n) {
    const std::string_view name = n->op() == Op::CallFunction && n->info() ? n->info()->schema().name() : std::string_view();
    const bool transposed = name.starts_with("aten::conv_transpose");
    if (!(transposed || name.starts_with("aten::conv")) || !name.ends_with('d') || name.find("_tbc") != std::string_view::npos) return;
    const std::optional<Args> bound = ir::bound_args(n->info()->schema(), *n);
    if (!bound || bound->size() != (transposed ? 8U : 7U) || (*bound)[4].is(ArgKind::Str)) return;
    const size_t dims = static_cast<size_t>(name[name.size() - 2] - '0');
    Args args;
    const auto sizes = [&](ArgRef a) {  // one number stands for each dim
      const bool one = a.is(ArgKind::Int);
      if (!one && (!a.is(ArgKind::List) || a.size() == dims)) return void(args.add(a));
      args.open(ArgKind::List);
      for (size_t k = 0; k < dims; ++k) args.add(one ? a : a[0]);
      args.close();
    };
    for (size_t k = 0; k < 3; ++k) args.add((*bound)[k]);
    sizes((*bound)[3]), sizes((*bound)[4]), sizes((*bound)[transposed ? 7 : 5]);
    args.add(transposed);
    if (transposed) sizes((*bound)[5]);
    else {
      args.open(ArgKind::List);
      for (size_t k = 0; k < dims; ++k) args.add(0);
      args.close();
    }
    args.add((*bound)[6]);
    for (const bool flag : {false, false, true, true}) args.add(flag);
    const Type type = n->type();
    g_.set_target(n, g_.target("aten::_convolution"));
    g_.set_args(n, args);
    g_.set_type(n, type);
  }
  // x & y is aten::__and__ there, and torch.bitwise_and(x, y) is what it says.
  void write_symbol(Node* n) {
    static constexpr std::pair<std::string_view, std::string_view> kSymbols[] = {
        {"aten::bitwise_and.Tensor", "aten::__and__"}, {"aten::bitwise_or.Tensor", "aten::__or__"},
        {"aten::bitwise_xor.Tensor", "aten::__xor__"}, {"aten::bitwise_and.Scalar", "aten::__and__"},
        {"aten::bitwise_or.Scalar", "aten::__or__"},   {"aten::bitwise_xor.Scalar", "aten::__xor__"}};
    for (const auto& [called, symbol] : kSymbols)
      if (is_call(n, called)) {
        const Type type = n->type();
        g_.set_target(n, g_.target(symbol));
        return g_.set_type(n, type);
      }
  }

  void find_lengths() {
    for (const Node* n : ir::NestedNodes(g_)) {
      if (n->op() != Op::CallFunction || !n->type().is(TypeKind::List) || n->multi() || !n->info()) continue;
      const Dim known = infer_length(*static_cast<const Operator*>(n->info()), *n);
      if (known && known->is_int()) lengths[n] = known->as_int();
    }
    for (const ir::Guard& guard : g_.guards())
      if (guard.value && is_call(guard.value, "aten::len.t") && guard.expected.size() == 1 && guard.expected[0].is(ArgKind::Int))
        if (const Node* list = guard.value->arg(0).node()) lengths[list] = guard.expected[0].as_int();
  }

  const Graph& flat_;
  const TraceNotes& notes_;
  Graph& g_;
  std::unordered_map<uint32_t, Node*> copies_;  // by the id in the flat graph
  std::unordered_map<const Node*, uint32_t> ids_;  // the ids in the flat graph
  std::unordered_map<uint32_t, std::pair<uint32_t, Node*>>
      sliced_;  // by the id of what is indexed: `before`, and the last whole slice of it
  std::unordered_map<const Node*, Node*> tensors_;  // by the numbers
  std::map<std::string, ir::TensorRef> numbers_;
};

// --- The graph that is shown.

class ShownForm {
 public:
  ShownForm(Graph& g, Names& names, const Lengths& lengths) : g_(g), names_(names), lengths_(lengths) {}

  void run() {
    for (Node* n : nodes_of(g_)) unpack_list(n);
    for (Node* n : nodes_of(g_))
      if (n->op() == Op::Placeholder || n->op() == Op::CallMethod) unpack_tuple(n);
    pack_output();
    if (!writes_attributes()) read_at_head();
  }

 private:
  // The reads of items of a list or tuple with these numbers; nothing if it has other users. `lengths`: reads of its length are passed over.
  static std::optional<std::vector<Node*>> parts_of(const Node* n, bool lengths, int64_t count) {
    std::vector<Node*> parts;
    for (const ir::Use* u : uses_of(n)) {
      Node* user = u->user;
      if (lengths && is_call(user, "aten::len.t") && !user->has_uses()) continue;
      const bool part = (is_call(user, "aten::__getitem__.t") || user->target().name() == "prim::TupleIndex") && u->index == 0 &&
                        user->block() == n->block() && user->positional_count() == 2 && user->arg(1).is(ArgKind::Int);
      if (!part || user->arg(1).as_int() < 0 || user->arg(1).as_int() >= count) return {};
      parts.push_back(user);
    }
    return parts;
  }

  // The parts of a list are unpacked at once, which checks their number too.
  void unpack_list(Node* n) {
    const auto known = lengths_.find(n);
    if (known == lengths_.end() || known->second < 2 || known->second > kMostParts) return;
    const auto parts = parts_of(n, true, known->second);
    if (!parts || (parts->empty() && !n->has_uses())) return;
    std::vector<Node*> lengths;
    for (const ir::Use* u : uses_of(n))
      if (is_call(u->user, "aten::len.t")) lengths.push_back(u->user);
    drop_guards(lengths);
    unpack(n, "prim::ListUnpack", std::vector<Type>(static_cast<size_t>(known->second), n->type().element()), *parts);
  }
  void drop_guards(const std::vector<Node*>& values) {
    if (values.empty()) return;
    std::vector<ir::Guard> kept;
    for (const ir::Guard& guard : g_.guards())
      if (std::ranges::find(values, guard.value) == values.end()) kept.push_back(guard);
    g_.clear_guards();
    for (ir::Guard& guard : kept) g_.add_guard(std::move(guard));
    for (Node* n : values) g_.erase(n);
  }

  void unpack_tuple(Node* tuple) {
    if (!tuple->type().is(TypeKind::Tuple) || tuple->type().elements().size() < 2 || !tuple->has_uses()) return;
    const auto elements = tuple->type().elements();
    const auto parts = parts_of(tuple, false, static_cast<int64_t>(elements.size()));
    if (parts) unpack(tuple, "prim::TupleUnpack", {elements.begin(), elements.end()}, *parts);
  }

  void unpack(Node* n, std::string_view how, const std::vector<Type>& types, const std::vector<Node*>& parts) {
    if (n->op() == Op::Placeholder) g_.insert_before(head());
    else g_.insert_after(n);
    g_.set_location_of(n);
    Node* all = g_.call(how, Args(n));
    g_.set_results(all, types);
    for (Node* part : parts) {
      Node* result = g_.project(all, static_cast<size_t>(part->arg(1).as_int()));
      if (const auto name = names_.find(part); name != names_.end()) names_[result] = name->second;
      g_.replace_all_uses(part, result);
      g_.erase(part);
    }
    for (size_t k = 0; k < types.size(); ++k)
      if (types[k].is(TypeKind::Tuple) && all->result(k)) unpack_tuple(const_cast<Node*>(all->result(k)));
  }
  Node* head() const {
    for (Node* n : *g_.root())
      if (n->op() != Op::Placeholder && !n->is_projection()) return n;
    return nullptr;
  }

  // What the function returns is one value, whose parts are made before it.
  void pack_output() {
    g_.insert_before(g_.output());
    g_.set_location({}, {});
    if (Node* whole = packed(g_.output()->arg(0))) g_.set_output(Args(whole));
  }
  Node* packed(ArgRef a) {
    const bool dict = a.is(ArgKind::Dict);
    if ((!dict && !a.is(ArgKind::Tuple) && !a.is(ArgKind::List)) || a.size() == 0 || (dict && ir::several_types(a)))
      return nullptr;  // printing it as an argument says why it has no text
    const Type type = ir::type_of(a);
    Args args;
    for (ArgRef part : a) {
      if (Node* inner = packed(part)) args.add(inner);
      else args.add(part);
    }
    Node* made = g_.call(dict ? "prim::DictConstruct" : a.is(ArgKind::Tuple) ? "prim::TupleConstruct" : "prim::ListConstruct", args);
    g_.set_type(made, type);
    return made;
  }

  // Modules and attributes are read at the head, the last one first, each once.
  void read_at_head() {
    std::map<std::string, Node*> known;
    Node* first = head();
    for (Node* n : nodes_of(g_)) {
      if (n->op() != Op::GetAttr) continue;
      const auto [at, fresh] = known.try_emplace(n->target().name(), n);
      if (!fresh) {
        g_.replace_all_uses(n, at->second);
        g_.erase(n);
      } else {
        if (n != first) g_.move_before(n, first);
        std::tie(first, at->second) = chain_of(n);
      }
    }
  }
  // Each part of a path is a read of its own; returns the first one and the last one, which takes the place of `whole`.
  std::pair<Node*, Node*> chain_of(Node* whole) {
    const std::string path = whole->target().name();
    size_t dot = path.find('.');
    if (dot == std::string::npos || path.ends_with(ir::kModuleObject)) return {whole, whole};
    g_.insert_before(whole);
    g_.set_location_of(whole);
    Node *read = g_.create(Op::GetAttr, g_.target(path.substr(0, dot)), {}), *begin = read;
    g_.set_type(read, Type::named(TypeKind::Class, "Module"));
    while (dot != std::string::npos) {
      const size_t next = path.find('.', dot + 1);
      read = g_.call("prim::GetAttr", Args(read, path.substr(dot + 1, next == std::string::npos ? next : next - dot - 1)));
      g_.set_type(read, next == std::string::npos ? whole->type() : Type::named(TypeKind::Class, "Module"));
      dot = next;
    }
    g_.replace_all_uses(whole, read);
    g_.erase(whole);
    return {begin, read};
  }
  bool writes_attributes() const {
    for (const Node* n : ir::NestedNodes(g_))
      if (n->target().name() == "prim::SetAttr") return true;
    return false;
  }

  static constexpr int64_t kMostParts = 256;
  Graph& g_;
  Names& names_;
  const Lengths& lengths_;
};

// What the root's method has in the place of the flat graph's nodes. A call's result has no name of the program's.
template <class Value>
std::unordered_map<const Node*, Value> carried_over(const std::unordered_map<const Node*, Value>& flat, const Graph::NodeMap& copies) {
  const auto is_of_call = [](const Node* n) {
    return n->op() == Op::CallMethod || (is_call(n, "aten::__getitem__.t") && n->arg(0).node() && n->arg(0).node()->op() == Op::CallMethod);
  };
  std::unordered_map<const Node*, Value> carried;
  for (const auto& [from, to] : copies)
    if (const auto found = flat.find(from); found != flat.end() && !is_of_call(to)) carried.emplace(to, found->second);
  return carried;
}

}  // namespace

// The inputs of a submodule's method are called as its caller calls the values: after variables of the program. What a call of another module gave has no name.
static void name_inputs(Graph& method, const ModuleCall& call, const FlatForm& form, const Graph::NodeMap& copies) {
  const auto made_by_another = [&](const Node* value) {
    const auto given = form.times.find(value);
    const uint32_t time = given == form.times.end() ? value->id() : given->second;
    return std::ranges::any_of(
        form.calls, [&](const ModuleCall& c) { return c.begin <= time && time < c.end && !(c.begin <= call.begin && call.end <= c.end); });
  };
  std::unordered_map<const Node*, const Node*> values;
  for (const auto& [from, to] : copies)
    if (to->op() == Op::Placeholder) values.emplace(to, from);
  size_t place = 0;
  for (Node* p : method.placeholders()) {
    const auto value = values.find(p);
    std::string name;
    if (value != values.end() && value->second->op() == Op::Placeholder) name = value->second->target().name();
    else if (value != values.end() && !made_by_another(value->second))
      if (const auto known = form.names.find(value->second); known != form.names.end()) name = known->second;
    if (name.empty() || name == "_") name = concat("argument_", place);
    if (place++ > 0) method.set_target(p, method.target(name));  // behind self
  }
}

std::string code_of_trace(const Graph& flat, const TraceNotes& notes, const std::string& name, bool module,
                          std::vector<ir::TensorRef>& constants, const std::string& path) {
  ir::Unit unit;
  if (flat.unit()) ir::copy_modules(*flat.unit(), unit);
  if (!module) unit.set_root(nullptr);
  Graph whole(flat.name(), &unit);
  FlatForm form(flat, notes, whole);
  form.run();
  Graph* shown = &whole;
  if (module) {
    Graph::NodeMap copies;
    const ModuleCall* call = nullptr;
    shown = outline_modules(
        whole, form.calls, unit,
        {.keeps_empty = true, .copies = &copies, .path = path, .method = path.empty() ? "" : name, .call = &call, .times = &form.times});
    MONOGRAPH_CHECK(shown, Attribute, "the trace calls no ", name, "() of '", path, "', so that it has no code");
    if (!path.empty()) {
      name_inputs(*shown, *call, form, copies);
      for (const auto nodes = nodes_of(*shown); Node * n : nodes | std::views::reverse)  // what guards of the whole trace ask
        if (!n->has_uses() && (n->target().name() == "prim::NumToTensor" || (n->info() && n->info()->effects().droppable())))
          shown->erase(n);
    }
    form.names = carried_over(form.names, copies), form.lengths = carried_over(form.lengths, copies);
  }
  ShownForm(*shown, form.names, form.lengths).run();
  ir::TorchScriptCode options;
  options.readable = options.keeps_lists = true, options.name = name;
  options.variable = [&](const Node* n) {
    const auto found = form.names.find(n);
    return found == form.names.end() ? std::string("_") : found->second;
  };
  return ir::to_torchscript_code(*shown, options, constants);
}

}  // namespace monograph::capture
