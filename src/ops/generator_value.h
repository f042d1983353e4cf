// A Generator as the value of an argument: random operators draw from it.
#pragma once

#include "core/generator.h"
#include "core/ivalue.h"

namespace monograph {

struct GeneratorBox : ObjectBox {
  explicit GeneratorBox(uint64_t seed) : own(seed), generator(own) {}
  explicit GeneratorBox(Generator& shared) : generator(shared) {}  // for the default generator
  Generator own;
  Generator& generator;
};

// The Generator of an argument. None means the default generator.
Generator& generator_of(const IValue& v);

}  // namespace monograph
