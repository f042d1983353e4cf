// The list of operator families. Each family is a function in the source file of the same name in this folder, which adds its operators to the registry.
#include "ops/registry.h"

namespace monograph {

// clang-format off: one family on each line, so that two changes do not conflict
#define MONOGRAPH_FAMILIES(row) \
  row(arithmetic) \
  row(elementwise) \
  row(numeric) \
  row(activations) \
  row(gates) \
  row(reductions) \
  row(scans) \
  row(sorting) \
  row(norms) \
  row(group_norms) \
  row(shapes) \
  row(creation) \
  row(indexing) \
  row(padding) \
  row(resampling) \
  row(products) \
  row(draws) \
  row(convolution) \
  row(volumes) \
  row(shuffles) \
  row(distances) \
  row(losses) \
  row(recurrent) \
  row(sequence_layers) \
  row(sequences) \
  row(margins) \
  row(drops) \
  row(scatters) \
  row(triangles) \
  row(parts) \
  row(fourier) \
  row(signals) \
  row(einsum) \
  row(arrangement) \
  row(vectors) \
  row(statistics) \
  row(scalars) \
  row(containers) \
  row(texts) \
  row(objects) \
  row(programs) \
  row(factorizations) \
  row(spectra) \
  row(linear_algebra) \
  row(sampling) \
  row(bags) \
  row(sequence_losses) \
  row(slices) \
  row(memory) \
  row(unpooling) \
  row(quantiles) \
  row(calculus) \
  row(steps) \
  row(polynomials) \
  row(special_functions) \
  row(properties) \
  row(quantized) \
  row(fake_quantization) \
  row(spellings)
// clang-format on

#define MONOGRAPH_ROW(name) void name(Registry& r);
MONOGRAPH_FAMILIES(MONOGRAPH_ROW)
#undef MONOGRAPH_ROW

void register_families(Registry& r) {
#define MONOGRAPH_ROW(name) \
  r.begin_family(#name); \
  name(r);
  MONOGRAPH_FAMILIES(MONOGRAPH_ROW)
#undef MONOGRAPH_ROW
}

}  // namespace monograph
