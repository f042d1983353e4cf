// What operators meant in the code of older PyTorch. A file states the version of its operators; a call whose meaning changed after it is compiled as
// what it meant then, by the rules that PyTorch publishes with each version.
#include "capture/script/function_compiler.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::Args;
using ir::TypeKind;

namespace {

constexpr int kTrueDivision = 4;  // div of two integers rounded toward zero
constexpr int kTypedFull = 5;  // full made float32 of every number
constexpr int kLinspaceSteps = 8, kLogspaceSteps = 9;  // steps=None was 100
constexpr int64_t kOldSteps = 100;

}  // namespace

// Changes the arguments of a call to those that mean the same today, or compiles the call itself.
std::optional<ScriptValue> FunctionCompiler::older_operator(const Expr& e, const std::string& name, Given& given) {
  const int version = host_.operator_version();
  const auto named = [&](std::string_view keyword) -> ScriptValue* {
    const auto found = std::ranges::find(given.named, keyword, &std::pair<std::string, ScriptValue>::first);
    return found == given.named.end() ? nullptr : &found->second;
  };
  if (version < kTrueDivision && (name == "aten::div" || name == "aten::div_") && !named("rounding_mode"))
    return older_division(e, name, given, named("out"));
  if (version < kTypedFull && name == "aten::full" && given.positional.size() > 1) {
    const ScriptValue* dtype = named("dtype");
    ScriptValue& number = given.positional[1];
    if (named("out") || (dtype && !dtype->is_none())) return {};
    if (number.kind == ScriptValue::Kind::Plain && number.arg[0].is(ArgKind::Int))
      number = literal(Args(static_cast<double>(number.arg[0].as_int())));
    else if (!type_of(number).is(TypeKind::Float)) number = emit(e.range, "aten::Float", {number});
  }
  const bool linspace = version < kLinspaceSteps && name == "aten::linspace",
             logspace = version < kLogspaceSteps && name == "aten::logspace";
  if (linspace || logspace) {
    if (given.positional.size() > 2 && given.positional[2].is_none()) given.positional[2] = literal(Args(kOldSteps));
    if (ScriptValue* steps = named("steps"); steps && steps->is_none()) *steps = literal(Args(kOldSteps));
    else if (given.positional.size() == 2 && !steps) given.named.emplace_back("steps", literal(Args(kOldSteps)));
  }
  return {};
}

ScriptValue FunctionCompiler::older_division(const Expr& e, const std::string& name, const Given& given, const ScriptValue* out) {
  const auto divided = [&](bool truncates) {
    Args args = args_of(e.range, given);
    if (truncates) args.kw("rounding_mode", Args("trunc"));
    return emit(e.range, concat("aten::", truncates ? "divide" : "true_divide", name.ends_with('_') ? "_" : ""), args);
  };
  if (given.positional.size() != 2 || !type_of(given.positional[0]).is(TypeKind::Tensor)) {  // of numbers, the result was always a float
    return emit(e.range, name, args_of(e.range, given));
  }
  const ScriptValue &self = given.positional[0], &other = given.positional[1];
  if (type_of(other).is(TypeKind::Float)) return divided(false);
  ScriptValue floating = emit(e.range, "aten::is_floating_point", {self});
  if (type_of(other).is(TypeKind::Tensor))
    floating = emit(e.range, "aten::__or__", {floating, emit(e.range, "aten::is_floating_point", {other})});
  if (out) floating = emit(e.range, "aten::__or__", {floating, emit(e.range, "aten::is_floating_point", {*out})});
  ScriptVariable quotient;
  quotient.slot = regions_.slot("quotient"), quotient.type = TypeKind::Tensor;
  regions_.begin_if(floating.arg[0].as_node());
  regions_.set(quotient.slot, arg_of(e.range, divided(false)));
  regions_.begin_else();
  regions_.set(quotient.slot, arg_of(e.range, divided(true)));
  regions_.end_if();
  return load(e, quotient);
}

}  // namespace monograph::capture::script
