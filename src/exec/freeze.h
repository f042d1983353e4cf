// What graphs read in their modules: whether they ask for the mode, and jit.freeze, after which a graph holds what it read.
#pragma once

#include <memory>

#include "ir/unit.h"

namespace monograph::exec {

// A copy of the graph in which each get_attr is a constant. Tensors are copied. Error (Runtime or NotImplemented) where the graph assigns attributes or
// reads what is no constant.
std::unique_ptr<ir::Graph> frozen(const ir::Graph& graph, const ir::Unit& unit);

// Whether the graph reads or assigns attributes that live in modules, which are no constants.
bool assigns_attributes(const ir::Graph& graph, const ir::Unit& unit);

// Whether the graph computes something else in training than in evaluation: it reads the mode of a module when it runs.
bool reads_mode(const ir::Graph& graph, const ir::Unit& unit);

// Sets the mode of each module of the graph's Unit, for all of its functions. False, and nothing is set, where the graph reads no mode. Not while a graph of the Unit
// runs in another thread.
bool set_mode(ir::Graph& graph, bool training);

}  // namespace monograph::exec
