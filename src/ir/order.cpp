// The order of a graph: every node and every block's begin and end carry a label, ascending as they stand in the text. Labels are spread out, so
// that putting something between two others is one division; where a gap is used up, the smallest surrounding range of labels that is thin
// enough is spread again (Bender et al., "Two simplified algorithms for maintaining order in a list"): O(log n) amortized.
#include "ir/graph.h"

namespace monograph::ir {

struct Graph::Place {
  Node* node = nullptr;  // or else
  Block* block = nullptr;  // its begin or end
  bool end = false;

  explicit operator bool() const { return node || block; }
  uint64_t& label() const { return node ? node->order_ : end ? block->end_ : block->begin_; }
  static Place last_of(Node* n) { return n->block_count_ ? Place{nullptr, n->blocks_[n->block_count_ - 1], true} : Place{n}; }
  static Place after(Node* n) { return n->next_ ? Place{n->next_} : Place{nullptr, n->block_, true}; }
  Place next() const {
    if (node) return node->block_count_ ? Place{nullptr, node->blocks_[0], false} : after(node);
    if (!end) return block->first_ ? Place{block->first_} : Place{nullptr, block, true};
    Node* owner = block->owner_;
    if (!owner) return {};
    return block->index_ + 1 < owner->block_count_ ? Place{nullptr, owner->blocks_[block->index_ + 1], false} : after(owner);
  }
  Place previous() const {
    if (node) return node->previous_ ? last_of(node->previous_) : Place{nullptr, node->block_, false};
    if (end) return block->last_ ? last_of(block->last_) : Place{nullptr, block, false};
    Node* owner = block->owner_;
    if (!owner) return {};
    return block->index_ > 0 ? Place{nullptr, owner->blocks_[block->index_ - 1], true} : Place{owner};
  }
};

namespace {
constexpr uint64_t kLastLabel = uint64_t{1} << 62;
constexpr uint64_t kNodeStep = uint64_t{1} << 20, kBlockStep = uint64_t{1} << 40;
}  // namespace

// Labels `at`, whose neighbours have labels; at most `step` behind the one before.
void Graph::put_in_order(const Place& at, uint64_t step) {
  Place left = at.previous(), right = at.next();
  uint64_t low = left.label(), high = right.label();
  if (high - low >= 2) {
    uint64_t half = (high - low) / 2;
    at.label() = low + (half < step ? half : step);
    return;
  }
  Place first = at, last = at;
  uint64_t count = 1;
  double bound = 1;
  for (int bits = 1; bits <= 62; ++bits) {
    bound *= 2 / 1.4;
    uint64_t start = low & ~((uint64_t{1} << bits) - 1), stop = start + ((uint64_t{1} << bits) - 1);
    for (; left && left.label() >= start; left = left.previous()) first = left, ++count;
    for (; right && right.label() <= stop; right = right.next()) last = right, ++count;
    if (static_cast<double>(count) > bound) continue;
    uint64_t gap = (stop - start + 1) / count, label = start;
    for (Place p = first;; p = p.next(), label += gap) {
      p.label() = label;
      if (p.node == last.node && p.block == last.block && p.end == last.end) return;
    }
  }
  MONOGRAPH_ASSERT(false);  // 2^40 nodes
}

void Graph::place_node(Node* node) { put_in_order({node}, kNodeStep); }

void Graph::place_block(Block* block) {
  if (!block->owner_) {
    block->begin_ = 0, block->end_ = kLastLabel;
    return;
  }
  // The end is labelled first, against what stands behind the block; so is the begin, once the end is there.
  Place begin{nullptr, block, false}, end{nullptr, block, true};
  uint64_t low = begin.previous().label();
  block->begin_ = low;  // stands for what is before it
  put_in_order(end, kBlockStep);
  put_in_order(begin, kNodeStep);
}

// After the node itself has moved: labels all that lies in its blocks, by taking everything out and putting it back in order.
void Graph::place_blocks_again(Node* node) {
  struct Frame {
    Node* node;
    Block** blocks;
    uint32_t count;
    uint32_t next = 0;
    std::vector<Node*> nodes = {};
    size_t at = 0;
  };
  std::vector<Frame> stack;
  auto enter = [&](Node* n) {
    stack.push_back({n, n->blocks_, n->block_count_});
    n->block_count_ = 0;
  };
  enter(node);
  while (!stack.empty()) {
    Frame& f = stack.back();
    if (f.at < f.nodes.size()) {
      Node* n = f.nodes[f.at++];
      Block* b = n->block_;
      n->previous_ = b->last_, n->next_ = nullptr;
      (b->last_ ? b->last_->next_ : b->first_) = n;
      b->last_ = n;
      uint32_t blocks = n->block_count_;
      n->block_count_ = 0;
      place_node(n);
      n->block_count_ = blocks;
      if (blocks) enter(n);
    } else if (f.next < f.count) {
      Block* b = f.blocks[f.next++];
      f.nodes.assign(b->begin(), b->end());
      f.at = 0;
      b->first_ = b->last_ = nullptr;
      f.node->block_count_ = f.next;
      place_block(b);
    } else {
      stack.pop_back();
    }
  }
}

}  // namespace monograph::ir
