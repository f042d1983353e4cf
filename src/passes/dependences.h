// Which nodes of a block must keep their order, and nothing more.
//
// Every effect is an access to one of six states. A state has versions: a node that writes it takes one and leaves the next, a node that reads it
// takes the one that stands there. Two nodes keep their order where one uses the other's value, or where one writes a state that the other
// reads or writes; what may raise on data counts as a reader of every state, so that it passes no write. All else may swap.
//
// So a block is a graph of values and versions, the order in which its nodes stand is one of many that fit it, and what is computed from this
// class alone is the same for each of them.
#pragma once

#include <span>
#include <vector>

#include "ir/graph.h"

namespace monograph::passes {

class Dependences {
 public:
  enum State : uint8_t {
    Memory =
        ir::Effects::Memory,  // where it is written anywhere in the graph, every call that is given more than numbers counts as a reader
    Random = ir::Effects::Random,
    Console = ir::Effects::Console,
    Mode = ir::Effects::Mode,
    Failure = 16,  // written by what is there to raise: which of two failures is seen first can be observed
    Foreign = 32,  // written by what runs code that we do not see
  };
  static constexpr int kStates = 6;

  explicit Dependences(const ir::Graph& graph);

  // Of a node with its blocks: the states whose versions its value depends on, whose versions it stands at (the former, and all of them where it
  // may raise), and that it writes.
  uint8_t reads(const ir::Node* n) const { return access_[n->id()].reads; }
  uint8_t stands_at(const ir::Node* n) const { return access_[n->id()].stands_at; }
  uint8_t writes(const ir::Node* n) const { return access_[n->id()].writes; }

  // The nodes of n's block that must come before it besides those whose values it uses: the makers of the versions that it stands at or writes
  // over, each once, in the order of the states; and the nodes that stand at versions that it writes over, in no particular order. A block's
  // output stands at the last version of every state.
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
  void find_access(const ir::Graph& graph);
  void find_order(const ir::Block* block);
  void find_captures(const ir::Graph& graph);

  std::vector<Access> access_;  // by id
  std::vector<Range> range_;
  std::vector<ir::Node*> edges_, captures_;
};

// The node that makes a value: itself, or what a projection projects.
inline ir::Node* producer(ir::Node* value) { return value->is_projection() ? value->projected() : value; }

// Which inputs stand in each argument: those of argument k are first[k] to first[k + 1].
std::vector<uint32_t> inputs_by_argument(const ir::Node* n);

// Puts every node before each If and Loop that it does not depend on. What can come before a block so does, and is seen there.
void hoist_over_blocks(ir::Graph& graph, const Dependences& dependences);

}  // namespace monograph::passes
