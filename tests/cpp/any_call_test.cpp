// No call crashes: the frozen cases of every record with some of their arguments replaced, by tensors of other sizes (0 and beyond 32 bits among them),
// strides, dtypes, devices and numbers of dims, by numbers at the ends of their range, and by lists of other lengths. A call gives its results, or an error
// that says something. The gradients of what works are taken, too. The seed is fresh in every run and printed with what fails; MONOGRAPH_SEED repeats a run.
// Beside these, each tensor of a case becomes one of 0 or 1 dims, complex, of bools and of integers. Memory that nobody has written holds a pattern, which no
// result may have; and small arguments leave memory enough.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <limits>
#include <new>

#include "autograd/engine.h"
#include "frozen_ops.h"
#include "ops/pointwise.h"
#include "sanitizers.h"
#include "test_seed.h"

#ifdef MONOGRAPH_ADDRESS_SANITIZER
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1:max_malloc_fill_size=4096:malloc_fill_byte=165"; }
#endif

namespace monograph {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
constexpr int kCallsOfACase = 3, kCasesOfAnOperator = 6;

class Replacing {
 public:
  explicit Replacing(uint64_t seed) : random_(seed) {}

  // The arguments with one or two of them replaced, by what the schema takes. What is not replaced is copied, since operators in place write it.
  std::vector<IValue> some(const Operator& op, const std::vector<IValue>& args) {
    std::vector<IValue> made;
    for (const IValue& v : args) made.push_back(copy(v));
    for (uint64_t left = args.empty() ? 0 : 1 + below(2); left > 0; --left) {
      const size_t i = below(made.size());
      IValue taken;
      try {
        if (convertible(other(made[i]), op.schema().arguments()[i], taken)) made[i] = taken;
      } catch (const Error&) {
        continue;  // there is no tensor of these sizes
      }
    }
    return made;
  }
  uint64_t below(uint64_t n) { return random_() % n; }

 private:
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

  static IValue copy(const IValue& v) {
    if (v.is_list()) {
      std::vector<IValue> items;
      for (const IValue& item : v.items()) items.push_back(copy(item));
      return IValue::list(std::move(items));
    }
    return v.is_tensor() && v.as_tensor().defined() ? IValue(Tensor("clone"_op(v.as_tensor()))) : v;
  }

  IValue other(const IValue& v) {
    if (below(12) == 0) return {};
    if (v.is_tensor()) return v.as_tensor().defined() ? IValue(other(v.as_tensor())) : v;
    if (v.is_bool()) return !v.to_bool();
    if (v.is_int()) return number();
    if (v.is_float()) return one_of({0.0, -0.0, -1.0, 0.5, 1e300, -1e-300, double(INFINITY), -double(INFINITY), double(NAN)});
    if (v.is_complex()) return std::complex<double>(one_of({0.0, 1e300, double(NAN)}), one_of({0.0, -1.0, double(INFINITY)}));
    if (v.is_string()) return std::string(one_of({"", "mean", "none", "nope", "reflect", "tanh"}));
    if (v.tag() == IValue::Tag::Dtype) return dtype();
    if (v.is_ints() || v.is_list()) return list(v.is_ints() ? ints(v) : v.items());
    return v;
  }

  static std::vector<IValue> ints(const IValue& v) {
    std::vector<IValue> items;
    for (int64_t k : v.to_ints()) items.emplace_back(k);
    return items;
  }
  IValue list(std::vector<IValue> items) {
    switch (below(5)) {
      case 0: return IValue::list({});
      case 1:
        if (!items.empty()) items.pop_back();
        break;
      case 2:
        if (!items.empty()) items.push_back(items.back());
        break;
      default:
        if (!items.empty()) {
          IValue& item = items[below(items.size())];
          item = other(item);
        }
    }
    return IValue::list(std::move(items));
  }

  int64_t number() { return one_of<int64_t>({kLeast, kLeast / 2 + 1, -7, -2, -1, 0, 1, 2, 3, 9, 70, kMost / 2, kMost - 1, kMost}); }
  DType dtype() {
    return one_of({DType::f32, DType::f64, DType::f16, DType::bf16, DType::c64, DType::c128, DType::b1, DType::u8, DType::i8, DType::i16,
                   DType::i32, DType::i64, DType::u16, DType::f8e4m3fn});
  }

  Tensor other(const Tensor& t) {
    Dims sizes = t.sizes();
    if (t.is_meta() || std::ranges::any_of(sizes, [](int64_t n) { return n > 100'000; })) return t;  // replaced before
    switch (below(10)) {
      case 0: return "to"_op(t, dtype());
      case 1: return empty(sizes, t.dtype(), Device{DeviceType::Meta});
      case 2:  // many elements, none of which takes memory
        if (!sizes.empty()) sizes[below(sizes.size())] = one_of({int64_t{1} << 40, kMost / 8});
        return empty(sizes, t.dtype(), Device{DeviceType::Meta});
      case 3: {  // none at all, and a size beyond 32 bits
        if (sizes.empty()) return t;
        sizes[below(sizes.size())] = one_of({int64_t{1} << 40, int64_t{1} << 61, kMost});
        sizes[below(sizes.size())] = 0;
        return empty(sizes, t.dtype());
      }
      case 4:
        if (!sizes.empty()) sizes.erase(below(sizes.size()));
        break;
      case 5: sizes.insert(below(sizes.size() + 1), one_of<int64_t>({0, 1, 2})); break;
      case 6: break;
      default:
        if (!sizes.empty()) sizes[below(sizes.size())] = one_of<int64_t>({0, 0, 1, 2, 3, 5, 8});
    }
    return strided(sizes, t);
  }

  // A tensor of these sizes in any layout: dims in any order, with gaps, repeated elements, and elements that overlap. Its numbers are those of t.
  Tensor strided(const Dims& sizes, const Tensor& t) {
    std::vector<size_t> order(sizes.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = d;
    if (below(2) == 0) std::ranges::shuffle(order, random_);
    Dims strides(sizes.size(), 0);
    int64_t step = one_of<int64_t>({1, 1, 2, 3}), reach = 1;
    for (size_t k = order.size(); k-- > 0;) {
      const size_t d = order[k];
      strides[d] = below(8) == 0 ? one_of<int64_t>({0, 1}) : step;
      step *= std::max<int64_t>(sizes[d], 1);
      reach += strides[d] * std::max<int64_t>(sizes[d] - 1, 0);
    }
    const int64_t offset = one_of<int64_t>({0, 0, 1, 5}), numbers = std::max<int64_t>(t.numel(), 1);
    Tensor own = t.numel() == 0 ? Tensor("zeros"_op(Dims{1}, t.dtype())) : Tensor("flatten"_op(contiguous(t)));
    Tensor storage = "repeat"_op(own, Dims{(offset + reach + numbers - 1) / numbers});
    return storage.as_strided(sizes, strides, offset);
  }

  std::mt19937_64 random_;
};

std::string words_of(const IValue& v) {
  if (v.is_tensor() && v.as_tensor().defined()) {
    const Tensor& t = v.as_tensor();
    return concat(name(t.dtype()), to_string(t.sizes()), " in strides ", to_string(t.strides()),
                  t.device().type == DeviceType::Meta ? " on meta" : "");
  }
  if (v.is_bool()) return v.to_bool() ? "True" : "False";
  if (v.is_int()) return std::to_string(v.to_int());
  if (v.is_float()) return std::to_string(v.to_double());
  if (v.is_string()) return "'" + v.to_string() + "'";
  if (v.is_ints()) return to_string(v.to_ints());
  if (v.is_list()) {
    std::string text = "[";
    for (const IValue& item : v.items()) text += (text.size() > 1 ? ", " : "") + words_of(item);
    return text + "]";
  }
  return v.is_none() ? "None" : v.tag() == IValue::Tag::Dtype ? std::string(name(v.to_dtype())) : "...";
}
std::string words_of(const std::vector<IValue>& args) {
  std::string text;
  for (const IValue& v : args) text += (text.empty() ? "" : ", ") + words_of(v);
  return text;
}

bool takes_gradient(const Tensor& t) { return t.defined() && (is_floating(t.dtype()) || is_complex(t.dtype())); }

DType floating_dtype(const std::vector<IValue>& args) {
  for (const IValue& v : args)
    if (v.is_tensor() && takes_gradient(v.as_tensor())) return v.as_tensor().dtype();
  return DType::f32;
}

constexpr uint8_t kUnwritten = 165;

// Fills the small blocks that the allocator has at hand, so that what a kernel does not write is seen.
void fill_free_memory() {
  std::vector<Tensor> blocks;
  for (int64_t bytes = 64; bytes <= 512; bytes += 64)
    for (int k = 0; k < 4; ++k) {
      blocks.push_back(empty({bytes}, DType::u8));
      std::fill_n(blocks.back().data_as<uint8_t>(), bytes, kUnwritten);
    }
}

bool is_unwritten(const Tensor& t) {
  if (!t.defined() || t->kind != TensorImpl::Kind::Dense || t.is_meta() || t.numel() == 0 || t.numel() > 10'000) return false;
  const int64_t size = element_size(t.dtype());
  if (size == 1 && t.dtype() != DType::b1) return false;  // any byte may be a value
  const Tensor whole = contiguous(t);
  const auto* bytes = reinterpret_cast<const uint8_t*>(whole.data());
  for (int64_t i = 0; i < t.numel(); ++i)
    if (std::all_of(bytes + i * size, bytes + (i + 1) * size, [](uint8_t b) { return b == kUnwritten; })) return true;
  return false;
}

// Whether no argument asks for more than a little memory.
bool is_small(const IValue& v) {
  constexpr int64_t kLittle = 100'000;
  if (v.is_tensor()) return !v.as_tensor().defined() || v.as_tensor().numel() < kLittle;
  if (v.is_int()) return std::abs(v.to_int()) < kLittle;
  if (v.is_float() || v.is_complex()) return std::abs(v.to_complex()) < double(kLittle);
  if (v.is_ints()) return std::ranges::all_of(v.to_ints(), [](int64_t n) { return n > -kLittle && n < kLittle; });
  return !v.is_list() || std::ranges::all_of(v.items(), is_small);
}

// One call, with its gradients if it gives some. "" or what is wrong with it.
std::string outcome(const Operator& op, const std::vector<IValue>& args, bool with_gradients, size_t& works) {
  try {
    std::vector<Tensor> leaves, roots;
    for (const IValue& v : args)
      if (with_gradients && v.is_tensor() && takes_gradient(v.as_tensor())) leaves.push_back(v.to_tensor());
    for (const Tensor& t : leaves) set_requires_grad(t, true);
    fill_free_memory();
    const IValue result = frozen::run_op(op, args);
    ++works;
    const bool leaves_unwritten = op.name().find("empty") != std::string::npos || op.name().find("resize") != std::string::npos;
    for (const IValue& v : result.is_tuple() || result.is_list() ? result.items() : std::vector<IValue>{result}) {
      if (v.is_tensor() && !leaves_unwritten && is_unwritten(v.as_tensor())) return "its result has elements that nothing has written";
      if (v.is_tensor() && v.as_tensor().defined() && v.as_tensor()->requires_grad && v.as_tensor().numel() < 100'000)
        roots.push_back("sum"_op(v.as_tensor()));
    }
    if (!roots.empty()) gradients(roots, {}, leaves, {}, true);
    return "";
  } catch (const Error& e) {
    const std::string_view words = e.what();
    if (words.size() < 8) return concat("its error says nothing: '", words, "'");
    return words.find("bug in Monograph") != std::string_view::npos ? std::string(words) : "";
  } catch (const std::bad_alloc&) {
    return std::ranges::all_of(args, is_small) ? "finds no memory for small arguments" : "";  // a MemoryError in Python
  } catch (const std::exception& e) {
    return concat("raises ", e.what());
  }
}

TEST(AnyCall, GivesResultsOrAnError) {
  install_operators();
  install_autograd();
  const uint64_t seed = test::base_seed();
  SCOPED_TRACE(concat("MONOGRAPH_SEED=", seed));
  Replacing replacing(seed);
  std::map<const Operator*, int> cases;
  std::map<std::string, std::string> failures;
  size_t calls = 0, works = 0;
  const bool tells = std::getenv("MONOGRAPH_TELL_CALLS") != nullptr;  // for a crash, which says no more
  frozen::for_each_case([&](const Operator& op, const std::vector<IValue>& args, const frozen::Json&) {
    if (op.name().find("polynomial") != std::string::npos) return;  // it takes as long as its degree is great, as in PyTorch
    if (++cases[&op] > kCasesOfAnOperator && replacing.below(40) != 0) return;
    for (int k = 0; k < kCallsOfACase; ++k) {
      const std::vector<IValue> given = replacing.some(op, args);
      if (tells) std::cerr << op.name() << "(" << words_of(given) << ")" << std::endl;
      const std::string wrong = outcome(op, given, replacing.below(2) == 0, works);
      if (!wrong.empty()) failures.try_emplace(op.name(), concat(wrong, "\n    ", words_of(given)));
      ++calls;
    }
  });
  for (const auto& [op, wrong] : failures) ADD_FAILURE() << op << ": " << wrong;
  std::cout << calls << " calls, " << works << " of which work\n";
  EXPECT_GT(calls, 10'000u);
  EXPECT_GT(works, calls / 10);
}

// Each tensor of a case alone, and all of them, as tensors of few dims and of each kind of dtype, on the CPU and on meta.
TEST(AnyCall, TakesTensorsOfFewDimsAndOfEachKindOfDtype) {
  install_operators();
  install_autograd();
  std::map<const Operator*, int> cases;
  std::map<std::string, std::string> failures;
  size_t calls = 0, works = 0;
  const bool tells = std::getenv("MONOGRAPH_TELL_CALLS") != nullptr;
#ifndef MONOGRAPH_THREAD_SANITIZER
  fill_free_memory();
  EXPECT_TRUE(is_unwritten(empty({30}, DType::f32)));  // what the calls below must not give
#endif
  frozen::for_each_case([&](const Operator& op, const std::vector<IValue>& args, const frozen::Json&) {
    std::vector<size_t> tensors;
    for (size_t i = 0; i < args.size(); ++i)
      if (args[i].is_tensor() && args[i].as_tensor().defined()) tensors.push_back(i);
    if (tensors.empty() || ++cases[&op] > 2) return;
    for (const Dims& sizes : {Dims{}, Dims{0}, Dims{3}, Dims{2, 3}})
      for (const DType t : {DType::f32, DType::c64, DType::b1, DType::i64})
        for (const DeviceType device : {DeviceType::Cpu, DeviceType::Meta})
          for (size_t k = 0; k <= tensors.size(); ++k) {
            std::vector<IValue> given = args;
            for (size_t i = 0; i < tensors.size(); ++i) {
              const Tensor own = args[tensors[i]].to_tensor();
              Tensor other = i == k || k == tensors.size() ? Tensor("ones"_op(sizes, t)) : Tensor("clone"_op(own));
              if (device == DeviceType::Meta && !other.is_meta())
                other = empty_strided(other.sizes(), other.strides(), other.dtype(), {device});
              given[tensors[i]] = other;
            }
            if (tells) std::cerr << op.name() << "(" << words_of(given) << ")" << std::endl;
            const std::string wrong = outcome(op, given, false, works);
            if (!wrong.empty()) failures.try_emplace(op.name(), concat(wrong, "\n    ", words_of(given)));
            ++calls;
          }
  });
  for (const auto& [op, wrong] : failures) ADD_FAILURE() << op << ": " << wrong;
  std::cout << calls << " calls, " << works << " of which work\n";
  EXPECT_GT(works, 5'000u);
}

// The forms in place and with out= of each record, where an argument requires grad: each writes the tensor that it is given, or raises an error.
TEST(AnyCall, FormsWriteOrRefuseWhereGradientsAreRecorded) {
  install_operators();
  install_autograd();
  std::map<const Operator*, std::vector<const Operator*>> forms;
  for (const Operator* op : Registry::global().all())
    if (op->functional && !op->changes_geometry) forms[op->functional].push_back(op);
  std::map<std::string, std::string> failures;
  std::map<const Operator*, int> cases;
  size_t written = 0, refused = 0;
  frozen::for_each_case([&](const Operator& op, const std::vector<IValue>& args, const frozen::Json&) {
    if (!forms.contains(&op) || ++cases[&op] > 4) return;
    for (const Operator* form : forms[&op]) {
      std::vector<IValue> given;
      bool any = false;
      for (const IValue& v : args) {
        if (v.is_tensor() && takes_gradient(v.as_tensor())) {
          const Tensor leaf = "clone"_op(v.as_tensor());
          set_requires_grad(leaf, true);
          given.emplace_back(Tensor("mul"_op(leaf, 1))), any = true;
        } else {
          given.push_back(v);
        }
      }
      if (!any) return;
      const auto& places = form->schema().arguments();
      std::vector<Tensor> targets;
      if (places[0].writes()) targets.push_back(given[0].to_tensor());
      for (size_t i = given.size(); i < places.size(); ++i)
        given.emplace_back(empty({0}, floating_dtype(args))), targets.push_back(given.back().to_tensor());
      if (targets.empty()) continue;
      try {
        const IValue result = frozen::run_op(*form, given);
        const std::vector<IValue> results = result.is_tuple() ? result.items() : std::vector<IValue>{result};
        for (size_t k = 0; k < results.size() && k < targets.size(); ++k)
          if (results[k].as_tensor().operator->() != targets[k].operator->()) failures[form->name()] = words_of(given);
        ++written;
      } catch (const Error&) {
        ++refused;
      }
    }
  });
  for (const auto& [form, words] : failures) ADD_FAILURE() << form << " gives another tensor than the one that it should write: " << words;
  std::cout << written << " calls wrote, " << refused << " were refused\n";
  EXPECT_GT(written, 100u);
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace monograph
