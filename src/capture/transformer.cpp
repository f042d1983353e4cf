// The interpreter runs on symbolic tensors of a capture, so the calls of its methods are recorded. Calls of functions that are no operators are copied to the
// new graph as they are.
#include "capture/transformer.h"

#include "capture/symbolic.h"
#include "ir/unit.h"

namespace monograph::capture {

using ir::Args;
using ir::Node;

namespace {

void set_place(ir::Graph& graph, Node* made, const Node* origin) {
  if (made->is_projection()) return;
  graph.set_span(made, origin->span());
  graph.set_scope(made, origin->scope());
}

}  // namespace

IValue Transformer::symbolic(Node* n) {
  const ir::Type type = n->type();
  const bool tensor =
      !type || type.is(ir::TypeKind::Tensor) || (type.is(ir::TypeKind::Optional) && type.element().is(ir::TypeKind::Tensor));
  return tensor ? IValue(writer_->symbolic(n)) : writer_->number(n, {});
}

Args Transformer::written(const IValue& v) {
  Args args;
  writer_->add(args, v);
  return args;
}

void Transformer::written_call(const std::vector<IValue>& args, const Keywords& kwargs, Args& given) {
  for (const IValue& v : args) writer_->add(given, v);
  for (const auto& [name, v] : kwargs) given.name(name), writer_->add(given, v);
}

Node* Transformer::node_of(const IValue& v) {
  const Args args = written(v);
  MONOGRAPH_CHECK(args.size() == 1, Runtime, "a condition must be one value");
  return args[0].node();
}

std::unique_ptr<ir::Graph> Transformer::transform() {
  install_symbolic_hook();
  auto made = std::make_unique<ir::Graph>(graph().name(), graph().unit());
  made->set_dialect(graph().dialect());
  Writer writer(*made);
  writer_ = &writer;
  writer.location = [this] { return current() ? current()->span() : Span(); };
  writer.scope = [this] { return current() ? std::string_view(current()->scope()) : std::string_view(); };
  Session session{writer, true, ControlFlow::Error};
  SessionScope session_scope(&session);
  SymbolicTracer append(writer);
  DispatchModeScope scope(append);
  std::vector<IValue> inputs;
  for (const Node* p : graph().placeholders()) {
    Args by_default;
    if (p->arg_count()) by_default.add(p->arg(0));
    Node* n = made->placeholder(made->root(), p->target().name(), p->type(), by_default);
    if (p->type_declared()) made->set_type(n, p->type(), true);
    set_place(*made, n, p);
    if (inputs.empty() && takes_self()) self_node_ = n, inputs.push_back(module_value(self()));
    else inputs.push_back(symbolic(n));
  }
  const IValue result = run(std::move(inputs));
  writer.finish(result);
  set_place(*made, made->output(), graph().output());
  made->set_level(graph().level());
  writer_ = nullptr, self_node_ = nullptr;
  return made;
}

IValue Transformer::run_node(const Node* n) {
  const uint32_t first = writer_->graph.id_limit();
  IValue value = NodeInterpreter::run_node(n);
  if (n->scope().empty() || n->block_count()) return value;
  // The new nodes are contiguous and end at the insertion point.
  const ir::Graph::InsertPoint point = writer_->graph.insert_point();
  for (Node* made = point.before ? point.before->previous() : point.block->last(); made && made->id() >= first; made = made->previous())
    set_place(writer_->graph, made, n);
  return value;
}

IValue Transformer::get_attr(const std::string& target, std::vector<IValue>, Keywords) {
  if (const ir::Module* module = child(target)) return module_paths_.try_emplace(module, target), module_value(module);
  ir::Graph& graph = writer_->graph;
  Node* n = graph.create(ir::Op::GetAttr, graph.target(target), {});
  graph.set_type(n, current()->type());
  return symbolic(n);
}

// The value of a call that was copied to the new graph.
IValue Transformer::called(Node* n) {
  if (!current()->multi()) {
    writer_->graph.set_type(n, current()->type());
    return symbolic(n);
  }
  std::vector<ir::Type> types;
  for (size_t k = 0; k < current()->result_count(); ++k) types.push_back(current()->result_type(k));
  writer_->graph.set_results(n, types);
  std::vector<IValue> results;
  for (size_t k = 0; k < types.size(); ++k) results.push_back(symbolic(writer_->graph.project(n, k)));
  return IValue::tuple(std::move(results));
}

Node* Transformer::module_node(const ir::Module* module) {
  if (module == self() && self_node_) return self_node_;
  ir::Graph& graph = writer_->graph;
  Node* n = graph.create(ir::Op::GetAttr, graph.target(module_paths_.at(module)), {});
  graph.set_type(n, ir::Type::named(ir::TypeKind::Class, module->type().name));
  return n;
}

IValue Transformer::call_function(const std::string& target, std::vector<IValue> args, Keywords kwargs) {
  // An item of a called module's result: a tuple or list whose parts are not known.
  const bool of_unknown = !args.empty() && args[0].is_object() && target == "operator.getitem";
  if (!of_unknown && (!graph().unit() || !graph().unit()->find_function(target)))
    return NodeInterpreter::call_function(target, std::move(args), std::move(kwargs));
  Args given;
  written_call(args, kwargs, given);
  return called(writer_->graph.call(target, given));
}

IValue Transformer::call_method(const std::string& target, std::vector<IValue> args, Keywords kwargs) {
  // A method of a module, or of an input that is a module.
  if (args.empty() || !args[0].is_object()) return NodeInterpreter::call_method(target, std::move(args), std::move(kwargs));
  Args given;
  if (const ir::Module* module = module_of(args[0])) given.add(module_node(module)), args.erase(args.begin());
  written_call(args, kwargs, given);
  return called(writer_->graph.create(ir::Op::CallMethod, writer_->graph.target(target), given));
}

IValue Transformer::call_module(const std::string& target, std::vector<IValue> args, Keywords kwargs) {
  MONOGRAPH_CHECK(child(target), Type, target, " is not a module, so it cannot be called");
  Args given;
  written_call(args, kwargs, given);
  return called(writer_->graph.create(ir::Op::CallModule, writer_->graph.target(target), given));
}

std::vector<IValue> Transformer::run_if(const Node* n) {
  const IValue condition = value_of(n->arg(0));
  if (condition.is_bool()) return run_block(n->block(condition.to_bool() ? 0 : 1), {});
  ir::RegionBuilder b(writer_->graph);
  writer_->graph.set_location_of(n);
  b.begin_if(node_of(condition));
  std::vector<ir::RegionBuilder::Slot> slots;
  for (size_t arm = 0; arm < 2; ++arm) {
    if (arm) b.begin_else();
    const std::vector<IValue> results = run_block(n->block(arm), {});
    if (!arm)
      for (size_t k = 0; k < results.size(); ++k) slots.push_back(b.slot(concat("result_", k)));
    for (size_t k = 0; k < results.size(); ++k) b.set(slots[k], written(results[k]));
  }
  set_place(writer_->graph, b.end_if(), n);
  std::vector<IValue> out;
  for (auto slot : slots) out.push_back(symbolic(b.node(slot)));
  return out;
}

std::vector<IValue> Transformer::run_loop(const Node* n) {
  const std::vector<IValue> given = values_of(n);
  ir::RegionBuilder b(writer_->graph);
  writer_->graph.set_location_of(n);
  std::vector<ir::RegionBuilder::Slot> slots;
  for (size_t k = 2; k < given.size(); ++k) slots.push_back(b.slot(concat("carried_", k - 2), written(given[k])));
  Node* counter = b.begin_loop(written(given[0]), written(given[1]), slots);
  std::vector<IValue> carried{writer_->number(counter, {})};
  for (auto slot : slots) carried.push_back(symbolic(b.node(slot)));
  const std::vector<IValue> results = run_block(n->block(0), carried);
  for (size_t k = 0; k < slots.size(); ++k) b.set(slots[k], written(results[k + 1]));
  set_place(writer_->graph, b.end_loop(written(results[0])), n);
  if (b.widened()) ir::infer_types(writer_->graph);
  std::vector<IValue> out;
  for (auto slot : slots) out.push_back(symbolic(b.node(slot)));
  return out;
}

// Copies a guard to the new graph, for the value that replaces the old one.
void Transformer::check(const exec::PlannedGuard& guard, const Node* n, const IValue& value) {
  if (n) {
    Node* made = node_of(value);
    if (made) writer_->guard(made, guard.expected, guard.expression);
    return;
  }
  ir::Guard same;
  same.size = guard.size, same.expression = guard.expression, same.span = guard.span;
  same.expected = written(guard.expected);
  writer_->graph.add_guard(std::move(same));
}

IValue Transformer::size_value(SymInt size) { return Size(size); }

}  // namespace monograph::capture
