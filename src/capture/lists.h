// Lists whose length a graph computes: what a loop appends to, and lists of other lengths in the two ways of a branch. Each is one value of the graph, made
// by prim::ListConstruct; aten::add.t gives a longer one.
#pragma once

#include <optional>
#include <string>

#include "capture/writer.h"

namespace monograph::capture {

// The type that a number has for the program: a size is an int.
ir::Type number_type(ir::Type t);
// A list of Python, or one that a graph computes.
bool is_list_value(const IValue& v);
// The common type of the list's elements: tensors of one dtype and number of dims, or numbers of one kind. No type for an empty list. If there is no common
// type, `why` says so.
ir::Type element_type(const Writer& writer, const IValue& list, std::string& why);
ir::Type join_elements(ir::Type a, ir::Type b, std::string& why);
// The list's node, made at the insert point if it has none. `element` is the type of its elements.
ir::Node* list_node(Writer& writer, const IValue& list, ir::Type element);
// The list in the example; None where one of its elements is not known.
IValue list_hint(const IValue& list);
// a + b as one value of the graph; nothing if their elements have no type in common.
std::optional<IValue> joined_lists(Writer& writer, const IValue& a, const IValue& b);
// Whether an argument is a list that the graph computes. Then a list among the results is one value of the graph too.
bool takes_list_value(const Operator& op, const IValue* args);

}  // namespace monograph::capture
