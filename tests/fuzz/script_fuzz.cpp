// Fuzzes the script compiler with the text of functions. What compiles is a valid graph that prints; everything else is an error with its place.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "capture/script/compiler.h"
#include "ir/text.h"
#include "ir/verify.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace monograph;
  std::unique_ptr<ir::Graph> graph;
  try {
    graph = capture::script::compile_text({reinterpret_cast<const char*>(data), size}, "fuzz.py");
  } catch (const Error&) {
    return 0;
  }
  try {
    ir::verify(*graph);
  } catch (const Error& e) {
    std::fprintf(stderr, "%.*s\n%s\n", static_cast<int>(size), reinterpret_cast<const char*>(data), e.what());
    std::abort();
  }
  ir::to_text(*graph), ir::to_torchscript(*graph);
  return 0;
}
