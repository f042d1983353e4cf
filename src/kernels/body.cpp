// Prints bodies and computes their properties: which instructions are uniform over a row, whether a body may raise an error, its hash.
#include "kernels/body.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace monograph {
namespace {

struct FnInfo {
  const char* name;
  uint8_t operands;  // the number of operands among a, b, c that are instructions
};

// Indexed by Fn.
constexpr FnInfo kFns[] = {
    {"arg", 0},   {"const", 0},  {"index", 0}, {"count", 0},    {"add", 2},     {"sub", 2},  {"mul", 2},     {"div", 2},    {"rem", 2},
    {"neg", 1},   {"abs", 1},    {"sqrt", 1},  {"fma", 3},      {"floor", 1},   {"ceil", 1}, {"trunc", 1},   {"rint", 1},   {"lt", 2},
    {"le", 2},    {"eq", 2},     {"and", 2},   {"or", 2},       {"xor", 2},     {"not", 1},  {"shl", 2},     {"shr", 2},    {"sar", 2},
    {"mulhi", 2}, {"select", 3}, {"bits", 1},  {"frombits", 1}, {"convert", 1}, {"call", 1}, {"raiseif", 2}, {"reduce", 1},
};
static_assert(std::size(kFns) == static_cast<size_t>(Fn::Reduce) + 1);

const char* short_name(DType t) {
  constexpr const char* kNames[kComputedDTypeCount] = {"u8", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "c64", "c128", "b1", "bf16"};
  return kNames[static_cast<size_t>(t)];
}

std::string literal_text(DType t, uint64_t bits) {
  char text[40];
  std::to_chars_result end{text, {}};
  if (t == DType::f32) end = std::to_chars(text, text + sizeof text, std::bit_cast<float>(static_cast<uint32_t>(bits)));
  else if (t == DType::f64) end = std::to_chars(text, text + sizeof text, std::bit_cast<double>(bits));
  else if (t == DType::f16) end = std::to_chars(text, text + sizeof text, float_from_half(static_cast<uint16_t>(bits)));
  else if (t == DType::bf16) end = std::to_chars(text, text + sizeof text, float_from_bfloat(static_cast<uint16_t>(bits)));
  else {
    int unused = 64 - 8 * static_cast<int>(element_size(t));
    bool is_signed = info(t).is_signed;
    end = std::to_chars(text, text + sizeof text, is_signed ? static_cast<int64_t>(bits << unused) >> unused : static_cast<int64_t>(bits));
  }
  return std::string(text, end.ptr);
}

const char* name(Combine c) {
  constexpr const char* kNames[] = {"sum", "prod", "max", "min"};
  return kNames[static_cast<size_t>(c)];
}

// The finalizer of MurmurHash3, chained. It is the same on every machine, since the hash is a part of the names of generated kernels.
uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0xff51afd7ed558ccdull;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return h ^ (h >> 33);
}

}  // namespace

int operand_count(const Ins& ins) {
  if (ins.fn == Fn::Call && ins.b != ins.a) return 2;
  return kFns[static_cast<size_t>(ins.fn)].operands;
}

bool Body::raises() const {
  return std::any_of(ins.begin(), ins.end(), [](const Ins& i) { return i.fn == Fn::RaiseIf; });
}

std::vector<bool> uniform_instructions(const Body& body) {
  std::vector<bool> uniform(body.ins.size());
  for (size_t i = 0; i < body.ins.size(); ++i) {
    const Ins& n = body.ins[i];
    if (n.fn == Fn::Arg) uniform[i] = body.args[n.imm].uniform;
    else if (n.fn == Fn::Index) uniform[i] = false;
    else if (n.fn == Fn::Const || n.fn == Fn::Count || n.fn == Fn::Reduce) uniform[i] = true;
    else {
      const uint32_t operands[] = {n.a, n.b, n.c};
      uniform[i] = std::all_of(operands, operands + operand_count(n), [&](uint32_t k) { return uniform[k]; });
    }
  }
  return uniform;
}

int64_t cost_per_element(const Body& body) {
  const std::vector<bool> uniform = uniform_instructions(body);
  int64_t cost = 0;
  for (size_t i = 0; i < body.ins.size(); ++i) {
    const Fn fn = body.ins[i].fn;
    if (fn == Fn::Div || fn == Fn::Rem || fn == Fn::Sqrt) cost += uniform[i] ? 0 : 4;
    else if (fn == Fn::Reduce) ++cost;
    else cost += !uniform[i] && fn != Fn::Arg;
  }
  return std::max<int64_t>(cost, 1);
}

std::string to_string(const Body& body) {
  std::string text;
  for (size_t i = 0; i < body.ins.size(); ++i) {
    const Ins& n = body.ins[i];
    text += std::to_string(i) + " " + kFns[static_cast<size_t>(n.fn)].name;
    if (n.fn == Fn::Arg) text += " " + std::to_string(n.imm) + (is_complex(body.args[n.imm].dtype) ? n.b ? ".imag" : ".real" : "");
    else if (n.fn == Fn::Const) text += " " + literal_text(n.t, n.imm);
    else if (n.fn == Fn::Reduce) text += std::string(" ") + name(static_cast<Combine>(n.imm));
    else if (n.fn == Fn::Call) text += " #" + std::to_string(n.imm);
    const uint32_t operands[] = {n.a, n.b, n.c};
    for (int k = 0; k < operand_count(n); ++k) text += " " + std::to_string(operands[k]);
    if (n.fn == Fn::Select && n.imm) text += " rare";
    text += std::string(" : ") + short_name(n.t) + "\n";
  }
  for (const Body::Out& o : body.outs) {
    text += "out " + std::to_string(o.re);
    if (is_complex(o.arg.dtype)) text += " " + std::to_string(o.im);
    text += std::string(" : ") + short_name(o.arg.dtype) + (o.arg.uniform ? " uniform\n" : "\n");
  }
  return text;
}

uint64_t hash(const Body& body) {
  uint64_t h = mix(0x6d6f6e6f67726170ull, body.ins.size());
  for (const Ins& n : body.ins) {
    h = mix(h, static_cast<uint64_t>(n.fn) << 8 | static_cast<uint64_t>(n.t) | static_cast<uint64_t>(n.a) << 32);
    h = mix(h, static_cast<uint64_t>(n.b) << 32 | n.c);
    h = mix(h, n.imm);
  }
  h = mix(h, body.args.size());
  for (const BodyArg& a : body.args) h = mix(h, static_cast<uint64_t>(a.dtype) << 1 | a.uniform);
  for (const Body::Out& o : body.outs) {
    h = mix(h, static_cast<uint64_t>(o.arg.dtype) << 1 | o.arg.uniform);
    h = mix(h, static_cast<uint64_t>(o.re) << 32 | o.im);
  }
  return body.copy == 0 ? h : mix(h, body.copy);
}

uint64_t identity_bits(Combine c, DType t) {
  if (c == Combine::Sum) return 0;
  const bool max = c == Combine::Max;
  switch (t) {
    case DType::f32: return c == Combine::Prod ? 0x3f800000u : max ? 0xff800000u : 0x7f800000u;
    case DType::f64: return c == Combine::Prod ? 0x3ff0000000000000ull : max ? 0xfff0000000000000ull : 0x7ff0000000000000ull;
    default: break;
  }
  if (c == Combine::Prod) return 1;
  if (t == DType::b1) return max ? 0 : 1;
  const int width = 8 * static_cast<int>(element_size(t));
  const uint64_t all = ~uint64_t{0} >> (64 - width), top = info(t).is_signed ? uint64_t{1} << (width - 1) : 0;
  return max ? top : all ^ top;
}

}  // namespace monograph
