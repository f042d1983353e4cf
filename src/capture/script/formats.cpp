// Texts with formats: f"{x:.3f}", "{:>5}".format(x) and "%5.2f" % x. Each is a call of prim::format, with the format as Python's format() reads it.
#include "capture/script/function_compiler.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::Args;
using ir::Type;
using ir::TypeKind;

// The text of a value; `spec` is what stands behind it in the braces: "", "!r", ":.3f", "!r:>10".
ScriptValue FunctionCompiler::formatted(const TextRange& at, const ScriptValue& v, const std::string& spec) {
  if (spec.empty()) return emit_str(at, v);
  ScriptValue value = v;
  std::string format = spec;
  if (spec[0] == '!') {
    const std::string conversion = spec.substr(0, 2);
    if (conversion == "!r") {
      const std::optional<ScriptValue> text = object_text(at, v);
      value = text ? *text : emit(at, "prim::repr", {v});
    } else if (conversion == "!s") {
      value = emit_str(at, v);
    } else {
      unsupported(at, concat("the conversion '", conversion, "' in a format"));
    }
    format = spec.substr(2);
  }
  if (format.empty()) return value;
  format.erase(0, 1);
  if (format.find('{') != std::string::npos) unsupported(at, concat("the format '", format, "', which is computed,"));
  const Type type = type_of(value);
  if (!type.is(TypeKind::Int) && !type.is(TypeKind::Float) && !type.is(TypeKind::Bool) && !type.is(TypeKind::Str))
    unsupported(at, concat("the format '", format, "' of a value of type ", spelled(type)));
  return format.empty() ? emit_str(at, value) : emit(at, "prim::format", {value, literal(Args(format))});
}

// What PyTorch's code has for f"{a} of {b}" and for "{} of {}".format(a, b): one call, with the pattern as it is.
ScriptValue FunctionCompiler::kept_format(const TextRange& at, const std::string& pattern, const std::vector<ScriptValue>& values) {
  Args args(pattern);
  for (const ScriptValue& v : values) args.add(arg_of(at, v)[0]);
  return typed_call(at, "aten::format", args, TypeKind::Str);
}

// "%d of %s" % (a, b)
ScriptValue FunctionCompiler::percent_format(const TextRange& at, const ScriptValue& pattern, const ScriptValue& given) {
  if (pattern.kind != ScriptValue::Kind::Plain || !pattern.arg[0].is(ArgKind::Str)) unsupported(at, "'%' of a str that is computed");
  const std::vector<ScriptValue> values =
      known_length(given) && given.kind != ScriptValue::Kind::List ? items_of(at, given) : std::vector<ScriptValue>{given};
  const std::string& text = pattern.arg[0].as_str();
  ScriptValue all;
  bool any = false;
  auto add = [&](const ScriptValue& v) { all = any ? emit(at, "operator.add", {all, v}) : v, any = true; };
  std::string plain_text;
  size_t next = 0;
  for (size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '%') {
      plain_text += text[k];
      continue;
    }
    const size_t end = text.find_first_of("diufFeEgGsrxXoc%", k + 1);
    if (end == std::string::npos) wrong(at, "a '%' in the format has no type after it");
    std::string flags = text.substr(k + 1, end - k - 1);
    const char type = text[end];
    k = end;
    if (type == '%') {
      plain_text += '%';
      continue;
    }
    if (flags.find_first_not_of("-+ #0123456789.") != std::string::npos) unsupported(at, concat("the format '%", flags, type, "'"));
    if (next >= values.size()) wrong(at, concat("the format needs more values than it gets, which is ", values.size()));
    ScriptValue value = values[next++];
    const bool word = type == 's' || type == 'r', left = flags.find('-') != std::string::npos;
    if (type == 'r') value = formatted(at, value, "!r");
    if (type == 's') value = emit_str(at, value);
    const bool whole = type == 'd' || type == 'i' || type == 'u';
    if (whole && type_of(value).is(TypeKind::Float)) value = emit(at, "aten::Int", {value});
    if (!word && !type_of(value).is(TypeKind::Int) && !type_of(value).is(TypeKind::Float) && !type_of(value).is(TypeKind::Bool))
      wrong(at, concat("'%", type, "' takes a number, but this value has type ", spelled(type_of(value))));
    std::erase(flags, '-');
    if (left) std::erase(flags, '0');
    std::string spec = concat(left ? "<" : word ? ">" : "", flags, word ? "s" : whole ? "d" : std::string(1, type));
    if (word && flags.empty()) spec.clear();
    if (!plain_text.empty()) add(literal(Args(plain_text))), plain_text.clear();
    add(spec.empty() ? value : emit(at, "prim::format", {value, literal(Args(spec))}));
  }
  if (next != values.size()) wrong(at, concat("the format takes ", next, " values, but there are ", values.size()));
  if (!plain_text.empty() || !any) add(literal(Args(plain_text)));
  return all;
}

}  // namespace monograph::capture::script
