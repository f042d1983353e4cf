// The errors by which a capture refuses what it cannot record.
#pragma once

#include "core/error.h"

namespace monograph::python {

// Handlers of the captured program do not see it: they would go on with a value that the program itself never computes.
class CaptureRefusal : public Error {
 public:
  using Error::Error;
};

}  // namespace monograph::python
