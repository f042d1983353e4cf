// How an operator is written in ONNX, as data: the text that a record states by .onnx("…"). passes/onnx reads it in both directions, for export and import.
//
//   .onnx("Softmax(self, axis=dim)")                              positional parts are inputs, named ones attributes
//   .onnx("Add(self, other) | Add(self, Mul(other, alpha))")      cases, tried in order
//   .onnx("Swish(self) if opset >= 24 | Mul(self, Sigmoid(self))")
//   .onnx("Relu")                                                 short for Relu(self): the arguments without a default, in order
//
// A name that begins with a small letter is an argument of the schema; one that begins with a capital letter is an operator of ONNX. On export, a case applies
// if its conditions hold and every argument that it does not name has its default. On import, an argument that it does not name gets its default.
// A number as an input becomes a 0-d constant of the element type of the tensors beside it. Without tensors it is bool for True and False, float32 if a number
// beside it is a float, else int64. A list of numbers becomes a 1-d int64 constant. None is an input or attribute that is absent.
//
//   parts        name, *name (a list of tensors as inputs), 1, 0.5, "mean", True, torch.bool, [name, 0], Op(…), and
//                twice(list)             pads from PyTorch's padding
//                swapped(t, dim0, dim1)  the permutation of t's dims that swaps two
//                pads(list, t)           pads of all dims of t, whose rank is known, from PyTorch's list that begins at the last dim; none is negative
//                negative_length(list)   minus its length (export only)
//                ones(list)              sizes for Expand: 1 where PyTorch's expand says -1
//   conditions   after `if`, separated by commas: name = literal, name ~ literal (on export any value, on import this one), given(name) (not None),
//                opset >= n, rank(name) = n, one(t, dim) (that dim's size is 1), dense(name) (on import: it is not a view),
//                keeps(name) (the result has its dtype), floats(name) (its dtype is a floating one, or not known)
//   prefix       "out: ": the rule is for export only; import reads these ONNX operators as another record, or as several
//   results      "A(…); B(…)": one expression for each result
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ops/record.h"

namespace monograph {

struct OnnxAttribute;

struct OnnxExpr {
  enum class Kind : uint8_t { Operator, Argument, Spread, Literal, List, Function } kind = Kind::Literal;
  std::string name;  // of an operator or function
  size_t argument = 0;  // its position in the schema
  std::vector<OnnxExpr> parts;  // inputs of an operator or function, elements of a list
  std::vector<OnnxAttribute> attributes;
  ir::Args literal;
  size_t operators() const;  // how many operators it holds, at any depth
};

struct OnnxAttribute {
  std::string name;
  OnnxExpr value;
};

struct OnnxCondition {
  enum class Kind : uint8_t { Equal, Any, Given, Opset, Rank, One, Dense, Keeps, Floats } kind = Kind::Equal;
  size_t argument = 0, dim_argument = 0;  // dim_argument: for One, the argument that names the dim
  int64_t number = 0;
  ir::Args literal;
};

struct OnnxCase {
  std::vector<OnnxExpr> results;
  std::vector<OnnxCondition> conditions;
  std::vector<bool> named;  // arguments that an expression or condition names
};

struct OnnxRule {
  std::vector<OnnxCase> cases;
  bool both_ways = true;
};

// The rule of an operator; null if its record states none("…"). It is parsed once. Error (Value) with the column if the text is no valid rule.
const OnnxRule* onnx_rule(const Operator& op);

}  // namespace monograph
