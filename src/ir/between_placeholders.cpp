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

Node* behind_projections(const Node* node) {
  Node* n = node->next();
  while (n && n->is_projection()) n = n->next();
  return n;
}

}  // namespace

// What comes behind the node in torch.fx's order. A node that is inserted behind this one goes before it.
Node* Graph::next_in_order(const Node* node) const {
  const bool is_placeholder = node->op_ == Op::Placeholder;
  const auto own = placeholder_before_.find(node);
  if (placeholder_before_.empty() || node->block_ != root_ || (!is_placeholder && own == placeholder_before_.end())) return node->next_;
  const Node* before = is_placeholder ? node : own->second;  // null: the next placeholder is the first one
  const auto stands_behind_it = [&](const Node* n) {
    const auto at = placeholder_before_.find(n);
    return at != placeholder_before_.end() && at->second == before;
  };
  Node* next = is_placeholder ? behind_placeholders(root_) : behind_projections(node);
  while (is_placeholder && placeholder_before_.contains(next) && !stands_behind_it(next)) next = behind_projections(next);
  if (stands_behind_it(next)) return next;
  Node* placeholder = before ? before->next_ : root_->first_;
  return placeholder && placeholder->op_ == Op::Placeholder ? placeholder : next;
}

// Where a node stands that is inserted right before the placeholder: behind those that come before the placeholder.
Node* Graph::position_before_placeholder(const Node* placeholder) const {
  Node* n = behind_placeholders(placeholder->block_);
  for (auto at = placeholder_before_.find(n); at != placeholder_before_.end() && (!at->second || at->second->is_before(placeholder));
       at = placeholder_before_.find(n))
    n = behind_projections(n);
  return n;
}

// Called with the node before which another one was inserted.
void Graph::note_position(const Node* node, const Node* before) {
  if (!before || before->block_ != root_ || node->block_ != root_ || node->op_ == Op::Placeholder || node->op_ == Op::Output) return;
  if (before->op_ == Op::Placeholder) placeholder_before_[node] = before->previous_;
  else if (const auto at = placeholder_before_.find(before); at != placeholder_before_.end()) placeholder_before_[node] = at->second;
}

// Called for a node that leaves its place. What follows a placeholder follows the one before it then.
void Graph::forget_position(const Node* node) {
  placeholder_before_.erase(node);
  if (node->op_ != Op::Placeholder) return;
  for (auto& [other, placeholder] : placeholder_before_)
    if (placeholder == node) placeholder = node->previous_;
}

}  // namespace monograph::ir
