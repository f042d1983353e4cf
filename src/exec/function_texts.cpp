// A text is parsed and planned once. Plans are kept by text, and used by every thread. While a dispatch mode looks on, which may take nodes in place of tensors,
// the graph runs node by node.
#include "exec/function_texts.h"

#include <mutex>
#include <unordered_map>

#include "exec/interpreter.h"
#include "exec/node_interpreter.h"
#include "ir/text.h"
#include "ops/dispatch.h"
#include "ops/function_text.h"

namespace monograph::exec {
namespace {

struct Parsed {
  std::unique_ptr<ir::Graph> graph;
  Executable run;
  bool branches = false;
};

std::shared_ptr<const Parsed> parse(const std::string& text) {
  std::unique_ptr<ir::Graph> graph = ir::parse_graph(text);
  Executable run = plan(*graph);
  bool branches = false;
  for (const ir::Node* n : ir::NestedNodes(*graph)) branches |= n->block_count() > 0;
  return std::make_shared<const Parsed>(Parsed{std::move(graph), std::move(run), branches});
}

std::shared_ptr<const Parsed> parsed(const std::string& text) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::shared_ptr<const Parsed>> known;
  constexpr size_t kMost = 4096;  // a program that captures without end shall not fill the memory
  std::scoped_lock lock(mutex);
  if (const auto found = known.find(text); found != known.end()) return found->second;
  if (known.size() >= kMost) known.clear();
  return known[text] = parse(text);
}

std::vector<IValue> run_text(const std::string& text, const TextInput& input) {
  const std::shared_ptr<const Parsed> function = parsed(text);
  std::vector<IValue> inputs;
  for (const ir::Node* p : function->graph->placeholders()) inputs.push_back(input(p->target().name()));
  if (!dispatch_state().top) return function->run(std::move(inputs));
  MONOGRAPH_CHECK(!function->branches, NotImplemented,
                  "the backward of a torch.autograd.Function has a branch or a loop, and the graph of its gradient cannot have it; run the "
                  "gradient where no graph is made");
  const IValue value = NodeInterpreter(*function->graph).run(std::move(inputs));
  const size_t count = function->graph->output()->arg_count();
  if (count == 0) return {};
  return count == 1 ? std::vector<IValue>{value} : value.items();
}

}  // namespace

void install_function_texts() { run_function_text = run_text; }

}  // namespace monograph::exec
