// The canonical form on random graphs: it depends on the program alone, and means the same. The seed is fresh in every run and printed with what
// fails; MONOGRAPH_SEED gives one, MONOGRAPH_ROUNDS the number of graphs.
#include <gtest/gtest.h>

#include <cstdlib>

#include "ir/text.h"
#include "ir/verify.h"
#include "ir_edits.h"
#include "ir_random.h"
#include "passes/canonical.h"
#include "passes/dce.h"
#include "test_seed.h"

namespace monograph::ir {
namespace {

const uint64_t kSeed = monograph::test::base_seed();
const char* const kGivenRounds = std::getenv("MONOGRAPH_ROUNDS");
const uint64_t kRounds = kGivenRounds ? std::strtoull(kGivenRounds, nullptr, 10) : 150;

template <class F>
void for_random_graphs(F&& f) {
  for (uint64_t k = 0; k < kRounds; ++k)
    for (test::CallTargets calls : {test::CallTargets::Anything, test::CallTargets::Resolved}) {
      uint64_t seed = kSeed + k;
      SCOPED_TRACE(concat("MONOGRAPH_SEED=", seed, calls == test::CallTargets::Resolved ? ", resolved calls" : ""));
      auto g = test::RandomGraph(seed, calls).make(10, 3);
      test::Random random(seed);
      f(*g, random);
      if (testing::Test::HasFatalFailure()) return;
    }
}

// What says most of two graphs whose hashes should be equal.
void expect_equal(const Graph& a, const Graph& b, std::string_view what) {
  if (passes::hash(a) == passes::hash(b)) return;
  std::string difference;
  passes::equal(a, b, &difference);
  FAIL() << what << " changes the hash: " << difference << "\n"
         << to_text(a) << to_text(b) << to_text(*passes::canonical(a)) << to_text(*passes::canonical(b));
}

TEST(CanonicalProperty, IsStable) {
  for_random_graphs([](const Graph& g, test::Random&) {
    auto c = passes::canonical(g);
    ASSERT_NO_THROW(verify(*c)) << to_text(g);
    std::string difference;
    ASSERT_TRUE(identical(*c, *parse_graph(to_text(*c)), &difference)) << difference;
    ASSERT_EQ(to_text(*passes::canonical(*c)), to_text(*c)) << "the canonical form of the canonical form is another\n" << to_text(g);
    ASSERT_EQ(passes::hash(g), passes::hash(*g.clone()));
    auto swept = g.clone();
    passes::eliminate_dead_code(*swept);
    ASSERT_NO_THROW(verify(*swept)) << to_text(g) << to_text(*swept);
    expect_equal(g, *swept, "removing dead code");
    ASSERT_EQ(passes::eliminate_dead_code(*swept), 0u) << to_text(*swept);
  });
}

TEST(CanonicalProperty, KeepsWhatTheProgramComputes) {
  for_random_graphs([](const Graph& g, test::Random&) {
    auto c = passes::canonical(g);
    ASSERT_EQ(test::Meaning::of(g), test::Meaning::of(*c)) << to_text(g) << to_text(*c);
  });
}

TEST(CanonicalProperty, DependsOnTheProgramAlone) {
  struct Kind {
    const char* name;
    void (*edit)(Graph&, test::Random&);
  };
  const Kind kinds[] = {{"another order", test::reorder},
                        {"other names", test::rename},
                        {"another order of results", test::permute_results},
                        {"dead code", test::insert_dead},
                        {"repeated nodes", test::insert_duplicates}};
  for_random_graphs([&](const Graph& g, test::Random& random) {
    auto all = g.clone();
    for (const Kind& k : kinds) {
      auto other = g.clone();
      k.edit(*other, random);
      k.edit(*all, random);
      ASSERT_NO_THROW(verify(*other)) << k.name << "\n" << to_text(g) << to_text(*other);
      ASSERT_NO_FATAL_FAILURE(expect_equal(g, *other, k.name));
    }
    test::reorder(*all, random);
    ASSERT_NO_FATAL_FAILURE(expect_equal(g, *all, "all of it together"));
  });
}

// Of the canonical graph, in which nothing is dead. An edit may happen to keep the program (of two equal loops the other one's result is used); that
// is so only where both graphs mean the same.
TEST(CanonicalProperty, ChangesWithEverySingleEdit) {
  size_t edits = 0, kept = 0;
  for_random_graphs([&](const Graph& g, test::Random& random) {
    auto c = passes::canonical(g);
    std::string hash = passes::hash(*c);
    for (int k = 0; k < 10; ++k) {
      auto edited = c->clone();
      std::string what = test::edit(*edited, random);
      if (what.empty()) continue;
      ++edits;
      if (passes::hash(*edited) != hash) continue;
      ++kept;
      ASSERT_EQ(test::Meaning::of(*edited), test::Meaning::of(*c)) << what << "\n" << to_text(*c) << to_text(*edited);
    }
  });
  EXPECT_GT(edits, 2 * kRounds);
  EXPECT_LE(kept, edits / 50);
}

}  // namespace
}  // namespace monograph::ir
