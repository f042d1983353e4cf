// torch.autocast: the state of this thread, and what records say.
#include "autograd/autocast.h"

#include "dtypes.h"
#include "ops/registry.h"
#include "python.h"

namespace monograph::python {
namespace {

// In the words of the clauses' names; empty where a call casts nothing.
const char* to_text(Autocast how) {
  switch (how) {
    case Autocast::None:
    case Autocast::AsGiven: return "";
    case Autocast::LowerPrecision: return "lower precision";
    case Autocast::Float32: return "float32";
    case Autocast::Widest: return "widest";
  }
  return "";
}

}  // namespace

void init_autocast(PyObject* module) {
  nb::handle m(module);
  m.attr("_is_autocast_enabled") = nb::cpp_function([] { return dispatch_state().autocast; });
  m.attr("_set_autocast_enabled") = nb::cpp_function([](bool on) { dispatch_state().autocast = on; });
  m.attr("_get_autocast_dtype") = nb::cpp_function([] { return new_ref(object_of(autocast_state().dtype)); });
  m.attr("_set_autocast_dtype") = nb::cpp_function([](nb::handle dtype) {
    DType wanted;
    MONOGRAPH_CHECK(to_dtype(dtype.ptr(), wanted), Type, "expected a dtype, but got ", type_name(dtype.ptr()));
    autocast_state().dtype = wanted;
  });
  m.attr("_is_autocast_cache_enabled") = nb::cpp_function([] { return autocast_state().cache_enabled; });
  m.attr("_set_autocast_cache_enabled") = nb::cpp_function([](bool on) { autocast_state().cache_enabled = on; });
  m.attr("_enter_autocast") = nb::cpp_function([] { return ++autocast_state().nesting; });
  m.attr("_leave_autocast") = nb::cpp_function([] { return --autocast_state().nesting; });
  m.attr("_clear_autocast_cache") = nb::cpp_function([] { clear_autocast_cache(); });
  // By the name of each overload, what autocast casts its arguments to: "", "lower precision", "float32" or "widest".
  m.attr("_autocast_table") = nb::cpp_function([] {
    nb::dict table;
    for (const auto& op : Registry::global().all()) table[to_python(op->name())] = to_python(std::string_view(to_text(op->autocast)));
    return table;
  });
}

}  // namespace monograph::python
