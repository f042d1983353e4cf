// Calls reach this interpreter through a hook in dispatch. A call with a symbolic tensor becomes a node; its result is a symbolic tensor of the type
// that inference gives.
#include "capture/symbolic.h"

namespace monograph::capture {

void append_symbolic(Writer& writer, const Operator& op, const IValue* args, IValue* results) {
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
    else results[k] = Ref<ObjectBox>(new SymbolicValue(value, {}));
  }
}

void install_symbolic_hook() {
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
}

}  // namespace monograph::capture
