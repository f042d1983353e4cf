// Numbers and lists that a graph computes, as Python sees them while the function is captured: torch.SymInt, SymFloat, SymBool, and lists of them.
//
// Arithmetic on them is recorded. Where Python itself needs the value (an index of a list, a branch, range()), a trace gives the example's and
// guards it; symbolic capture, which has none, raises. They are no ints: C code would read the hint unasked.
#pragma once

#include "ops/symbolic_value.h"
#include "python.h"

namespace monograph {
class Tensor;
}

namespace monograph::python {

extern PyTypeObject g_symint_type, g_symtext_type;
// What Python gets for a text of the graph: the example's, guarded.
nb::object plain_text(PyObject* text);
bool is_symbolic(PyObject* o);
// Whether it is a number of the graph that a function of NumPy has computed, so that the program sees a number of NumPy's.
bool is_numpy_number(PyObject* o);
// Of an object that is one.
const IValue& symbolic_of(PyObject* o);
// Whether a branch or loop gives this value: a result of an If or Loop, or what a Loop carries.
bool is_of_region(const ir::Node* node);
inline constexpr const char* kWayDecides = "a branch or loop decides";
inline constexpr const char* kOperatorDecides = "an operator decides that may give back its argument";
// What decides whether the tensor is the same as another one: one of these words, or "".
const char* who_decides_identity(const Tensor& t);
// The type of the number that this symbol stands for: bool, int or float; null if it is no number.
PyTypeObject* type_of_number(PyObject* symbol);
nb::object wrap_symbolic(const IValue& value);
// The number behind an int or symbolic int, for those who cannot stay symbolic.
int64_t demand_int(PyObject* o);

// Error with the line of the program that is captured, which may run now or have run before.
[[noreturn]] void refuse_captured(ErrorKind kind, std::string message);
// Error that names the operator where the tensor has no such dim.
void check_dim(std::string_view op, int64_t dim, const Tensor& t);

// The result of an operator that takes one argument.
IValue run_one(std::string_view name, const IValue& argument);
// The bool behind a condition if the graph computes it; None for another object.
IValue truth_in_graph(PyObject* o);
// Whether a capture on this thread knows the tensor as a value of its graph, so that what is read from it belongs to the graph too.
bool is_captured(const Tensor& t);
// Whether the value is what t.data has given, so that t.data = value changes nothing.
bool is_own_data(const Tensor& t, const Tensor& value);
// Whether the tensor's elements belong to the graph: of parameters and buffers too, whose shapes stay numbers.
bool has_captured_values(const Tensor& t);
// torch.Size of a captured tensor, its sizes symbolic; of a tensor of no known rank a symbolic list.
nb::object captured_sizes(const Tensor& t);
// A torch.Size that holds all sizes of one captured tensor, in order, or what was sliced from such or put together with it, as the one list that the
// graph has for it; false for another.
bool whole_size(PyObject* size, IValue& out);
// size[key] and a + b, which Python computed as `plain`, of a torch.Size that is one list of the graph: recorded as the program wrote it, as symbolic
// capture records it, which knows no rank. Null where they are not, or where nothing is gained.
nb::object captured_part(PyObject* size, PyObject* key, PyObject* plain);
nb::object captured_concat(PyObject* a, PyObject* b, PyObject* plain);
// a == b or a != b of tuples of sizes, of which one has symbols: a bool, with a guard. Null for other comparisons, and outside of captures.
nb::object captured_compare(PyObject* a, PyObject* b, int op);
nb::object captured_size(const Tensor& t, PyObject* dim);
nb::object captured_numel(const Tensor& t);
// A plain number where the graph knows the rank; what it does not know, and the layout, is recorded, so that who relies on it is guarded.
nb::object captured_rank(const Tensor& t);
// Guards the number of dims of a tensor of a trace where its sizes decide it, as behind squeeze(): who builds on it calls this before.
void check_rank(const Tensor& t);
nb::object captured_requires_grad(const Tensor& t);
nb::object captured_stride(const Tensor& t, int64_t dim);
nb::object captured_strides(const Tensor& t);
nb::object captured_is_contiguous(const Tensor& t, MemoryFormat format);
// What an operator of one tensor and nothing else answers.
nb::object captured_number(const char* op, const Tensor& t);
nb::object captured_item(const Tensor& t);
// A tensor of its own over the same memory, outside of gradients; in a capture the graph's detach() of it, or a constant that the program made.
Tensor shown_apart(const Tensor& t);
bool captured_truth(const Tensor& t);
// The name of a symbolic tensor's node; "" of another tensor.
std::string symbolic_name(const Tensor& t);
// Error where a symbolic tensor is asked for something that it has not.
void check_not_symbolic(const Tensor& t, std::string_view what);
// The number of dims, of a symbolic tensor where its node's type says it.
std::optional<int64_t> known_rank(const Tensor& t);
// The dtype, of a symbolic tensor only where its node's type says it; without one, it is an error to ask.
DType dtype_of(const Tensor& t, std::string_view what);
// As many rows as the function unpacked a symbolic tensor into; the graph checks it.
void assume_rows(const Tensor& t, int64_t rows);
// The number of dims that a layer assumes of a symbolic tensor; the graph checks it. Without one, it is an error to ask.
void assume_dims(const Tensor& t, int64_t dims);
// The elements of a list that the graph computes, `length` many: checked at every run. What is no such list stays as it is.
nb::object assume_length(nb::handle list, int64_t length);
nb::object assumed_dims(const Tensor& t, std::string_view what);
// Error where the values of a captured tensor are asked for in bulk: what Python made of them would be frozen in the graph.
void check_not_captured(const Tensor& t, std::string_view method);
// Whether tolist() of the tensor gives numbers that the running capture computes.
bool lists_in_graph(const Tensor& t);

// Whether a tracer wants to record calls of functions that make tensors of nothing, and its answer for one of them. Else null.
nb::object traced_factory(PyObject* function, PyObject* const* args, Py_ssize_t n, PyObject* names);
bool records_factories();
void set_factory_hook(PyObject* hook);  // takes the reference; null for none

void init_symbolic(PyObject* module);

}  // namespace monograph::python
