// Finds the generated kernels of products and convolutions by type and instruction set (registry.h explains how they are linked).
#include <type_traits>

#include "kernels/convolution.h"
#include "kernels/matmul.h"
#include "kernels/registry.h"

MONOGRAPH_GENERATED_TABLE monograph::MatmulTables monograph_matmul_tables;
MONOGRAPH_GENERATED_TABLE monograph::ConvolutionTables monograph_convolution_tables;

namespace monograph {
namespace {

// Later tables are for higher instruction sets.
template <class Tables>
auto best(const Tables* all, DType type, Isa isa) -> std::remove_cvref_t<decltype(*all->tables)> {
  for (uint64_t i = all ? all->count : 0; i-- > 0;)
    if (all->tables[i]->type == static_cast<int32_t>(type) && all->tables[i]->isa <= static_cast<int32_t>(isa)) return all->tables[i];
  return nullptr;
}

}  // namespace

const MatmulKernels* generated_matmul_kernels(DType type, Isa isa) { return best(&monograph_matmul_tables, type, isa); }

const ConvolutionKernels* generated_convolution_kernels(DType type, Isa isa) { return best(&monograph_convolution_tables, type, isa); }

}  // namespace monograph
