// Nodes that are inserted between two placeholders. In torch.fx they stand there. Here placeholders come first, and such nodes stand behind the last one, in the
// order that they have in torch.fx: for placeholders x and y, a node inserted after x comes before one that is inserted after y, and may be its input.
#include "graph.h"

namespace monograph::ir {
namespace {

Node* behind_placeholders(const Block* block) {
  Node* n = block->first();
  while (n && n->op() == Op::Placeholder) n = n->next();
  return n;
}

Node* behind_projections(Node* n) {
  do n = n->next();
  while (n && n->is_projection());
  return n;
}

}  // namespace

// What comes behind the node in torch.fx's order. A node that is inserted behind this one goes before it.
Node* Graph::next_in_order(const Node* node) const {
  Node* next = node->next_;
  if (followed_.empty() || node->block_ != root_) return next;
  const auto own = followed_.find(node);
  if (node->op_ != Op::Placeholder && own == followed_.end()) return next;
  const Node* after = node->op_ == Op::Placeholder ? node : own->second;
  if (node->op_ == Op::Placeholder) {
    next = behind_placeholders(root_);
    const auto found = [&] { return next ? followed_.find(next) : followed_.end(); };
    for (auto at = found(); at != followed_.end() && at->second != after; at = found()) next = behind_projections(next);
  } else {
    while (next && next->projection_) next = next->next_;
  }
  if (const auto at = next ? followed_.find(next) : followed_.end(); at != followed_.end() && at->second == after) return next;
  Node* placeholder = after ? after->next_ : root_->first_;
  return placeholder && placeholder->op_ == Op::Placeholder ? placeholder : next;
}

// Where a node stands that is inserted right before the placeholder: behind those that come before the placeholder.
Node* Graph::position_before_placeholder(const Node* placeholder) const {
  Node* n = behind_placeholders(placeholder->block_);
  for (auto at = n ? followed_.find(n) : followed_.end(); at != followed_.end(); at = n ? followed_.find(n) : followed_.end()) {
    if (at->second && !at->second->is_before(placeholder)) break;
    n = behind_projections(n);
  }
  return n;
}

// Called with the node before which another one was inserted.
void Graph::note_position(const Node* node, const Node* before) {
  if (!before || before->block_ != root_ || node->block_ != root_ || node->op_ == Op::Placeholder || node->op_ == Op::Output) return;
  if (before->op_ == Op::Placeholder) followed_[node] = before->previous_;
  else if (const auto at = followed_.find(before); at != followed_.end()) followed_[node] = at->second;
}

// Called for a node that leaves its place. What follows a placeholder follows the one before it then.
void Graph::forget_position(const Node* node) {
  followed_.erase(node);
  if (node->op_ != Op::Placeholder) return;
  for (auto& [other, placeholder] : followed_)
    if (placeholder == node) placeholder = node->previous_;
}

}  // namespace monograph::ir
