// The hooks by which autograd works inside of a capture: the tensors that it saves from the forward pass are values of the graph, sizes are symbols, and
// changes of requires_grad become nodes.
#include "capture/functions.h"
#include "capture/writer.h"

namespace monograph::capture {
namespace {

void note_saved(const Tensor& value, const Tensor& copy, bool before_write) {
  Session* s = current_session();
  if (!s || s->symbolic) return;
  if (!before_write) return s->writer.note_copy(copy, value);
  // After a write, the tensor's node stands for the new value. So the old value, which is saved, gets a node of its own: a clone before the write.
  if (!s->writer.find(value)) return;
  IValue arg[] = {value, nullptr};
  s->writer.name(copy, s->writer.append(find_operator("aten::clone"), arg));
}

Sizes sizes(const Tensor& t) {
  Session* s = current_session();
  return s ? s->writer.sizes(t) : Sizes(SizesRef(t.sizes()));
}

bool ranked(const Tensor& t) {
  Session* s = current_session();
  return !s || s->writer.ranked(t);
}

const IValue* arguments(const Tensor& saved_result) {
  Session* s = current_session();
  return s ? s->writer.arguments(saved_result) : nullptr;
}

// The plain number of a symbolic one, to which the capture is specialized.
IValue plain(const IValue& v) {
  if (symbolic_value(v)) return demand(v);
  auto size = symbolic_size(v);
  Session* s = current_session();
  if (!size || !s) return {};
  s->writer.specialize(*size);
  return *size->symint()->hint();
}

void specialize(const Size& size) {
  if (Session* s = current_session()) s->writer.specialize(size);
}

Size broadcast(const Size& a, const Size& b) {
  Session* s = current_session();
  MONOGRAPH_CHECK(s, NotImplemented, "the sizes ", to_string(a), " and ", to_string(b),
                  " broadcast, but which of them is 1 is not known before the graph runs");
  return s->writer.broadcast(a, b);
}

// The view nodes from a base to `view`, the last one first. Empty where other operators are between them.
std::vector<ir::Node*> views_between(const ir::Node* base, ir::Node* view) {
  std::vector<ir::Node*> chain;
  for (ir::Node* n = view; n != base; n = n->input(0)) {
    const auto* op = dynamic_cast<const Operator*>(n->info());
    if (!op || !op->is_view || n->multi() || !n->input_count()) return {};
    chain.push_back(n);
  }
  return chain;
}

RepeatViews repeat_views(const Tensor& base, const Tensor& view) {
  Session* s = current_session();
  if (!s || s->symbolic) return {};
  ir::Node *from = s->writer.find(base), *to = s->writer.find(view);
  if (!from || !to) return {};
  std::vector<ir::Node*> chain = views_between(from, to);
  if (chain.empty()) return {};
  return [from, chain = std::move(chain), id = s->writer.id](const Tensor& whole, const Tensor& part) {
    Session* session = current_session();
    MONOGRAPH_CHECK(session && session->writer.id == id, Runtime,
                    "a tensor was written while one function was captured, and its gradient is taken while another one is captured; "
                    "compute the gradient in the same capture");
    session->writer.name(part, session->writer.copy_calls(from, chain, session->writer.find(whole)));
  };
}

// requires_grad_() was called: from here on the tensor stands for a new node, at which gradients stop or which gets one. A tensor that the function did not make
// keeps its node: its flag is read when the graph runs.
void requires_grad(const Tensor& t, bool flag) {
  Session* s = current_session();
  if (!s || backward_is_running()) return;
  const bool symbolic = t->kind == TensorImpl::Kind::Symbolic;
  if (!symbolic && !s->writer.find(t) && !(flag && s->writer.is_made(t))) return;
  const IValue arg[] = {t};
  ir::Node* node = s->writer.append(find_operator(flag ? "prim::with_grad" : "aten::detach"), arg);
  if (symbolic) static_cast<SymbolicTensor*>(t.impl())->node = node;
  else s->writer.name(t, node);
}

}  // namespace

void install_gradient_hooks() {
  install_function_hooks();
  dispatch_hooks().saved_for_backward = note_saved;
  dispatch_hooks().arguments = arguments;
  plain_number = plain;
  dispatch_hooks().sizes = sizes;
  dispatch_hooks().ranked = ranked;
  dispatch_hooks().specialize = specialize;
  dispatch_hooks().broadcast = broadcast;
  dispatch_hooks().repeat_views = repeat_views;
  requires_grad_hook = requires_grad;
}

}  // namespace monograph::capture
