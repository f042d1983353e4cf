// Walking a block and all below it, without recursion.
#pragma once

#include <vector>

#include "ir/graph.h"

namespace monograph::ir {

// Calls visit(node) for every node in order, a node before its blocks, and leave(block) behind the last node of each block, the top one included.
// visit may erase or move the node that it is given and what stands before it, not what comes.
template <class Visit, class Leave>
void walk(Block* top, Visit&& visit, Leave&& leave) {
  std::vector<std::pair<Block*, Node*>> stack{{top, top->first()}};
  while (!stack.empty()) {
    auto [block, n] = stack.back();
    if (n) {
      stack.back().second = n->next();
      visit(n);
      if (!n->erased() && n->block_count()) stack.emplace_back(n->block(0), n->block(0)->first());
      continue;
    }
    leave(block);
    stack.pop_back();
    if (stack.empty()) return;
    Node* owner = block->owner();
    if (block->index() + 1 < owner->block_count())
      stack.emplace_back(owner->block(block->index() + 1), owner->block(block->index() + 1)->first());
  }
}

}  // namespace monograph::ir
