// Texts that come as bytes, and warnings.
#pragma once

#include <string>

#include "python.h"

namespace monograph::python {

// A UserWarning at the line of the call, `frames` up. Under the filter "error" it is raised.
inline void warn(const std::string& text, int frames = 1) {
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), frames) < 0) raise_set();
}
// The text that these bytes hold.
inline std::string text_of_bytes(PyObject* bytes) {
  nb::object text = check(PyUnicode_DecodeUTF8(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes), nullptr));
  return std::string(text_of(text.ptr()));
}

}  // namespace monograph::python
