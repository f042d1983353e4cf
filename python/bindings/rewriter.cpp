// torch.fx's SubgraphMatcher and replace_pattern: passes/subgraph_matcher.h and passes/subgraph_rewriter.h over Python's graphs.
//
// Such a graph may call what no record describes: layers, functions of the user's. Which of them write memory is read off their names and arguments here.
// Types are left to type_of_node, which infers them when they are asked for.
#include <nanobind/stl/string.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "graph.h"
#include "graph_types.h"
#include "ops/infer.h"
#include "passes/subgraph_rewriter.h"

namespace monograph::python {
namespace {

using ir::Effects;
using ir::Node;
using ir::Op;
using passes::SubgraphMatch;

GraphObject* graph_object(nb::handle o) { return reinterpret_cast<GraphObject*>(o.ptr()); }
GraphObject* owner(const Node& n, GraphObject* a, GraphObject* b) { return n.graph() == a->graph.get() ? a : b; }

// What a SubgraphMatcher looks for and how, from its attributes.
passes::MatchOptions options_of(nb::handle matcher, GraphObject* pattern, GraphObject* graph, std::string node_name_match, bool own_rule) {
  passes::MatchOptions options;
  const auto flag = [&](const char* name) { return nb::cast<bool>(nb::bool_(matcher.attr(name))); };
  options.match_output = flag("match_output"), options.match_placeholder = flag("match_placeholder");
  options.ignore_literals = flag("ignore_literals"), options.remove_overlapping_matches = flag("remove_overlapping_matches");
  options.node_name_match = std::move(node_name_match);
  const auto ask = [matcher, pattern, graph](const char* rule, const Node& a, const Node& b, auto... more) {
    const nb::object answer = matcher.attr(rule)(wrap(const_cast<Node*>(&a), owner(a, pattern, graph)),
                                                 wrap(const_cast<Node*>(&b), owner(b, graph, pattern)), more...);
    return nb::cast<bool>(nb::bool_(answer));
  };
  options.same_attribute = [ask](const Node& a, const Node& b) { return ask("_match_attributes", a, b); };
  if (own_rule)
    options.same_node = [ask, name = options.node_name_match](const Node& a, const Node& b) { return ask("_nodes_are_equal", a, b, name); };
  return options;
}

nb::object nodes_map(const SubgraphMatch& match, GraphObject* pattern, GraphObject* graph) {
  nb::dict map;
  for (const Node* sought : match.order) {
    const SubgraphMatch::Value& found = match.nodes_map.at(sought);
    map[wrap(const_cast<Node*>(sought), pattern)] = found.node ? wrap(found.node, graph) : to_python(found.literal[0], graph);
  }
  return map;
}

// _find_pattern(matcher, pattern, graph, node_name_match, own_rule): of each place what the pattern's nodes stand for. Without a graph the pattern is only
// checked.
nb::object find_pattern(nb::handle matcher, nb::handle pattern, nb::handle graph, std::string node_name_match, bool own_rule) {
  GraphObject *sought = graph_object(pattern), *searched = graph.is_none() ? sought : graph_object(graph);
  const passes::SubgraphMatcher found(*sought->graph, options_of(matcher, sought, searched, std::move(node_name_match), own_rule));
  nb::list places;
  if (graph.is_none()) return places;
  for (const SubgraphMatch& match : found.match(*searched->graph)) places.append(nodes_map(match, sought, searched));
  return places;
}

// Which calls without a record write memory.
class UnrecordedEffects {
 public:
  explicit UnrecordedEffects(nb::handle root) : helpers_(nb::module_::import_("monograph.fx._writes")), root_(nb::borrow(root)) {}

  Effects operator()(const Node& n) {
    if (n.info() || n.structure() != ir::Structure::None || n.is_projection()) return ir::own_effects(n);
    switch (n.op()) {
      case Op::CallModule: return layer_writes(n.target().name()) ? writes() : Effects::none();
      case Op::CallFunction:
      case Op::CallMethod: {
        if (impure_by_name(n)) {
          const ir::OpInfo* op = resolve(n);
          return op ? op->effects() : Effects::everything();
        }
        return is_set(n.kwarg("inplace")) || is_set(positional(n, inplace_place(n))) ? writes() : Effects::none();
      }
      default: return ir::own_effects(n);
    }
  }

 private:
  static Effects writes() { return {Effects::Memory, Effects::Memory, false, false, false}; }
  static bool is_set(const std::optional<ir::ArgRef>& flag) { return flag && !(flag->is(ir::ArgKind::Bool) && !flag->as_bool()); }
  static std::optional<ir::ArgRef> positional(const Node& n, int64_t k) {
    return k >= 0 && static_cast<size_t>(k) < n.positional_count() ? std::optional(n.arg(static_cast<size_t>(k))) : std::nullopt;
  }
  bool layer_writes(const std::string& path) {
    auto [at, fresh] = layers_.try_emplace(path, false);
    if (fresh) at->second = nb::cast<bool>(helpers_.attr("layer_writes")(root_, path));
    return at->second;
  }
  int64_t inplace_place(const Node& n) {
    auto* function = dynamic_cast<const PyCallable*>(n.target().surface->callable.get());
    if (!function || !PyFunction_Check(function->object)) return -1;
    auto [at, fresh] = functions_.try_emplace(function->object, -1);
    if (fresh) at->second = nb::cast<int64_t>(helpers_.attr("inplace_place")(nb::handle(function->object)));
    return at->second;
  }

  nb::object helpers_, root_;
  std::unordered_map<std::string, bool> layers_;
  std::unordered_map<PyObject*, int64_t> functions_;
};

SubgraphMatch::Value value_of(nb::handle o, GraphObject* graph) {
  SubgraphMatch::Value value;
  if (is_node(o.ptr())) value.node = node_of(o.ptr());
  else add_arg(value.literal, o.ptr(), graph);
  return value;
}

// The users of a result see the type of the new one.
void follow_types(const passes::Replacement& done, GraphObject* graph) {
  for (size_t k = 0; k < done.results.size(); ++k) {
    Node *old = done.match.results[k], *now = done.results[k];
    if (!old || !now || now == old || now->erased() || !old->type() || type_of_node(graph, now) == old->type()) continue;
    for (Node* user : now->users())
      if (user->type()) TypesFollow(graph, user).done();
  }
}

// _replace_matches(graph, root, pattern, [(nodes_map, placeholder_nodes, replacement), ...]): of each place that was replaced its number, what the nodes of
// the pattern stood for, and the nodes that were made.
nb::object replace_matches(nb::handle graph, nb::handle root, nb::handle pattern, nb::list matches) {
  GraphObject *target = graph_object(graph), *sought = graph_object(pattern);
  std::vector<passes::PlannedReplacement> places;
  std::unordered_map<const ir::Graph*, GraphObject*> sources;
  for (nb::handle match : matches) {
    passes::PlannedReplacement& place = places.emplace_back();
    place.replacement = graph_object(match[2])->graph.get();
    sources[place.replacement] = graph_object(match[2]);
    for (auto [p, found] : nb::cast<nb::dict>(match[0])) {
      place.match.nodes_map.emplace(node_of(p.ptr()), value_of(found, target));
      place.match.order.push_back(node_of(p.ptr()));
    }
    fill(place.match, *sought->graph);
    const nb::list inputs = nb::cast<nb::list>(match[1]);
    if (nb::len(inputs) == place.match.placeholders.size())
      for (size_t k = 0; k < place.match.placeholders.size(); ++k) place.match.placeholders[k] = value_of(inputs[k], target);
  }
  for (auto [source, object] : sources) target->callables.insert(object->callables.begin(), object->callables.end());
  UnrecordedEffects unrecorded(root);
  passes::ReplaceOptions options;
  options.infer_types = false;
  options.effects = [&](const Node& n) { return unrecorded(n); };
  nb::list out;
  for (const passes::Replacement& done : passes::replace_matches(*target->graph, *sought->graph, std::move(places), options)) {
    follow_types(done, target);
    nb::list made;
    for (size_t k = 0; k < done.made.size(); ++k) {
      made.append(wrap(done.made[k], target));
      copy_notes(done.copied[k], made[k]);
    }
    out.append(nb::make_tuple(done.number, nodes_map(done.match, sought, target), made));
  }
  return out;
}

}  // namespace

void init_rewriter(PyObject* module) {
  nb::handle m(module);
  m.attr("_find_pattern") = nb::cpp_function(find_pattern, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  m.attr("_nodes_are_equal") = nb::cpp_function([](nb::handle matcher, nb::handle a, nb::handle b, std::string node_name_match) {
    const Node &p = *node_of(a.ptr()), &n = *node_of(b.ptr());
    GraphObject *of_p = reinterpret_cast<NodeObject*>(a.ptr())->graph, *of_n = reinterpret_cast<NodeObject*>(b.ptr())->graph;
    return passes::nodes_are_equal(p, n, options_of(matcher, of_p, of_n, std::move(node_name_match), false));
  });
  m.attr("_replace_matches") = nb::cpp_function(replace_matches, nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  m.attr("_check_signature") = nb::cpp_function(
      [](nb::handle pattern, nb::handle replacement) { passes::check_signature(graph_of(pattern.ptr()), graph_of(replacement.ptr())); });
}

}  // namespace monograph::python
