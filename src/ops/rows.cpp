// How row programs run: dims are checked and sorted; the input is copied if one step in memory cannot walk a row; then the generated kernel runs over the rows.
#include "ops/rows.h"

#include <algorithm>

#include "core/threads/pool.h"
#include "ops/kernel_call.h"
#include "ops/promotion.h"
#include "ops/rule.h"

namespace monograph {

// The dtype of the numbers that a body reads, for rows of dtype `storage`.
static DType number_type(DType storage) { return compute_type(real_type(storage)); }

RowContext::RowContext(Recorder& recorder, const RowRule& rule, DType storage, DType result, unsigned present)
    : recorder_(recorder), rule_(rule), storage_(storage), result_(result), present_(present) {
  if (is_complex(storage)) {
    MONOGRAPH_ASSERT(present == 1);
    Complex z = Complex::arg(recorder, storage, false);
    values_[0] = z.re, imaginary_ = z.im;
  }
  for (size_t k = 0; k < rule.tensors.size() && !is_complex(storage); ++k)
    if (has(k)) values_[k] = recorder.arg(storage);
  for (size_t k = 0; k < rule.scalars.size(); ++k)
    if (rule.scalars[k] >= 0) scalars_[k] = recorder.arg(number_type(storage), true);
}

Num RowContext::count() const { return convert(row_count(), number_type(storage_)); }

Body record_rows(const RowRule& rule, DType storage, DType result, unsigned present) {
  Recorder recorder(rule.copy);
  RowContext context(recorder, rule, storage, result, present);
  rule.body(context);
  return recorder.finish();
}

DType row_result(const RowRule& rule, DType storage) {
  using Result = RowRule::Result;
  if (rule.result == Result::Bool) return storage == DType::u8 ? DType::u8 : DType::b1;
  if (rule.result == Result::Real) return real_type(storage);
  return rule.result == Result::Index ? DType::i64 : storage;
}

RowTypes row_types(const Operator& op, DType input, std::optional<DType> stated) {
  const RowRule& rule = *op.rows;
  DType t = stated.value_or(input);
  using Result = RowRule::Result;
  if (rule.result == Result::Sum && !stated && is_integral(t, true)) t = DType::i64;
  if (rule.result == Result::Promoted && is_integral(t, true)) t = default_dtype();
  MONOGRAPH_CHECK(rule.result != Result::Float || is_floating(t) || is_complex(t), Runtime, "[", op.name(), "] ", op.base_name(),
                  "(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: ",
                  info(t).scalar_type, "; convert it first, for example x.to(torch.float32)");
  MONOGRAPH_CHECK(rule.takes(t), NotImplemented, "[", op.name(), "] \"", op.base_name(), "\" not implemented for '", info(t).scalar_type,
                  "'", conversion_hint(rule));
  return {t, row_result(rule, t)};
}

Dims row_dims(const Operator& op, std::span<const int64_t> sizes, const IValue* args) {
  if (op.rows->rows == RowRule::Rows::NormalizedShape) {
    const Dims& shape = args[op.rows->dim_arg].to_ints();
    check_normalized_shape(op, Sizes::of_numbers(shape), {sizes.data(), sizes.size()});
  }
  return row_dims(op, sizes.size(), args);
}

Dims row_dims(const Operator& op, size_t rank, const IValue* args) {
  const RowRule& rule = *op.rows;
  const auto ndim = static_cast<int64_t>(rank);
  Dims dims;
  using Rows = RowRule::Rows;
  const IValue& v = args[rule.dim_arg];
  bool all =
      rule.rows == Rows::All || (rule.rows != Rows::NormalizedShape && v.is_none()) || (rule.rows == Rows::Dims && v.to_ints().empty());
  if (all || rule.rows == Rows::NormalizedShape) {
    const auto last = static_cast<int64_t>(all           ? rank
                                           : v.is_ints() ? v.to_ints().size()
                                                         : v.items().size());  // a capture may have symbols in the list
    for (int64_t d = ndim - last; d < ndim; ++d) dims.push_back(d);
    return dims;
  }
  if (v.is_int()) dims.push_back(wrap_dim(v.to_int(), ndim));
  else
    for (int64_t d : v.to_ints()) dims.push_back(wrap_dim(d, ndim));
  std::sort(dims.begin(), dims.end());
  for (size_t i = 1; i < dims.size(); ++i)
    MONOGRAPH_CHECK(dims[i] != dims[i - 1], Runtime, "[", op.name(), "] dim ", dims[i], " appears multiple times in the list of dims");
  if (ndim == 0) dims.resize(0);
  return dims;
}

void check_normalized_shape(const Operator& op, SizesRef shape, SizesRef sizes) {
  if (!shape.ranked() || !sizes.ranked()) return;
  Truth fits = !shape.empty() && shape.size() <= sizes.size();
  for (size_t k = 0; certainly(fits) && k < shape.size(); ++k) fits = shape[k] == sizes[sizes.size() - shape.size() + k];
  MONOGRAPH_CHECK(!never(fits), Runtime, "[", op.name(), "] Given normalized_shape=", words(shape), ", expected input with shape [*, ",
                  words(shape).substr(1), ", but got input of size ", words(sizes));
}

// --- On a graph.

namespace {

// For each dim whether it belongs to the rows. Absent if the dims are not known.
std::optional<std::vector<bool>> row_mask(const RuleCall& c, SizesRef sizes) {
  const RowRule& rule = *c.op.rows;
  using Rows = RowRule::Rows;
  const auto at = static_cast<size_t>(std::max(rule.dim_arg, 0));
  if (rule.rows == Rows::All || (rule.rows != Rows::NormalizedShape && c.none(at))) return std::vector<bool>(sizes.size(), true);
  std::vector<bool> mask(sizes.size(), false);
  const Sizes given = c.ints(at);
  if (!given.ranked()) return {};
  if (rule.rows == Rows::NormalizedShape) {
    check_normalized_shape(c.op, given, sizes);
    std::fill(mask.end() - static_cast<ptrdiff_t>(given.size()), mask.end(), true);
    return mask;
  }
  if (given.empty()) return std::vector<bool>(sizes.size(), true);
  for (size_t k = 0; k < given.size(); ++k) {
    if (!given[k].is_int()) return {};
    const auto d = static_cast<size_t>(wrap_dim(given[k].as_int(), static_cast<int64_t>(sizes.size())));
    if (d < mask.size()) mask[d] = true;
  }
  return mask;
}

Sizes reduced(SizesRef sizes, const std::optional<std::vector<bool>>& mask, std::optional<bool> keep) {
  if (!sizes.ranked() || !mask || !keep) return Sizes::unranked();
  Sizes out;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!(*mask)[d]) out.push_back(sizes[d]);
    else if (*keep) out.push_back(1);
  return out;
}

}  // namespace

void rows_rule(RuleCall& c) {
  const RowRule& rule = *c.op.rows;
  const auto input = static_cast<size_t>(rule.tensors[0]);
  const SizesRef sizes = c.sizes(input);
  std::optional<RowTypes> types;
  std::optional<DType> stated = rule.dtype_arg >= 0 ? c.dtype_or(static_cast<size_t>(rule.dtype_arg), {}) : std::nullopt;
  const bool dtype_unknown = rule.dtype_arg >= 0 && !stated && !c.none(static_cast<size_t>(rule.dtype_arg));
  if (!dtype_unknown && (stated || c.dtype(input))) types = row_types(c.op, c.dtype(input).value_or(DType::f32), stated);
  std::optional<std::vector<bool>> mask;
  if (sizes.ranked()) mask = row_mask(c, sizes);
  const std::optional<bool> keep = rule.keepdim_arg < 0 ? std::optional(false) : c.truth(static_cast<size_t>(rule.keepdim_arg));
  std::optional<DType> dtype;
  if (types) dtype = types->result;
  else if (rule.result == RowRule::Result::Bool) dtype = DType::b1;
  else if (rule.result == RowRule::Result::Index) dtype = DType::i64;
  if (rule.reduces) {
    const Sizes rows = reduced(sizes, mask, keep);
    c.result(rows, dtype);
    if (c.op.results() > 1) c.result(rows, DType::i64);  // the index of the value in its row
    return;
  }
  c.result(sizes, dtype);
  for (size_t k = 1; k < c.op.results(); ++k) c.result(reduced(sizes, mask, true), dtype);  // these have one value a row
}

// --- Eager and the meta device.

namespace {

const Kernel& row_kernel(const RowRule& rule, RowTypes types, unsigned present, KernelForm form) {
  const size_t slot = static_cast<size_t>(types.storage) * 8 + (present >> 1) * 2 + (form == KernelForm::Outer);
  return rule.kernels[slot].get(form, [&] { return expand(record_rows(rule, types.storage, types.result, present)); });
}

// The sizes of a result with one value a row: the row dims become 1, or vanish without keepdim.
Dims reduced_sizes(std::span<const int64_t> sizes, const Dims& dims, bool keep) {
  Dims out;
  for (size_t d = 0; d < sizes.size(); ++d) {
    bool row = std::ranges::count(dims, static_cast<int64_t>(d)) != 0;
    if (!row) out.push_back(sizes[d]);
    else if (keep) out.push_back(1);
  }
  return out;
}

}  // namespace

// A copy in these sizes whose row dims are innermost in memory, so that one stride walks a row. A contiguous copy would not do if other dims stand between
// them.
static Tensor copy_rows(const Tensor& t, const Dims& sizes, const Dims& dims) {
  Dims strides(sizes.size(), 0), wide(sizes.size(), 0);
  int64_t step = 1;
  for (bool row : {true, false})
    for (size_t d = sizes.size(); d-- > 0;)
      if ((std::ranges::count(dims, static_cast<int64_t>(d)) != 0) == row) strides[d] = step, step *= std::max<int64_t>(sizes[d], 1);
  size_t lead = sizes.size() - t.sizes().size();
  for (size_t d = lead; d < sizes.size(); ++d) wide[d] = t.sizes()[d - lead] == 1 ? 0 : t.strides()[d - lead];
  Tensor out = empty_strided(sizes, strides, t.dtype(), t.device());
  copy_into(out, t.as_strided(sizes, wide, t->offset));
  return out;
}

// Checks the weight or bias of a norm: it has exactly the sizes of a row, and the dtype of the input. Beside a 16-bit input it may be float32.
static void check_parameter(const Operator& op, const Tensor& t, size_t argument, const Dims& row, DType storage) {
  const std::string& name = op.schema().arguments()[argument].name;
  MONOGRAPH_CHECK(t.sizes() == row, Runtime, "[", op.name(), "] Expected ", name, " to be of same shape as normalized_shape, but got ",
                  name, " of shape ", to_string(t.sizes()), " and normalized_shape = ", to_string(row));
  MONOGRAPH_CHECK(t.dtype() == storage || (element_size(storage) == 2 && t.dtype() == DType::f32), Runtime, "[", op.name(), "] expected ",
                  name, " to have scalar type ", info(storage).scalar_type, ", but got ", info(t.dtype()).scalar_type,
                  "; convert the input or the layer, for example input.to(", name, ".dtype)");
}

// The dtype that the call states with dtype=, or else by an out= tensor in whose dtype PyTorch computes. Absent if it states none.
static std::optional<DType> stated_dtype(const Operator& op, const IValue* args, const Tensor* out) {
  const RowRule& rule = *op.rows;
  if (rule.dtype_arg >= 0 && !args[rule.dtype_arg].is_none()) return args[rule.dtype_arg].to_dtype();
  const bool follows = out && computes_in_out_dtype(op, args[rule.tensors[0]].as_tensor().dtype(), out->dtype());
  return follows ? std::optional(out->dtype()) : std::nullopt;
}

// max, min and their relatives have no result for an empty row. If the input is empty, the call must name dims, and these must not be empty.
static void check_has_elements(const Operator& op, std::span<const int64_t> sizes, std::span<const int64_t> dims, const IValue* args) {
  if (!op.rows->refuses_empty || product(sizes) != 0) return;
  const bool index = op.rows->result == RowRule::Result::Index;
  const IValue& stated = args[op.rows->dim_arg];
  if (op.rows->rows == RowRule::Rows::All || stated.is_none() || (!stated.is_int() && stated.to_ints().empty()))
    fail(index ? ErrorKind::Index : ErrorKind::Runtime, "[", op.name(), "] ", op.base_name(),
         "(): Expected reduction dim to be specified for input.numel() == 0, but got an input of size ", to_string(sizes),
         ". Specify the reduction dim with the 'dim' argument.");
  for (int64_t d : dims)
    MONOGRAPH_CHECK(sizes[static_cast<size_t>(d)] != 0, Index, "[", op.name(), "] ", op.base_name(), "(): Expected reduction dim ", d,
                    " to have non-zero size, but got an input of size ", to_string(sizes));
}

static void run_rows(const Operator& op, const IValue* args, IValue* results, const Tensor* out) {
  const RowRule& rule = *op.rows;
  const Tensor& input = args[rule.tensors[0]].as_tensor();
  RowTypes types = row_types(op, input.dtype(), stated_dtype(op, args, out));
  Dims dims = row_dims(op, input.sizes(), args);
  Dims sizes = input.sizes();
  check_has_elements(op, sizes, dims, args);
  bool keep = rule.keepdim_arg >= 0 && args[rule.keepdim_arg].to_bool();

  unsigned present = 0;
  std::vector<Tensor> held;
  std::vector<Operand> operands;
  std::vector<Operand> arguments;
  for (size_t k = 0; k < rule.tensors.size(); ++k) {
    if (rule.tensors[k] < 0 || args[rule.tensors[k]].is_none()) continue;
    present |= 1u << k;
    Tensor t = args[rule.tensors[k]].as_tensor();
    if (k > 0 && rule.rows == RowRule::Rows::NormalizedShape)
      check_parameter(op, t, static_cast<size_t>(rule.tensors[k]), args[rule.dim_arg].to_ints(), types.storage);
    if (t.dtype() != types.storage) t = convert_tensor(t, types.storage);
    broadcast_sizes(sizes, t.sizes(), op.name());
    Operand o = broadcast_operand(t, sizes);
    if (!rows_are_strided(o, sizes, dims)) t = copy_rows(t, sizes, dims), o = broadcast_operand(t, sizes);
    held.push_back(std::move(t));
    arguments.push_back(std::move(o));
  }
  alignas(8) std::array<std::array<char, 8>, 2> numbers;
  for (size_t k = 0; k < rule.scalars.size(); ++k) {
    if (rule.scalars[k] < 0) continue;
    const IValue& number = args[rule.scalars[k]];
    double v = number.is_none() ? rule.scalar_defaults[k] : number_in(op.name(), number, DType::f64).to_double();
    dispatch(number_type(types.storage), [&](auto zero) {
      if constexpr (std::is_arithmetic_v<decltype(zero)>) {
        auto value = static_cast<decltype(zero)>(v);
        std::memcpy(numbers[k].data(), &value, sizeof(value));
      }
    });
    arguments.push_back({numbers[k].data(), Dims(sizes.size(), 0)});
  }

  // The rows are inner if the last dim belongs to them, or if there are no dims.
  bool inner = dims.empty() || dims.back() == static_cast<int64_t>(sizes.size()) - 1;
  const Kernel& kernel = row_kernel(rule, types, present, inner ? KernelForm::Inner : KernelForm::Outer);
  std::vector<Tensor> made;
  for (const Body::Out& o : kernel.body->outs) {
    bool uniform = o.arg.uniform;
    Tensor t;
    if (out && made.empty()) {
      check_out_dtype(op, o.arg.dtype, out->dtype());
      const Dims wanted = uniform ? reduced_sizes(sizes, dims, keep) : sizes;
      resize_output(op, args, wanted, contiguous_strides(wanted));
      t = *out;
    } else {
      bool keeps = keep || (uniform && !rule.reduces);
      t = empty(uniform ? reduced_sizes(sizes, dims, keeps) : sizes, o.arg.dtype, input.device());
    }
    Operand operand;
    operand.data = t.data();
    operand.strides = Dims(sizes.size(), 0);
    bool dropped = t.sizes().size() != sizes.size();
    for (size_t d = 0, from = 0; d < sizes.size(); ++d) {
      bool row = uniform && std::ranges::count(dims, static_cast<int64_t>(d)) != 0;
      if (!row) operand.strides[d] = t.strides()[dropped ? from : d] * element_size(o.arg.dtype);
      from += !row;
    }
    operands.push_back(std::move(operand));
    made.push_back(std::move(t));
  }
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  // Rows of no elements may be many: softmax of sizes [0, 2^40].
  const bool has_elements = std::ranges::any_of(made, [](const Tensor& t) { return t.numel() != 0; });
  if (!made[0].is_meta() && has_elements) launch_rows(kernel, operands, sizes, dims);
  for (size_t i = 0; i < made.size(); ++i) results[i] = made[i];
}

// The same elements, with these dims behind the others.
static Tensor moved_last(const Tensor& t, const Dims& dims) {
  Dims sizes, strides;
  for (const bool last : {false, true})
    for (size_t d = 0; d < t.sizes().size(); ++d)
      if ((std::ranges::count(dims, static_cast<int64_t>(d)) != 0) == last)
        sizes.push_back(t.sizes()[d]), strides.push_back(t.strides()[d]);
  return t.as_strided(sizes, strides, t->offset);
}

// Reduces the rows of a complex tensor with RowRule::complex.
static void run_complex(const Operator& op, const IValue* args, const Tensor& input, DType dtype, IValue* results) {
  const Dims dims = row_dims(op, input.sizes(), args);
  const bool keep = op.rows->keepdim_arg >= 0 && args[op.rows->keepdim_arg].to_bool();
  const Tensor x = contiguous(moved_last(input.dtype() == dtype ? input : convert_tensor(input, dtype), dims));
  const Tensor out = empty(reduced_sizes(input.sizes(), dims, keep), dtype, x.device());
  results[0] = out;
  if (out.is_meta()) return;
  KernelArg self;
  self.kind = KernelArg::Kind::Tensor, self.tensor = kernel_tensor(x);
  const KernelTensor made = kernel_tensor(out);
  KernelCall call;
  call.args = &self, call.arg_count = 1, call.results = &made, call.result_count = 1;
  op.rows->complex(call);
}

void eval_rows(const Operator& op, const IValue* args, IValue* results) {
  const RowRule& rule = *op.rows;
  const Tensor& input = args[rule.tensors[0]].as_tensor();
  const DType dtype = stated_dtype(op, args, nullptr).value_or(input.dtype());
  rule.complex&& is_complex(dtype) ? run_complex(op, args, input, dtype, results) : run_rows(op, args, results, nullptr);
}

void eval_rows_out(const Operator& op, const IValue* args, IValue* results) {
  const Tensor& out = args[op.schema().arguments().size() - 1].as_tensor();
  const RowRule& rule = *op.rows;
  const DType elements = stated_dtype(op, args, &out).value_or(args[rule.tensors[0]].as_tensor().dtype());
  if (op.out_kind() == OutDType::Any || (rule.complex && is_complex(elements))) return write_composite(op, args, args, results);
  out.check_writable(op.name());
  out.check_no_internal_overlap(op.name());
  const size_t last = op.schema().arguments().size() - 1;
  const bool shares = std::ranges::any_of(std::span(args, last), [&](const IValue& v) {
    if (!v.is_tensor() || v.as_tensor().is_meta() || v.as_tensor()->storage != out->storage) return false;
    const Tensor& t = v.as_tensor();
    return t.data() != out.data() || t.sizes() != out.sizes() || t.strides() != out.strides();
  });
  if (shares) {  // out= shares memory with an argument, and the first rows are written before the last ones are read
    std::vector<IValue> given(args, args + last + 1);
    const Tensor made = empty({0}, out.dtype());
    given[last] = made;
    run_rows(op, given.data(), results, &made);
    resize_output(op, args, made.sizes(), made.strides());
    copy_into(out, made);
    results[0] = out;
  } else {
    run_rows(op, args, results, &out);
  }
  out.bump_version();
}

}  // namespace monograph
