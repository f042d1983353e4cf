// For each dict, one walk checks that it can become values, and a second one replaces it.
#include "passes/canonical_dicts.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/interrupt.h"
#include "ir/builder.h"
#include "passes/canonical_branches.h"
#include "passes/canonical_calls.h"
#include "passes/dependences.h"

namespace monograph::passes {

using namespace ir;

namespace {

struct Entry {
  std::string key;
  Args value;
};
using Entries = std::vector<Entry>;

bool uses(const Node* n, const Node* v) {
  for (size_t k = 0; k < n->input_count(); ++k)
    if (n->input(k) == v) return true;
  return false;
}

class DictAsValues {
 public:
  DictAsValues(Graph& g, Node* dict) : g_(g), dict_(dict) {}

  bool run() {
    Entries entries;
    std::vector<std::string> keys;
    for (size_t k = 0; k + 1 < dict_->arg_count(); k += 2) {
      if (!dict_->arg(k).is(ArgKind::Str)) return false;
      const std::string key(dict_->arg(k).as_str());
      if (std::ranges::find(keys, key) != keys.end()) return false;
      keys.push_back(key);
      entries.push_back({key, Args(dict_->arg(k + 1))});
    }
    if (!check(dict_->next(), keys, Place::Own) || !writes_) return false;
    replace(dict_->next(), entries);
    return true;
  }

 private:
  enum class Place : uint8_t { Own, Branch, Loop };

  bool is_set(const Node* n) const {
    return is_call_of(n, "aten::_set_item.str") && n->arg_count() == 3 && n->arg(0).node() == dict_ && n->arg(1).is(ArgKind::Str) &&
           !n->has_uses() && n->arg(2).node() != dict_;
  }
  bool is_get(const Node* n) const {
    return is_call_of(n, "aten::__getitem__.Dict_str") && n->arg_count() == 2 && n->arg(0).node() == dict_ && n->arg(1).is(ArgKind::Str);
  }

  bool check(const Node* from, std::vector<std::string>& keys, Place place) {
    for (const Node* n = from; n; n = n->next()) {
      interrupt_point();
      if (is_set(n)) {
        if (escaped_ || place == Place::Loop) return false;
        writes_ = true;
        const std::string key(n->arg(1).as_str());
        if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
      } else if (is_get(n)) {
        if (!escaped_ && std::ranges::find(keys, n->arg(1).as_str()) == keys.end()) return false;
      } else if (uses(n, dict_)) {
        if (place != Place::Own) return false;
        escaped_ = true;
      }
      if (n->block_count() == 0) continue;
      std::array<std::vector<std::string>, 2> after{keys, keys};
      for (size_t b = 0; b < n->block_count(); ++b)
        if (!check(n->block(b)->first(), after[b],
                   n->is_loop() || place == Place::Loop ? Place::Loop
                   : escaped_                           ? Place::Own
                                                        : Place::Branch))
          return false;
      if (n->block_count() == 2 && after[0] != after[1]) return false;
      keys = after[0];
    }
    return true;
  }

  // Replaces the reads and writes from a node on, until something else gets the dict. Returns false there.
  bool replace(Node* from, Entries& entries) {
    for (Node *n = from, *next = nullptr; n; n = next) {
      interrupt_point();
      next = n->next();
      if (is_set(n)) {
        const std::string key(n->arg(1).as_str());
        auto at = std::ranges::find(entries, key, &Entry::key);
        if (at == entries.end()) entries.push_back({key, Args(n->arg(2))});
        else at->value = Args(n->arg(2));
        g_.erase(n);
      } else if (is_get(n)) {
        g_.insert_before(n);
        g_.replace_all_uses(n, as_node(g_, std::ranges::find(entries, n->arg(1).as_str(), &Entry::key)->value[0]));
        g_.erase(n);
      } else if (uses(n, dict_)) {
        make(n, entries);
        return false;
      } else if (n->is_if()) {
        std::array<Entries, 2> after{entries, entries};
        for (size_t b = 0; b < 2; ++b) replace(n->block(b)->first(), after[b]);
        entries = joined(n, after);
      } else if (n->is_loop()) {
        replace(n->block(0)->first(), entries);
      }
    }
    return true;
  }

  // The dict as it is before this node.
  void make(Node* before, const Entries& entries) {
    g_.insert_before(before);
    Args args;
    for (const Entry& e : entries) args.add(e.key).add(e.value);
    Node* made = g_.call("prim::DictConstruct", args);
    g_.derive(made, dict_);
    g_.replace_all_uses(dict_, made);
  }

  // The entries behind an If. Those that its blocks leave with other values become results of it.
  Entries joined(Node* n, const std::array<Entries, 2>& after) {
    Entries result = after[0];
    std::vector<size_t> differ;
    for (size_t k = 0; k < result.size(); ++k)
      if (!after[0][k].value[0].node() || after[0][k].value[0].node() != after[1][k].value[0].node()) differ.push_back(k);
    if (differ.empty()) return result;
    std::vector<Type> types;
    for (size_t k = 0; k < n->result_count(); ++k) types.push_back(n->result_type(k));
    const size_t before = types.size();
    for (size_t k : differ) types.push_back(type_of(after[0][k].value[0]));
    g_.insert_before(n);
    Node* both = g_.create(n->op(), n->target(), Args(n->arg(0)), n->name());
    g_.set_span(both, n->span());
    for (size_t b = 0; b < 2; ++b) {
      Block* to = g_.add_block(both);
      Args end = n->block(b)->output()->copy_args();
      std::vector<Node*> nodes;
      for (Node* x : *n->block(b))
        if (!x->is_projection() && x != n->block(b)->output()) nodes.push_back(x);
      for (Node* x : nodes) g_.move_to_end(x, to);
      for (size_t k : differ) end.add(after[b][k].value);
      g_.set_output(to, end);
    }
    g_.set_results(both, types);
    for (size_t k = 0; k < before; ++k)
      if (Node* r = n->result(k)) g_.replace_all_uses(r, g_.project(both, k));
    g_.erase(n);
    for (size_t j = 0; j < differ.size(); ++j) result[differ[j]].value = Args(g_.project(both, before + j));
    return result;
  }

  Graph& g_;
  Node* dict_;
  bool writes_ = false, escaped_ = false;
};

}  // namespace

bool functionalize_dicts(Graph& g) {
  std::vector<Node*> dicts;
  for (Node* n : NestedNodes(g))
    if (is_call_of(n, "prim::DictConstruct")) dicts.push_back(n);
  bool any = false;
  for (Node* n : dicts) any |= DictAsValues(g, n).run();
  return any;
}

}  // namespace monograph::passes
