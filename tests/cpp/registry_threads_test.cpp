// Operators are registered while other threads look operators up and run graphs: the thread sanitizer sees whether that is safe.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "exec/interpreter.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace monograph {
namespace {

constexpr int kOperators = 200;

constexpr const char* kProgram = R"(graph(%x : Tensor):
  %y : Tensor = aten::mul.Tensor(%x, %x)
  %z : Tensor = aten::sum(%y)
  return (%z)
)";

Num twice(Num x) { return x + x; }

const bool installed = [] {
  install_operators();
  return true;
}();

TEST(RegistryThreads, OperatorsAreRegisteredWhileGraphsRun) {
  std::atomic<bool> stop = false;
  std::atomic<int> seen = 0;
  std::vector<std::thread> readers;
  for (int t = 0; t < 3; ++t)
    readers.emplace_back([&] {
      while (!stop) {
        Tensor x = empty({3});
        "fill_"_op(x, 2.0);
        auto graph = ir::parse_graph(kProgram);
        ir::verify(*graph);
        EXPECT_EQ(exec::plan(*graph)({x})[0].to_tensor().data_as<float>()[0], 12);
        // A record that can be found is whole.
        for (int i = 0; i < kOperators; ++i) {
          const Operator* op = Registry::global().find(concat("threads::op", i));
          if (!op) continue;
          EXPECT_TRUE(op->pointwise && op->eval && op->derived_gradient);
          EXPECT_STREQ(op->doc, "Twice self.");
          EXPECT_TRUE(Registry::global().find(concat("threads::op", i, "_")));
          IValue result;
          const IValue args[] = {x};
          call(*op, args, &result);
          EXPECT_EQ(result.as_tensor().data_as<float>()[2], 4);
        }
        int count = 0;
        for (const Operator* op : Registry::global().all()) count += op->name().starts_with("threads::op");
        if (count > seen) seen = count;
        if (const OverloadSet* set = Registry::global().find_overloads("threads::many"))
          for (const Operator* op : set->overloads) EXPECT_FALSE(op->name().empty());
      }
    });
  std::vector<std::thread> writers;
  for (int w = 0; w < 2; ++w)
    writers.emplace_back([w] {
      for (int i = w; i < kOperators; i += 2) {
        const std::string schema = concat("threads::op", i, "(Tensor self) -> Tensor"),
                          overload = concat("threads::many.o", i, "(Tensor self, int[", i + 1, "] n) -> Tensor");
        Registry::global()
            .pointwise(schema.c_str(), twice)
            .dtypes(kFloating)
            .inplace()
            .gradient(derived)
            .onnx(none("a test"))
            .doc("Twice self.");
        Registry::global().op(overload.c_str()).decompose([](const IValue* a) -> IValue { return a[0]; }).onnx(none("a test")).doc("self");
      }
    });
  for (std::thread& t : writers) t.join();
  stop = true;
  for (std::thread& t : readers) t.join();
  EXPECT_EQ(Registry::global().find_overloads("threads::many")->overloads.size(), static_cast<size_t>(kOperators));
  int count = 0;
  for (const Operator* op : Registry::global().all()) count += op->name().starts_with("threads::op");
  EXPECT_EQ(count, 2 * kOperators);  // with their in-place forms
}

TEST(RegistryThreads, AStatementThatFailsLeavesNothing) {
  const size_t before = Registry::global().all().size();
  Registry::global().op("threads::taken_(Tensor(a!) self) -> Tensor(a!)").onnx(none("a test")).doc("self");
  EXPECT_THROW(Registry::global().op("threads::taken(Tensor self) -> Tensor").inplace(), Error);  // taken_ is there already
  EXPECT_EQ(Registry::global().all().size(), before + 1);
  EXPECT_FALSE(Registry::global().find("threads::taken"));
  Registry::global().op("threads::taken(Tensor self) -> Tensor").onnx(none("a test")).doc("self");  // and its name is free
  EXPECT_TRUE(Registry::global().find("threads::taken"));
}

}  // namespace
}  // namespace monograph
