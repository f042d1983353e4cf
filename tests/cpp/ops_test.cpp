// Every operator record against what PyTorch computed (tests/data/ops, frozen by tools/oracle/freeze_ops.py): values, dtypes and sizes; what is
// refused; then, on the same cases, inference, other layouts of the arguments, and the in-place and out= forms against the functional result.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "frozen_compare.h"
#include "frozen_ops.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/pointwise.h"
#include "ops/registry.h"

namespace monograph {
namespace {

using frozen::bind_case;
using frozen::compare;
using frozen::families;
using frozen::Json;
using frozen::largest;
using frozen::read;
using frozen::read_tensor;
using frozen::run_op;

// --- Comparison.

// How far a value may lie from PyTorch's: units in the last place of the dtype. Both sides round elementary functions within 2 (float64: 4), and
// composites of a few of them within a few times that; float16 and bfloat16 are computed in float32 and rounded once by either.
double tolerance(DType t) {
  switch (t) {
    case DType::f32:
    case DType::c64: return 16 * 0x1p-24;
    case DType::f64:
    case DType::c128: return 32 * 0x1p-53;
    case DType::f16: return 1.01 * 0x1p-10;
    case DType::bf16: return 1.01 * 0x1p-7;
    default: return 0;
  }
}

// --- Calls.

// The same elements in another layout: every second place of a wider storage, dims reversed.
IValue relaid(const IValue& v) {
  if (v.is_list()) {
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(relaid(item));
    return IValue::list(std::move(items));
  }
  if (!v.is_tensor()) return v;
  const Tensor& t = v.as_tensor();
  Dims strides(t.sizes().size(), 0);
  int64_t step = 2;
  for (size_t d = 0; d < strides.size(); ++d) strides[d] = step, step *= std::max<int64_t>(t.sizes()[d], 1);
  Tensor out = empty({step + 3}, t.dtype()).as_strided(t.sizes(), strides, 1);
  copy_into(out, t);
  return out;
}

std::string infer_difference(const Operator& op, const std::vector<IValue>& args, const IValue& result) {
  std::vector<AbstractValue> known;
  for (const IValue& v : args) known.push_back(AbstractValue::of(v));
  std::vector<ir::Type> types = infer_results(op, std::move(known));
  for (size_t k = 0; k < types.size(); ++k) {
    const IValue& v = result.is_tuple() ? result.items()[k] : result;
    if (!v.is_tensor() || !types[k].is(ir::TypeKind::Tensor)) continue;
    const ir::TensorType& t = types[k].tensor();
    const Tensor& real = v.as_tensor();
    if (!t.dtype || *t.dtype != real.dtype()) return concat("inferred ", to_string(types[k]), ", the dtype is ", name(real.dtype()));
    const bool data_dependent = op.sized_by_elements();
    if (!t.sizes || t.sizes->size() != real.sizes().size()) {
      if (data_dependent && !t.sizes) continue;
      return concat("inferred ", to_string(types[k]), ", the sizes are ", to_string(real.sizes()));
    }
    for (size_t d = 0; d < t.sizes->size(); ++d)
      if (const auto& n = (*t.sizes)[d]; n ? *n != SymInt(real.sizes()[d]) : !data_dependent)
        return concat("inferred ", to_string(types[k]), ", the sizes are ", to_string(real.sizes()));
  }
  return "";
}

// The same without elements, on the meta device.
IValue without_elements(const IValue& v) {
  if (v.is_list()) {
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(without_elements(item));
    return IValue::list(std::move(items));
  }
  if (!v.is_tensor() || v.as_tensor()->wrapped_number) return v;
  const Tensor& t = v.as_tensor();
  return empty_strided(t.sizes(), t.strides(), t.dtype(), Device{DeviceType::Meta});
}

// The meta device gives what the CPU gives, but for the elements.
std::string meta_difference(const Operator& op, const std::vector<IValue>& args, const IValue& result) {
  auto has_tensor = [](const IValue& v) {
    return v.is_tensor() || ((v.is_list() || v.is_tuple()) && !v.items().empty() && v.items()[0].is_tensor());
  };
  auto names_device = [](const IValue& v) { return v.tag() == IValue::Tag::Device; };
  if (std::ranges::none_of(args, has_tensor) || std::ranges::any_of(args, names_device)) return "";
  std::vector<IValue> given;
  for (const IValue& v : args) given.push_back(without_elements(v));
  IValue got;
  try {
    got = run_op(op, given);
  } catch (const Error& e) {
    const std::string_view words = e.what();
    if (!has_tensor(result))
      return words.find("a meta tensor has no elements") != words.npos ? "" : concat("on the meta device it raises: ", words);
    const bool wants_elements = words.find("depends on elements") != words.npos;
    return wants_elements && op.sized_by_elements() ? "" : concat("on the meta device it raises: ", e.what());
  }
  auto difference = [](const IValue& a, const IValue& b) -> std::string {
    if (!a.is_tensor() || !b.is_tensor()) return "";
    const Tensor &x = a.as_tensor(), &y = b.as_tensor();
    if (x.dtype() == y.dtype() && x.sizes() == y.sizes() && x.strides() == y.strides() && x.is_meta()) return "";
    return concat("on the meta device it gives ", name(x.dtype()), to_string(x.sizes()), " of strides ", to_string(x.strides()), ", not ",
                  name(y.dtype()), to_string(y.sizes()), " of strides ", to_string(y.strides()));
  };
  if (!got.is_list() && !got.is_tuple()) return difference(got, result);
  for (size_t k = 0; k < got.items().size(); ++k)
    if (std::string s = difference(got.items()[k], result.items()[k]); !s.empty()) return s;
  return "";
}

// Absolute values of what has a sign, or a direction in the plane.
IValue without_signs(const IValue& v) {
  if (v.is_list() || v.is_tuple()) {
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(without_signs(item));
    return v.is_list() ? IValue::list(std::move(items)) : IValue::tuple(std::move(items));
  }
  const bool has = v.is_tensor() && (is_floating(v.as_tensor().dtype()) || is_complex(v.as_tensor().dtype()));
  return has ? "abs"_op(v) : v;
}

struct Report {
  std::map<std::string, std::vector<std::string>> failures;  // by operator, the first few
  size_t cases = 0, failed = 0;
  void add(const std::string& op, std::string message) {
    ++failed;
    auto& list = failures[op];
    if (list.size() < 4) list.push_back(std::move(message));
  }
};

// Whether the result is a sum of terms that may cancel: PyTorch orders and rounds them otherwise, so that the error is relative to the terms.
bool sums(const Operator& op) {
  const auto& arguments = op.schema().arguments();
  bool weighted =
      std::ranges::any_of(arguments, [](const ir::Argument& a) { return a.name == "alpha" || a.name == "value" || a.name == "weight"; });
  return op.rows || !op.pointwise || weighted || op.family.starts_with("activations");
}

double slack(const Operator& op, DType t) {
  if (op.is_special(Special::EitherZero)) return 1e-300;
  return op.is_special(Special::TinyIsZero) && t == DType::bf16 ? 1e-27 : 0;
}

void forgive_overflowed_quotients(const Tensor& got, const Tensor& want) {
  if (got.dtype() != DType::f32 || want.dtype() != DType::f32 || got.sizes() != want.sizes()) return;
  Tensor ours = contiguous(got);
  for (int64_t i = 0; i < want.numel(); ++i)
    if (float x = ours.data_as<float>()[i]; std::isnan(want.data_as<float>()[i]) && std::abs(x) < 1e-30f) want.data_as<float>()[i] = x;
}

void check_forms(const Operator& op, const Json& j, const IValue& expected, Report& report) {
  if (!expected.is_tensor()) return;
  const Tensor& value = expected.as_tensor();
  for (const auto& form : Registry::global().all()) {
    if (form->functional != &op) continue;
    std::vector<IValue> args;
    if (!bind_case(op, j, args)) return;
    bool out = form->schema().arguments().back().out;
    if (out) args.resize(form->schema().arguments().size() - 1);  // a factory's dtype and device are those of out
    if (out) args.push_back(empty({0}, value.dtype()));
    else if (!args[0].is_tensor() || args[0].as_tensor().dtype() != value.dtype() || args[0].as_tensor().sizes() != value.sizes()) continue;
    try {
      IValue result = run_op(*form, args);
      const IValue& written = out ? args.back() : args[0];
      if (!result.is_tensor() || !result.as_tensor().is_same(written.as_tensor()))
        report.add(form->name(), "does not return what it wrote");
      else if (std::string s = compare(result, expected, 0, 0); !s.empty())
        report.add(form->name(), concat(s, " in the functional form: ", j.dump().substr(0, 300)));
    } catch (const Error& e) {
      report.add(form->name(), concat("raises where the functional form does not: ", e.what(), "\n    ", j.dump().substr(0, 300)));
    }
  }
}

// A result that shares an argument's memory, where the schema says that it is new: writes to it would be taken for writes to nothing else.
bool hidden_alias(const Operator& op, const std::vector<IValue>& args, const IValue& got) {
  auto shares = [&](const IValue& result, size_t place) {
    for (size_t k = 0; k < args.size() && result.is_tensor() && result.as_tensor().numel() > 0; ++k)
      if (args[k].is_tensor() && args[k].as_tensor()->storage == result.as_tensor()->storage && !op.schema().may_alias(place, k) &&
          !op.schema().returns_argument(place, k))
        return true;
    return false;
  };
  if (!got.is_list() && !got.is_tuple()) return shares(got, 0);
  for (size_t k = 0; k < got.items().size(); ++k)
    if (shares(got.items()[k], op.results() > 1 ? k : 0)) return true;
  return false;
}

void check_case(const Operator& op, const Json& line, Report& report) {
  const Json& j = line["a"];
  ++report.cases;
  std::string shown = j.dump().substr(0, 400);
  bool refused = line.contains("e");
  std::vector<IValue> args;
  IValue got;
  std::string message;
  try {
    if (bind_case(op, j, args)) got = run_op(op, args);
    else message = "the arguments do not bind";
  } catch (const Error& e) {
    message = e.what();
  }
  if (refused) {
    if (message.empty() && !op.is_special(Special::MixedDtypes))
      report.add(op.name(), concat("accepts what PyTorch refuses with ", line["e"].get<std::string>(), "\n    ", shown));
    return;
  }
  if (!message.empty()) return report.add(op.name(), concat("raises: ", message, "\n    ", shown));
  if (hidden_alias(op, args, got))
    return report.add(op.name(), concat("returns an argument's memory, of which its schema says nothing\n    ", shown));
  IValue want = read(line["r"]);
  const IValue& first = (want.is_list() || want.is_tuple()) && !want.items().empty() ? want.items()[0] : want;
  DType dtype = first.is_tensor() ? first.as_tensor().dtype() : DType::f32;
  if (op.is_special(Special::OverflowIsNaN) && got.is_tensor()) forgive_overflowed_quotients(got.as_tensor(), want.as_tensor());
  double eps = tolerance(dtype), scale = slack(op, dtype);
  // Sums of many terms are ordered otherwise in PyTorch: their error is relative to the terms.
  if (sums(op))
    for (const IValue& v : args) scale = std::max(scale, largest(v));
  if (sums(op)) scale = std::max(scale, op.pointwise ? scale : scale * scale);
  if (op.is_special(Special::RoundsEachFactor) && (is_floating(dtype) || is_complex(dtype)))
    eps *= std::max(1.0, static_cast<double>(args[0].as_tensor().numel()) / (element_size(dtype) == 2 ? 1 : 16));
  if (is_complex(dtype) && op.is_special(Special::BranchPoints)) eps *= 4;
  // A factorization rounds some ten times on the way to an element, and adds terms as large as its largest one.
  if (op.is_special(Special::Factorization)) eps *= 8, scale = std::max({1.0, largest(want), largest(args[0])});
  const bool turned = op.is_special(Special::TurnedVectors);
  std::string problem = turned ? compare(without_signs(got), without_signs(want), eps, eps * scale) : compare(got, want, eps, eps * scale);
  // Functions of complex numbers are less exact in either library: then ours is as near as PyTorch's to what double precision gives.
  if (!problem.empty() && dtype == DType::c64 && want.is_tensor() &&
      compare(got, want, frozen::kFar * eps, frozen::kFar * eps * scale).empty()) {
    std::vector<IValue> exactly;
    for (const IValue& v : args) exactly.push_back(frozen::in_double(v));
    if (frozen::as_near(got.as_tensor(), want.as_tensor(), run_op(op, exactly).to_tensor())) problem.clear();
  }
  if (!problem.empty()) return report.add(op.name(), concat(problem, "\n    ", shown));
  if (!op.schema().is_pure()) return;
  if (std::string s = infer_difference(op, args, got); !s.empty()) report.add(op.name(), concat(s, "\n    ", shown));
  if (std::string s = meta_difference(op, args, got); !s.empty()) report.add(op.name(), concat(s, "\n    ", shown));
  std::vector<IValue> other;
  for (const IValue& v : args) other.push_back(relaid(v));
  if (!op.is_special(Special::LayoutMatters)) {
    try {
      if (std::string s = compare(run_op(op, other), got, 0, 0); !s.empty())
        report.add(op.name(), concat("another layout of the arguments changes the result: ", s, " else\n    ", shown));
    } catch (const Error& e) {
      report.add(op.name(), concat("another layout of the arguments raises: ", e.what(), "\n    ", shown));
    }
  }
  check_forms(op, j, got, report);
}

class Frozen : public testing::TestWithParam<frozen::Family> {};

TEST_P(Frozen, EqualsPyTorch) {
  std::ifstream file(GetParam().file);
  ASSERT_TRUE(file) << "run in the repository's root";
  Report report;
  const Operator* op = nullptr;
  for (std::string text; std::getline(file, text);) {
    Json line = Json::parse(text);
    if (line.contains("op")) {
      op = frozen::find(line["op"].get<std::string>(), GetParam().copy);
      ASSERT_TRUE(op) << line["op"] << " was frozen and is no record any more";
      std::string schema = to_string(op->schema()).replace(0, op->name().size(), op->original_name());
      if (schema != line["schema"].get<std::string>() && !op->is_special(Special::OtherSchemaText))
        report.add(op->name(), concat("its schema is\n    ", schema, "\n    PyTorch's is\n    ", line["schema"].get<std::string>()));
      continue;
    }
    check_case(*op, line, report);
  }
  for (const auto& [name, list] : report.failures)
    for (const std::string& message : list) ADD_FAILURE() << name << ": " << message;
  if (report.failed) ADD_FAILURE() << report.failed << " of " << report.cases << " cases of " << GetParam().name << " failed";
  EXPECT_GT(report.cases, 10u);
}

TEST(FrozenFiles, HoldCasesOfEveryRecord) {
  std::set<std::string> tried;
  for (const frozen::Family& family : families()) {
    std::ifstream file(family.file);
    std::string op;
    for (std::string text; std::getline(file, text);)
      if (Json line = Json::parse(text); line.contains("op")) op = line["op"].get<std::string>();
      else tried.insert(op);
  }
  for (const auto& op : Registry::global().all()) {
    const bool needs_none = op->functional || op->no_samples;  // check_forms runs in-place and out= forms on the functional one's cases
    const std::string original = op->original_name();
    EXPECT_TRUE(tried.contains(original) || needs_none)
        << op->name() << " has no case: state .samples(...) on its record, and run tools/oracle/freeze_ops.py";
    EXPECT_FALSE(tried.contains(original) && op->no_samples) << op->name() << " has cases, and its record says why it has none";
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Frozen, testing::ValuesIn(families()), frozen::name_of);

}  // namespace
}  // namespace monograph
