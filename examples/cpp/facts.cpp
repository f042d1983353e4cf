// What this program was linked with: 0 where it has all of it.
#include <monograph/monograph.h>

#include <iostream>

int main() {
  std::cout << "generated kernels: " << monograph::generated_kernels() << "\n"
            << "generated products: " << (monograph::products_are_generated() ? "yes" : "no") << "\n"
            << "compiler of graphs: " << (monograph::why_no_compiler().empty() ? "yes" : monograph::why_no_compiler()) << "\n";
  return monograph::generated_kernels() > 0 && monograph::products_are_generated() && monograph::why_no_compiler().empty() ? 0 : 1;
}
