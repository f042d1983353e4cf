// Runs code of the program on types alone: an arm that the example does not take, or the body of a loop.
//
// The program sees ordinary tensors. Their dtypes and sizes are right for the example; their elements have no meaning. A number that depends on elements has
// no value: asking for it raises an error, and then the capture machine makes a guard of the fork or loop.
#pragma once

#include <optional>

#include "capture/writer.h"

namespace monograph::capture {

// Records the call. Its results are made from the inferred types. If these are not complete, the operator runs on tensors of zeros.
void record_types(Writer& writer, const Operator& op, const IValue* args, IValue* results);

// A tensor of zeros with this type's dtype and the sizes that its symbols have in the example; nothing if the type lacks one of these.
std::optional<Tensor> stand_in(ir::Type type);
// A tensor of zeros with the dtype and sizes of `like`. It has no node yet.
Tensor stand_in(const Tensor& like);

class TypesOnly {
 public:
  explicit TypesOnly(Writer& writer) : writer_(writer) { ++writer_.types_only; }
  ~TypesOnly() { --writer_.types_only; }
  TypesOnly(const TypesOnly&) = delete;

 private:
  Writer& writer_;
};

}  // namespace monograph::capture
