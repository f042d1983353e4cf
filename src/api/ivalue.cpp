// Implements the public IValue, which is a handle to the library's own IValue.
#include <algorithm>
#include <sstream>

#include "api/script_access.h"
#include "ops/objects.h"

MONOGRAPH_API_BEGIN

namespace {

const monograph::IValue& of(const IValue& v) { return IValue::Access::of(v); }

using Tag = monograph::IValue::Tag;

[[noreturn]] void mismatch(const IValue& v, const char* expected) {
  throw RuntimeError(monograph::concat("Expected ", expected, " but got ", v.tagKind()));
}
void expect(const IValue& v, bool fits, const char* expected) {
  if (!fits) mismatch(v, expected);
}

bool all_items(const IValue& v, bool (monograph::IValue::*question)() const) {
  if (!v.isList()) return false;
  const monograph::IValue& list = of(v);
  if (list.is_ints()) return list.to_ints().empty() || question == &monograph::IValue::is_int;
  return std::ranges::all_of(list.items(), [&](const monograph::IValue& item) { return (item.*question)(); });
}

bool equal(const monograph::IValue& a, const monograph::IValue& b) {
  if (a.is_tensor() || b.is_tensor()) return a.is_tensor() && b.is_tensor() && a.as_tensor().is_same(b.as_tensor());
  if (a.is_number() && b.is_number()) return a.to_complex() == b.to_complex();
  if ((a.is_list() && b.is_list()) || (a.is_tuple() && b.is_tuple())) return std::ranges::equal(a.items(), b.items(), equal);
  if (a.is_ints() && b.is_list()) return equal(b, a);
  if (a.is_list() && b.is_ints()) {
    const std::vector<monograph::IValue> items(b.to_ints().begin(), b.to_ints().end());
    return std::ranges::equal(a.items(), items, equal);
  }
  if (a.is_dict() && b.is_dict())
    return a.pairs().size() == b.pairs().size() && std::ranges::all_of(a.pairs(), [&](const auto& pair) {
             return std::ranges::any_of(b.pairs(),
                                        [&](const auto& o) { return equal(pair.first, o.first) && equal(pair.second, o.second); });
           });
  return a.is(b) || (member_of(a) && same_object(a, b));
}

void write(std::ostream& out, const monograph::IValue& v) {
  auto items = [&](const auto& list) {
    size_t k = 0;
    for (const monograph::IValue& item : list) {
      if (k++) out << ", ";
      write(out, item);
    }
  };
  switch (v.tag()) {
    case Tag::None: out << "None"; break;
    case Tag::Bool: out << (v.to_bool() ? "True" : "False"); break;
    case Tag::Int: out << v.to_int(); break;
    case Tag::Float: {
      std::ostringstream text;
      text << v.to_double();
      out << text.str() << (text.str().find_first_of(".en") == std::string::npos ? "." : "");
      break;
    }
    case Tag::Complex: out << v.to_complex().real() << (v.to_complex().imag() < 0 ? "" : "+") << v.to_complex().imag() << "j"; break;
    case Tag::Str: out << v.to_string(); break;
    case Tag::Tensor: out << Tensor::Access::wrap(v.as_tensor()); break;
    case Tag::Device: out << monograph::to_string(v.to_device()); break;
    case Tag::Dtype: out << name(v.to_dtype()); break;
    case Tag::Ints: out << "[", items(v.to_ints()), out << "]"; break;
    case Tag::List: out << "[", items(v.items()), out << "]"; break;
    case Tag::Tuple: out << "(", items(v.items()), out << (v.items().size() == 1 ? ",)" : ")"); break;
    case Tag::Dict: {
      size_t k = 0;
      out << "{";
      for (const auto& [key, value] : v.pairs()) out << (k++ ? ", " : ""), write(out, key), out << ": ", write(out, value);
      out << "}";
      break;
    }
    default:
      if (const EnumBox* member = member_of(v)) out << member->kind_name() << "." << member->member;
      else out << "<" << describe(v) << ">";
  }
}

size_t checked(const IValue& v, size_t index) {
  if (index >= v.count())
    throw IndexError(
        monograph::concat("index ", index, " is out of range for a ", v.isTuple() ? "tuple" : "list", " of ", v.count(), " values"));
  return index;
}

}  // namespace

IValue::IValue(const Tensor& v) {
  if (v.defined()) *this = Access::wrap(unwrap(v));
}
IValue::IValue(const Scalar& v) : IValue(Access::wrap(value(v))) {}
IValue::IValue(const char* v) : IValue(Access::wrap(v)) {}
IValue::IValue(const std::string& v) : IValue(Access::wrap(v)) {}
IValue::IValue(Dtype v) : IValue(Access::wrap(inner(v))) {}
IValue::IValue(Device v) : IValue(Access::wrap(inner(v))) {}
IValue IValue::list(const std::vector<IValue>& items) { return Access::wrap(monograph::IValue::list(Access::of(items))); }
IValue IValue::tuple(const std::vector<IValue>& items) { return Access::wrap(monograph::IValue::tuple(Access::of(items))); }
IValue IValue::dict(const std::vector<std::pair<IValue, IValue>>& items) {
  const IValue made = Access::wrap(monograph::IValue::dict({}));
  for (const auto& [key, v] : items) made.insert_or_assign(key, v);
  return made;
}

bool IValue::isTensor() const { return of(*this).is_tensor(); }
bool IValue::isBool() const { return of(*this).is_bool(); }
bool IValue::isInt() const { return of(*this).is_int(); }
bool IValue::isDouble() const { return of(*this).is_float(); }
bool IValue::isComplexDouble() const { return of(*this).is_complex(); }
bool IValue::isString() const { return of(*this).is_string(); }
bool IValue::isDevice() const { return of(*this).tag() == Tag::Device; }
bool IValue::isTuple() const { return of(*this).is_tuple(); }
bool IValue::isList() const { return of(*this).is_list() || of(*this).is_ints(); }
bool IValue::isGenericDict() const { return of(*this).is_dict(); }
namespace {
const ScriptModuleBox* module_in(const IValue& v) {
  return of(v).is_object() ? dynamic_cast<const ScriptModuleBox*>(of(v).object()) : nullptr;
}
}  // namespace
bool IValue::isObject() const { return instance_of(of(*this)) != nullptr || isModule(); }
bool IValue::isModule() const { return module_in(*this) != nullptr; }
bool IValue::isEnum() const { return member_of(of(*this)) != nullptr; }
bool IValue::isTensorList() const { return all_items(*this, &monograph::IValue::is_tensor); }
bool IValue::isIntList() const { return all_items(*this, &monograph::IValue::is_int); }
bool IValue::isDoubleList() const { return all_items(*this, &monograph::IValue::is_float); }
bool IValue::isBoolList() const { return all_items(*this, &monograph::IValue::is_bool); }

Tensor IValue::toTensor() const {
  expect(*this, isTensor(), "Tensor");
  return Tensor::Access::wrap(of(*this).as_tensor());
}
bool IValue::toBool() const {
  expect(*this, isBool(), "Bool");
  return of(*this).to_bool();
}
int64_t IValue::toInt() const {
  expect(*this, isInt(), "Int");
  return of(*this).to_int();
}
double IValue::toDouble() const {
  expect(*this, isDouble(), "Double");
  return of(*this).to_double();
}
std::complex<double> IValue::toComplexDouble() const {
  expect(*this, isComplexDouble(), "ComplexDouble");
  return of(*this).to_complex();
}
Scalar IValue::toScalar() const {
  expect(*this, isScalar(), "Scalar");
  return number_of(of(*this));
}
const std::string& IValue::toStringRef() const {
  expect(*this, isString(), "String");
  return of(*this).to_string();
}
Device IValue::toDevice() const {
  expect(*this, isDevice(), "Device");
  return outer(of(*this).to_device());
}
jit::Module IValue::toModule() const {
  expect(*this, isModule(), "Module");
  return module_in(*this)->module;
}
Dtype IValue::toScalarType() const {
  expect(*this, of(*this).tag() == Tag::Dtype, "ScalarType");
  return static_cast<Dtype>(of(*this).to_dtype());
}
std::shared_ptr<ivalue::EnumHolder> IValue::toEnumHolder() const {
  const EnumBox* member = member_of(of(*this));
  expect(*this, member != nullptr, "Enum");
  return std::make_shared<ivalue::EnumHolder>(*member->class_name, member->member, Access::wrap(member->value));
}
std::shared_ptr<ivalue::Tuple> IValue::toTuple() const {
  expect(*this, isTuple(), "Tuple");
  auto& held = *static_cast<Access*>(impl_.get());
  std::call_once(held.asked, [&] { held.tuple = ivalue::Tuple::create(Access::wrap(held.value.items())); });
  return held.tuple;
}
List<IValue> IValue::toList() const { return List<IValue>(*this); }
std::vector<IValue> IValue::toListRef() const {
  expect(*this, isList(), "GenericList");
  if (!of(*this).is_ints()) return Access::wrap(of(*this).items());
  const Dims& ints = of(*this).to_ints();
  return {ints.begin(), ints.end()};
}
std::vector<Tensor> IValue::toTensorVector() const {
  expect(*this, isTensorList(), "TensorList");
  return to<std::vector<Tensor>>();
}
std::vector<int64_t> IValue::toIntVector() const {
  expect(*this, isIntList(), "IntList");
  return to<std::vector<int64_t>>();
}
std::vector<double> IValue::toDoubleVector() const {
  expect(*this, isDoubleList(), "DoubleList");
  return to<std::vector<double>>();
}
List<Tensor> IValue::toTensorList() const {
  expect(*this, isTensorList(), "TensorList");
  return List<Tensor>(*this);
}
List<int64_t> IValue::toIntList() const {
  expect(*this, isIntList(), "IntList");
  return List<int64_t>(*this);
}
List<double> IValue::toDoubleList() const {
  expect(*this, isDoubleList(), "DoubleList");
  return List<double>(*this);
}
List<bool> IValue::toBoolList() const {
  expect(*this, isBoolList(), "BoolList");
  return List<bool>(*this);
}
Dict<IValue, IValue> IValue::toGenericDict() const { return Dict<IValue, IValue>(*this); }

std::string IValue::tagKind() const {
  constexpr std::string_view kNames[] = {"None",   "Bool",          "Int",    "Double",  "ScalarType",  "Device", "MemoryFormat", "Layout",
                                         "Tensor", "ComplexDouble", "String", "IntList", "GenericList", "Tuple",  "GenericDict",  "Object"};
  if (isEnum()) return "Enum";
  return std::string(kNames[static_cast<size_t>(of(*this).tag())]);
}
bool IValue::is(const IValue& other) const { return of(*this).is(of(other)); }
bool IValue::operator==(const IValue& other) const { return equal(of(*this), of(other)); }
std::string IValue::str() const {
  std::ostringstream out;
  out << *this;
  return out.str();
}
std::ostream& operator<<(std::ostream& out, const IValue& v) {
  write(out, of(v));
  return out;
}

// Tag::Ints can hold only ints, and other code relies on it never changing. A List gets a copy as a list of values.
void IValue::writable_list() {
  expect(*this, isList(), "GenericList");
  if (of(*this).is_ints()) *this = list(toListRef());
}
size_t IValue::count() const {
  const monograph::IValue& v = of(*this);
  if (v.is_dict()) return v.pairs().size();
  expect(*this, isList() || isTuple(), "GenericList");
  return v.is_ints() ? v.to_ints().size() : v.items().size();
}
IValue IValue::at(size_t index) const {
  expect(*this, isList() || isTuple(), "GenericList");
  checked(*this, index);
  return of(*this).is_ints() ? IValue(of(*this).to_ints()[index]) : Access::wrap(of(*this).items()[index]);
}
void IValue::set_at(size_t index, const IValue& v) const {
  expect(*this, of(*this).is_list(), "GenericList");
  of(*this).items()[checked(*this, index)] = of(v);
}
void IValue::append(const IValue& v) const {
  expect(*this, of(*this).is_list(), "GenericList");
  of(*this).items().push_back(of(v));
}
void IValue::remove_at(size_t index) const {
  expect(*this, of(*this).is_list(), "GenericList");
  of(*this).items().erase(of(*this).items().begin() + static_cast<ptrdiff_t>(checked(*this, index)));
}
std::vector<std::pair<IValue, IValue>> IValue::pairs() const {
  expect(*this, isGenericDict(), "GenericDict");
  std::vector<std::pair<IValue, IValue>> out;
  for (const auto& [key, v] : of(*this).pairs()) out.emplace_back(Access::wrap(key), Access::wrap(v));
  return out;
}
bool IValue::find(const IValue& key, IValue* v) const {
  expect(*this, isGenericDict(), "GenericDict");
  for (const auto& [k, held] : of(*this).pairs())
    if (equal(k, of(key))) {
      if (v) *v = Access::wrap(held);
      return true;
    }
  return false;
}
void IValue::insert_or_assign(const IValue& key, const IValue& v) const {
  expect(*this, isGenericDict(), "GenericDict");
  for (auto& [k, held] : of(*this).pairs())
    if (equal(k, of(key))) return void(held = of(v));
  of(*this).pairs().emplace_back(of(key), of(v));
}
bool IValue::remove(const IValue& key) const {
  expect(*this, isGenericDict(), "GenericDict");
  return std::erase_if(of(*this).pairs(), [&](const auto& pair) { return equal(pair.first, of(key)); }) > 0;
}

ivalue::EnumHolder::EnumHolder(std::string cls, std::string name, const IValue& value)
    : class_(std::move(cls)), name_(std::move(name)), value_{value} {}
const IValue& ivalue::EnumHolder::value() const { return value_.front(); }
ivalue::Tuple::Tuple(std::vector<IValue> elements) : elements_(std::move(elements)) {}
std::shared_ptr<ivalue::Tuple> ivalue::Tuple::create(std::vector<IValue> elements) { return std::make_shared<Tuple>(std::move(elements)); }
size_t ivalue::Tuple::size() const { return elements_.size(); }

MONOGRAPH_API_END
