// Code of the program that runs on types alone: an arm that the example does not take, or the body of a loop.
//
// The program sees ordinary tensors. Their dtypes and sizes are right for the example; their elements mean nothing. A number that depends on elements
// has no value: who asks for it gets an error, and the capture machine makes the fork or loop a guard.
#pragma once

#include <optional>

#include "capture/writer.h"

namespace monograph::capture {

// Records the call. Its results are made from the types that inference gives; where these do not tell all, the operator runs on tensors of zeros.
void record_types(Writer& writer, const Operator& op, const IValue* args, IValue* results);

// A tensor of zeros with this type's dtype and the sizes that its symbols have in the example; nothing where it does not tell these.
std::optional<Tensor> stand_in(ir::Type type);
// One of the dtype and sizes of `like`, which knows no node yet.
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
