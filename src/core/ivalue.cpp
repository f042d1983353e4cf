// Conversions between the kinds of values. Those that do not fit are internal errors: the binder has checked before.
#include "core/ivalue.h"

#include <bit>
#include <cmath>
#include <utility>

#include "core/plain_number.h"

namespace monograph {
namespace {

constexpr const char* kTagNames[] = {"None",   "bool",    "int", "float",        "dtype", "device", "memory_format", "layout",
                                     "Tensor", "complex", "str", "list of ints", "list",  "tuple",  "dict",          "object"};

}  // namespace

static_assert(sizeof(IValue) == 16 && sizeof(Tensor) == sizeof(RefCounted*));

void IValue::mismatch(const char* expected) const {
  throw InternalError(concat("a value of kind ", expected, " was promised, but it is ", kTagNames[static_cast<int>(tag_)]));
}

IValue IValue::list(std::vector<IValue> v) {
  auto box = make_ref<ListBox>();
  box->items = std::move(v);
  return IValue(Ref<RefCounted>(box), Tag::List);
}
IValue IValue::tuple(std::vector<IValue> v) {
  auto box = make_ref<TupleBox>();
  box->items = std::move(v);
  return IValue(Ref<RefCounted>(box), Tag::Tuple);
}
IValue IValue::dict(std::vector<std::pair<IValue, IValue>> v) {
  auto box = make_ref<DictBox>();
  box->pairs = std::move(v);
  return IValue(Ref<RefCounted>(box), Tag::Dict);
}

IValue (*plain_number)(const IValue& symbolic) = nullptr;

namespace {
thread_local IValue (*plain_number_here)(const IValue& symbolic) = nullptr;
}  // namespace

PlainNumberScope::PlainNumberScope(IValue (*instead)(const IValue& symbolic)) : saved_(std::exchange(plain_number_here, instead)) {}
PlainNumberScope::~PlainNumberScope() { plain_number_here = saved_; }

IValue IValue::plain(const char* expected) const {
  auto* read = plain_number_here ? plain_number_here : plain_number;
  if (tag_ != Tag::Object || !read) mismatch(expected);
  IValue number = read(*this);
  if (!number.is_number()) mismatch(expected);
  return number;
}

bool IValue::to_bool() const { return tag_ == Tag::Bool ? u_.b : plain("bool").to_bool(); }
int64_t IValue::to_int() const { return tag_ == Tag::Int ? u_.i : tag_ == Tag::Bool ? int64_t{u_.b} : plain("int").to_int(); }
double IValue::to_double() const {
  if (tag_ == Tag::Float) return u_.d;
  if (tag_ == Tag::Int) return static_cast<double>(u_.i);
  if (tag_ == Tag::Bool) return u_.b;
  if (tag_ == Tag::Complex) {
    const std::complex<double> value = static_cast<ComplexBox*>(u_.p)->value;
    MONOGRAPH_CHECK(value.imag() == 0, Runtime,
                    "value cannot be converted to type double without overflow: expected a real number, but got ", value.real(),
                    value.imag() < 0 ? "-" : "+", std::abs(value.imag()), "j");
    return value.real();
  }
  return plain("float").to_double();
}
std::complex<double> IValue::to_complex() const {
  return tag_ == Tag::Complex ? static_cast<ComplexBox*>(u_.p)->value : std::complex<double>(to_double());
}
DType IValue::to_dtype() const { return tag_ == Tag::Dtype ? static_cast<DType>(u_.i) : (mismatch("dtype"), DType::f32); }
Device IValue::to_device() const { return tag_ == Tag::Device ? u_.device : (mismatch("device"), Device{}); }
MemoryFormat IValue::to_memory_format() const {
  return tag_ == Tag::MemoryFormat ? static_cast<MemoryFormat>(u_.i) : (mismatch("memory_format"), MemoryFormat{});
}
IValue::IValue(Size v) {
  if (v.is_int()) {
    *this = v.as_int();
    return;
  }
  MONOGRAPH_CHECK(v.known(), NotImplemented, "a size that is not known before the graph runs is needed");
  *this = Ref<ObjectBox>(new SizeBox(v));
}
IValue::IValue(const Sizes& v) {
  if (SizesRef(v).all_ints()) {
    *this = v.ints();
    return;
  }
  std::vector<IValue> items;
  for (size_t i = 0; i < v.size(); ++i) items.emplace_back(v[i]);
  *this = list(std::move(items));
}
std::optional<Size> symbolic_size(const IValue& v) {
  const auto* box = v.is_object() ? dynamic_cast<const SizeBox*>(v.object()) : nullptr;
  return box ? std::optional(box->value) : std::nullopt;
}

Tensor IValue::to_tensor() const {
  if (tag_ == Tag::None) return {};  // an absent Tensor?
  if (tag_ != Tag::Tensor) mismatch("Tensor");
  return Tensor(Ref<TensorImpl>(static_cast<TensorImpl*>(u_.p)));
}
const Tensor& IValue::as_tensor() const {
  if (tag_ != Tag::Tensor) mismatch("Tensor");
  using Held = const Tensor __attribute__((may_alias));  // a Tensor is one counted pointer, which is what this value holds
  return *reinterpret_cast<Held*>(&u_.p);
}
const std::string& IValue::to_string() const {
  if (tag_ != Tag::Str) mismatch("str");
  return static_cast<StringBox*>(u_.p)->value;
}
const Dims& IValue::to_ints() const {
  if (tag_ != Tag::Ints) mismatch("int[]");
  return static_cast<IntsBox*>(u_.p)->value;
}
std::vector<IValue>& IValue::items() const {
  if (tag_ == Tag::List) return static_cast<ListBox*>(u_.p)->items;
  if (tag_ == Tag::Tuple) return static_cast<TupleBox*>(u_.p)->items;
  mismatch("list");
}
std::vector<std::pair<IValue, IValue>>& IValue::pairs() const {
  if (tag_ != Tag::Dict) mismatch("dict");
  return static_cast<DictBox*>(u_.p)->pairs;
}
ObjectBox* IValue::object() const { return tag_ == Tag::Object ? static_cast<ObjectBox*>(u_.p) : (mismatch("object"), nullptr); }

std::vector<Tensor> IValue::to_tensors() const {
  std::vector<Tensor> out;
  for (const IValue& v : items()) out.push_back(v.to_tensor());
  return out;
}

bool IValue::is(const IValue& o) const {
  if (tag_ != o.tag_) return false;
  switch (tag_) {
    case Tag::None:
    case Tag::Layout: return true;
    case Tag::Bool: return u_.b == o.u_.b;
    case Tag::Float: return std::bit_cast<uint64_t>(u_.d) == std::bit_cast<uint64_t>(o.u_.d);
    case Tag::Device: return u_.device == o.u_.device;
    case Tag::Int:
    case Tag::Dtype:
    case Tag::MemoryFormat: return u_.i == o.u_.i;
    case Tag::Str: return to_string() == o.to_string();
    case Tag::Complex: return to_complex() == o.to_complex();
    default: return u_.p == o.u_.p;
  }
}

std::string describe(const IValue& v) {
  std::string text = kTagNames[static_cast<int>(v.tag())];
  if (v.is_tuple() || v.is_list()) text += " of " + std::to_string(v.items().size());
  if (v.is_tensor()) text += concat(" of ", name(v.as_tensor().dtype()), " ", to_string(v.as_tensor().sizes()));
  return text;
}

}  // namespace monograph
