// One function for each rewrite; simplify_calls() at the end calls them for every node.
#include "passes/canonical_calls.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/interrupt.h"
#include "ops/record.h"
#include "ops/registry.h"
#include "passes/canonical_branches.h"
#include "passes/dependences.h"
#include "passes/memory.h"
#include "passes/trackable_memory.h"

namespace monograph::passes {

using namespace ir;

bool is_call_of(const Node* n, std::string_view name) {
  if (!n || n->structure() != Structure::None || n->is_projection()) return false;
  return (n->info() ? n->info()->name() : n->target().name()) == name;
}

bool makes_value(const Node* n) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"prim::ListConstruct", "prim::TupleConstruct", "prim::DictConstruct",
                                                                     "prim::Uninitialized", "prim::Constant"},
                             [&](std::string_view name) { return is_call_of(n, name); });
}

Effects effects_of(const Node& n) { return makes_value(&n) ? Effects::none() : own_effects(n); }

namespace {

// Whether the operator of a node says that its only result has one of these types.
bool gives(const Node* n, std::initializer_list<TypeKind> kinds) {
  if (!n || !n->info() || n->is_projection() || n->info()->results() != 1) return false;
  const Type t = n->info()->schema().returns()[0].type;
  return std::ranges::any_of(kinds, [&](TypeKind k) { return t.is(k); });
}

bool is_int_literal(ArgRef a, int64_t value) { return a.is(ArgKind::Int) && a.as_int() == value; }

bool has_call(ArgRef a, std::string_view name) { return a.node() && is_call_of(a.node(), name); }

void replace(Graph& g, Node* n, ArgRef by) {
  g.insert_before(n);
  g.replace_all_uses(n, as_node(g, by));
  g.erase(n);
}

void become(Node* n, std::string_view name, const Args& args) {
  n->graph()->set_args(n, args);
  n->graph()->set_target(n, Op::CallFunction, n->graph()->resolved(find_operator(name)));
}

// Whether the node and its blocks leave the sizes and the order of dims of all tensors as they are.
bool writes_elements_alone(const Node* n) {
  for (size_t k = 0; k < n->block_count(); ++k)
    for (const Node* inside : NestedNodes(n->block(k)))
      if (!inside->block_count() && !writes_elements_alone(inside)) return false;
  if (!is_call(n)) return true;
  const Effects e = effects_of(*n);
  if (e.user_code) return false;
  if (!(e.writes & Effects::Memory)) return true;
  const Operator* form = functional_form(n);
  const auto* op = dynamic_cast<const Operator*>(n->info());
  return form && (form->pointwise || op->assigns || is_call_of(n, "aten::index_put_"));
}

// --- Numbers.

// A length is never negative: `n > 0` and `n >= 1` become `n != 0`, and `n <= 0` and `n < 1` become `n == 0`.
bool compare_length(Node* n) {
  struct Row {
    std::string_view from;
    int64_t with;
    std::string_view to;
  };
  constexpr Row kRows[] = {{"aten::gt.int", 0, "aten::ne.int"},
                           {"aten::ge.int", 1, "aten::ne.int"},
                           {"aten::le.int", 0, "aten::eq.int"},
                           {"aten::lt.int", 1, "aten::eq.int"}};
  const auto* row = std::ranges::find_if(kRows, [&](const Row& r) { return is_call_of(n, r.from); });
  if (row == std::end(kRows) || n->arg_count() != 2 || !is_int_literal(n->arg(1), row->with)) return false;
  const ArgRef a = n->arg(0);
  if (!has_call(a, "aten::len.t") && !has_call(a, "aten::sym_size.int") && !has_call(a, "aten::sym_numel")) return false;
  become(n, row->to, Args(a, 0));
  return true;
}

// Arithmetic on a number of which the program alone says what it is, such as item(): a trace knows that it is an int, and a script does not. Both
// operators compute the same.
bool number_of_any_type(Node* n) {
  if (!n->info() || n->is_projection() || n->arg_count() == 0 || n->arg_count() > 2) return false;
  bool any = false;
  for (size_t k = 0; k < n->arg_count(); ++k) any |= gives(n->arg(k).node(), {TypeKind::Number});
  if (!any) return false;
  const std::string& name = n->info()->name();
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return false;
  constexpr std::string_view kBinary[] = {"aten::add", "aten::sub", "aten::mul", "aten::floordiv", "aten::remainder",
                                          "prim::min", "prim::max", "aten::eq",  "aten::ne",       "aten::lt",
                                          "aten::le",  "aten::gt",  "aten::ge"};
  constexpr std::string_view kOf[] = {"int", "float", "int_float", "float_int"};
  const std::string_view base = std::string_view(name).substr(0, dot), of = std::string_view(name).substr(dot + 1);
  if (std::ranges::find(kBinary, base) == std::end(kBinary) || std::ranges::find(kOf, of) == std::end(kOf) || n->arg_count() != 2)
    return false;
  become(n, concat(base, ".Scalar_Scalar"), n->copy_args());
  return true;
}

// int() and float() of what is known to be a bool or an int, and a function of a real number that is given an int.
bool convert_number(Graph& g, Node* n) {
  if (n->arg_count() != 1 || !n->arg(0).node()) return false;
  const ArgRef a = n->arg(0);
  auto rename = [&](std::string_view to) { return become(n, to, Args(a)), true; };
  if (is_call_of(n, "aten::Int.float") && is_bool(a)) return rename("aten::Int.bool");
  if ((is_call_of(n, "aten::Float.Scalar") || is_call_of(n, "aten::Float.int")) && is_bool(a)) return rename("aten::Float.bool");
  if (is_call_of(n, "aten::Float.Scalar") && is_int(a)) return rename("aten::Float.int");
  constexpr std::string_view kReal[] = {"aten::sqrt.float",  "aten::exp.float",  "aten::log.float",  "aten::log2.float",
                                        "aten::log10.float", "aten::sin.float",  "aten::cos.float",  "aten::tan.float",
                                        "aten::tanh.float",  "aten::ceil.float", "aten::floor.float"};
  if (!is_int(a) || std::ranges::none_of(kReal, [&](std::string_view name) { return is_call_of(n, name); })) return false;
  g.insert_before(n);
  g.set_args(n, Args(g.call(find_operator("aten::Float.int"), Args(a))));
  return true;
}

// --- Texts.

// "a" + ("b" + x) and ("a" + "b") + x become "ab" + x.
bool join_texts(Graph& g, Node* n) {
  if (!is_call_of(n, "aten::add.str") || n->arg_count() != 2) return false;
  const ArgRef a = n->arg(0), b = n->arg(1);
  if (a.is(ArgKind::Str) && a.as_str().empty()) return replace(g, n, b), true;
  if (b.is(ArgKind::Str) && b.as_str().empty()) return replace(g, n, a), true;
  g.insert_before(n);
  if (has_call(b, "aten::add.str")) {  // a + (c + d) becomes (a + c) + d
    const Args inner = b.node()->copy_args(), first = Args(a);
    Node* left = g.call(find_operator("aten::add.str"), Args(first[0], inner[0]));
    g.set_args(n, Args(left, inner[1]));
    return true;
  }
  if (b.is(ArgKind::Str) && has_call(a, "aten::add.str") && a.node()->arg(1).is(ArgKind::Str)) {  // (c + "d") + "e" becomes c + "de"
    const Args inner = a.node()->copy_args();
    const std::string text = concat(inner[1].as_str(), b.as_str());
    g.set_args(n, Args(inner[0], text));
    return true;
  }
  return false;
}

// --- Tuples and lists.

bool take_from_tuple(Graph& g, Node* n) {
  if (!is_call_of(n, "prim::TupleIndex") || n->arg_count() != 2 || !n->arg(1).is(ArgKind::Int)) return false;
  const Node* tuple = n->arg(0).node();
  if (!is_call_of(tuple, "prim::TupleConstruct")) return false;
  const Args items = tuple->copy_args();
  const auto count = static_cast<int64_t>(items.size());
  const int64_t k = n->arg(1).as_int();
  if (k >= count || k < -count) return false;
  replace(g, n, items[static_cast<size_t>(k < 0 ? k + count : k)]);
  return true;
}

// --- Tensors.

// torch.tensor of one number is that number as a tensor. Of a list of ints, it is their stack.
bool number_as_tensor(Graph& g, Node* n) {
  const bool of_int = is_call_of(n, "aten::tensor.int"), of_bool = is_call_of(n, "aten::tensor.bool"),
             of_list = is_call_of(n, "aten::tensor");
  if (!of_int && !of_bool && !of_list && !is_call_of(n, "aten::tensor.float")) return false;
  if (n->arg_count() != 4 || !n->arg(1).is_none() || !n->arg(3).is(ArgKind::Bool) || n->arg(3).as_bool()) return false;
  Args given = n->copy_args();
  const bool of_float = !of_int && !of_bool && !of_list;  // in the default dtype
  auto scalar = [&](ArgRef value) {
    Args args(value);
    if (of_float) args.none();
    else args.add(of_bool ? DType::b1 : DType::i64);
    args.none().add(given[2]).none();
    return args;
  };
  if (!of_list) {
    become(n, "aten::scalar_tensor", scalar(given[0]));
    return true;
  }
  if (!given[0].is(ArgKind::List) || given[0].size() == 0) return false;
  for (ArgRef part : given[0])
    if (!is_int(part)) return false;
  g.insert_before(n);
  Args stacked;
  stacked.open(ArgKind::List);
  for (ArgRef part : given[0]) stacked.add(g.call(find_operator("aten::scalar_tensor"), scalar(part)));
  stacked.close().add(0);
  become(n, "aten::stack", stacked);
  return true;
}

// norm() is linalg.vector_norm, and its order is a float.
bool norm_of_vector(Node* n) {
  const Args given = n->copy_args();
  Args args;
  auto add_order = [&](ArgRef p) {
    if (p.is_none()) args.add(2.0);
    else if (p.is(ArgKind::Int)) args.add(static_cast<double>(p.as_int()));
    else args.add(p);
  };
  if (is_call_of(n, "aten::norm.Scalar") && given.size() == 2) {
    args.add(given[0]), add_order(given[1]), args.none().add(false).none();
  } else if (is_call_of(n, "aten::norm.ScalarOpt_dim") && given.size() == 4) {
    args.add(given[0]), add_order(given[1]), args.add(given[2]).add(given[3]).none();
  } else if (is_call_of(n, "aten::linalg_vector_norm") && given.size() == 5 && given[1].is(ArgKind::Int)) {
    args.add(given[0]), add_order(given[1]), args.add(given[2]).add(given[3]).add(given[4]);
  } else {
    return false;
  }
  become(n, "aten::linalg_vector_norm", args);
  return true;
}

// The copy of a constant without dims is the number that it holds, as a tensor.
bool copy_of_number(Node* n) {
  if (!is_call_of(n, "aten::clone") || n->arg_count() != 2 || !n->arg(0).is(ArgKind::Tensor) || !n->arg(1).is_none()) return false;
  const TensorConstant& t = n->arg(0).as_tensor();
  if (!t.sizes().empty() || (t.dtype() != DType::i64 && t.dtype() != DType::b1) || t.bytes().empty()) return false;
  Args args;
  if (t.dtype() == DType::b1) args.add(t.bytes()[0] != std::byte{0});
  else {
    int64_t value = 0;
    std::copy_n(t.bytes().begin(), sizeof value, reinterpret_cast<std::byte*>(&value));
    args.add(value);
  }
  args.add(t.dtype()).none().none().none();
  become(n, "aten::scalar_tensor", args);
  return true;
}

// The number that a constant without dims holds, as a program would write it; nothing for a dtype that is seldom one of a number.
std::optional<Args> written_number(const TensorConstant& t) {
  if (!t.sizes().empty() || t.bytes().empty()) return {};
  double value = 0;
  if (t.dtype() == DType::i64) {
    int64_t whole = 0;
    std::copy_n(t.bytes().begin(), sizeof whole, reinterpret_cast<std::byte*>(&whole));
    return Args(whole);
  }
  if (t.dtype() == DType::b1) return Args(static_cast<int64_t>(t.bytes()[0] != std::byte{0}));
  if (t.dtype() == DType::f64) {
    std::copy_n(t.bytes().begin(), sizeof value, reinterpret_cast<std::byte*>(&value));
  } else if (t.dtype() == DType::f32) {
    float narrow = 0;
    std::copy_n(t.bytes().begin(), sizeof narrow, reinterpret_cast<std::byte*>(&narrow));
    std::array<char, 32> text{};  // the shortest text that is this float again: 0.1, and not 0.10000000149
    const auto end = std::to_chars(text.data(), text.data() + text.size(), narrow).ptr;
    std::from_chars(text.data(), end, value);
  } else {
    return {};
  }
  return Args(value);
}

// A float that is whole is an int: both are the same number in any dtype.
void add_number(Args& args, ArgRef value) {
  constexpr double kWhole = 9007199254740992.0;  // 2^53
  if (value.is(ArgKind::Bool)) return void(args.add(static_cast<int64_t>(value.as_bool())));
  if (!value.is(ArgKind::Float)) return void(args.add(value));
  const double x = value.as_float();
  if (std::isfinite(x) && std::abs(x) < kWhole && std::trunc(x) == x && !(x == 0 && std::signbit(x))) args.add(static_cast<int64_t>(x));
  else args.add(value);
}

// x[mask] = 0.5: the number is a tensor of the dtype of x, which a trace knows. The others ask for it when they run.
bool number_of_assignment(Graph& g, Node* n) {
  if ((!is_call_of(n, "aten::index_put_") && !is_call_of(n, "aten::index_put")) || n->arg_count() != 4 || !n->arg(0).node()) return false;
  Node* made = n->arg(2).node();
  Args number;
  if (n->arg(2).is(ArgKind::Tensor)) {
    const std::optional<Args> value = written_number(n->arg(2).as_tensor());
    if (!value) return false;
    g.insert_before(n);
    const Args self(n->arg(0));
    Node *dtype = g.call(find_operator("prim::dtype"), self), *device = g.call(find_operator("prim::device"), self);
    add_number(number, (*value)[0]);
    const char* of = number[0].is(ArgKind::Int) ? "aten::tensor.int" : "aten::tensor.float";
    made = g.call(find_operator(of), Args(number[0]).add(dtype).add(device).add(false));
    const Args given = n->copy_args();
    g.set_args(n, Args(given[0]).add(given[1]).add(made).add(given[3]));
    return true;
  }
  if ((!is_call_of(made, "aten::tensor.float") && !is_call_of(made, "aten::tensor.bool")) || made->arg_count() != 4) return false;
  const Args given = made->copy_args();
  if (!given[1].node() || !is_call_of(given[1].node(), "prim::dtype") || given[0].node()) return false;
  add_number(number, given[0]);
  if (!number[0].is(ArgKind::Int)) return false;
  become(made, "aten::tensor.int", Args(number[0]).add(given[1]).add(given[2]).add(given[3]));
  return true;
}

// A tensor as the bound of a slice: a script asks that it has no dims, which is a check of what it is.
bool number_of_bound(Node* n) {
  if (!is_call_of(n, "aten::IntImplicit") || n->arg_count() != 1) return false;
  become(n, "aten::item", n->copy_args());
  return true;
}

// A size of a tensor that was made with this size, in a graph that changes no sizes.
bool size_of_new_tensor(Graph& g, Node* n) {
  if (!is_call_of(n, "aten::sym_size.int") || n->arg_count() != 2 || !n->arg(1).is(ArgKind::Int)) return false;
  const Node* made = n->arg(0).node();
  constexpr std::string_view kBySize[] = {"aten::zeros", "aten::ones", "aten::full", "aten::empty.memory_format",
                                          "aten::rand",  "aten::randn"};
  constexpr std::string_view kLike[] = {"aten::new_zeros", "aten::new_ones", "aten::new_full", "aten::new_empty"};
  auto is_one_of = [&](std::span<const std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return is_call_of(made, name); });
  };
  const int at = is_one_of(kBySize) ? 0 : is_one_of(kLike) ? 1 : -1;
  if (at < 0 || made->arg_count() <= static_cast<size_t>(at) || !made->arg(static_cast<size_t>(at)).is(ArgKind::List)) return false;
  const ArgRef sizes = made->arg(static_cast<size_t>(at));
  const auto count = static_cast<int64_t>(sizes.size());
  const int64_t k = n->arg(1).as_int();
  if (k >= count || k < -count) return false;
  const Args size(sizes[static_cast<size_t>(k < 0 ? k + count : k)]);
  if (!size[0].is(ArgKind::Int) && !size[0].node()) return false;
  replace(g, n, size[0]);
  return true;
}

// A script notes that a value is not None where it asked for that.
bool drop_cast(Graph& g, Node* n) {
  if (!is_call_of(n, "prim::unchecked_cast") || n->arg_count() != 1) return false;
  replace(g, n, Args(n->arg(0))[0]);
  return true;
}

// Whether a node only computes numbers and tensors, of which a result is one tensor at most.
bool computes_alone(const Node* n) {
  if (makes_value(n)) return true;
  return is_call(n) && !n->is_projection() && n->info() && n->info()->results() == 1 && n->info()->schema().is_pure() &&
         !is_call_of(n, "aten::is_grad_enabled");
}

// `with torch.no_grad():` around operators. A trace writes detach() behind each of them, and the others switch the mode before and behind: so do these here.
bool detach_in_no_grad(Graph& g, Node* off) {
  if (!is_call_of(off, "aten::set_grad_enabled") || off->has_uses() || !off->arg(0).is(ArgKind::Bool) || off->arg(0).as_bool())
    return false;
  std::vector<Node*> tensors;
  Node* on = off->next();
  for (; on && !is_call_of(on, "aten::set_grad_enabled"); on = on->next()) {
    if (!computes_alone(on)) return false;
    if (makes_value(on)) continue;
    const Type result = on->info()->schema().returns()[0].type;
    if (result.is(TypeKind::Tensor)) tensors.push_back(on);
    else if (!gives(on, {TypeKind::Int, TypeKind::SymInt, TypeKind::Bool, TypeKind::Float, TypeKind::Number, TypeKind::DType}))
      return false;
  }
  if (!on || on->has_uses() || !on->arg(0).node() || !is_call_of(on->arg(0).node(), "aten::is_grad_enabled")) return false;
  const Node* was = on->arg(0).node();
  for (const Node* n = was->next(); n != off; n = n->next())  // nothing switches it between the question and the switch
    if (!n || !computes_alone(n)) return false;
  for (Node* n : tensors) {
    if (is_call_of(n, "aten::detach")) continue;
    g.insert_after(n);
    Node* detached = g.call(find_operator("aten::detach"), Args(n));
    g.replace_all_uses(n, detached);
    g.replace_input(detached, 0, n);
  }
  g.erase(on);
  g.erase(off);
  return true;
}

bool simplify_call(Graph& g, Node* n, bool sizes_stay) {
  return detach_in_no_grad(g, n) || drop_cast(g, n) || compare_length(n) || number_of_any_type(n) || convert_number(g, n) ||
         join_texts(g, n) || take_from_tuple(g, n) || number_as_tensor(g, n) || copy_of_number(n) || number_of_assignment(g, n) ||
         number_of_bound(n) || norm_of_vector(n) || (sizes_stay && size_of_new_tensor(g, n)) ||
         (n->info() && n->info()->canonicalize(n));  // its arguments may be known only now
}

// --- Copies of a view to itself.

// Whether two nodes of one block are the same view of the same tensor, or the same number, as long as no size of a tensor changes between them. Looks at no
// more than so many nodes one behind the other.
bool is_same_view(const Node* a, const Node* b, int most = 8) {
  if (a == b) return true;
  if (most == 0) return false;
  if (a->block() != b->block() || a->is_projection() || b->is_projection() || !a->info() || a->info() != b->info() || a->multi())
    return false;
  if (a->op() == Op::GetAttr || &a->skeleton() != &b->skeleton() || !effects_of(*a).deterministic() || !a->info()->schema().is_pure())
    return false;
  const FunctionSchema& schema = a->info()->schema();
  const bool view = !schema.arguments().empty() && schema.may_alias(0, 0);
  if (!view && !gives(a, {TypeKind::Int, TypeKind::SymInt})) return false;
  for (size_t k = 0; k < a->input_count(); ++k)
    if (!is_same_view(a->input(k), b->input(k), most - 1)) return false;
  return true;
}

// The first node of two equal chains of views that is not part of both.
const Node* earliest(const Node* a, const Node* b) {
  const Node* first = a->is_before(b) ? a : b;
  for (size_t k = 0; k < a->input_count(); ++k) {
    if (a->input(k) == b->input(k)) continue;
    const Node* before = earliest(a->input(k), b->input(k));
    if (before->is_before(first)) first = before;
  }
  return first;
}

// The same for all nodes from one to another one of its block.
bool writes_elements_alone(const Node* from, const Node* to) {
  for (const Node* n = from; n && n != to; n = n->next())
    if (!writes_elements_alone(n)) return false;
  return true;
}

}  // namespace

bool is_bool(ArgRef a) {
  const Node* n = a.node();
  if (!n) return a.is(ArgKind::Bool);
  return n->type().is(TypeKind::Bool) || gives(n, {TypeKind::Bool});
}

bool is_int(ArgRef a) {
  const Node* n = a.node();
  if (!n) return a.is(ArgKind::Int);
  return gives(n, {TypeKind::Int, TypeKind::SymInt});
}

bool simplify_calls(Graph& g) {
  bool any = false, sizes_stay = true;
  std::vector<Node*> nodes;
  for (Node* n : NestedNodes(g)) {
    if (!is_call(n)) continue;
    nodes.push_back(n);
    sizes_stay = sizes_stay && writes_elements_alone(n);
  }
  for (Node* n : nodes) {
    interrupt_point();
    if (!n->erased()) any |= simplify_call(g, n, sizes_stay);
  }
  return any;
}

void unify_attributes(Graph& g) {
  std::unordered_map<std::string, std::vector<Node*>> reads;
  for (Node* n : NestedNodes(g)) {
    interrupt_point();
    if (is_call_of(n, "prim::SetAttr") || (is_call(n) && effects_of(*n).user_code)) return;
    if (n->op() == Op::GetAttr && !n->type_declared()) reads[n->target().name()].push_back(n);
  }
  for (auto& [name, nodes] : reads) {
    Node* first = nodes.front();
    if (nodes.size() == 1 && !first->block()->owner()) continue;
    Node* start = g.root()->first();
    while (start->op() == Op::Placeholder) start = start->next();
    if (start != first) g.move_before(first, start);
    for (size_t k = 1; k < nodes.size(); ++k) g.replace_all_uses(nodes[k], first), g.erase(nodes[k]);
  }
}

bool drop_copies_to_self(Graph& g) {
  bool dropped = false;
  std::vector<Node*> copies;
  for (Node* n : NestedNodes(g))
    if (is_call_of(n, "aten::copy_") && n->arg_count() >= 2 && n->arg(0).node() && n->arg(1).node()) copies.push_back(n);
  for (Node* n : copies) {
    interrupt_point();
    Node *to = n->arg(0).as_node(), *from = n->arg(1).as_node();
    if (to == from || !is_same_view(to, from)) continue;
    const Node* first = earliest(to, from);
    if (!writes_elements_alone(first, n)) continue;
    g.replace_all_uses(n, to);
    g.erase(n);
    dropped = true;
  }
  return dropped;
}

}  // namespace monograph::passes
