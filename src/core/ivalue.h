// IValue: any value that an operator takes or gives, in 16 bytes. The interpreter's registers, the arguments of a call, and constants.
#pragma once

#include <complex>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/size.h"

namespace monograph {

class Generator;
class IValue;

struct StringBox : RefCounted {
  explicit StringBox(std::string v) : value(std::move(v)) {}
  std::string value;
};
struct ComplexBox : RefCounted {
  explicit ComplexBox(std::complex<double> v) : value(v) {}
  std::complex<double> value;
};
struct IntsBox : RefCounted {  // int[], the list that shapes and dims are made of, without a box an element
  explicit IntsBox(Dims v) : value(std::move(v)) {}
  Dims value;
};
struct ListBox;                     // a list of IValues
struct TupleBox;                    // a tuple of IValues
struct DictBox;                     // insertion-ordered pairs
// The base of everything else: generators, symbolic numbers (src/capture), Python objects (the bindings).
struct ObjectBox : RefCounted {
  virtual std::string kind_name() const { return {}; }  // in messages; "" where there is no better word than "object"
};

class IValue {
 public:
  enum class Tag : uint8_t {
    None,
    Bool,
    Int,
    Float,
    Dtype,
    Device,
    MemoryFormat,
    Layout,
    Tensor,
    Complex,
    Str,
    Ints,
    List,
    Tuple,
    Dict,
    Object
  };

  IValue() = default;
  IValue(std::nullptr_t) {}
  IValue(bool v) : tag_(Tag::Bool) { u_.b = v; }
  IValue(int64_t v) : tag_(Tag::Int) { u_.i = v; }
  IValue(int v) : IValue(int64_t{v}) {}
  IValue(double v) : tag_(Tag::Float) { u_.d = v; }
  IValue(DType v) : tag_(Tag::Dtype) { u_.i = static_cast<int64_t>(v); }
  IValue(Device v) : tag_(Tag::Device) { u_.device = v; }
  IValue(MemoryFormat v) : tag_(Tag::MemoryFormat) { u_.i = static_cast<int64_t>(v); }
  IValue(const Tensor& v) : IValue(v.ref(), Tag::Tensor) {}
  IValue(Tensor&& v) : IValue(v.ref(), Tag::Tensor) {}
  IValue(std::complex<double> v) : IValue(Ref<RefCounted>(new ComplexBox(v)), Tag::Complex) {}
  IValue(std::string v) : IValue(Ref<RefCounted>(new StringBox(std::move(v))), Tag::Str) {}
  IValue(const char* v) : IValue(std::string(v)) {}
  IValue(std::string_view v) : IValue(std::string(v)) {}
  IValue(Size v);          // an int, or where a symbol takes part an object that the capture around knows
  IValue(const Sizes& v);  // a list of such
  IValue(Dims v) : IValue(Ref<RefCounted>(new IntsBox(std::move(v))), Tag::Ints) {}
  IValue(Ref<ObjectBox> v) : IValue(Ref<RefCounted>(v), Tag::Object) {}
  static IValue list(std::vector<IValue> v);
  static IValue tuple(std::vector<IValue> v);
  static IValue dict(std::vector<std::pair<IValue, IValue>> v);
  static IValue layout() {  // torch.strided, the only one
    IValue v;
    v.tag_ = Tag::Layout;
    return v;
  }

  IValue(const IValue& o) : u_(o.u_), tag_(o.tag_) {
    if (boxed() && u_.p) u_.p->retain();
  }
  IValue(IValue&& o) noexcept : u_(o.u_), tag_(std::exchange(o.tag_, Tag::None)) {}
  IValue& operator=(IValue o) noexcept {
    std::swap(u_, o.u_);
    std::swap(tag_, o.tag_);
    return *this;
  }
  ~IValue() {
    if (boxed() && u_.p) u_.p->release();
  }

  Tag tag() const { return tag_; }
  bool is_none() const { return tag_ == Tag::None; }
  bool is_bool() const { return tag_ == Tag::Bool; }
  bool is_int() const { return tag_ == Tag::Int; }
  bool is_float() const { return tag_ == Tag::Float; }
  bool is_complex() const { return tag_ == Tag::Complex; }
  bool is_number() const { return tag_ == Tag::Bool || tag_ == Tag::Int || tag_ == Tag::Float || tag_ == Tag::Complex; }
  bool is_tensor() const { return tag_ == Tag::Tensor; }
  bool is_list() const { return tag_ == Tag::List; }
  bool is_tuple() const { return tag_ == Tag::Tuple; }
  bool is_dict() const { return tag_ == Tag::Dict; }
  bool is_ints() const { return tag_ == Tag::Ints; }
  bool is_string() const { return tag_ == Tag::Str; }
  bool is_object() const { return tag_ == Tag::Object; }

  // Each expects its own tag: an InternalError otherwise, since arguments were bound to a schema before.
  bool to_bool() const;
  int64_t to_int() const;        // of an int or a bool
  double to_double() const;      // of any real number
  std::complex<double> to_complex() const;
  DType to_dtype() const;
  Device to_device() const;
  MemoryFormat to_memory_format() const;
  Tensor to_tensor() const;
  const Tensor& as_tensor() const;  // without counting; valid while this value lives
  const std::string& to_string() const;
  const Dims& to_ints() const;
  std::vector<IValue>& items() const;  // of a list or tuple
  std::vector<std::pair<IValue, IValue>>& pairs() const;
  ObjectBox* object() const;
  std::vector<Tensor> to_tensors() const;  // of a list or tuple of tensors

  // Of a list: whether nobody else holds it.
  bool owns_list() const { return is_list() && u_.p->use_count() == 1; }
  // Whether both are the same object, or equal plain values.
  bool is(const IValue& o) const;

 private:
  IValue(Ref<RefCounted> p, Tag tag) : tag_(p ? tag : Tag::None) { u_.p = p.detach(); }
  bool boxed() const { return tag_ >= Tag::Tensor; }
  [[noreturn]] void mismatch(const char* expected) const;
  IValue plain(const char* expected) const;  // of a symbolic number
  union Payload {
    bool b;
    int64_t i;
    double d;
    Device device;
    RefCounted* p;
    Payload() : i(0) {}
  } u_;
  Tag tag_ = Tag::None;
};

// A size of a program that is being captured: what gradients and decompositions read and pass on.
// What a symbolic number of a capture is as a plain one: the example's, for which the capture then holds. Set by src/capture.
extern IValue (*plain_number)(const IValue& symbolic);

struct SizeBox : ObjectBox {
  explicit SizeBox(Size v) : value(v) {}
  Size value;
};
// The symbolic size behind a value; nothing where it is anything else.
std::optional<Size> symbolic_size(const IValue& v);

struct ListBox : RefCounted {
  std::vector<IValue> items;
};
struct TupleBox : RefCounted {
  std::vector<IValue> items;
};
struct DictBox : RefCounted {
  std::vector<std::pair<IValue, IValue>> pairs;
};

// The kind of value in words for messages: "int", "Tensor", "tuple of 2".
std::string describe(const IValue& v);

}  // namespace monograph
