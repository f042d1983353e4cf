// Calls of what was traced or loaded: its graph stands in place.
#include <algorithm>

#include "capture/script/function_compiler.h"

namespace monograph::capture::script {

using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

ScriptValue FunctionCompiler::call_graph(const Expr& e, const ScriptValue& callee, const Given& given) {
  const ir::Graph& graph = *host_.graph(callee.id);
  if (autocast_) unsupported(e.range, "the call of a traced function inside of torch.autocast", "write the with into the traced function");
  if (!graph.guards().empty())
    wrong(e.range,
          concat("the traced function ", graph.name(), " has guards, so a script cannot call it: `", graph.guards()[0].expression, "` was ",
                 graph.guards()[0].span.known() ? concat("asked for at ", to_string(graph.guards()[0].span)) : "asked for",
                 ". Script it, or trace it with control_flow=\"keep\""));
  const std::vector<Node*> placeholders = graph.placeholders();
  if (given.positional.size() > placeholders.size())
    wrong(e.range, concat(graph.name(), "() takes ", placeholders.size(), " arguments, but ", given.positional.size(), " were given"));
  ir::Graph::NodeMap map;
  for (size_t k = 0; k < placeholders.size(); ++k) {
    const Node* p = placeholders[k];
    const std::string& name = p->target().name();
    std::optional<ScriptValue> v;
    if (k < given.positional.size()) v = given.positional[k];
    for (const auto& [keyword, value] : given.named)
      if (keyword == name) v = value;
    if (!v && p->arg_count()) v = literal(Args().add(p->arg(0)));
    if (!v) wrong(e.range, concat(graph.name(), "() is missing the argument '", name, "'"));
    const Type type = p->type() ? widened(p->type()) : Type(TypeKind::Tensor);
    map[p] = node_of(e.range, converted(e.range, *v, type, concat("the argument '", name, "' of ", graph.name(), "()")));
  }
  std::vector<Node*> copied;
  for (const Node* n : *graph.root()) {
    if (n->op() == ir::Op::Placeholder || n->op() == ir::Op::Output) continue;
    if (n->is_projection()) {
      map[n] = graph_.project(map.at(n->projected()), n->projected_index());
      continue;
    }
    if (n->op() == ir::Op::GetAttr) {
      map[n] = node_of(e.range, attribute_of_graph(e, callee.text, n));
      continue;
    }
    // What its blocks read is read before it.
    std::vector<std::pair<const Node*, Node*>> read;
    for (size_t b = 0; b < n->block_count(); ++b)
      for (const Node* inner : ir::NestedNodes(n->block(b)))
        if (inner->op() == ir::Op::GetAttr) read.emplace_back(inner, node_of(e.range, attribute_of_graph(e, callee.text, inner)));
    copied.push_back(map[n] = graph_.copy(n, map));
    for (const auto& [inner, node] : read) {
      Node* own = map.at(inner);
      graph_.replace_all_uses(own, node);
      graph_.erase(own);
    }
  }
  // Sizes of a trace are symbols of its own inputs.
  for (Node* n : copied)
    if (!n->multi() && n->type()) graph_.set_type(n, widened(n->type()));
  const Node* end = graph.output();
  if (!end || end->arg_count() == 0) return literal(Args().none());
  Args result;
  result.add_mapped(end->arg(0), [&](Node* n) { return map.at(n); });
  ScriptValue v = literal(result);
  v.type = widened(v.type);
  return v;
}

ScriptValue FunctionCompiler::attribute_of_graph(const Expr& e, const std::string& path, const Node* n) {
  const std::string& name = n->target().name();
  if (path.empty() && !host_.graphs_of_root())
    wrong(e.range, concat("the traced function reads ", name, " of a module; make that module a submodule of a scripted one"));
  if (n->type().is(TypeKind::Class)) unsupported(e.range, "a call of a loaded module that assigns attributes");
  HostValue v;
  v.text = path.empty() ? name : concat(path, ".", name), v.type = n->type() ? widened(n->type()) : Type(TypeKind::Tensor);
  return module_tensor(e.range, v);
}

}  // namespace monograph::capture::script
