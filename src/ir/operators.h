// Python's operators: their names in its module `operator`, their symbols, and which of aten's operators they are.
//
// One table. The code that graphs print, the meaning of operator.* in a graph, the slots of Python's types and (as monograph._C._python_operators)
// torch.fx's proxies and the stubs follow from it.
#pragma once

#include <cstdint>
#include <string_view>

namespace monograph::ir {

enum class OperatorForm : uint8_t { Unary, Binary, Comparison, GetItem, SetItem };

struct PythonOperator {
  std::string_view name;  // "and_" of operator.and_
  std::string_view symbol;  // empty where code spells it as a call
  OperatorForm form;
  std::string_view tensors;  // what it is on tensors
  std::string_view numbers;  // on numbers and lists that a graph computes, of aten unless it says; empty where there is none
  std::string_view reflected;  // on a number and a tensor: an operator that takes the tensor first

  // "and" of __and__, __rand__, __iand__ and operator.iand.
  constexpr std::string_view stem() const { return name.ends_with('_') ? name.substr(0, name.size() - 1) : name; }
};

// Every binary one has an in-place form: of "add", "+" and add that is "iadd", "+=" and add_, or add where there is no add_.
inline constexpr PythonOperator kPythonOperators[] = {
    {"add", "+", OperatorForm::Binary, "add", "add", "add"},
    {"sub", "-", OperatorForm::Binary, "sub", "sub", "rsub"},
    {"mul", "*", OperatorForm::Binary, "mul", "mul", "mul"},
    {"truediv", "/", OperatorForm::Binary, "div", "div", ""},
    {"floordiv", "//", OperatorForm::Binary, "floor_divide", "floordiv", ""},
    {"mod", "%", OperatorForm::Binary, "remainder", "remainder", ""},
    {"pow", "**", OperatorForm::Binary, "pow", "pow", ""},
    {"matmul", "@", OperatorForm::Binary, "matmul", "", ""},
    {"and_", "&", OperatorForm::Binary, "bitwise_and", "__and__", "bitwise_and"},
    {"or_", "|", OperatorForm::Binary, "bitwise_or", "__or__", "bitwise_or"},
    {"xor", "^", OperatorForm::Binary, "bitwise_xor", "__xor__", "bitwise_xor"},
    {"lshift", "<<", OperatorForm::Binary, "bitwise_left_shift", "__lshift__", ""},
    {"rshift", ">>", OperatorForm::Binary, "bitwise_right_shift", "__rshift__", ""},
    {"lt", "<", OperatorForm::Comparison, "lt", "lt", "gt"},
    {"le", "<=", OperatorForm::Comparison, "le", "le", "ge"},
    {"eq", "==", OperatorForm::Comparison, "eq", "eq", "eq"},
    {"ne", "!=", OperatorForm::Comparison, "ne", "ne", "ne"},
    {"gt", ">", OperatorForm::Comparison, "gt", "gt", "lt"},
    {"ge", ">=", OperatorForm::Comparison, "ge", "ge", "le"},
    {"neg", "-", OperatorForm::Unary, "neg", "neg", ""},
    {"pos", "+", OperatorForm::Unary, "positive", "", ""},
    {"invert", "~", OperatorForm::Unary, "bitwise_not", "", ""},
    {"inv", "", OperatorForm::Unary, "bitwise_not", "", ""},
    {"abs", "", OperatorForm::Unary, "abs", "prim::abs", ""},
    {"not_", "", OperatorForm::Unary, "", "__not__", ""},
    {"getitem", "[]", OperatorForm::GetItem, "_getitem", "__getitem__", ""},
    {"setitem", "[]=", OperatorForm::SetItem, "", "", ""},
};

struct OperatorUse {
  const PythonOperator* row = nullptr;
  bool inplace = false;
  constexpr explicit operator bool() const { return row; }
};

// By its name in the module, "add" or "iadd"; without a row where there is none.
constexpr OperatorUse find_python_operator(std::string_view name) {
  for (const PythonOperator& o : kPythonOperators) {
    if (name == o.name) return {&o, false};
    if (o.form == OperatorForm::Binary && name.starts_with('i') && name.substr(1) == o.stem()) return {&o, true};
  }
  return {};
}
// Of a call's target: "operator.add", or "_operator.add", as pickled functions are called.
constexpr OperatorUse python_operator(std::string_view target) {
  for (std::string_view module : {"operator.", "_operator."})
    if (target.starts_with(module)) return find_python_operator(target.substr(module.size()));
  return {};
}

}  // namespace monograph::ir
