// torch.autocast in a script: what stands inside of the with is compiled with casts around the arguments of the operators that PyTorch's compiler casts
// (autocast.inc). That list is not the one of a program without a script, which the records state: there torch.mv, for one, keeps float32.
#include <algorithm>

#include "capture/script/function_compiler.h"
#include "core/dtype.h"
#include "ops/registry.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

namespace {

enum class ScriptCast : uint8_t { None, LowerPrecision, Float32, Float32WithoutDType, Refused };

struct CastOperator {
  std::string_view name;
  ScriptCast cast;
};
constexpr CastOperator kCastOperators[] = {
#include "capture/script/autocast.inc"
};

// How a call of the operator is cast; `named_dtype`: it names a dtype.
ScriptCast cast_of(std::string_view schema, bool named_dtype) {
  const CastOperator* line = std::ranges::find(kCastOperators, schema.substr(0, schema.find('.')), &CastOperator::name);
  if (line == std::end(kCastOperators)) return ScriptCast::None;
  if (line->cast != ScriptCast::Float32WithoutDType) return line->cast;
  return named_dtype ? ScriptCast::None : ScriptCast::Float32;
}

// The literal among these arguments that has the name or the place; null where none is given.
const ScriptValue* argument_of(const std::vector<ScriptValue>& positional, const std::vector<std::pair<std::string, ScriptValue>>& named,
                               size_t place, std::string_view name) {
  if (place < positional.size()) return &positional[place];
  for (const auto& [known, v] : named)
    if (known == name) return &v;
  return nullptr;
}

// The dtype that a literal names, also by PyTorch's number for it.
std::optional<DType> dtype_of(ArgRef a) {
  if (a.is(ArgKind::DType)) return a.as_dtype();
  return a.is(ArgKind::Int) ? dtype_of_code(a.as_int()) : std::nullopt;
}

}  // namespace

void FunctionCompiler::set_autocast(const TextRange& at, const std::string& device, bool enabled, std::optional<DType> dtype) {
  if (device != "cpu") return;  // PyTorch casts the tensors of such a device alone
  const DType to = dtype.value_or(DType::bf16);
  if (enabled && to != DType::bf16 && to != DType::f16)
    wrong(at, concat("torch.autocast of the CPU computes in torch.bfloat16 or torch.float16, not in torch.", monograph::name(to)));
  autocast_ = enabled ? std::optional(to) : std::nullopt;
}

// torch.autocast(device_type, dtype, enabled, cache_enabled), torch.cpu.amp.autocast(enabled, dtype, cache_enabled) and torch.cuda.amp.autocast.
void FunctionCompiler::enter_autocast(const Expr& item, const std::string& context) {
  const Given given = arguments(item);
  const bool general = context == "autocast";
  const auto literal_of = [&](size_t place, std::string_view name) -> std::optional<ArgRef> {
    const ScriptValue* v = argument_of(given.positional, given.named, place, name);
    if (!v || v->is_none()) return {};
    if (v->kind != ScriptValue::Kind::Plain || v->arg[0].is(ArgKind::Node))
      wrong(item.range, concat("the argument '", name, "' of torch.autocast must be a constant in a script"));
    return v->arg[0];
  };
  std::string device = context.substr(0, context.find('.'));
  if (general) {
    const std::optional<ArgRef> given_device = literal_of(0, "device_type");
    if (!given_device || !given_device->is(ArgKind::Str)) wrong(item.range, "torch.autocast takes the kind of device as a str");
    device = given_device->as_str();
  }
  const std::optional<ArgRef> dtype = literal_of(1, "dtype"), enabled = literal_of(general ? 2 : 0, "enabled");
  if (enabled && !enabled->is(ArgKind::Bool)) wrong(item.range, "the argument 'enabled' of torch.autocast is a bool");
  if (dtype && !dtype_of(*dtype)) wrong(item.range, "the argument 'dtype' of torch.autocast is a dtype");
  set_autocast(item.range, device, !enabled || enabled->as_bool(), dtype ? dtype_of(*dtype) : std::nullopt);
}

// The same of an archive, in whose code it is an object of PyTorch's class. What its attributes are is known where they are constants.
bool FunctionCompiler::enter_autocast_object(const TextRange& at, const ScriptValue& manager) {
  if (!manager.type.is(TypeKind::Class) || !manager.type.name().ends_with(".autocast") ||
      manager.type.name().find("autocast_mode.") == std::string::npos)
    return false;
  std::map<std::string, ArgRef> held;
  for (const Node* user : node_of(at, manager)->users())
    if (user->target().name() == "prim::SetAttr" && user->arg(0).node() == manager.arg[0].node())
      held.emplace(user->arg(1).as_str(), user->arg(2));
  const auto device = held.find("device"), enabled = held.find("_enabled"), dtype = held.find("fast_dtype");
  if (device == held.end() || enabled == held.end() || dtype == held.end() || !device->second.is(ArgKind::Str) ||
      !enabled->second.is(ArgKind::Bool) || !dtype_of(dtype->second))
    wrong(at, "the arguments of torch.autocast must be constants in a script");
  set_autocast(at, device->second.as_str(), enabled->second.as_bool(), dtype_of(dtype->second));
  return true;
}

// The arguments of a call inside of torch.autocast with the casts of its operator; nothing where it has none.
std::optional<Args> FunctionCompiler::autocast_args(const TextRange& at, const ir::OpInfo& op, const Args& args) {
  const bool mutates = std::ranges::any_of(op.schema().arguments(), [](const ir::Argument& a) { return a.writes(); });
  const bool named_dtype = std::ranges::any_of(args.names(), [](const std::string& n) { return n == "dtype"; });
  const ScriptCast how = mutates ? ScriptCast::None : cast_of(op.schema().name(), named_dtype);
  if (how == ScriptCast::Refused) {
    const std::string_view name = std::string_view(op.schema().name()).substr(6);  // behind aten::
    wrong(at, concat(name, " is unsafe to autocast; use ", name, "_with_logits"));
  }
  if (how == ScriptCast::None) return {};
  const bool full = how == ScriptCast::Float32;
  const Kept<std::optional<DType>> region(autocast_);
  const DType to = *autocast_;
  autocast_.reset();
  bool any = false;
  Args out = each_argument(args, [&](Args& out, size_t k) {
    if (!args[k].node() || !ir::type_of(args[k]).is(TypeKind::Tensor)) return void(out.add(args[k]));
    Args cast;
    cast.add(args[k]), cast.add(false), cast.add(true);
    if (!full) cast.add(DType::f16), cast.add(to);
    any = true;
    out.add(emit(at, full ? "aten::_autocast_to_full_precision" : "aten::_autocast_to_reduced_precision", cast).arg[0]);
  });
  return any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace monograph::capture::script
