// Functions from text, checks with messages, errors by class.
#include <torch/script.h>
#include <torch/torch.h>

#include <iostream>

torch::Tensor scaled(const at::Tensor& input, double factor) {
  TORCH_CHECK(input.dim() == 2, "own check: expected 2 dims, got ", input.dim(), " of sizes ", input.sizes());
  TORCH_CHECK(input.is_contiguous());
  TORCH_CHECK_EQ(input.size(1), 3);
  TORCH_CHECK_GT(factor, 0);
  TORCH_CHECK_VALUE(factor < 100, "the factor is ", factor);
  TORCH_INTERNAL_ASSERT(input.defined());
  return at::mul(input, factor);
}

template <class F>
void attempt(const char* what, F f) {
  try {
    f();
    std::cout << what << ": fine\n";
  } catch (const c10::IndexError& e) {
    std::cout << what << ": IndexError\n";
  } catch (const c10::ValueError& e) {
    std::cout << what << ": ValueError " << e.msg() << "\n";
  } catch (const c10::Error& e) {
    const std::string text = e.what_without_backtrace();
    std::cout << what << ": an error" << (text.find("own") == std::string::npos ? "" : ": " + text) << "\n";
  } catch (const std::exception& e) {
    std::cout << what << ": an error\n";
  }
}

int main() {
  auto unit = torch::jit::compile(R"JIT(
def relu_script(a, b):
  return torch.relu(a + b)

def steps(x, n: int):
  i = 0
  while i < n:
    if bool(x.sum() > 100):
      break
    x = x * 2
    i += 1
  return x, i
)JIT");
  auto a = torch::tensor({{1.0f, -2.0f}}), b = torch::ones({1, 2});
  std::cout << unit->run_method("relu_script", a, b).toTensor() << "\n";
  auto result = unit->get_function("steps")({torch::ones({2, 3}), 10}).toTuple();
  std::cout << result->elements()[1].toInt() << "\n";
  torch::jit::Function& f = unit->get_function("relu_script");
  std::cout << f.name() << " " << f.getSchema().arguments().size() << " " << f.getSchema().returns().size() << "\n";
  std::cout << (unit->find_function("steps") != nullptr) << (unit->find_function("stairs") != nullptr) << unit->get_functions().size()
            << "\n";

  attempt("good", [] { scaled(torch::ones({2, 3}), 2); });
  attempt("dims", [] { scaled(torch::ones({2}), 2); });
  attempt("value", [] { scaled(torch::ones({2, 3}), 200); });
  attempt("columns", [] { scaled(torch::ones({2, 4}), 2); });
  attempt("sizes", [] { torch::ones({2, 3}) + torch::ones({4}); });
  attempt("product", [] { torch::mm(torch::ones({2, 3}), torch::ones({2, 3})); });
  attempt("index", [] { torch::ones({2, 3}).index({5}); });
  attempt("view", [] { torch::ones({2, 3}).view({4, 2}); });
  attempt("text", [] { torch::jit::compile("def f(x):\n  return y\n"); });
  attempt("item", [] { torch::ones({2, 3}).item<float>(); });
  attempt("thrown", [] { TORCH_CHECK(false, "own text ", 1, ' ', 2.5); });
  attempt("error", [] { C10_THROW_ERROR(ValueError, "by hand"); });
  attempt("at error", [] { AT_ERROR("own old spelling ", 3); });
  try {
    TORCH_CHECK(1 > 2, "one is not above ", 2);
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  TORCH_WARN_ONCE("a warning goes to the standard error stream");
}
