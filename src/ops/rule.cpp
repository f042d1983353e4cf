// How shape rules read their arguments, and how a structured operator runs: its rule states the results, dispatch allocates them, the kernel
// fills them.
#include "ops/rule.h"

#include <algorithm>
#include <utility>

#include "core/threads/pool.h"
#include "kernels/storage_only.h"
#include "ops/dispatch.h"
#include "ops/expansion.h"
#include "ops/generator_value.h"
#include "ops/infer.h"
#include "ops/kernel_call.h"
#include "ops/layouts.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/symbolic_value.h"

namespace monograph {

using ir::TypeKind;

// --- Arguments.

namespace {

// The operator whose decomposition runs, where its record states messages for bad data that a kernel inside of it finds; null elsewhere.
thread_local const Operator* composite_with_messages = nullptr;

Sizes sizes_of(const std::optional<std::vector<Dim>>& dims) {
  if (!dims) return Sizes::unranked();
  Sizes out;
  for (const Dim& d : *dims) out.push_back(d);
  return out;
}

// The value of an int; for a symbol of a capture, its value in the example.
Size example_of(const IValue& v) {
  if (v.is_int() || v.is_bool()) return v.to_int();
  if (auto size = symbolic_size(v)) return size->symint()->hint().value();
  const SymbolicValue* number = symbolic_value(v);
  return number && number->hint.is_int() ? Size(number->hint.to_int()) : Size();
}

const Tensor* tensor_of(const IValue& v) { return v.is_tensor() ? &v.as_tensor() : nullptr; }

}  // namespace

RuleCall::RuleCall(const Operator& op, const std::vector<AbstractValue>& args) : op(op), graph_arguments_(&args) {
  graph_sizes_.reserve(args.size());
  for (const AbstractValue& arg : args) {
    ArgumentShapes& shapes = graph_sizes_.emplace_back();
    shapes.sizes = sizes_of(arg.tensor.sizes);
    if (arg.items)
      for (const AbstractValue& item : *arg.items) shapes.items.push_back(sizes_of(item.tensor.sizes));
  }
}

bool RuleCall::none(size_t i) const { return values_ ? values_[i].is_none() : (*graph_arguments_)[i].is_none; }

bool RuleCall::is_tensor(size_t i) const { return values_ ? values_[i].is_tensor() : (*graph_arguments_)[i].is_tensor(); }

SizesRef RuleCall::sizes(size_t i) const {
  if (!values_) return graph_sizes_[i].sizes;
  const Tensor* t = tensor_of(values_[i]);
  return t ? SizesRef(t->sizes()) : SizesRef();
}

std::optional<DType> RuleCall::dtype(size_t i) const {
  if (!values_) return (*graph_arguments_)[i].tensor.dtype;
  const Tensor* t = tensor_of(values_[i]);
  return t ? std::optional(t->dtype()) : std::nullopt;
}

View RuleCall::view_of(size_t i) const {
  View v;
  if (values_) {
    const Tensor& t = values_[i].as_tensor();
    v.sizes = SizesRef(t.sizes()), v.strides = SizesRef(t.strides()), v.offset = t->offset;
  } else {
    v.sizes = graph_sizes_[i].sizes;
    v.strides = v.sizes.ranked() ? Sizes(v.sizes.size(), Size::unknown()) : Sizes::unranked();
    v.offset = Size::unknown();
  }
  return v;
}

std::optional<Device> RuleCall::device(size_t i) const {
  if (!values_) return (*graph_arguments_)[i].tensor.device;
  const Tensor* t = tensor_of(values_[i]);
  return t ? std::optional(t->device()) : std::nullopt;
}

std::optional<double> RuleCall::real(size_t i) const {
  if (!values_) return (*graph_arguments_)[i].number;
  const IValue& v = values_[i];
  return v.is_number() && !v.is_complex() ? std::optional(v.to_double()) : std::nullopt;
}

Size RuleCall::size(size_t i) const {
  if (!values_) return (*graph_arguments_)[i].integer;
  return example_of(values_[i]);
}

std::optional<bool> RuleCall::truth(size_t i) const {
  auto v = integer(i);
  return v ? std::optional(*v != 0) : std::nullopt;
}

std::optional<std::string_view> RuleCall::text(size_t i) const {
  if (values_) return values_[i].to_string();
  const AbstractValue& known = (*graph_arguments_)[i];
  return known.type.is(ir::TypeKind::Str) && !known.text.empty() ? std::optional<std::string_view>(known.text) : std::nullopt;
}

Sizes RuleCall::ints(size_t i) const {
  if (values_) {
    const SymbolicValue* computed = symbolic_value(values_[i]);  // a list that the captured program computes
    const IValue& v = computed ? computed->hint : values_[i];
    if (v.is_ints()) return Sizes::of_numbers(v.to_ints());
    if (!v.is_list() && !v.is_tuple()) return Sizes::unranked();
    Sizes out;
    for (const IValue& item : v.items()) out.push_back(example_of(item));
    return out;
  }
  const AbstractValue& arg = (*graph_arguments_)[i];
  if (arg.integer) return Sizes(static_cast<size_t>(std::max(1, op.schema().arguments()[i].list_size)), *arg.integer);
  if (!arg.items) return Sizes::unranked();
  Sizes out;
  for (const AbstractValue& item : *arg.items) out.push_back(item.integer);
  return out;
}

namespace {

// The slow path of length() and entry(), for lists that hold more than plain numbers. It is not inlined: the rules of convolution and pooling read
// entries many times, and a Sizes takes a large stack frame.
[[gnu::noinline]] std::optional<size_t> length_of_any(const RuleCall& c, size_t i) {
  const Sizes list = c.ints(i);
  return list.ranked() ? std::optional(list.size()) : std::nullopt;
}
[[gnu::noinline]] Size entry_of_any(const RuleCall& c, size_t i, size_t k) {
  const Sizes list = c.ints(i);
  return !list.ranked() || list.empty() ? Size::unknown() : list[list.size() == 1 ? 0 : k];
}

}  // namespace

std::optional<size_t> RuleCall::length(size_t i) const {
  if (values_ && values_[i].is_ints()) return values_[i].to_ints().size();
  return length_of_any(*this, i);
}

Size RuleCall::entry(size_t i, size_t k) const {
  if (!values_ || !values_[i].is_ints()) return entry_of_any(*this, i, k);
  const Dims& list = values_[i].to_ints();
  return list.empty() ? Size::unknown() : Size(list[list.size() == 1 ? 0 : k]);
}

std::optional<size_t> RuleCall::dim(size_t i, size_t rank) {
  auto d = integer(i);
  if (!d) return {};
  int64_t at = wrap_dim(*d, static_cast<int64_t>(rank));
  MONOGRAPH_ASSERT(wrapped_count_ < wrapped_.size());
  wrapped_[wrapped_count_++] = {static_cast<uint8_t>(i), at};
  return static_cast<size_t>(at);
}

std::optional<size_t> RuleCall::count(size_t i) const {
  if (values_) return values_[i].items().size();
  const auto& items = (*graph_arguments_)[i].items;
  return items ? std::optional(items->size()) : std::nullopt;
}
SizesRef RuleCall::item_sizes(size_t i, size_t k) const {
  if (!values_) return graph_sizes_[i].items[k];
  return SizesRef(values_[i].items()[k].as_tensor().sizes());
}
bool RuleCall::item_none(size_t i, size_t k) const {
  return values_ ? values_[i].items()[k].is_none() : (*(*graph_arguments_)[i].items)[k].is_none;
}
std::optional<DType> RuleCall::item_dtype(size_t i, size_t k) const {
  return values_ ? std::optional(values_[i].items()[k].as_tensor().dtype()) : (*(*graph_arguments_)[i].items)[k].tensor.dtype;
}

std::optional<DType> RuleCall::dtype_or(size_t i, std::optional<DType> otherwise) const {
  if (values_) return values_[i].is_none() ? otherwise : std::optional(values_[i].to_dtype());
  const AbstractValue& arg = (*graph_arguments_)[i];
  return arg.is_none ? otherwise : arg.dtype;
}

std::optional<DType> RuleCall::number_dtype(size_t i) const {
  if (values_) return monograph::number_dtype(values_[i]);
  return dtype_of_number((*graph_arguments_)[i]);
}

void RuleCall::fail_dtype(DType t, std::string_view kernel, DType instead) const {
  const std::string named = kernel.empty() ? std::string() : concat("\"", kernel, "\" ");
  fail(ErrorKind::NotImplemented, named, "not implemented for '", info(t).scalar_type, "'; convert it first, for example x.to(torch.",
       name(instead), ")");
}

void RuleCall::check_max_dims(SizesRef sizes) const {
  check(!sizes.ranked() || sizes.size() <= kMaxDims, ErrorKind::Runtime, "expected a tensor of at most ", kMaxDims,
        " dims, but got one of ", sizes.size());
}

AbstractValue RuleCall::known(size_t i) const { return values_ ? AbstractValue::of(values_[i]) : (*graph_arguments_)[i]; }

bool RuleCall::meta() const {
  auto is_meta = [](const IValue& v) { return v.is_tensor() && v.as_tensor().is_meta(); };
  const std::span values(values_, values_ ? op.schema().arguments().size() : 0);
  return std::ranges::any_of(values,
                             [&](const IValue& v) { return is_meta(v) || (v.is_list() && std::ranges::any_of(v.items(), is_meta)); });
}

// In promotion a tensor with dims takes precedence over one without. So each tensor of unknown rank is tried with and without dims; if the answers differ, the
// dtype is unknown.
std::optional<DType> RuleCall::promoted(std::span<const size_t> which) const {
  if (values_ && std::ranges::all_of(which, [&](size_t i) { return values_[i].is_tensor() || values_[i].is_number() || none(i); })) {
    const Tensor* first = which.empty() ? nullptr : tensor_of(values_[which[0]]);
    auto like_first = [&](size_t i) {
      const Tensor* t = tensor_of(values_[i]);
      return t && t->dtype() == first->dtype();
    };
    if (first && !(*first)->wrapped_number && std::ranges::all_of(which.subspan(1), like_first)) return first->dtype();
    ResultType type;
    for (size_t i : which) {
      if (values_[i].is_tensor()) type.add(values_[i].as_tensor());
      else if (!none(i)) type.add(values_[i]);
    }
    return type.get();
  }
  std::vector<AbstractValue> operands;
  size_t unranked = 0;
  for (size_t i : which) {
    if (none(i)) continue;
    const AbstractValue& v = operands.emplace_back(known(i));
    unranked += v.is_tensor() && !v.tensor.sizes && !v.wrapped;
  }
  std::optional<DType> found;
  for (size_t choice = 0; choice < size_t{1} << unranked; ++choice) {  // bit k: whether the k-th of them has dims
    ResultType type;
    size_t k = 0;
    for (const AbstractValue& v : operands) {
      auto dtype = v.is_tensor() ? v.tensor.dtype : dtype_of_number(v);
      if (!dtype) return {};
      const bool has_dims = v.is_tensor() && (v.tensor.sizes ? !v.tensor.sizes->empty() : (choice >> k++ & 1) != 0);
      type.add(*dtype, !v.is_tensor() || v.wrapped ? ResultType::Weight::Number
                       : has_dims                  ? ResultType::Weight::Tensor
                                                   : ResultType::Weight::Scalar);
    }
    if (found && *found != type.get()) return {};
    found = type.get();
  }
  return found;
}

int RuleCall::threads() {
  if (threads_ == 0) threads_ = num_threads();
  return threads_;
}

// The device= of the call, else the device of the tensors. If only some of them are on the CPU, the other device is taken.
std::optional<Device> RuleCall::common_device() const {
  std::optional<Device> found;
  bool unknown = false;
  if (values_) {
    auto add = [&](const Tensor& t) {
      if (!found || found->type == DeviceType::Cpu) found = t.device();
    };
    for (size_t i = 0, n = op.schema().arguments().size(); i < n; ++i) {
      const IValue& v = values_[i];
      if (v.is_tensor()) add(v.as_tensor());
      else if (v.tag() == IValue::Tag::Device) return v.to_device();
      else if (v.is_list())
        for (const IValue& item : v.items())
          if (item.is_tensor()) add(item.as_tensor());
    }
    return found;
  }
  auto add = [&](const AbstractValue& v) {
    if (!v.is_tensor()) return;
    if (!v.tensor.device) unknown = true;
    else if (!found || found->type == DeviceType::Cpu) found = v.tensor.device;
  };
  for (const AbstractValue& arg : *graph_arguments_) {
    if (arg.device) return arg.device;
    add(arg);
    if (arg.items)
      for (const AbstractValue& item : *arg.items) add(item);
  }
  return unknown ? std::nullopt : found;
}

// --- Results.

RuleCall::Result& RuleCall::add(Result::Kind kind) {
  MONOGRAPH_ASSERT(count_ < kMaxResults);
  Result* r = std::construct_at(results_.data() + count_++);
  r->kind = kind;
  return *r;
}

void RuleCall::result(SizesRef sizes, std::optional<DType> dtype) {
  Result& r = add(Result::Kind::Tensor);
  r.sizes = sizes, r.dtype = dtype, r.device = common_device();
}

void RuleCall::like_layout(size_t i, std::optional<DType> dtype) {
  result(sizes(i), dtype);
  if (!values_ || values_[i].as_tensor()->contiguous) return;
  const Tensor& t = values_[i].as_tensor();
  lay_out(SizesRef(result_strides(t.sizes(), std::span(&t.strides(), 1))));
}

void RuleCall::view(View v) {
  Result& r = add(Result::Kind::View);
  r.sizes = std::move(v.sizes), r.strides = std::move(v.strides), r.offset = v.offset;
  if (!values_) r.dtype = dtype(0), r.device = common_device();
}

void RuleCall::view(View v, std::optional<DType> dtype) {
  view(std::move(v));
  results_[count_ - 1].dtype = dtype;
}

void RuleCall::truth_value() {
  Result& r = add(Result::Kind::Bool);
  r.type = ir::TypeKind::Bool, r.dtype = DType::b1;
}

void RuleCall::made(SizesRef sizes, std::optional<DType> dtype) {
  result(sizes, dtype);
  Result& r = results_[count_ - 1];
  if (int index = op.schema().index_of("dtype"); index >= 0) r.dtype = dtype_or(static_cast<size_t>(index), dtype);
  const bool from_tensor = values_ ? values_[0].is_tensor()
                                   : !graph_arguments_->empty() && ((*graph_arguments_)[0].is_tensor() || (*graph_arguments_)[0].unknown());
  if (!r.device && !from_tensor) r.device = Device{};
}

void RuleCall::list(SizesRef each, Size length) {
  Result& r = add(Result::Kind::TensorList);
  r.sizes = each, r.length = length;
  if (!values_) r.dtype = dtype(0), r.device = common_device();
}

void RuleCall::pieces(size_t d, const Dims& lengths) {
  Result& r = results_[count_ - 1];
  MONOGRAPH_ASSERT(r.kind == Result::Kind::TensorList);
  r.sizes = sizes(0), r.argument = static_cast<uint8_t>(d), r.strides = SizesRef(lengths), r.dtype = dtype(0), r.device = common_device();
}

void RuleCall::argument(size_t i) {
  Result& r = add(Result::Kind::Argument);
  r.argument = static_cast<uint8_t>(i), r.sizes = sizes(i), r.dtype = dtype(i), r.device = common_device();
}

void RuleCall::other(ir::Type type) { add(Result::Kind::Other).type = type; }

void RuleCall::convert(size_t i, DType t) {
  MONOGRAPH_ASSERT(converted_count_ < converted_.size());
  converted_[converted_count_++] = {static_cast<uint8_t>(i), t};
}

std::optional<DType> RuleCall::conversion(size_t i) const {
  for (size_t k = 0; k < converted_count_; ++k)
    if (converted_[k].first == i) return converted_[k].second;
  return {};
}
std::optional<int64_t> RuleCall::wrapped(size_t i) const {
  for (size_t k = 0; k < wrapped_count_; ++k)
    if (wrapped_[k].first == i) return wrapped_[k].second;
  return {};
}

// --- Broadcasting, and the types of a graph's nodes.

void fail_broadcast(SizesRef a, SizesRef b, size_t d, std::string_view op) {
  fail(ErrorKind::Runtime, "[", op, "] The size of tensor a (", to_string(a[d]), ") must match the size of tensor b (",
       to_string(b[d - (a.size() - b.size())]), ") at non-singleton dimension ", d, ": sizes ", words(a), " and ", words(b),
       " do not broadcast");
}

Sizes broadcast(SizesRef a, SizesRef b, std::string_view op) {
  if (!a.ranked() || !b.ranked()) return Sizes::unranked();
  if (a.size() < b.size()) std::swap(a, b);
  Sizes out = a;
  for (size_t i = 0; i < b.size(); ++i) {
    const size_t d = a.size() - b.size() + i;
    const Size x = a[d], y = b[i];
    if (never(x == y || x == 1 || y == 1)) fail_broadcast(a, b, d, op);
    if (certainly(x == 1)) out.set(d, y);
    else if (certainly(y == 1) || certainly(x == y)) continue;
    else if (never(x == 1) && never(y == 1)) out.set(d, y.is_int() ? y : x);  // they must be equal, which is checked when the graph runs
    else if (never(y == 1)) out.set(d, y);
    else if (!never(x == 1)) out.set(d, Size());
  }
  return out;
}

std::vector<ir::Type> rule_types(const Operator& op, RuleFn rule, const std::vector<AbstractValue>& args, Size* length) {
  RuleCall c(op, args);
  rule(c);
  std::vector<ir::Type> types;
  for (const RuleCall::Result& r : c.results()) {
    if (r.kind == RuleCall::Result::Kind::Other || r.kind == RuleCall::Result::Kind::Bool) {
      types.push_back(r.type);
      continue;
    }
    ir::TensorType t;
    t.dtype = r.dtype, t.device = r.device;
    if (r.sizes.ranked()) {
      t.sizes.emplace();
      for (size_t d = 0; d < r.sizes.size(); ++d) t.sizes->push_back(r.sizes[d].symint());
    }
    const bool list = r.kind == RuleCall::Result::Kind::TensorList;
    if (list && length) *length = r.length;
    types.push_back(list ? ir::Type::list(t) : ir::Type(t));
  }
  return types;
}

// --- Eager and the meta device.

namespace {

using Kind = RuleCall::Result::Kind;

constexpr size_t kMaxKernelArgs = 16;

// The KernelCall of one call, and the tensors and lists that its pointers refer to. `written` is the index of the argument that the operator writes:
// another argument that shares its memory is copied first.
class KernelFrame {
 public:
  static constexpr size_t kNone = kMaxKernelArgs;
  KernelFrame(const Operator& op, const RuleCall& rule, const IValue* args, size_t written = kNone) : op_(op), rule_(rule) {
    const size_t n = op.schema().arguments().size();
    MONOGRAPH_ASSERT(n <= kMaxKernelArgs);
    num_threads();  // raises where MONOGRAPH_NUM_THREADS is wrong; a kernel would use one thread
    if (written != kNone) written_ = &args[written].as_tensor();
    auto* kernel_args = reinterpret_cast<KernelArg*>(args_);
    for (size_t i = 0; i < n; ++i) fill(*std::construct_at(kernel_args + i), args[i], i);
    call.args = kernel_args, call.arg_count = n;
    call.threads = rule.planned_threads();
    if (op.prepare) prepared_ = op.prepare(args), call.prepared = prepared_.get();
    if ((call.scratch_bytes = rule.scratch_bytes()) > 0) {
      scratch_ = empty({(call.scratch_bytes + 7) / 8 + 8}, DType::i64);
      auto address = reinterpret_cast<uintptr_t>(scratch_.data());
      call.scratch = reinterpret_cast<char*>((address + 63) & ~uintptr_t{63});  // on a cache line
    }
  }
  void set_results(std::span<const Tensor> results) {
    KernelTensor* all = results_.data();
    if (results.size() > results_.size()) many_.resize(results.size()), all = many_.data();
    for (size_t k = 0; k < results.size(); ++k) all[k] = as_kernel_reads(results[k]);
    call.results = all, call.result_count = results.size();
  }
  KernelCall call;

 private:
  // Tensor argument i as the kernel reads it: in the dtype that the rule asks for, and contiguous where the rule or the record asks for that.
  KernelTensor prepared_tensor(const Tensor& t, size_t i) {
    const auto dtype = rule_.conversion(i);
    const bool convert = dtype && *dtype != t.dtype(), dense = op_.contiguous_args || rule_.is_contiguous(i);
    const bool shared = written_ && &t != written_ && !t.is_meta() && may_overlap(t, *written_);
    if (!convert && !shared && (!dense || t->contiguous)) return as_kernel_reads(t);
    Tensor copy = convert ? convert_tensor(t, *dtype) : shared ? copy_tensor(t) : t;
    copies_.push_back(dense ? monograph::contiguous(copy) : copy);
    return as_kernel_reads(copies_.back());
  }
  KernelTensor as_kernel_reads(const Tensor& t) const {
    KernelTensor seen = kernel_tensor(t);
    if (op_.storage_only == StorageOnly::AsBits && is_storage_only(seen.dtype)) seen.dtype = dtype_of_bits(seen.dtype);
    return seen;
  }
  void fill(KernelArg& a, const IValue& v, size_t i) {
    using A = KernelArg::Kind;
    switch (v.tag()) {
      case IValue::Tag::None: a.kind = A::None; return;
      case IValue::Tag::Bool: a.kind = A::Bool, a.boolean = v.to_bool(); return;
      case IValue::Tag::Int: a.kind = A::Int, a.integer = rule_.wrapped(i).value_or(v.to_int()); return;
      case IValue::Tag::Float: a.kind = A::Float, a.number = v.to_double(); return;
      case IValue::Tag::Complex: a.kind = A::Complex, a.parts[0] = v.to_complex().real(), a.parts[1] = v.to_complex().imag(); return;
      case IValue::Tag::Ints: a.kind = A::Ints, a.ints = {v.to_ints().data(), v.to_ints().size()}; return;
      case IValue::Tag::Str: a.kind = A::Str, a.text = {v.to_string().data(), v.to_string().size()}; return;
      case IValue::Tag::Tensor: a.kind = A::Tensor, a.tensor = prepared_tensor(v.as_tensor(), i); return;
      case IValue::Tag::List: return fill_list(a, v, i);
      default: {
        auto* box = v.is_object() ? dynamic_cast<GeneratorBox*>(v.object()) : nullptr;
        a.kind = A::Other, a.other = box ? &box->generator : nullptr;
        return;
      }
    }
  }
  void fill_list(KernelArg& a, const IValue& v, size_t i) {
    auto& list = lists_.emplace_back();
    for (const IValue& item : v.items())
      list.push_back(item.is_tensor() ? prepared_tensor(item.as_tensor(), i) : KernelTensor{nullptr, nullptr, nullptr, 0, DType::f32});
    a.kind = KernelArg::Kind::Tensors, a.tensors = {list.data(), list.size()};
  }

  const Operator& op_;
  const RuleCall& rule_;
  const Tensor* written_ = nullptr;
  alignas(KernelArg) std::byte args_[kMaxKernelArgs * sizeof(KernelArg)];  // constructed one by one, since most operators have few
  std::array<KernelTensor, RuleCall::kMaxResults> results_;
  std::vector<KernelTensor> many_;  // the results, where there are more
  std::vector<Tensor> copies_;
  std::vector<std::vector<KernelTensor>> lists_;
  std::shared_ptr<const void> prepared_;
  Tensor scratch_;
};

// The error for bad data that a kernel found: the record's message, with {value}, {limit}, {place} and the names of arguments filled in.
[[noreturn]] void raise_bad_data(const Operator& op, const KernelCall& call, KernelStatus status) {
  const size_t message = static_cast<size_t>(status) - 1;
  const Operator& record = composite_with_messages && composite_with_messages->bad_data[message] ? *composite_with_messages : op;
  const std::string_view format = record.bad_data[message];
  std::string text;
  for (size_t position = 0; position < format.size();) {
    const size_t open = format.find('{', position), close = open == std::string_view::npos ? open : format.find('}', open);
    text += format.substr(position, open == std::string_view::npos ? open : open - position);
    if (close == std::string_view::npos) break;
    const std::string_view field = format.substr(open + 1, close - open - 1);
    if (field == "value") text += std::to_string(call.value);
    else if (field == "limit") text += std::to_string(call.limit);
    else if (field == "place") text += std::to_string(call.place);
    else if (int i = op.schema().index_of(field); i >= 0) text += std::to_string(call.args[i].integer);
    position = close + 1;
  }
  fail(record.bad_data_kind, "[", op.name(), "] ", text);
}

void run_kernel(StructuredKernel kernel, const Operator& op, KernelFrame& frame) {
  if (KernelStatus status = kernel(frame.call); status != KernelStatus::Ok) raise_bad_data(op, frame.call, status);
}

void run_kernel(const Operator& op, const RuleCall& rule, const IValue* args, std::span<const Tensor> results,
                size_t written = KernelFrame::kNone) {
  KernelFrame frame(op, rule, args, written);
  frame.set_results(results);
  run_kernel(op.kernel, op, frame);
}

// Computes new results. A kernel that takes its arguments contiguous writes contiguous results: where the rule states another layout, they are copied.
void compute(const Operator& op, const RuleCall& rule, const IValue* args, std::span<const Tensor> results) {
  const bool writes_any = !op.contiguous_args && !rule.is_contiguous(0);
  const auto flat = [](const Tensor& t) { return t->contiguous; };
  if (writes_any || std::ranges::all_of(results, flat)) return run_kernel(op, rule, args, results);
  std::array<Tensor, RuleCall::kMaxResults> written;
  for (size_t k = 0; k < results.size(); ++k)
    written[k] = flat(results[k]) ? results[k] : empty(results[k].sizes(), results[k].dtype(), results[k].device());
  run_kernel(op, rule, args, std::span(written).first(results.size()));
  for (size_t k = 0; k < results.size(); ++k)
    if (!written[k].is_same(results[k])) copy_into(results[k], written[k]);
}

// Runs an operator that writes one of its arguments and returns it.
void run_in_place(const Operator& op, const RuleCall& rule, const IValue* args, IValue* results) {
  const size_t index = rule.results()[0].argument;
  const Tensor written = args[index].to_tensor();
  written.check_writable(op.name());
  if (!op.writes_again) written.check_no_internal_overlap(op.name());
  results[0] = written;
  if (!written.is_meta()) run_kernel(op, rule, args, {&written, 1}, index);
  written.bump_version();
}

// A new tensor for a result. `count` is the number of elements that were selected: it stands for each size that the rule could not know.
Tensor allocate(const RuleCall::Result& r, int64_t count = 0) {
  const Device device = r.device.value_or(Device{});
  auto numbers = [&](SizesRef sizes, int64_t otherwise) {
    Dims out;
    for (size_t d = 0; d < sizes.size(); ++d) out.push_back(sizes[d].number().value_or(otherwise));
    return out;
  };
  MONOGRAPH_ASSERT(r.sizes.ranked() && r.dtype);
  if (r.laid_out) return empty_strided(numbers(r.sizes, count), numbers(r.strides, std::max<int64_t>(count, 1)), *r.dtype, device);
  return SizesRef(r.sizes).all_ints() ? empty(r.sizes.ints(), *r.dtype, device) : empty(numbers(r.sizes, count), *r.dtype, device);
}

bool on_meta(const RuleCall::Result& r) { return r.kind == Kind::Tensor && r.device && r.device->type == DeviceType::Meta; }

// New tensors for all results, which are also written to `results`. `count` is as in allocate().
class NewResults {
 public:
  NewResults(const RuleCall& rule, IValue* results, int64_t count = 0) : stated_(rule.results()) {
    for (size_t k = 0; k < stated_.size(); ++k) {
      tensors_[k] = allocate(stated_[k], count);
      results[k] = tensors_[k];
      computes_ |= !tensors_[k].is_meta() && tensors_[k].numel() > 0;
    }
  }
  std::span<const Tensor> tensors() const { return std::span(tensors_).first(stated_.size()); }
  bool computes() const { return computes_; }  // whether there is an element to compute
  // Replaces the tensors that stand for a bool, after the kernel has written them.
  void read_bools(IValue* results) const {
    for (size_t k = 0; k < stated_.size(); ++k)
      if (stated_[k].kind == Kind::Bool) results[k] = *tensors_[k].data_as<bool>();
  }

 private:
  std::span<const RuleCall::Result> stated_;
  std::array<Tensor, RuleCall::kMaxResults> tensors_;
  bool computes_ = false;
};

// The check of elements that the record of a decomposed operator states, if any.
void check_elements(const Operator& op, const RuleCall& rule, const IValue* args) {
  if (!op.check || rule.meta()) return;
  KernelFrame frame(op, rule, args);
  run_kernel(op.check, op, frame);
}

// Whether the decomposition computes the call: there is no kernel, or the kernel does not take the call.
bool decomposes(const Operator& op, const RuleCall& rule) {
  if (op.eval || !op.decompose) return false;
  return !op.kernel || (rule.left_to_decomposition() && !on_meta(rule.results()[0]));
}

void run_decomposed(const Operator& op, const RuleCall& rule, const IValue* args, IValue* results) {
  check_elements(op, rule, args);
  if (op.eager_decompose && !rule.meta() && expand_by(op, op.eager_decompose, args, results)) return keep_layouts(op, args, results);
  expand(op, args, results);
}

// Runs an operator whose results' sizes depend on elements: they are read first, then the results are allocated.
void run_by_elements(const Operator& op, const RuleCall& rule, const IValue* args, IValue* results) {
  const RuleCall::Result& result = rule.results()[0];
  if (on_meta(result)) {
    const bool known =
        std::ranges::all_of(rule.results(), [](const RuleCall::Result& r) { return SizesRef(r.sizes).all_ints() && r.dtype; });
    MONOGRAPH_CHECK(known, Runtime, "[", op.name(), "] the size of its result depends on elements, and a meta tensor has none");
    const NewResults made(rule, results);
    return;
  }
  if (op.by_elements) {
    if (result.kind == Kind::Argument && args[result.argument].as_tensor().is_meta()) results[0] = args[result.argument];
    else expand_by(op, op.by_elements, args, results);
    return;
  }
  MONOGRAPH_ASSERT(op.measure && op.kernel);
  if (decomposes(op, rule)) return run_decomposed(op, rule, args, results);
  KernelFrame frame(op, rule, args);
  const NewResults made(rule, results, op.measure(frame.call));
  frame.set_results(made.tensors());
  if (made.computes()) run_kernel(op.kernel, op, frame);
}

// A list of new tensors (RuleCall::pieces).
void run_pieces(const Operator& op, const RuleCall& rule, const IValue* args, IValue* results) {
  const RuleCall::Result& r = rule.results()[0];
  Dims sizes = r.sizes.ints();
  std::vector<Tensor> pieces;
  for (const int64_t length : r.strides.ints()) {
    sizes[r.argument] = length;
    pieces.push_back(empty(sizes, *r.dtype, r.device.value_or(Device{})));
  }
  if (element_count(r.sizes).as_int() > 0) run_kernel(op, rule, args, pieces);
  results[0] = IValue::list(std::vector<IValue>(pieces.begin(), pieces.end()));
}

// The views of argument 0 that the rule states.
void make_views(const RuleCall& rule, const Tensor& base, IValue* results) {
  for (const RuleCall::Result& r : rule.results()) {
    const DType dtype = r.dtype.value_or(base.dtype());  // a rule states it only where it is another
    *results++ = base.as_strided(dtype, r.sizes.ints(), r.strides.ints(), r.offset.as_int());
  }
}

}  // namespace

DataErrorScope::DataErrorScope(const Operator& op)
    : saved_(op.bad_data[0] ? std::exchange(composite_with_messages, &op) : composite_with_messages) {}
DataErrorScope::~DataErrorScope() { composite_with_messages = saved_; }

void check_call(const Operator& op, const IValue* args) {
  RuleCall rule(op, args);
  op.rule(rule);
  check_elements(op, rule, args);
}

void run_structured(const Operator& op, const IValue* args, IValue* results) {
  RuleCall rule(op, args);
  op.rule(rule);
  const auto stated = rule.results();
  const bool writes_out = !op.schema().arguments().empty() && op.schema().arguments().back().out;
  if (op.eval && (stated.empty() || writes_out || !on_meta(stated[0]))) return op.eval(op, args, results);
  if (!stated.empty() && stated[0].kind == Kind::View) return make_views(rule, args[0].as_tensor(), results);
  if (rule.waits()) return run_by_elements(op, rule, args, results);
  if (decomposes(op, rule)) return run_decomposed(op, rule, args, results);
  MONOGRAPH_ASSERT(!stated.empty());
  if (stated[0].kind == Kind::Argument) return run_in_place(op, rule, args, results);
  if (stated[0].kind == Kind::TensorList) return run_pieces(op, rule, args, results);
  const NewResults made(rule, results);
  if (op.kernel && made.computes()) compute(op, rule, args, made.tensors());
  made.read_bools(results);
}

void run_in_place_view(const Operator& op, const IValue* args, IValue* results) {
  IValue view;
  run(*op.reshapes, args, &view);
  TensorImpl& self = *args[0].as_tensor().impl();
  const Tensor& shown = view.as_tensor();
  self.sizes = shown.sizes(), self.strides = shown.strides(), self.offset = shown->offset;
  self.refresh();
  args[0].as_tensor().bump_version();
  results[0] = args[0];
}

bool run_structured_out(const Operator& op, const IValue* args, const IValue* functional_args, IValue* results) {
  const Operator& computes = *op.functional;
  const Tensor& out = args[op.schema().arguments().size() - 1].as_tensor();
  RuleCall rule(computes, functional_args);
  computes.rule(rule);
  if (decomposes(computes, rule)) return false;
  const RuleCall::Result& r = rule.results()[0];
  check_destination(op, out, *r.dtype);
  const std::span inputs(functional_args, computes.schema().arguments().size());
  const Dims strides = r.laid_out ? Dims(r.strides.ints()) : contiguous_strides(r.sizes.ints());
  resize_output(op, args, r.sizes.ints(), strides);
  check_overlaps(op, args, op.schema().arguments().size() - 1);
  auto reads = [&](const IValue& v) { return v.is_tensor() && may_overlap(v.as_tensor(), out); };
  // A kernel fills results in the layout that its rule states. A random factory fills any layout, in the order of the memory.
  const bool drawn = computes.effects().writes & ir::Effects::Random && std::ranges::none_of(inputs, &IValue::is_tensor);
  const bool direct = out.dtype() == *r.dtype && (drawn || (out.strides() == strides && std::ranges::none_of(inputs, &IValue::is_list))) &&
                      std::ranges::none_of(inputs, reads);
  results[0] = out;
  if (!out.is_meta() && out.numel() > 0) {
    Tensor target = direct ? out : allocate(r);
    compute(computes, rule, functional_args, {&target, 1});
    if (!direct) copy_into(out, target);
  }
  out.bump_version();
  return true;
}

}  // namespace monograph
