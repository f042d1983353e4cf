// The text form: random graphs read back identical, and so do their copies.
#include <gtest/gtest.h>

#include "ir/text.h"
#include "ir/verify.h"
#include "ir_random.h"
#include "test_seed.h"

namespace monograph::ir {
namespace {

using test::RandomGraph;

TEST(Text, RandomGraphsReadBackIdentical) {
  uint64_t base = monograph::test::base_seed();
  for (uint64_t k = 0; k < 300; ++k) {
    uint64_t seed = base + k;
    SCOPED_TRACE(concat("seed ", seed));
    auto g = RandomGraph(seed).make(12, 3);
    ASSERT_NO_THROW(verify(*g));
    std::string text = to_text(*g), difference;
    std::unique_ptr<Graph> back;
    try {
      back = parse_graph(text);
    } catch (const Error& e) {
      FAIL() << e.what() << "\n" << text;
    }
    ASSERT_TRUE(identical(*g, *back, &difference)) << difference << "\n" << text;
    ASSERT_EQ(text, to_text(*back));
    ASSERT_NO_THROW(verify(*back));
    auto copy = g->clone();
    ASSERT_TRUE(identical(*g, *copy, &difference)) << difference << "\n" << text;
    ASSERT_NO_THROW(verify(*copy));
  }
}

}  // namespace
}  // namespace monograph::ir
