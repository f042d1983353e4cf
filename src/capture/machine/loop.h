#pragma once

#include "capture/machine/registers.h"

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {

// Runs a frame that CPython has made until it ends or yields, as _PyEval_EvalFrameDefault does. `throwing`: an exception is set, and is raised in it.
PyObject* evaluate(PyThreadState* thread, PythonFrame* entry, bool throwing, JumpHook* hook);

// Whether frames of this thread run in the machine now, and with which hook.
bool runs_here(JumpHook*& hook);

}  // namespace monograph::capture::machine
#endif
