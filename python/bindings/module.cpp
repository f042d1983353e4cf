// monograph._C.
#include "autograd.h"
#include "builtin.h"
#include "capture/writer.h"
#include "compile.h"
#include "handover.h"
#include "machine.h"
#include "not_built.h"
#include "objects.h"
#include "profiler.h"
#include "python.h"
#include "reads.h"
#include "schema.h"
#include "symbolic.h"
#include "tensor.h"
#include "values.h"

NB_MODULE(_C, m) {
  using namespace monograph::python;
  nb::set_leak_warnings(false);  // what is interned lives as long as the process
  PyObject* module = m.ptr();
  init_errors(module);
  init_dtypes(module);
  init_builtins(module);
  init_tensor(module);
  init_values(module);
  init_symbolic(module);
  init_autograd(module);
  init_graph(module);
  init_schema(module);
  init_overridable(module);
  init_library(module);
  init_dispatch_modes(module);
  init_capture(module);
  init_script(module);
  init_objects(module);
  init_script_archive(module);
  init_not_built(module);
  init_program(module);
  init_call_plan(module);
  init_formats(module);
  init_view(module);
  init_switches(module);
  init_profiler(module);
  init_autocast(module);
  init_machine(module);
  init_compile(module);
  init_execution(module);
  init_reads(module);
  monograph::capture::use_operators();  // what is loaded or parsed before the first capture knows its operators too
}
