// How shape rules read their arguments, and how a structured operator runs by its rule: the rule says what the results are, dispatch makes them,
// the kernel fills them.
#include "ops/rule.h"

#include <algorithm>

#include "core/threads/pool.h"
#include "ops/dispatch.h"
#include "ops/infer.h"
#include "ops/kernel_call.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"
#include "ops/symbolic_value.h"

namespace monograph {

using ir::TypeKind;

// --- Arguments.

namespace {

Sizes sizes_of(const Shape& shape) {
  if (!shape) return Sizes::unranked();
  Sizes out;
  for (const Dim& d : *shape) out.push_back(d);
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

RuleCall::RuleCall(const Operator& op, const std::vector<Fact>& args) : op(op), facts_(&args) {
  given_.reserve(args.size());
  for (const Fact& f : args) {
    Given& g = given_.emplace_back();
    g.sizes = sizes_of(f.tensor.sizes);
    if (f.items)
      for (const Fact& item : *f.items) g.items.push_back(sizes_of(item.tensor.sizes));
  }
}

bool RuleCall::none(size_t i) const { return values_ ? values_[i].is_none() : (*facts_)[i].is_none; }

SizesRef RuleCall::sizes(size_t i) const {
  if (!values_) return given_[i].sizes;
  const Tensor* t = tensor_of(values_[i]);
  return t ? SizesRef(t->sizes()) : SizesRef();
}

std::optional<DType> RuleCall::dtype(size_t i) const {
  if (!values_) return (*facts_)[i].tensor.dtype;
  const Tensor* t = tensor_of(values_[i]);
  return t ? std::optional(t->dtype()) : std::nullopt;
}

View RuleCall::view_of(size_t i) const {
  View v;
  if (values_) {
    const Tensor& t = values_[i].as_tensor();
    v.sizes = SizesRef(t.sizes()), v.strides = SizesRef(t.strides()), v.offset = t->offset;
  } else {
    v.sizes = given_[i].sizes;
    v.strides = v.sizes.ranked() ? Sizes(v.sizes.size(), Size::unknown()) : Sizes::unranked();
    v.offset = Size::unknown();
  }
  return v;
}

std::optional<Device> RuleCall::device(size_t i) const {
  if (!values_) return (*facts_)[i].tensor.device;
  const Tensor* t = tensor_of(values_[i]);
  return t ? std::optional(t->device()) : std::nullopt;
}

std::optional<double> RuleCall::real(size_t i) const {
  if (!values_) return (*facts_)[i].number;
  const IValue& v = values_[i];
  return v.is_number() && !v.is_complex() ? std::optional(v.to_double()) : std::nullopt;
}

Size RuleCall::size(size_t i) const {
  if (!values_) return (*facts_)[i].integer;
  return example_of(values_[i]);
}

std::optional<bool> RuleCall::truth(size_t i) const {
  auto v = integer(i);
  return v ? std::optional(*v != 0) : std::nullopt;
}

std::optional<std::string_view> RuleCall::text(size_t i) const {
  if (values_) return values_[i].to_string();
  const Fact& fact = (*facts_)[i];
  return fact.type.is(ir::TypeKind::Str) && !fact.text.empty() ? std::optional<std::string_view>(fact.text) : std::nullopt;
}

Sizes RuleCall::ints(size_t i) const {
  if (values_) {
    const IValue& v = values_[i];
    if (v.is_ints()) return SizesRef(v.to_ints());
    if (!v.is_list() && !v.is_tuple()) return Sizes::unranked();
    Sizes out;
    for (const IValue& item : v.items()) out.push_back(example_of(item));
    return out;
  }
  const Fact& f = (*facts_)[i];
  if (f.integer) return Sizes(static_cast<size_t>(std::max(1, op.schema().arguments()[i].list_size)), *f.integer);
  if (!f.items) return Sizes::unranked();
  Sizes out;
  for (const Fact& item : *f.items) out.push_back(item.integer);
  return out;
}

std::optional<size_t> RuleCall::length(size_t i) const {
  if (values_ && values_[i].is_ints()) return values_[i].to_ints().size();
  const Sizes list = ints(i);
  return list.ranked() ? std::optional(list.size()) : std::nullopt;
}

Size RuleCall::entry(size_t i, size_t k) const {
  if (values_ && values_[i].is_ints()) {
    const Dims& list = values_[i].to_ints();
    return list.empty() ? Size::unknown() : Size(list[list.size() == 1 ? 0 : k]);
  }
  Sizes list = ints(i);
  return !list.ranked() || list.empty() ? Size::unknown() : list[list.size() == 1 ? 0 : k];
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
  const auto& items = (*facts_)[i].items;
  return items ? std::optional(items->size()) : std::nullopt;
}
SizesRef RuleCall::item_sizes(size_t i, size_t k) const {
  if (!values_) return given_[i].items[k];
  return SizesRef(values_[i].items()[k].as_tensor().sizes());
}
bool RuleCall::item_none(size_t i, size_t k) const { return values_ ? values_[i].items()[k].is_none() : (*(*facts_)[i].items)[k].is_none; }
std::optional<DType> RuleCall::item_dtype(size_t i, size_t k) const {
  return values_ ? std::optional(values_[i].items()[k].as_tensor().dtype()) : (*(*facts_)[i].items)[k].tensor.dtype;
}

std::optional<DType> RuleCall::dtype_or(size_t i, std::optional<DType> otherwise) const {
  if (values_) return values_[i].is_none() ? otherwise : std::optional(values_[i].to_dtype());
  const Fact& f = (*facts_)[i];
  return f.is_none ? otherwise : f.dtype;
}

std::optional<DType> RuleCall::number_dtype(size_t i) const {
  if (values_) return monograph::number_dtype(values_[i]);
  return dtype_of_number((*facts_)[i]);
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
  auto see = [&](const Fact& f) {
    if (!f.is_tensor()) return;
    if (!f.tensor.device) unknown = true;
    else if (!found || found->type == DeviceType::Cpu) found = f.tensor.device;
  };
  for (const Fact& f : *facts_) {
    if (f.device) return f.device;
    see(f);
    if (f.items)
      for (const Fact& item : *f.items) see(item);
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
  const bool from_tensor = values_ ? values_[0].is_tensor() : !facts_->empty() && ((*facts_)[0].is_tensor() || (*facts_)[0].unknown());
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

Sizes broadcast(SizesRef a, SizesRef b, std::string_view op) {
  if (a.size() < b.size()) std::swap(a, b);
  Sizes out = a;
  for (size_t i = 0; i < b.size(); ++i) {
    const size_t d = a.size() - b.size() + i;
    const Size x = a[d], y = b[i];
    MONOGRAPH_CHECK(!never(x == y || x == 1 || y == 1), Runtime, "[", op, "] The size of tensor a (", to_string(x),
                    ") must match the size of tensor b (", to_string(y), ") at non-singleton dimension ", d, ": sizes ", words(a), " and ",
                    words(b), " do not broadcast");
    if (certainly(x == 1) || (!certainly(y == 1) && never(y == 1))) out.set(d, y);
    else if (!certainly(y == 1) && !certainly(x == y) && !never(x == 1)) out.set(d, Size());
  }
  return out;
}

std::vector<ir::Type> rule_types(const Operator& op, const std::vector<Fact>& args, Size* length) {
  RuleCall c(op, args);
  op.rule(c);
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

// The plain data of one call, and what it refers to.
class KernelFrame {
 public:
  KernelFrame(const Operator& op, const RuleCall& rule, const IValue* args, std::span<const Tensor> results) : op_(op) {
    const size_t n = op.schema().arguments().size();
    MONOGRAPH_ASSERT(n <= kMaxKernelArgs);
    num_threads();  // raises where MONOGRAPH_NUM_THREADS is wrong; a kernel would use one thread
    for (size_t i = 0; i < n; ++i) fill(args_[i], args[i], rule, i);
    for (size_t k = 0; k < results.size(); ++k) results_[k] = kernel_tensor(results[k]);
    call.args = args_.data(), call.arg_count = n;
    call.results = results_.data(), call.result_count = results.size();
    if (int64_t bytes = rule.scratch_bytes()) {
      scratch_ = empty({(bytes + 7) / 8 + 8}, DType::i64);
      auto at = reinterpret_cast<uintptr_t>(scratch_.data());
      call.scratch = reinterpret_cast<char*>((at + 63) & ~uintptr_t{63});
    }
  }
  KernelCall call;

 private:
  // As the kernel reads it: in the dtype that the rule asks for, without gaps where the record says so.
  KernelTensor ready(const Tensor& t, std::optional<DType> dtype) {
    const bool convert = dtype && *dtype != t.dtype(), gather = op_.contiguous_args && !t->contiguous;
    if (!convert && !gather) return kernel_tensor(t);
    Tensor made = convert ? convert_tensor(t, *dtype) : t;
    held_.push_back(op_.contiguous_args ? contiguous(made) : made);
    return kernel_tensor(held_.back());
  }
  void fill(KernelArg& a, const IValue& v, const RuleCall& rule, size_t i) {
    using A = KernelArg::Kind;
    switch (v.tag()) {
      case IValue::Tag::None: a.kind = A::None; return;
      case IValue::Tag::Bool: a.kind = A::Bool, a.boolean = v.to_bool(); return;
      case IValue::Tag::Int: a.kind = A::Int, a.integer = rule.wrapped(i).value_or(v.to_int()); return;
      case IValue::Tag::Float: a.kind = A::Float, a.number = v.to_double(); return;
      case IValue::Tag::Complex: a.kind = A::Complex, a.parts[0] = v.to_complex().real(), a.parts[1] = v.to_complex().imag(); return;
      case IValue::Tag::Ints: a.kind = A::Ints, a.ints = {v.to_ints().data(), v.to_ints().size()}; return;
      case IValue::Tag::Str: a.kind = A::Str, a.text = {v.to_string().data(), v.to_string().size()}; return;
      case IValue::Tag::Tensor: a.kind = A::Tensor, a.tensor = ready(v.as_tensor(), rule.conversion(i)); return;
      case IValue::Tag::List: return fill_list(a, v, rule.conversion(i));
      default: a.kind = A::Other, a.other = v.is_object() ? v.object() : nullptr; return;
    }
  }
  void fill_list(KernelArg& a, const IValue& v, std::optional<DType> dtype) {
    auto& list = lists_.emplace_back();
    for (const IValue& item : v.items())
      list.push_back(item.is_tensor() ? ready(item.as_tensor(), dtype) : KernelTensor{nullptr, nullptr, nullptr, 0, DType::f32});
    a.kind = KernelArg::Kind::Tensors, a.tensors = {list.data(), list.size()};
  }

  const Operator& op_;
  std::array<KernelArg, kMaxKernelArgs> args_;
  std::array<KernelTensor, RuleCall::kMaxResults> results_;
  std::vector<Tensor> held_;
  std::vector<std::vector<KernelTensor>> lists_;
  Tensor scratch_;
};

// The record's words for what a kernel met, with {value}, {limit}, {place} and the names of arguments filled in.
[[noreturn]] void raise(const Operator& op, const KernelCall& call, KernelStatus status) {
  std::string_view words = op.bad_data[static_cast<size_t>(status) - 1];
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
  fail(op.bad_data_kind, "[", op.name(), "] ", text);
}

void run_kernel(const Operator& op, const RuleCall& rule, const IValue* args, std::span<const Tensor> results) {
  KernelFrame frame(op, rule, args, results);
  if (KernelStatus status = op.kernel(frame.call); status != KernelStatus::Ok) raise(op, frame.call, status);
}

// The operator writes an argument and returns it.
void run_in_place(const Operator& op, const RuleCall& rule, const IValue* args, IValue* results) {
  const auto made = rule.results();
  std::array<Tensor, RuleCall::kMaxResults> tensors;
  for (size_t k = 0; k < made.size(); ++k) {
    tensors[k] = args[made[k].argument].to_tensor();
    tensors[k].check_writable(op.name());
    tensors[k].check_no_internal_overlap(op.name());
    results[k] = tensors[k];
  }
  if (!tensors[0].is_meta()) run_kernel(op, rule, args, std::span(tensors).first(made.size()));
  for (size_t k = 0; k < made.size(); ++k) tensors[k].bump_version();
}

Tensor allocate(const Operator& op, const RuleCall::Result& r) {
  MONOGRAPH_CHECK(r.sizes.ranked() && SizesRef(r.sizes).all_ints() && r.dtype, Runtime, "[", op.name(),
                  "] the size of its result depends on elements, and a meta tensor has none");
  const Device device = r.device.value_or(Device{});
  if (r.laid_out) return empty_strided(r.sizes.ints(), r.strides.ints(), *r.dtype, device);
  return empty(r.sizes.ints(), *r.dtype, device);
}

}  // namespace

void check_rule(const Operator& op, const IValue* args) {
  RuleCall rule(op, args);
  op.rule(rule);
}

void run_structured(const Operator& op, const IValue* args, IValue* results) {
  RuleCall rule(op, args);
  op.rule(rule);
  const auto made = rule.results();
  if (made[0].kind == Kind::View) {
    for (size_t k = 0; k < made.size(); ++k)
      results[k] = args[0].as_tensor().as_strided(made[k].sizes.ints(), made[k].strides.ints(), made[k].offset.as_int());
    return;
  }
  const bool meta = made[0].device && made[0].device->type == DeviceType::Meta;
  // Beside a kernel, an evaluation is for calls whose results' sizes depend on elements.
  const bool by_kernel = op.kernel && made[0].sizes.ranked() && SizesRef(made[0].sizes).all_ints();
  if (op.eval && !by_kernel && !(meta && made[0].kind == Kind::Tensor)) return op.eval(op, args, results);
  if (!op.kernel && !op.eval && op.decompose) return expand(op, args, results);
  if (made[0].kind == Kind::Argument) return run_in_place(op, rule, args, results);
  std::array<Tensor, RuleCall::kMaxResults> tensors;
  bool computes = false;
  for (size_t k = 0; k < made.size(); ++k) {
    tensors[k] = allocate(op, made[k]);
    results[k] = tensors[k];
    computes |= op.kernel && !meta && tensors[k].numel() > 0;
  }
  if (computes) run_kernel(op, rule, args, std::span(tensors).first(made.size()));
}

void run_structured_out(const Operator& op, const IValue* args, IValue* results) {
  const Operator& computes = *op.functional;
  const Tensor& out = args[op.schema().arguments().size() - 1].as_tensor();
  RuleCall rule(computes, args);
  computes.rule(rule);
  const RuleCall::Result& r = rule.results()[0];
  check_destination(op, out, *r.dtype);
  resize_output(out, r.sizes.ints(), op.name());
  const std::span given(args, computes.schema().arguments().size());
  auto reads = [&](const IValue& v) { return v.is_tensor() && may_overlap(v.as_tensor(), out); };
  const bool direct = out.dtype() == *r.dtype && std::ranges::none_of(given, reads) && std::ranges::none_of(given, &IValue::is_list);
  results[0] = out;
  if (!out.is_meta() && out.numel() > 0) {
    Tensor target = direct ? out : allocate(computes, r);
    run_kernel(computes, rule, args, {&target, 1});
    if (!direct) copy_into(out, target);
  }
  out.bump_version();
}

}  // namespace monograph
