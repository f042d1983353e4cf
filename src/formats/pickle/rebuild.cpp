// kNames is the allow-list of PyTorch 2.13's weights-only unpickler. call() has a case for each kind of function; each checks its arguments, because a
// damaged or hostile file may pass anything.
#include "formats/pickle/rebuild.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/error.h"
#include "core/quantizer.h"
#include "formats/file.h"

namespace monograph::pickle {
namespace {

constexpr size_t kMaxDims = 64;

// --- names

struct StorageName {
  std::string_view name;
  DType dtype;
};
constexpr StorageName kStorages[] = {
    {"ByteStorage", DType::u8},       {"CharStorage", DType::i8},          {"ShortStorage", DType::i16},
    {"IntStorage", DType::i32},       {"LongStorage", DType::i64},         {"HalfStorage", DType::f16},
    {"FloatStorage", DType::f32},     {"DoubleStorage", DType::f64},       {"BoolStorage", DType::b1},
    {"BFloat16Storage", DType::bf16}, {"ComplexFloatStorage", DType::c64}, {"ComplexDoubleStorage", DType::c128}};
}  // namespace

std::string storage_name(DType dtype) { return concat(info(dtype).scalar_type, "Storage"); }

bool is_script_storage(const GlobalBox& name) { return name.module == "torch" && name.name.ends_with("Storage"); }

namespace {

// Storages whose tensors Monograph does not build. Where an element is whole bytes, the dtype says how many.
struct OtherStorage {
  std::string_view name;
  DType size = DType::u8;
};
constexpr OtherStorage kOtherStorages[] = {
    {"QInt32Storage", DType::i32}, {"QInt8Storage", DType::i8}, {"QUInt2x4Storage"}, {"QUInt4x2Storage"}, {"QUInt8Storage"}};
constexpr std::string_view kTensorClasses[] = {"BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor",
                                               "FloatTensor",    "HalfTensor", "IntTensor",  "LongTensor", "ShortTensor"};
// PyTorch's dtypes that Monograph lacks.
constexpr std::string_view kOtherDTypes[] = {
    "bits16", "bits1x8", "bits2x4", "bits4x2", "bits8", "float4_e2m1fn_x2", "float8_e8m0fnu", "int1",   "int2",  "int3",  "int4",
    "int5",   "int6",    "int7",    "qint32",  "qint8", "quint2x4",         "quint4x2",       "quint8", "uint1", "uint2", "uint3",
    "uint4",  "uint5",   "uint6",   "uint7"};

struct AllowedName {
  std::string_view name;
  Allowed as;
};
constexpr AllowedName kNames[] = {
    {"collections.OrderedDict", Allowed::OrderedDict},
    {"collections.Counter", Allowed::Counter},
    {"torch.nn.parameter.Parameter", Allowed::Parameter},
    {"torch.serialization._get_layout", Allowed::Layout},
    {"torch.Size", Allowed::Size},
    {"torch.Tensor", Allowed::TensorClass},
    {"torch.device", Allowed::Device},
    {"_codecs.encode", Allowed::Encode},
    {"builtins.bytearray", Allowed::ByteArray},
    {"builtins.set", Allowed::Set},
    {"builtins.complex", Allowed::Complex},
    {"torch.storage.TypedStorage", Allowed::StorageType},
    {"torch.storage.UntypedStorage", Allowed::StorageType},
    {"torch._utils._rebuild_tensor", Allowed::Tensor1},
    {"torch._utils._rebuild_tensor_v2", Allowed::Tensor2},
    {"torch._utils._rebuild_tensor_v3", Allowed::Tensor3},
    {"torch._utils._rebuild_parameter", Allowed::RebuildParameter},
    {"torch._utils._rebuild_parameter_with_state", Allowed::RebuildParameterWithState},
    {"torch._utils._rebuild_meta_tensor_no_storage", Allowed::RebuildMeta},
    {"torch._tensor._rebuild_from_type_v2", Allowed::FromType},
    {"torch._utils._rebuild_qtensor", Allowed::Unsupported},
    {"torch._utils._rebuild_sparse_tensor", Allowed::Unsupported},
    {"torch._utils._rebuild_nested_tensor", Allowed::Unsupported},
    {"torch._utils._rebuild_wrapper_subclass", Allowed::Unsupported},
    {"torch._utils._rebuild_device_tensor_from_numpy", Allowed::Unsupported},
    {"torch._utils._rebuild_device_tensor_from_cpu_tensor", Allowed::Unsupported},
    {"torch.per_channel_affine", Allowed::Name},
    {"torch.per_channel_affine_float_qparams", Allowed::Name},
    {"torch.per_channel_symmetric", Allowed::Name},
    {"torch.per_tensor_affine", Allowed::Name},
    {"torch.per_tensor_symmetric", Allowed::Name},
};

std::unordered_map<std::string, Allowed> allowed_names() {
  std::unordered_map<std::string, Allowed> all;
  for (const AllowedName& entry : kNames) all.emplace(entry.name, entry.as);
  for (const StorageName& entry : kStorages)
    for (std::string_view home : {"torch.", "torch.cuda."}) all.emplace(concat(home, entry.name), Allowed::StorageType);
  for (const OtherStorage& entry : kOtherStorages) all.emplace(concat("torch.", entry.name), Allowed::StorageType);
  for (std::string_view name : kTensorClasses) {
    for (std::string_view home : {"torch.", "torch.cuda."}) all.emplace(concat(home, name), Allowed::TensorClass);
    if (name != "BoolTensor")
      for (std::string_view home : {"torch.sparse.", "torch.cuda.sparse."}) all.emplace(concat(home, name), Allowed::TensorClass);
  }
  for (int k = 0; k < kDTypeCount; ++k) all.emplace(concat("torch.", name(static_cast<DType>(k))), Allowed::DTypeName);
  for (std::string_view name : kOtherDTypes) all.emplace(concat("torch.", name), Allowed::DTypeName);
  return all;
}

// --- arguments

const std::vector<IValue>& list_of(const IValue& v, std::string_view what) {
  MONOGRAPH_CHECK(v.is_tuple() || v.is_list(), File, "expected a tuple as ", what, ", but got ", describe(v));
  return v.items();
}
int64_t int_of(const IValue& v, std::string_view what) {
  MONOGRAPH_CHECK(v.is_int(), File, "expected an int as ", what, ", but got ", describe(v));
  return v.to_int();
}
bool bool_of(const IValue& v, std::string_view what) {
  MONOGRAPH_CHECK(v.is_bool() || v.is_int(), File, "expected a bool as ", what, ", but got ", describe(v));
  return v.to_int() != 0;
}
std::string string_of(const IValue& v, std::string_view what) {
  if (auto* bytes = as<BytesBox>(v)) return bytes->value;  // a string of Python 2 that was read with encoding="bytes"
  MONOGRAPH_CHECK(v.is_string(), File, "expected a string as ", what, ", but got ", describe(v));
  return v.to_string();
}
Dims dims_of(const IValue& v, std::string_view what) {
  if (v.is_ints()) return v.to_ints();
  const auto& items = list_of(v, what);
  MONOGRAPH_CHECK(items.size() <= kMaxDims, File, "a tensor of ", items.size(), " dimensions; Monograph reads up to ", kMaxDims);
  Dims dims;
  for (const IValue& item : items) dims.push_back(int_of(item, what));
  return dims;
}
DType dtype_of(const IValue& v) {
  if (v.tag() == IValue::Tag::Dtype) return v.to_dtype();
  auto* name = as<GlobalBox>(v);
  MONOGRAPH_CHECK(!name || allowed(name->full()) != Allowed::DTypeName, NotImplemented, "a tensor of dtype ", name ? name->full() : "",
                  ", which Monograph does not have; in PyTorch, convert it to another dtype and save it again");
  fail(ErrorKind::File, "expected a dtype, but got ", describe(v));
}
StorageBox& storage_of(const IValue& v) {
  auto* storage = as<StorageBox>(v);
  MONOGRAPH_CHECK(storage, File, "expected a storage, but got ", describe(v));
  MONOGRAPH_CHECK(storage->known, NotImplemented, "a tensor over a ", storage->type_name,
                  ", a quantized tensor, which Monograph does not read; in PyTorch, call dequantize() and save it again");
  return *storage;
}
const IValue& argument(const std::vector<IValue>& args, size_t k, size_t least, size_t most, std::string_view function) {
  MONOGRAPH_CHECK(args.size() >= least && args.size() <= most, File, function, " is called with ", args.size(), " arguments; expected ",
                  least, least == most ? "" : concat(" to ", most));
  return args[k];
}
void spend(size_t bytes, size_t& budget) {
  MONOGRAPH_CHECK(bytes <= budget, File, "its calls copy far more than the file holds; it is not a checkpoint");
  budget -= bytes;
}

// --- tensors

struct Layout {
  Dims sizes, strides;
  int64_t offset = 0;
};

// How many elements a storage needs to hold the layout: one more than the index of the last element, 0 for an empty tensor. Error (File) if that, or
// a byte offset computed from it, may not fit in 64 bits. The offset and strides of an empty tensor count too.
int64_t elements_needed(const Layout& layout) {
  int64_t last = layout.offset, count = 1;
  bool empty = false, overflow = false;
  for (size_t k = 0; k < layout.sizes.size(); ++k) {
    const int64_t size = layout.sizes[k], stride = layout.strides[k];
    MONOGRAPH_CHECK(size >= 0 && stride >= 0, File, "a tensor has sizes ", to_string(layout.sizes), " and strides ",
                    to_string(layout.strides), ", and none may be negative");
    empty |= size == 0;
    int64_t step = 0;
    overflow |= size > 0 && (__builtin_mul_overflow(size - 1, stride, &step) || __builtin_add_overflow(last, step, &last));
    overflow |= size > 0 && (__builtin_mul_overflow(count, size, &count) || count > INT64_MAX / 16);
  }
  overflow |= last > INT64_MAX / 16;  // 16 bytes is the largest element
  MONOGRAPH_CHECK(!overflow, File, "a tensor has sizes ", to_string(layout.sizes), ", strides ", to_string(layout.strides), " and offset ",
                  layout.offset, ", which no memory can hold");
  return empty ? 0 : last + 1;
}

Layout layout_of(const IValue& offset, const IValue& sizes, const IValue& strides) {
  Layout layout{dims_of(sizes, "sizes"), dims_of(strides, "strides"), int_of(offset, "an offset")};
  MONOGRAPH_CHECK(layout.sizes.size() == layout.strides.size() && layout.offset >= 0, File, "a tensor has sizes ", to_string(layout.sizes),
                  ", strides ", to_string(layout.strides), " and offset ", layout.offset, ", which do not fit each other");
  return layout;
}

void apply_requires_grad(Tensor& t, bool requires_grad) {
  MONOGRAPH_CHECK(!requires_grad || is_floating(t.dtype()) || is_complex(t.dtype()), File, "a tensor of dtype ", name(t.dtype()),
                  " has requires_grad=True; only floating and complex tensors can");
  t.impl()->requires_grad = requires_grad;
}

Tensor meta_tensor(const Layout& layout, DType dtype) {
  elements_needed(layout);  // for its checks
  return empty_strided(layout.sizes, layout.strides, dtype, Device{DeviceType::Meta, -1});
}

Tensor tensor_over(StorageBox& storage, DType dtype, const Layout& layout) {
  const int64_t elements = elements_needed(layout);
  check_not_quantized(dtype, "a typed storage");
  MONOGRAPH_CHECK(elements <= storage.bytes / element_size(dtype), File, "a tensor of sizes ", to_string(layout.sizes), ", strides ",
                  to_string(layout.strides), " and offset ", layout.offset, " does not lie in its storage of ", storage.bytes, " bytes");
  if (storage.device.type == DeviceType::Meta) return meta_tensor(layout, dtype);
  MONOGRAPH_ASSERT(storage.storage);
  storage.holds_bools |= dtype == DType::b1;
  auto impl = make_ref<TensorImpl>();
  impl->storage = storage.storage;
  impl->sizes = layout.sizes, impl->strides = layout.strides;
  impl->offset = storage.storage->data() ? layout.offset : 0;  // an empty storage has no data pointer to add an offset to
  impl->dtype = dtype;
  impl->refresh();
  return Tensor(impl);
}

// PyTorch may write hooks and marks after a tensor. Monograph's tensors have none, so only empty ones are read.
void check_hooks(const IValue& hooks) {
  const auto* items = dict_items(hooks);
  MONOGRAPH_CHECK(hooks.is_none() || (items && items->empty()), NotImplemented,
                  "a tensor with backward hooks, which Monograph does not read");
}
void check_metadata(const IValue& metadata) {
  if (metadata.is_none()) return;
  const auto* items = dict_items(metadata);
  MONOGRAPH_CHECK(items, File, "expected a dict as the metadata of a tensor, but got ", describe(metadata));
  for (const auto& [key, value] : *items)
    MONOGRAPH_CHECK(value.is_bool() && !value.to_bool(), NotImplemented, "a tensor with the mark ", shown(string_of(key, "a mark")),
                    " (a lazy conjugate or negative), which Monograph does not read; in PyTorch, call resolve_conj() or resolve_neg() and "
                    "save it again");
}

IValue rebuild_tensor(Allowed function, const std::vector<IValue>& args, std::string_view name) {
  const bool is_v3 = function == Allowed::Tensor3;
  const size_t least = function == Allowed::Tensor1 ? 4 : is_v3 ? 7 : 6, most = function == Allowed::Tensor1 ? 4 : least + 1;
  StorageBox& storage = storage_of(argument(args, 0, least, most, name));
  Tensor t = tensor_over(storage, is_v3 ? dtype_of(args[6]) : storage.dtype, layout_of(args[1], args[2], args[3]));
  if (least == 4) return t;
  check_hooks(args[5]);
  if (args.size() == most) check_metadata(args[most - 1]);
  apply_requires_grad(t, bool_of(args[4], "the mark requires_grad"));
  return t;
}

Tensor parameter_of(const IValue& data, bool requires_grad) {
  MONOGRAPH_CHECK(data.is_tensor(), File, "expected a tensor as a parameter's data, but got ", describe(data));
  const Tensor& from = data.as_tensor();
  Tensor made = from.as_strided(from.sizes(), from.strides(), from->offset);
  made.impl()->base = nullptr;
  made.impl()->is_parameter = true;
  apply_requires_grad(made, requires_grad);
  return made;
}

IValue with_state(IValue tensor, const IValue& state) {
  MONOGRAPH_CHECK(tensor.is_tensor(), File, "expected a tensor, but got ", describe(tensor));
  const bool none = state.is_none() || (state.is_dict() && state.pairs().empty());
  if (none) return tensor;
  MONOGRAPH_CHECK(state.is_dict(), NotImplemented, "a tensor with a state that is a ", describe(state), "; expected a dict of attributes");
  auto box = make_ref<TensorWithState>();
  box->tensor = tensor.to_tensor();
  box->state = state;
  return Ref<ObjectBox>(box);
}

IValue from_type(const std::vector<IValue>& args, std::string_view name, size_t& budget) {
  auto* function = as<GlobalBox>(argument(args, 0, 4, 4, name));
  auto* type = as<GlobalBox>(args[1]);
  MONOGRAPH_CHECK(function && type, File, name, " is called with an argument that does not name a function or class");
  const Allowed made_by = allowed(function->full()), of_type = allowed(type->full());
  MONOGRAPH_CHECK(type->full() == "torch.Tensor" || of_type == Allowed::Parameter, NotImplemented, "a tensor of the subclass ",
                  shown(type->full()),
                  ", which Monograph does not read; in PyTorch, convert it with as_subclass(torch.Tensor) and save it again");
  const bool is_tensor =
      made_by == Allowed::Tensor2 || made_by == Allowed::Tensor3 || made_by == Allowed::RebuildParameter || made_by == Allowed::RebuildMeta;
  MONOGRAPH_CHECK(is_tensor, NotImplemented, "a tensor that ", shown(function->full()), " rebuilds, which Monograph does not read");
  return with_state(call(made_by, *function, args[2], budget), args[3]);
}

IValue ordered_dict(const GlobalBox& name, const std::vector<IValue>& args) {
  auto object = make_ref<NamedObject>();
  object->callable = Ref<GlobalBox>(const_cast<GlobalBox*>(&name));
  object->args = IValue::tuple({});
  if (args.empty()) return Ref<ObjectBox>(object);
  const IValue& from = argument(args, 0, 0, 1, name.full());
  if (const auto* items = dict_items(from)) {
    object->pairs = *items;
    return Ref<ObjectBox>(object);
  }
  for (const IValue& item : list_of(from, "the items of a dict")) {
    const auto& pair = list_of(item, "an item of a dict");
    MONOGRAPH_CHECK(pair.size() == 2, File, "an item of a dict has ", pair.size(), " parts; expected a key and a value");
    object->pairs.emplace_back(pair[0], pair[1]);
  }
  return Ref<ObjectBox>(object);
}

// --- other values

IValue bytes_box(std::string bytes, bool is_array) {
  auto box = make_ref<BytesBox>();
  box->value = std::move(bytes);
  box->is_array = is_array;
  return Ref<ObjectBox>(box);
}

// Encodes UTF-8 text as latin1. Error (File) if it has a character above 255.
std::string latin1_of(const std::string& utf8) {
  std::string out;
  for (size_t k = 0; k < utf8.size(); ++k) {
    const auto first = static_cast<uint8_t>(utf8[k]);
    if (first < 0x80) {
      out += utf8[k];
      continue;
    }
    MONOGRAPH_CHECK((first == 0xc2 || first == 0xc3) && k + 1 < utf8.size() && (utf8[k + 1] & 0xc0) == 0x80, File,
                    "bytes that are not written as latin1");
    out += static_cast<char>(first << 6 | (utf8[++k] & 0x3f));
  }
  return out;
}

IValue encode(const std::vector<IValue>& args, std::string_view name, size_t& budget) {
  const IValue& text = argument(args, 0, 1, 2, name);
  const std::string encoding = args.size() == 2 ? string_of(args[1], "an encoding") : "utf-8";
  MONOGRAPH_CHECK(text.is_string(), File, name, " is called with ", describe(text), "; expected a string");
  MONOGRAPH_CHECK(encoding == "latin1" || encoding == "latin-1" || encoding == "utf-8", File, name, " with the encoding ", shown(encoding),
                  "; expected latin1, as pickles write bytes");
  spend(text.to_string().size(), budget);
  return bytes_box(encoding == "utf-8" ? text.to_string() : latin1_of(text.to_string()), false);
}

IValue byte_array(const std::vector<IValue>& args, std::string_view name, size_t& budget) {
  if (args.empty()) return bytes_box("", true);
  const IValue& from = argument(args, 0, 0, 2, name);
  if (args.size() == 2) {
    IValue bytes = encode(args, name, budget);
    as<BytesBox>(bytes)->is_array = true;
    return bytes;
  }
  auto* bytes = as<BytesBox>(from);
  MONOGRAPH_CHECK(bytes, File, name, " is called with ", describe(from), "; expected bytes");
  spend(bytes->value.size(), budget);
  return bytes_box(bytes->value, true);
}

IValue make_set(const std::vector<IValue>& args, std::string_view name, size_t& budget) {
  auto box = make_ref<SetBox>();
  if (!args.empty()) {
    box->items = list_of(argument(args, 0, 0, 1, name), "the items of a set");
    spend(box->items.size() * sizeof(IValue), budget);
  }
  return Ref<ObjectBox>(box);
}

IValue make_device(const std::vector<IValue>& args, std::string_view name) {
  Device device;
  std::string text = string_of(argument(args, 0, 1, 2, name), "a device");
  if (args.size() == 2) text += concat(":", int_of(args[1], "the index of a device"));
  MONOGRAPH_CHECK(parse_device(text, device), NotImplemented, "the device ", shown(text), ", which Monograph does not have");
  return device;
}

IValue make_layout(const std::vector<IValue>& args, std::string_view name) {
  const std::string text = string_of(argument(args, 0, 1, 1, name), "a layout");
  MONOGRAPH_CHECK(text == "torch.strided", NotImplemented, "the layout ", shown(text), " of sparse tensors, which Monograph does not have");
  return IValue::layout();
}

std::string_view kind_of_unsupported(std::string_view name) {
  if (name.ends_with("_rebuild_sparse_tensor")) return "sparse tensor";
  if (name.ends_with("_rebuild_qtensor")) return "quantized tensor";
  if (name.ends_with("_rebuild_nested_tensor")) return "nested tensor";
  if (name.ends_with("_rebuild_wrapper_subclass")) return "tensor of a subclass";
  return "tensor of another device";
}

}  // namespace

Allowed allowed(std::string_view full_name) {
  static const std::unordered_map<std::string, Allowed> names = allowed_names();
  const auto found = names.find(std::string(full_name));
  return found == names.end() ? Allowed::No : found->second;
}

std::string NamedObject::kind_name() const {
  std::string full = callable->full();
  const Allowed k = allowed(full);
  if (k != Allowed::Unsupported && k != Allowed::Tensor1 && k != Allowed::Tensor2 && k != Allowed::Tensor3) return full;
  std::string text(k == Allowed::Unsupported ? kind_of_unsupported(full) : "tensor");
  const std::vector<IValue> parts = args.is_tuple() ? args.items() : std::vector<IValue>();
  if (const auto* storage = parts.empty() ? nullptr : as<StorageBox>(parts[0]))
    text += concat(" of ", storage->type_name.substr(0, storage->type_name.rfind("Storage")));
  const auto is_size = [](const IValue& v) { return v.is_int(); };
  if (parts.size() > 2 && parts[2].is_tuple() && parts[2].items().size() <= kMaxDims && std::ranges::all_of(parts[2].items(), is_size)) {
    Dims sizes;
    for (const IValue& n : parts[2].items()) sizes.push_back(n.to_int());
    text += concat(" ", to_string(sizes));
  }
  return text;
}

IValue value_of(Allowed k, const Ref<GlobalBox>& global) {
  DType dtype{};
  if (k == Allowed::DTypeName && parse_dtype(global->name, dtype)) return dtype;
  return Ref<ObjectBox>(global);
}

IValue call(Allowed function, const GlobalBox& global, const IValue& arguments, size_t& budget) {
  const std::vector<IValue>& args = list_of(arguments, "arguments");
  const std::string name = global.full();
  switch (function) {
    case Allowed::Tensor1:
    case Allowed::Tensor2:
    case Allowed::Tensor3: return rebuild_tensor(function, args, name);
    case Allowed::Parameter:
      return parameter_of(argument(args, 0, 1, 2, name), args.size() < 2 || bool_of(args[1], "the mark requires_grad"));
    case Allowed::RebuildParameter: {
      const bool requires_grad = bool_of(argument(args, 1, 3, 3, name), "the mark requires_grad");
      check_hooks(args[2]);
      return parameter_of(args[0], requires_grad);
    }
    case Allowed::RebuildParameterWithState: {
      const bool requires_grad = bool_of(argument(args, 1, 4, 4, name), "the mark requires_grad");
      check_hooks(args[2]);
      return with_state(parameter_of(args[0], requires_grad), args[3]);
    }
    case Allowed::RebuildMeta: {
      Tensor t = meta_tensor(layout_of(int64_t{0}, argument(args, 1, 4, 4, name), args[2]), dtype_of(args[0]));
      apply_requires_grad(t, bool_of(args[3], "the mark requires_grad"));
      return t;
    }
    case Allowed::FromType: return from_type(args, name, budget);
    case Allowed::OrderedDict:
    case Allowed::Counter: {
      IValue made = ordered_dict(global, args);
      spend(dict_items(made)->size() * 2 * sizeof(IValue), budget);
      return made;
    }
    case Allowed::Size: return dims_of(argument(args, 0, 1, 1, name), "sizes");
    case Allowed::Device: return make_device(args, name);
    case Allowed::Layout: return make_layout(args, name);
    case Allowed::Encode: return encode(args, name, budget);
    case Allowed::ByteArray: return byte_array(args, name, budget);
    case Allowed::Set: return make_set(args, name, budget);
    case Allowed::Complex: {
      const IValue& real = argument(args, 0, 2, 2, name);
      MONOGRAPH_CHECK((real.is_float() || real.is_int()) && (args[1].is_float() || args[1].is_int()), File, name, " is called with ",
                      describe(real), " and ", describe(args[1]), "; expected two floats");
      return std::complex<double>(real.to_double(), args[1].to_double());
    }
    case Allowed::Unsupported:
      fail(ErrorKind::NotImplemented, "a ", kind_of_unsupported(name), " (", name,
           "), which Monograph does not read; in PyTorch, convert it to a dense tensor and save it again");
    default: fail(ErrorKind::NotImplemented, "a call of ", name, ", which Monograph does not read");
  }
}

Tensor tensor_over(StorageBox& storage, DType dtype, const Dims& sizes, const Dims& strides, int64_t offset) {
  MONOGRAPH_CHECK(sizes.size() == strides.size() && sizes.size() <= kMaxDims && offset >= 0, File, "a tensor has sizes ", to_string(sizes),
                  ", strides ", to_string(strides), " and offset ", offset, ", which do not fit each other");
  return tensor_over(storage, dtype, Layout{sizes, strides, offset});
}

Ref<StorageBox> wanted_storage(const IValue& id) {
  MONOGRAPH_CHECK(id.is_tuple() && !id.items().empty(), File, "expected a tuple as a persistent id, but got ", describe(id));
  const std::vector<IValue>& parts = id.items();
  const std::string kind = string_of(parts[0], "the kind of a persistent id");
  MONOGRAPH_CHECK(kind == "storage", File, "Only persistent_load of storage is allowed, but got ", shown(kind));
  MONOGRAPH_CHECK(parts.size() == 5 || parts.size() == 6, File, "the persistent id of a storage has ", parts.size(),
                  " parts; expected 5 or 6");
  auto* type = as<GlobalBox>(parts[1]);
  MONOGRAPH_CHECK(type && (allowed(type->full()) == Allowed::StorageType || is_script_storage(*type)), File,
                  "expected the type of a storage, but got ", describe(parts[1]));
  auto out = make_ref<StorageBox>();
  out->type_name = type->name;
  out->untyped = type->name == "UntypedStorage";
  out->known = out->untyped;
  for (int k = 0; k < kPlainDTypeCount && !out->known; ++k)
    if (const auto dtype = static_cast<DType>(k); storage_name(dtype) == type->name) out->dtype = dtype, out->known = true;
  const auto* other = std::ranges::find(kOtherStorages, std::string_view(type->name), &OtherStorage::name);
  if (other != std::end(kOtherStorages)) out->dtype = other->size;
  out->key = parts[2].is_int() ? concat(parts[2].to_int()) : string_of(parts[2], "the key of a storage");
  out->location = string_of(parts[3], "the location of a storage");
  const int64_t count = out->elements = int_of(parts[4], "the size of a storage");
  MONOGRAPH_CHECK(count >= 0 && !__builtin_mul_overflow(count, element_size(out->dtype), &out->bytes), File, "a storage of ", count,
                  " elements");
  return out;
}

}  // namespace monograph::pickle
