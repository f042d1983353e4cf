// The orthogonal polynomials of torch.special. Each has a kernel over tensors; the overloads with a number turn it into a tensor first.
#include "kernels/orthogonal_polynomials.h"

#include "ops/dispatch.h"
#include "ops/families/wide_floats.h"
#include "ops/registry.h"

namespace monograph {
namespace {

constexpr const char* kTensors =
    "[[t(d, 9, low=a, high=b), at([0, 1, 2, 3, 5, 6, 7, 9, 12]).to(d)] for d in (f32, f64) for a, b in ((0.05, 0.95), (-0.95, -0.05))] + "
    "[[at([1.0, -1.0, 0.0, 1.0, -1.0, 0.5, 1.5]), at([4.0, 3.0, 5.0, -1.0, 2.0, -2.0, 4.0])], [t(f32, 3, 1, low=0.1), at([2.0, "
    "3.0])], [at([0, 1, 2]), at([2, 3, 4])], [t(f16, 2), t(f16, 2)], [t(f32, 2), t(f32, 3)]]";

// Registers the three overloads of one polynomial: two tensors, a number as x, a number as n.
template <detail::FixedString kName>
void polynomial(Registry& r, StructuredKernel kernel, const char* words) {
  const std::string name(kName.text), python = name.substr(std::string_view("special_").size());
  static const std::string doc = concat(  // static, because the records keep the pointer
      "The ", words, " polynomial of degree `n` at each `x`. Below degree 0 it is 0.\n\nx: Where it is taken.\nn: The degree.\n\n",
      ">>> torch.special.", python, "(torch.tensor([0.25, 2.0]), torch.tensor([2, 3]))");
  auto add = [&](const char* arguments, const char* out) {
    return r.op(concat(name, arguments).c_str())
        .out_named(out)
        .out_dtype(OutDType::Safe)
        .namespaced("_special")
        .gradient(constant("PyTorch has no derivative of it"))
        .special(Special::Factorization, "the recurrence cancels, so its roundings are relative to its largest terms")
        .onnx(none("ONNX has no operator for it"))
        .doc(doc.c_str());
  };
  add("(Tensor x, Tensor n) -> Tensor", "out").rule(wide_pair_rule).kernel(kernel).samples(kTensors);
  auto by_number = [](const IValue* a) -> IValue { return NamedOp<kName>{}(tensor_beside(a[0], a[1]), tensor_beside(a[1], a[0])); };
  add(".x_scalar(Scalar x, Tensor n) -> Tensor", "x_scalar_out")
      .decompose(by_number, Reads::Nothing)
      .samples("[[x, at([0, 1, 2, 3, 7]).to(d)] for x in (1, 0.25, 1.5) for d in (f32, f64, i64)]");
  add(".n_scalar(Tensor x, Scalar n) -> Tensor", "n_scalar_out")
      .decompose(by_number, Reads::Nothing)
      .samples("[[t(d, 5, low=0.05, high=0.95), n] for n in (0, 1, 3, 5, -1) for d in (f32, f64)]");
}

}  // namespace

void polynomials(Registry& r) {
  polynomial<"special_chebyshev_polynomial_t">(r, chebyshev_t_kernel, "Chebyshev (first kind)");
  polynomial<"special_chebyshev_polynomial_u">(r, chebyshev_u_kernel, "Chebyshev (second kind)");
  polynomial<"special_chebyshev_polynomial_v">(r, chebyshev_v_kernel, "Chebyshev (third kind)");
  polynomial<"special_chebyshev_polynomial_w">(r, chebyshev_w_kernel, "Chebyshev (fourth kind)");
  polynomial<"special_shifted_chebyshev_polynomial_t">(r, shifted_chebyshev_t_kernel, "Chebyshev (first kind, at 2x - 1)");
  polynomial<"special_shifted_chebyshev_polynomial_u">(r, shifted_chebyshev_u_kernel, "Chebyshev (second kind, at 2x - 1)");
  polynomial<"special_shifted_chebyshev_polynomial_v">(r, shifted_chebyshev_v_kernel, "Chebyshev (third kind, at 2x - 1)");
  polynomial<"special_shifted_chebyshev_polynomial_w">(r, shifted_chebyshev_w_kernel, "Chebyshev (fourth kind, at 2x - 1)");
  polynomial<"special_hermite_polynomial_h">(r, hermite_h_kernel, "Hermite (physicists')");
  polynomial<"special_hermite_polynomial_he">(r, hermite_he_kernel, "Hermite (probabilists')");
  polynomial<"special_laguerre_polynomial_l">(r, laguerre_l_kernel, "Laguerre");
  polynomial<"special_legendre_polynomial_p">(r, legendre_p_kernel, "Legendre");
}

}  // namespace monograph
