// Random operators draw from a Generator, which travels as a value.
#pragma once

#include "core/generator.h"
#include "core/ivalue.h"

namespace monograph {

struct GeneratorBox : ObjectBox {
  explicit GeneratorBox(uint64_t seed) : own(seed), generator(own) {}
  explicit GeneratorBox(Generator& shared) : generator(shared) {}  // the default one
  Generator own;
  Generator& generator;
};

// The Generator of an argument; None is the default one.
Generator& generator_of(const IValue& v);

}  // namespace monograph
