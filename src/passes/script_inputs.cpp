// Edits of a graph's inputs, and the insertion of one graph into another.
#include <algorithm>

#include "core/error.h"
#include "ir/builder.h"
#include "passes/script_view.h"

namespace monograph::passes {

using ir::Args;
using ir::Node;

namespace {

// The inputs of a graph as TorchScript counts them: `self`, if it reads modules, and the placeholders.
size_t input_count(const ir::Graph& graph, bool self) { return graph.placeholders().size() + (self ? 1 : 0); }

}  // namespace

void script_permute_inputs(ir::Graph& graph, const std::vector<size_t>& order) {
  const bool self = script_self(graph).has_value();
  const size_t count = input_count(graph, self);
  std::vector<size_t> sorted = order;
  std::ranges::sort(sorted);
  bool fits = sorted.size() == count;
  for (size_t k = 0; fits && k < count; ++k) fits = sorted[k] == k;
  MONOGRAPH_CHECK(fits, Runtime, "permuteInputs: expected each of the numbers 0 to ", count ? count - 1 : 0, " once, one for each of the ",
                  count, " inputs");
  MONOGRAPH_CHECK(!self || order[0] == 0, Runtime,
                  "permuteInputs: input 0 is self, which stays the first one as long as the graph reads modules");
  const std::vector<Node*> inputs = graph.placeholders();
  for (size_t k = self ? 1 : 0; k < count; ++k) graph.move_to_end(inputs[order[k] - (self ? 1 : 0)], graph.root());
}

std::vector<ScriptRef> script_insert_graph(ir::Graph& graph, const ir::Graph& from, const std::vector<ScriptRef>& values) {
  MONOGRAPH_CHECK(&graph != &from, Runtime, "insertGraph: the graph is the one into which it goes; insert a copy()");
  MONOGRAPH_CHECK(from.guards().empty(), NotImplemented,
                  "insertGraph: the graph has guards, which are checked where its run begins, so another graph cannot hold it");
  const bool self = script_self(from).has_value();
  const size_t count = input_count(from, self);
  MONOGRAPH_CHECK(values.size() == count, Runtime, "insertGraph: the graph has ", count, " inputs, but got ", values.size(), " values");
  if (self) {
    const std::optional<ScriptRef> mine = script_self(graph);
    MONOGRAPH_CHECK(from.unit() == graph.unit() && (!mine || values[0].is_inline()), Runtime,
                    "insertGraph: the graph reads modules, so its first value must be self of a graph of the same module");
  }
  ir::Graph::NodeMap map;
  const std::vector<Node*> inputs = from.placeholders();
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Args value = script_argument(values[k + (self ? 1 : 0)]);
    Node* stand_in = value[0].node() ? value[0].node() : script_constant(graph, value);
    MONOGRAPH_CHECK(stand_in->graph() == &graph, Runtime, "insertGraph: %", stand_in->name(), " belongs to another graph");
    map[inputs[k]] = stand_in;
  }
  const Args results = graph.copy_body(from.root(), map);
  std::vector<ScriptRef> out;
  for (size_t k = 0; k < results.size(); ++k)
    out.push_back({results[k].node() ? results[k].node() : script_constant(graph, Args().add(results[k])), {}});
  return out;
}

}  // namespace monograph::passes
