// The evaluator works in blocks: each instruction runs over kLanes elements before the next one starts, so that an instruction is decoded
// once for each block. A row program takes one pass over the row per level of Reduce, and recomputes what a later pass needs again.
#include "kernels/evaluator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "core/error.h"
#include "kernels/isa.h"

namespace monograph {
namespace {

constexpr int kLanes = 256;
static_assert(kInnerBlock % kLanes == 0 && kLanes % kInnerLanes == 0 && kOuterBlock == kLanes);

// The values of one instruction for the elements of a block. All lanes are initialized, also those past the end of the row.
struct alignas(64) Lanes {
  std::byte bytes[kLanes * sizeof(double)];
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(bytes);
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(bytes);
  }
};

// An instruction and pointers to its operands.
struct BoundInstruction {
  Fn fn;
  DType t, from;  // the dtypes of the result and of operand a
  uint64_t imm;
  Lanes* out;
  const Lanes *a, *b, *c;
};

template <class T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <class T>
inline constexpr bool kIsInt = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
inline constexpr bool kIsStorage = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

// Calls f with a zero of the C++ type of a dtype in a body. Complex values have become pairs of real ones before.
template <class F>
inline void with_type(DType t, F&& f) {
  dispatch(t, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (kIsFloat<T> || std::is_integral_v<T> || kIsStorage<T>) f(zero);
  });
}

// The unsigned type in which arithmetic of type T wraps, wide enough to avoid C++'s promotion to int.
template <class T>
using Wrap = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T, class R = T, class F>
inline void map1(const BoundInstruction& s, F f) {
  const T* __restrict a = s.a->as<T>();
  R* __restrict out = s.out->as<R>();
  for (int i = 0; i < kLanes; ++i) out[i] = f(a[i]);
}

template <class T, class R = T, class F>
inline void map2(const BoundInstruction& s, F f) {
  const T* __restrict a = s.a->as<T>();
  const T* __restrict b = s.b->as<T>();
  R* __restrict out = s.out->as<R>();
  for (int i = 0; i < kLanes; ++i) out[i] = f(a[i], b[i]);
}

template <class To, class From>
inline To convert_value(From v) {
  if constexpr (std::is_same_v<To, From>) return v;
  else if constexpr (kIsStorage<From>) return convert_value<To>(static_cast<float>(v));
  else if constexpr (kIsStorage<To>) return To(static_cast<float>(v));
  else if constexpr (std::is_same_v<To, bool>) return v != From(0);
  else if constexpr (kIsFloat<From> && kIsInt<To>) {
    constexpr To least = std::is_signed_v<To> ? To(To(1) << (sizeof(To) * 8 - 1)) : To(0);
    const From end = std::is_signed_v<To> ? -static_cast<From>(least) : From(256);  // one past the greatest, a power of two
    const From whole = std::trunc(v);
    return whole >= static_cast<From>(least) && whole < end ? static_cast<To>(whole) : least;
  } else return static_cast<To>(v);
}

template <class T>
inline T sum(T a, T b) {
  if constexpr (kIsFloat<T>) return a + b;
  else if constexpr (kIsInt<T>) return static_cast<T>(Wrap<T>(a) + Wrap<T>(b));
  else return a | b;
}

template <class T>
inline T product(T a, T b) {
  if constexpr (kIsFloat<T>) return a * b;
  else if constexpr (kIsInt<T>) return static_cast<T>(Wrap<T>(a) * Wrap<T>(b));
  else return a & b;
}

template <class T>
inline void arithmetic(const BoundInstruction& s) {
  using U = Wrap<T>;
  switch (s.fn) {
    case Fn::Add: return map2<T>(s, [](T a, T b) { return sum(a, b); });
    case Fn::Mul: return map2<T>(s, [](T a, T b) { return product(a, b); });
    case Fn::Sub:
      return map2<T>(s, [](T a, T b) {
        if constexpr (kIsFloat<T>) return a - b;
        else return static_cast<T>(U(a) - U(b));
      });
    case Fn::Neg:
      return map1<T>(s, [](T a) {
        if constexpr (kIsFloat<T>) return -a;
        else return static_cast<T>(U(0) - U(a));
      });
    case Fn::Abs:
      return map1<T>(s, [](T a) {
        if constexpr (kIsFloat<T>) return std::fabs(a);
        else return static_cast<T>(a < T(0) ? U(0) - U(a) : U(a));
      });
    case Fn::Lt: return map2<T, bool>(s, [](T a, T b) { return a < b; });
    case Fn::Le: return map2<T, bool>(s, [](T a, T b) { return a <= b; });
    case Fn::Eq: return map2<T, bool>(s, [](T a, T b) { return a == b; });
    default: break;
  }
  if constexpr (kIsFloat<T>) {
    switch (s.fn) {
      case Fn::Div: return map2<T>(s, [](T a, T b) { return a / b; });
      case Fn::Sqrt: return map1<T>(s, [](T a) { return std::sqrt(a); });
      case Fn::Floor: return map1<T>(s, [](T a) { return std::floor(a); });
      case Fn::Ceil: return map1<T>(s, [](T a) { return std::ceil(a); });
      case Fn::Trunc: return map1<T>(s, [](T a) { return std::trunc(a); });
      case Fn::Rint: return map1<T>(s, [](T a) { return std::nearbyint(a); });
      case Fn::Fma: {  // std::fma is exact by definition, with the instruction or without
        const T* __restrict a = s.a->as<T>();
        const T* __restrict b = s.b->as<T>();
        const T* __restrict c = s.c->as<T>();
        T* __restrict out = s.out->as<T>();
        for (int i = 0; i < kLanes; ++i) out[i] = std::fma(a[i], b[i], c[i]);
        return;
      }
      default: break;
    }
  } else if constexpr (kIsInt<T>) {
    switch (s.fn) {
      case Fn::Div: return map2<T>(s, [](T a, T b) { return static_cast<T>(a / b); });
      case Fn::Rem: return map2<T>(s, [](T a, T b) { return static_cast<T>(a % b); });
      case Fn::And: return map2<T>(s, [](T a, T b) { return static_cast<T>(a & b); });
      case Fn::Or: return map2<T>(s, [](T a, T b) { return static_cast<T>(a | b); });
      case Fn::Xor: return map2<T>(s, [](T a, T b) { return static_cast<T>(a ^ b); });
      case Fn::Not: return map1<T>(s, [](T a) { return static_cast<T>(~a); });
      case Fn::Shl: return map2<T>(s, [](T a, T b) { return static_cast<T>(U(a) << (b & (sizeof(T) * 8 - 1))); });
      case Fn::Shr: return map2<T>(s, [](T a, T b) { return static_cast<T>(std::make_unsigned_t<T>(a) >> (b & (sizeof(T) * 8 - 1))); });
      case Fn::Sar: return map2<T>(s, [](T a, T b) { return static_cast<T>(a >> (b & (sizeof(T) * 8 - 1))); });
      case Fn::MulHi: return map2<T>(s, [](T a, T b) { return static_cast<T>((static_cast<__int128>(a) * b) >> (sizeof(T) * 8)); });
      default: break;
    }
  } else {
    switch (s.fn) {
      case Fn::And: return map2<T>(s, [](T a, T b) { return static_cast<T>(a & b); });
      case Fn::Or: return map2<T>(s, [](T a, T b) { return static_cast<T>(a | b); });
      case Fn::Xor: return map2<T>(s, [](T a, T b) { return static_cast<T>(a ^ b); });
      case Fn::Not: return map1<T>(s, [](T a) { return !a; });
      default: break;
    }
  }
  fail(ErrorKind::Value, "[evaluate] no operation ", static_cast<int>(s.fn), " on ", std::string(name(s.t)));
}

inline void select(const BoundInstruction& s) {
  with_type(s.t, [&](auto zero) {
    using T = decltype(zero);
    const bool* __restrict condition = s.a->as<bool>();
    const T* __restrict b = s.b->as<T>();
    const T* __restrict c = s.c->as<T>();
    T* __restrict out = s.out->as<T>();
    for (int i = 0; i < kLanes; ++i) out[i] = condition[i] ? b[i] : c[i];
  });
}

inline void run_instruction(const BoundInstruction& s) {
  switch (s.fn) {
    case Fn::Select: return select(s);
    case Fn::Bits:
    case Fn::FromBits: std::memcpy(s.out, s.a, kLanes * element_size(s.t)); return;
    case Fn::RaiseIf: std::memcpy(s.out, s.b, kLanes * element_size(s.t)); return;
    case Fn::Convert:
      return with_type(s.from, [&](auto from) {
        using From = decltype(from);
        with_type(s.t, [&](auto to) {
          using To = decltype(to);
          map1<From, To>(s, [](From v) { return convert_value<To>(v); });
        });
      });
    default:
      return with_type(s.from, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (!kIsStorage<T>) arithmetic<T>(s);
      });
  }
}

#if defined(__clang__)
#define MONOGRAPH_VECTORIZE gnu::flatten
#else
#define MONOGRAPH_VECTORIZE gnu::flatten, gnu::optimize("O3")  // at -O2 GCC 12 leaves most of these loops scalar
#endif

// The same code compiled twice: for the build's baseline, and for x86-64-v3, which has an fma instruction. The bits are equal.
[[gnu::flatten]] void run_baseline(const BoundInstruction& s) { run_instruction(s); }
#if defined(__x86_64__)
[[MONOGRAPH_VECTORIZE, gnu::target("avx2,fma")]] void run_v3(const BoundInstruction& s) { run_instruction(s); }
#endif

using RunInstruction = void (*)(const BoundInstruction&);

RunInstruction best_run() {
#if defined(__x86_64__)
  if (host_isa() >= Isa::v3) return run_v3;
#endif
  return run_baseline;
}

// Reads `count` elements (1 to kLanes) `stride` bytes apart; sets the remaining lanes to zero.
void load(Lanes& out, DType t, const char* from, int64_t stride, int64_t count) {
  with_type(t, [&](auto zero) {
    using T = decltype(zero);
    T* to = out.as<T>();
    if (stride == static_cast<int64_t>(sizeof(T)) && !std::is_same_v<T, bool>) {
      std::memcpy(to, from, count * sizeof(T));
    } else {
      for (int64_t i = 0; i < count; ++i) {
        if constexpr (std::is_same_v<T, bool>) to[i] = from[i * stride] != 0;
        else std::memcpy(to + i, from + i * stride, sizeof(T));
      }
    }
    std::memset(static_cast<void*>(to + count), 0, (kLanes - count) * sizeof(T));
  });
}

void store(const Lanes& in, DType t, char* to, int64_t stride, int64_t count) {
  const int64_t size = element_size(t);
  if (stride == size) {
    std::memcpy(to, in.bytes, count * size);
  } else {
    for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * stride, in.bytes + i * size, size);
  }
}

void fill(Lanes& out, DType t, const void* value) {
  const int64_t size = element_size(t);
  for (int64_t i = 0; i < kLanes; ++i) std::memcpy(out.bytes + i * size, value, size);
}

// Combines an earlier and a later operand, as defined in kernels/body.h.
template <class T>
inline T combine(Combine how, T a, T b) {
  switch (how) {
    case Combine::Sum: return sum(a, b);
    case Combine::Prod: return product(a, b);
    case Combine::Max: return a != a ? a : b < a ? a : b;
    case Combine::Min: return a != a ? a : a < b ? a : b;
  }
  return a;
}

// The state of one Reduce over one row, in the order of docs/numerics.md.
class RowReduction {
 public:
  RowReduction(Combine how, DType t, KernelForm form) : how_(how), t_(t), lanes_(form == KernelForm::Inner ? kInnerLanes : 1) {}

  void start() {
    blocks_ = 0;
    elements_ = 0;
    const uint64_t identity = identity_bits(how_, t_);
    fill(acc_, t_, &identity);
  }

  // Folds the next `count` elements of the row.
  void fold(const Lanes& values, int64_t count) {
    with_type(t_, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (!kIsStorage<T>) fold_values(acc_.as<T>(), values.as<T>(), count);
    });
    elements_ += count;
    const int64_t block = lanes_ == 1 ? kOuterBlock : kInnerBlock;
    if (elements_ % block == 0) end_block();
  }

  // Writes the row's result to every lane of `out`.
  void finish(Lanes& out) {
    const int64_t block = lanes_ == 1 ? kOuterBlock : kInnerBlock;
    if (elements_ % block != 0 || elements_ == 0) end_block();
    int level = 0;
    while (!(blocks_ >> level & 1)) ++level;
    uint64_t value = partial_[level];
    for (++level; blocks_ >> level; ++level) {
      if (blocks_ >> level & 1) value = combine_bits(partial_[level], value);
    }
    fill(out, t_, &value);
  }

 private:
  template <class T>
  void fold_values(T* acc, const T* values, int64_t count) {
    const int64_t mask = lanes_ - 1;
    for (int64_t i = 0; i < count; ++i) acc[i & mask] = combine(how_, acc[i & mask], values[i]);
  }

  uint64_t combine_bits(uint64_t older, uint64_t newer) const { return monograph::combine(how_, t_, older, newer); }

  uint64_t lane(int64_t i) const {
    uint64_t value = 0;
    std::memcpy(&value, acc_.bytes + i * element_size(t_), element_size(t_));
    return value;
  }

  // Halves the lanes down to one and adds it to the binary counter of blocks.
  void end_block() {
    std::array<uint64_t, kInnerLanes> lanes;
    for (int64_t i = 0; i < lanes_; ++i) lanes[i] = lane(i);
    for (int64_t h = lanes_ / 2; h > 0; h /= 2) {
      for (int64_t i = 0; i < h; ++i) lanes[i] = combine_bits(lanes[i], lanes[i + h]);
    }
    uint64_t value = lanes[0];
    int level = 0;
    for (; blocks_ >> level & 1; ++level) value = combine_bits(partial_[level], value);
    partial_[level] = value;
    ++blocks_;
    const uint64_t identity = identity_bits(how_, t_);
    fill(acc_, t_, &identity);
  }

  Combine how_;
  DType t_;
  int64_t lanes_;
  int64_t elements_ = 0;
  uint64_t blocks_ = 0;
  std::array<uint64_t, 64> partial_;  // one for each level of the counter
  Lanes acc_;
};

uint32_t operand(const Ins& in, int k) { return k == 0 ? in.a : k == 1 ? in.b : in.c; }

// The imaginary part of a complex result; for other results their only part.
uint32_t last_part(const Body::Out& out) { return is_complex(out.arg.dtype) ? out.im : out.re; }

// Runs one body over given operands. Instructions have levels: a Reduce is one level above its operand. Pass p over a row computes the
// operands of the Reduces of level p + 1, and the last pass the results.
class BodyRun {
 public:
  BodyRun(const Body& body, KernelForm form, char* const* operands, const int64_t* inner, int64_t n, const int64_t* outer)
      : body_(body), operands_(operands), inner_(inner), n_(n), outer_(outer), uniform_(uniform_instructions(body)) {
    for (const Ins& in : body.ins) MONOGRAPH_ASSERT(in.fn != Fn::Call);  // the body must be expanded
    find_levels();
    reduction_of_.assign(body.ins.size(), -1);
    for (uint32_t i = 0; i < body.ins.size(); ++i) {
      const Ins& in = body.ins[i];
      if (in.fn != Fn::Reduce) continue;
      reduction_of_[i] = static_cast<int>(reductions_.size());
      reductions_.emplace_back(static_cast<Combine>(in.imm), in.t, form);
    }
    slot_.assign(body.ins.size(), 0);
    for (uint32_t i = 0; i < body.ins.size(); ++i) {
      if (uniform_[i]) slot_[i] = slot_count_++;
    }
    const uint32_t shared = slot_count_;
    slots_.resize(passes_.size());
    for (size_t p = 0; p < passes_.size(); ++p) plan_pass(p, shared);
    lanes_.resize(slot_count_);
    for (uint32_t i = 0; i < body.ins.size(); ++i) {
      if (body.ins[i].fn == Fn::Const) fill(at_uniform(i), body.ins[i].t, &body.ins[i].imm);
      if (body.ins[i].fn == Fn::Count) fill(at_uniform(i), DType::i64, &n_);
    }
  }

  bool row(int64_t r) {
    row_ = r;
    raised_ = false;
    for (size_t p = 0; p < passes_.size(); ++p) run_pass(p);
    for (size_t k = 0; k < body_.outs.size(); ++k) {
      if (body_.outs[k].arg.uniform) store_result(k, passes_.size() - 1, 0, 1);
    }
    return raised_;
  }

 private:
  struct Pass {
    std::vector<uint32_t> uniform;   // computed once, before the blocks
    std::vector<uint32_t> elements;  // computed in every block
    std::vector<uint32_t> reduces;   // fed by every block, finished after them
  };

  void find_levels() {
    const auto& ins = body_.ins;
    std::vector<uint32_t> level(ins.size(), 0);
    uint32_t last = 0;
    for (uint32_t i = 0; i < ins.size(); ++i) {
      for (int k = 0; k < operand_count(ins[i]); ++k) level[i] = std::max(level[i], level[operand(ins[i], k)]);
      if (ins[i].fn == Fn::Reduce) last = std::max(last, ++level[i]);
    }
    passes_.resize(last + 1);
    for (uint32_t i = 0; i < ins.size(); ++i) {
      if (ins[i].fn == Fn::Reduce) passes_[level[i] - 1].reduces.push_back(i);
      else if (uniform_[i]) passes_[level[i]].uniform.push_back(i);
    }
    for (uint32_t p = 0; p <= last; ++p) {
      std::vector<bool> needed(ins.size(), false);
      for (uint32_t i : passes_[p].reduces) needed[ins[i].a] = true;
      if (p == last) {
        for (const auto& out : body_.outs) needed[out.re] = needed[last_part(out)] = true;
      }
      for (uint32_t i = static_cast<uint32_t>(ins.size()); i-- > 0;) {
        if (!needed[i] || uniform_[i]) continue;
        passes_[p].elements.push_back(i);
        for (int k = 0; k < operand_count(ins[i]); ++k) needed[operand(ins[i], k)] = true;
      }
      std::reverse(passes_[p].elements.begin(), passes_[p].elements.end());
    }
  }

  // Gives the instructions of a pass their lanes, reusing those whose value is not read any more.
  void plan_pass(size_t p, uint32_t shared) {
    const auto& ins = body_.ins;
    std::vector<uint32_t> last_use(ins.size(), 0);
    for (uint32_t i : passes_[p].elements) {
      for (int k = 0; k < operand_count(ins[i]); ++k) last_use[operand(ins[i], k)] = i;
    }
    for (uint32_t i : passes_[p].reduces) last_use[ins[i].a] = UINT32_MAX;
    if (p + 1 == passes_.size()) {
      for (const auto& out : body_.outs) last_use[out.re] = last_use[last_part(out)] = UINT32_MAX;
    }
    std::vector<uint32_t> free;
    uint32_t count = shared;
    slots_[p] = slot_;
    for (uint32_t i : passes_[p].elements) {
      if (free.empty()) free.push_back(count++);
      slots_[p][i] = free.back();
      free.pop_back();
      for (int k = 0; k < operand_count(ins[i]); ++k) {
        const uint32_t o = operand(ins[i], k);
        bool again = uniform_[o] || last_use[o] != i;
        for (int j = 0; j < k; ++j) again |= operand(ins[i], j) == o;
        if (!again) free.push_back(slots_[p][o]);
      }
    }
    slot_count_ = std::max(slot_count_, count);
  }

  Lanes& at_uniform(uint32_t i) { return lanes_[slot_[i]]; }
  Lanes& at(size_t p, uint32_t i) { return lanes_[slots_[p][i]]; }

  void run_pass(size_t p) {
    Pass& pass = passes_[p];
    for (uint32_t i : pass.uniform) compute(p, i, 0, 1);
    for (uint32_t i : pass.reduces) reductions_[reduction_of_[i]].start();
    const bool last = p + 1 == passes_.size();
    for (int64_t start = 0; start < n_ && !(pass.elements.empty() && pass.reduces.empty() && !last); start += kLanes) {
      const int64_t count = std::min<int64_t>(kLanes, n_ - start);
      for (uint32_t i : pass.elements) compute(p, i, start, count);
      for (uint32_t i : pass.reduces) reductions_[reduction_of_[i]].fold(at(p, body_.ins[i].a), count);
      if (!last) continue;
      for (size_t k = 0; k < body_.outs.size(); ++k) {
        if (!body_.outs[k].arg.uniform) store_result(k, p, start, count);
      }
    }
    for (uint32_t i : pass.reduces) reductions_[reduction_of_[i]].finish(at_uniform(i));
  }

  // Computes instruction i for `count` elements from `start` on; a uniform one fills all lanes with its value.
  void compute(size_t p, uint32_t i, int64_t start, int64_t count) {
    const Ins& in = body_.ins[i];
    Lanes& out = at(p, i);
    switch (in.fn) {
      case Fn::Const:
      case Fn::Count: return;
      case Fn::Index:
        for (int64_t k = 0; k < kLanes; ++k) out.as<int64_t>()[k] = start + k;
        return;
      case Fn::Arg: return load_argument(in, out, start, count);
      default: break;
    }
    const int operands = operand_count(in);
    run_(BoundInstruction{in.fn, in.t, body_.ins[in.a].t, in.imm, &out, &at(p, in.a), operands > 1 ? &at(p, in.b) : nullptr,
                          operands > 2 ? &at(p, in.c) : nullptr});
    if (in.fn == Fn::RaiseIf) {
      const bool* raise = at(p, in.a).as<bool>();
      raised_ |= std::any_of(raise, raise + count, [](bool b) { return b; });
    }
  }

  void load_argument(const Ins& in, Lanes& out, int64_t start, int64_t count) {
    const size_t k = body_.outs.size() + in.imm;
    const BodyArg& arg = body_.args[in.imm];
    const char* from = operands_[k] + row_ * outer_[k] + (in.b != 0 ? element_size(in.t) : 0);
    if (!arg.uniform) return load(out, in.t, from + start * inner_[k], inner_[k], count);
    load(out, in.t, from, 0, kLanes);
  }

  void store_result(size_t k, size_t p, int64_t start, int64_t count) {
    const Body::Out& out = body_.outs[k];
    char* to = operands_[k] + row_ * outer_[k] + (out.arg.uniform ? 0 : start * inner_[k]);
    const DType t = real_type(out.arg.dtype);
    store(at(p, out.re), t, to, inner_[k], count);
    if (is_complex(out.arg.dtype)) store(at(p, out.im), t, to + element_size(t), inner_[k], count);
  }

  const RunInstruction run_ = best_run();
  const Body& body_;
  char* const* operands_;
  const int64_t* inner_;
  int64_t n_;
  const int64_t* outer_;
  std::vector<bool> uniform_;
  std::vector<Pass> passes_;
  std::vector<RowReduction> reductions_;
  std::vector<int> reduction_of_;           // for each instruction
  std::vector<uint32_t> slot_;              // for each uniform instruction: its lanes
  std::vector<std::vector<uint32_t>> slots_;  // for each pass and instruction
  uint32_t slot_count_ = 0;
  std::vector<Lanes> lanes_;
  int64_t row_ = 0;
  bool raised_ = false;
};

}  // namespace

int32_t evaluate(const Body& body, KernelForm form, char* const* operands, const int64_t* inner, int64_t n, const int64_t* outer,
                 int64_t rows) {
  BodyRun run_body(body, form, operands, inner, n, outer);
  bool raised = false;
  for (int64_t r = 0; r < rows; ++r) raised |= run_body.row(r);
  return raised;
}

uint64_t combine(Combine how, DType t, uint64_t older, uint64_t newer) {
  uint64_t result = 0;
  with_type(t, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!kIsStorage<T>) {
      T a, b;
      std::memcpy(&a, &older, sizeof(T));
      std::memcpy(&b, &newer, sizeof(T));
      const T r = combine(how, a, b);
      std::memcpy(&result, &r, sizeof(T));
    }
  });
  return result;
}

}  // namespace monograph
