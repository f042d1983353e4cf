// Finds which nodes of a block must keep their order.
//
//   %a = aten::rand([2])         writes the state Random: version 0 to version 1
//   %b = aten::relu(%x)          touches no state: it may stand anywhere after %x
//   %c = aten::rand([2])         writes Random, from version 1: it must stay after %a
//
// Every effect reads or writes one of six states. A node that writes a state makes its next version; a node that reads a state reads the version
// before it. Two nodes keep their order if one uses the other's value, or if one writes a state that the other reads or writes. A node that may raise
// on data counts as a reader of every state. All other nodes may swap.
//
// So a block is a graph of values and versions. Many orders of its nodes fit this graph. This class gives the same answers for each of them.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

class Dependences {
 public:
  enum State : uint8_t {
    Memory = ir::Effects::Memory,  // in a graph that writes memory, every call with an argument other than numbers is a reader
    Random = ir::Effects::Random,
    Console = ir::Effects::Console,
    Mode = ir::Effects::
        Mode,  // in a graph that switches gradients, the same calls are readers: whether their results require grad depends on it
    Failure = 16,  // written by nodes whose purpose is to raise: a program can observe which of two failures comes first
    Foreign = 32,  // written by nodes that run foreign code
  };
  static constexpr int kStates = 6;

  // effects: returns the effects of a node, for a caller that knows more than the operators' records.
  explicit Dependences(const ir::Graph& graph, const std::function<ir::Effects(const ir::Node&)>& effects = ir::own_effects);

  // For a node with its blocks: the states that its value depends on; the states whose version must not change before it (these, or all of them if it
  // may raise); and the states that it writes.
  uint8_t reads(const ir::Node* n) const { return access_[n->id()].reads; }
  uint8_t stands_at(const ir::Node* n) const { return access_[n->id()].stands_at; }
  uint8_t writes(const ir::Node* n) const { return access_[n->id()].writes; }

  // The nodes of n's block that must come before n, besides those whose values it uses. writers: the nodes that made the versions that n reads or
  // overwrites, each once, in the order of the states. readers: the nodes that read the versions that n overwrites, in no particular order. A block's
  // output reads the last version of every state.
  std::span<ir::Node* const> writers(const ir::Node* n) const { return {edges_.data() + range_[n->id()].first, range_[n->id()].writers}; }
  std::span<ir::Node* const> readers(const ir::Node* n) const {
    return {edges_.data() + range_[n->id()].first + range_[n->id()].writers, range_[n->id()].readers};
  }
  // The nodes of n's block whose values are used in n's blocks, with repetitions, in no particular order.
  std::span<ir::Node* const> captures(const ir::Node* n) const {
    return {captures_.data() + range_[n->id()].captures, range_[n->id()].captured};
  }

 private:
  struct Access {
    uint8_t reads = 0, stands_at = 0, writes = 0;
  };
  struct Range {
    uint32_t first = 0, writers = 0, readers = 0;  // in edges_
    uint32_t captures = 0, captured = 0;
  };
  void find_access(const ir::Graph& graph, const std::function<ir::Effects(const ir::Node&)>& effects);
  void find_order(const ir::Block* block);
  void find_captures(const ir::Graph& graph);

  std::vector<Access> access_;  // by id
  std::vector<Range> range_;
  std::vector<ir::Node*> edges_, captures_;
};

// The node that makes a value: itself, or what a projection projects.
inline ir::Node* producer(ir::Node* value) { return value->is_projection() ? value->projected() : value; }

// Which inputs each argument contains: those of argument k are first[k] to first[k + 1].
std::vector<uint32_t> inputs_by_argument(const ir::Node* n);

// Moves every node before each If and Loop that it does not depend on, so that passes see it when they enter the blocks.
void hoist_over_blocks(ir::Graph& graph, const Dependences& dependences);

}  // namespace monograph::passes
