// Runs a call as calls of other operators, with error messages that name the operator that was called.
#pragma once

#include "ops/record.h"

namespace monograph {

// Runs `rule`, a decomposition of `op`, and writes its results. Errors inside of it name `op` as well. `rule` may be another one than op.decompose, for results
// whose sizes depend on elements, or for eager calls. False if it returned None.
bool expand_by(const Operator& op, DecomposeFn rule, const IValue* args, IValue* results);

// While it lives, kernels report bad data with the error that the record of `op` states in bad_data(), if it states one.
class DataErrorScope {
 public:
  explicit DataErrorScope(const Operator& op);
  ~DataErrorScope();
  DataErrorScope(const DataErrorScope&) = delete;

 private:
  const Operator* saved_;
};

}  // namespace monograph
