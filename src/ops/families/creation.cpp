// Factories (zeros, full, arange, eye, empty_like, ...), copies (clone, copy_) and conversions (to). A shape rule gives sizes, dtype, strides and device, and
// raises the errors; a kernel fills the elements.
#include "ops/families/creation.h"

#include <algorithm>
#include <cmath>

#include "kernels/fill.h"
#include "ops/dispatch.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"

namespace monograph {

static constexpr const char* kPinned = "pin_memory=True needs a GPU, and Monograph runs on the CPU; leave it out";

// The strides of a new tensor with the sizes of `t` in a MemoryFormat. Preserve keeps the strides of `t` if it has no gaps, else its order of dims.
static Dims strides_in_format(const Tensor& t, const IValue& format) {
  const MemoryFormat f = format.is_none() ? MemoryFormat::Preserve : format.to_memory_format();
  if (f != MemoryFormat::Preserve) return strides_of_format(t.sizes(), f);
  return t->contiguous ? t.strides() : result_strides(t.sizes(), std::span(&t.strides(), 1));
}

void like_rule(RuleCall& c) {
  const ir::FunctionSchema& schema = c.op.schema();
  const int pinned = schema.index_of("pin_memory"), format = schema.index_of("memory_format");
  c.check(pinned < 0 || !c.truth(static_cast<size_t>(pinned)).value_or(false), ErrorKind::NotImplemented, kPinned);
  c.made(c.sizes(0), c.dtype(0));
  if (!c.eager()) return;
  const Tensor& self = c.value(0).as_tensor();
  const IValue& wanted = format < 0 ? IValue() : c.value(static_cast<size_t>(format));
  c.lay_out(SizesRef(strides_in_format(self, wanted)));
}

OpBuilder add_like(Registry& r, std::string_view head) {
  OpBuilder b = r.op(concat(head,
                            ", *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
                            "MemoryFormat? memory_format=None) -> Tensor")
                         .c_str());
  b.rule(like_rule).reads_sizes_alone().function_only().gradient(constant("its result does not depend on the argument's elements"));
  return b;
}

namespace {

// Adds the result of a factory. Error if a size is negative or pin_memory is True.
void make(RuleCall& c, const Sizes& sizes, std::optional<DType> otherwise) {
  const int pinned = c.op.schema().index_of("pin_memory");  // which forms with out= lack
  c.check(pinned < 0 || !c.truth(static_cast<size_t>(pinned)).value_or(false), ErrorKind::NotImplemented, kPinned);
  for (size_t i = 0; i < sizes.size(); ++i)
    c.check(sizes[i] >= 0, ErrorKind::Runtime, "Trying to create tensor with negative dimension ", sizes[i], ": ", sizes);
  c.made(sizes, otherwise);
}

// Error if the number at one of these positions does not fit the result's dtype.
void check_numbers(RuleCall& c, std::initializer_list<size_t> numbers) {
  if (!c.eager() || !c.results()[0].dtype) return;
  for (size_t i : numbers) number_in(c.op.name(), c.value(i), *c.results()[0].dtype);
}

void sized_rule(RuleCall& c) { make(c, c.ints(0), default_dtype()); }
void empty_rule(RuleCall& c) {
  sized_rule(c);
  const IValue* format = c.eager() ? &c.value(static_cast<size_t>(c.op.schema().index_of("memory_format"))) : nullptr;
  if (!format || format->is_none()) return;
  const MemoryFormat f = format->to_memory_format();
  c.check(f != MemoryFormat::Preserve, ErrorKind::Runtime,
          "memory_format=torch.preserve_format needs a tensor whose format is kept; use torch.empty_like, or another format");
  c.lay_out(SizesRef(strides_of_format(c.ints(0).ints(), f)));
}
void full_rule(RuleCall& c) {
  make(c, c.ints(0), c.number_dtype(1));
  check_numbers(c, {1});
}
void full_like_rule(RuleCall& c) {
  like_rule(c);
  check_numbers(c, {1});
}
// new_zeros and the like: argument 0's dtype and device, with the sizes of argument 1.
void new_rule(RuleCall& c) { make(c, c.ints(1), c.dtype(0)); }
// Gives the result the strides of argument `at`. The argument before it holds the sizes.
void lay_out_by_argument(RuleCall& c, size_t at) {
  const Sizes sizes = c.ints(at - 1), strides = c.ints(at);
  c.check(sizes.size() == strides.size(), ErrorKind::Runtime, "mismatch in length of strides and shape: ", strides.size(), " strides for ",
          sizes.size(), " sizes");
  for (size_t i = 0; i < strides.size(); ++i)
    c.check(strides[i] >= 0, ErrorKind::Runtime, "strides must not be negative, but got ", strides);
  if (c.eager()) c.lay_out(strides);
}
void empty_strided_rule(RuleCall& c) {
  sized_rule(c);
  lay_out_by_argument(c, 1);
}
// Argument 1 gives the order of the dims in memory, the outermost first.
void empty_permuted_rule(RuleCall& c) {
  sized_rule(c);
  const Sizes sizes = c.ints(0), order = c.ints(1);
  c.check(sizes.size() == order.size(), ErrorKind::Runtime,
          "Number of dimensions in size does not match the length of the physical_layout; ", "i.e. len(size) = ", sizes.size(),
          " is not equal to len(physical_layout) = ", order.size());
  Sizes strides = sizes;
  std::vector<bool> placed(sizes.size());
  Size step = 1;
  for (size_t k = order.size(); k-- > 0;) {
    const std::optional<int64_t> dim = order[k].number();
    if (!dim) return;
    c.check(*dim >= 0 && *dim < static_cast<int64_t>(sizes.size()), ErrorKind::Runtime,
            "Dimension out of range (expected to be between 0 and ", sizes.size() - 1, ", but got ", *dim, " at index ", k,
            "). Negative dims are not supported here");
    const auto d = static_cast<size_t>(*dim);
    c.check(!placed[d], ErrorKind::Runtime, "Duplicate dim not allowed: physical_layout names dim ", *dim, " twice");
    placed[d] = true;
    strides.set(d, step);
    step = step * sizes[d];
  }
  if (c.eager()) c.lay_out(strides);
}
void new_empty_strided_rule(RuleCall& c) {
  new_rule(c);
  lay_out_by_argument(c, 2);
}
void new_full_rule(RuleCall& c) {
  new_rule(c);
  check_numbers(c, {2});
}
void eye_rule(RuleCall& c) {
  const Size n = c.size(0), m = c.op.schema().index_of("m") < 0 ? n : c.size(1);
  c.check(n >= 0, ErrorKind::Runtime, "n must be greater or equal to 0, got ", n);
  c.check(m >= 0, ErrorKind::Runtime, "m must be greater or equal to 0, got ", m);
  make(c, {n, m}, default_dtype());
}
void scalar_tensor_rule(RuleCall& c) {
  make(c, {}, default_dtype());
  check_numbers(c, {0});
}

constexpr const char *kNoStep = "step must be nonzero", *kWrongWay = "upper bound and lower bound inconsistent with step sign: start=";

}  // namespace

DType dtype_between(const RuleCall& c) {
  c.check(c.size(2) >= 0, ErrorKind::Runtime, "number of steps must be non-negative, but got ", c.size(2));
  const int at = c.op.schema().index_of("dtype");  // which forms with out= lack
  const auto given = at < 0 ? std::nullopt : c.dtype_or(static_cast<size_t>(at), std::nullopt);
  DType found = default_dtype();
  for (size_t i : {0, 1}) {
    const auto end = c.number_dtype(i);
    if (!end || !is_complex(*end)) continue;
    c.check(!given || is_complex(*given), ErrorKind::Runtime, "inferred dtype ", info(*end).scalar_type,
            " can't be safely cast to passed dtype ", scalar_type(given));
    found = *end;
  }
  return found;
}

void check_range(const RuleCall& c, double a, double b, double s) {
  c.check(s != 0, ErrorKind::Runtime, kNoStep);
  c.check(std::isfinite(a) && std::isfinite(b), ErrorKind::Runtime, "unsupported range: ", a, " -> ", b);
  c.check(s > 0 ? b >= a : b <= a, ErrorKind::Runtime, kWrongWay, a, ", end=", b, ", step=", s);
}

namespace {

void linspace_rule(RuleCall& c) {
  make(c, {c.size(2)}, dtype_between(c));
  c.check(c.results()[0].dtype != DType::b1, ErrorKind::NotImplemented, "\"linspace\" not implemented for 'Bool'");
  check_numbers(c, {0, 1});
}

// The number of elements of arange over integers.
Size steps_between(RuleCall& c, Size start, Size end, Size step) {
  c.check(step != 0, ErrorKind::Runtime, kNoStep);
  if (!step.is_int()) return {};
  const bool up = step.as_int() > 0;
  c.check(up ? end >= start : end <= start, ErrorKind::Runtime, kWrongWay, start, ", end=", end, ", step=", step);
  if (step.is(1)) return end - start;
  return floordiv(end - start + step - (up ? 1 : -1), step);
}

// The arguments before dtype= are (end), (start, end) or (start, end, step). If they are integers, or the result is int64, elements are counted in integers.
void arange_rule(RuleCall& c) {
  const auto numbers = static_cast<size_t>(c.op.schema().index_of("dtype"));
  bool integral = true, known = true;
  for (size_t i = 0; i < numbers; ++i) {
    auto t = c.number_dtype(i);
    if (c.eager()) number_in(c.op.name(), c.value(i), DType::f64);
    known &= t.has_value();
    integral &= t == DType::i64 || t == DType::b1;
  }
  const auto dtype = c.dtype_or(numbers, !known ? std::nullopt : std::optional(integral ? DType::i64 : default_dtype()));
  c.check(dtype != DType::b1 && !(dtype && is_complex(*dtype)), ErrorKind::NotImplemented, "not implemented for '",
          info(dtype.value_or(DType::f32)).scalar_type, "'; use a real dtype");
  const size_t from = numbers > 1 ? 0 : numbers, to = numbers > 1 ? 1 : 0, by = numbers > 2 ? 2 : numbers;
  auto place = [&](size_t i, int64_t otherwise) -> Size {
    if (i == numbers) return otherwise;
    if (integral) return c.size(i);
    if (c.eager()) number_in(c.op.name(), c.value(i), DType::i64);
    auto v = c.real(i);
    return v ? Size(static_cast<int64_t>(*v)) : Size();
  };
  if (integral || (known && dtype == DType::i64)) return make(c, {steps_between(c, place(from, 0), place(to, 0), place(by, 1))}, dtype);
  auto a = from == numbers ? std::optional(0.0) : c.real(from), b = c.real(to), s = by == numbers ? std::optional(1.0) : c.real(by);
  if (!a || !b || !s) return make(c, {Size()}, dtype);
  check_range(c, *a, *b, *s);
  make(c, {static_cast<int64_t>(std::ceil((*b - *a) / *s))}, dtype);
}

void to_copy_rule(RuleCall& c) {
  like_rule(c);
  auto from = c.device(0), to = c.results()[0].device;
  c.check(!from || !to || from->type != DeviceType::Meta || to->type == DeviceType::Meta, ErrorKind::NotImplemented,
          "Cannot copy out of meta tensor; no data!");
}

// to(other): the dtype and device of argument 1.
void to_other_rule(RuleCall& c) {
  c.result(c.sizes(0), c.dtype(1));
  c.on(c.device(1));
}

// What PyTorch's compiler writes around the arguments of a call inside of torch.autocast: `self` in the dtype of the region if it is of float32, or in float32
// if it is of a shorter one. Argument 2 says whether the region is one of the CPU.
void autocast_rule(RuleCall& c, bool (*is_cast)(DType), std::optional<DType> to) {
  const std::optional<DType> of = c.dtype(0);
  const std::optional<bool> on = c.truth(2);
  if (on && (!*on || (of && !is_cast(*of)))) c.result(c.sizes(0), of);
  else c.result(c.sizes(0), on && of ? to : std::nullopt);
}
bool is_reduced(DType t) { return t == DType::f32; }
bool is_widened(DType t) { return t == DType::f16 || t == DType::bf16; }
void reduced_precision_rule(RuleCall& c) { autocast_rule(c, is_reduced, c.dtype_or(4, {})); }
void full_precision_rule(RuleCall& c) { autocast_rule(c, is_widened, DType::f32); }

// Checks that argument 1 broadcasts to the sizes of argument 0, and that no meta tensor is copied to a real one.
void check_copied(const RuleCall& c) {
  SizesRef self = c.sizes(0);
  if (!std::ranges::equal(self.words(), c.sizes(1).words())) {
    const Sizes both = broadcast(self, c.sizes(1), c.op.name());
    Truth fits = !both.ranked() || both.size() == self.size();
    for (size_t d = 0; certainly(fits) && d < both.size(); ++d) fits = fits && both[d] == self[d];
    c.check(fits, ErrorKind::Runtime, "output with shape ", self, " doesn't match the broadcast shape ", both);
  }
  auto from = c.device(1), to = c.device(0);
  c.check(!from || !to || from->type != DeviceType::Meta || to->type == DeviceType::Meta, ErrorKind::NotImplemented,
          "Cannot copy out of meta tensor; no data!");
}
void copy_rule(RuleCall& c) {
  check_copied(c);
  c.like_layout(0, c.dtype(0));
  // The result has the strides of argument 0, gaps included.
  if (c.eager() && !overlaps_itself(c.value(0).as_tensor())) c.lay_out(SizesRef(c.value(0).as_tensor().strides()));
  c.on(c.device(0));
}
void copy_into_rule(RuleCall& c) {
  check_copied(c);
  if (c.eager()) check_no_partial_overlap(c.op.name(), c.value(0).as_tensor(), c.value(1).as_tensor());
  c.argument(0);
}
void filled_rule(RuleCall& c) {
  const SizesRef value = c.sizes(1);
  c.check(!value.ranked() || value.empty(), ErrorKind::Runtime, "fill_ only supports 0-dimension value tensor but got tensor with ",
          value.size(), " dimensions.");
}
void fill_rule(RuleCall& c) {
  if (c.eager()) number_in(c.op.name(), c.value(1), *c.dtype(0));
  c.argument(0);
}

IValue to(const Tensor& t, DType dtype, Device device, bool copy, const IValue& format) {
  bool same = t.dtype() == dtype && t.device() == device;
  // As in PyTorch, a tensor whose strides suggest the format is not copied, even if it has gaps.
  const MemoryFormat wanted = format.is_none() ? MemoryFormat::Preserve : format.to_memory_format();
  const bool laid_out = wanted == MemoryFormat::Preserve || wanted == suggested_format(t);
  if (same && laid_out && !copy) return t;
  return "_to_copy"_op(t, dtype, nullptr, device, nullptr, false, format);
}

}  // namespace

void creation(Registry& r) {
  auto schema = [&](const char* head) { return concat(head, kFactoryArguments); };
  // It has no kernel, because its elements are not set.
  auto factory = [&](const char* head, RuleFn rule, StructuredKernel kernel, const char* onnx, const char* doc) {
    auto b = r.op(schema(head).c_str()).rule(rule).kernel(kernel).function_only().gradient(constant("it has no tensor argument")).doc(doc);
    if (!kernel || kernel == zeros_kernel || kernel == ones_kernel || kernel == full_kernel || kernel == scalar_tensor_kernel)
      b.storage_only(StorageOnly::Taken);
    onnx ? b.onnx(onnx) : b.onnx(none("made of numbers alone: its value becomes a constant"));
    return b;
  };
  r.op(concat("empty.memory_format(SymInt[] size", kFactoryOptions, ", MemoryFormat? memory_format=None) -> Tensor").c_str())
      .rule(empty_rule)
      .function_only()
      .storage_only(StorageOnly::Taken)
      .gradient(constant("it has no tensor argument"))
      .onnx(
          "out: ConstantOfShape(size) if memory_format ~ None | Expand(Cast(0, to=dtype), size) if given(dtype), device ~ None, "
          "memory_format ~ None")
      .doc(
          "A tensor whose elements are not set.\n\nmemory_format: The order of the dims in memory: `torch.contiguous_format`, "
          "`torch.channels_last` (4 dims) or `torch.channels_last_3d` (5 dims).\n\n>>> torch.empty(2, 3).shape")
      .out_named("out")
      .samples(none("its elements are not set"));
  factory("empty_strided(SymInt[] size, SymInt[] stride", empty_strided_rule, nullptr, nullptr,
          "A tensor of these sizes and strides whose elements are not set.\n\n>>> torch.empty_strided((2, 3), (1, 2)).stride()")
      .samples(none("its elements are not set"));
  factory(
      "empty_permuted(SymInt[] size, int[] physical_layout", empty_permuted_rule, nullptr, nullptr,
      "A tensor whose elements are not set, and whose dims lie in memory in this order.\n\nphysical_layout: The dims, each once, from the "
      "one with the largest stride to the one with the smallest.\n\n>>> torch.empty_permuted((2, 3), (1, 0)).stride()")
      .samples(none("its elements are not set"));
  factory("zeros(SymInt[] size", sized_rule, zeros_kernel,
          "ConstantOfShape(size) | Expand(Cast(0, to=dtype), size) if given(dtype), device ~ None", "Zeros.")
      .out()
      .samples("[[[2, 3], d] for d in (None, *ALL)] + [[[]], [[0]]]");
  factory("ones(SymInt[] size", sized_rule, ones_kernel,
          "Expand(1.0, size) | Expand(Cast(1, to=dtype), size) if given(dtype), device ~ None", "Ones.")
      .out()
      .samples("[[[2], d] for d in (None, *ALL)]");
  factory("full(SymInt[] size, Scalar fill_value", full_rule, full_kernel,
          "Expand(fill_value, size) | Expand(Cast(fill_value, to=dtype), size) if given(dtype), device ~ None", "One number everywhere.")
      .out()
      .samples("[[[2], v, d] for v in (2, 1.5, True) for d in (None, i64, f32, b1)] + [[[2], v, d] for v, d in misfits()]")
      .special(Special::ReadsBackOtherwise, "of 1.0, as ones");
  factory("eye(SymInt n", eye_rule, eye_kernel, nullptr, "The identity matrix.\n\nn: How many rows and columns.\n\n>>> torch.eye(2)")
      .out()
      .samples("[[3], [0], [2, i64], [-1]]");
  factory("eye.m(SymInt n, SymInt m", eye_rule, eye_kernel, nullptr,
          "1 where row and column are the same, else 0.\n\nn: How many rows.\nm: How many columns.")
      .out("m_out")
      .samples("[[3, 2], [2, 4], [0, 2], [2, 0, i64], [3, 5, b1], [2, -3]]");
  factory("scalar_tensor(Scalar s", scalar_tensor_rule, scalar_tensor_kernel,
          "out: Cast(s, to=torch.float32) | Cast(s, to=dtype) if given(dtype), device ~ None", "A 0-d tensor of one number.")
      .out()
      .samples("[[v, d] for v in (2, 1.5, True) for d in (None, i64)] + [[v, d] for v, d in misfits() if d.itemsize != 2] + [[1j]]");
  factory("arange(Scalar end", arange_rule, arange_end_kernel,
          "Range(0, end, 1) | Cast(Range(0, end, 1), to=dtype) if given(dtype), device ~ None",
          "0, 1, ... up to `end`.\n\nend: The end of the range, which is not in the result.\n\n>>> torch.arange(5)\n>>> torch.arange(1, 2, "
          "0.25)")
      .out()
      .samples("[[v] for v in (5, 0, 2.5, 5.0)] + [[4, f32]] + [[5.5, d] for d in (i64, i32, u8, f32)] + [[1j]]");
  factory("arange.start(Scalar start, Scalar end", arange_rule, arange_start_kernel,
          "Range(start, end, 1) | Cast(Range(start, end, 1), to=dtype) if given(dtype), device ~ None",
          "Numbers from `start` to `end`.\n\nend: The end of the range, which is not in the result.")
      .samples("[[a, b] for a, b in ((1, 5), (-2, 3), (0.5, 3), (3, 1))] + [[a, b, i64] for a, b in ((-2.5, 2.5), (0.5, 5))]")
      .special(Special::ReadsBackOtherwise, "from 0, as arange");
  factory("arange.start_step(Scalar start, Scalar end, Scalar step=1", arange_rule, arange_step_kernel,
          "Range(start, end, step) | Cast(Range(start, end, step), to=dtype) if given(dtype), device ~ None",
          "Numbers from `start` to `end` by `step`.\n\nend: The end of the range, which is not in the result.")
      .out_named("start_out")
      .samples(R"([[a, b, c] for a, b, c in ((0, 10, 3), (5, 0, -2), (0.0, 1.0, 0.1), (0, 1, 0), (1, 2, 0.3))] + [[0, 7, 2, f16],
                  [0, 300, 100, bf16]]
               + [[a, b, c, d] for a, b, c in ((0, 5, 1.5), (0.5, 5.5, 1.9), (0, 5, 0.5), (5, 0, -1.5)) for d in (i64, i32)])")
      .special(Special::ReadsBackOtherwise, "by 1, as arange");
  factory("linspace(Scalar start, Scalar end, int steps", linspace_rule, linspace_kernel, nullptr,
          "`steps` numbers from `start` to `end`, both included.\n\nend: The last value.\n\n>>> torch.linspace(0, 1, 5)")
      .out()
      .samples(R"([[a, b, n] for a, b, n in ((0, 1, 5), (-3, 3, 4), (1, 2, 1), (0, 1, 0), (5, -5, 11))] + [[0, 10, 4, f64], [0, 10, 4, i64],
                [0, 1, 3, bf16]]
               + [[*v] for v in ((0, 300, 4, u8), (-3, 3, 4, u8), (0.5, 3.7, 4, i64), (0, 1000003, 7, i64), (0, 1e39, 3, f32),
                  (0, 10, 4, c64))]
               + [[0, 1j, 3, f32], [0, 1, 3, b1]] + [[0, 2 + 1j, 5], [1j, 2, 4, c128], [3 - 1j, 3, 1]])");

  auto new_like = [&](const char* head, StructuredKernel kernel, const char* doc) {
    return r.op(schema(head).c_str())
        .operator_out()
        .rule(new_rule)
        .reads_sizes_alone()
        .kernel(kernel)
        .method_only()
        .storage_only(StorageOnly::Taken)
        .gradient(constant("its result does not depend on the argument's elements"))
        .onnx(none("made of numbers alone: its value becomes a constant"))
        .doc(doc);
  };
  new_like("new_empty(Tensor self, SymInt[] size", nullptr,
           "A tensor of the dtype and device of `self` whose elements are not set.\n\n>>> torch.zeros(1).new_empty(2, 3).shape")
      .samples(none("its elements are not set"));
  new_like("new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride", nullptr,
           "A tensor of the dtype and device of `self`, of these sizes and strides, whose elements are not set.\n\n"
           ">>> torch.zeros(1).new_empty_strided((2, 3), (1, 2)).stride()")
      .rule(new_empty_strided_rule)
      .samples(none("its elements are not set"));
  new_like("new_zeros(Tensor self, SymInt[] size", zeros_kernel, "Zeros of the dtype and device of `self`.")
      .samples("[[t(d, 2), n, e] for d in (f32, i64, b1, f16) for n in ([2, 3], [], [0]) for e in (None, f64, i64)] + [[t(f32, 2), [-1]]]");
  new_like("new_ones(Tensor self, SymInt[] size", ones_kernel, "Ones of the dtype and device of `self`.")
      .samples("[[t(d, 2), n, e] for d in (f32, i64, b1, f16) for n in ([2, 3], [], [0]) for e in (None, f64, i64)] + [[t(f32, 2), [-1]]]");
  new_like("new_full(Tensor self, SymInt[] size, Scalar fill_value", nullptr, "One number everywhere, of the dtype and device of `self`.")
      .rule(new_full_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor& self = a[0].as_tensor();
            return "full"_op(a[1], a[2], a[3].is_none() ? IValue(self.dtype()) : a[3], a[4], a[5].is_none() ? IValue(self.device()) : a[5],
                             a[6]);
          },
          Reads::Nothing)
      .samples(R"([[t(d, 2), n, v, e] for d in (f32, i64) for n in ([2], []) for v in (2, 1.5) for e in (None, f64, i64)]
                + [[t(i64, 2), [2], 2.7], [t(u8, 2), [2], 300], [t(b1, 2), [2], True]])");

  auto like = [&](const char* head, StructuredKernel kernel, const char* onnx, const char* doc) {
    return add_like(r, head).operator_out().kernel(kernel).storage_only(StorageOnly::Taken).onnx(onnx).doc(doc);
  };
  like("empty_like(Tensor self", nullptr, "out: CastLike(Expand(Cast(0, to=torch.int64), Shape(self)), self) if memory_format ~ None",
       "Like `self`, with elements that are not set.\n\n>>> torch.empty_like(torch.zeros(2, 3)).shape")
      .samples(none("its elements are not set"));
  like("zeros_like(Tensor self", zeros_kernel, "out: CastLike(Expand(Cast(0, to=torch.int64), Shape(self)), self) if memory_format ~ None",
       "Zeros like `self`.")
      .samples("[[x] for x in layouts(2, 3)] + [[t(f32, 2), i64]]");
  like("ones_like(Tensor self", ones_kernel, "out: CastLike(Expand(Cast(1, to=torch.int64), Shape(self)), self) if memory_format ~ None",
       "Ones like `self`.")
      .samples("[[x] for x in layouts(2, 3)]");
  like("full_like(Tensor self, Scalar fill_value", full_kernel,
       "out: Expand(CastLike(fill_value, self), Shape(self)) if memory_format ~ None", "One number everywhere, like `self`.")
      .rule(full_like_rule)
      .samples("[[x, 3] for x in layouts(2, 3)] + [[t(i64, 2), 2.7]] + [[t(d, 2), v] for v, d in misfits()]");

  r.op("clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor")
      .operator_out()
      .rule(like_rule)
      .kernel(clone_kernel)
      .gradient([](GradCall& c) { c.set(0, c.grad()); })
      .onnx("out: Identity(self) if memory_format ~ None")
      .storage_only(StorageOnly::Taken)
      .quantized(Quantized::Copied)
      .doc("A copy.")
      .samples("[[x] for x in layouts(2, 3)]");
  r.op("contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)")
      .may_return("self")
      .rule(like_rule)
      .decompose(
          [](const IValue* a) -> IValue {
            const MemoryFormat format = a[1].to_memory_format();
            if (a[0].to_tensor().is_contiguous(format)) return a[0];
            MONOGRAPH_CHECK(format != MemoryFormat::Preserve, Runtime, "preserve memory format is unsupported by the contiguous operator");
            return "clone"_op(a[0], a[1]);
          },
          Reads::Strides)
      .method_only()
      .onnx("out: Identity(self) if memory_format ~ None")
      .doc("The tensor itself where its elements lie in order, else a copy that does.")
      .samples("[[x, torch.contiguous_format] for x in layouts(2, 3)]")
      .special(Special::LayoutMatters, "asks for it")
      .special(Special::OtherSchemaText, "the memory format by its name");
  r.op("_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool "
       "non_blocking=False, MemoryFormat? memory_format=None) -> Tensor")
      .rule(to_copy_rule)
      .kernel(convert_kernel)
      .gradient([](GradCall& c) { c.set(0, "to"_op(c.grad(), c.dtype(0))); })
      .onnx("out: Cast(self, to=dtype) if given(dtype), device ~ None, memory_format ~ None, layout ~ None")
      .storage_only(StorageOnly::Taken)
      .doc("A converted copy.")
      .samples(R"([[special(a), b, None, None, None, False] for a in (f32, f64, i64, u8, b1)
                  for b in ALL if not (a.is_floating_point and b in INTS)]
               + [[t(a, 5, low=0.0), b, None, None, None, False] for a in ALL for b in (f32, i64, u8) if not a.is_complex])");
  r.op("to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> "
       "Tensor(a)")
      .may_return("self")
      .rule(like_rule)
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue { return to(a[0].to_tensor(), a[1].to_dtype(), a[0].to_tensor().device(), a[3].to_bool(), a[4]); },
          Reads::Strides)
      .onnx("Cast(self, to=dtype) if copy ~ False, memory_format ~ None, non_blocking ~ False")
      .doc("Converted to another dtype; itself where nothing changes.")
      .samples("[[t(f32, 3, low=0.0), d, False, False] for d in ALL]");
  r.op("to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? "
       "memory_format=None) -> Tensor(a)")
      .may_return("self")
      .rule(like_rule)
      .method_only()
      .decompose([](const IValue* a) -> IValue { return to(a[0].to_tensor(), a[2].to_dtype(), a[1].to_device(), a[4].to_bool(), a[5]); },
                 Reads::Strides)
      .onnx("out: Cast(self, to=dtype) if device ~ None, copy ~ False, memory_format ~ None, non_blocking ~ False")
      .doc("Converted to another device and dtype.")
      .samples(R"([[t(a, 3, low=0.0), torch.device("cpu"), d, False, False] for a in (f32, i64) for d in (f32, i64, bf16)])");
  r.op("to.prim_Device(Tensor(a) self, Device? device, ScalarType? dtype=None, bool non_blocking=False, bool copy=False) -> Tensor(a|b)")
      .may_return("self")
      .rule(like_rule)
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor t = a[0].to_tensor();
            return to(t, a[2].is_none() ? t.dtype() : a[2].to_dtype(), a[1].is_none() ? t.device() : a[1].to_device(), a[4].to_bool(), {});
          },
          Reads::Strides)
      .onnx(none("decomposes to _to_copy, or to nothing"))
      .doc("Moved to another device; itself where nothing changes.")
      .samples(R"([[t(a, 3, low=0.0), d, e, False, c] for a in (f32, i64) for d in (torch.device("cpu"), None)
                  for e, c in ((None, False), (f64, False), (f64, True))])")
      .special(Special::OtherSchemaText, "a dtype is a ScalarType");
  r.op("to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool "
       "non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)")
      .may_return("self")
      .rule(like_rule)
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor t = a[0].to_tensor();
            return to(t, a[1].is_none() ? t.dtype() : a[1].to_dtype(), a[3].is_none() ? t.device() : a[3].to_device(), a[6].to_bool(),
                      a[7]);
          },
          Reads::Strides)
      .onnx(
          "out: Cast(self, to=dtype) if given(dtype), device ~ None, layout ~ None, copy ~ False, memory_format ~ None, non_blocking ~ "
          "False")
      .doc("Converted to what is named; itself where nothing changes.")
      .samples("[[t(f32, 3, low=0.0), d, None, None, None, False, False] for d in (i64, f64, None)]");
  r.op("to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)")
      .crosses_devices()
      .may_return("self")
      .rule(to_other_rule)
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue {
            return to(a[0].to_tensor(), a[1].to_tensor().dtype(), a[1].to_tensor().device(), a[3].to_bool(), a[4]);
          },
          Reads::Strides)
      .onnx("CastLike(self, other) if copy ~ False, memory_format ~ None, non_blocking ~ False")
      .doc("Converted to the dtype and device of `other`.")
      .samples("[[t(f32, 3, low=0.0), t(d, 1), False, False] for d in ALL]");
  r.op("type_as(Tensor self, Tensor other) -> Tensor")
      .may_return("self")
      .rule(to_other_rule)
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue {
            const Tensor &self = a[0].as_tensor(), &other = a[1].as_tensor();
            return self.dtype() == other.dtype() && self.device() == other.device() ? a[0] : IValue("to"_op(a[0], a[1]));
          },
          Reads::Nothing)
      .onnx("out: CastLike(self, other)")
      .doc("Converted to the dtype of `other`.")
      .samples("[[t(f32, 3, low=0.0), t(d, 1)] for d in ALL]");

  r.op("_autocast_to_reduced_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled, ScalarType cuda_dtype, ScalarType cpu_dtype) "
       "-> "
       "Tensor(a)")
      .may_return("self")
      .rule(reduced_precision_rule)
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue {
            return a[2].to_bool() && is_reduced(a[0].as_tensor().dtype()) ? IValue("to"_op(a[0], a[4])) : a[0];
          },
          Reads::Nothing)
      .onnx(none("decomposes to a conversion"))
      .doc("Converted from float32 to the shorter dtype that `torch.autocast` computes in.")
      .samples("[[t(d, 3), False, on, torch.float16, torch.bfloat16] for d in (f32, f64) for on in (True, False)]");
  r.op("_autocast_to_full_precision(Tensor(a) self, bool cuda_enabled, bool cpu_enabled) -> Tensor(a)")
      .may_return("self")
      .rule(full_precision_rule)
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue {
            return a[2].to_bool() && is_widened(a[0].as_tensor().dtype()) ? IValue("to"_op(a[0], DType::f32)) : a[0];
          },
          Reads::Nothing)
      .onnx(none("decomposes to a conversion"))
      .doc("Converted to float32 from a shorter dtype, as `torch.autocast` does for operators that need precision.")
      .samples("[[t(d, 3), False, on] for d in (bf16, f32) for on in (True, False)]");

  r.op("to_dense(Tensor self, ScalarType? dtype=None, *, bool? masked_grad=None) -> Tensor")
      .may_return("self")
      .rule(like_rule)
      .method_only()
      .decompose([](const IValue* a) -> IValue { return a[1].is_none() ? a[0] : IValue("to"_op(a[0], a[1])); }, Reads::Nothing)
      .onnx(none("decomposes to a conversion"))
      .doc(R"(The tensor itself, or converted to a dtype: every tensor here is dense.

masked_grad: Of sparse tensors alone. It changes nothing.

>>> torch.ones(2).to_dense())")
      .samples("[[x] for x in layouts(2, 3)] + [[t(f32, 3), d] for d in (f64, i64, f32)]");

  r.op("copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor")
      .crosses_devices()
      .rule(copy_rule)
      .kernel(copy_kernel)
      .method_only()
      .function_only()  // the form of copy_ without side effects, which graphs use
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "zeros_like"_op(c.grad()));
        if (c.needs(1)) c.set(1, "to"_op(c.grad(), c.dtype(1)));
      })
      .onnx(none("write expand and to, which are Expand and CastLike"))
      .storage_only(StorageOnly::Taken)
      .doc("`src` in the size and dtype of `self`: a copy.")
      .samples(R"([[t(f32, 2, 3), t(i64, 3), False], [t(i64, 2), t(f32, 2), False], [t(f32, 2), t(f32, 3), False],
                  [t(f32, 3, 2).t(), t(f32, 2, 3), False]])");
  r.op("copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)")
      .spelled({"copy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)"})
      .assigns()
      .numbers_as_tensors()
      .crosses_devices()
      .functional("aten::copy")
      .rule(copy_into_rule)
      .kernel(copy_kernel)
      .method_only()
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "zeros_like"_op(c.grad()));
        if (c.needs(1)) c.set(1, "to"_op(c.grad(), c.dtype(1)));
      })
      .storage_only(StorageOnly::Taken)
      .doc("Writes `src` into `self`.");
  r.op("fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)")
      .functional("aten::full_like")
      .rule(fill_rule)
      .kernel(full_kernel)
      .writes_again()
      .gradient([](GradCall& c) { c.set(0, "zeros_like"_op(c.grad())); })
      .storage_only(StorageOnly::Taken)
      .doc("Writes one number everywhere.");
  r.op("fill.Scalar(Tensor self, Scalar value) -> Tensor")
      .function_only()
      .rule([](RuleCall& c) {
        if (c.eager()) number_in(c.op.name(), c.value(1), *c.dtype(0));
        c.like_layout(0, c.dtype(0));
      })
      .decompose([](const IValue* a) -> IValue { return "full_like"_op(a[0], a[1]); }, Reads::Nothing)
      .gradient([](GradCall& c) { c.set(0, "zeros_like"_op(c.grad())); })
      .out("Scalar_out")
      .onnx(none("decomposes to full_like"))
      .doc("A tensor like `self` with one number everywhere.\n\n>>> torch.fill(torch.zeros(2), 3)")
      .samples("[[t(d, 2, 3), 2] for d in ALL] + [[x, -1] for x in layouts(2, 3)] + [[t(f32), 1.5]]");
  r.op("fill.Tensor(Tensor self, Tensor value) -> Tensor")
      .function_only()
      .rule([](RuleCall& c) {
        filled_rule(c);
        copy_rule(c);
      })
      .decompose([](const IValue* a) -> IValue { return "aten::copy"_op(a[0], a[1]); }, Reads::Nothing)
      .out("Tensor_out")
      .onnx(none("decomposes to copy"))
      .doc("A tensor like `self` with the element of `value` everywhere.\n\n>>> torch.fill(torch.zeros(2), torch.tensor(3.0))")
      .samples("[[x, t(f64)] for x in layouts(2, 3)] + [[t(d, 2), t(f32)] for d in (f64, i64)] + [[t(f32, 2), t(f32, 1)]]");
  r.op("fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)")
      .method_only()
      .crosses_devices()
      .functional("aten::fill.Tensor")
      .rule([](RuleCall& c) {
        filled_rule(c);
        copy_into_rule(c);
      })
      .kernel(copy_kernel)
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "zeros_like"_op(c.grad()));
        if (c.needs(1)) c.set(1, "to"_op(c.grad(), c.dtype(1)));
      })
      .storage_only(StorageOnly::Taken)
      .doc("Writes the element of `value` everywhere.");
  r.op("zero_(Tensor(a!) self) -> Tensor(a!)")
      .functional("aten::zeros_like")
      .rule([](RuleCall& c) { c.argument(0); })
      .decompose([](const IValue* a) -> IValue { return "fill_"_op(a[0], 0); }, Reads::Nothing)
      .doc("Writes zeros.");
}

}  // namespace monograph
