// Converts a graph to a graph of onnx:: nodes and back, by the rules of the operator records (ops/onnx_rule.h).
//
//   %y = aten::softmax.int(%x, 1)      →      %y = onnx::Softmax(%x, axis=1)
//   %z = aten::silu(%y)                →      %s = onnx::Sigmoid(%y)
//                                             %z = onnx::Mul(%y, %s)
//
// The graph of onnx:: nodes is an ordinary one that prints and parses: positional arguments are inputs, keywords attributes. A number, or a
// list of numbers and int nodes, in the place of an input is the constant that ops/onnx_rule.h says. Files are read and written elsewhere.
#pragma once

#include <memory>
#include <string>

#include "ir/graph.h"

namespace monograph::passes {

inline constexpr int kOnnxOpset = 23;

struct OnnxGraph {
  std::unique_ptr<ir::Graph> graph;
  int opset = kOnnxOpset;
};

// Operators that ONNX lacks are replaced by those that they are made of (passes/decompose.h); a write to a tensor that nothing else shows becomes
// its functional form. Error (NotImplemented) names, with its place in the program, a node for which neither is possible.
OnnxGraph to_onnx(const ir::Graph& graph, int opset = kOnnxOpset);

// Nodes that form one operator (Mul and Sigmoid: silu) become this operator. The largest match wins, then the earlier record.
// Attributes are not completed: the reader of a file must fill in ONNX's defaults first.
std::unique_ptr<ir::Graph> from_onnx(const OnnxGraph& onnx);

// Why a call has no counterpart in this opset; "" if it has one.
std::string why_not_onnx(const ir::Node& node, int opset = kOnnxOpset);

}  // namespace monograph::passes
