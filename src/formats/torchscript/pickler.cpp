// Writes a value and its parts, depth first. Tensors are written as references to storages, and objects that occur twice are remembered by number.
#include "formats/torchscript/pickler.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "core/quantizer.h"
#include "exec/interpreter.h"
#include "formats/file.h"
#include "formats/pickle/rebuild.h"
#include "formats/pickle/values.h"
#include "ir/builder.h"
#include "ir/text.h"
#include "ir/torchscript_code.h"
#include "ops/objects.h"

namespace monograph::torchscript {

using ir::ArgKind;
using ir::ArgRef;
using ir::Type;
using ir::TypeKind;

const std::string& StorageTable::key(const Ref<Storage>& storage) {
  auto [found, made] = keys_.try_emplace(storage.get(), std::to_string(records_.size()));
  if (made) records_.push_back({storage.get(), storage ? storage->bytes() : 0});
  return found->second;
}

// --- Opcodes.

void Pickler::bytes(uint64_t v, int count) {
  for (int k = 0; k < count; ++k) out_ += static_cast<char>(v >> (8 * k) & 0xff);
}

void Pickler::global(std::string_view module, std::string_view name) { out_ += concat("c", module, "\n", name, "\n"); }

void Pickler::text(std::string_view s) {
  out_ += 'X';
  word(s.size());
  out_ += s;
}

void Pickler::integer(int64_t v) {
  if (v >= 0 && v < 256) return void(out_.append("K") += static_cast<char>(v));
  if (v >= INT32_MIN && v <= INT32_MAX) {
    out_ += 'J';
    return word(static_cast<uint32_t>(static_cast<int32_t>(v)));
  }
  out_ += "\x8a\x08";
  bytes(static_cast<uint64_t>(v), 8);
}

void Pickler::number(double v) {
  out_ += 'G';
  const auto bits = std::bit_cast<uint64_t>(v);
  for (int k = 7; k >= 0; --k) out_ += static_cast<char>(bits >> (8 * k) & 0xff);
}

void Pickler::integers(const std::vector<int64_t>& list) {
  global("torch.jit._pickle", "build_intlist");
  mark();
  out_ += "](";
  for (int64_t v : list) integer(v);
  out_ += 'e';
  end_tuple();
  call();
}

void Pickler::begin_object(const std::string& cls) {
  const size_t dot = cls.rfind('.');
  global(cls.substr(0, dot), cls.substr(dot + 1));
  out_ += ")\x81}(";
}

size_t Pickler::remember() {
  out_ += 'r';
  word(memo_);
  return memo_++;
}

void Pickler::again(size_t number) {
  out_ += 'j';
  word(number);
}

void Pickler::device(Device d) {
  global("torch", "device");
  mark();
  text(to_string(d));
  end_tuple();
  call();
}

// --- Values.

void Pickler::tensor(const Tensor& t, std::string_view what) {
  MONOGRAPH_CHECK(t.device().type == DeviceType::Cpu, NotImplemented, what, ": a tensor of the device ", to_string(t.device()),
                  " has no elements that a file could hold");
  check_not_quantized(t.dtype(), "an archive that Monograph writes");
  if (const auto known = numbers_.find(t.impl()); known != numbers_.end()) return again(known->second);
  global("torch._utils", "_rebuild_tensor_v2");
  mark();
  storage(t->storage, pickle::storage_name(t.dtype()),
          t->storage ? static_cast<int64_t>(t->storage->bytes()) / element_size(t.dtype()) : 0);
  integer(t->storage ? t->offset : 0);
  for (const auto& list : {t.sizes(), t.strides()}) {
    mark();
    for (int64_t n : list) integer(n);
    end_tuple();
  }
  boolean(t.requires_grad());
  global("collections", "OrderedDict");
  out_ += ')';
  call();
  end_tuple();
  call();
  storages_.keep(t);
  numbers_.emplace(t.impl(), remember());
}

// PyTorch reads a storage anew for each reference to it in the file. So tensors share memory there only if the second one refers to the first one's storage.
void Pickler::storage(const Ref<Storage>& data, const std::string& type, int64_t elements) {
  const std::pair<const Storage*, std::string> key(data.get(), type);
  if (const auto known = storage_numbers_.find(key); known != storage_numbers_.end()) return again(known->second);
  mark();
  text("storage");
  global("torch", type);
  text(storages_.key(data));
  text("cpu");
  integer(elements);
  end_tuple();
  out_ += 'Q';
  storage_numbers_.emplace(key, remember());
}

void Pickler::value(ArgRef a, Type type, std::string_view what) {
  if (type.is(TypeKind::Optional) && !a.is(ArgKind::None)) type = type.element();
  switch (a.kind()) {
    case ArgKind::None: return none();
    case ArgKind::Bool: return boolean(a.as_bool());
    case ArgKind::Int: return type.is(TypeKind::Float) ? number(static_cast<double>(a.as_int())) : integer(a.as_int());
    case ArgKind::Float: return number(a.as_float());
    case ArgKind::Str: return text(a.as_str());
    case ArgKind::DType: return integer(static_cast<int>(info(a.as_dtype()).code));
    case ArgKind::MemoryFormat: return integer(static_cast<int>(a.as_memory_format()));
    case ArgKind::Layout: return integer(0);
    case ArgKind::Device: return device(a.as_device());
    case ArgKind::Tensor: return tensor(exec::tensor_of(a.as_tensor().shared_from_this()), what);
    case ArgKind::Tuple: {
      mark();
      size_t k = 0;
      for (ArgRef part : a) {
        value(part, k < type.elements().size() ? type.elements()[k] : Type(), what);
        ++k;
      }
      return end_tuple();
    }
    case ArgKind::List: return list(a, type, what);
    case ArgKind::Dict: return dict(a, type, what);
    default: break;
  }
  std::string shown;
  ir::print_arg(shown, a);
  fail(ErrorKind::NotImplemented, what, ": archives of TorchScript hold no value ", shown);
}

void Pickler::list(ArgRef a, Type type, std::string_view what) {
  const Type element = type.is(TypeKind::List) ? type.element() : a.size() ? ir::type_of(a[0]) : Type(TypeKind::Tensor);
  static constexpr std::pair<TypeKind, const char*> kPlain[] = {{TypeKind::Int, "build_intlist"},
                                                                {TypeKind::Bool, "build_boollist"},
                                                                {TypeKind::Float, "build_doublelist"},
                                                                {TypeKind::Tensor, "build_tensorlist"}};
  const auto* plain = std::ranges::find_if(kPlain, [&](const auto& p) { return element.is(p.first); });
  const bool known = plain != std::end(kPlain);
  global("torch.jit._pickle", known ? plain->second : "restore_type_tag");
  mark();
  out_ += "](";
  for (ArgRef part : a) value(part, element, what);
  out_ += 'e';
  if (!known) text(ir::torchscript_type(Type::list(element)));
  end_tuple();
  call();
}

void Pickler::dict(ArgRef a, Type type, std::string_view what) {
  MONOGRAPH_CHECK(type.is(TypeKind::Dict), NotImplemented, what, ": a dict whose type is not known");
  global("torch.jit._pickle", "restore_type_tag");
  mark();
  out_ += "}(";
  size_t k = 0;
  for (ArgRef part : a) value(part, type.elements()[k++ % 2], what);
  out_ += 'u';
  text(ir::torchscript_type(type));
  end_tuple();
  call();
}

// --- Objects of a program.

void Pickler::value(const IValue& v, Type type, std::string_view what, const ObjectClasses& classes) {
  if (type.is(TypeKind::Optional) && !v.is_none()) type = type.element();
  if (const EnumBox* member = member_of(v)) {
    const std::string cls = classes.name(*member->class_name);
    const size_t dot = cls.rfind('.');
    global(cls.substr(0, dot), cls.substr(dot + 1));
    value(member->value, Type(), what, classes);
    return call();
  }
  if (const InstanceBox* object = instance_of(v)) {
    if (const auto known = numbers_.find(object); known != numbers_.end()) return again(known->second);
    const auto attributes = classes.attributes(*object->class_name);
    begin_object(classes.name(*object->class_name));
    for (const auto& [name, held] : attributes) {
      const IValue* found = const_cast<InstanceBox*>(object)->find(name);
      MONOGRAPH_CHECK(found, Attribute, what, ": the object of ", *object->class_name, " has no attribute ", shown(name), " yet");
      text(name);
      value(*found, held, what, classes);
    }
    end_object();
    return void(numbers_.emplace(object, remember()));
  }
  if (pickle::as<pickle::NamedObject>(v)) return value(v, what, [](const IValue&) { return false; });  // as the file has it
  ir::Args plain;
  if (exec::add_literal(plain, v)) return value(plain[0], type, what);
  if (v.is_tuple()) {
    mark();
    for (size_t k = 0; k < v.items().size(); ++k)
      value(v.items()[k], k < type.elements().size() ? type.elements()[k] : Type(), what, classes);
    return end_tuple();
  }
  const bool list = v.is_list() && type.is(TypeKind::List), dict = v.is_dict() && type.is(TypeKind::Dict);
  MONOGRAPH_CHECK(list || dict, NotImplemented, what, ": archives of TorchScript hold no ", describe(v));
  global("torch.jit._pickle", "restore_type_tag");
  mark();
  out_ += list ? "](" : "}(";
  if (list)
    for (const IValue& item : v.items()) value(item, type.element(), what, classes);
  else
    for (const auto& [key, held] : v.pairs()) value(key, type.elements()[0], what, classes), value(held, type.elements()[1], what, classes);
  out_ += list ? 'e' : 'u';
  ir::TorchScriptCode names;
  names.class_name = classes.name;
  text(ir::torchscript_type(type, names));
  end_tuple();
  call();
}

// --- Values of a file.

void Pickler::value(const IValue& v, std::string_view what, const Written& written) {
  if (written(v)) return;
  switch (v.tag()) {
    case IValue::Tag::None: return none();
    case IValue::Tag::Bool: return boolean(v.to_bool());
    case IValue::Tag::Int: return integer(v.to_int());
    case IValue::Tag::Float: return number(v.to_double());
    case IValue::Tag::Str: return text(v.to_string());
    case IValue::Tag::Device: return device(v.to_device());
    case IValue::Tag::Tensor: return tensor(v.as_tensor(), what);
    case IValue::Tag::Dtype: return integer(static_cast<int>(info(v.to_dtype()).code));
    case IValue::Tag::Complex:
      global("builtins", "complex");
      mark();
      number(v.to_complex().real()), number(v.to_complex().imag());
      end_tuple();
      return call();
    default: break;
  }
  const void* same = pickle::is_container(v) ? pickle::identity(v) : nullptr;
  if (const auto known = numbers_.find(same); same && known != numbers_.end()) return again(known->second);
  container(v, what, written);
  if (same) numbers_.emplace(same, remember());
}

void Pickler::begin_object_with_state(const std::string& cls) {
  const size_t dot = cls.rfind('.');
  global(cls.substr(0, dot), cls.substr(dot + 1));
  out_ += ")\x81";
}

void Pickler::object_with_state(const std::string& cls, const IValue& state, std::string_view what, const Written& written) {
  begin_object_with_state(cls);
  value(state, what, written);
  end_object_with_state();
}

void Pickler::container(const IValue& v, std::string_view what, const Written& written) {
  const auto all = [&](const std::vector<IValue>& items) {
    for (const IValue& item : items) value(item, what, written);
  };
  const auto pairs = [&](const std::vector<std::pair<IValue, IValue>>& items) {
    for (const auto& [key, held] : items) value(key, what, written), value(held, what, written);
  };
  if (v.is_tuple()) return mark(), all(v.items()), end_tuple();
  if (v.is_ints()) {
    out_ += "](";
    for (int64_t n : v.to_ints()) integer(n);
    return void(out_ += 'e');
  }
  if (v.is_list()) return out_ += "](", all(v.items()), void(out_ += 'e');
  if (v.is_dict()) return out_ += "}(", pairs(v.pairs()), void(out_ += 'u');
  if (const auto* box = pickle::as<pickle::StorageBox>(v)) return storage(box->storage, box->type_name, box->elements);
  if (const auto* name = pickle::as<pickle::GlobalBox>(v)) return global(name->module, name->name);
  const auto* object = pickle::as<pickle::NamedObject>(v);
  MONOGRAPH_CHECK(object && object->kwargs.is_none(), NotImplemented, what, ": archives of TorchScript hold no ", describe(v));
  global(object->callable->module, object->callable->name);
  value(object->args, what, written);
  out_ += object->is_new ? '\x81' : 'R';
  if (!object->items.empty()) out_ += '(', all(object->items), out_ += 'e';
  if (!object->pairs.empty()) out_ += '(', pairs(object->pairs), out_ += 'u';
  for (const IValue& state : object->states) value(state, what, written), out_ += 'b';
}

}  // namespace monograph::torchscript
