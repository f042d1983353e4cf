// Tensors from nothing, copies, and conversions.
#include "ops/creation.h"

#include <cmath>

#include "ops/dispatch.h"
#include "ops/pointwise.h"
#include "ops/promotion.h"

namespace monograph {

FactoryOptions factory_options(const IValue* args, size_t at, DType otherwise, Device device) {
  FactoryOptions o{args[at].is_none() ? otherwise : args[at].to_dtype(), args[at + 2].is_none() ? device : args[at + 2].to_device()};
  MONOGRAPH_CHECK(args[at + 3].is_none() || !args[at + 3].to_bool(), NotImplemented,
                  "pin_memory=True needs a GPU, and Monograph runs on the CPU; leave it out");
  return o;
}

Tensor empty_in_format(const Tensor& t, FactoryOptions o, const IValue& format) {
  const MemoryFormat f = format.is_none() ? MemoryFormat::Preserve : format.to_memory_format();
  MONOGRAPH_CHECK(f != MemoryFormat::ChannelsLast3d, NotImplemented, "torch.channels_last_3d is not implemented; use contiguous_format");
  if (f == MemoryFormat::ChannelsLast) return empty_strided(t.sizes(), channels_last_strides(t.sizes()), o.dtype, o.device);
  if (f == MemoryFormat::Contiguous || o.device != t.device()) return empty(t.sizes(), o.dtype, o.device);
  return empty_like(t, o.dtype);
}

void infer_like(InferCall& c) { c.made(c.sizes(0), c.dtype(0)); }

OpBuilder add_like(Registry& r, std::string_view head, EvalFn eval) {
  OpBuilder b = r.op(concat(head,
                            ", *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
                            "MemoryFormat? memory_format=None) -> Tensor")
                         .c_str());
  b.eval(eval).infer(infer_like).function_only().gradient(constant("its result does not depend on the argument's elements"));
  return b;
}

namespace {

void fill(std::string_view op, const Tensor& t, const IValue& number) {
  const IValue value = number_in(op, number, t.dtype());
  if (t.is_meta() || t.numel() == 0) return;
  Tensor one = empty({}, t.dtype());
  dispatch(t.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
      *one.data_as<T>() = T(value.to_complex());
    else if constexpr (std::is_same_v<T, bool>) *one.data_as<T>() = value.to_complex() != 0.0;
    else if constexpr (std::is_integral_v<T>)
      *one.data_as<T>() = static_cast<T>(value.is_float() ? static_cast<int64_t>(value.to_double()) : value.to_int());
    else *one.data_as<T>() = static_cast<T>(value.to_double());
  });
  copy_into(t, one);
}

Tensor filled(std::string_view op, std::span<const int64_t> sizes, const IValue& value, FactoryOptions o) {
  Tensor t = empty(sizes, o.dtype, o.device);
  fill(op, t, value);
  return t;
}

// The number of steps from start to end, as PyTorch counts them.
int64_t arange_length(const IValue& start, const IValue& end, const IValue& step, bool integral) {
  if (integral) {
    int64_t a = start.to_int(), b = end.to_int(), s = step.to_int();
    MONOGRAPH_CHECK(s != 0, Runtime, "[aten::arange] step must be nonzero");
    MONOGRAPH_CHECK(s > 0 ? b >= a : b <= a, Runtime, "[aten::arange] upper bound and lower bound inconsistent with step sign");
    return s > 0 ? (b - a + s - 1) / s : (a - b - s - 1) / -s;
  }
  double a = start.to_double(), b = end.to_double(), s = step.to_double();
  MONOGRAPH_CHECK(s != 0, Runtime, "[aten::arange] step must be nonzero");
  MONOGRAPH_CHECK(std::isfinite(a) && std::isfinite(b), Runtime, "[aten::arange] unsupported range: ", a, " -> ", b);
  MONOGRAPH_CHECK(s > 0 ? b >= a : b <= a, Runtime, "[aten::arange] upper bound and lower bound inconsistent with step sign");
  return static_cast<int64_t>(std::ceil((b - a) / s));
}

Tensor arange(IValue start, IValue end, IValue step, const IValue* args, size_t at) {
  for (IValue* number : {&start, &end, &step}) *number = number_in("aten::arange", *number, DType::f64);
  bool integral = !start.is_float() && !end.is_float() && !step.is_float();
  FactoryOptions o = factory_options(args, at, integral ? DType::i64 : default_dtype());
  if (o.dtype == DType::i64) {  // counted in integers, unlike the narrower dtypes
    for (IValue* number : {&start, &end, &step}) *number = number_in("aten::arange", *number, DType::i64);
    integral = true;
  }
  Tensor t = empty({arange_length(start, end, step, integral)}, o.dtype, o.device);
  if (t.is_meta()) return t;
  dispatch(t.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>> || std::is_same_v<T, bool>) {
      fail(ErrorKind::NotImplemented, "[aten::arange] not implemented for '", info(t.dtype()).scalar_type, "'; use a real dtype");
    } else {
      T* data = t.data_as<T>();
      if constexpr (std::is_integral_v<T>) {
        int64_t a = integral ? start.to_int() : static_cast<int64_t>(start.to_double()),
                s = integral ? step.to_int() : static_cast<int64_t>(step.to_double());
        for (int64_t i = 0; i < t.numel(); ++i) data[i] = static_cast<T>(a + i * s);
      } else {
        double a = start.to_double(), s = step.to_double();
        for (int64_t i = 0; i < t.numel(); ++i) data[i] = static_cast<T>(a + static_cast<double>(i) * s);
      }
    }
  });
  return t;
}

// --- What is known of their results.

void infer_sized(InferCall& c) { c.made(c.size_list(0), default_dtype()); }
void infer_full(InferCall& c) { c.made(c.size_list(0), c.number_dtype(1)); }
void infer_eye(InferCall& c) { c.made(std::vector<Dim>{c.size(0), c.size(0)}, default_dtype()); }
void infer_number(InferCall& c) { c.made(std::vector<Dim>{}, default_dtype()); }
void infer_linspace(InferCall& c) { c.made(std::vector<Dim>{c.size(2)}, default_dtype()); }
void infer_self(InferCall& c) { c.result(c.arg(0).type ? c.arg(0).type : ir::Type(ir::TypeKind::Tensor)); }

// start, end and step are the numbers before the options.
void infer_arange(InferCall& c) {
  auto numbers = static_cast<size_t>(c.op.schema().index_of("dtype"));
  bool integral = true, known = true;
  for (size_t i = 0; i < numbers; ++i) {
    integral = integral && (c.number_dtype(i) == DType::i64 || c.number_dtype(i) == DType::b1);
    known = known && c.number_dtype(i).has_value();
  }
  Dim start = numbers > 1 ? c.size(0) : Dim(SymInt(0)), end = c.size(numbers > 1 ? 1 : 0), step = numbers > 2 ? c.size(2) : Dim(SymInt(1));
  Dim length;
  const Fact& dtype = c.arg(numbers);
  const bool counted = !integral && known && dtype.dtype == DType::i64;  // in integers, as arange does
  if (!integral && known && !dtype.is_none && !dtype.dtype) known = false;
  if (integral && start && end && step && step->is_int() && step->as_int() != 0) {
    SymInt by = *step, rounded = *end - *start + by - SymInt(step->as_int() > 0 ? 1 : -1);
    length = by == SymInt(1) ? *end - *start : floordiv(rounded, by);
  } else if (known && !integral) {
    auto number = [&](size_t i, double otherwise) { return i < numbers ? c.arg(i).number : std::optional(otherwise); };
    auto a = numbers > 1 ? number(0, 0) : std::optional(0.0), b = number(numbers > 1 ? 1 : 0, 0), s = number(2, 1);
    for (auto* number : {&a, &b, &s})
      if (counted && *number) *number = std::trunc(**number);
    if (a && b && s && *s != 0) length = SymInt(static_cast<int64_t>(std::ceil((*b - *a) / *s)));
  }
  c.made(std::vector<Dim>{length}, !known ? std::nullopt : std::optional(integral ? DType::i64 : default_dtype()));
}

// to(other): its dtype and device.
void infer_to_other(InferCall& c) {
  ir::TensorType t;
  t.sizes = c.sizes(0), t.dtype = c.dtype(1), t.device = c.arg(1).tensor.device;
  c.result(t);
}

IValue to(const Tensor& t, DType dtype, Device device, bool copy, const IValue& format) {
  bool same = t.dtype() == dtype && t.device() == device;
  // PyTorch looks at strides only where channels_last is asked for; any other format is that of a copy, should one be made.
  bool laid_out =
      format.is_none() || format.to_memory_format() != MemoryFormat::ChannelsLast || t.is_contiguous(MemoryFormat::ChannelsLast);
  if (same && laid_out && !copy) return t;
  return "_to_copy"_op(t, dtype, nullptr, device, nullptr, false, format);
}

}  // namespace

void creation(Registry& r) {
  auto schema = [&](const char* head) { return concat(head, kFactoryArguments); };
  auto factory = [&](const char* head, EvalFn eval, InferFn infer, const char* onnx, const char* doc) {
    auto b = r.op(schema(head).c_str()).eval(eval).infer(infer).function_only().gradient(constant("it has no tensor argument")).doc(doc);
    onnx ? b.onnx(onnx) : b.onnx(none("made of numbers alone: its value becomes a constant"));
  };
  factory(
      "empty.memory_format(SymInt[] size",
      [](const Operator&, const IValue* a, IValue* out) {
        FactoryOptions o = factory_options(a, 1, default_dtype());
        out[0] = empty(a[0].to_ints(), o.dtype, o.device);
      },
      infer_sized, "out: ConstantOfShape(size) | Expand(Cast(0, to=dtype), size) if given(dtype), device ~ None",
      "A tensor whose elements are not set.");
  factory(
      "zeros(SymInt[] size",
      [](const Operator& op, const IValue* a, IValue* out) {
        out[0] = filled(op.name(), a[0].to_ints(), 0, factory_options(a, 1, default_dtype()));
      },
      infer_sized, "ConstantOfShape(size) | Expand(Cast(0, to=dtype), size) if given(dtype), device ~ None", "Zeros.");
  factory(
      "ones(SymInt[] size",
      [](const Operator& op, const IValue* a, IValue* out) {
        out[0] = filled(op.name(), a[0].to_ints(), 1, factory_options(a, 1, default_dtype()));
      },
      infer_sized, "Expand(1.0, size) | Expand(Cast(1, to=dtype), size) if given(dtype), device ~ None", "Ones.");
  factory(
      "full(SymInt[] size, Scalar fill_value",
      [](const Operator& op, const IValue* a, IValue* out) {
        out[0] = filled(op.name(), a[0].to_ints(), a[1], factory_options(a, 2, number_dtype(a[1])));
      },
      infer_full, "Expand(fill_value, size) | Expand(Cast(fill_value, to=dtype), size) if given(dtype), device ~ None",
      "One number everywhere.");
  factory(
      "eye(SymInt n",
      [](const Operator& op, const IValue* a, IValue* out) {
        Dims n{a[0].to_int(), a[0].to_int()};
        Tensor t = filled(op.name(), n, 0, factory_options(a, 1, default_dtype()));
        fill(op.name(), t.as_strided(Dims{n[0]}, Dims{n[0] + 1}, 0), 1);
        out[0] = t;
      },
      infer_eye, nullptr, "The identity matrix.");
  factory(
      "scalar_tensor(Scalar s",
      [](const Operator& op, const IValue* a, IValue* out) {
        out[0] = filled(op.name(), Dims{}, a[0], factory_options(a, 1, default_dtype()));
      },
      infer_number, "out: Cast(s, to=torch.float32) | Cast(s, to=dtype) if given(dtype), device ~ None", "A 0-d tensor of one number.");
  factory(
      "arange(Scalar end", [](const Operator&, const IValue* a, IValue* out) { out[0] = arange(0, a[0], 1, a, 1); }, infer_arange,
      "Range(0, end, 1) | Cast(Range(0, end, 1), to=dtype) if given(dtype), device ~ None", "0, 1, ... up to `end`.");
  factory(
      "arange.start(Scalar start, Scalar end", [](const Operator&, const IValue* a, IValue* out) { out[0] = arange(a[0], a[1], 1, a, 2); },
      infer_arange, "Range(start, end, 1) | Cast(Range(start, end, 1), to=dtype) if given(dtype), device ~ None",
      "Numbers from `start` to `end`.");
  factory(
      "arange.start_step(Scalar start, Scalar end, Scalar step=1",
      [](const Operator&, const IValue* a, IValue* out) { out[0] = arange(a[0], a[1], a[2], a, 3); }, infer_arange,
      "Range(start, end, step) | Cast(Range(start, end, step), to=dtype) if given(dtype), device ~ None",
      "Numbers from `start` to `end` by `step`.");
  factory(
      "linspace(Scalar start, Scalar end, int steps",
      [](const Operator&, const IValue* a, IValue* out) {
        FactoryOptions o = factory_options(a, 3, default_dtype());
        int64_t n = a[2].to_int();
        MONOGRAPH_CHECK(n >= 0, Runtime, "[aten::linspace] number of steps must be non-negative");
        Tensor t = empty({n}, o.dtype, o.device);
        MONOGRAPH_CHECK(!a[0].is_complex() && !a[1].is_complex(), NotImplemented,
                        "[aten::linspace] complex ends are not implemented; take the parts, and torch.complex of them");
        MONOGRAPH_CHECK(o.dtype != DType::b1, NotImplemented, "[aten::linspace] \"linspace\" not implemented for 'Bool'");
        auto end = [&](size_t k) { return number_in("aten::linspace", a[k], o.dtype); };
        IValue low = end(0), high = end(1);
        if (!t.is_meta())
          dispatch(t.dtype(), [&](auto zero) {
            using T = decltype(zero);
            if constexpr (std::is_convertible_v<double, T> && !std::is_same_v<T, bool>) {
              using C = std::conditional_t<std::is_same_v<T, double> || std::is_integral_v<T>, double, float>;
              // Between integers the ends are integers, those of the dtype.
              auto place = [](const IValue& v) {
                if constexpr (std::is_integral_v<T>) return static_cast<C>(static_cast<T>(v.to_int()));
                else return static_cast<C>(v.to_double());
              };
              C a0 = place(low), b0 = place(high), step = n > 1 ? (b0 - a0) / static_cast<C>(n - 1) : C(0);
          // From the nearer end, so that both ends are exact.
              for (int64_t i = 0; i < n; ++i)
                t.data_as<T>()[i] = static_cast<T>(i < n / 2 ? a0 + step * static_cast<C>(i) : b0 - step * static_cast<C>(n - i - 1));
              if (n == 1) t.data_as<T>()[0] = static_cast<T>(a0);
            } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
              float a0 = static_cast<float>(low.to_double()), b0 = static_cast<float>(high.to_double()),
                    step = n > 1 ? (b0 - a0) / static_cast<float>(n - 1) : 0.0f;
              for (int64_t i = 0; i < n; ++i)
                t.data_as<T>()[i] = T(n == 1      ? a0
                                      : i < n / 2 ? a0 + step * static_cast<float>(i)
                                                  : b0 - step * static_cast<float>(n - i - 1));
            }
          });
        out[0] = t;
      },
      infer_linspace, nullptr, "`steps` numbers from `start` to `end`, both included.");

  auto like = [&](const char* head, const char* onnx, const char* doc, EvalFn eval) { add_like(r, head, eval).onnx(onnx).doc(doc); };
  like("empty_like(Tensor self", "out: CastLike(Expand(Cast(0, to=torch.int64), Shape(self)), self) if memory_format ~ None",
       "Like `self`, with elements that are not set.", [](const Operator&, const IValue* a, IValue* out) {
         FactoryOptions o = factory_options(a, 1, a[0].as_tensor().dtype(), a[0].as_tensor().device());
         out[0] = empty_in_format(a[0].as_tensor(), o, a[5]);
       });
  like("zeros_like(Tensor self", "out: CastLike(Expand(Cast(0, to=torch.int64), Shape(self)), self) if memory_format ~ None",
       "Zeros like `self`.", [](const Operator& op, const IValue* a, IValue* out) {
         FactoryOptions o = factory_options(a, 1, a[0].as_tensor().dtype(), a[0].as_tensor().device());
         Tensor t = empty_in_format(a[0].as_tensor(), o, a[5]);
         fill(op.name(), t, 0);
         out[0] = t;
       });
  like("ones_like(Tensor self", "out: CastLike(Expand(Cast(1, to=torch.int64), Shape(self)), self) if memory_format ~ None",
       "Ones like `self`.", [](const Operator& op, const IValue* a, IValue* out) {
         FactoryOptions o = factory_options(a, 1, a[0].as_tensor().dtype(), a[0].as_tensor().device());
         Tensor t = empty_in_format(a[0].as_tensor(), o, a[5]);
         fill(op.name(), t, 1);
         out[0] = t;
       });
  like("full_like(Tensor self, Scalar fill_value", "out: Expand(CastLike(fill_value, self), Shape(self)) if memory_format ~ None",
       "One number everywhere, like `self`.", [](const Operator& op, const IValue* a, IValue* out) {
         FactoryOptions o = factory_options(a, 2, a[0].as_tensor().dtype(), a[0].as_tensor().device());
         Tensor t = empty_in_format(a[0].as_tensor(), o, a[6]);
         fill(op.name(), t, a[1]);
         out[0] = t;
       });

  r.op("clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor")
      .infer(infer_like)
      .eval([](const Operator&, const IValue* a, IValue* out) {
        const Tensor& t = a[0].as_tensor();
        Tensor copy = empty_in_format(t, {t.dtype(), t.device()}, a[1]);
        copy_into(copy, t);
        out[0] = copy;
      })
      .gradient([](GradCall& c) { c.set(0, c.grad()); })
      .onnx("out: Identity(self) if memory_format ~ None")
      .doc("A copy.");
  r.op("contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)")
      .infer(infer_like)
      .decompose(
          [](const IValue* a) -> IValue {
            MONOGRAPH_CHECK(a[1].to_memory_format() != MemoryFormat::Preserve, Runtime,
                            "preserve memory format is unsupported by the contiguous operator");
            return a[0].to_tensor().is_contiguous(a[1].to_memory_format()) ? IValue(a[0]) : IValue("clone"_op(a[0], a[1]));
          },
          Reads::Strides)
      .method_only()
      .onnx("out: Identity(self) if memory_format ~ None")
      .doc("The tensor itself where its elements lie in order, else a copy that does.");
  r.op("_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool "
       "non_blocking=False, MemoryFormat? memory_format=None) -> Tensor")
      .infer(infer_like)
      .eval([](const Operator&, const IValue* a, IValue* out) {
        const Tensor& t = a[0].as_tensor();
        FactoryOptions o = factory_options(a, 1, t.dtype(), t.device());
        MONOGRAPH_CHECK(!t.is_meta() || o.device.type == DeviceType::Meta, NotImplemented,
                        "[aten::_to_copy] Cannot copy out of meta tensor; no data!");
        Tensor copy = empty_in_format(t, o, a[6]);
        copy_into(copy, t);
        out[0] = copy;
      })
      .gradient([](GradCall& c) { c.set(0, "to"_op(c.grad(), c.dtype(0))); })
      .onnx("out: Cast(self, to=dtype) if given(dtype), device ~ None, memory_format ~ None, layout ~ None")
      .doc("A converted copy.");
  r.op("to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> "
       "Tensor(a)")
      .infer(infer_like)
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue { return to(a[0].to_tensor(), a[1].to_dtype(), a[0].to_tensor().device(), a[3].to_bool(), a[4]); },
          Reads::Strides)
      .onnx("Cast(self, to=dtype) if copy ~ False, memory_format ~ None, non_blocking ~ False")
      .doc("Converted to another dtype; itself where nothing changes.");
  r.op("to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? "
       "memory_format=None) -> Tensor(a)")
      .infer(infer_like)
      .method_only()
      .decompose([](const IValue* a) -> IValue { return to(a[0].to_tensor(), a[2].to_dtype(), a[1].to_device(), a[4].to_bool(), a[5]); },
                 Reads::Strides)
      .onnx("out: Cast(self, to=dtype) if device ~ None, copy ~ False, memory_format ~ None, non_blocking ~ False")
      .doc("Converted to another device and dtype.");
  r.op("to.prim_Device(Tensor(a) self, Device? device, ScalarType? dtype=None, bool non_blocking=False, bool copy=False) -> Tensor(a|b)")
      .infer(infer_like)
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor t = a[0].to_tensor();
            return to(t, a[2].is_none() ? t.dtype() : a[2].to_dtype(), a[1].is_none() ? t.device() : a[1].to_device(), a[4].to_bool(), {});
          },
          Reads::Strides)
      .onnx(none("decomposes to _to_copy, or to nothing"))
      .doc("Moved to another device; itself where nothing changes.");
  r.op("to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool "
       "non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)")
      .infer(infer_like)
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue {
            Tensor t = a[0].to_tensor();
            return to(t, a[1].is_none() ? t.dtype() : a[1].to_dtype(), a[3].is_none() ? t.device() : a[3].to_device(), a[6].to_bool(),
                      a[7]);
          },
          Reads::Strides)
      .onnx(
          "out: Cast(self, to=dtype) if given(dtype), device ~ None, layout ~ None, copy ~ False, memory_format ~ None, non_blocking ~ "
          "False")
      .doc("Converted to what is named; itself where nothing changes.");
  r.op("to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)")
      .crosses_devices()
      .infer(infer_to_other)
      .method_only()
      .decompose(
          [](const IValue* a) -> IValue {
            return to(a[0].to_tensor(), a[1].to_tensor().dtype(), a[1].to_tensor().device(), a[3].to_bool(), a[4]);
          },
          Reads::Strides)
      .onnx("CastLike(self, other) if copy ~ False, memory_format ~ None, non_blocking ~ False")
      .doc("Converted to the dtype and device of `other`.");
  r.op("type_as(Tensor self, Tensor other) -> Tensor")
      .may_return("self")
      .infer(infer_to_other)
      .method_only()
      .decompose([](const IValue* a) -> IValue { return "to"_op(a[0], a[1]); }, Reads::Nothing)
      .onnx("out: CastLike(self, other)")
      .doc("Converted to the dtype of `other`.");

  r.op("copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor")
      .crosses_devices()
      .infer(infer_self)
      .method_only()
      .function_only()  // copy_'s form without effects, as graphs have it
      .eval([](const Operator& op, const IValue* a, IValue* out) {
        const Tensor &self = a[0].as_tensor(), &src = a[1].as_tensor();
        Dims sizes = broadcast_sizes(self.sizes(), src.sizes(), op.name());
        MONOGRAPH_CHECK(sizes == self.sizes(), Runtime, "[", op.name(), "] output with shape ", to_string(self.sizes()),
                        " doesn't match the broadcast shape ", to_string(sizes));
        Tensor copy = empty_like(self, self.dtype());
        copy_into(copy, src);
        out[0] = copy;
      })
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "zeros_like"_op(c.grad()));
        if (c.needs(1)) c.set(1, "to"_op(c.grad(), c.dtype(1)));
      })
      .onnx(none("write expand and to, which are Expand and CastLike"))
      .doc("`src` in the size and dtype of `self`: a copy.");
  r.op("copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)")
      .numbers_as_tensors()
      .crosses_devices()
      .functional("aten::copy")
      .infer(infer_self)
      .method_only()
      .eval([](const Operator& op, const IValue* a, IValue* out) {
        const Tensor &dst = a[0].as_tensor(), &src = a[1].as_tensor();
        dst.check_writable(op.name());
        Dims sizes = broadcast_sizes(dst.sizes(), src.sizes(), op.name());
        MONOGRAPH_CHECK(sizes == dst.sizes(), Runtime, "[", op.name(), "] output with shape ", to_string(dst.sizes()),
                        " doesn't match the broadcast shape ", to_string(sizes));
        dst.check_no_internal_overlap(op.name());
        MONOGRAPH_CHECK(!src.is_meta() || dst.is_meta(), NotImplemented, "[", op.name(), "] Cannot copy out of meta tensor; no data!");
        if (!dst.is_meta()) copy_into(dst, src);
        dst.bump_version();
        out[0] = dst;
      })
      .gradient([](GradCall& c) {
        if (c.needs(0)) c.set(0, "zeros_like"_op(c.grad()));
        if (c.needs(1)) c.set(1, "to"_op(c.grad(), c.dtype(1)));
      })
      .doc("Writes `src` into `self`.");
  r.op("fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)")
      .functional("aten::full_like")
      .infer(infer_self)
      .method_only()
      .eval([](const Operator& op, const IValue* a, IValue* out) {
        a[0].as_tensor().check_writable(op.name());
        fill(op.name(), a[0].as_tensor(), a[1]);
        a[0].as_tensor().bump_version();
        out[0] = a[0];
      })
      .gradient([](GradCall& c) { c.set(0, "zeros_like"_op(c.grad())); })
      .doc("Writes one number everywhere.");
  r.op("zero_(Tensor(a!) self) -> Tensor(a!)")
      .functional("aten::zeros_like")
      .infer(infer_self)
      .method_only()
      .decompose([](const IValue* a) -> IValue { return "fill_"_op(a[0], 0); }, Reads::Nothing)
      .doc("Writes zeros.");
}

}  // namespace monograph
