// The values of a pickle for which IValue has no kind: bytes, sets, ints of more than 64 bits, storages, names, and objects of other classes.
//
// None, bool, int, float, complex, str, list, tuple, dict, tensor, dtype, device and layout are ordinary IValues. A torch.Size is an IValue of ints
// (IValue::Tag::Ints), which nothing else in a pickle becomes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ivalue.h"
#include "core/tensor.h"

namespace monograph::pickle {

struct BytesBox : ObjectBox {
  std::string value;
  bool is_array = false;  // a bytearray
  std::string kind_name() const override { return is_array ? "bytearray" : "bytes"; }
};

// An int that needs more than 64 bits.
struct BigIntBox : ObjectBox {
  std::string bytes;  // two's complement, the lowest byte first
  std::string kind_name() const override { return "int"; }
};

struct SetBox : ObjectBox {
  std::vector<IValue> items;  // in the order of the file; an item may come twice
  bool frozen = false;
  std::string kind_name() const override { return frozen ? "frozenset" : "set"; }
};

// The name of a function or class.
struct GlobalBox : ObjectBox {
  std::string module, name;
  std::string full() const { return module + "." + name; }
  std::string kind_name() const override { return full(); }
};

// An object that is described, but not built: the function or class that the pickle calls, the arguments, and what the pickle adds afterwards. An
// OrderedDict or Counter of the module collections is such an object too; `pairs` holds its items.
struct NamedObject : ObjectBox {
  Ref<GlobalBox> callable;
  bool is_new = false;  // true: callable.__new__(callable, *args, **kwargs); false: callable(*args)
  IValue args, kwargs;  // a tuple; a dict or None
  std::vector<IValue> items;  // what is appended to the object
  std::vector<std::pair<IValue, IValue>> pairs;  // the items that are set by key
  std::vector<IValue> states;  // what is passed to __setstate__, or put into __dict__
  // "quantized tensor of QInt8 [3, 4]" for a tensor that Monograph lacks, which is not built; else the name of the class.
  std::string kind_name() const override;
};

// A storage of tensors. `storage` is null on the meta device, and if Monograph lacks the dtype.
struct StorageBox : ObjectBox {
  Ref<Storage> storage;
  std::string type_name;  // "FloatStorage"
  DType dtype = DType::u8;
  bool known = true;  // whether `dtype` is the dtype of `type_name`; false for QInt8Storage and other types that Monograph lacks
  bool untyped = false;
  int64_t bytes = 0, elements = 0;
  std::string key, location;  // as the file names them
  Device device;
  bool holds_bools = false;  // some tensor reads it as bools
  std::string kind_name() const override { return "storage"; }
};

// A tensor with attributes that a program set on it.
struct TensorWithState : ObjectBox {
  Tensor tensor;
  IValue state;  // a dict of the attributes
  std::string kind_name() const override { return "Tensor"; }
};

// The object in a value, if it is a Box; else null.
template <class Box>
Box* as(const IValue& v) {
  return v.is_object() ? dynamic_cast<Box*>(v.object()) : nullptr;
}

// The items of a dict, OrderedDict or Counter; null for anything else.
const std::vector<std::pair<IValue, IValue>>* dict_items(const IValue& v);
// Whether a value holds other values.
bool is_container(const IValue& v);
// How many values a container holds; 0 for anything else.
size_t child_count(const IValue& v);
// The k-th of the values that a container holds.
const IValue& child(const IValue& v, size_t k);
// The number of values in a container of at most 8 values that are no containers, itself included; 0 for any other value.
size_t small_leaf_size(const IValue& v);
// Appends pointers to the values that a container holds, in order.
void append_children(const IValue& v, std::vector<const IValue*>& out);
// Destroys the values in a container, which is empty afterwards.
void drop_children(const IValue& v);
// A pointer that two IValues have in common exactly if they are the same container.
const void* identity(const IValue& v);

}  // namespace monograph::pickle
