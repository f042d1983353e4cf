// IValue holds any value that a scripted program takes or returns. List, Dict and Tuple hold several of them.
//
//   IValue v = ones({2});                          v.isTensor(), v.toTensor()
//   IValue list = std::vector<int64_t>{1, 2};      list.isIntList(), list.toIntVector()
//   IValue pair = std::make_tuple(x, 0.5);         pair.toTuple()->elements()[1].toDouble()
//   IValue table = Dict<std::string, Tensor>{};    table.toGenericDict(), table.to<Dict<std::string, Tensor>>()
#pragma once

#include <map>
#include <unordered_map>

#include "monograph/script_types.h"
#include "monograph/tensor.h"

MONOGRAPH_API_BEGIN

class IValue;
namespace jit {
class Module;
}
template <class T>
class List;
template <class K, class V>
class Dict;

namespace ivalue {
// The items of a tuple.
class Tuple {
 public:
  Tuple(std::vector<IValue> elements);
  static std::shared_ptr<Tuple> create(std::vector<IValue> elements);
  template <class... T>
    requires(sizeof...(T) > 0 && !(sizeof...(T) == 1 && (std::is_convertible_v<T, std::vector<IValue>> && ...)))
  static std::shared_ptr<Tuple> create(T&&... elements);
  const std::vector<IValue>& elements() const { return elements_; }
  size_t size() const;

 private:
  std::vector<IValue> elements_;
};
// A string. libtorch has it between IValue and std::string.
class ConstantString {
 public:
  explicit ConstantString(std::string text) : text_(std::move(text)) {}
  static std::shared_ptr<ConstantString> create(std::string text) { return std::make_shared<ConstantString>(std::move(text)); }
  std::string string() const { return text_; }

 private:
  std::string text_;
};
// A member of an Enum class.
class EnumHolder {
 public:
  EnumHolder(std::string cls, std::string name, const IValue& value);
  const std::string& qualifiedClassName() const { return class_; }  // "__torch__.model.Color"
  const std::string& name() const { return name_; }
  const IValue& value() const;

 private:
  std::string class_, name_;
  std::vector<IValue> value_;  // one item; a vector because IValue is incomplete here
};
}  // namespace ivalue

// A value. As in Python, copies of a list or dict are the same list or dict. Each to…() raises RuntimeError for a value of another kind.
class IValue {
 public:
  IValue() = default;  // None
  IValue(std::nullopt_t) {}
  IValue(const Tensor& v);  // an undefined tensor becomes None
  template <std::same_as<bool> T>
  IValue(T v) : IValue(Scalar(v)) {}
  template <Integral T>
  IValue(T v) : IValue(Scalar(v)) {}
  template <std::floating_point T>
  IValue(T v) : IValue(Scalar(v)) {}
  IValue(std::complex<double> v) : IValue(Scalar(v)) {}
  IValue(const Scalar& v);
  IValue(const char* v);
  IValue(const std::string& v);
  IValue(std::string_view v) : IValue(std::string(v)) {}
  IValue(Dtype v);
  IValue(Device v);
  IValue(const std::vector<IValue>& items) : IValue(list(items)) {}
  template <class T>
  IValue(const std::vector<T>& items) : IValue(list(std::vector<IValue>(items.begin(), items.end()))) {}
  IValue(const Sizes& sizes) : IValue(static_cast<const std::vector<int64_t>&>(sizes)) {}
  template <class T>
  IValue(const List<T>& v);
  template <class K, class V>
  IValue(const Dict<K, V>& v);
  template <class K, class V>
  IValue(const std::map<K, V>& v) : IValue(dict({v.begin(), v.end()})) {}
  template <class K, class V>
  IValue(const std::unordered_map<K, V>& v) : IValue(dict({v.begin(), v.end()})) {}
  template <class... T>
  IValue(const std::tuple<T...>& v) : IValue(std::apply([](const auto&... parts) { return tuple({IValue(parts)...}); }, v)) {}
  template <class A, class B>
  IValue(const std::pair<A, B>& v) : IValue(tuple({IValue(v.first), IValue(v.second)})) {}
  IValue(const std::shared_ptr<ivalue::Tuple>& v) : IValue(tuple(v->elements())) {}
  IValue(const std::shared_ptr<ivalue::ConstantString>& v) : IValue(v->string()) {}
  template <class T>
  IValue(const std::optional<T>& v) {
    if (v) *this = IValue(*v);
  }
  static IValue list(const std::vector<IValue>& items);
  static IValue tuple(const std::vector<IValue>& items);
  static IValue dict(const std::vector<std::pair<IValue, IValue>>& items);  // if two keys are equal, the later value counts

  bool isNone() const { return impl_ == nullptr; }
  bool isTensor() const;
  bool isBool() const;
  bool isInt() const;
  bool isDouble() const;
  bool isComplexDouble() const;
  bool isScalar() const { return isInt() || isDouble() || isBool() || isComplexDouble(); }
  bool isString() const;
  bool isDevice() const;
  bool isTuple() const;
  bool isList() const;
  bool isGenericDict() const;
  bool isObject() const;  // an instance of one of the program's classes
  bool isModule() const;  // a module, such as attr("encoder") gives
  bool isEnum() const;
  // Whether it is a list whose items are all of this kind. An empty list is of every kind.
  bool isTensorList() const;
  bool isIntList() const;
  bool isDoubleList() const;
  bool isBoolList() const;

  Tensor toTensor() const;
  bool toBool() const;
  int64_t toInt() const;
  double toDouble() const;
  std::complex<double> toComplexDouble() const;
  Scalar toScalar() const;
  const std::string& toStringRef() const;
  std::string_view toStringView() const { return toStringRef(); }
  std::shared_ptr<ivalue::ConstantString> toString() const { return ivalue::ConstantString::create(toStringRef()); }
  Device toDevice() const;
  jit::Module toModule() const;
  Dtype toScalarType() const;
  std::shared_ptr<ivalue::Tuple> toTuple() const;  // the same one at each call: references to its items are good as long as this value
  std::shared_ptr<ivalue::EnumHolder> toEnumHolder() const;
  const ivalue::Tuple& toTupleRef() const { return *toTuple(); }
  List<IValue> toList() const;
  std::vector<IValue> toListRef() const;
  std::vector<Tensor> toTensorVector() const;
  std::vector<int64_t> toIntVector() const;
  std::vector<int64_t> toDimVector() const { return toIntVector(); }
  std::vector<double> toDoubleVector() const;
  List<Tensor> toTensorList() const;
  List<int64_t> toIntList() const;
  List<double> toDoubleList() const;
  List<bool> toBoolList() const;
  Dict<IValue, IValue> toGenericDict() const;
  // Converts to a number, std::string, Tensor, std::vector, List, Dict, std::map, std::unordered_map, std::tuple or std::optional.
  template <class T>
  T to() const;
  template <class T>
  std::optional<T> toOptional() const {
    return to<std::optional<T>>();
  }

  std::string tagKind() const;  // "Tensor", "Int", "GenericList", …
  bool is(const IValue& other) const;  // whether it is the same object, or an equal number or string
  bool operator==(const IValue& other) const;  // whether the values are equal; two tensors only if they are the same tensor
  std::string str() const;  // as Python prints it

  // Access to the items of a list or tuple and the pairs of a dict, for List and Dict.
  size_t count() const;
  IValue at(size_t index) const;
  void set_at(size_t index, const IValue& value) const;
  void append(const IValue& value) const;
  void remove_at(size_t index) const;
  std::vector<std::pair<IValue, IValue>> pairs() const;
  bool find(const IValue& key, IValue* value) const;
  void insert_or_assign(const IValue& key, const IValue& value) const;
  bool remove(const IValue& key) const;

  struct Access;  // used inside of the library
 private:
  friend struct Access;
  void writable_list();
  template <class T>
  friend class List;
  std::shared_ptr<void> impl_;
};
std::ostream& operator<<(std::ostream& out, const IValue& v);

// A list whose items have the C++ type T. Copies are the same list.
template <class T>
class List {
 public:
  List() : List(std::vector<T>()) {}
  List(std::initializer_list<T> items) : List(std::vector<T>(items)) {}
  explicit List(const std::vector<T>& items) : value_(IValue::list(std::vector<IValue>(items.begin(), items.end()))) {}
  explicit List(IValue list) : value_(std::move(list)) { value_.writable_list(); }
  explicit List(const jit::TypePtr&) : List() {}  // libtorch names the type of the items
  size_t size() const { return value_.count(); }
  bool empty() const { return size() == 0; }
  T get(size_t k) const { return value_.at(k).template to<T>(); }
  T operator[](size_t k) const { return get(k); }
  T extract(size_t k) const { return get(k); }
  void set(size_t k, const T& v) const { value_.set_at(k, IValue(v)); }
  void push_back(const T& v) const { value_.append(IValue(v)); }
  void emplace_back(const T& v) const { push_back(v); }
  void reserve(size_t) const {}
  void clear() const {
    while (size()) value_.remove_at(size() - 1);
  }
  void pop_back() const { value_.remove_at(size() - 1); }
  std::vector<T> vec() const {
    std::vector<T> out;
    for (size_t k = 0; k < size(); ++k) out.push_back(get(k));
    return out;
  }
  List copy() const { return List(vec()); }
  const IValue& value() const { return value_; }

  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = ptrdiff_t;
    using pointer = const T*;
    using reference = T;
    iterator(const List* list, size_t at) : list_(list), at_(at) {}
    T operator*() const { return list_->get(at_); }
    iterator& operator++() { return ++at_, *this; }
    iterator operator++(int) { return {list_, at_++}; }
    bool operator==(const iterator& o) const { return at_ == o.at_; }

   private:
    const List* list_;
    size_t at_;
  };
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }

 private:
  IValue value_;
};

// A dict in the order in which its keys were inserted. Copies are the same dict.
template <class K, class V>
class Dict {
 public:
  Dict() : value_(IValue::dict({})) {}
  explicit Dict(IValue dict) : value_(std::move(dict)) {
    (void)value_.pairs();  // raises for another kind of value
  }
  Dict(const jit::TypePtr&, const jit::TypePtr&) : Dict() {}  // libtorch names the types of keys and values
  struct Entry {
    const K& key() const { return key_; }
    const V& value() const { return value_; }
    K key_;
    V value_;
  };
  size_t size() const { return value_.count(); }
  bool empty() const { return size() == 0; }
  bool contains(const K& key) const { return value_.find(IValue(key), nullptr); }
  V at(const K& key) const {
    IValue found;
    if (!value_.find(IValue(key), &found)) throw KeyError("Argument passed to at() was not in the map.");
    return found.to<V>();
  }
  void insert(const K& key, const V& v) const {
    if (!contains(key)) insert_or_assign(key, v);
  }
  void insert_or_assign(const K& key, const V& v) const { value_.insert_or_assign(IValue(key), IValue(v)); }
  size_t erase(const K& key) const { return value_.remove(IValue(key)) ? 1 : 0; }
  std::vector<Entry> entries() const {
    std::vector<Entry> out;
    for (const auto& [key, v] : value_.pairs()) out.push_back({key.template to<K>(), v.template to<V>()});
    return out;
  }
  const IValue& value() const { return value_; }

  // Iterates over a copy of the entries, which begin() makes.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Entry;
    using difference_type = ptrdiff_t;
    using pointer = const Entry*;
    using reference = const Entry&;
    iterator(std::shared_ptr<std::vector<Entry>> entries, size_t at) : entries_(std::move(entries)), at_(at) {}
    const Entry& operator*() const { return (*entries_)[at_]; }
    const Entry* operator->() const { return &(*entries_)[at_]; }
    iterator& operator++() { return ++at_, *this; }
    bool operator==(const iterator& o) const { return at_ == o.at_; }

   private:
    std::shared_ptr<std::vector<Entry>> entries_;
    size_t at_;
  };
  iterator begin() const { return {std::make_shared<std::vector<Entry>>(entries()), 0}; }
  iterator end() const { return {nullptr, size()}; }
  iterator find(const K& key) const {
    iterator it = begin();
    while (!(it == end()) && !(IValue(it->key()) == IValue(key))) ++it;
    return it;
  }

 private:
  IValue value_;
};

template <class T>
IValue::IValue(const List<T>& v) : IValue(v.value()) {}
template <class K, class V>
IValue::IValue(const Dict<K, V>& v) : IValue(v.value()) {}

template <class... T>
  requires(sizeof...(T) > 0 && !(sizeof...(T) == 1 && (std::is_convertible_v<T, std::vector<IValue>> && ...)))
std::shared_ptr<ivalue::Tuple> ivalue::Tuple::create(T&&... elements) {
  return create(std::vector<IValue>{IValue(std::forward<T>(elements))...});
}

namespace detail {
template <class T>
struct FromIValue {
  static T of(const IValue& v) {
    if constexpr (std::is_same_v<T, IValue>) return v;
    else if constexpr (std::is_same_v<T, Tensor>) return v.toTensor();
    else if constexpr (std::is_same_v<T, bool>) return v.toBool();
    else if constexpr (std::is_integral_v<T>) return static_cast<T>(v.toInt());
    else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(v.toDouble());
    else if constexpr (std::is_same_v<T, std::string>) return v.toStringRef();
    else if constexpr (std::is_same_v<T, std::complex<double>>) return v.toComplexDouble();
    else if constexpr (std::is_same_v<T, Scalar>) return v.toScalar();
    else if constexpr (std::is_same_v<T, Device>) return v.toDevice();
    else if constexpr (std::is_same_v<T, Dtype>) return v.toScalarType();
    else static_assert(!sizeof(T), "IValue::to<T>(): a value of a program has no form as this type");
  }
};
template <class T>
struct FromIValue<std::vector<T>> {
  static std::vector<T> of(const IValue& v) {
    std::vector<T> out;
    for (const IValue& item : v.toListRef()) out.push_back(item.to<T>());
    return out;
  }
};
template <class T>
struct FromIValue<List<T>> {
  static List<T> of(const IValue& v) { return List<T>(v); }
};
template <class K, class V>
struct FromIValue<Dict<K, V>> {
  static Dict<K, V> of(const IValue& v) { return Dict<K, V>(v); }
};
template <class Map>
struct MapFromIValue {
  static Map of(const IValue& v) {
    Map out;
    for (const auto& [key, value] : v.pairs())
      out.emplace(key.template to<typename Map::key_type>(), value.template to<typename Map::mapped_type>());
    return out;
  }
};
template <class K, class V>
struct FromIValue<std::map<K, V>> : MapFromIValue<std::map<K, V>> {};
template <class K, class V>
struct FromIValue<std::unordered_map<K, V>> : MapFromIValue<std::unordered_map<K, V>> {};
template <class T>
struct FromIValue<std::optional<T>> {
  static std::optional<T> of(const IValue& v) { return v.isNone() ? std::nullopt : std::optional<T>(v.to<T>()); }
};
template <class... T>
struct FromIValue<std::tuple<T...>> {
  static std::tuple<T...> of(const IValue& v) {
    const std::shared_ptr<ivalue::Tuple> whole = v.toTuple();
    if (whole->size() != sizeof...(T))
      throw RuntimeError("expected a tuple of " + std::to_string(sizeof...(T)) + " values, but got one of " +
                         std::to_string(whole->size()));
    return [&]<size_t... K>(std::index_sequence<K...>) {
      return std::tuple<T...>{whole->elements()[K].template to<T>()...};
    }(std::index_sequence_for<T...>());
  }
};
}  // namespace detail

template <class T>
T IValue::to() const {
  return detail::FromIValue<T>::of(*this);
}

MONOGRAPH_API_END
