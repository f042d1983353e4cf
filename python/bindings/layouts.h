// torch.layout as Python sees it. All tensors are strided; the other layouts are there to be compared.
#pragma once

#include "dtypes.h"
#include "ops/tensor_facts.h"

namespace monograph::python {

struct LayoutObject {
  PyObject_HEAD int number;  // PyTorch's
};
inline int layout_number_of(PyObject* layout) { return reinterpret_cast<LayoutObject*>(layout)->number; }
// Error for the layout= of a call that no tensor of Monograph has.
inline void check_strided(PyObject* layout) {
  const int number = layout_number_of(layout);
  MONOGRAPH_CHECK(number == 0, NotImplemented, "layout=torch.", layout_name(number),
                  ": all tensors of Monograph are dense; leave layout out, or write torch.strided");
}

}  // namespace monograph::python
