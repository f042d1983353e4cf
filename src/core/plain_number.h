// How a symbolic number is read as a plain one while types are computed, or a call is made of others: there is no example to take it from.
#pragma once

#include "core/ivalue.h"

namespace monograph {

// While it lives, this function reads symbolic numbers in this thread, instead of plain_number.
class PlainNumberScope {
 public:
  explicit PlainNumberScope(IValue (*instead)(const IValue& symbolic));
  ~PlainNumberScope();
  PlainNumberScope(const PlainNumberScope&) = delete;

 private:
  IValue (*saved_)(const IValue& symbolic);
};

}  // namespace monograph
