// CPython's slots of binary operators, by the operators' names (ir/operators.h). Power is beside them: its slots take a third argument.
#pragma once

#include "ir/operators.h"
#include "python.h"

namespace monograph::python {

struct NumberSlots {
  std::string_view name;
  binaryfunc PyNumberMethods::* slot;
  binaryfunc PyNumberMethods::* inplace;
};
using N = PyNumberMethods;
inline constexpr NumberSlots kNumberSlots[] = {{"add", &N::nb_add, &N::nb_inplace_add},
                                               {"sub", &N::nb_subtract, &N::nb_inplace_subtract},
                                               {"mul", &N::nb_multiply, &N::nb_inplace_multiply},
                                               {"truediv", &N::nb_true_divide, &N::nb_inplace_true_divide},
                                               {"floordiv", &N::nb_floor_divide, &N::nb_inplace_floor_divide},
                                               {"mod", &N::nb_remainder, &N::nb_inplace_remainder},
                                               {"matmul", &N::nb_matrix_multiply, &N::nb_inplace_matrix_multiply},
                                               {"and_", &N::nb_and, &N::nb_inplace_and},
                                               {"or_", &N::nb_or, &N::nb_inplace_or},
                                               {"xor", &N::nb_xor, &N::nb_inplace_xor},
                                               {"lshift", &N::nb_lshift, &N::nb_inplace_lshift},
                                               {"rshift", &N::nb_rshift, &N::nb_inplace_rshift}};
inline constexpr size_t kNumberSlotCount = std::size(kNumberSlots);
inline constexpr std::string_view kComparisons[] = {"lt", "le", "eq", "ne", "gt", "ge"};  // in the order of Py_LT...

}  // namespace monograph::python
