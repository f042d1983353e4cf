// Reads the Generator of an argument; the default one if the argument is None.
#include "ops/generator_value.h"

#include "core/error.h"

namespace monograph {

Generator& generator_of(const IValue& v) {
  if (v.is_none()) return default_generator();
  auto* box = dynamic_cast<GeneratorBox*>(v.object());
  MONOGRAPH_CHECK(box, Type, "expected a torch.Generator, but got another object");
  return box->generator;
}

}  // namespace monograph
