// What an out= tensor of each dtype may take, for every record with an out= form, on a case that PyTorch computed (tests/data/ops): a call, the meta device
// and a graph say the same, in the same words; what is accepted holds the result, converted; and only what the record says converts.
#include <gtest/gtest.h>

#include <fstream>

#include "frozen_compare.h"
#include "frozen_ops.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/registry.h"

namespace monograph {
namespace {

using frozen::families;
using frozen::Json;
using frozen::run_op;

std::vector<Tensor> results_of(const IValue& v) {
  if (v.is_tensor()) return {v.to_tensor()};
  std::vector<Tensor> out;
  if (v.is_tuple())
    for (const IValue& item : v.items())
      if (item.is_tensor()) out.push_back(item.to_tensor());
  return out;
}

// The first line of an error, or nothing. It begins with the name of the operator or of one that it is made of.
template <class F>
std::string words_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    const std::string text = e.what();
    const size_t begin = text.starts_with('[') ? text.find("] ") + 2 : 0;
    return text.substr(begin, text.find('\n') - begin);
  }
  return "";
}

IValue on_meta(const IValue& v) {
  if (v.is_list()) {
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(on_meta(item));
    return IValue::list(std::move(items));
  }
  if (!v.is_tensor() || v.as_tensor()->wrapped_number) return v;
  const Tensor& t = v.as_tensor();
  return empty_strided(t.sizes(), t.strides(), t.dtype(), Device{DeviceType::Meta});
}

struct OutCall {
  const Operator& form;
  std::vector<IValue> args;  // without the destinations
  std::vector<Tensor> expected;

  std::vector<IValue> with(size_t which, DType dtype, Device device = {}) const {
    std::vector<IValue> given;
    for (const IValue& v : args) given.push_back(device.type == DeviceType::Meta ? on_meta(v) : v);
    for (size_t k = 0; k < expected.size(); ++k) given.push_back(empty({0}, k == which ? dtype : expected[k].dtype(), device));
    return given;
  }

  void check(size_t which, DType dtype) const {
    SCOPED_TRACE(concat(form.name(), " into ", name(dtype), " of result ", which, ", which is ", name(expected[which].dtype())));
    const bool factory = form.functional->schema().index_of("device") >= 0;  // whose dtype is that of out=
    std::vector<IValue> given = with(which, dtype);
    const std::string words = words_of([&] { run_op(form, given); });
    std::vector<AbstractValue> known;
    for (const IValue& v : with(which, dtype)) known.push_back(AbstractValue::of(v));
    // A graph does not see whether the dtype holds a factory's number.
    if (!factory) {
      EXPECT_EQ(words_of([&] { infer_results(form, known); }), words) << "in a graph";
    }
    if (!form.functional->sized_by_elements() && form.functional->eval == nullptr) {
      EXPECT_EQ(words_of([&] { run_op(form, with(which, dtype, Device{DeviceType::Meta})); }), words) << "on the meta device";
    }
    const DType own = expected[which].dtype();
    if (!words.empty()) {
      EXPECT_NE(dtype, own) << words;
      const bool said = words.find("Expected out tensor to have dtype") != words.npos || words.find("can't be cast") != words.npos;
      EXPECT_TRUE(said || form.out_kind() == OutDType::Computes || factory) << words;
      return;
    }
    const Tensor out = given[args.size() + which].to_tensor();
    EXPECT_EQ(out.dtype(), dtype);
    if (form.out_kind() == OutDType::Exact && !factory) {
      EXPECT_EQ(dtype, own);
    }
    if (form.out_kind() != OutDType::Safe) return;
    EXPECT_TRUE(can_cast(own, dtype));
    EXPECT_EQ(frozen::compare(out, dtype == own ? expected[which] : convert_tensor(expected[which], dtype), 0, 0), "");
  }
};

// The first case of each dtype of the first result.
void check_operator(const Operator& op, const std::vector<Json>& cases, size_t& checked) {
  for (const auto& form : Registry::global().all()) {
    if (form->functional != &op || !form->schema().arguments().back().out) continue;
    std::set<DType> seen;
    for (const Json& j : cases) {
      std::vector<IValue> args;
      if (!frozen::bind_case(op, j, args)) continue;
      const std::vector<Tensor> expected = results_of(run_op(op, args));
      if (expected.size() != op.results() || !seen.insert(expected[0].dtype()).second) continue;
      args.resize(form->schema().arguments().size() - expected.size());
      const OutCall call{*form, args, expected};
      for (size_t which = 0; which < expected.size(); ++which)
        for (int d = 0; d < kComputedDTypeCount; ++d) call.check(which, static_cast<DType>(d)), ++checked;
    }
  }
}

TEST(OutDTypes, ACallTheMetaDeviceAndAGraphSayTheSame) {
  size_t checked = 0;
  for (const frozen::Family& family : families()) {
    if (family.copy) continue;
    std::ifstream file(family.file);
    const Operator* op = nullptr;
    std::vector<Json> cases;
    auto finish = [&] {
      if (op) check_operator(*op, cases, checked);
      cases.clear();
    };
    for (std::string text; std::getline(file, text);) {
      Json line = Json::parse(text);
      if (line.contains("op")) finish(), op = frozen::find(line["op"].get<std::string>(), family.copy);
      else if (!line.contains("e") && cases.size() < 40) cases.push_back(line["a"]);
    }
    finish();
  }
  EXPECT_GT(checked, 10000u);
}

}  // namespace
}  // namespace monograph
