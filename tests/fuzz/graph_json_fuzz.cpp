// Fuzzes the JSON of a graph. What is read comes back identical from its JSON.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ir/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace monograph;
  std::unique_ptr<ir::Graph> graph;
  try {
    graph = ir::graph_from_json({reinterpret_cast<const char*>(data), size});
  } catch (const Error&) {
    return 0;
  }
  if (!ir::identical(*graph, *ir::graph_from_json(ir::to_json(*graph)))) std::abort();
  return 0;
}
