// Types of values. A Type is a pointer to an interned, immutable description: equal types are the same pointer. The null Type means "not known"; a node
// has it before inference. Descriptions live as long as the process.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"
#include "core/symint.h"
#include "core/tensor.h"

namespace monograph::ir {

// The same pointer for equal texts, for ever; for names that are few: of classes, devices, operators.
const std::string* intern(std::string_view text);

enum class TypeKind : uint8_t {
  // Without parts; each is a Type by itself.
  Any,
  Tensor,
  Int,
  Float,
  Bool,
  Complex,
  Str,
  None,
  Number,
  SymInt,
  SymFloat,
  SymBool,
  Device,
  DType,
  Layout,
  MemoryFormat,
  Generator,
  Storage,
  Stream,
  QScheme,
  Dimname,
  NoReturn,
  // With parts. Tensor stands here too where something is known of it.
  List,  // element
  Optional,  // element, which is neither None nor Optional
  Future,  // element
  Dict,  // key, value
  Tuple,  // any number of elements
  Union,  // two or more alternatives, sorted by text, neither equal nor Union
  NamedTuple,  // name, elements, field names
  Class,  // name: a script class or module of the Unit
  Enum,  // name: an enumeration of the Unit
  Function,  // name: a function of the Unit as a value
  Variable,  // name: a type variable of a schema, as in aten::append.t(t[](a!) self, t el)
  Opaque,  // name: a Python object that only its own program understands
};
inline constexpr int kAtomicTypeCount = static_cast<int>(TypeKind::List);

// What is known of a tensor. An absent part is unknown.
struct TensorType {
  using Dim = std::optional<monograph::SymInt>;
  std::optional<monograph::DType> dtype;
  std::optional<monograph::Device> device;
  std::optional<bool> requires_grad;
  std::optional<std::vector<Dim>> sizes;  // absent: unknown rank
  std::optional<std::vector<Dim>> strides;  // as many as sizes
  bool operator==(const TensorType&) const = default;
  static TensorType of(monograph::DType dtype, std::span<const monograph::SymInt> sizes);
};

struct TypeInfo;

// Types nest at most this deep and have at most so many parts, counted as a tree; making a larger one raises Error.
inline constexpr int kMaxTypeDepth = 64, kMaxTypeSize = 1 << 20;

class Type {
 public:
  Type() = default;
  Type(TypeKind atomic);
  Type(TensorType tensor);
  static Type list(Type element);
  static Type optional(Type element);  // of None: None; of an Optional or Any: itself
  static Type future(Type element);
  static Type dict(Type key, Type value);
  static Type tuple(std::span<const Type> elements);
  static Type named_tuple(std::string_view name, std::span<const Type> elements, std::span<const std::string> fields);
  static Type unite(std::span<const Type> alternatives);  // of one: itself; with None and one more: Optional
  // Class, Enum, Function, Variable, Opaque.
  static Type named(TypeKind kind, std::string_view name);

  explicit operator bool() const { return info_ != nullptr; }
  bool operator==(const Type&) const = default;

  // The remaining members need a known type.
  TypeKind kind() const;
  bool is(TypeKind k) const { return info_ && kind() == k; }
  const TensorType& tensor() const;  // of Tensor
  std::span<const Type> elements() const;  // of List, Optional, Future, Dict, Tuple, Union, NamedTuple
  Type element() const { return elements()[0]; }
  const std::string& name() const;  // of those that have one
  std::span<const std::string> fields() const;  // of NamedTuple
  int depth() const;
  uint64_t hash() const;  // equal for equal types in every process
  // Every symbol of its sizes and strides, in order of print, with repetitions.
  void visit_symbols(const std::function<void(const Symbol&)>& f) const;

 private:
  friend struct TypeInfo;
  explicit Type(const TypeInfo* info) : info_(info) {}
  const TypeInfo* info_ = nullptr;
};

// Whether every value of type a is one of type b. The unknown type is a subtype of Any only.
bool is_subtype(Type a, Type b);

// The smallest type that both are subtypes of, where values of either arrive at one place. Sizes that differ become unknown; T and None
// become T?; int and SymInt become SymInt; what has nothing in common becomes a Union. With an unknown type: unknown.
Type join(Type a, Type b);

// The text form of docs/ir.md: "Float(2, s0, strides=[3, 1])", "int[]", "(int, Tensor)", "Dict(str, Tensor)", "str?"; "" for the unknown type.
std::string to_string(Type type);

// Reads a type from `text` at `position` and moves it behind. Reads TorchScript's spellings too (List[int], Optional[int], NoneType).
// `symbol` answers the names in sizes. Error (Value) with what was expected.
Type parse_type(std::string_view text, size_t& position, const std::function<const Symbol*(std::string_view)>& symbol);
// The whole text is one type without symbols.
Type parse_type(std::string_view text);

// Finds symbols by name; what parsers hand to parse_type.
using SymbolLookup = std::function<const Symbol*(std::string_view)>;

}  // namespace monograph::ir
