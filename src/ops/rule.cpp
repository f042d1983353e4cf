// How shape rules read their arguments, and how a structured operator runs by its rule: the rule says what the results are, dispatch makes them,
// the kernel fills them.
#include "ops/rule.h"

#include <algorithm>
#include <utility>

#include "core/threads/pool.h"
#include "ops/dispatch.h"
#include "ops/expansion.h"
#include "ops/generator_value.h"
#include "ops/infer.h"
#include "ops/kernel_call.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/symbolic_value.h"

namespace monograph {

using ir::TypeKind;

// --- Arguments.

namespace {

// The operator whose decomposition runs and that states its own words for what the kernels in it meet.
thread_local const Operator* whole_with_words = nullptr;

Sizes sizes_of(const std::optional<std::vector<Dim>>& dims) {
  if (!dims) return Sizes::unranked();
  Sizes out;
  for (const Dim& d : *dims) out.push_back(d);
  return out;
}

// An int; of a capture's symbol the example's.
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
  for (const AbstractValue& f : args) {
    ArgumentShapes& g = graph_sizes_.emplace_back();
    g.sizes = sizes_of(f.tensor.sizes);
    if (f.items)
      for (const AbstractValue& item : *f.items) g.items.push_back(sizes_of(item.tensor.sizes));
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
  const AbstractValue& f = (*graph_arguments_)[i];
  if (f.integer) return Sizes(static_cast<size_t>(std::max(1, op.schema().arguments()[i].list_size)), *f.integer);
  if (!f.items) return Sizes::unranked();
  Sizes out;
  for (const AbstractValue& item : *f.items) out.push_back(item.integer);
  return out;
}

namespace {

// Lists that are not of plain numbers. They stand apart because the rules of windows ask for entries many times, and a Sizes is a large frame.
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
  wrapped_[wrapped_count_++ & 3] = {static_cast<uint8_t>(i), at};
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
  const AbstractValue& f = (*graph_arguments_)[i];
  return f.is_none ? otherwise : f.dtype;
}

std::optional<DType> RuleCall::number_dtype(size_t i) const {
  if (values_) return monograph::number_dtype(values_[i]);
  return dtype_of_number((*graph_arguments_)[i]);
}

AbstractValue RuleCall::known(size_t i) const { return values_ ? AbstractValue::of(values_[i]) : (*graph_arguments_)[i]; }

bool RuleCall::meta() const {
  auto is_meta = [](const IValue& v) { return v.is_tensor() && v.as_tensor().is_meta(); };
  const std::span given(values_, values_ ? op.schema().arguments().size() : 0);
  return std::ranges::any_of(given,
                             [&](const IValue& v) { return is_meta(v) || (v.is_list() && std::ranges::any_of(v.items(), is_meta)); });
}

// A tensor of unknown rank is tried with and without dims: the answer must not depend on it.
std::optional<DType> RuleCall::promoted(std::span<const size_t> which) const {
  if (values_ && std::ranges::all_of(which, [&](size_t i) { return values_[i].is_tensor() || values_[i].is_number() || none(i); })) {
    ResultType type;
    for (size_t i : which) {
      if (values_[i].is_tensor()) type.add(values_[i].as_tensor());
      else if (!none(i)) type.add(values_[i]);
    }
    return type.get();
  }
  std::vector<AbstractValue> operands;
  size_t open = 0;
  for (size_t i : which) {
    if (none(i)) continue;
    const AbstractValue& v = operands.emplace_back(known(i));
    open += v.is_tensor() && !v.tensor.sizes && !v.wrapped;
  }
  std::optional<DType> found;
  for (size_t choice = 0; choice < size_t{1} << open; ++choice) {
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

// The call's own device=, else that of the tensors: a 0-d tensor of the CPU goes with any.
std::optional<Device> RuleCall::common_device() const {
  std::optional<Device> found;
  bool unknown = false;
  if (values_) {
    auto see = [&](const Tensor& t) {
      if (!found || found->type == DeviceType::Cpu) found = t.device();
    };
    for (size_t i = 0, n = op.schema().arguments().size(); i < n; ++i) {
      const IValue& v = values_[i];
      if (v.is_tensor()) see(v.as_tensor());
      else if (v.tag() == IValue::Tag::Device) return v.to_device();
      else if (v.is_list())
        for (const IValue& item : v.items())
          if (item.is_tensor()) see(item.as_tensor());
    }
    return found;
  }
  auto see = [&](const AbstractValue& f) {
    if (!f.is_tensor()) return;
    if (!f.tensor.device) unknown = true;
    else if (!found || found->type == DeviceType::Cpu) found = f.tensor.device;
  };
  for (const AbstractValue& f : *graph_arguments_) {
    if (f.device) return f.device;
    see(f);
    if (f.items)
      for (const AbstractValue& item : *f.items) see(item);
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

void RuleCall::made(SizesRef sizes, std::optional<DType> dtype) {
  result(sizes, dtype);
  Result& r = results_[count_ - 1];
  if (int at = op.schema().index_of("dtype"); at >= 0) r.dtype = dtype_or(static_cast<size_t>(at), dtype);
  const bool from_tensor = values_ ? values_[0].is_tensor()
                                   : !graph_arguments_->empty() && ((*graph_arguments_)[0].is_tensor() || (*graph_arguments_)[0].unknown());
  if (!r.device && !from_tensor) r.device = Device{};
}

void RuleCall::list(SizesRef each, Size length) {
  Result& r = add(Result::Kind::TensorList);
  r.sizes = each, r.length = length;
  if (!values_) r.dtype = dtype(0), r.device = common_device();
}

void RuleCall::argument(size_t i) {
  Result& r = add(Result::Kind::Argument);
  r.argument = static_cast<uint8_t>(i), r.sizes = sizes(i), r.dtype = dtype(i), r.device = common_device();
}

void RuleCall::other(ir::Type type) { add(Result::Kind::Other).type = type; }

void RuleCall::convert(size_t i, DType t) { converted_[converted_count_++ & 3] = {static_cast<uint8_t>(i), t}; }

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

// --- On a graph.

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
    else if (never(x == 1) && never(y == 1)) out.set(d, y.is_int() ? y : x);  // the program checks the other when it runs
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
    if (r.kind == RuleCall::Result::Kind::Other) {
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

// The plain data of one call, and what it refers to. An operator that writes argument `written` reads no other argument that shares its memory.
class KernelFrame {
 public:
  static constexpr size_t kNone = kMaxKernelArgs;
  KernelFrame(const Operator& op, const RuleCall& rule, const IValue* args, size_t written = kNone) : op_(op), rule_(rule) {
    const size_t n = op.schema().arguments().size();
    MONOGRAPH_ASSERT(n <= kMaxKernelArgs);
    num_threads();  // raises where MONOGRAPH_NUM_THREADS is wrong; a kernel would use one thread
    if (written != kNone) written_ = &args[written].as_tensor();
    auto* given = reinterpret_cast<KernelArg*>(args_);
    for (size_t i = 0; i < n; ++i) fill(*std::construct_at(given + i), args[i], i);
    call.args = given, call.arg_count = n;
    call.threads = rule.planned_threads();
    if (op.prepare) prepared_ = op.prepare(args), call.prepared = prepared_.get();
    if ((call.scratch_bytes = rule.scratch_bytes()) > 0) {
      scratch_ = empty({(call.scratch_bytes + 7) / 8 + 8}, DType::i64);
      auto at = reinterpret_cast<uintptr_t>(scratch_.data());
      call.scratch = reinterpret_cast<char*>((at + 63) & ~uintptr_t{63});
    }
  }
  void give(std::span<const Tensor> results) {
    for (size_t k = 0; k < results.size(); ++k) results_[k] = kernel_tensor(results[k]);
    call.results = results_.data(), call.result_count = results.size();
  }
  KernelCall call;

 private:
  // As the kernel reads it: in the dtype that the rule asks for, without gaps where it or the record says so.
  KernelTensor ready(const Tensor& t, size_t i) {
    const auto dtype = rule_.conversion(i);
    const bool convert = dtype && *dtype != t.dtype(), dense = op_.contiguous_args || rule_.is_contiguous(i);
    const bool shared = written_ && &t != written_ && !t.is_meta() && may_overlap(t, *written_);
    if (!convert && !shared && (!dense || t->contiguous)) return kernel_tensor(t);
    Tensor made = convert ? convert_tensor(t, *dtype) : shared ? copy_tensor(t) : t;
    held_.push_back(dense ? monograph::contiguous(made) : made);
    return kernel_tensor(held_.back());
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
      case IValue::Tag::Tensor: a.kind = A::Tensor, a.tensor = ready(v.as_tensor(), i); return;
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
      list.push_back(item.is_tensor() ? ready(item.as_tensor(), i) : KernelTensor{nullptr, nullptr, nullptr, 0, DType::f32});
    a.kind = KernelArg::Kind::Tensors, a.tensors = {list.data(), list.size()};
  }

  const Operator& op_;
  const RuleCall& rule_;
  const Tensor* written_ = nullptr;
  alignas(KernelArg) std::byte args_[kMaxKernelArgs * sizeof(KernelArg)];  // made as they are filled, since most operators have few
  std::array<KernelTensor, RuleCall::kMaxResults> results_;
  std::vector<Tensor> held_;
  std::vector<std::vector<KernelTensor>> lists_;
  std::shared_ptr<const void> prepared_;
  Tensor scratch_;
};

// The record's words for what a kernel met, with {value}, {limit}, {place} and the names of arguments filled in.
[[noreturn]] void raise(const Operator& op, const KernelCall& call, KernelStatus status) {
  const size_t which = static_cast<size_t>(status) - 1;
  const Operator& said = whole_with_words && whole_with_words->bad_data[which] ? *whole_with_words : op;
  std::string_view words = said.bad_data[which];
  std::string text;
  for (size_t at = 0; at < words.size();) {
    const size_t open = words.find('{', at), close = open == std::string_view::npos ? open : words.find('}', open);
    text += words.substr(at, open == std::string_view::npos ? open : open - at);
    if (close == std::string_view::npos) break;
    const std::string_view blank = words.substr(open + 1, close - open - 1);
    if (blank == "value") text += std::to_string(call.value);
    else if (blank == "limit") text += std::to_string(call.limit);
    else if (blank == "place") text += std::to_string(call.place);
    else if (int i = op.schema().index_of(blank); i >= 0) text += std::to_string(call.args[i].integer);
    at = close + 1;
  }
  fail(said.bad_data_kind, "[", op.name(), "] ", text);
}

void run_kernel(StructuredKernel kernel, const Operator& op, KernelFrame& frame) {
  if (KernelStatus status = kernel(frame.call); status != KernelStatus::Ok) raise(op, frame.call, status);
}

void run_kernel(const Operator& op, const RuleCall& rule, const IValue* args, std::span<const Tensor> results,
                size_t written = KernelFrame::kNone) {
  KernelFrame frame(op, rule, args, written);
  frame.give(results);
  run_kernel(op.kernel, op, frame);
}

// The operator writes an argument and returns it.
void run_in_place(const Operator& op, const RuleCall& rule, const IValue* args, IValue* results) {
  const size_t place = rule.results()[0].argument;
  const Tensor written = args[place].to_tensor();
  written.check_writable(op.name());
  if (!op.writes_again) written.check_no_internal_overlap(op.name());
  results[0] = written;
  if (!written.is_meta()) run_kernel(op, rule, args, {&written, 1}, place);
  written.bump_version();
}

// The result in sizes that are numbers; `count` stands for those that depended on elements.
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

// The sizes of the results depend on elements.
void run_by_elements(const Operator& op, const RuleCall& rule, const IValue* args, IValue* results) {
  const RuleCall::Result& made = rule.results()[0];
  MONOGRAPH_CHECK(!on_meta(made), Runtime, "[", op.name(), "] the size of its result depends on elements, and a meta tensor has none");
  if (op.by_elements) {
    if (made.kind == Kind::Argument && args[made.argument].as_tensor().is_meta()) results[0] = args[made.argument];
    else expand_by(op, op.by_elements, args, results);
    return;
  }
  MONOGRAPH_ASSERT(op.measure && op.kernel);
  KernelFrame frame(op, rule, args);
  const Tensor out = allocate(made, op.measure(frame.call));
  results[0] = out;
  frame.give({&out, 1});
  if (out.numel() > 0) run_kernel(op.kernel, op, frame);
}

// What an operator that is made of others asks of elements.
void check_elements(const Operator& op, const RuleCall& rule, const IValue* args) {
  if (!op.check || rule.meta()) return;
  KernelFrame frame(op, rule, args);
  run_kernel(op.check, op, frame);
}

}  // namespace

DataErrorScope::DataErrorScope(const Operator& op) : saved_(op.bad_data[0] ? std::exchange(whole_with_words, &op) : whole_with_words) {}
DataErrorScope::~DataErrorScope() { whole_with_words = saved_; }

void check_call(const Operator& op, const IValue* args) {
  RuleCall rule(op, args);
  op.rule(rule);
  check_elements(op, rule, args);
}

void run_structured(const Operator& op, const IValue* args, IValue* results) {
  RuleCall rule(op, args);
  op.rule(rule);
  const auto made = rule.results();
  const bool writes_out = !op.schema().arguments().empty() && op.schema().arguments().back().out;
  if (op.eval && (made.empty() || writes_out || !on_meta(made[0]))) return op.eval(op, args, results);
  if (!made.empty() && made[0].kind == Kind::View) {
    for (size_t k = 0; k < made.size(); ++k)
      results[k] = args[0].as_tensor().as_strided(made[k].sizes.ints(), made[k].strides.ints(), made[k].offset.as_int());
    return;
  }
  if (rule.waits()) return run_by_elements(op, rule, args, results);
  if (!op.kernel && !op.eval && op.decompose) {
    check_elements(op, rule, args);
    return expand(op, args, results);
  }
  if (made[0].kind == Kind::Argument) return run_in_place(op, rule, args, results);
  std::array<Tensor, RuleCall::kMaxResults> tensors;
  bool computes = false;
  for (size_t k = 0; k < made.size(); ++k) {
    tensors[k] = allocate(made[k]);
    results[k] = tensors[k];
    computes |= op.kernel && !tensors[k].is_meta() && tensors[k].numel() > 0;
  }
  if (computes) run_kernel(op, rule, args, std::span(tensors).first(made.size()));
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

void run_structured_out(const Operator& op, const IValue* args, const IValue* functional_args, IValue* results) {
  const Operator& computes = *op.functional;
  const Tensor& out = args[op.schema().arguments().size() - 1].as_tensor();
  RuleCall rule(computes, functional_args);
  computes.rule(rule);
  const RuleCall::Result& r = rule.results()[0];
  check_destination(op, out, *r.dtype);
  const std::span given(functional_args, computes.schema().arguments().size());
  const Dims strides = r.laid_out ? Dims(r.strides.ints()) : contiguous_strides(r.sizes.ints());
  resize_output(op, args, r.sizes.ints(), strides);
  check_overlaps(op, args, op.schema().arguments().size() - 1);
  auto reads = [&](const IValue& v) { return v.is_tensor() && may_overlap(v.as_tensor(), out); };
  // A kernel fills results in the layout that its rule states. Numbers drawn by a factory go into any layout, in the order of the memory.
  const bool drawn = computes.effects().writes & ir::Effects::Random && std::ranges::none_of(given, &IValue::is_tensor);
  const bool direct = out.dtype() == *r.dtype && (drawn || (out.strides() == strides && std::ranges::none_of(given, &IValue::is_list))) &&
                      std::ranges::none_of(given, reads);
  results[0] = out;
  if (!out.is_meta() && out.numel() > 0) {
    Tensor target = direct ? out : allocate(r);
    run_kernel(computes, rule, functional_args, {&target, 1});
    if (!direct) copy_into(out, target);
  }
  out.bump_version();
}

}  // namespace monograph
