// Calls reach this dispatch mode through a hook in dispatch. A call with a symbolic tensor becomes a node; its result is a symbolic tensor of the type
// that inference gives.
#include "capture/symbolic.h"

#include "capture/tracer.h"

namespace monograph::capture {

void append_symbolic(Writer& writer, const Operator& op, const IValue* args, IValue* results) {
  if (op.changes_geometry) {
    const Tensor& self = args[0].as_tensor();
    check_reshaped(op, writer, self->kind == TensorImpl::Kind::Symbolic ? writer.find(self) : nullptr);
    IValue view;
    append_symbolic(writer, *op.reshapes, args, &view);
    static_cast<SymbolicTensor*>(self.impl())->node = writer.find(view.as_tensor());
    results[0] = args[0];
    return;
  }
  const ir::FunctionSchema& schema = op.schema();
  ir::Node* node = nullptr;
  try {
    node = writer.append(op, args);
  } catch (Error& e) {
    if (writer.location) e.locate(writer.location());
    throw;
  }
  for (size_t k = 0; k < schema.returns().size(); ++k) {
    int argument = -1;
    for (size_t i = 0; i < schema.arguments().size() && argument < 0; ++i)
      if (schema.returns_argument(k, i)) argument = static_cast<int>(i);
    if (argument >= 0) {
      results[k] = args[argument];
      continue;
    }
    ir::Node* value = node->multi() ? writer.graph.project(node, k) : node;
    ir::Type type = schema.returns()[k].type;
    if (type.is(ir::TypeKind::Variable)) type = value->type();  // an element of a list is what the list holds
    bool tensor = type.is(ir::TypeKind::Tensor) || (type.is(ir::TypeKind::Optional) && type.element().is(ir::TypeKind::Tensor));
    if (tensor) results[k] = writer.symbolic(value);
    else results[k] = writer.number(value, {});
  }
}

void SymbolicTracer::call(const Operator& op, const IValue* args, IValue* results) {
  append_symbolic(writer_, op, args, results);
  // What cond and while_loop compute under no_grad carries no gradient in the graph either.
  static const Operator& detach = find_operator("aten::detach");
  if (!writer_.region_uses || dispatch_state().grad_enabled || !writer_.detaches() || op.constant) return;
  for (size_t k = 0; k < op.schema().returns().size(); ++k) {
    bool is_argument = !results[k].is_tensor();
    for (size_t i = 0; i < op.schema().arguments().size(); ++i) is_argument |= op.schema().returns_argument(k, i);
    if (!is_argument && is_floating(results[k].as_tensor().dtype())) append_symbolic(writer_, detach, &results[k], &results[k]);
  }
}

namespace {
bool set_hooks() {
  dispatch_hooks().symbolic = [](const Operator& op, const IValue* args, IValue* results) {
    Session* s = current_session();
    MONOGRAPH_CHECK(s, Runtime, "[", op.name(),
                    "] a symbolic tensor is used outside of its capture, where it has no value; capture this code too, or run the graph");
    append_symbolic(s->writer, op, args, results);
  };
  dispatch_hooks().number = [](const Tensor& t) -> IValue {
    Session* s = current_session();
    if (!s || !s->writer.may_change(t)) return {};
    static const Operator& item = find_operator("aten::item");
    IValue arg = t, result;
    call(item, &arg, &result);
    return result;
  };
  return true;
}
// Set when the program starts: other threads call operators, which read the hooks, while one of them begins a capture.
const bool g_hooks_are_set = set_hooks();
}  // namespace

void install_symbolic_hook() {
  if (!g_hooks_are_set) set_hooks();  // a capture while the program starts
}

}  // namespace monograph::capture
