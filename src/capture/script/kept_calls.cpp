// Graphs for people to read: `.code` shows what the program's text says, so calls of functions and methods stay calls, and what a module holds is read where
// the text reads it. A call that cannot stay one, such as that of a function with *args, has its body in place here too.
#include "capture/script/compiler.h"
#include "capture/script/function_compiler.h"

namespace monograph::capture::script {

using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

// The module as an object: what the read of it gave, or its path from the root.
ScriptValue FunctionCompiler::holder_of(const TextRange& at, const ScriptValue& module) {
  if (module.arg.size() == 0) return module_object(at, module_of(module).path);
  ScriptValue object;
  object.arg = module.arg, object.type = Type::named(TypeKind::Class, ir::kModuleObject);
  return object;
}

ScriptValue FunctionCompiler::kept_attribute(const Expr& e, const ScriptValue& module, const std::string& attribute,
                                             const HostValue& held) {
  using Kind = HostValue::Kind;
  auto read = [&](Type type) { return read_attribute(e.range, holder_of(e.range, module), attribute, type); };
  if (held.kind == Kind::State) return read(held.type);
  if (held.kind == Kind::Tensor) return read(held.type ? held.type : Type(TypeKind::Tensor));
  ScriptValue value = from_host(e, held);
  if (held.kind == Kind::Module) value.arg = read(Type::named(TypeKind::Class, ir::kModuleObject)).arg;
  if (held.kind == Kind::Method && held.self == module.id) value.parts[0] = module;
  if (held.kind == Kind::Container || held.kind == Kind::Constant)
    note_container(value, {module.id, attribute, frame_->function.source, e.range});
  return value;
}

// What the function returns: as it declares, or as its body says.
Type FunctionCompiler::kept_result(const HostFunction& f, const ScriptValue* self) {
  FunctionFrame frame;
  frame.function = f, frame.name = f.function->name;
  if (f.function->returns) {
    FunctionFrame* caller = std::exchange(frame_, &frame);
    const Type type = annotation(*f.function->returns);
    frame_ = caller;
    // The library's Any stands for what the body gives: Sequential.forward.
    if (!f.library || !type.is(TypeKind::Any)) return type;
  }
  const std::pair key(f.function, self ? self->id : -1);
  if (const auto known = host_.returns.find(key); known != host_.returns.end()) return known->second;
  const std::unique_ptr<ir::Graph> body = self ? script::compile_method(host_, f, self->id) : compile_function(host_, f);
  const Node* end = body->output();
  Type type = TypeKind::None;
  if (end && end->arg_count()) type = widened(ir::type_of(end->arg(0)));
  return host_.returns.emplace(key, type).first->second;
}

// The arguments with the types that the function declares, and its defaults; false where one is no value of the graph.
bool FunctionCompiler::bind_kept(const Expr& e, const HostFunction& f, const Given& given, Args& args) {
  const std::vector<Parameter>& parameters = f.function->parameters;
  const bool method = !given.positional.empty() && given.positional[0].kind == ScriptValue::Kind::Module;
  FunctionFrame frame;
  frame.function = f, frame.name = f.function->name;
  size_t used = given.positional.size();
  for (size_t k = method; k < parameters.size(); ++k) {
    const Parameter& p = parameters[k];
    if (p.kind != Parameter::Kind::Plain) return false;
    std::optional<ScriptValue> value;
    if (k < given.positional.size()) value = given.positional[k];
    for (const auto& [name, v] : given.named)
      if (name == p.name) value = v, ++used;
    FunctionFrame* caller = std::exchange(frame_, &frame);
    Type type = p.type ? annotation(*p.type) : Type(TypeKind::Tensor);
    if (!value && p.default_value) {
      const HostValue known = host_.default_of(f.scope, p.name);
      value = known.kind == HostValue::Kind::Missing ? expression(*p.default_value, type) : from_host(*p.default_value, known);
    }
    frame_ = caller;
    if (!value) return false;
    if (type.is(TypeKind::Any)) type = {};
    if (type) value = converted(e.range, broadcast_number(*value, p, type), type, concat("the argument '", p.name, "'"));
    using Kind = ScriptValue::Kind;
    if (value->kind != Kind::Plain && value->kind != Kind::List && value->kind != Kind::Tuple) return false;
    args.add(arg_of(e.range, *value)[0]);
  }
  return used == parameters.size() || used <= given.positional.size() + given.named.size();
}

std::optional<ScriptValue> FunctionCompiler::kept_call(const Expr& e, const HostFunction& f, const Given& given) {
  if (f.library && f.function->name == "_assert") return {};  // as PyTorch's code has it, an `if` that raises
  if (f.overloaded || given.positional.size() > f.function->parameters.size()) return {};
  const ScriptValue* self =
      given.positional.empty() || given.positional[0].kind != ScriptValue::Kind::Module ? nullptr : given.positional.data();
  std::string name = f.function->name;
  if (self) {  // what super() gives has another function of this name
    const HostValue own = host_.attribute(self->id, name);
    if (own.kind != HostValue::Kind::Method || own.self != self->id || host_.function(own.id).function != f.function) return {};
  } else if (name = host_.qualified_name(f.scope); name.empty()) {
    return {};
  }
  FunctionFrame* caller = frame_;
  Args args;
  Type type;
  try {
    if (self) args = holder_of(e.range, *self).arg;
    if (!bind_kept(e, f, given, args)) return {};
    type = kept_result(f, self);
  } catch (const Error&) {  // it compiles for these arguments alone
    frame_ = caller;
    return {};
  }
  if (!type) return {};
  locate(e.range);
  Node* n = graph_.create(self ? ir::Op::CallMethod : ir::Op::CallFunction, graph_.target(name), args);
  graph_.set_type(n, type);
  return type.is(TypeKind::None) ? literal(Args().none()) : node_value(n);
}

}  // namespace monograph::capture::script
