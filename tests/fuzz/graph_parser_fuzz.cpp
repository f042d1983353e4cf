// Fuzzes the parser of the text form. What parses is printed, read again, verified, copied, hashed and swept: none of it may crash, and the text
// must come back identical.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ir/text.h"
#include "ir/verify.h"
#include "passes/canonical.h"
#include "passes/dce.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace monograph;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::unique_ptr<ir::Graph> graph;
  try {
    graph = ir::parse_graph(text);
  } catch (const Error&) {
    try {
      ir::parse_unit(text);
    } catch (const Error&) {
    }
    return 0;
  }
  std::string printed = ir::to_text(*graph), difference;
  if (!ir::identical(*graph, *ir::parse_graph(printed), &difference)) std::abort();
  bool valid = ir::problems(*graph).empty();
  try {
    ir::to_torchscript(*graph);
    ir::to_tabular(*graph);
    if (valid) {
      ir::to_python(*graph);
      passes::hash(*graph);
      passes::eliminate_dead_code(*graph);
      ir::verify(*graph);
    }
  } catch (const Error& e) {
    if (valid && std::string_view(e.what()).find("is not valid") != std::string_view::npos) std::abort();
  }
  return 0;
}
