// The kernels that a build ships: each is there, has the evaluator's bits, and is made again only when its body changes.
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/error.h"
#include "kernel_harness.h"
#include "kernels/registry.h"
#include "ops/kernel_families.h"
#include "processor.h"

namespace monograph {
namespace {

using test::expect_equal;
using test::OperandLayout;

// Those that have kernels.
const std::vector<KernelFamily>& families() {
  static const std::vector<KernelFamily> all = [] {
    std::vector<KernelFamily> some = kernel_families();
    std::erase_if(some, [](const KernelFamily& f) { return f.members.empty(); });
    return some;
  }();
  return all;
}

std::vector<OperandLayout> layouts_of(const Body& body, KernelForm form, int64_t n, int64_t rows, int64_t stride) {
  const size_t outs = body.outs.size(), count = outs + body.args.size();
  std::vector<OperandLayout> layouts(count);
  for (size_t k = 0; k < count; ++k) {
    const bool uniform = k < outs ? body.outs[k].arg.uniform : body.args[k - outs].uniform;
    if (uniform) layouts[k] = {0, 1};
    else layouts[k] = form == KernelForm::Outer ? OperandLayout{stride * rows, 1} : OperandLayout{stride, stride * n};
  }
  return layouts;
}

class Families : public ::testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(All, Families, ::testing::Range<size_t>(0, families().size()),
                         [](auto& info) { return families()[info.param].name; });

TEST_P(Families, EveryKernelIsThereWithTheEvaluatorsBits) {
  if (host_isa() < Isa::v3) GTEST_SKIP() << "kernels are generated for x86-64-v3 and up; this machine has " << name(host_isa());
  std::mt19937_64 random(10);
  for (const KernelFamily::Member& m : families()[GetParam()].members) {
    KernelFn fn = find_kernel(hash(m.body), m.form);
    ASSERT_NE(fn, nullptr) << m.name;
    if (!test::can_judge(m.body, host_isa())) continue;
    for (int64_t n : {1, 100, 193})
      for (int64_t stride : {1, 2}) {
        const int64_t rows = m.form == KernelForm::Outer ? 70 + n % 7 : 2;
        expect_equal({{m.name, fn}}, m.body, m.form, n, rows, layouts_of(m.body, m.form, n, rows, stride), random, stride == 1);
        if (HasFatalFailure()) return;
      }
  }
}

TEST(Registry, HasNothingForAnUnknownBody) {
  EXPECT_EQ(find_kernel(0x1234567890abcdefull, KernelForm::Pointwise), nullptr);
  if (host_isa() >= Isa::v3) {
    EXPECT_GT(kernel_count(), 0u);
  }
}

// Files by name with the time they were written.
std::map<std::string, std::filesystem::file_time_type> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::filesystem::file_time_type> files;
  for (const auto& e : std::filesystem::recursive_directory_iterator(folder))
    if (e.is_regular_file()) files[e.path().filename().string()] = e.last_write_time();
  return files;
}

TEST(Kernelgen, TouchesNothingUnlessSomethingChanged) {
  const KernelFamily* smallest = nullptr;
  for (const KernelFamily& f : families())
    if (smallest == nullptr || f.members.size() < smallest->members.size()) smallest = &f;
  ASSERT_NE(smallest, nullptr);
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / concat("kernelgen_test_", getpid());
  auto run = [&](const std::string& fingerprint) {
    const std::string command = concat(MONOGRAPH_KERNELGEN " --isa v3 --family ", smallest->name, " --fingerprint ", fingerprint,
                                       " --out '", folder.string(), "' > /dev/null");
    return WEXITSTATUS(std::system(command.c_str()));
  };
  ASSERT_EQ(run("a"), 0);
  const auto first = contents(folder);
  EXPECT_TRUE(first.count("libgenerated_kernels.a") && first.count("kernel_tables.o"));
  ASSERT_EQ(run("a"), 0);
  EXPECT_EQ(contents(folder), first);
  ASSERT_EQ(run("b"), 0);
  const auto other = contents(folder);
  EXPECT_EQ(other.size(), first.size());  // objects that nothing asks for are gone
  for (const auto& [file, time] : other)
    if (file.find(".v3.") != std::string::npos) {  // an object of a family, named after its contents
      EXPECT_FALSE(first.count(file)) << file;
    }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace monograph
