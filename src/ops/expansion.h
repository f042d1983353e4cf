// A call in other operators, by a rule that the record has for a case of its own: sizes that depend on elements.
#pragma once

#include "ops/record.h"

namespace monograph {

// What `rule` makes of the call, as the operator's results. Errors of the operators in it name this one as well.
void expand_by(const Operator& op, DecomposeFn rule, const IValue* args, IValue* results);

// While the decomposition of an operator with bad_data() runs, kernels in it raise that operator's kind of error, in its words.
class DataErrorScope {
 public:
  explicit DataErrorScope(const Operator& op);
  ~DataErrorScope();
  DataErrorScope(const DataErrorScope&) = delete;

 private:
  const Operator* saved_;
};

}  // namespace monograph
