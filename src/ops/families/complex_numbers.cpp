// Complex numbers of a program: Python's complex, which a graph computes with as TorchScript does.
#include <complex>
#include <deque>

#include "ops/families/programs.h"
#include "ops/torchscript_names.h"

namespace monograph {

namespace {

using Number = std::complex<double>;

template <class F>
void of_two(const Operator&, const IValue* a, IValue* out) {
  out[0] = F()(a[0].to_complex(), a[1].to_complex());
}
}  // namespace

void complex_numbers(Registry& r) {
  std::deque<std::string> texts;  // alive until the registry has copied them
  const ProgramOp op(r);
  // With the forms for a complex number and another one, which PyTorch's archives call.
  auto binary = [&](const char* name, const char* result, EvalFn eval, std::initializer_list<const char*> others, const char* doc) {
    auto form = [&](std::string_view overload, std::string_view a, std::string_view b) {
      op({texts.emplace_back(concat(name, ".", overload, "(", a, " a, ", b, " b) -> ", result)).c_str()}, eval)
          .effects(raising(ir::Effects::none()))
          .doc(doc);
    };
    form("complex", "complex", "complex");
    for (const char* other : others) form(concat(other, "_complex"), other, "complex"), form(concat("complex_", other), "complex", other);
  };
  binary("add", "complex", of_two<std::plus<Number>>, {"int", "float"}, "The sum of two numbers.");
  binary("sub", "complex", of_two<std::minus<Number>>, {"int", "float"}, "The difference of two numbers.");
  binary("mul", "complex", of_two<std::multiplies<Number>>, {"int", "float"}, "The product of two numbers.");
  binary(
      "div", "complex",
      [](const Operator& self, const IValue* a, IValue* out) {
        MONOGRAPH_CHECK(a[1].to_complex() != 0.0, Runtime, "[", self.name(), "] ZeroDivisionError: complex division by zero");
        out[0] = a[0].to_complex() / a[1].to_complex();
      },
      {}, "The quotient of two numbers.");
  binary(
      "pow", "complex", [](const Operator&, const IValue* a, IValue* out) { out[0] = std::pow(a[0].to_complex(), a[1].to_complex()); },
      {"float"}, "One number to the power of the other.");
  binary("eq", "bool", of_two<std::equal_to<Number>>, {"float"}, "Whether two numbers are equal.");
  binary("ne", "bool", of_two<std::not_equal_to<Number>>, {"float"}, "Whether two numbers differ.");
  auto unary = [&](const char* schema, EvalFn eval, const char* doc) { op({schema}, eval).effects(ir::Effects::none()).doc(doc); };
  unary(
      "neg.complex(complex a) -> complex", [](const Operator&, const IValue* a, IValue* out) { out[0] = -a[0].to_complex(); },
      "The number with the other sign.");
  unary(
      "prim::abs.complex(complex a) -> float",
      [](const Operator&, const IValue* a, IValue* out) { out[0] = std::abs(a[0].to_complex()); }, "The distance of a number from 0.");
  unary(
      "prim::real_part(complex a) -> float", [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].to_complex().real(); },
      "The real part of a number.");
  unary(
      "prim::imaginary_part(complex a) -> float", [](const Operator&, const IValue* a, IValue* out) { out[0] = a[0].to_complex().imag(); },
      "The imaginary part of a number.");
  for (const char* name : {"prim::real_part", "prim::imaginary_part"}) no_torchscript(name, "TorchScript has no parts of a complex number");
}

}  // namespace monograph
