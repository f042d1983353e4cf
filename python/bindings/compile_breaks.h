// What a break knows of the frames that stand there.
#pragma once

#include "capture/machine/standing.h"
#include "compile.h"

namespace monograph::python::compiled {

struct Break {
#ifdef MONOGRAPH_MACHINE
  capture::machine::Standing standing;
#endif
};

const Break& break_of(PyObject* rest);  // of rest_of()

}  // namespace monograph::python::compiled
