// What an operator is in ONNX, as data: the text that a record states by .onnx("…"), read in both directions by passes/onnx.
//
//   .onnx("Softmax(self, axis=dim)")                              positional parts are inputs, named ones attributes
//   .onnx("Add(self, other) | Add(self, Mul(other, alpha))")      cases, tried in order
//   .onnx("Swish(self) if opset >= 24 | Mul(self, Sigmoid(self))")
//   .onnx("Relu")                                                 short for Relu(self): the arguments without a default, in order
//
// A small letter begins an argument of the schema, a capital one an operator of ONNX. On the way out a case stands where its conditions
// hold and every argument that it does not name has its default; on the way in an argument that it does not name gets its default.
// A number as an input is the 0-d constant of it, of the element type of the tensors beside it (of none: float32 where a number beside it is
// a float, else int64, of True and False bool); a list of numbers is the 1-d int64 constant. None is an input or attribute that is absent.
//
//   parts        name, *name (a list of tensors as inputs), 1, 0.5, "mean", True, torch.bool, [name, 0], Op(…), and
//                twice(list)             pads from PyTorch's padding
//                swapped(t, dim0, dim1)  the permutation of t's dims that swaps two
//                pads(list, t)           pads of all dims of t, whose rank is known, from PyTorch's list that begins at the last dim; none is negative
//                negative_length(list)   minus its length (out only)
//                ones(list)              sizes for Expand: 1 where PyTorch's expand says -1
//   conditions   after `if`, by commas: name = literal, name ~ literal (any value; this one on the way in), given(name) (not None),
//                opset >= n, rank(name) = n, one(t, dim) (that dim's size is 1), dense(name) (on the way in: no view is made of it before),
//                keeps(name) (the result has its dtype), floats(name) (its dtype is a floating one, or not known)
//   prefix       "out: " where the way back is no operator's own: another record's, or the operators that it is made of
//   results      "A(…); B(…)": one expression a result
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
  size_t argument = 0;  // place in the schema
  std::vector<OnnxExpr> parts;  // inputs, elements
  std::vector<OnnxAttribute> attributes;
  ir::Args literal;
  size_t operators() const;  // in it, at any depth
};

struct OnnxAttribute {
  std::string name;
  OnnxExpr value;
};

struct OnnxCondition {
  enum class Kind : uint8_t { Equal, Any, Given, Opset, Rank, One, Dense, Keeps, Floats } kind = Kind::Equal;
  size_t argument = 0, dim_argument = 0;  // the second: of One, the argument that says which dim
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

// Of a record with a rule; null for one that says none(…). Read once. Error (Value) with the column where the text is no rule.
const OnnxRule* onnx_rule(const Operator& op);

}  // namespace monograph
