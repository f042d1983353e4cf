// Finds the operator of a node: first the operators that its target may mean ("torch.add", "operator.add", a method's name), then the overload whose
// schema fits the node's arguments (ir/bind.h).
#include <algorithm>

#include "ir/bind.h"
#include "ir/builder.h"
#include "ir/graph.h"
#include "ir/operators.h"
#include "ops/infer.h"
#include "ops/overloads.h"
#include "ops/registry.h"

namespace monograph {

using ir::Args;
using ir::Fit;
using ir::Node;
using ir::NodeCall;

namespace {

// The operators that a name may mean, in the order in which they are tried.
struct Candidates {
  const OverloadSet* overloads = nullptr;
  const OverloadSet* others = nullptr;  // operators of another name, for numbers, lists or index expressions
  const OverloadSet* reflected = nullptr;  // with the arguments swapped: for a number on the left of Python's operator
  bool python = false;  // the name is a function or method of Python, which has only the overloads for tensors
  bool certain = false;  // the name cannot mean anything but these operators
};

// The modules in which a function has the name of its operator.
constexpr std::string_view kModules[] = {"torch.nn.functional.",
                                         "torch._C._nn.",
                                         "torch._C._VariableFunctions.",
                                         "torch._C._TensorBase.",
                                         "torch.functional.",
                                         "torch.Tensor.",
                                         "torch.special.",
                                         "torch.",
                                         "builtins.",
                                         "math."};

std::string_view without_prefix(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string_view();
}

const OverloadSet* set_of(std::string_view base) {
  if (base.empty()) return nullptr;
  return Registry::global().find_overloads(base.find("::") == std::string_view::npos ? concat("aten::", base) : base);
}

// Whether the function of this module is the operator itself, not one written in Python. "" stands for `torch`.
bool is_function_of(const OverloadSet& set, std::string_view python_module) {
  return std::ranges::any_of(set.overloads, [&](const Operator* op) {
    return op->python_function && python_module == (op->python_module ? op->python_module : "");
  });
}

Candidates candidates_in_module(std::string_view name) {
  for (std::string_view module : kModules) {
    const std::string_view base = without_prefix(name, module);
    if (base.empty() || base.find('.') != std::string_view::npos) continue;
    Candidates found{set_of(base)};
    if (!found.overloads) return found;
    found.python = module.starts_with("torch.");
    found.certain =
        module == "torch." ? is_function_of(*found.overloads, "") : module == "torch._C._nn." && is_function_of(*found.overloads, "_nn");
    return found;
  }
  return {};
}

Candidates candidates(const Node& node) {
  std::string_view name = node.target().name();
  if (node.op() == ir::Op::CallMethod) {
    Candidates found{set_of(name)};
    found.python = true;
    found.certain = found.overloads && node.arg_count() && ir::type_of(node.arg(0)).is(ir::TypeKind::Tensor) &&
                    std::ranges::any_of(found.overloads->overloads, [](const Operator* op) { return op->python_method; });
    return found;
  }
  if (node.op() != ir::Op::CallFunction) return {};
  if (name.find("::") != std::string_view::npos) {
    Candidates found{Registry::global().find_overloads(name)};
    found.certain = true;
    return found;
  }
  if (ir::OperatorUse use = ir::python_operator(name)) {
    const ir::PythonOperator& o = *use.row;
    if (use.inplace) return {set_of(concat(o.tensors, "_")), set_of(o.numbers.empty() ? o.tensors : o.numbers), set_of(o.reflected)};
    return {set_of(o.tensors), o.numbers == o.tensors ? nullptr : set_of(o.numbers), set_of(o.reflected)};
  }
  if (std::string_view spelled = without_prefix(name, "torch.ops."); !spelled.empty()) return {find_in_torch_ops(spelled)};
  if (std::string_view attribute = ir::attribute_read(node); !attribute.empty()) return {Registry::global().find_attribute(attribute)};
  return candidates_in_module(name);
}

bool has_tensor(const Node& node) {
  for (size_t k = 0; k < node.positional_count(); ++k)
    if (ir::type_of(node.arg(k)).is(ir::TypeKind::Tensor)) return true;
  return false;
}

bool takes_tensor(const Operator& op) {
  return std::ranges::any_of(op.schema().arguments(), [](const ir::Argument& a) { return a.type.is(ir::TypeKind::Tensor); });
}

const Operator* choose(const OverloadSet* set, const NodeCall& call, bool python, Fit least, bool (*also)(const Operator&) = nullptr) {
  if (!set) return nullptr;
  ir::ArgumentSources sources;
  return ir::choose(set->overloads, call.call(), sources, least,
                    [&](const Operator& op) { return (!python || set->in_python(op)) && (!also || also(op)); });
}

}  // namespace

const ir::OpInfo* resolve(const Node& node) {
  const Candidates candidate = candidates(node);
  const NodeCall call(node);
  NodeCall reflected = call;
  if (call.is_reflected()) reflected.reflect();
  for (Fit least : {Fit::Exact, Fit::Unknown}) {
    // A number beside a tensor stands for a tensor: 2 / x divides tensors, though a tensor with no dims could also stand for a number.
    if (least == Fit::Unknown && has_tensor(node))
      if (const Operator* op = choose(candidate.overloads, call, candidate.python, Fit::NumberAsTensor, &takes_tensor)) return op;
    for (const OverloadSet* set : {candidate.overloads, candidate.others})
      if (const Operator* op = choose(set, call, candidate.python, least)) return op;
    if (!call.is_reflected()) continue;
    if (const Operator* op = choose(candidate.reflected, reflected, false, least)) return op;
  }
  return choose(candidate.overloads, call, candidate.python, Fit::NumberAsTensor);
}

std::string misfit(const Node& node) {
  const Candidates candidate = candidates(node);
  const OverloadSet* set = candidate.overloads;
  if (!candidate.certain || !set || resolve(node)) return {};
  return ir::no_match(set->overloads, NodeCall(node).call(), [&](const Operator& op) { return set->in_python(op); });
}

static bool has_keyword(const Node& node, std::string_view name) {
  for (size_t k = 0; k + node.positional_count() < node.arg_count(); ++k)
    if (node.keyword(k) == name) return true;
  return false;
}

bool impure_by_name(const Node& node) {
  if (ir::OperatorUse use = node.op() == ir::Op::CallFunction ? ir::python_operator(node.target().name()) : ir::OperatorUse()) {
    if (use.row->form == ir::OperatorForm::SetItem) return true;
    return use.inplace && set_of(concat(use.row->tensors, "_"));
  }
  const OverloadSet* set = candidates(node).overloads;
  auto takes_out = [](const Operator* op) { return !op->schema().arguments().empty() && op->schema().arguments().back().out; };
  auto impure = [&](const Operator* op) { return !op->effects().droppable() && (!takes_out(op) || has_keyword(node, "out")); };
  return set && std::ranges::any_of(set->overloads, impure);
}

const OverloadSet* number_operator(std::string_view function) {
  ir::OperatorUse use = ir::find_python_operator(function);
  return use && !use.inplace ? set_of(use.row->numbers) : nullptr;
}

std::optional<Args> bound_args(const Operator& op, const Node& node) { return ir::bound_args(op.schema(), node); }

bool Operator::canonicalize(Node* node) const {
  if (!alias_of) return canonical_rule && canonical_rule(node);
  node->graph()->set_target(node, node->graph()->resolved(*alias_of));
  return true;
}

// The operator of this name in a graph. A name without an overload leaves the choice to the arguments, if only torch.ops has its overload without a name:
// aten::add of two numbers.
static const ir::OpInfo* operator_of_graph(std::string_view name) {
  const Operator* op = Registry::global().find(name);
  const bool hidden = op && op->alias_of && !op->python_function && !op->python_method && op->schema().overload().empty();
  return hidden && Registry::global().find_overloads(name)->overloads.size() > 1 ? nullptr : op;
}

void install_operators() { ir::set_operator_lookup({&operator_of_graph, &resolve, &misfit}); }

}  // namespace monograph
