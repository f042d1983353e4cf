// Reads a code object's instructions and its table of exception handlers once, checks them (verify.h), and attaches the result to the code object.
#include "capture/machine/code.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>
#include <memory>
#include <new>

#include "capture/machine/machine.h"
#include "capture/machine/verify.h"

namespace monograph::capture::machine {
namespace {

// A reader of the exception table: numbers of 6 bits a byte, the first byte of an entry marked (Objects/exception_handling_notes.txt of CPython).
struct TableReader {
  const unsigned char* at;
  const unsigned char* end;
  int number() {
    int value = 0;
    for (bool more = true; more && at < end; ++at) {
      value = value << 6 | (*at & 63);
      more = (*at & 64) != 0;
    }
    return value;
  }
};

std::vector<Handler> read_handlers(PyObject* table) {
  const auto* begin = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(table));
  TableReader reader{begin, begin + PyBytes_GET_SIZE(table)};
  std::vector<Handler> handlers;
  while (reader.at < reader.end) {
    const int start = reader.number(), size = reader.number(), target = reader.number(), depth = reader.number();
    handlers.push_back({start, start + size, target, depth >> 1, (depth & 1) != 0});
  }
  return handlers;
}

Py_ssize_t extra_index() {
  static const Py_ssize_t index = _PyEval_RequestCodeExtraIndex([](void* info) { delete static_cast<CodeInfo*>(info); });
  return index;
}

}  // namespace

const Handler* CodeInfo::handler_at(int offset) const {
  // Entries do not overlap, and stand in order.
  auto after = std::upper_bound(handlers.begin(), handlers.end(), offset, [](int o, const Handler& h) { return o < h.begin; });
  if (after == handlers.begin()) return nullptr;
  const Handler& h = *(after - 1);
  return offset < h.end ? &h : nullptr;
}

const CodeInfo* info_of(PyCodeObject* code) {
  auto* object = reinterpret_cast<PyObject*>(code);
  void* known = nullptr;
  const Py_ssize_t index = extra_index();
  if (index >= 0 && _PyCode_GetExtra(object, index, &known) < 0) return nullptr;
  if (known) return static_cast<CodeInfo*>(known);
  if (index < 0) {
    PyErr_SetString(PyExc_RuntimeError, "the capture machine cannot attach data to code objects: 255 other packages do");
    return nullptr;
  }
  PyObject* bytes = PyCode_GetCode(code);
  if (!bytes) return nullptr;
  std::unique_ptr<CodeInfo> info(new (std::nothrow) CodeInfo);
  if (!info) {
    Py_DECREF(bytes);
    PyErr_NoMemory();
    return nullptr;
  }
  const auto* units = reinterpret_cast<const CodeUnit*>(PyBytes_AS_STRING(bytes));
  info->units.assign(units, units + PyBytes_GET_SIZE(bytes) / static_cast<Py_ssize_t>(sizeof(CodeUnit)));
  Py_DECREF(bytes);
  info->handlers = read_handlers(code->co_exceptiontable);
  if (!verify(code, *info)) return nullptr;
  if (_PyCode_SetExtra(object, index, info.get()) < 0) return nullptr;
  return info.release();
}

bool runs_natively(PyCodeObject* code) {
  void* known = nullptr;
  const Py_ssize_t index = extra_index();
  if (index < 0 || _PyCode_GetExtra(reinterpret_cast<PyObject*>(code), index, &known) < 0) return PyErr_Clear(), false;
  return known && static_cast<const CodeInfo*>(known)->natively;
}

bool run_natively(PyObject* code) {
  if (!PyCode_Check(code)) {
    PyErr_Format(PyExc_TypeError, "expected a code object, but got %.100s", Py_TYPE(code)->tp_name);
    return false;
  }
  const CodeInfo* info = info_of(reinterpret_cast<PyCodeObject*>(code));
  if (info) const_cast<CodeInfo*>(info)->natively = true;
  return info != nullptr;
}

}  // namespace monograph::capture::machine
#endif
