// Outliner walks over the flat nodes once. The nodes of each module call become a method of that module. Values that the call uses from outside become the
// inputs of the method, and values that are used outside of the call become its results.
#include "capture/hierarchy.h"

#include <algorithm>
#include <unordered_map>
#include "core/interrupt.h"
#include "ir/node_names.h"
#include "passes/canonical.h"

namespace monograph::capture {
namespace {

using ir::Args;
using ir::Graph;
using ir::Node;

// The module at a path; null if there is none.
const ir::Module* module_at(const ir::Unit& unit, std::string_view path) {
  if (path.empty()) return unit.root();
  const ir::Module::Value* found = unit.root()->value_at(path);
  return found ? found->module : nullptr;
}

// A path from one module to a module inside of it; "" if there is none.
std::string path_between(const ir::Module* from, const ir::Module* to) {
  std::vector<std::pair<const ir::Module*, std::string>> open{{from, ""}};
  std::unordered_set<const ir::Module*> seen{from};
  for (size_t k = 0; k < open.size(); ++k) {
    const auto [module, path] = open[k];
    for (size_t i = 0; i < module->values.size(); ++i) {
      const ir::Module* inner = module->values[i].module;
      if (!inner || !seen.insert(inner).second) continue;
      open.emplace_back(inner, concat(path, path.empty() ? "" : ".", module->type().attributes[i].name));
      if (inner == to) return open.back().second;
    }
  }
  return {};
}

// `path` relative to `prefix`; nothing if it is not below `prefix`.
std::optional<std::string_view> below(std::string_view path, std::string_view prefix) {
  if (prefix.empty()) return path;
  if (!path.starts_with(prefix) || path.size() <= prefix.size() || path[prefix.size()] != '.') return {};
  return path.substr(prefix.size() + 1);
}

class Outliner {
 public:
  Outliner(const Graph& flat, const std::vector<ModuleCall>& calls, ir::Unit& unit, const OutlineOptions& options)
      : flat_(flat), unit_(unit), options_(options) {
    for (const ModuleCall& c : calls)
      if (module_at(unit, c.path) && (c.end > c.begin || options.keeps_empty)) calls_.push_back(&c);
    for (Node* n : *flat.root())
      if (n->op() != ir::Op::Placeholder && n->op() != ir::Op::Output) order_.push_back(n);
    find_times();
  }

  Graph* run() {
    ModuleCall whole;
    whole.end = flat_.id_limit();
    Graph* root = method(whole, {}, {}, nullptr);
    return options_.path.empty() ? root : found_;
  }

 private:
  // The calls directly inside of a call: those that no other one inside contains. Calls nest, and are noted when they end, so what a call contains
  // stands before it; where a module does nothing but call another one, both have the same nodes. A call of a module that the caller does not hold
  // (itself, one of a plain list) stays inlined.
  std::vector<const ModuleCall*> inside(const ModuleCall& caller) const {
    std::vector<const ModuleCall*> found;
    for (auto it = std::find(calls_.begin(), calls_.end(), &caller); it != calls_.begin();) {
      const ModuleCall* c = *--it;
      if (c->end <= caller.begin) break;
      const bool before = found.empty() || (c->end <= found.back()->begin && !(c->begin == c->end && below(c->path, found.back()->path)));
      if (before && !path_of(caller, *c).empty()) found.push_back(c);
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  std::string path_of(const ModuleCall& caller, const ModuleCall& call) const {
    if (auto path = below(call.path, caller.path)) return std::string(*path);
    return path_between(module_at(unit_, caller.path), module_at(unit_, call.path));
  }

  // Nodes are recorded one after the other, so that their ids ascend. What a backward pass puts between them later, such as the empty list that a Loop
  // begins with, counts as made with what it stands before, a result as made with its Loop.
  void find_times() {
    time_.resize(flat_.id_limit());
    uint32_t least = UINT32_MAX;
    for (size_t k = order_.size(); k-- > 0;) {
      const Node* n = order_[k];
      const bool given = options_.times && options_.times->contains(n);
      time_[n->id()] = least = std::min(least, given ? options_.times->at(n) : n->id());
    }
    for (const Node* n : order_)
      if (n->is_projection()) time_[n->id()] = time_[n->projected()->id()];
  }
  uint32_t time(const Node* n) const { return time_[n->id()]; }

  std::vector<Node*> nodes_of(const ModuleCall& c) const {
    auto at = [&](uint32_t id) {
      return std::lower_bound(order_.begin(), order_.end(), id, [&](const Node* n, uint32_t i) { return time(n) < i; });
    };
    return {at(c.begin), at(c.end)};
  }

  // Finds the values from outside that these nodes use (inputs), and the values of these nodes that others use (outputs).
  void border(const std::vector<Node*>& nodes, const ModuleCall& c, std::vector<Node*>& inputs, std::vector<Node*>& outputs) const {
    auto within = [&](const Node* n) {
      while (n->block() != flat_.root()) n = n->block()->owner();
      return time(n) >= c.begin && time(n) < c.end && n->op() != ir::Op::Placeholder && n->op() != ir::Op::Output;
    };
    auto see = [&](Node* user) {
      for (size_t k = 0; k < user->input_count(); ++k) {
        Node* v = user->input(k);
        if (!within(v) && std::find(inputs.begin(), inputs.end(), v) == inputs.end()) inputs.push_back(v);
      }
    };
    for (Node* n : nodes) {
      interrupt_point();
      if (n->op() == ir::Op::GetAttr && !below(n->target().name(), c.path)) inputs.push_back(n);  // of another module: handed in
      see(n);
      for (size_t b = 0; b < n->block_count(); ++b)
        for (Node* m : ir::NestedNodes(n->block(b))) see(m);
      for (const ir::Use* u = n->first_use(); u; u = u->next)
        if (!within(u->user)) {
          outputs.push_back(n);
          break;
        }
    }
  }

  std::string method_name(const ir::Class& c) {
    int k = uses_[&c]++;
    return k ? concat(c.name, ".forward", k) : c.name + ".forward";
  }

  Graph* method(const ModuleCall& call, const std::vector<Node*>& inputs, const std::vector<Node*>& outputs, std::string* name) {
    const ir::Class& type = module_at(unit_, call.path)->type();
    std::string full = method_name(type);
    if (name) *name = full.substr(type.name.size() + 1);
    auto graph = std::make_unique<Graph>(full, &unit_);
    graph->set_level(ir::Level::Module), graph->set_dialect(flat_.dialect());
    Graph& g = *graph;
    Graph::NodeMap map;
    g.placeholder("self", ir::Type::named(ir::TypeKind::Class, type.name));
    if (name)
      for (Node* n : inputs) map[n] = g.placeholder(n->name(), n->type());
    else
      for (Node* p : flat_.placeholders())
        map[p] = g.placeholder(g.root(), p->target().name(), p->type(), p->arg_count() ? Args().add(p->arg(0)) : Args());
    g.insert_at_end(g.root());
    fill(g, call, map);
    finish(g, outputs, map, !name);
    const bool wanted = options_.path.empty() ? !name : name && call.path == options_.path && *name == options_.method;
    if (wanted && options_.copies) *options_.copies = map;
    if (wanted && options_.call) *options_.call = &call;
    if (wanted) found_ = &g;
    if (name && options_.shares) {
      if (Graph* known = same_method(type, g)) {
        --uses_[&type];
        *name = known->name().substr(type.name.size() + 1);
        return known;
      }
      methods_[&type].emplace_back(&g, "");
    }
    return unit_.add_function(std::move(graph));
  }

  // The method that another call of a module of this class was outlined to, if it computes the same.
  Graph* same_method(const ir::Class& type, const Graph& g) {
    std::string own;
    for (auto& [known, hash] : methods_[&type]) {
      if (known->node_count() != g.node_count()) continue;
      if (own.empty()) own = passes::hash(g);
      if (hash.empty()) hash = passes::hash(*known);
      if (hash == own) return known;
    }
    return nullptr;
  }

  // What was made in a method, with the time of it in the flat graph.
  using Made = std::vector<std::pair<uint32_t, Node*>>;

  void fill(Graph& g, const ModuleCall& call, Graph::NodeMap& map) {
    std::vector<const ModuleCall*> inner = inside(call);
    size_t next = 0;
    Made made;
    for (Node* n : nodes_of(call)) {
      interrupt_point();
      const Node* last = g.root()->last();
      for (; next < inner.size() && time(n) >= inner[next]->end; ++next) call_nothing(g, call, *inner[next], map, made);
      if (next < inner.size() && time(n) >= inner[next]->begin) {
        if (done_.insert(inner[next]).second) call_method(g, call, *inner[next], map, made);
        continue;
      }
      if (map.contains(n)) continue;
      if (n->op() == ir::Op::GetAttr) map[n] = attribute(g, *below(n->target().name(), call.path), n);
      else if (!n->is_projection()) read_from_module(g, g.copy(n, map), call);
      else map[n] = g.project(map.at(n->projected()), n->projected_index());
      if (Node* first = last ? last->next() : g.root()->first()) made.emplace_back(time(n), first);
    }
    for (; next < inner.size(); ++next) call_nothing(g, call, *inner[next], map, made);
  }
  // A call that was not met, because it has no nodes.
  void call_nothing(Graph& g, const ModuleCall& caller, const ModuleCall& call, Graph::NodeMap& map, Made& made) {
    if (options_.keeps_empty && done_.insert(&call).second) call_method(g, caller, call, map, made);
  }

  // What the blocks of a node read is named from the root too.
  static void read_from_module(Graph& g, Node* copied, const ModuleCall& call) {
    for (size_t b = 0; b < copied->block_count(); ++b)
      for (Node* n : ir::NestedNodes(copied->block(b)))
        if (auto path = n->op() == ir::Op::GetAttr ? below(n->target().name(), call.path) : std::nullopt)
          g.set_target(n, g.target(std::string(*path)));
  }

  Node* attribute(Graph& g, std::string_view path, const Node* like) {
    g.set_location_of(like);
    Node* made = g.create(ir::Op::GetAttr, g.target(path), {});
    g.set_type(made, like->type());
    return made;
  }

  void call_method(Graph& g, const ModuleCall& caller, const ModuleCall& call, Graph::NodeMap& map, Made& made) {
    std::vector<Node*> nodes = nodes_of(call), inputs, outputs;
    if (nodes.empty() && !options_.keeps_empty) return;
    border(nodes, call, inputs, outputs);
    // What is handed in from modules elsewhere is read here, or handed in here too.
    for (Node* n : inputs)
      if (!map.contains(n)) map[n] = attribute(g, below(n->target().name(), caller.path).value_or(n->target().name()), n);
    std::string name;
    method(call, inputs, outputs, &name);
    const ir::Class& type = module_at(unit_, call.path)->type();
    const std::string scope = caller.path.empty() ? std::string() : "__module." + caller.path;
    g.set_location({}, scope);  // TorchScript shows no line where a module is read
    Node* module = g.create(ir::Op::GetAttr, g.target(path_of(caller, call)), {});
    g.set_type(module, ir::Type::named(ir::TypeKind::Class, type.name));
    // The program reads the module before it computes the arguments.
    Node* place = nullptr;
    for (const auto& [when, n] : made)
      if (when >= call.asked && (!place || n->is_before(place))) place = n;
    if (place) g.move_before(module, place);
    made.emplace_back(std::min(call.asked, call.begin), module);
    Args args(module);
    for (Node* n : inputs) args.add(map.at(n));
    g.set_location(call.span.known() || nodes.empty() ? call.span : nodes.front()->span(), scope);
    Node* result = g.create(ir::Op::CallMethod, g.target(name), args);
    if (outputs.size() == 1) {
      g.set_type(result, outputs[0]->type());
      if (!ir::has_default_name(*outputs[0])) g.set_name(result, ir::name_without_number(outputs[0]->name()));
      map[outputs[0]] = result;
      return;
    }
    if (outputs.empty() && options_.keeps_empty) return g.set_type(result, ir::TypeKind::None);
    // Several values come back as one tuple.
    std::vector<ir::Type> types;
    types.reserve(outputs.size());
    for (Node* n : outputs) types.push_back(n->type() ? n->type() : ir::Type(ir::TypeKind::Any));
    g.set_type(result, ir::Type::tuple(types));
    for (size_t k = 0; k < outputs.size(); ++k) {
      Node* part = g.call("aten::__getitem__.t", Args(result, static_cast<int64_t>(k)));
      g.set_type(part, outputs[k]->type());
      map[outputs[k]] = part;
    }
  }

  void finish(Graph& g, const std::vector<Node*>& outputs, const Graph::NodeMap& map, bool whole) {
    Args result;
    auto mapped = [&](Node* n) { return map.at(n); };
    if (whole) {
      result.add_mapped(flat_.output()->arg(0), mapped);
    } else if (outputs.size() == 1) {
      result.add(map.at(outputs[0]));
    } else if (outputs.empty() && options_.keeps_empty) {
      result.none();
    } else {
      result.open(ir::ArgKind::Tuple);
      for (Node* n : outputs) result.add(map.at(n));
      result.close();
    }
    g.set_output(result);
  }

  const Graph& flat_;
  ir::Unit& unit_;
  const OutlineOptions& options_;
  std::vector<const ModuleCall*> calls_;
  std::vector<Node*> order_;
  std::vector<uint32_t> time_;  // by id: when a node counts as recorded
  std::unordered_map<const ir::Class*, int> uses_;
  std::unordered_map<const ir::Class*, std::vector<std::pair<Graph*, std::string>>> methods_;  // with their hashes, once asked for
  std::unordered_set<const ModuleCall*> done_;
  Graph* found_ = nullptr;  // the method that options_ name
};

}  // namespace

Graph* outline_modules(const Graph& flat, const std::vector<ModuleCall>& calls, ir::Unit& unit, const OutlineOptions& options) {
  MONOGRAPH_CHECK(unit.root(), Value, "the unit has no module whose methods these could be");
  return Outliner(flat, calls, unit, options).run();
}

}  // namespace monograph::capture
