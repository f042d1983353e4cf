// Short names of the kinds of errors that rules and decompositions raise most.
#pragma once

#include "core/error.h"

namespace monograph {

inline constexpr auto Index = ErrorKind::Index;
inline constexpr auto LinearAlgebra = ErrorKind::LinearAlgebra;
inline constexpr auto Runtime = ErrorKind::Runtime;

}  // namespace monograph
