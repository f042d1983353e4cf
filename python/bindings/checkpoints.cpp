// torch.save and torch.load: values of pickles as Python objects, and the archive around a pickle that Python wrote.
#include "checkpoints.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <unordered_map>

#include "core/shrunk.h"
#include "dtypes.h"
#include "formats/file.h"
#include "formats/pickle/checkpoint.h"
#include "formats/pickle/rebuild.h"
#include "tensor.h"

namespace monograph::python {
namespace {

using namespace pickle;

PyObject* g_storage_type = nullptr;  // makes a storage's Python object: (its bytes as a tensor, dtype or None where it is untyped)

// A storage as a tensor of its bytes.
Tensor bytes_of(const StorageBox& box) {
  if (!box.storage) return empty({box.bytes}, DType::u8, Device{DeviceType::Meta, -1});
  auto impl = make_ref<TensorImpl>();
  impl->storage = box.storage;
  impl->sizes = Dims{box.bytes}, impl->strides = Dims{int64_t{1}};
  impl->dtype = DType::u8;
  impl->refresh();
  return Tensor(impl);
}

nb::object storage_object(const StorageBox& box) {
  nb::object bytes = wrap(bytes_of(box));
  return check(PyObject_CallFunctionObjArgs(g_storage_type, bytes.ptr(), box.untyped ? Py_None : object_of(box.dtype), nullptr));
}

// Raises what pickle.Unpickler raises for the same file.
template <class F>
PyObject* guard_unpickling(F&& f) noexcept {
  return guard([&]() -> PyObject* {
    try {
      return f();
    } catch (const UnpicklingError& error) {
      nb::object type = nb::module_::import_("pickle").attr("UnpicklingError");
      PyErr_SetString(type.ptr(), error.what());
      return nullptr;
    }
  });
}

// Makes Python's objects of a pickle's values. Classes that the program allowed are built here, by their own code. Unless containers hold each other in a
// circle, each value is destroyed when its object is there, so that both are not in memory as a whole.
class Builder {
 public:
  Builder(nb::handle classes, nb::handle set_state, const Unpickled& from)
      : classes_(classes), set_state_(set_state), destroys_(from.circular.empty()) {}

  nb::object operator()(const IValue& v) {
    switch (v.tag()) {
      case IValue::Tag::None: return nb::none();
      case IValue::Tag::Bool: return nb::borrow(v.to_bool() ? Py_True : Py_False);
      case IValue::Tag::Int: return to_python(v.to_int());
      case IValue::Tag::Float: return check(PyFloat_FromDouble(v.to_double()));
      case IValue::Tag::Complex: return check(PyComplex_FromDoubles(v.to_complex().real(), v.to_complex().imag()));
      case IValue::Tag::Str: return text(v.to_string());
      case IValue::Tag::Dtype: return nb::borrow(object_of(v.to_dtype()));
      case IValue::Tag::Device: return to_python(v.to_device());
      case IValue::Tag::Layout: return nb::borrow(strided_layout());
      case IValue::Tag::MemoryFormat: return nb::borrow(object_of(v.to_memory_format()));
      case IValue::Tag::Tensor: return wrap(v.as_tensor());
      case IValue::Tag::Ints: return to_size(v.to_ints());
      default: return shared(v);
    }
  }

 private:
  static nb::object text(const std::string& s) {
    return check(PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "surrogatepass"));
  }

  // What may stand in several places: the same object in each.
  nb::object shared(const IValue& v) {
    const void* key = identity(v);
    if (const auto found = made_.find(key); found != made_.end()) return found->second;
    nb::object made;
    if (v.is_list()) {
      made = remember(key, check(PyList_New(0)));
      for (IValue& item : v.items()) check(PyList_Append(made.ptr(), (*this)(item).ptr())), destroy(item);
    } else if (v.is_dict()) {
      made = remember(key, check(PyDict_New()));
      for (auto& [k, value] : v.pairs()) {
        check(PyDict_SetItem(made.ptr(), (*this)(k).ptr(), (*this)(value).ptr()));
        destroy(k), destroy(value);
      }
    } else if (v.is_tuple()) {
      made = remember(key, tuple(v));
    } else {
      made = object(v, key);
    }
    if (destroys_) drop_children(v);
    return made;
  }

  nb::object tuple(const IValue& v) {
    nb::object made = check(PyTuple_New(static_cast<Py_ssize_t>(v.items().size())));
    Py_ssize_t k = 0;
    for (IValue& item : v.items()) {
      PyTuple_SET_ITEM(made.ptr(), k++, (*this)(item).release().ptr());
      destroy(item);
    }
    return made;
  }

  // Of large files the freed memory goes back to the system from time to time.
  void destroy(IValue& v) {
    if (!destroys_) return;
    v = IValue();
#ifdef __GLIBC__
    constexpr size_t kMany = 250'000;
    if (++destroyed_ % kMany == 0) malloc_trim(0);
#endif
  }

  nb::object object(const IValue& v, const void* key) {
    if (auto* bytes = as<BytesBox>(v)) {
      const auto size = static_cast<Py_ssize_t>(bytes->value.size());
      return remember(key, check(bytes->is_array ? PyByteArray_FromStringAndSize(bytes->value.data(), size)
                                                 : PyBytes_FromStringAndSize(bytes->value.data(), size)));
    }
    if (auto* number = as<BigIntBox>(v)) {
      nb::bytes raw(number->bytes.data(), number->bytes.size());
      return nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type)).attr("from_bytes")(raw, "little", nb::arg("signed") = true);
    }
    if (auto* set = as<SetBox>(v)) {
      nb::object items = check(PyList_New(0));
      for (const IValue& item : set->items) check(PyList_Append(items.ptr(), (*this)(item).ptr()));
      return remember(key, check(set->frozen ? PyFrozenSet_New(items.ptr()) : PySet_New(items.ptr())));
    }
    if (auto* storage = as<StorageBox>(v)) {
      MONOGRAPH_CHECK(storage->known, NotImplemented, "the file holds a ", storage->type_name, ", which Monograph does not have");
      return remember(key, storage_object(*storage));
    }
    if (auto* tensor = as<TensorWithState>(v)) {
      nb::object made = remember(key, wrap(tensor->tensor));
      nb::object state = (*this)(tensor->state);
      made.attr("__dict__").attr("update")(state);
      return made;
    }
    if (auto* global = as<GlobalBox>(v)) return name(*global);
    auto* named = as<NamedObject>(v);
    MONOGRAPH_ASSERT(named);
    return build(*named, key);
  }

  nb::object build(const NamedObject& object, const void* key) {
    nb::object callable = name(*object.callable), args = (*this)(object.args);
    nb::object kwargs = object.kwargs.is_none() ? nb::object() : (*this)(object.kwargs);
    if (object.is_new) {
      const auto count = PyTuple_GET_SIZE(args.ptr());
      nb::object with_class = check(PyTuple_New(count + 1));
      PyTuple_SET_ITEM(with_class.ptr(), 0, Py_NewRef(callable.ptr()));
      for (Py_ssize_t k = 0; k < count; ++k) PyTuple_SET_ITEM(with_class.ptr(), k + 1, Py_NewRef(PyTuple_GET_ITEM(args.ptr(), k)));
      args = with_class;
    }
    nb::object function = object.is_new ? nb::object(callable.attr("__new__")) : callable;
    nb::object made = remember(key, check(PyObject_Call(function.ptr(), args.ptr(), kwargs.is_valid() ? kwargs.ptr() : nullptr)));
    for (const auto& [k, value] : object.pairs) check(PyObject_SetItem(made.ptr(), (*this)(k).ptr(), (*this)(value).ptr()));
    for (const IValue& state : object.states) {
      nb::object s = (*this)(state);
      check(PyObject_CallFunctionObjArgs(set_state_.ptr(), made.ptr(), s.ptr(), nullptr));
    }
    return made;
  }

  // The class or function of this name: the program's, or one of those that are always allowed.
  nb::object name(const GlobalBox& global) { return nb::object(classes_(to_python(std::string_view(global.full())))); }

  nb::object remember(const void* key, nb::object made) {
    made_.insert_or_assign(key, made);
    return made;
  }

  nb::handle classes_, set_state_;
  const bool destroys_;
  size_t destroyed_ = 0;
  std::unordered_map<const void*, nb::object> made_;
};

struct Source {
  std::string where;
  std::shared_ptr<MappedFile> file;  // null for bytes
  std::span<const std::byte> bytes;
};

// A path, or the bytes of a file.
Source source_of(PyObject* from) {
  if (PyBytes_Check(from))
    return {
        "the file", nullptr, {reinterpret_cast<const std::byte*>(PyBytes_AS_STRING(from)), static_cast<size_t>(PyBytes_GET_SIZE(from))}};
  nb::object name = check(PyOS_FSPath(from));
  Source out;
  out.where = text_of(name.ptr());
  out.file = std::make_shared<MappedFile>(out.where);
  out.bytes = {out.file->data(), out.file->size()};
  return out;
}

// What a Python storage shows; `like` keeps the names of the file.
Ref<StorageBox> replaced(const Ref<StorageBox>& like, PyObject* storage) {
  nb::object bytes = nb::borrow(storage).attr("_bytes");
  MONOGRAPH_CHECK(is_tensor(bytes.ptr()), Type, "map_location: expected a storage or None as its result, but got ", type_name(storage));
  const Tensor& t = tensor_of(bytes.ptr());
  auto box = make_ref<StorageBox>();
  box->storage = t->storage, box->device = t.device(), box->bytes = t.numel();
  box->type_name = like->type_name, box->dtype = like->dtype, box->known = like->known, box->untyped = like->untyped;
  box->key = like->key, box->location = like->location;
  return box;
}

// _load_checkpoint(path or bytes, encoding, in_place, device_of, replace, allowed, classes, set_state): (the object, the bytes that it took, whether the
// file is an archive). device_of(location) answers "cpu" or "meta"; replace(storage, location), or None, a storage or None; allowed(name)
// whether a name is the program's; classes(name) the class or function of a name; set_state(object, state) is BUILD.
PyObject* load(PyObject*, PyObject* args) {
  return guard_unpickling([&]() -> PyObject* {
    PyObject *from, *device_of, *replace, *allowed, *classes, *set_state;
    const char* encoding = nullptr;
    int in_place = 0;
    if (!PyArg_ParseTuple(args, "OspOOOOO", &from, &encoding, &in_place, &device_of, &replace, &allowed, &classes, &set_state)) raise_set();
    const Source source = source_of(from);
    LoadOptions options;
    options.in_place = in_place;
    options.encoding = encoding;
    options.also_allowed = [&](const GlobalBox& global) {
      return truth(nb::handle(allowed)(to_python(std::string_view(global.full()))).ptr());
    };
    options.device_of = [&](const std::string& location) {
      nb::object answer = nb::object(nb::handle(device_of)(to_python(std::string_view(location))));
      return to_device(answer.ptr());
    };
    if (replace != Py_None) {
      options.replace = [&](Ref<StorageBox> box) {
        if (!box->known) return box;
        auto untyped = make_ref<StorageBox>();
        untyped->storage = box->storage, untyped->bytes = box->bytes, untyped->untyped = true;
        nb::object storage = storage_object(*untyped), location = to_python(std::string_view(box->location));
        nb::object made = check(PyObject_CallFunctionObjArgs(replace, storage.ptr(), location.ptr(), nullptr));
        return made.is_none() ? box : replaced(box, made.ptr());
      };
    }
    const Checkpoint file = parse_checkpoint(source.bytes, source.file, source.where, options);
    nb::object value = Builder(classes, set_state, file.content)(file.content.value);
    return nb::make_tuple(value, file.size, file.zip).release().ptr();
  });
}

// _checkpoint_pickle(path or bytes): (the pickle, whether the file is an archive), for those who read it with Python's own unpickler.
PyObject* checkpoint_pickle(PyObject*, PyObject* from) {
  return guard_unpickling([&]() -> PyObject* {
    const Source source = source_of(from);
    const std::string pickle = pickle_of(source.bytes, source.where);
    return nb::make_tuple(nb::bytes(pickle.data(), pickle.size()), is_zip(source.bytes)).release().ptr();
  });
}

// _unsafe_globals(pickle): the names that are not allowed by default.
PyObject* unsafe_globals(PyObject*, PyObject* pickle) {
  return guard_unpickling([&]() -> PyObject* {
    const Source source = source_of(pickle);
    nb::list names;
    for (const std::string& name : unsafe_globals_in(source.bytes, source.where)) names.append(to_python(std::string_view(name)));
    return names.release().ptr();
  });
}

std::vector<std::pair<std::string, std::string>> names_of(PyObject* list) {
  std::vector<std::pair<std::string, std::string>> names;
  for (nb::handle pair : nb::handle(list)) names.emplace_back(text_of(nb::object(pair[0]).ptr()), text_of(nb::object(pair[1]).ptr()));
  return names;
}

// _name_globals(pickle, names): the pickle with names in the places of numbered persistent ids.
PyObject* name_globals(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *pickle = nullptr, *names = nullptr;
    if (!PyArg_ParseTuple(args, "SO", &pickle, &names)) raise_set();
    const std::string made = with_names(source_of(pickle).bytes, names_of(names));
    return nb::bytes(made.data(), made.size()).release().ptr();
  });
}

// _save_checkpoint(path or write, root, pickle, storages): storages are pairs of a key and a tensor of its bytes. write(bytes) takes the file in parts.
PyObject* save(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *to = nullptr, *pickle = nullptr, *list = nullptr;
    const char* root = nullptr;
    if (!PyArg_ParseTuple(args, "OsSO", &to, &root, &pickle, &list)) raise_set();
    std::vector<StorageRecord> storages;
    for (nb::handle pair : nb::handle(list)) {
      const Tensor& t = tensor_of(nb::object(pair[1]).ptr());
      storages.push_back({std::string(text_of(nb::object(pair[0]).ptr())), t.data(), t.data() ? t.nbytes() : 0});
    }
    const std::string_view content(PyBytes_AS_STRING(pickle), static_cast<size_t>(PyBytes_GET_SIZE(pickle)));
    if (!PyCallable_Check(to)) {
      nb::object path = check(PyOS_FSPath(to));
      save_checkpoint(std::string(text_of(path.ptr())), root, content, storages);
      Py_RETURN_NONE;
    }
    const auto write = [&](const void* data, size_t bytes) {
      constexpr size_t kPart = size_t{16} << 20;  // a large storage is not copied at once
      for (size_t at = 0; at < bytes; at += kPart) {
        nb::bytes part(static_cast<const char*>(data) + at, std::min(kPart, bytes - at));
        check(PyObject_CallOneArg(to, part.ptr()));
      }
    };
    save_checkpoint(write, root, content, storages);
    Py_RETURN_NONE;
  });
}

// _write_file(path, parts): bytes and tensors, whose memory is meant, one behind another; the file appears whole or not at all.
PyObject* write_file(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *path = nullptr, *parts = nullptr;
    if (!PyArg_ParseTuple(args, "OO", &path, &parts)) raise_set();
    nb::object name = check(PyOS_FSPath(path));
    AtomicFile file{std::string(text_of(name.ptr()))};
    for (nb::handle part : nb::handle(parts)) {
      if (is_tensor(part.ptr())) file.write(tensor_of(part.ptr()).data(), tensor_of(part.ptr()).nbytes());
      else file.write(PyBytes_AsString(part.ptr()), static_cast<size_t>(PyBytes_Size(part.ptr())));
      if (PyErr_Occurred()) raise_set();
    }
    file.commit();
    Py_RETURN_NONE;
  });
}

// _storage_of(tensor): (what tells its storage from others, the whole storage as a tensor of bytes).
PyObject* storage_of(PyObject*, PyObject* tensor) {
  return guard([&]() -> PyObject* {
    MONOGRAPH_CHECK(is_tensor(tensor), Type, "expected a Tensor, but got ", type_name(tensor));
    const Tensor& t = tensor_of(tensor);
    MONOGRAPH_CHECK(t->kind == TensorImpl::Kind::Dense, Runtime,
                    "the storage of a tensor that is traced is not known; save tensors outside of the capture");
    StorageBox box;
    box.storage = t->storage;
    if (t->storage) {
      box.bytes = static_cast<int64_t>(t->storage->bytes());
    } else if (const Tensor whole(t->base ? t->base : t.ref());
               whole.numel()) {  // on the meta device: what the tensor, or that of which it is a view, would take
      box.bytes = whole->offset + 1;
      for (size_t d = 0; d < whole.sizes().size(); ++d) box.bytes += (whole.sizes()[d] - 1) * whole.strides()[d];
      box.bytes *= element_size(whole.dtype());
    }
    return nb::make_tuple(reinterpret_cast<uintptr_t>(t->storage.get()), wrap(bytes_of(box))).release().ptr();
  });
}

// _storage_resizable(tensor): whether the storage may grow. It may not where another library holds its address.
PyObject* storage_resizable(PyObject*, PyObject* tensor) {
  return guard([&]() -> PyObject* {
    MONOGRAPH_CHECK(is_tensor(tensor), Type, "expected a Tensor, but got ", type_name(tensor));
    const auto& storage = tensor_of(tensor)->storage;
    return PyBool_FromLong(!storage || !storage->exposed());
  });
}

// _resize_storage(tensor, bytes): gives its storage this many bytes.
PyObject* resize_storage(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject* tensor = nullptr;
    long long bytes = 0;
    if (!PyArg_ParseTuple(args, "OL", &tensor, &bytes)) raise_set();
    MONOGRAPH_CHECK(is_tensor(tensor) && tensor_of(tensor)->storage, Type, "expected a tensor with a storage");
    MONOGRAPH_CHECK(bytes >= 0, Runtime, "a storage cannot have ", bytes, " bytes");
    resize_by_program(*tensor_of(tensor)->storage, static_cast<size_t>(bytes));
    Py_RETURN_NONE;
  });
}

// _tensor_over(storage's bytes, dtype, offset, sizes, strides).
PyObject* over(PyObject*, PyObject* args) {
  return guard([&]() -> PyObject* {
    PyObject *bytes, *dtype, *sizes, *strides;
    long long offset = 0;
    if (!PyArg_ParseTuple(args, "OOLOO", &bytes, &dtype, &offset, &sizes, &strides)) raise_set();
    DType t{};
    MONOGRAPH_CHECK(is_tensor(bytes) && to_dtype(dtype, t), Type, "expected a storage's bytes and a dtype");
    StorageBox box;
    box.storage = tensor_of(bytes)->storage, box.bytes = tensor_of(bytes).numel(), box.device = tensor_of(bytes).device();
    nb::object size_list = check(PySequence_List(sizes)), stride_list = check(PySequence_List(strides));
    return wrap(tensor_over(box, t, to_dims(size_list.ptr()), to_dims(stride_list.ptr()), offset)).release().ptr();
  });
}

PyObject* set_storage_type(PyObject*, PyObject* type) {
  g_storage_type = Py_NewRef(type);
  Py_RETURN_NONE;
}

PyMethodDef kFunctions[] = {{"_load_checkpoint", load, METH_VARARGS, nullptr},
                            {"_checkpoint_pickle", checkpoint_pickle, METH_O, nullptr},
                            {"_unsafe_globals", unsafe_globals, METH_O, nullptr},
                            {"_name_globals", name_globals, METH_VARARGS, nullptr},
                            {"_save_checkpoint", save, METH_VARARGS, nullptr},
                            {"_write_file", write_file, METH_VARARGS, nullptr},
                            {"_storage_of", storage_of, METH_O, nullptr},
                            {"_resize_storage", resize_storage, METH_VARARGS, nullptr},
                            {"_storage_resizable", storage_resizable, METH_O, nullptr},
                            {"_tensor_over", over, METH_VARARGS, nullptr},
                            {"_set_storage_type", set_storage_type, METH_O, nullptr},
                            {}};

}  // namespace

void init_checkpoints(PyObject* module) { check(PyModule_AddFunctions(module, kFunctions)); }

}  // namespace monograph::python
