// Types of nodes that an edit made or changed: inferred when they are asked for.
#pragma once

#include "graph.h"

namespace monograph::python {

// The type of a node, inferred from those of its inputs where an edit left it out; null where it cannot be known. A type that rests on what a pass
// noted in `meta` (ShapeProp, FakeTensorProp) is given but not kept, since the next run of the pass may note something else.
ir::Type type_of_node(GraphObject* graph, ir::Node* node);
// Infers the types that edits of the graph left out, where they can be known. Only of a graph whose inputs have types.
void infer_missing_types(GraphObject* graph);

// Around a change of what the node calls, or calls it with: afterwards, the types that follow from it are those of the new call.
class TypesFollow {
 public:
  TypesFollow(GraphObject* graph, ir::Node* node) : graph_(graph), node_(node), before_(node->type()) {}
  void done();

 private:
  GraphObject* graph_;
  ir::Node* node_;
  ir::Type before_;
};

}  // namespace monograph::python
