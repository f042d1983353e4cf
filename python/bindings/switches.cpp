// Switches of the process: threads, and what the machine offers.
#include <nanobind/stl/string.h>
#include <limits>
#include "core/threads/pool.h"
#include "kernels/isa.h"
#include "kernels/registry.h"

#include "dtypes.h"
#include "python.h"

namespace monograph::python {

void init_switches(PyObject* module) {
  nb::handle m(module);
  m.attr("get_num_threads") = nb::cpp_function([] { return num_threads(); });
  m.attr("set_num_threads") = nb::cpp_function([](nb::handle number) {
    MONOGRAPH_CHECK(PyLong_Check(number.ptr()), Runtime, "set_num_threads expects an int, but got ", type_name(number.ptr()));
    const int64_t n = to_int64(number.ptr());
    MONOGRAPH_CHECK(n > 0 && n <= std::numeric_limits<int>::max(), Runtime, "set_num_threads expects a positive integer, but got ", n);
    set_num_threads(static_cast<int>(n));
  });
  m.attr("_instruction_set") = nb::cpp_function([] { return std::string(name(host_isa())); });
  m.attr("_kernel_count") = nb::cpp_function([] { return kernel_count(); });
}

}  // namespace monograph::python
