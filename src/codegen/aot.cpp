// Emits the layer's kernel into a module and has codegen/target.h compile it to an object.
#include "codegen/aot.h"

#include "codegen/matmul.h"
#include "core/error.h"

namespace monograph {

std::string aot_object(const AotLinear& layer, Isa isa) {
  MONOGRAPH_ASSERT(isa == Isa::v3 || isa == Isa::v4);
  MONOGRAPH_ASSERT(layer.type == DType::f32 || layer.type == DType::f64);
  MONOGRAPH_ASSERT(layer.epilogue.args.size() == (layer.bias ? 2u : 1u) && layer.epilogue.outs.size() == 1);
  MatmulKernels shape{};  // packing asks for the panel's width only
  shape.columns = static_cast<int32_t>(matmul_panel(layer.type, isa));
  const PackedMatrix packed = PackedMatrix::pack(layer.type, layer.weight, layer.in, layer.out, 1, layer.in, &shape);
  LinearCode code{layer.symbol, isa, layer.type, layer.in, layer.out, {packed.data(), static_cast<size_t>(packed.bytes())}, {}, {}};
  code.epilogue = {layer.epilogue, KernelForm::Pointwise};
  if (layer.bias) code.extra.emplace_back(static_cast<const char*>(layer.bias), static_cast<size_t>(layer.out * element_size(layer.type)));
  return linear_object(code);
}

}  // namespace monograph
