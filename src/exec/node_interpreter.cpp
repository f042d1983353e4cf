// Runs the nodes of a graph in their order, as fx.Interpreter does. A table holds the value of each node until its last use. An error gets the source place of
// the node that raised it.
#include "exec/node_interpreter.h"

#include <algorithm>

#include "core/calls.h"
#include "exec/fusion.h"
#include "exec/interpreter.h"
#include "exec/wrong_input.h"
#include "ir/bind.h"
#include "ir/text.h"
#include "ir/unit.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace monograph::exec {

using ir::ArgKind;
using ir::ArgRef;
using ir::Node;
using ir::Op;

bool is_structural(std::string_view name) {
  return name == "prim::Constant" || name == "prim::Uninitialized" || name == "prim::ListConstruct" || name == "prim::TupleConstruct" ||
         name == "prim::DictConstruct" || name == "prim::ListUnpack" || name == "prim::TupleUnpack" || name == "prim::TupleIndex" ||
         name == "operator.getitem";
}

namespace {

// Nested blocks run by recursion, so the stack bounds their depth. exec::plan has no such bound.
constexpr size_t kMostDepth = 500;

// The value of a node of the IR that is no operator (is_structural).
IValue structural_value(const std::string& name, const std::vector<IValue>& args, const NodeInterpreter::Keywords& kwargs) {
  if (name == "prim::Constant") return args.empty() ? kwargs.empty() ? IValue() : kwargs[0].second : args[0];
  if (name == "prim::ListConstruct") return IValue::list(args);
  if (name == "prim::TupleConstruct") return IValue::tuple(args);
  if (name == "prim::DictConstruct") {
    std::vector<std::pair<IValue, IValue>> pairs;
    for (size_t k = 0; k + 1 < args.size(); k += 2) pairs.emplace_back(args[k], args[k + 1]);
    return IValue::dict(std::move(pairs));
  }
  if (name == "prim::ListUnpack" || name == "prim::TupleUnpack") return args.at(0);  // its projections take the items
  if (name == "prim::TupleIndex" || name == "operator.getitem") {
    MONOGRAPH_CHECK(args.size() == 2, Type, name, " takes 2 arguments, but got ", args.size());
    return item(args[0], args[1]);
  }
  return {};
}

// A module as a value: the result of a get_attr that names a module, and the self of a method.
struct ModuleBox final : ObjectBox {
  explicit ModuleBox(const ir::Module* m) : module(m) {}
  std::string kind_name() const override { return module->type().name; }
  const ir::Module* module;
};

}  // namespace

IValue NodeInterpreter::module_value(const ir::Module* m) { return IValue(Ref<ObjectBox>(new ModuleBox(m))); }
const ir::Module* NodeInterpreter::module_of(const IValue& v) {
  const auto* box = v.is_object() ? dynamic_cast<const ModuleBox*>(v.object()) : nullptr;
  return box ? box->module : nullptr;
}
bool NodeInterpreter::takes_self() const {
  const ir::Node* first = self_ ? graph_.root()->first() : nullptr;
  return first && first->op() == Op::Placeholder && to_string(first->type()) == self_->type().name;
}

NodeInterpreter::NodeInterpreter(const ir::Graph& graph, const ir::Module* self, bool garbage_collect_values)
    : graph_(graph),
      self_(self           ? self
            : graph.unit() ? graph.unit()->root()
                           : nullptr) {
  MONOGRAPH_CHECK(graph.output(), Value, "the graph ", graph.name(), " has no output yet");
  for (const ir::Guard& g : graph.guards()) guards_.emplace(g.value, PlannedGuard{g.expression, g.span, literal(g.expected[0]), g.size});
  if (garbage_collect_values) find_last_uses();
}

void NodeInterpreter::find_last_uses() {
  last_uses_.resize(graph_.id_limit());
  std::vector<bool> seen(graph_.id_limit());
  const ir::Block* root = graph_.root();
  for (Node* user = root->last(); user; user = user->previous()) {
    const auto note_uses = [&](const Node* reader) {
      for (size_t k = 0; k < reader->input_count(); ++k) {
        const Node* used = reader->input(k);
        if (used->block() != root || seen[used->id()]) continue;
        seen[used->id()] = true;
        last_uses_[user->id()].push_back(used);
      }
    };
    note_uses(user);
    for (size_t b = 0; b < user->block_count(); ++b)
      for (const Node* inner : ir::NestedNodes(user->block(b))) note_uses(inner);
  }
}

void NodeInterpreter::begin(std::vector<IValue> inputs) {
  env_.assign(graph_.id_limit(), {}), known_.assign(graph_.id_limit(), false);
  inputs_ = std::move(inputs), next_input_ = 0, depth_ = outer_depth_, named_ = false, current_ = nullptr;
  symbols_.clear();
}

IValue NodeInterpreter::run(std::vector<IValue> inputs) {
  AutocastScope off(false);  // a graph has the casts that it was captured with
  if (takes_self() && inputs.size() < graph_.root()->placeholder_count()) inputs.insert(inputs.begin(), module_value(self_));
  begin(std::move(inputs));
  const size_t most = graph_.root()->placeholder_count();
  if (inputs_.size() > most)
    throw WrongInput(WrongInput::kTooMany,
                     concat(graph_.name(), "() takes ", most, most == 1 ? " input" : " inputs", ", but got ", inputs_.size()));
  bool bound = false;
  for (const Node* n : *graph_.root()) {
    if (!bound && n->op() != Op::Placeholder) bind_symbols(), bound = true;
    run_located(n);
    if (n->op() == Op::Output) return value_of(n);
    if (last_uses_.empty()) continue;
    for (const Node* unused : last_uses_[n->id()]) env_[unused->id()] = IValue(), known_[unused->id()] = false;
  }
  return {};
}

// Gives the symbols in the types of the inputs their values, and checks the guards on sizes.
void NodeInterpreter::bind_symbols() {
  for (const Node* p : graph_.placeholders()) {
    const IValue& v = value_of(p);
    if (!p->type().is(ir::TypeKind::Tensor) || !p->type().tensor().sizes || !v.is_tensor()) continue;
    if (v.as_tensor()->kind != TensorImpl::Kind::Dense) continue;
    const auto& sizes = *p->type().tensor().sizes;
    MONOGRAPH_CHECK(sizes.size() == v.as_tensor().sizes().size(), Type, "Input '", p->target().name(), "' must be a tensor with ",
                    sizes.size(), " dimensions, but got one with ", v.as_tensor().sizes().size());
    for (size_t d = 0; d < sizes.size(); ++d)
      if (const Symbol* symbol = sizes[d] ? sizes[d]->as_symbol() : nullptr) symbols_.emplace(symbol->name, v.as_tensor().sizes()[d]);
  }
  auto [from, to] = guards_.equal_range(nullptr);
  for (auto it = from; it != to; ++it) check(it->second, nullptr, size_value(it->second.size));
}

IValue NodeInterpreter::size_value(SymInt size) {
  return size.evaluate([&](const Symbol& s) -> int64_t {
    auto found = symbols_.find(s.name);
    MONOGRAPH_CHECK(found != symbols_.end(), Runtime, "the size ", s.name, " is not a size of any input");
    return found->second;
  });
}

void NodeInterpreter::check(const PlannedGuard& guard, const Node*, const IValue& value) { check_guard(guard, value); }

void NodeInterpreter::check_guards(const Node* n, const IValue& value) {
  auto [from, to] = guards_.equal_range(n);
  for (auto it = from; it != to; ++it) check(it->second, n, value);
}

void NodeInterpreter::locate_error(Error& e) {
  if (named_ || !current_) return;
  named_ = true;
  e.note(concat("While executing ", ir::format_node(*current_)));
  locate_with_calls(e, current_->span());
}

void NodeInterpreter::run_located(const Node* n) {
  const Node* enclosing = current_;
  current_ = n;
  try {
    IValue value = run_node(n);
    current_ = n;
    check_guards(n, value);
    store(n, std::move(value));
  } catch (Error& e) {
    current_ = named_ ? current_ : n;
    locate_error(e);
    throw;
  }
  current_ = enclosing;
}

void NodeInterpreter::store(const Node* n, IValue value) { env_[n->id()] = std::move(value), known_[n->id()] = true; }

const IValue& NodeInterpreter::value_of(const Node* n) const {
  if (n->graph() != &graph_ || n->id() >= known_.size() || !known_[n->id()]) {
    MONOGRAPH_CHECK(n->graph() != &graph_ || !current_ || n->is_before(current_), Runtime, "%", n->name(),
                    " is used before it is computed; graph.lint() says where");
    fail(ErrorKind::Runtime, "%", n->name(),
         " has no value: it has not run, or its value was freed after its last use (garbage_collect_values=False keeps all values)");
  }
  return env_[n->id()];
}

IValue NodeInterpreter::value_of(ArgRef a) {
  if (const Node* n = a.node()) return value_of(n);
  if (a.is(ArgKind::SymInt)) return size_value(a.as_symint());
  const auto dynamic = [](auto& self, ArgRef part) -> bool {
    if (part.is(ArgKind::Node) || part.is(ArgKind::SymInt)) return true;
    for (ArgRef inner : part)
      if (self(self, inner)) return true;
    return false;
  };
  if (!dynamic(dynamic, a)) return literal(a);
  MONOGRAPH_CHECK(!a.is(ArgKind::Slice), Runtime,
                  "a slice that holds values is no argument of an operator; lower the graph to operators first");
  std::vector<IValue> items;
  for (ArgRef part : a) items.push_back(value_of(part));
  if (a.is(ArgKind::List)) return IValue::list(std::move(items));
  if (a.is(ArgKind::Tuple)) return IValue::tuple(std::move(items));
  return structural_value("prim::DictConstruct", items, {});
}

std::vector<IValue> NodeInterpreter::values_of(const Node* n) {
  std::vector<IValue> values;
  for (auto it = n->args_begin(); it != n->args_end(); ++it) values.push_back(value_of(*it));
  return values;
}

// The values of a node's arguments, as the node has them. The arguments of a function of Python (torch.add, operator.sub) follow the operator's schema: defaults
// at the end are left out, and keyword-only arguments are keywords.
NodeInterpreter::GivenArguments NodeInterpreter::arguments(const Node* n) {
  GivenArguments out;
  const std::string& name = n->target().name();
  const Operator* op = n->op() == Op::CallFunction && !n->is_projection() && name.find("::") == std::string::npos &&
                               !(graph_.unit() && graph_.unit()->find_function(name))
                           ? operator_of(*n)
                           : nullptr;
  const std::optional<ir::Args> bound = op ? bound_args(*op, *n) : std::nullopt;
  if (!bound) {
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      if (k < n->positional_count()) out.args.push_back(value_of(*it));
      else out.kwargs.emplace_back(n->keyword(k - n->positional_count()), value_of(*it));
    }
    return out;
  }
  const auto& schema = op->schema().arguments();
  const auto is_default = [&](size_t k) {
    if (!schema[k].default_value) return false;
    std::string a, b;
    ir::print_arg(a, (*bound)[k]), ir::print_arg(b, (*schema[k].default_value)[0]);
    return a == b;
  };
  size_t positional = 0;
  for (size_t k = 0; k < bound->size() && !schema[k].kwarg_only; ++k)
    if (!is_default(k)) positional = k + 1;
  for (size_t k = 0; k < bound->size(); ++k) {
    if (k < positional) out.args.push_back(value_of((*bound)[k]));
    else if (schema[k].kwarg_only && !is_default(k)) out.kwargs.emplace_back(schema[k].name, value_of((*bound)[k]));
  }
  return out;
}

IValue NodeInterpreter::run_node(const Node* n) {
  if (n->block_count()) {
    std::vector<IValue> results = n->is_if() ? run_if(n) : run_loop(n);
    if (results.size() == 1) return std::move(results[0]);
    return results.empty() ? IValue() : IValue::tuple(std::move(results));
  }
  GivenArguments values = arguments(n);
  const std::string& target = n->target().name();
  switch (n->op()) {
    case Op::Placeholder: return placeholder(target, std::move(values.args), std::move(values.kwargs));
    case Op::GetAttr: return get_attr(target, std::move(values.args), std::move(values.kwargs));
    case Op::CallMethod: return call_method(target, std::move(values.args), std::move(values.kwargs));
    case Op::CallModule: return call_module(target, std::move(values.args), std::move(values.kwargs));
    case Op::Output: return output(target, std::move(values.args), std::move(values.kwargs));
    case Op::CallFunction: break;
  }
  if (n->is_projection()) return call_function("operator.getitem", std::move(values.args), std::move(values.kwargs));
  const bool in_unit = graph_.unit() && graph_.unit()->find_function(target);
  const Operator* op = in_unit ? nullptr : operator_of(*n);
  const bool calls_operator = op && (!is_structural(target) || target == "operator.getitem");
  IValue value = call_function(calls_operator ? op->name() : target, std::move(values.args), std::move(values.kwargs));
  if (calls_operator || !n->multi() || in_unit) return value;
  const size_t items = value.is_ints() ? value.to_ints().size() : value.is_list() || value.is_tuple() ? value.items().size() : 0;
  MONOGRAPH_CHECK(items == n->result_count(), Value, "expected a sequence of ", n->result_count(), " values, but got a ", describe(value));
  return value;
}

IValue NodeInterpreter::placeholder(const std::string& target, std::vector<IValue> args, Keywords) {
  if (next_input_ < inputs_.size()) return std::move(inputs_[next_input_++]);
  MONOGRAPH_CHECK(!args.empty(), Runtime, "Expected positional argument for parameter ", target, ", but one was not passed in!");
  return args[0];
}

const ir::Module* NodeInterpreter::child(const std::string& path) const {
  int index = -1;
  const ir::Module* holder = self_ ? self_->find(path, index) : nullptr;
  return holder && index >= 0 ? holder->values[static_cast<size_t>(index)].module : nullptr;
}

IValue NodeInterpreter::get_attr(const std::string& target, std::vector<IValue>, Keywords) {
  const ir::Module* module = child(target);
  return module ? module_value(module) : attribute_value(self_, target);
}

// Calls the overload that fits the arguments. Several results become a tuple.
static IValue call_overload(const OverloadSet& overloads, const std::vector<IValue>& args, const NodeInterpreter::Keywords& kwargs,
                            BindOptions options) {
  std::vector<Keyword> keywords;
  for (const auto& [name, value] : kwargs) keywords.push_back({name, value});
  Bound bound;
  const Operator& op = monograph::bind(overloads, args, keywords, bound, options);
  std::vector<IValue> results(std::max<size_t>(1, op.results()));
  monograph::call(op, bound.data(), results.data());
  return op.results() > 1 ? IValue::tuple(std::move(results)) : std::move(results[0]);
}

IValue NodeInterpreter::call_function(const std::string& target, std::vector<IValue> args, Keywords kwargs) {
  const ir::Graph* callee = graph_.unit() ? graph_.unit()->find_function(target) : nullptr;
  if (callee) {
    const std::vector<Node*> parameters = callee->placeholders();
    for (auto& [name, value] : kwargs) {
      MONOGRAPH_CHECK(args.size() < parameters.size() && parameters[args.size()]->target().name() == name, NotImplemented, target,
                      "() is called with ", name, " by keyword, but an argument before it is missing; pass all arguments by position");
      args.push_back(std::move(value));
    }
    std::vector<IValue> results = plan(*callee)(std::move(args));
    return results.size() == 1 ? std::move(results[0]) : IValue::tuple(std::move(results));
  }
  const Operator* op = Registry::global().find(target);
  if (!op && is_structural(target)) return structural_value(target, args, kwargs);
  OverloadSet this_overload;
  if (op) this_overload.name = target, this_overload.overloads.push_back(op);
  return call_overload(op ? this_overload : find_overloads(target), args, kwargs, {.in_order = true});
}

IValue NodeInterpreter::call_method(const std::string& target, std::vector<IValue> args, Keywords kwargs) {
  MONOGRAPH_CHECK(!args.empty(), Type, "the method ", target, " is called without the value that it belongs to");
  if (const ir::Module* module = module_of(args[0])) {
    args.erase(args.begin());
    return method(module, target, std::move(args), std::move(kwargs));
  }
  const OverloadSet* overloads = Registry::global().find_overloads(concat("aten::", target));
  MONOGRAPH_CHECK(overloads, Attribute, "a ", describe(args[0]), " has no method ", target);
  return call_overload(*overloads, args, kwargs, {.python = true});
}

IValue NodeInterpreter::call_module(const std::string& target, std::vector<IValue> args, Keywords kwargs) {
  const ir::Module* module = child(target);
  MONOGRAPH_CHECK(module, Type, target, " is not a module, so it cannot be called");
  return method(module, "forward", std::move(args), std::move(kwargs));
}

IValue NodeInterpreter::method(const ir::Module* module, const std::string& name, std::vector<IValue> args, Keywords kwargs) {
  const ir::Graph* callee = graph_.unit() ? graph_.unit()->find_function(concat(module->type().name, ".", name)) : nullptr;
  MONOGRAPH_CHECK(callee, Attribute, "the class ", module->type().name, " has no method ", name, " in this program");
  MONOGRAPH_CHECK(kwargs.empty(), NotImplemented, name, "() of a module is called with ", kwargs[0].first,
                  " by keyword; pass it by position");
  NodeInterpreter inner(*callee, module);
  inner.outer_depth_ = depth_ + 1;
  MONOGRAPH_CHECK(inner.outer_depth_ <= kMostDepth, Runtime, "method calls are nested more than ", kMostDepth,
                  " deep. Run the graph itself: it has no such limit");
  return inner.run(std::move(args));
}

IValue NodeInterpreter::output(const std::string&, std::vector<IValue> args, Keywords) {
  return args.size() == 1 ? std::move(args[0]) : IValue::tuple(std::move(args));
}

std::vector<IValue> NodeInterpreter::run_block(const ir::Block* block, const std::vector<IValue>& carried) {
  MONOGRAPH_CHECK(++depth_ <= kMostDepth, Runtime, "branches and loops are nested more than ", kMostDepth,
                  " deep. Run the graph itself: it has no such limit");
  size_t k = 0;
  std::vector<IValue> results;
  for (const Node* n : *block) {
    if (n->op() == Op::Output) {
      results = values_of(n);
      break;
    }
    if (n->op() != Op::Placeholder) {
      run_located(n);
      continue;
    }
    check_guards(n, carried.at(k));
    store(n, carried[k++]);
  }
  --depth_;
  return results;
}

std::vector<IValue> NodeInterpreter::run_if(const Node* n) {
  const IValue condition = value_of(n->arg(0));
  MONOGRAPH_CHECK(condition.is_bool(), Type, "the condition of an If must be a bool, but it is a ", describe(condition));
  return run_block(n->block(condition.to_bool() ? 0 : 1), {});
}

std::vector<IValue> NodeInterpreter::run_loop(const Node* n) {
  std::vector<IValue> values = values_of(n);
  MONOGRAPH_CHECK(values.size() >= 2 && values[0].is_int() && values[1].is_bool(), Type, "a Loop needs an int and a bool");
  const int64_t count = values[0].to_int();
  bool condition = values[1].to_bool();
  values.erase(values.begin());
  for (int64_t k = 0; condition && k < count; ++k) {
    values[0] = k;  // a block gets (counter, carried values...) and returns (condition, carried values...)
    values = run_block(n->block(0), values);
    MONOGRAPH_CHECK(values[0].is_bool(), Type, "the condition of a Loop must be a bool, but it is a ", describe(values[0]));
    condition = values[0].to_bool();
  }
  values.erase(values.begin());
  return values;
}

}  // namespace monograph::exec
