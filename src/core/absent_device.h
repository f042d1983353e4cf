// The error for a tensor on a device that Monograph does not have. In Python it is a NotImplementedError, and an AssertionError as in a PyTorch without CUDA.
#pragma once

#include <string>

#include "core/error.h"

namespace monograph {

class AbsentDevice : public Error {
 public:
  explicit AbsentDevice(std::string message) : Error(ErrorKind::NotImplemented, std::move(message)) {}
};

}  // namespace monograph
