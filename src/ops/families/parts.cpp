// Complex numbers and their parts. real, imag, view_as_real, view_as_complex and view(dtype) show the same memory as another dtype: the rule states
// sizes, strides and offset. complex, polar, conj and angle compute new elements.
#include <numbers>

#include "kernels/complex_parts.h"
#include "ops/dispatch.h"
#include "ops/families/error_kinds.h"
#include "ops/pointwise.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

constexpr const char* kNoOnnx = "ONNX has no operators on complex numbers";

bool known_complex(std::optional<DType> t) { return t && is_complex(*t); }
std::optional<DType> real_of(std::optional<DType> t) { return t ? std::optional(real_type(*t)) : t; }
std::optional<DType> complex_of(std::optional<DType> t) { return t ? std::optional(*t == DType::f64 ? DType::c128 : DType::c64) : t; }

void view_as_real_gradient(GradCall& c) {
  // An empty gradient may have strides that view_as_complex rejects.
  const bool empty = c.grad()->kind == TensorImpl::Kind::Dense && c.grad().numel() == 0;
  c.set(0, empty ? "zeros"_op(c.sizes(0), c.dtype(0)) : Tensor("view_as_complex"_op("contiguous"_op(c.grad()))));
}
void view_as_complex_gradient(GradCall& c) { c.set(0, "view_as_real"_op("contiguous"_op(c.grad()))); }
void conjugate_gradient(GradCall& c) { c.set(0, "conj"_op(c.grad())); }

// A step perpendicular to z turns its angle by 1 / |z| times the length of the step. A real number's angle has no slope.
void angle_gradient(GradCall& c) {
  if (!is_complex(c.dtype(0))) return c.set(0, "zeros_like"_op(c.grad()));
  const Tensor z = c.arg(0), size = "abs"_op(z);
  const Tensor across = "mul"_op("div"_op(z, "mul"_op(size, size)), std::complex<double>(0, 1));
  c.set(0, "masked_fill"_op("mul"_op(across, c.grad()), "eq"_op(z, 0), 0.0));
}

Dims doubled(const Dims& strides) {
  Dims out = strides;
  for (int64_t& s : out) s *= 2;
  return out;
}

// Half of each stride but the last, which falls away.
Dims halved(Dims strides) {
  strides.erase(strides.size() - 1);
  for (int64_t& s : strides) s /= 2;
  return strides;
}

// States a view of the memory of argument 0. A graph knows no strides, so there the rules below state a tensor of the same sizes.
void show(RuleCall& c, Sizes sizes, Dims strides, int64_t offset, std::optional<DType> dtype) {
  View v;
  v.sizes = std::move(sizes), v.strides = SizesRef(strides), v.offset = offset;
  c.view(std::move(v), dtype);
}

// kPart: 0 for the real part, 1 for the imaginary part.
template <int64_t kPart>
void part_rule(RuleCall& c) {
  c.check(kPart == 0 || !c.dtype(0) || known_complex(c.dtype(0)), Runtime, "imag is not implemented for tensors with non-complex dtypes.");
  c.result(c.sizes(0), real_of(c.dtype(0)));
  c.leave_to_decomposition();
}
// As in PyTorch, the real part of a real tensor is that tensor itself.
template <int64_t kPart>
IValue part_of(const IValue* a) {
  return is_complex(a[0].as_tensor().dtype()) ? IValue("select"_op("view_as_real"_op(a[0]), -1, kPart)) : a[0];
}

void view_as_real_rule(RuleCall& c) {
  c.check(!c.dtype(0) || known_complex(c.dtype(0)), Runtime, "view_as_real is only supported for complex tensors");
  Sizes sizes = c.sizes(0);
  if (sizes.ranked()) sizes.push_back(2);
  if (!c.eager()) return c.result(sizes, real_of(c.dtype(0)));
  const Tensor& t = c.value(0).as_tensor();
  Dims strides = doubled(t.strides());
  strides.push_back(1);
  show(c, std::move(sizes), std::move(strides), 2 * t->offset, real_type(t.dtype()));
}

void view_as_complex_rule(RuleCall& c) {
  auto t = c.dtype(0);
  c.check(!t || *t == DType::f32 || *t == DType::f64, Runtime,
          "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: ", scalar_type(t));
  Sizes sizes = c.sizes(0);
  if (sizes.ranked()) {
    c.check(!sizes.empty(), Runtime, "Input tensor must have one or more dimensions");
    c.check(sizes.back() == 2, Runtime, "Tensor must have a last dimension of size 2");
    sizes.erase(sizes.size() - 1);
  }
  if (!c.eager()) return c.result(sizes, complex_of(t));
  const Tensor& x = c.value(0).as_tensor();
  c.check(x.strides().back() == 1, Runtime, "Tensor must have a last dimension with stride 1");
  for (size_t d = 0; d + 1 < x.strides().size(); ++d)
    c.check(x.strides()[d] % 2 == 0, Runtime, "Tensor must have a stride divisible by 2 for all but last dimension");
  c.check(x->offset % 2 == 0, Runtime, "Tensor must have a storage_offset divisible by 2");
  show(c, std::move(sizes), halved(x.strides()), x->offset / 2, complex_of(t));
}

// The same bytes hold more elements of a narrower dtype, fewer of a wider one: the last dim changes its size.
void view_dtype_rule(RuleCall& c) {
  const auto from = c.dtype(0), to = c.dtype_or(1, std::nullopt);
  Sizes sizes = c.sizes(0);
  if (!from || !to || !sizes.ranked()) return c.result({}, to);
  const int64_t old_bytes = element_size(*from), new_bytes = element_size(*to), more = std::max<int64_t>(old_bytes / new_bytes, 1),
                fewer = std::max<int64_t>(new_bytes / old_bytes, 1);
  auto check = [&](Truth holds, const auto&... words) {
    c.check(holds, Runtime, words..., " to view ", scalar_type(from), " as ", scalar_type(to), " (different element sizes)");
  };
  if (old_bytes != new_bytes) {
    check(Truth::of(!sizes.empty()), "self.dim() cannot be 0");
    const size_t last = sizes.size() - 1;
    check(mod(sizes[last], fewer) == 0, "self.size(-1), which is ", sizes[last], ", must be divisible by ", fewer);
    sizes.set(last, floordiv(sizes[last] * more, fewer));
  }
  if (!c.eager()) return c.result(sizes, to);
  const Tensor& x = c.value(0).as_tensor();
  Dims strides = x.strides();
  if (old_bytes != new_bytes) {
    check(x->offset % fewer == 0, "self.storage_offset(), which is ", x->offset, ", must be divisible by ", fewer);
    check(strides.back() == 1, "self.stride(-1), which is ", strides.back(), ", must be 1");
    for (size_t d = 0; d + 1 < strides.size(); ++d) {
      check(strides[d] % fewer == 0, "self.stride(", d, "), which is ", strides[d], ", must be divisible by ", fewer);
      strides[d] = strides[d] * more / fewer;
    }
  }
  show(c, std::move(sizes), std::move(strides), x->offset * old_bytes / new_bytes, to);
}

void view_parts(Registry& r) {
  struct PartRow {
    const char* schema;
    RuleFn rule;
    GradFn gradient;
    const char *doc, *samples;
    Autocast autocast = Autocast::None;
  };
  constexpr const char* kComplexSamples =
      "[[t(d, 2, 3)] for d in (c64, c128)] + [[v] for v in (t(c64, 3, 2).t(), t(c64, 6)[1::2], t(c64), t(c64, 0), t(f32, 3))]";
  for (const PartRow& row :
       {PartRow{"view_as_real(Tensor(a) self) -> Tensor(a)", view_as_real_rule, view_as_real_gradient,
                "A view with a last dim of two: the real and the imaginary parts.", kComplexSamples},
        PartRow{"view_as_complex(Tensor(a) self) -> Tensor(a)", view_as_complex_rule, view_as_complex_gradient,
                "A view that shows the pairs along the last dim as complex numbers.",
                "[[t(d, *s, 2)] for d in (f32, f64) for s in ((), (3,), (2, 3), (0,))] + [[t(f32, 3, 4, 2).transpose(0, 1)], [t(f32, 2, "
                "3)], [t(i64, 2)], "
                "[t(f32)], [t(f32, 2, 3).t()], [t(f32, 2, 3)[:, :2]]]",
                Autocast::Float32}})
    r.op(row.schema)
        .rule(row.rule)
        .function_only()
        .gradient(row.gradient)
        .onnx(none(kNoOnnx))
        .autocast(row.autocast)
        .doc(row.doc)
        .samples(row.samples)
        .special(Special::LayoutMatters, "it shows memory as another dtype");
  auto part = [&](const char* schema, const char* name, RuleFn rule, DecomposeFn decompose, const char* doc) {
    return r.op(schema)
        .rule(rule)
        .decompose(decompose, Reads::Nothing)
        .function_only()
        .onnx(none(kNoOnnx))
        .doc(doc)
        .samples(kComplexSamples)
        .attribute(name)
        .special(Special::LayoutMatters, "it shows memory as another dtype");
  };
  part("real(Tensor(a) self) -> Tensor(a)", "real", part_rule<0>, part_of<0>, "A view of the real parts. A real tensor gives itself.")
      .may_return("self");
  part("imag(Tensor(a) self) -> Tensor(a)", "imag", part_rule<1>, part_of<1>, "A view of the imaginary parts.");
  auto view_copy = [&](const char* schema, DecomposeFn decompose, const char* doc, const char* samples) {
    return r.op(schema).decompose(decompose, Reads::Nothing).function_only().out().onnx(none(kNoOnnx)).doc(doc).samples(samples);
  };
  view_copy(
      "view_as_real_copy(Tensor self) -> Tensor",
      [](const IValue* a) -> IValue { return "clone"_op("view_as_real"_op(a[0]), MemoryFormat::Contiguous); },
      "A copy with a last dim of two: the real and the imaginary parts.", kComplexSamples);
  view_copy(
      "view_as_complex_copy(Tensor self) -> Tensor",
      [](const IValue* a) -> IValue { return "clone"_op("view_as_complex"_op(a[0]), MemoryFormat::Contiguous); },
      "A copy of pairs along the last dim as complex numbers.",
      "[[t(d, *s, 2)] for d in (f32, f64) for s in ((), (3,), (2, 3), (0,))] + [[t(f32, 2, 3)], [t(i64, 2)], [t(f32)]]")
      .special(Special::LayoutMatters, "it shows memory as another dtype");
  view_copy(
      "view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor",
      [](const IValue* a) -> IValue { return "clone"_op("view"_op(a[0], a[1]), MemoryFormat::Contiguous); },
      "A copy of the bits of the elements as elements of another dtype.",
      "[[t(d, 2, 4), e] for d, e in ((f32, i32), (i32, f32), (u8, i32), (i64, i16), (f32, c64))] + [[t(f32, 3), f64], [t(f32), i16]]")
      .special(Special::LayoutMatters, "it shows memory as another dtype");
  r.op("view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)")
      .rule(view_dtype_rule)
      .storage_only(StorageOnly::Taken)
      .method_only()
      .gradient(constant("the bits of a number are no function with a slope, as in PyTorch"))
      .onnx(none("the versions of ONNX that are written have no operator that keeps the bits"))
      .doc(
          "The same memory as elements of another dtype. If these have another size, the last dim is longer or shorter, and its elements "
          "must lie side by side.\n\ndtype: The dtype that the memory is read as.")
      .samples(
          R"([[t(d, 2, 4), e] for d, e in ((f32, i32), (i32, f32), (f32, u8), (u8, i32), (i64, i16), (f64, f32), (f32, c64), (c64, f32), (f32, f32))]
                 + [[t(f32, 4, 2).t(), i32], [t(u8, 3, 8)[:, 4:], i32], [t(f32), i32], [t(f32, 0), u8], [t(f32), u8], [t(u8, 2, 3), i32],
                    [t(f32, 4, 2).t(), u8], [t(u8, 3, 6)[:, :4], i32], [t(u8, 9)[1:], i64]])")
      .special(Special::LayoutMatters, "it shows memory as another dtype");
}

void complex_rule(RuleCall& c) {
  auto re = c.dtype(0), im = c.dtype(1);
  c.check((!re || *re == DType::f32 || *re == DType::f64) && (!im || *im == DType::f32 || *im == DType::f64), Runtime,
          "Expected both inputs to be Half, Float or Double tensors but got ", scalar_type(re), " and ", scalar_type(im));
  c.check(!re || !im || *re == *im, Runtime, "Expected object of scalar type ", scalar_type(re), " but got scalar type ", scalar_type(im),
          " for second argument");
  c.result(broadcast(c.sizes(0), c.sizes(1), c.op.name()), complex_of(re));
}

// As in PyTorch, the gradient of `abs` is multiplied by the sign of `abs`.
void polar_gradient(GradCall& c) {
  const Tensor pair = "view_as_real"_op("contiguous"_op(c.grad()));
  const Tensor re = "select"_op(pair, -1, 0), im = "select"_op(pair, -1, 1), cosine = "cos"_op(c.value(1)), sine = "sin"_op(c.value(1));
  if (c.needs(0)) c.set(0, "mul"_op("add"_op("mul"_op(re, cosine), "mul"_op(im, sine)), "sign"_op(c.value(0))));
  if (c.needs(1)) c.set(1, "mul"_op("sub"_op("mul"_op(im, cosine), "mul"_op(re, sine)), c.value(0)));
}

IValue complex_of_parts(const Tensor& re, const Tensor& im) {
  const Tensor pair = "stack"_op("broadcast_tensors"_op(IValue::list({re, im})), -1);
  return "view_as_complex"_op(pair);
}

}  // namespace

void parts(Registry& r) {
  view_parts(r);
  r.op("complex(Tensor real, Tensor imag) -> Tensor")
      .rule(complex_rule)
      .kernel(complex_kernel)
      .decompose([](const IValue* a) -> IValue { return complex_of_parts(a[0].to_tensor(), a[1].to_tensor()); }, Reads::Nothing)
      .out()
      .onnx(none(kNoOnnx))
      .doc("Complex numbers with these real and imaginary parts.")
      .samples(
          "[[t(d, 2, 3), t(d, 3)] for d in (f32, f64)] + [[t(f32), t(f32)], [t(f32, 2), t(f64, 2)], [t(i64, 2), t(i64, 2)], [t(f32, 2), "
          "t(f32, 3)]]");
  r.op("polar(Tensor abs, Tensor angle) -> Tensor")
      .rule(complex_rule)
      .decompose([](const IValue* a) -> IValue { return "complex"_op("mul"_op(a[0], "cos"_op(a[1])), "mul"_op(a[0], "sin"_op(a[1]))); },
                 Reads::Nothing)
      .gradient(polar_gradient)
      .out()
      .onnx(none(kNoOnnx))
      .autocast(Autocast::Float32)
      .doc("Complex numbers with these absolute values and angles.")
      .samples("[[t(d, 2, 3), t(d, 3)] for d in (f32, f64)] + [[t(f32), t(f32)], [t(f32, 2), t(f64, 2)], [t(i64, 2), t(i64, 2)]]");
  r.pointwise("_conj_physical(Tensor self) -> Tensor",
              [](auto x) {
                if constexpr (std::is_same_v<decltype(x), Num>) return x;
                else return Complex{x.re, -x.im};
              })
      .dtypes(kComplex)
      .function_only()
      .gradient(conjugate_gradient)
      .decompose(none("the parts are no tensors of their own"))
      .onnx(none(kNoOnnx))
      .doc("The complex conjugate.")
      .samples("[[t(d, 2, 3)] for d in (c64, c128)]");
  auto conjugate = [&](const char* schema, const char* doc) {
    return r.op(schema)
        .may_return("self")
        .decompose(
            [](const IValue* a) -> IValue { return is_complex(a[0].as_tensor().dtype()) ? IValue("_conj_physical"_op(a[0])) : a[0]; },
            Reads::Nothing)
        .onnx(none(kNoOnnx))
        .doc(doc)
        .samples("[[t(d, 2, 3)] for d in (c64, c128, f32, i64, b1)] + [[t(c64, 3, 2).t()], [t(c64, 0)]]");
  };
  conjugate("conj_physical(Tensor self) -> Tensor", "The complex conjugate; real numbers are their own.").inplace().out();
  conjugate("conj(Tensor(a) self) -> Tensor(a)", "The complex conjugate; real numbers are their own. It is computed at once.")
      .alias({"_conj"});
  for (const char* schema : {"resolve_conj(Tensor(a) self) -> Tensor(a)", "resolve_neg(Tensor(a) self) -> Tensor(a)"})
    r.op(schema)
        .may_return("self")
        .decompose([](const IValue* a) -> IValue { return a[0]; }, Reads::Nothing)
        .onnx("out: Identity(self)")
        .doc("The tensor itself: conjugates and negatives are computed at once.")
        .samples("[[t(d, 2)] for d in (c64, f32)]");
  r.pointwise("angle(Tensor self) -> Tensor",
              [](auto x) {
                if constexpr (std::is_same_v<decltype(x), Num>) {
                  const Num turned = where(x < 0.0, lit(x.t, std::numbers::pi), lit(x.t, 0.0));
                  return where(x == x, turned, x);
                } else {
                  return atan2(x.im, x.re);
                }
              })
      .promote(Promote::Float)
      .dtypes(kFloating | kComplex)
      .out()
      .gradient(angle_gradient)
      .decompose(none("of complex numbers the parts are no tensors of their own"))
      .onnx(none(kNoOnnx))
      .doc("The angle of each complex number, in radians. For a real number it is 0, or pi if it is negative.");
  r.pointwise("isreal(Tensor self) -> Tensor",
              [](auto x) {
                if constexpr (std::is_same_v<decltype(x), Num>) return lit_int(DType::b1, 1);
                else return x.im == 0.0;
              })
      .promote(Promote::Compare)
      .gradient(none("its result is a bool"))
      .decompose(none("of complex numbers the parts are no tensors of their own"))
      .onnx(none(kNoOnnx))
      .doc("Whether the imaginary part is 0.");
}

}  // namespace monograph
