// The arguments of a captured call: which objects are taken apart, and what of them a capture needs. A part of compile_capture.cpp.
#pragma once

#include <optional>
#include <vector>

#include "capture/bytecode/reads.h"
#include "compile.h"

#ifdef MONOGRAPH_MACHINE
namespace monograph::python::compiled {

using capture::bytecode::ReadSet;

// The names of the slots of an object that has no other attributes, and that is known by them; nothing for another object.
std::optional<std::vector<Object>> slots_of_plain(PyObject* o);
// Whether it is a set of numbers, texts and tuples of such.
bool is_set_of_values(PyObject* o);
// Whether a class keeps attributes outside of the object's dict.
bool has_slots(PyTypeObject* type);
// A module that others find too. One that the run has made is another one in each call.
bool is_imported(PyObject* o);
// Whether the capture knows the object by its class and attributes, and not by which object it is: a SimpleNamespace, or an instance of a Python class that
// derives from Python classes alone, is no Module or Enum, keeps all attributes in its __dict__, or all of them in slots, and holds, at any depth, at most a
// thousand values.
bool is_taken_apart(PyObject* o);
// Whether the function reads its argument at this place, or of this name where there is one: not if no instruction of its code can.
bool reads_argument(PyObject* function, Py_ssize_t place, PyObject* name);
// Those arguments that the run compared by identity must be the same objects in later calls.
void keep_identities(CapturedEntry& entry, const std::vector<PyObject*>& containers, const ReadSet& reads, bool objects_alone);
// Takes the attributes that the run has not read out of what the entry checks. `used`: which inputs the graph uses. Returns the inputs that are none any more,
// the last one first.
std::vector<size_t> drop_unread(CapturedEntry& entry, std::vector<PyObject*>& containers, const ReadSet& reads,
                                const std::vector<bool>& used);

}  // namespace monograph::python::compiled
#endif
