// Works in two phases. The first inserts all new nodes and infers their types. If this raises, the new nodes are erased and the graph is unchanged.
// The second cannot fail: it moves the users to the new nodes and erases the matched ones.
#include "passes/subgraph_rewriter.h"

#include <algorithm>
#include <unordered_set>

#include "ir/builder.h"
#include "ir/unit.h"
#include "passes/dependences.h"

namespace monograph::passes {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Graph;
using ir::Node;
using ir::Op;

namespace {

template <class... Parts>
[[noreturn]] void refuse(const Node* node, const Parts&... parts) {
  Error e(ErrorKind::Value, concat(parts...));
  e.locate(node->span());
  throw e;
}

// Raises if the graph's module lacks an attribute that the replacement reads.
void check_attributes(const Graph& graph, const Graph& replacement) {
  const ir::Module* root = graph.unit() ? graph.unit()->root() : nullptr;
  for (Node* n : ir::NestedNodes(replacement)) {
    if (n->op() != Op::GetAttr) continue;
    int at = -1;
    const ir::Module* holder = root ? root->find(n->target().name(), at) : nullptr;
    if (!holder || at < 0)
      refuse(n, "the replacement reads the attribute '", n->target().name(), "' (%", n->name(),
             "), and the graph's module has none of this name. Give the graph the attribute first, or use the tensor as a constant");
  }
}

// Appends a copy of an argument in which `instead` replaces `node`.
void put(Args& out, ArgRef a, const Node* node, const Args& instead) {
  if (a.node() == node) return void(out.add(instead[0]));
  if (!ir::has_parts(a.kind()) || a.is(ArgKind::Complex)) return void(out.add(a));
  out.open(a.kind());
  for (ArgRef part : a) put(out, part, node, instead);
  out.close();
}

void use_literal(Graph& graph, Node* node, const Args& literal) {
  for (Node* user : node->users()) {
    Args args;
    size_t k = 0;
    for (auto it = user->args_begin(); it != user->args_end(); ++it, ++k) {
      if (k >= user->positional_count()) args.name(user->keyword(k - user->positional_count()));
      put(args, *it, node, literal);
    }
    graph.set_args(user, args);
  }
}

class PatternRewriter {
 public:
  PatternRewriter(Graph& graph, const ReplaceOptions& options)
      : graph_(graph), options_(options), effects_(options.effects ? options.effects : ir::own_effects) {}

  std::vector<Replacement> run(std::vector<PlannedReplacement> places) {
    const Graph::InsertPoint point = graph_.insert_point();
    for (const PlannedReplacement& p : places) {
      replacements_.insert(p.replacement);
      for (const auto& [sought, value] : p.match.nodes_map)
        if (SubgraphMatch::computed(sought)) all_taken_.insert(value.node);
    }
    try {
      for (size_t k = 0; k < places.size(); ++k) make(std::move(places[k].match), *places[k].replacement, k);
      if (types_change()) try_types();
    } catch (...) {
      for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) forget(*step);
      graph_.set_insert_point(point);
      throw;
    }
    std::vector<Replacement> done;
    const bool infer = types_change();
    for (Step& step : steps_) done.push_back(hand_over(step));
    if (infer) ir::infer_types(graph_);
    graph_.set_insert_point(point);
    return done;
  }

 private:
  struct Place {
    Node* after = nullptr;  // the new nodes go behind this one
    Node* before = nullptr;  // or before this one
    std::vector<Node*> behind;  // nodes that need a result, and must be moved behind the new nodes
  };
  struct Step {
    size_t number = 0;
    SubgraphMatch match;
    Place place;
    uint32_t first_id = 0;  // nodes from this id on were made by this step
    std::vector<Node*> made;
    std::vector<const Node*> copied;  // for each of `made`, the node of the replacement
    std::vector<Node*> literals;  // prim::Constant nodes for literals that placeholders matched, until the second phase
    Node* last_made = nullptr;  // in the block of the match
    Args results;
  };

  // Whether effects of the two nodes fix their order.
  bool ordered(const Node* a, const Node* b) const {
    if (a->id() >= known_ids_ || b->id() >= known_ids_) return !effects_(*a).commutes_with(effects_(*b));
    const auto stands = [&](const Node* n) { return dependences_->stands_at(n) | dependences_->reads(n) | dependences_->writes(n); };
    return (dependences_->writes(a) & stands(b)) || (dependences_->writes(b) & stands(a));
  }
  // Computed at the first use: most matches are contiguous and do not need it.
  void find_dependences() {
    if (dependences_) return;
    dependences_.emplace(graph_, effects_);
    known_ids_ = graph_.id_limit();
    for (const Node* n : ir::NestedNodes(graph_)) writes_ |= dependences_->writes(n) != 0;
    for (const Graph* replacement : replacements_)
      for (const Node* n : ir::NestedNodes(*replacement)) writes_ |= effects_(*n).writes != 0;
  }

  // Whether the matched nodes and `behind` may move to `end`: no node between writes what they read, or reads or writes what they write.
  bool may_move(const std::unordered_set<Node*>& taken, Node* first, Node* end, const std::vector<Node*>& behind) {
    const std::unordered_set<const Node*> late(behind.begin(), behind.end());
    const auto moves = [&](Node* n) { return taken.contains(n) || late.contains(n); };
    Node* between = first;
    while (between && between != end && moves(between)) between = between->next();
    if (!between || between == end) return true;
    find_dependences();
    if (!writes_) return true;
    std::vector<const Node*> moving;
    for (Node* n = first; n && n != end; n = n->next()) {
      if (moves(n)) {
        moving.push_back(n);
        continue;
      }
      if (std::ranges::any_of(moving, [&](const Node* m) { return ordered(m, n); })) return false;
    }
    return true;
  }

  std::optional<Place> find_place(const SubgraphMatch& match) {
    std::unordered_set<Node*> taken;
    Node *last = nullptr, *first_taken = nullptr;
    for (const auto& [p, value] : match.nodes_map) {
      if (!SubgraphMatch::computed(p)) continue;
      taken.insert(value.node);
      if (!last || last->is_before(value.node)) last = value.node;
      if (!first_taken || value.node->is_before(first_taken)) first_taken = value.node;
    }
    const ir::Block* block = last->block();
    Node* after = last;
    for (const SubgraphMatch::Value& v : match.placeholders)
      if (v.node && v.node->block() == block && after->is_before(v.node)) after = v.node;
    Node *first_user = nullptr, *first_result = nullptr;
    for (Node* result : match.results) {
      if (!result || !taken.contains(result)) continue;
      if (!first_result || result->is_before(first_result)) first_result = result;
      for (const ir::Use* u = result->first_use(); u; u = u->next) {
        Node* user = in_block(u->user, block);
        if (!taken.contains(user) && (!first_user || user->is_before(first_user))) first_user = user;
      }
    }
    if (first_user && after->is_before(first_user) && may_move(taken, first_taken, first_user, {})) return Place{nullptr, first_user, {}};
    Place place{after, nullptr, {}};
    while (place.after->next() && place.after->next()->is_projection()) place.after = place.after->next();
    Node* end = place.after->next();
    // Nodes between a result and the place that need the result.
    std::unordered_set<const Node*> needing(match.results.begin(), match.results.end());
    for (Node* n = first_result; n && n != end; n = n->next()) {
      if (taken.contains(n) || !needs(n, needing)) continue;
      needing.insert(n), place.behind.push_back(n);
    }
    const auto needed = [&](const Node* n) { return std::ranges::find(place.behind, n) != place.behind.end(); };
    for (const Node* moved : place.behind)
      if (all_taken_.contains(moved)) return std::nullopt;  // it belongs to another match
    for (const SubgraphMatch::Value& v : match.placeholders)
      if (v.node ? needed(v.node) : any_node(v.literal[0], needed)) return std::nullopt;
    if (!may_move(taken, first_taken, end, place.behind)) return std::nullopt;
    return place;
  }
  // Whether is_one() is true for a node inside of the literal, such as a list of nodes.
  template <class F>
  static bool any_node(ArgRef a, const F& is_one) {
    if (a.node()) return is_one(a.node());
    if (!ir::has_parts(a.kind())) return false;
    for (ArgRef part : a)
      if (any_node(part, is_one)) return true;
    return false;
  }
  static bool needs(const Node* n, const std::unordered_set<const Node*>& values) {
    const auto reads = [&](const Node* user) {
      for (size_t k = 0; k < user->input_count(); ++k)
        if (values.contains(user->input(k))) return true;
      return false;
    };
    if (reads(n)) return true;
    for (size_t k = 0; k < n->block_count(); ++k)
      for (const Node* inside : ir::NestedNodes(n->block(k)))
        if (reads(inside)) return true;
    return false;
  }

  void make(SubgraphMatch match, const Graph& replacement, size_t number) {
    std::optional<Place> place = find_place(match);
    if (!place) return;
    steps_.emplace_back();
    Step& step = steps_.back();
    step.number = number, step.match = std::move(match), step.place = std::move(*place);
    if (step.place.before) graph_.insert_before(step.place.before);
    else graph_.insert_after(step.place.after);
    step.first_id = graph_.id_limit();
    const Node* origin = origin_of(step.match);
    Graph::NodeMap map;
    const std::vector<Node*> inputs = replacement.placeholders();
    graph_.set_location_of(origin);
    for (size_t k = 0; k < inputs.size(); ++k) {
      const SubgraphMatch::Value& v = step.match.placeholders[k];
      if (v.node) {
        map[inputs[k]] = v.node;
        continue;
      }
      step.literals.push_back(graph_.call("prim::Constant", Args().kw("value", v.literal[0])));
      if (options_.infer_types) graph_.set_type(step.literals.back(), ir::type_of(v.literal[0]));
      map[inputs[k]] = step.literals.back();
    }
    step.results = graph_.copy_body(replacement.root(), map);
    for (Node* n : ir::NestedNodes(replacement)) {
      const bool top = n->block() == replacement.root();
      if (top && (n->op() == Op::Placeholder || n->op() == Op::Output)) continue;
      Node* made = map.at(n);
      if (n->op() != Op::Output) step.made.push_back(made), step.copied.push_back(n);
      if (top) step.last_made = made;
      if (!made->is_projection()) graph_.set_span(made, origin->span()), graph_.set_scope(made, origin->scope());
      infer(made);
    }
  }
  static Node* origin_of(const SubgraphMatch& match) {
    for (Node* result : match.results)
      for (const auto& [p, value] : match.nodes_map)
        if (result && SubgraphMatch::computed(p) && value.node == result) return result;
    return nullptr;
  }
  void infer(Node* n) {
    if (!options_.infer_types || n->op() != Op::CallFunction || !n->info() || n->is_projection() || n->type_declared()) return;
    try {
      const ir::Type type = n->info()->infer(*n);
      if (!n->multi() || type.is(ir::TypeKind::Tuple)) graph_.set_type(n, type);
    } catch (Error& e) {
      e.note(concat("in ", n->info()->name()));
      e.note(concat("of %", n->name(), ", which the replacement would make here. The graph is unchanged"));
      e.locate(n->span());
      throw;
    }
  }

  // Undoes the first phase for one match. Called from the last match to the first, so that the new nodes of this match are contiguous.
  void forget(const Step& step) {
    std::vector<Node*> made;
    const auto take = [&](Node* n, bool forwards) {
      for (; n && n->id() >= step.first_id; n = forwards ? n->next() : n->previous()) made.push_back(n);
    };
    take(step.place.before ? step.place.before->previous() : step.place.after->next(), !step.place.before);
    if (!step.place.before) std::ranges::reverse(made);
    for (Node* n : made)
      if (!n->erased()) graph_.erase(n);
  }

  // Whether a new result has another type than the old one.
  bool types_change() const {
    if (!options_.infer_types) return false;
    for (const Step& step : steps_) {
      const std::vector<ArgRef> results = parts(step.results);
      for (size_t k = 0; k < results.size(); ++k)
        if (step.match.results[k] && ir::type_of(results[k]) != step.match.results[k]->type()) return true;
    }
    return false;
  }
  // Infers the types on a copy of the graph, and raises if a user of a result cannot take the new type.
  void try_types() const {
    const std::unique_ptr<Graph> trial = graph_.clone();
    std::unordered_map<const Node*, Node*> copy;
    auto at = ir::NestedNodes(*trial).begin();
    for (Node* n : ir::NestedNodes(graph_)) copy[n] = *at, ++at;
    for (const Step& step : steps_) {
      const std::vector<ArgRef> results = parts(step.results);
      for (size_t k = 0; k < results.size(); ++k) {
        Node *old = step.match.results[k], *now = results[k].node();
        if (old && now && old != now) trial->replace_all_uses(copy.at(old), copy.at(now));
      }
    }
    try {
      ir::infer_types(*trial);
    } catch (Error& e) {
      e.note("which uses a result of the replacement. The graph is unchanged");
      throw;
    }
  }

  Replacement hand_over(Step& step) {
    for (auto& [sought, value] : step.match.nodes_map)
      if (sought->op() == Op::Placeholder && value.node) value.node = current(value.node);
    Node* place = step.last_made ? step.last_made : current(step.place.after);
    for (auto it = step.place.behind.rbegin(); it != step.place.behind.rend(); ++it) graph_.move_after(*it, place);
    const std::vector<ArgRef> results = parts(step.results);
    std::vector<Node*> given;
    for (size_t k = 0; k < results.size(); ++k) {
      Node* old = step.match.results[k];
      Node* now = results[k].node();
      if (now) now = current(now);
      given.push_back(now);
      if (!old) continue;
      if (now == old) continue;
      if (now) {
        // If `old` is also an input of the match, this replaces it in the new nodes too.
        graph_.replace_all_uses(old, now);
        changed_[old] = now;
      } else {
        use_literal(graph_, old, Args().add(results[k]));
      }
    }
    for (size_t k = 0, l = 0; k < step.match.placeholders.size(); ++k)
      if (!step.match.placeholders[k].node) {
        // The literal as it is now: an earlier match may have replaced nodes in a list.
        use_literal(graph_, step.literals[l], Args().add(*step.literals[l]->kwarg("value")));
        graph_.erase(step.literals[l++]);
      }
    erase_found(step);
    return {std::move(step.match), std::move(step.made), std::move(step.copied), std::move(given), step.number};
  }
  void erase_found(const Step& step) {
    std::vector<Node*> found;
    for (const auto& [p, value] : step.match.nodes_map)
      if (p->op() != Op::Placeholder && p->op() != Op::Output && value.node) found.push_back(value.node);
    std::ranges::sort(found, [](const Node* a, const Node* b) { return b->is_before(a); });
    for (Node* n : found) {
      if (n->erased()) continue;
      while (n->next() && n->next()->is_projection() && n->next()->projected() == n && !n->next()->has_uses()) graph_.erase(n->next());
      if (!n->has_uses()) graph_.erase(n);
    }
  }
  Node* current(Node* n) const {
    for (auto at = changed_.find(n); at != changed_.end(); at = changed_.find(n)) n = at->second;
    return n;
  }
  static std::vector<ArgRef> parts(const Args& results) {
    std::vector<ArgRef> out;
    if (results.size() == 1 && (results[0].is(ArgKind::Tuple) || results[0].is(ArgKind::List))) {
      const ArgRef all = results[0];
      for (ArgRef part : all) out.push_back(part);
    } else {
      for (size_t k = 0; k < results.size(); ++k) out.push_back(results[k]);
    }
    return out;
  }

  Graph& graph_;
  const ReplaceOptions& options_;
  const std::function<ir::Effects(const Node&)> effects_;
  std::optional<Dependences> dependences_;
  uint32_t known_ids_ = 0;  // dependences_ knows the nodes with smaller ids
  std::unordered_set<const Graph*> replacements_;
  bool writes_ = false;  // the graph or a replacement has writes; else nodes may move freely
  std::unordered_set<const Node*> all_taken_;
  std::vector<Step> steps_;
  std::unordered_map<const Node*, Node*> changed_;
};

}  // namespace

void check_signature(const Graph& pattern, const Graph& replacement) {
  const auto check = [](std::string_view what, size_t a, size_t b) {
    MONOGRAPH_CHECK(a == b, Value, what, " count mismatch: ", a, " vs ", b,
                    ". The pattern and its replacement must take the same inputs and give as many results");
  };
  const std::vector<Node*> from = pattern.placeholders(), to = replacement.placeholders();
  const std::vector<ArgRef> old_values = returned_values(pattern), new_values = returned_values(replacement);
  check("Placeholder", from.size(), to.size());
  check("Returning nodes", old_values.size(), new_values.size());
  for (ArgRef value : old_values) {
    if (value.node()) continue;
    std::string text;
    ir::print_arg(text, value);
    refuse(pattern.output(), "the pattern returns ", text, ", which no node computes. Return values that the pattern's calls give");
  }
  for (size_t k = 0; k < old_values.size(); ++k) {
    Node* p = old_values[k].node();
    if (!p || p->op() != Op::Placeholder) continue;
    const size_t at = static_cast<size_t>(std::ranges::find(from, p) - from.begin());
    if (new_values[k].node() != to[at])
      refuse(replacement.output(), "the pattern returns its input %", p->name(), " as result ", k,
             ", and the replacement returns something else there. Return the input there too, or leave this result out of both");
  }
}

std::vector<Replacement> replace_pattern(Graph& graph, const Graph& pattern, const Graph& replacement, const ReplaceOptions& options) {
  check_signature(pattern, replacement);
  check_attributes(graph, replacement);
  std::vector<SubgraphMatch> matches = SubgraphMatcher(pattern, options.matching).match(graph);
  if (options.filter) std::erase_if(matches, [&](const SubgraphMatch& m) { return !options.filter(m); });
  std::vector<PlannedReplacement> places;
  for (SubgraphMatch& m : matches) places.push_back({std::move(m), &replacement});
  return replace_matches(graph, pattern, std::move(places), options);
}

std::vector<Replacement> replace_matches(Graph& graph, const Graph& pattern, std::vector<PlannedReplacement> places,
                                         const ReplaceOptions& options) {
  std::unordered_set<const Graph*> checked;
  for (const PlannedReplacement& p : places) {
    if (checked.insert(p.replacement).second) check_signature(pattern, *p.replacement);
    for (const auto& [sought, found] : p.match.nodes_map)
      if (found.node && found.node->erased())
        refuse(found.node, "%", found.node->name(), ", which the pattern's %", sought->name(),
               " stands for, was erased since the search. A filter or callback must leave the nodes of a place in the graph");
  }
  if (places.empty()) return {};
  return PatternRewriter(graph, options).run(std::move(places));
}

}  // namespace monograph::passes
