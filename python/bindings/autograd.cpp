#include "autograd.h"

#include "ops/dispatch.h"

namespace monograph::python {

Tensor grad_of(const Tensor&) { return {}; }
void set_grad(const Tensor&, const Tensor& grad) {
  MONOGRAPH_CHECK(!grad.defined(), NotImplemented, "gradients are not part of this build");
}
nb::object grad_fn_of(const Tensor&) { return nb::none(); }
bool is_leaf(const Tensor&) { return true; }
int64_t output_number(const Tensor&) { return 0; }

void set_requires_grad(const Tensor& t, bool on) {
  MONOGRAPH_CHECK(!on || is_floating(t.dtype()) || is_complex(t.dtype()), Runtime, "only Tensors of floating point and complex dtype can require gradients");
  MONOGRAPH_CHECK(on || is_leaf(t), Runtime, "you can only change requires_grad flags of leaf variables.");
  t->requires_grad = on;
}

Tensor data_of(const Tensor& t) {
  Tensor view = t.as_strided(t.sizes(), t.strides(), t->offset);
  view->detached_version = true;
  return view;
}

void init_autograd(PyObject* module) {
  nb::handle m(module);
  m.attr("_is_grad_enabled") = nb::cpp_function([] { return dispatch_state().grad_enabled; });
  m.attr("_set_grad_enabled") = nb::cpp_function([](bool on) { dispatch_state().grad_enabled = on; });
  m.attr("_is_inference_mode") = nb::cpp_function([] { return dispatch_state().inference_mode; });
  m.attr("_set_inference_mode") = nb::cpp_function([](bool on) { dispatch_state().inference_mode = on; });
}

}  // namespace monograph::python
