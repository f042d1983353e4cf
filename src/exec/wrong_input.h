// The error of a call whose inputs are not those of the graph.
#pragma once

#include "core/error.h"

namespace monograph::exec {

// Of an input that is missing or of another type, or of too many of them. Python sees a TypeError, as of any function, which is a RuntimeError too, as
// PyTorch raises.
class WrongInput : public Error {
 public:
  static constexpr int kTooMany = -1;
  WrongInput(int place, std::string message) : Error(ErrorKind::Type, std::move(message)), place_(place) {}
  int place() const { return place_; }  // of the input

 private:
  int place_;
};

}  // namespace monograph::exec
