// What a pickle holds besides plain IValues: bytes, sets, ints of any size, storages, and named objects that nobody has built.
//
// None, bool, int, float, complex, str, list, tuple, dict, tensor, dtype, device and layout are IValues as everywhere. torch.Size is a list of ints
// (IValue::Tag::Ints), which a pickle has no other use for.
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

// An int that needs more than 64 bits: two's complement, the lowest byte first.
struct BigIntBox : ObjectBox {
  std::string bytes;
  std::string kind_name() const override { return "int"; }
};

struct SetBox : ObjectBox {
  std::vector<IValue> items;  // in the order of the file; an item may come twice
  bool frozen = false;
  std::string kind_name() const override { return frozen ? "frozenset" : "set"; }
};

// A function or class, by its name only.
struct GlobalBox : ObjectBox {
  std::string module, name;
  std::string full() const { return module + "." + name; }
  std::string kind_name() const override { return full(); }
};

// An object that is not built: a function or class, what it is called with, and what the pickle adds afterwards.
// collections.OrderedDict and Counter are such objects too; `pairs` holds their items.
struct NamedObject : ObjectBox {
  Ref<GlobalBox> callable;
  bool is_new = false;  // callable.__new__(callable, *args, **kwargs) instead of callable(*args)
  IValue args, kwargs;  // a tuple; a dict or None
  std::vector<IValue> items;  // appended
  std::vector<std::pair<IValue, IValue>> pairs;  // set by key
  std::vector<IValue> states;  // given to __setstate__, or put into __dict__
  std::string kind_name() const override { return callable->full(); }
};

// The memory of tensors. On the meta device, or where the dtype is none of Monograph's, there is no memory.
struct StorageBox : ObjectBox {
  Ref<Storage> storage;
  std::string type_name;  // "FloatStorage"
  DType dtype = DType::u8;
  bool known = true;  // whether `dtype` is what type_name says; false for QInt8Storage and its like
  bool untyped = false;
  int64_t bytes = 0;
  std::string key, location;  // as the file names them
  Device device;
  bool holds_bools = false;  // some tensor reads it as bools
  std::string kind_name() const override { return "storage"; }
};

// A tensor with attributes that a program gave it: `state` is their dict.
struct TensorWithState : ObjectBox {
  Tensor tensor;
  IValue state;
  std::string kind_name() const override { return "Tensor"; }
};

template <class Box>
Box* as(const IValue& v) {
  return v.is_object() ? dynamic_cast<Box*>(v.object()) : nullptr;
}

// The items of a dict, OrderedDict or Counter; null for anything else.
const std::vector<std::pair<IValue, IValue>>* dict_items(const IValue& v);
// Whether a value holds others; what it holds, in order; and taking all of it away.
bool is_container(const IValue& v);
void append_children(const IValue& v, std::vector<const IValue*>& out);
void take_children(const IValue& v, std::vector<IValue>& out);
// Of a container: the same pointer for the same container.
const void* identity(const IValue& v);

}  // namespace monograph::pickle
