// How pointwise operators run: promotion, broadcasting, conversion of operands of another dtype, and one launch of the generated kernel.
#include "ops/pointwise.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/derivative.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/promotion.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {

Num AnyBody::operator()(const Num* x) const {
  switch (arity) {
    case 1: return reinterpret_cast<Body1>(real)(x[0]);
    case 2: return reinterpret_cast<Body2>(real)(x[0], x[1]);
    case 3: return reinterpret_cast<Body3>(real)(x[0], x[1], x[2]);
    default: return reinterpret_cast<Body4>(real)(x[0], x[1], x[2], x[3]);
  }
}

Complex AnyBody::operator()(const Complex* x) const {
  switch (arity) {
    case 1: return reinterpret_cast<Complex1>(complex)(x[0]);
    case 2: return reinterpret_cast<Complex2>(complex)(x[0], x[1]);
    case 3: return reinterpret_cast<Complex3>(complex)(x[0], x[1], x[2]);
    default: return reinterpret_cast<Complex4>(complex)(x[0], x[1], x[2], x[3]);
  }
}

Num AnyBody::real_of(const Complex* x) const {
  return arity == 1 ? reinterpret_cast<ComplexReal1>(complex)(x[0]) : reinterpret_cast<ComplexPredicate>(complex)(x[0], x[1]);
}

Body PointwiseRule::record(DType compute) const {
  Recorder recorder(copy);
  std::array<Num, 4> x;
  std::array<Complex, 4> z;
  for (int i = 0; i < body.arity; ++i) {
    auto k = static_cast<size_t>(i);
    if (is_complex(compute) && fixed[k] < 0) z[k] = Complex::arg(recorder, storage(k, compute), is_scalar[k]);
    else z[k].re = x[k] = recorder.arg(storage(k, compute), is_scalar[k]);
    if (promote != Promote::Logical) continue;
    x[k] = is_complex(compute) ? convert(z[k].re, DType::b1) | convert(z[k].im, DType::b1) : convert(x[k], DType::b1);
  }
  bool parts = is_complex(compute) && promote != Promote::Logical;
  if (parts && body.complex_gives_real) recorder.out(body.real_of(z.data()), result_dtype(compute));
  else if (parts) Complex::out(recorder, body(z.data()), compute);
  else recorder.out(body(x.data()), result_dtype(compute));
  return recorder.finish();
}

bool PointwiseRule::promotes() const {
  int operands = 0;
  for (size_t k = 0; k < static_cast<size_t>(body.arity); ++k)
    operands += is_scalar[k] ? promoting[k] && number_check[k] != NumberCheck::Stored : fixed[k] < 0;
  return promote != Promote::Same || operands > 1;
}

const PointwiseRule& PointwiseRule::chosen(const IValue* args) const {
  if (variant_argument < 0) return *this;
  const std::string& value = args[variant_argument].to_string();
  for (const auto& [name, rule] : variants)
    if (name == value) return *rule;
  MONOGRAPH_CHECK(value == "none", Runtime, "expected 'none' or '", variants[0].first, "', but got '", value, "'");
  return *this;
}

const Kernel& PointwiseRule::kernel(DType compute) const {
  return kernels_[static_cast<size_t>(compute)].get(KernelForm::Pointwise, [&] { return expand(record(compute)); });
}

const Kernel& PointwiseRule::backward_kernel(int k, DType compute) const {
  const LazyKernel& slot = kernels_[static_cast<size_t>((k + 1) * kComputedDTypeCount) + static_cast<size_t>(compute)];
  return slot.get(KernelForm::Pointwise, [&] { return expand(record_backward(k, compute)); });
}

// The incoming gradient times a slope. A slope of constant 1 or 0 gives the gradient itself or 0 without a product, so an infinite gradient times 0 is
// 0 and no NaN. The same holds in each branch of a `where`.
static Num times_slope(Num grad, Num slope) {
  const Ins n = Recorder::current().at(slope);
  if (n.fn == Fn::Select) return where({n.a, DType::b1}, times_slope(grad, {n.b, n.t}), times_slope(grad, {n.c, n.t}));
  if (n.fn == Fn::Const && n.imm == literal_bits(n.t, 0.0)) return slope;
  if (n.fn == Fn::Const && n.imm == literal_bits(n.t, 1.0)) return grad;
  return grad * slope;
}

Body PointwiseRule::record_backward(int k, DType compute) const {
  Recorder recorder(copy);
  recorder.for_complex = is_complex(compute);
  compute = real_type(compute);
  Num grad = recorder.arg(compute);
  std::array<Num, 4> x;
  for (int i = 0; i < body.arity; ++i) {
    auto n = static_cast<size_t>(i);
    x[n] = recorder.arg(storage(n, compute), is_scalar[n]);
  }
  Num y = recorder.arg(compute);
  auto n = static_cast<size_t>(k);
  recorder.out(times_slope(grad, slopes[n] ? slopes[n](x.data(), y) : derivative(body(x.data()), x[n], y)), compute);
  return recorder.finish();
}

namespace {

// Whether an integral dtype can hold this int. For an unsigned dtype a negative number may wrap around once.
bool fits_integral(int64_t value, DType t) {
  if (t == DType::i64 || t == DType::u64) return true;
  const int bits = 8 * static_cast<int>(element_size(t)) - (info(t).is_signed ? 1 : 0);
  const int64_t high = (int64_t{1} << bits) - 1, low = info(t).is_signed ? -high - 1 : -high;
  return value >= low && value <= high;
}

// The same for a float: it does not wrap, and NaN never fits.
bool fits_integral(double value, DType t) {
  const int bits = 8 * static_cast<int>(element_size(t)) - (info(t).is_signed ? 1 : 0);
  const double high = std::ldexp(1.0, bits), low = info(t).is_signed ? -high : 0;
  return value >= low && (bits > 53 ? value < high : value <= high - 1);
}

bool fits_floating(double value, DType t) { return std::isinf(value) || !(std::abs(value) > largest_finite(t)); }

// Whether PyTorch's checked conversion accepts this number: infinity stays infinity, but a finite number must not become infinite.
bool fits(const IValue& v, DType t) {
  if (v.is_complex()) {
    const std::complex<double> z = v.to_complex();
    if (is_complex(t)) return fits_floating(z.real(), t) && fits_floating(z.imag(), t);
    return t == DType::b1 || (z.imag() == 0 && fits(z.real(), t));
  }
  if (t == DType::b1 || v.is_bool()) return true;
  if (!is_integral(t)) return fits_floating(v.to_double(), t);
  return v.is_int() ? fits_integral(v.to_int(), t) : fits_integral(v.to_double(), t);
}

std::string number_text(const IValue& v) {
  if (v.is_int()) return std::to_string(v.to_int());
  return v.is_complex() ? concat(v.to_complex().real(), " + ", v.to_complex().imag(), "j") : concat(v.to_double());
}

void check_number(std::string_view op, const IValue& v, DType t) {
  MONOGRAPH_CHECK(fits(v, t), Runtime, "[", op, "] value ", number_text(v), " cannot be converted to type torch.", name(t),
                  " without overflow");
}

// Writes a number as dtype t into the buffer, which has room for 16 bytes.
void store_number(const IValue& number, DType t, char* buffer) {
  const IValue v = number.is_complex() && !is_complex(t) && t != DType::b1 ? IValue(number.to_complex().real()) : number;
  dispatch(t, [&](auto zero) {
    using T = decltype(zero);
    T value;
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) value = T(v.to_complex());
    else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) value = T(static_cast<float>(v.to_double()));
    else if constexpr (std::is_same_v<T, bool>) value = v.is_complex() ? v.to_complex() != 0.0 : v.to_double() != 0.0;
    else if constexpr (std::is_integral_v<T>)
      value = v.is_float() ? static_cast<T>(static_cast<int64_t>(v.to_double())) : static_cast<T>(v.to_int());
    else value = static_cast<T>(v.to_double());
    std::memcpy(buffer, &value, sizeof(value));
  });
}

}  // namespace

IValue number_in(std::string_view op, const IValue& number, DType t) {
  if (!number.is_number()) return number;  // a number that a graph computes
  check_number(op, number, t);
  if (is_complex(t) || t == DType::b1) return number;
  const IValue real = number.is_complex() ? IValue(number.to_complex().real()) : number;
  return is_integral(t) && real.is_float() ? IValue(static_cast<int64_t>(real.to_double())) : real;
}

// Error where `alpha` (NumberCheck::Weight) is no valid factor for operands that compute in this dtype.
static void check_alpha(const Operator& op, const IValue& alpha, DType compute) {
  MONOGRAPH_CHECK(!alpha.is_bool() || compute == DType::b1, Runtime, "[", op.name(), "] Boolean alpha only supported for Boolean results.");
  MONOGRAPH_CHECK(!is_integral(compute, true) || alpha.is_int() || alpha.is_bool(), Runtime, "[", op.name(),
                  "] For integral input tensors, argument alpha must not be a floating point number.");
  MONOGRAPH_CHECK(is_complex(compute) || !alpha.is_complex(), Runtime, "[", op.name(),
                  "] For non-complex input tensors, argument alpha must not be a complex number.");
}

static void check_numbers(const Operator& op, const PointwiseRule& rule, const IValue* args, DType compute) {
  for (int i = 0; i < rule.body.arity; ++i) {
    auto k = static_cast<size_t>(i);
    if (!rule.is_scalar[k]) continue;
    const IValue& v = args[rule.position[k]];
    switch (rule.number_check[k]) {
      case NumberCheck::None: break;
      case NumberCheck::Weight: check_alpha(op, v, compute); [[fallthrough]];
      case NumberCheck::Stored: check_number(op.name(), v, compute); break;
      case NumberCheck::Unsigned:
        MONOGRAPH_CHECK(compute != DType::u8 || v.is_complex() || v.to_double() >= 0, Runtime, "[", op.name(), "] cannot do ",
                        op.base_name(), " on an unsigned type with negative limits, but got ", number_text(v));
        check_number(op.name(), v, compute_type(compute));
        break;
      case NumberCheck::BesideIntegers:
        if (!is_integral(compute)) break;
        [[fallthrough]];
      case NumberCheck::Computed: check_number(op.name(), v, compute_type(compute)); break;
    }
  }
}

// Error where a condition or mask is not bool.
static void check_condition(const Operator& op, const Tensor& t) {
  const bool accepted = t.dtype() == DType::b1 || (t.dtype() == DType::u8 && op.pointwise->takes_byte_mask);
  MONOGRAPH_CHECK(accepted, Runtime, "[", op.name(), "] expected a mask or condition of dtype torch.bool, but got torch.", name(t.dtype()),
                  "; convert it, for example mask.to(torch.bool)");
}

// For operators that promote no tensor: error where the tensor argument with this index has another dtype than the first.
static void check_one_dtype(const Operator& op, size_t index, std::optional<DType> first, std::optional<DType> dtype) {
  MONOGRAPH_CHECK(!first || !dtype || *first == *dtype, Runtime, "[", op.name(), "] expected dtype torch.", name(*first), " for `",
                  op.schema().arguments()[index].name, "` but got dtype torch.", name(*dtype), "; convert it, for example with to(",
                  op.schema().arguments()[0].name, ".dtype)");
}

DType pointwise_compute_dtype(const Operator& op, const IValue* args) {
  const PointwiseRule& rule = *op.pointwise;
  ResultType type;
  for (int i = 0; i < rule.body.arity; ++i) {
    auto k = static_cast<size_t>(i);
    if (rule.fixed[k] >= 0) continue;
    const IValue& v = args[rule.position[k]];
    bool refused = rule.refuses_bool && (v.is_tensor() ? v.as_tensor().dtype() == DType::b1 : rule.promoting[k] && v.is_bool());
    MONOGRAPH_CHECK(!refused, Runtime, "[", op.name(),
                    rule.body.arity == 1 ? "] Negation, the `-` operator, on" : "] Subtraction, the `-` operator, with",
                    " a bool tensor is not supported. If you are trying to invert a mask, use the "
                    "`~` or `logical_not()` operator instead.");
    if (v.is_tensor()) {
      if (rule.one_dtype) check_one_dtype(op, rule.position[k], args[0].as_tensor().dtype(), v.as_tensor().dtype());
      type.add(v.as_tensor());
    } else if (rule.promoting[k]) type.add(v);
  }
  return pointwise_compute_dtype(op, type.get());
}

DType pointwise_compute_dtype(const Operator& op, DType t) {
  const PointwiseRule& rule = *op.pointwise;
  if (rule.counts_bool && t == DType::b1) t = DType::i64;
  if (rule.promote == Promote::Float && !is_floating(t) && !is_complex(t)) t = default_dtype();
  MONOGRAPH_CHECK(rule.takes(t), NotImplemented, "[", op.name(), "] \"", op.base_name(), "\" not implemented for '", info(t).scalar_type,
                  "'", conversion_hint(rule));
  return t;
}

void pointwise_rule(RuleCall& c) {
  const PointwiseRule& rule = *c.op.pointwise;
  Sizes sizes;
  std::array<size_t, 4> operands;
  size_t count = 0;
  for (int i = 0; i < rule.body.arity; ++i) {
    const auto k = static_cast<size_t>(i);
    const size_t index = rule.position[k];
    if (!rule.is_scalar[k]) {
      const AbstractValue v = c.known(index);
      if ((v.is_tensor() || v.unknown()) && !v.wrapped) sizes = broadcast(sizes, c.sizes(index), c.op.name());
      if (rule.one_dtype) check_one_dtype(c.op, index, c.dtype(0), c.dtype(index));
    }
    if (rule.fixed[k] < 0 && (!rule.is_scalar[k] || rule.promoting[k])) operands[count++] = index;
  }
  std::optional<DType> dtype = c.promoted(std::span(operands).first(count));
  if (dtype) dtype = rule.result_dtype(pointwise_compute_dtype(c.op, *dtype));
  else if (rule.result_dtype(DType::f32) == DType::b1) dtype = DType::b1;
  c.result(sizes, dtype);
}

Dims broadcast_sizes(std::span<const int64_t> a, std::span<const int64_t> b, std::string_view op) {
  if (a.size() < b.size()) std::swap(a, b);
  Dims out(a);
  size_t lead = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t x = a[lead + i], y = b[i];
    if (x == y || y == 1) continue;
    if (x != 1) fail_broadcast({a.data(), a.size()}, {b.data(), b.size()}, lead + i, op);
    out[lead + i] = y;
  }
  return out;
}

namespace {

// The tensors and numbers of one call, in the body's order, ready to launch.
struct Operands {
  std::array<Tensor, 4> tensors;  // in the dtype that the kernel reads
  std::array<Operand, 5> operands;  // [0] is the result
  alignas(16) std::array<std::array<char, 16>, 4> numbers;
};

bool same_layout(const Tensor& a, const Tensor& b) { return a.sizes() == b.sizes() && a.strides() == b.strides(); }

// Whether an operand has no dims, or is contiguous with the sizes of the result.
bool lies_flat(const Tensor& t, std::span<const int64_t> sizes) {
  return t.dim() == 0 || (t->contiguous && std::ranges::equal(t.sizes(), sizes));
}

// A new result in the layout that PyTorch would choose. It is contiguous where all operands are, whatever strides their dims of size 1 have.
Tensor result_of(std::span<const Tensor> operands, std::span<const int64_t> sizes, DType dtype, Device device) {
  std::array<Dims, 6> strides;  // the most are those of a slope: a gradient, four arguments and a result
  size_t count = 0;
  bool flat = true;
  for (const Tensor& t : operands)
    if (t.defined()) strides[count++] = broadcast_strides(t, sizes), flat = flat && lies_flat(t, sizes);
  if (flat) return empty(sizes, dtype, device);
  return empty_strided(sizes, result_strides(sizes, std::span(strides).first(count)), dtype, device);
}

Tensor make_result(const PointwiseRule& rule, const Operands& o, const Dims& sizes, DType dtype, Device device) {
  return rule.contiguous ? empty(sizes, dtype, device) : result_of(o.tensors, sizes, dtype, device);
}

}  // namespace

// The fast path: where every operand is one number, or contiguous with the sizes of the result, the kernel runs over all elements as one row. Returns an
// undefined tensor where this does not hold. Most calls take this path, and the loops of the general path cost more than a small kernel.
static Tensor run_flat(const Operator& op, const PointwiseRule& rule, const IValue* args, Operands& o, const Dims& sizes, DType compute) {
  std::array<char*, 5> pointers;
  std::array<int64_t, 5> steps;
  for (int i = 0; i < rule.body.arity; ++i) {
    auto k = static_cast<size_t>(i);
    if (rule.is_scalar[k]) {
      store_number(args[rule.position[k]], rule.storage(k, compute), o.numbers[k].data());
      pointers[k + 1] = o.numbers[k].data(), steps[k + 1] = 0;
      continue;
    }
    const Tensor& t = o.tensors[k];
    if (t.is_meta()) return {};
    bool whole = t->contiguous && t.sizes() == sizes;
    if (!whole && t.dim() != 0) return {};
    pointers[k + 1] = t.data(), steps[k + 1] = whole ? element_size(t.dtype()) : 0;
  }
  DType result = rule.result_dtype(compute);
  Tensor out = empty(sizes, result);
  pointers[0] = out.data(), steps[0] = element_size(result);
  if (launch_flat(rule.kernel(compute), pointers.data(), steps.data(), static_cast<size_t>(rule.body.arity) + 1, out.numel()))
    fail(ErrorKind::Runtime, "[", op.name(), "] ", rule.raises);
  return out;
}

const Operator* number_overload(const Operator& op) {
  for (const Operator* other : find_overloads(op.functional ? op.functional->base_name() : op.base_name()).overloads)
    if (other->pointwise && other->pointwise->keeps_numbers && other->pointwise->is_scalar[1] &&
        other->pointwise->variant_argument == op.pointwise->variant_argument)
      return other;
  return nullptr;
}

// Whether the operator computes in 16 bits and its second operand is a single number of another dtype. As in PyTorch, operators with keeps_numbers do
// not round such a number to 16 bits.
static bool second_is_number(const PointwiseRule& rule, const IValue* args, DType compute) {
  if (!rule.keeps_numbers || (compute != DType::f16 && compute != DType::bf16) || rule.is_scalar[1]) return false;
  const Tensor &first = args[0].as_tensor(), &second = args[1].as_tensor();
  return second->kind == TensorImpl::Kind::Dense && !second.is_meta() && !first.is_meta() && second.dtype() != compute &&
         second.numel() == 1 && second.dim() <= first.dim();
}

// Computes into `out` if it is defined (its sizes and dtype were checked), else into a new tensor.
static Tensor run_pointwise(const Operator& op, const IValue* args, Tensor out) {
  const PointwiseRule& rule = op.pointwise->chosen(args);
  DType compute = pointwise_compute_dtype(op, args), result_dtype = rule.result_dtype(compute);
  if (second_is_number(rule, args, compute)) {
    if (const Operator* scalar = number_overload(op)) {
      std::vector<IValue> scalar_args(args, args + op.schema().arguments().size());
      const IValue number = first_number(args[1].as_tensor());
      scalar_args[1] = number.is_float() ? IValue(static_cast<double>(static_cast<float>(number.to_double()))) : number;
      return run_pointwise(*scalar, scalar_args.data(), std::move(out));
    }
  }
  check_numbers(op, rule, args, compute);
  Operands o;
  Dims sizes;
  Device device;
  bool first = true;
  for (int i = 0; i < rule.body.arity; ++i) {
    auto k = static_cast<size_t>(i);
    if (rule.is_scalar[k]) continue;
    const Tensor& t = args[rule.position[k]].as_tensor();
    DType storage = rule.storage(k, compute);
    if (storage == DType::b1 && rule.fixed[k] >= 0) check_condition(op, t);
    o.tensors[k] = t.dtype() == storage ? t : convert_tensor(t, storage);
    if (t->wrapped_number && !first) continue;  // a Python number fits any size
    sizes = first ? t.sizes() : t.sizes() == sizes ? std::move(sizes) : broadcast_sizes(sizes, t.sizes(), op.name());
    if (first || device.type == DeviceType::Cpu) device = t.device();  // a tensor of no dims may lie on the CPU beside others
    first = false;
  }
  if (!out.defined() && device.type == DeviceType::Cpu && product(sizes) != 0)
    if (Tensor flat = run_flat(op, rule, args, o, sizes, compute); flat.defined()) return flat;
  if (!out.defined()) out = make_result(rule, o, sizes, result_dtype, device);
  MONOGRAPH_CHECK(device.type != DeviceType::Meta || out.is_meta(), Runtime, "[", op.name(),
                  "] expected tensors on the device of the result, ", to_string(out.device()),
                  ", but one is on meta, which holds no elements");
  if (device.type == DeviceType::Meta || out.numel() == 0) return out;
  Tensor target = out.dtype() == result_dtype ? out : empty(sizes, result_dtype);
  o.operands[0] = broadcast_operand(target, sizes);
  for (int i = 0; i < rule.body.arity; ++i) {
    auto k = static_cast<size_t>(i);
    if (rule.is_scalar[k]) {
      store_number(args[rule.position[k]], rule.storage(k, compute), o.numbers[k].data());
      o.operands[k + 1] = {o.numbers[k].data(), Dims(sizes.size(), 0)};
      continue;
    }
    // The kernel reads each element before it writes it only where operand and result have the same layout; else it would read what it wrote.
    if (may_overlap(target, o.tensors[k]) && !same_layout(target, o.tensors[k])) o.tensors[k] = copy_tensor(o.tensors[k]);
    o.operands[k + 1] = broadcast_operand(o.tensors[k], sizes);
  }
  auto count = static_cast<size_t>(rule.body.arity) + 1;
  if (launch_pointwise(rule.kernel(compute), std::span(o.operands.data(), count), sizes))
    fail(ErrorKind::Runtime, "[", op.name(), "] ", rule.raises);
  if (!target.is_same(out)) copy_into(out, target);
  return out;
}

Tensor launch_body(const Kernel& kernel, std::span<const IValue> values, std::span<const int64_t> sizes, DType compute) {
  std::vector<Tensor> inputs;
  for (const IValue& v : values)
    if (v.is_tensor()) inputs.push_back(v.as_tensor());
  const bool meta = std::ranges::any_of(inputs, &Tensor::is_meta);
  Tensor out = result_of(inputs, sizes, compute, Device{meta ? DeviceType::Meta : DeviceType::Cpu});
  if (meta) return out;
  std::vector<Operand> operands{broadcast_operand(out, sizes)};
  std::vector<std::array<char, 16>> numbers(values.size());
  for (size_t i = 0, tensor = 0; i < values.size(); ++i) {
    DType dtype = kernel.body->args[i].dtype;
    if (values[i].is_tensor()) {
      Tensor& t = inputs[tensor++];
      if (t.dtype() != dtype) t = convert_tensor(t, dtype);
      operands.push_back(broadcast_operand(t, sizes));
    } else {
      store_number(values[i], dtype, numbers[i].data());
      operands.push_back({numbers[i].data(), Dims(sizes.size(), 0)});
    }
  }
  launch_pointwise(kernel, operands, sizes);
  return out;
}

void eval_pointwise(const Operator& op, const IValue* args, IValue* results) { results[0] = run_pointwise(op, args, {}); }

static void check_castable(const Operator& op, DType result, DType to) {
  MONOGRAPH_CHECK(can_cast(result, to), Runtime, "[", op.name(), "] result type ", info(result).scalar_type,
                  " can't be cast to the desired output type ", info(to).scalar_type,
                  "; convert the tensor that is written to, or use the form that returns a new one");
}

bool computes_in_out_dtype(const Operator& op, std::optional<DType> elements, DType out) {
  if (op.out_kind() != OutDType::Computes || !contains(op.out_dtypes, out)) return false;
  if (!elements) return true;
  if (!op.rows) return op.out_dtypes != kFloating || is_floating(*elements);  // a variance rejects integers, and has a real result
  using Result = RowRule::Result;
  // It rejects integers, whatever out= is; that of all elements also an out= without the imaginary part.
  if (op.rows->result == Result::Float)
    return !is_integral(*elements, true) && (op.rows->rows != RowRule::Rows::All || !is_complex(*elements) || is_complex(out));
  return op.rows->result != Result::Real || is_floating(*elements);  // so do these, and a complex number has a real result
}

void check_out_dtype(const Operator& op, DType result, DType out) {
  if (result == out) return;
  const OutDType kind = op.out_kind();
  if (kind == OutDType::Safe) check_castable(op, result, out);
  const bool converts = kind == OutDType::Safe || kind == OutDType::Any;
  MONOGRAPH_CHECK(converts && contains(op.out_dtypes, out), Runtime, "[", op.name(), "] Expected out tensor to have dtype ", name(result),
                  ", but got ", name(out), " instead");
}

void check_destination(const Operator& op, const Tensor& out, DType result) {
  out.check_writable(op.name());
  if (op.schema().arguments().back().out) check_out_dtype(op, result, out.dtype());
  else check_castable(op, result, out.dtype());
  out.check_no_internal_overlap(op.name());
}

void check_no_partial_overlap(std::string_view op, const Tensor& out, const Tensor& t) {
  if (t.is_same(out) || (t.data() == out.data() && t.sizes() == out.sizes() && t.strides() == out.strides())) return;
  check_no_overlap(op, out, t);
}

void check_no_overlap(std::string_view op, const Tensor& out, const Tensor& t) {
  auto dense = [](const Tensor& x) { return x.is_contiguous() || empty_like(x, x.dtype()).strides() == x.strides(); };
  if (t.is_meta() || t->storage != out->storage) return;
  MONOGRAPH_CHECK(!may_overlap(t, out) || !dense(t) || !dense(out), Runtime, "[", op,
                  "] unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "
                  "Please clone() the tensor before performing the operation.");
}

void check_overlaps(const Operator& form, const IValue* args, size_t out_index) {
  const Operator& computes = *form.functional;
  const Tensor& out = args[out_index].as_tensor();
  const bool indexed = computes.schema().index_of("index") >= 0;
  auto has_inplace = [&] {
    std::string name = computes.name();
    name.insert(std::min(name.find('.'), name.size()), "_");
    return Registry::global().find(name) != nullptr;
  };
  const size_t count = std::min(computes.schema().arguments().size(), form.schema().arguments().size());
  for (size_t i = 0; i < count; ++i) {
    if (i == out_index) continue;
    if (args[i].is_list())
      for (const IValue& v : args[i].items())
        if (v.is_tensor()) check_no_overlap(form.name(), out, v.as_tensor());
    if (!args[i].is_tensor()) continue;
    const Tensor& t = args[i].as_tensor();
    if (t->storage != out->storage) continue;
    // A tensor without dims is read before anything is written.
    const bool read_first = indexed && i > 0 && t.dim() == 0 && out.dim() > 0;
    if (read_first) continue;
    // Elements of these are read after others were written at other places.
    const bool read_later = indexed ? i > 0 || !has_inplace() : computes.schema().arguments()[i].name == "source";
    if (read_later) check_no_overlap(form.name(), out, t);
    else check_no_partial_overlap(form.name(), out, t);
  }
}

static void check_overlap(const Operator& op, const IValue* args, const Tensor& out) {
  for (uint8_t index : std::span(op.pointwise->position).first(static_cast<size_t>(op.pointwise->body.arity)))
    if (args[index].is_tensor()) check_no_partial_overlap(op.name(), out, args[index].as_tensor());
}

static Dims result_sizes(const Operator& op, const IValue* args) {
  const PointwiseRule& rule = *op.pointwise;
  Dims sizes;
  for (int i = 0; i < rule.body.arity; ++i)
    if (auto k = static_cast<size_t>(i); !rule.is_scalar[k])
      sizes = broadcast_sizes(sizes, args[rule.position[k]].as_tensor().sizes(), op.name());
  return sizes;
}

// A masked write into an expanded tensor, in which one element appears at several positions. The element is written once, where the mask is true at any of
// these positions.
static void write_expanded(const Operator& op, const IValue* args, size_t mask_index, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  Dims unexpanded = self.sizes(), expanded_dims;
  for (size_t d = 0; d < unexpanded.size(); ++d)
    if (self.strides()[d] == 0 && unexpanded[d] > 1) unexpanded[d] = 1, expanded_dims.push_back(static_cast<int64_t>(d));
  std::vector<IValue> once(args, args + op.schema().arguments().size());
  once[0] = self.as_strided(unexpanded, self.strides(), self->offset);
  if (self.numel()) once[mask_index] = "any"_op("expand"_op("to"_op(args[mask_index], DType::b1), self.sizes()), expanded_dims, true);
  IValue written;
  eval_pointwise_inplace(op, once.data(), &written);
  results[0] = self;
}

void eval_pointwise_inplace(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& self = args[0].as_tensor();
  if (op.writes_again && overlaps_itself(self)) [[unlikely]] {
    const auto mask_index = static_cast<size_t>(op.schema().index_of("mask"));
    const Tensor& mask = args[mask_index].as_tensor();
    MONOGRAPH_CHECK(mask.sizes().size() <= self.sizes().size(), Runtime, "[", op.name(), "] output with shape ", to_string(self.sizes()),
                    " doesn't match the broadcast shape ", to_string(mask.sizes()));
    check_condition(op, mask);
    if (self.numel() == 0 || self.is_meta()) return void(results[0] = self);
    return write_expanded(op, args, mask_index, results);
  }
  MONOGRAPH_CHECK(!is_complex(self.dtype()) || !op.pointwise->body.complex_gives_real || op.pointwise->promote == Promote::Compare, Runtime,
                  "[", op.name(), "] In-place ", op.functional->base_name(), " is not supported for complex tensors.");
  DType compute = pointwise_compute_dtype(op, args);
  check_destination(op, self, op.pointwise->result_dtype(compute));
  Dims sizes = result_sizes(op, args);
  MONOGRAPH_CHECK(sizes == self.sizes(), Runtime, "[", op.name(), "] output with shape ", to_string(self.sizes()),
                  " doesn't match the broadcast shape ", to_string(sizes));
  check_overlap(op, args, self);
  results[0] = run_pointwise(op, args, self);
  self.bump_version();
}

// An out= tensor of another size gets the layout that a new result would have.
static void resize_pointwise(const Operator& op, const IValue* args, const Tensor& out) {
  const PointwiseRule& rule = *op.pointwise;
  const Dims sizes = result_sizes(op, args);
  if (out.sizes() == sizes) return;
  std::array<Dims, 4> strides;
  size_t count = 0;
  bool flat = true;
  for (int i = 0; i < rule.body.arity && !rule.contiguous; ++i)
    if (const auto k = static_cast<size_t>(i); !rule.is_scalar[k]) {
      const Tensor& t = args[rule.position[k]].as_tensor();
      strides[count++] = broadcast_strides(t, sizes), flat = flat && lies_flat(t, sizes);
    }
  resize_output(op, args, sizes, flat ? contiguous_strides(sizes) : result_strides(sizes, std::span(strides).first(count)));
}

void eval_pointwise_out(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& out = args[op.schema().arguments().size() - 1].as_tensor();
  const DType compute = pointwise_compute_dtype(op, args), result = op.pointwise->result_dtype(compute);
  // As in PyTorch, a real number that is computed from a complex one may be written as any float, or as that complex dtype.
  const bool any_float = is_complex(compute) && is_floating(result) && (is_floating(out.dtype()) || out.dtype() == compute);
  check_destination(op, out, any_float ? out.dtype() : result);
  resize_pointwise(op, args, out);
  check_overlap(op, args, out);
  results[0] = run_pointwise(op, args, out);
  out.bump_version();
}

void eval_list_out(const Operator& op, const IValue* args, IValue*) {
  const std::vector<IValue>& targets = args[op.schema().arguments().size() - 1].items();
  IValue made;
  call(*op.functional, args, &made);
  MONOGRAPH_CHECK(made.items().size() == targets.size(), Runtime, "[", op.name(), "] expected out= with ", made.items().size(),
                  " tensors, but got ", targets.size());
  for (size_t k = 0; k < targets.size(); ++k) {
    const Tensor &target = targets[k].as_tensor(), &value = made.items()[k].as_tensor();
    check_destination(op, target, value.dtype());
    if (target.sizes() != value.sizes()) "resize_"_op(target, value.sizes());
    "copy_"_op(target, value);
  }
}

void eval_composite_form(const Operator& op, const IValue* args, IValue* results) { write_composite(op, args, args, results); }

// The arguments of the functional form of an operator that computes in the dtype of out=. A factory takes the device from it too.
static std::vector<IValue> arguments_by_out(const Operator& op, const IValue* args, const Tensor& out) {
  std::vector<IValue> functional_args(args, args + op.schema().arguments().size() - 1);
  const auto& schema = op.functional->schema();
  functional_args.resize(schema.arguments().size());
  const int dtype = schema.index_of("dtype");
  if (dtype < 0) functional_args[0] = "to"_op(functional_args[0], out.dtype());
  else if (functional_args[static_cast<size_t>(dtype)].is_none()) functional_args[static_cast<size_t>(dtype)] = out.dtype();
  if (const int device = schema.index_of("device"); device >= 0) functional_args[static_cast<size_t>(device)] = out.device();
  return functional_args;
}

// Writes one result to the argument with this index.
static void write_result(const Operator& op, const IValue* args, size_t index, const Tensor& value) {
  const Tensor& target = args[index].as_tensor();
  const bool into_out = op.schema().arguments()[index].out;
  check_destination(op, target, value.dtype());
  if (into_out) resize_output(op, args, index, value.sizes(), value.strides());
  if (op.schema().returns().size() == 1 || !op.functional->evaluates()) check_overlaps(op, args, index);
  MONOGRAPH_CHECK(value.sizes() == target.sizes(), Runtime, "[", op.name(), "] output with shape ", to_string(target.sizes()),
                  " doesn't match the broadcast shape ", to_string(value.sizes()));
  "copy_"_op(target, value);
}

void write_composite(const Operator& op, const IValue* args, const IValue* functional_args, IValue* results) {
  const auto& arguments = op.schema().arguments();
  const bool into_out = arguments.back().out;
  const size_t count = op.schema().returns().size();
  const size_t first_out = into_out ? arguments.size() - count : 0;
  std::vector<IValue> by_out;
  const bool factory = into_out && first_out < op.functional->schema().arguments().size();
  const bool in_out_dtype =
      into_out && args[0].is_tensor() && computes_in_out_dtype(op, args[0].as_tensor().dtype(), args[first_out].as_tensor().dtype());
  if (factory || in_out_dtype) {
    by_out = arguments_by_out(op, args, args[first_out].as_tensor());
    functional_args = by_out.data();
  }
  if (into_out && count == 1 && op.functional->kernel && !op.functional->sized_by_elements() &&
      run_structured_out(op, args, functional_args, results))
    return;
  std::array<IValue, 8> computed;
  call(*op.functional, functional_args, computed.data());
  write_computed(op, args, computed.data(), results);
}

void write_computed(const Operator& op, const IValue* args, const IValue* computed, IValue* results) {
  const auto& arguments = op.schema().arguments();
  const size_t count = op.schema().returns().size();
  const size_t first_out = arguments.back().out ? arguments.size() - count : 0;
  for (size_t k = 0; k < count; ++k) {
    const Tensor& out = args[first_out + k].as_tensor();
    check_destination(op, out, computed[k].as_tensor().dtype());
    for (size_t i = 0; count > 1 && i < first_out; ++i)
      if (args[i].is_tensor()) check_no_partial_overlap(op.name(), out, args[i].as_tensor());
  }
  for (size_t k = 0; k < count; ++k) {
    write_result(op, args, first_out + k, computed[k].as_tensor());
    results[k] = args[first_out + k];
  }
}

}  // namespace monograph
