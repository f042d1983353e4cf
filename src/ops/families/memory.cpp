// Operators that give a tensor other sizes or other memory: resize_, resize_as_ and set_. They change the TensorImpl of the argument itself, so they have no
// kernel, and no graph records them.
#include "ops/dispatch.h"
#include "ops/families/error_kinds.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

Dims strides_in_format(const Dims& sizes, const IValue& format) {
  const MemoryFormat f = format.is_none() ? MemoryFormat::Contiguous : format.to_memory_format();
  MONOGRAPH_CHECK(f == MemoryFormat::Contiguous || (f == MemoryFormat::ChannelsLast && sizes.size() == 4), Runtime,
                  "expected torch.contiguous_format, or torch.channels_last for 4 sizes");
  return f == MemoryFormat::ChannelsLast ? channels_last_strides(sizes) : contiguous_strides(sizes);
}

// How many bytes a storage needs so that a tensor of these sizes, strides and offset fits.
size_t bytes_needed(const Dims& sizes, const Dims& strides, int64_t offset, DType dtype) {
  int64_t last = offset;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return 0;
    int64_t step;
    MONOGRAPH_CHECK(!__builtin_mul_overflow(sizes[d] - 1, strides[d], &step) && !__builtin_add_overflow(last, step, &last), Runtime,
                    "sizes ", to_string(sizes), " need more bytes than a 64-bit integer can count");
  }
  int64_t bytes;
  MONOGRAPH_CHECK(!__builtin_mul_overflow(last + 1, static_cast<int64_t>(element_size(dtype)), &bytes), Runtime, "sizes ", to_string(sizes),
                  " need more bytes than a 64-bit integer can count");
  return static_cast<size_t>(bytes);
}

void grow(Storage& storage, size_t bytes) {
  if (storage.bytes() >= bytes) return;
  MONOGRAPH_CHECK(!storage.exposed(), Runtime,
                  "Trying to resize storage that is not resizable: another library holds its address; clone() the tensor first");
  storage.resize(bytes);
}

// Gives `self` these sizes and strides. Its storage grows where it is too small.
void set_geometry(const Tensor& self, const Dims& sizes, const Dims& strides, int64_t offset) {
  for (int64_t n : sizes) MONOGRAPH_CHECK(n >= 0, Runtime, "Trying to resize tensor with negative dimension ", n, ": ", to_string(sizes));
  self.check_writable("aten::resize_");
  if (self->storage) grow(*self->storage, bytes_needed(sizes, strides, offset, self.dtype()));
  TensorImpl& impl = *self.impl();
  impl.sizes = sizes, impl.strides = strides, impl.offset = offset;
  impl.refresh();
  self.bump_version();
}

void resize(const IValue* args, const Dims& sizes, const IValue& format, IValue* results) {
  const Tensor self = args[0].to_tensor();
  if (sizes != self.sizes() || !format.is_none()) set_geometry(self, sizes, strides_in_format(sizes, format), self->offset);
  results[0] = self;
}

// Makes `self` show this part of the storage of `source`.
void share_storage(const Tensor& self, const Tensor& source, const Dims& sizes, const Dims& strides, int64_t offset) {
  MONOGRAPH_CHECK(self.dtype() == source.dtype(), Runtime, "Could not set tensor of type ", info(source.dtype()).scalar_type,
                  " to a tensor of type ", info(self.dtype()).scalar_type);
  MONOGRAPH_CHECK(self.device() == source.device(), Runtime, "set_: expected a source on the same device");
  MONOGRAPH_CHECK(offset >= 0, Runtime, "Tensor: invalid storage offset ", offset);
  MONOGRAPH_CHECK(sizes.size() == strides.size(), Runtime, "mismatch in length of strides and shape");
  for (int64_t step : strides) MONOGRAPH_CHECK(step >= 0, Runtime, "set_: negative strides are not supported, got ", to_string(strides));
  for (int64_t n : sizes) MONOGRAPH_CHECK(n >= 0, Runtime, "set_: sizes must not be negative, but got ", to_string(sizes));
  if (source->storage) grow(*source->storage, bytes_needed(sizes, strides, offset, source.dtype()));
  TensorImpl& impl = *self.impl();
  impl.storage = source->storage;
  impl.base = {};
  impl.sizes = sizes, impl.strides = strides, impl.offset = offset;
  impl.refresh();
  self.bump_version();
}

}  // namespace

void memory(Registry& r) {
  auto writes = [&](const char* schema, EvalFn f, const char* doc) {
    r.op(schema)
        .rule([](RuleCall& c) { c.argument(0); })
        .eval(f)
        .changes_geometry()
        .storage_only(StorageOnly::Taken)
        .method_only()
        .gradient(none("it gives a tensor other sizes or other memory"))
        .onnx(none("a graph has no tensors that change their sizes"))
        .doc(doc)
        .samples(none("it writes its argument: test_nn_rows.py"));
  };
  writes(
      "resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
      [](const Operator&, const IValue* a, IValue* out) { resize(a, a[1].to_ints(), a[2], out); },
      R"(Gives the tensor this size. The first elements stay, in the order of the memory. New elements are not set.

memory_format: torch.channels_last gives 4 sizes that order in memory. None: the usual order.

>>> x = torch.arange(6)
>>> x.resize_(2, 2))");
  writes(
      "resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor(a!)",
      [](const Operator&, const IValue* a, IValue* out) { resize(a, a[1].as_tensor().sizes(), a[2], out); },
      R"(Gives the tensor the size of another one, as resize_ does.

the_template: The tensor whose size is taken.

>>> x = torch.arange(6)
>>> x.resize_as_(torch.ones(2, 2)))");
  writes(
      "set_(Tensor(a!) self) -> Tensor(a!)",
      [](const Operator&, const IValue* a, IValue* out) {
        const Tensor self = a[0].to_tensor();
        share_storage(self, empty({0}, self.dtype(), self.device()), Dims{0}, Dims{1}, 0);
        out[0] = self;
      },
      R"(Makes the tensor show other memory: that of `source`, or none if there is no `source`. Writes to one of the tensors then change the other.

source: The tensor whose memory is shown, of the same dtype.
storage_offset: The place of the first element in that memory.
stride: The step between elements along each dim, in memory. Empty: those of a contiguous tensor.

>>> x = torch.zeros(2)
>>> x.set_(torch.tensor([5.0, 6.0, 7.0])))");
  writes(
      "set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)",
      [](const Operator&, const IValue* a, IValue* out) {
        const Tensor self = a[0].to_tensor(), source = a[1].to_tensor();
        if (!self.is_same(source)) share_storage(self, source, source.sizes(), source.strides(), source->offset);
        out[0] = self;
      },
      "Makes the tensor show the memory of another one, with its sizes and strides.");
  writes(
      "set_.source_Tensor_storage_offset(Tensor(a!) self, Tensor source, SymInt storage_offset, SymInt[] size, SymInt[] stride=[]) -> "
      "Tensor(a!)",
      [](const Operator&, const IValue* a, IValue* out) {
        const Tensor self = a[0].to_tensor();
        const Dims& sizes = a[3].to_ints();
        const Dims strides = a[4].to_ints().empty() ? contiguous_strides(sizes) : a[4].to_ints();
        share_storage(self, a[1].to_tensor(), sizes, strides, a[2].to_int());
        out[0] = self;
      },
      "Makes the tensor show a part of the memory of another one.");
  r.op("is_set_to(Tensor self, Tensor tensor) -> bool")
      .eval([](const Operator&, const IValue* a, IValue* out) {
        const Tensor &x = a[0].as_tensor(), &y = a[1].as_tensor();
        out[0] = x->storage == y->storage && x->offset == y->offset && x.sizes() == y.sizes() && x.strides() == y.strides();
      })
      .storage_only(StorageOnly::Taken)
      .method_only()
      .gradient(constant("its result is a bool"))
      .onnx(none("ONNX has no memory"))
      .doc("Whether both tensors show the same memory in the same way.")
      .samples(none("it asks for memory: test_nn_rows.py"));
}

}  // namespace monograph
