// The Recorder of this thread gets one instruction for each operation; finish() numbers them in the canonical order.
#include "ops/num.h"

#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "core/error.h"

namespace monograph {
namespace {

thread_local Recorder* recorder = nullptr;

struct InsHash {
  size_t operator()(const Ins& n) const {
    uint64_t h = static_cast<uint64_t>(n.fn) << 8 | static_cast<uint64_t>(n.t);
    for (uint64_t v : {uint64_t{n.a}, uint64_t{n.b}, uint64_t{n.c}, n.imm}) h = (h ^ v) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
    return h;
  }
};

Num put(Fn fn, DType t, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, uint64_t imm = 0) {
  return Recorder::current().put({fn, t, a, b, c, imm});
}

// An operation whose operands and result have the same dtype.
Num same(Fn fn, Num a, Num b) {
  MONOGRAPH_ASSERT(a.t == b.t);
  return put(fn, a.t, a.id, b.id);
}

Num compare(Fn fn, Num a, Num b) {
  MONOGRAPH_ASSERT(a.t == b.t);
  return put(fn, DType::b1, a.id, b.id);
}

Num round_to_integral(Fn fn, Num x) { return is_floating(x.t) ? put(fn, x.t, x.id) : x; }

uint64_t keep_width(DType t, int64_t v) {
  return t == DType::b1 ? v != 0 : static_cast<uint64_t>(v) & (~uint64_t{0} >> (64 - 8 * element_size(t)));
}

}  // namespace

struct Recorder::Table {
  std::unordered_map<Ins, uint32_t, InsHash> known;
};

Recorder::Recorder(uint32_t copy) : table_(new Table), outer_(recorder) {
  body_.copy = copy;
  recorder = this;
}

Recorder::~Recorder() {
  recorder = outer_;
  delete table_;
}

Recorder& Recorder::current() {
  MONOGRAPH_ASSERT(recorder != nullptr);
  return *recorder;
}

Num Recorder::put(Ins ins) {
  const uint32_t operands[] = {ins.a, ins.b, ins.c};
  for (int k = 0; k < operand_count(ins); ++k) MONOGRAPH_ASSERT(operands[k] < body_.ins.size());
  auto [place, is_new] = table_->known.try_emplace(ins, static_cast<uint32_t>(body_.ins.size()));
  if (is_new) body_.ins.push_back(ins);
  return {place->second, ins.t};
}

Num Recorder::arg(DType storage, bool uniform) {
  const uint64_t index = body_.args.size();
  body_.args.push_back({storage, uniform});
  Num value = put({Fn::Arg, real_type(storage), 0, 0, 0, index});
  return compute_type(storage) == storage ? value : convert(value, DType::f32);
}

DType Recorder::stored(Num argument) const {
  const Ins* n = &body_.ins[argument.id];
  if (n->fn == Fn::Convert) n = &body_.ins[n->a];
  return n->fn == Fn::Arg ? body_.args[n->imm].dtype : argument.t;
}

void Recorder::out(Num value, DType storage, bool uniform) {
  const uint32_t re = convert(value, real_type(storage)).id;
  const uint32_t im = is_complex(storage) ? lit(real_type(storage), 0.0).id : 0;
  body_.outs.push_back({{storage, uniform}, re, im});
}

// Instructions are numbered depth first from the results, operands before their users: the order in which a body's author (or the compiler
// of its C++ expressions, which may evaluate operands in any order) happened to record them does not reach the kernel's key.
Body Recorder::finish() {
  constexpr uint32_t kUnplaced = ~uint32_t{0};
  Body result = std::move(body_);
  const std::vector<Ins> recorded = std::exchange(result.ins, {});
  std::vector<uint32_t> place(recorded.size(), kUnplaced), pending;
  auto visit = [&](uint32_t& root) {
    pending.push_back(root);
    while (!pending.empty()) {
      const uint32_t i = pending.back();
      const size_t height = pending.size();
      Ins n = recorded[i];
      uint32_t* operands[] = {&n.a, &n.b, &n.c};
      for (int k = place[i] == kUnplaced ? operand_count(n) : 0; k-- > 0;)
        if (place[*operands[k]] == kUnplaced) pending.push_back(*operands[k]);
      if (pending.size() > height) continue;
      pending.pop_back();
      if (place[i] != kUnplaced) continue;
      for (int k = 0; k < operand_count(recorded[i]); ++k) *operands[k] = place[*operands[k]];
      if (n.fn == Fn::Call && operand_count(recorded[i]) == 1) n.b = n.a;
      place[i] = static_cast<uint32_t>(result.ins.size());
      result.ins.push_back(n);
    }
    root = place[root];
  };
  for (Body::Out& o : result.outs) {
    visit(o.re);
    if (is_complex(o.arg.dtype)) visit(o.im);
  }
  body_ = {};
  table_->known.clear();
  return result;
}

uint64_t literal_bits(DType t, double v) {
  switch (t) {
    case DType::f16: return half_from_float(static_cast<float>(v));
    case DType::bf16: return bfloat_from_float(static_cast<float>(v));
    case DType::f32: return std::bit_cast<uint32_t>(static_cast<float>(v));
    case DType::f64: return std::bit_cast<uint64_t>(v);
    case DType::b1: return v != 0;
    default: return keep_width(t, v >= -0x1p63 && v < 0x1p63 ? static_cast<int64_t>(v) : INT64_MIN);
  }
}

uint64_t literal_bits(DType t, int64_t v) {
  if (t == DType::f32) return std::bit_cast<uint32_t>(static_cast<float>(v));  // rounded once
  return is_floating(t) ? literal_bits(t, static_cast<double>(v)) : keep_width(t, v);
}

Num lit(DType t, double v) { return lit_bits(t, literal_bits(t, v)); }
Num lit_int(DType t, int64_t v) { return lit_bits(t, literal_bits(t, v)); }
Num lit_bits(DType t, uint64_t bits) { return put(Fn::Const, t, 0, 0, 0, bits); }

// Over b1, + is "or" and * is "and", as in PyTorch.
Num operator+(Num a, Num b) { return same(a.t == DType::b1 ? Fn::Or : Fn::Add, a, b); }
Num operator-(Num a, Num b) { return same(Fn::Sub, a, b); }
Num operator*(Num a, Num b) { return same(a.t == DType::b1 ? Fn::And : Fn::Mul, a, b); }
Num operator/(Num a, Num b) { return same(Fn::Div, a, b); }
Num operator%(Num a, Num b) { return same(Fn::Rem, a, b); }
Num operator-(Num a) { return put(Fn::Neg, a.t, a.id); }
Num operator<(Num a, Num b) { return compare(Fn::Lt, a, b); }
Num operator<=(Num a, Num b) { return compare(Fn::Le, a, b); }
Num operator==(Num a, Num b) { return compare(Fn::Eq, a, b); }
Num operator!=(Num a, Num b) { return ~(a == b); }
Num operator&(Num a, Num b) { return same(Fn::And, a, b); }
Num operator|(Num a, Num b) { return same(Fn::Or, a, b); }
Num operator^(Num a, Num b) { return same(Fn::Xor, a, b); }
Num operator~(Num a) { return put(Fn::Not, a.t, a.id); }
Num operator<<(Num a, Num b) { return same(Fn::Shl, a, b); }
Num shr(Num a, Num b) { return same(Fn::Shr, a, b); }
Num sar(Num a, Num b) { return same(Fn::Sar, a, b); }

Num where(Num condition, Num a, Num b) {
  MONOGRAPH_ASSERT(condition.t == DType::b1 && a.t == b.t);
  return put(Fn::Select, a.t, condition.id, a.id, b.id);
}

Num where_rare(Num condition, Num a, Num b) {
  MONOGRAPH_ASSERT(condition.t == DType::b1 && a.t == b.t);
  return put(Fn::Select, a.t, condition.id, a.id, b.id, 1);
}

Num fma(Num a, Num b, Num c) {
  MONOGRAPH_ASSERT(a.t == b.t && b.t == c.t);
  return put(Fn::Fma, a.t, a.id, b.id, c.id);
}

Num sqrt(Num x) { return put(Fn::Sqrt, x.t, x.id); }
Num abs(Num x) { return x.t == DType::u8 || x.t == DType::b1 ? x : put(Fn::Abs, x.t, x.id); }
Num floor(Num x) { return round_to_integral(Fn::Floor, x); }
Num ceil(Num x) { return round_to_integral(Fn::Ceil, x); }
Num trunc(Num x) { return round_to_integral(Fn::Trunc, x); }
Num rint(Num x) { return round_to_integral(Fn::Rint, x); }
Num mul_hi(Num a, Num b) { return same(Fn::MulHi, a, b); }

Num bits(Num x) {
  MONOGRAPH_ASSERT(x.t == DType::f32 || x.t == DType::f64);
  return put(Fn::Bits, x.t == DType::f32 ? DType::i32 : DType::i64, x.id);
}

Num from_bits(Num x, DType t) {
  MONOGRAPH_ASSERT(is_floating(t) && element_size(t) == element_size(x.t));
  return put(Fn::FromBits, t, x.id);
}

// The 16-bit floats have conversions only from and to f32. All others go through f32, as in PyTorch.
Num convert(Num x, DType t) {
  if (x.t == t) return x;
  if (compute_type(x.t) != x.t && t != DType::f32) x = convert(x, DType::f32);
  if (compute_type(t) != t && x.t != DType::f32) x = convert(x, DType::f32);
  return put(Fn::Convert, t, x.id);
}

Num is_nan(Num x) { return is_floating(x.t) ? x != x : lit_bits(DType::b1, 0); }

Num raise_if(Num condition, Num value) {
  MONOGRAPH_ASSERT(condition.t == DType::b1);
  return put(Fn::RaiseIf, value.t, condition.id, value.id);
}

Num reduce(Combine c, Num x) {
  if (x.t == DType::b1 && c == Combine::Sum) c = Combine::Max;
  if (x.t == DType::b1 && c == Combine::Prod) c = Combine::Min;
  return put(Fn::Reduce, x.t, x.id, 0, 0, static_cast<uint64_t>(c));
}

Num row_index() { return put(Fn::Index, DType::i64); }
Num row_count() { return put(Fn::Count, DType::i64); }

// The selects of Combine::Max and Min (kernels/body.h). On x86 they are one max and one blend. If both are equal (0 and -0), the result is b.
Num maximum(Num a, Num b) {
  Num larger = where(b < a, a, b);
  return is_floating(a.t) ? where(is_nan(a), a, larger) : larger;
}

Num minimum(Num a, Num b) {
  Num smaller = where(a < b, a, b);
  return is_floating(a.t) ? where(is_nan(a), a, smaller) : smaller;
}

}  // namespace monograph
