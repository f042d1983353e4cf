// The dialect in which archives of torch.jit.save hold code, where it differs from what users write: operators by their own names with the arguments
// of the schema in order, dtypes, layouts and memory formats as PyTorch's numbers, and calls that say a type instead of computing.
#include <algorithm>

#include "capture/script/function_compiler.h"
#include "core/dtype.h"
#include "exec/interpreter.h"
#include "ir/bind.h"
#include "ir/node_names.h"
#include "ops/dispatch.h"
#include "ops/registry.h"
#include "ops/torchscript_names.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

std::optional<DType> dtype_of_code(int64_t code) {
  for (int k = 0; k < kDTypeCount; ++k)
    if (info(static_cast<DType>(k)).code == code) return static_cast<DType>(k);
  return {};
}

namespace {

constexpr std::string_view kNumberOfDType = "prim::number_of_dtype", kDTypeOfNumber = "prim::dtype_of_number";

// The type in which dtypes, layouts and memory formats are ints.
Type with_numbers(Type t) {
  if (!t || t.is(TypeKind::NamedTuple) || t.is(TypeKind::Class)) return t;
  if (t.is(TypeKind::DType) || t.is(TypeKind::Layout) || t.is(TypeKind::MemoryFormat)) return TypeKind::Int;
  std::vector<Type> parts;
  for (const Type part : t.elements()) parts.push_back(with_numbers(part));
  if (t.is(TypeKind::Tuple)) return Type::tuple(parts);
  if (t.is(TypeKind::List)) return Type::list(parts[0]);
  if (t.is(TypeKind::Optional)) return Type::optional(parts[0]);
  if (t.is(TypeKind::Dict)) return Type::dict(parts[0], parts[1]);
  return t;
}

Type without_optional(Type t) { return t.is(TypeKind::Optional) ? t.element() : t; }
bool is_enumeration(Type t) { return t.is(TypeKind::DType) || t.is(TypeKind::Layout) || t.is(TypeKind::MemoryFormat); }

// Whether an operator of this name computes on a device that it is given, rather than asking which one it is.
bool takes_device(const std::string& name) {
  const OverloadSet* set = Registry::global().find_overloads(name);
  return set && std::ranges::any_of(set->overloads, [](const Operator* op) {
           const std::vector<ir::Argument>& returned = op->schema().returns();
           return !returned.empty() && returned[0].type.is(TypeKind::Tensor) &&
                  std::ranges::any_of(op->schema().arguments(),
                                      [](const ir::Argument& a) { return without_optional(a.type).is(TypeKind::Device); });
         });
}

}  // namespace

std::optional<Args> plain_constant(const IValue& v) {
  switch (v.tag()) {
    case IValue::Tag::None: return Args().none();
    case IValue::Tag::Bool: return Args(v.to_bool());
    case IValue::Tag::Int: return Args(v.to_int());
    case IValue::Tag::Float: return Args(v.to_double());
    case IValue::Tag::Complex: return Args(v.to_complex());
    case IValue::Tag::Str: return Args(v.to_string());
    case IValue::Tag::Dtype: return Args(int64_t{info(v.to_dtype()).code});
    case IValue::Tag::Device: return Args(v.to_device());
    default: return {};
  }
}

// The arguments with the devices on which the operator runs in place of those that the code names.
Args FunctionCompiler::on_known_devices(const TextRange& at, const Args& args) {
  return each_argument(args, [&](Args& out, size_t k) {
    if (!args[k].is(ArgKind::Device)) return void(out.add(args[k]));
    Device device;
    const std::string text = host_.device_of(to_string(args[k].as_device()));
    if (!parse_device(text, device)) wrong(at, concat("Monograph has no device '", text, "'"));
    out.add(device);
  });
}

// unchecked_cast(T, x), uninitialized(T) and annotate(T, x), whose first argument is a type.
std::optional<ScriptValue> FunctionCompiler::serialized_call(const Expr& e) {
  const Expr& callee = *e.parts[0];
  if (host_.serialized() && callee.kind == SyntaxKind::Attribute && callee.text == "__new__") {
    const ScriptValue cls = expression(*callee.parts[0]);
    if (cls.kind != ScriptValue::Kind::Class) wrong(e.range, "__new__ makes an object of a class");
    ScriptClass& c = class_of(e.range, cls.id);
    define(e.range, c);
    return new_object(e.range, c);
  }
  const bool word = callee.text == "annotate" || callee.text == "unchecked_cast" || callee.text == "uninitialized";
  if (callee.kind != SyntaxKind::Name || !word || !may_be_printed() || find_variable(callee.text)) return {};
  if (look_up(callee.text).kind != HostValue::Kind::Missing) return {};
  if (callee.text == "annotate" && e.parts.size() == 3) {
    // PyTorch writes so where a tensor stands for a number: the size that batch_sizes[0] is, or the n of torch.arange(n).
    const bool any = host_.serialized() && e.parts[1]->kind == SyntaxKind::Name && e.parts[1]->text == "number";
    if (any) return any_number(e.range, expression(*e.parts[2]));
    const Type number = annotation(*e.parts[1]);
    if (!number.is(TypeKind::Int) && !number.is(TypeKind::Float)) return {};
    const ScriptValue given = expression(*e.parts[2], number);
    if (!type_of(given).is(TypeKind::Tensor)) return converted(e.range, given, number, "this value");
    return emit(e.range, number.is(TypeKind::Int) ? "aten::IntImplicit" : "aten::FloatImplicit", {given});
  }
  const bool cast = callee.text == "unchecked_cast" && e.parts.size() == 3;
  if (!cast && !(callee.text == "uninitialized" && e.parts.size() == 2)) return {};
  const Type type = annotation(*e.parts[1]);
  Args value;
  if (cast) {
    ScriptValue v = expression(*e.parts[2], type);
    const Type known = type_of(v);
    // None stands here in an arm that does not run.
    if (!v.is_none() && (v.kind != ScriptValue::Kind::Plain || !v.arg[0].is(ArgKind::Node) || known == type)) return v;
    if (!v.is_none()) value = v.arg;
  }
  locate(e.range);
  Node* n = graph_.call(value.size() ? "prim::unchecked_cast" : "prim::Uninitialized", value);
  if (value.size()) graph_.set_target(n, graph_.resolved(n->target().name(), n->target().name()));
  graph_.set_type(n, type);
  return node_value(n);
}

// The number that a tensor holds, of whichever type it is. A tensor that ops.prim.NumToTensor has made of a number is that number.
ScriptValue FunctionCompiler::any_number(const TextRange& at, const ScriptValue& v) {
  if (!type_of(v).is(TypeKind::Tensor)) return v;
  const Node* made = v.kind == ScriptValue::Kind::Plain ? v.arg[0].node() : nullptr;
  if (made && numbers_.contains(made)) return literal(Args().add(made->arg(0)));
  return emit(at, "aten::item", {v});
}

namespace {

// PyTorch's executor takes a constant tensor without dims for its number, where it is the second operand of these operators. So x.sum() * 3.0, whose 3.0 is
// a constant of float64 in the code of a trace, keeps the dtype of x.
Args with_constant_number(const std::string& name, const Args& args) {
  const bool one_of = name == "aten::add" || name == "aten::sub" || name == "aten::mul" || (name == "aten::div" && args.size() == 2);
  if (!one_of || args.positional() < 2 || !ir::type_of(args[0]).is(TypeKind::Tensor) || !args[1].is(ArgKind::Tensor)) return args;
  const auto* live = dynamic_cast<const exec::LiveTensor*>(&args[1].as_tensor());
  if (!live || !live->sizes().empty()) return args;
  const Args number = plain_constant(first_number(live->tensor())).value();
  return each_argument(args, [&](Args& out, size_t k) { out.add(k == 1 ? number[0] : args[k]); });
}

}  // namespace

// An argument of these types, given by its number.
Args FunctionCompiler::enumerated(const TextRange& at, ArgRef given, Type type) {
  if (given.is(ArgKind::Int)) {
    const int64_t code = given.as_int();
    if (type.is(TypeKind::DType)) {
      if (const std::optional<DType> dtype = dtype_of_code(code)) return Args(*dtype);
      wrong(at, concat("Monograph has no dtype with PyTorch's number ", code));
    }
    if (type.is(TypeKind::Layout)) {
      if (code == 0) return Args().layout();
      if (!in_trial_ && regions_.depth() > 0 && !host_.serialized()) {  // in code that may never run
        raise_exception(at, literal(Args("Monograph has no sparse tensors")), "NotImplementedError");
        return Args().layout();
      }
      wrong(at, concat("the layout with PyTorch's number ", code, " is one of sparse tensors, which Monograph does not have"));
    }
    if (code >= 0 && code <= static_cast<int64_t>(MemoryFormat::ChannelsLast3d)) return Args(static_cast<MemoryFormat>(code));
    wrong(at, concat("Monograph has no memory format with PyTorch's number ", code));
  }
  Node* n = given.as_node();
  if (n->target().name() == kNumberOfDType) return Args().add(n->arg(0));
  if (!type.is(TypeKind::DType)) return Args(n);
  return emit(at, kDTypeOfNumber, Args(n)).arg;
}

// What a script returns, with PyTorch's numbers in place of dtypes, layouts and memory formats: there they are ints.
ScriptValue FunctionCompiler::as_numbers(const TextRange& at, const ScriptValue& v) {
  const Type type = type_of(v), wanted = with_numbers(type);
  if (wanted == type) return v;
  if (type.is(TypeKind::DType) || type.is(TypeKind::Layout) || type.is(TypeKind::MemoryFormat)) {
    if (v.arg[0].is(ArgKind::DType)) return literal(Args(int64_t{info(v.arg[0].as_dtype()).code}));
    if (v.arg[0].is(ArgKind::MemoryFormat)) return literal(Args(static_cast<int64_t>(v.arg[0].as_memory_format())));
    if (type.is(TypeKind::MemoryFormat)) return v;
    return emit(at, type.is(TypeKind::DType) ? kNumberOfDType : "prim::number_of_layout", {v});
  }
  if (type.is(TypeKind::Tuple)) {
    ScriptValue tuple;
    tuple.kind = ScriptValue::Kind::Tuple;
    for (const ScriptValue& part : items_of(at, v)) tuple.parts.push_back(as_numbers(at, part));
    return tuple;
  }
  if (type.is(TypeKind::Optional)) {
    const Slot slot = regions_.slot("number");
    regions_.declare(slot, wanted);
    regions_.begin_if(node_of(at, emit(at, "aten::__is__", {v, literal(Args().none())})));
    regions_.set(slot, Args().none());
    regions_.begin_else();
    locate(at);
    Node* held = graph_.call("prim::unchecked_cast", v.arg);
    graph_.set_target(held, graph_.resolved(held->target().name(), held->target().name()));
    graph_.set_type(held, type.element());
    regions_.set(slot, arg_of(at, as_numbers(at, node_value(held))));
    regions_.end_if();
    ScriptValue number = literal(regions_.get(slot));
    if (!number.type) number.type = wanted;
    return number;
  }
  // A list or dict of them.
  locate(at);
  const ScriptValue given = v.kind == ScriptValue::Kind::List ? made_list(at, v) : v;
  Node* made = graph_.call(type.is(TypeKind::List) ? "prim::ListConstruct" : "prim::DictConstruct");
  graph_.set_type(made, wanted);
  const IteratedValue items = iterated_value(at, given);
  Node* counter = regions_.begin_loop(items.count, Args(true), {}, ir::kCounterName);
  const ScriptValue item = items.item(counter);
  if (type.is(TypeKind::List)) emit(at, "aten::append", {node_value(made), as_numbers(at, item)});
  else emit(at, "aten::_set_item", {node_value(made), item, as_numbers(at, emit(at, "aten::__getitem__", {given, item}))});
  regions_.end_loop(Args(true));
  return node_value(made);
}

// PyTorch takes the number of a dtype or layout for it: torch.ones([2], dtype=6). Nothing where the arguments have no such number.
std::optional<Args> FunctionCompiler::with_named_dtypes(const TextRange& at, const ir::FunctionSchema& schema, const Args& args) {
  bool any = false;
  Args out = each_argument(args, [&](Args& out, size_t k) {
    // Sizes may stand one by one in front, so that only a name tells the place.
    const int place = k < args.positional() ? -1 : schema.index_of(args.names()[k - args.positional()]);
    const bool known = place >= 0 && static_cast<size_t>(place) < schema.arguments().size();
    const Type wanted = known ? without_optional(schema.arguments()[static_cast<size_t>(place)].type) : Type();
    const bool number = args[k].is(ArgKind::Int) || (args[k].node() && ir::type_of(args[k]).is(TypeKind::Int));
    if (known && number && (wanted.is(TypeKind::DType) || wanted.is(TypeKind::Layout)))
      out.add(enumerated(at, args[k], wanted)[0]), any = true;
    else out.add(args[k]);
  });
  return any ? std::optional(std::move(out)) : std::nullopt;
}

// The arguments with numbers where an overload takes a dtype, layout or memory format: those of the first overload that fits then.
Args FunctionCompiler::with_enumerations(const TextRange& at, const std::string& name, const Args& args) {
  const OverloadSet* set = Registry::global().find_overloads(name);
  auto is_number = [](ArgRef a) { return a.is(ArgKind::Int) || (a.node() && a.as_node()->type().is(TypeKind::Int)); };
  bool any = false;
  for (size_t k = 0; k < args.size(); ++k) any |= is_number(args[k]);
  if (!set || !any) return args;
  // Where one fits as it is written, the numbers are numbers. Calls are tried in a graph of their own.
  ir::Graph trial;
  auto tried = [&](const Args& given) {
    const auto on_trial = [&](Node* n) { return trial.placeholder("x", n->type()); };
    return trial.call(name, each_argument(given, [&](Args& own, size_t k) { own.add_mapped(given[k], on_trial); }));
  };
  {
    const ir::NodeCall call(*tried(args));
    ir::ArgumentSources sources;
    if (ir::choose(set->overloads, call.call(), sources, ir::Fit::Exact, [](const Operator&) { return true; })) return args;
  }
  for (const Operator* op : set->overloads) {
    const std::vector<ir::Argument>& formals = op->schema().arguments();
    // A literal of each kind stands for what is converted until the overload is chosen.
    std::vector<Type> wanted(args.size());
    bool fits = true, found = false;
    for (size_t k = 0; k < args.size() && fits; ++k) {
      const bool positional = k < args.positional();
      const int place = positional ? static_cast<int>(k) : op->schema().index_of(args.names()[k - args.positional()]);
      fits = place >= 0 && static_cast<size_t>(place) < formals.size();
      if (!fits || !is_number(args[k])) continue;
      const Type type = without_optional(formals[static_cast<size_t>(place)].type);
      if (is_enumeration(type)) wanted[k] = type, found = true;
    }
    if (!fits || !found) continue;
    auto rewritten = [&](auto&& make) {
      return each_argument(args, [&](Args& out, size_t k) {
        if (wanted[k]) out.add(make(args[k], wanted[k])[0]);
        else out.add(args[k]);
      });
    };
    const Args probe = rewritten([](ArgRef, Type t) {
      return t.is(TypeKind::DType) ? Args(DType::f32) : t.is(TypeKind::Layout) ? Args().layout() : Args(MemoryFormat::Contiguous);
    });
    if (ir::misfit(op->schema(), *tried(probe)).empty()) return rewritten([&](ArgRef a, Type t) { return enumerated(at, a, t); });
  }
  return args;
}

// Whether it is a class of which the archive has the name alone.
bool FunctionCompiler::is_foreign(Type type) const {
  return type.is(TypeKind::Class) && host_.serialized() && !host_.classes.contains(type.name()) && host_.find_class(type.name()) < 0;
}

// A call that no operator takes becomes a node too, so that people can read the rest. Where the node would run is an error, which names the operator and the
// line. What such a call gives is not known: it is taken for a tensor, until a use says otherwise.
ScriptValue FunctionCompiler::missing_operator(const Expr& e, const std::string& name, const Given& given, const ScriptValue* self) {
  const Args args = args_of(e.range, given, self);
  locate(e.range);
  Node* n = graph_.call(name, args);
  graph_.set_type(n, TypeKind::Tensor);
  guessed_types_.insert(n);
  if (missing_.empty()) missing_ = concat(name, " (", to_string(n->span()), ")");
  return node_value(n);
}

// The value with this type, where its own was a guess; else as it is.
ScriptValue FunctionCompiler::guessed_as(const ScriptValue& v, Type type) {
  Node* n = v.kind == ScriptValue::Kind::Plain ? v.arg[0].node() : nullptr;
  if (!n || !type || guessed_types_.erase(n) == 0) return v;
  graph_.set_type(n, type);
  return node_value(n);
}

// torch.NAME(...) and ops.prim.NAME(...).
ScriptValue FunctionCompiler::serialized_operator(const Expr& e, const std::string& name, Given given) {
  if (!host_.serialized()) return known_operator(e, name, std::move(given));
  try {
    return known_operator(e, name, given);
  } catch (const SourceError&) {
    return missing_operator(e, name, given);
  }
}

ScriptValue FunctionCompiler::known_operator(const Expr& e, const std::string& name, Given given) {
  if (std::optional<ScriptValue> older = older_operator(e, name, given)) return *older;
  if (name == "aten::dict" && given.positional.empty()) {  // OrderedDict() of a program
    locate(e.range);
    Node* n = graph_.call("prim::DictConstruct", {});
    graph_.set_type(n, Type::dict(TypeKind::Str, TypeKind::Tensor));
    return node_value(n);
  }
  if (name == "aten::len" && given.positional.size() == 1)
    if (const auto n = known_length(given.positional[0])) return literal(Args(static_cast<int64_t>(*n)));
  if (name == "aten::percentFormat" && !given.positional.empty()) {
    const bool tuple = given.positional.size() == 2 && type_of(given.positional[1]).is(TypeKind::Tuple);
    return percent_format(e.range, given.positional[0],
                          tuple ? given.positional[1] : tuple_of({given.positional.begin() + 1, given.positional.end()}));
  }
  if (name == "aten::divmod" && given.positional.size() == 2) {
    const auto part = [&](std::string_view symbol) { return operation(e.range, symbol, false, given.positional[0], given.positional[1]); };
    const ScriptValue quotient = part("//");
    return tuple_of({quotient, part("%")});
  }
  if (name == "aten::dict" && given.positional.size() == 1 && type_of(given.positional[0]).is(TypeKind::List))
    return dict_of_pairs(e, given.positional[0]);
  if ((name == "aten::eq" || name == "aten::ne") && given.positional.size() == 2 && type_of(given.positional[0]).is(TypeKind::Enum))
    if (auto same = object_comparison(e.range, name == "aten::eq" ? "==" : "!=", given.positional[0], given.positional[1])) return *same;
  // TorchScript's & | ^ of tensors, and their forms in place.
  for (const auto& [theirs, ours] : {std::pair("and", "and"), std::pair("or", "or"), std::pair("xor", "xor"),
                                     std::pair("lshift", "left_shift"), std::pair("rshift", "right_shift")})
    for (const bool in_place : {false, true})
      if (name == concat("aten::__", in_place ? "i" : "", theirs, "__") && given.positional.size() == 2 &&
          type_of(given.positional[0]).is(TypeKind::Tensor))
        return emit(e.range, concat("aten::bitwise_", ours, in_place ? "_" : ""), args_of(e.range, given));
  if (name == "aten::warn") return literal(Args().none());
  if (name == "aten::as_tensor") return as_tensor(e, given);
  if (name == "aten::get_autocast_dtype" && given.positional.size() == 1 && given.positional[0].arg[0].is(ArgKind::Str))
    return literal(Args(int64_t{info(given.positional[0].arg[0].as_str() == "cpu" ? DType::bf16 : DType::f16).code}));
  // A graph has the casts that it was captured with.
  if (name == "aten::is_autocast_enabled" || name == "aten::is_autocast_cpu_enabled") return literal(Args(false));
  // What goes into a list or dict is a new list each time that the call runs.
  const bool into_container =
      given.positional.size() > 1 && (type_of(given.positional[0]).is(TypeKind::List) || type_of(given.positional[0]).is(TypeKind::Dict));
  Args args = args_of(e.range, given, nullptr, !into_container);
  if (name == "aten::device" && args.size() == 1 && args[0].is(ArgKind::Str)) {
    Device device;
    if (!parse_device(args[0].as_str(), device)) wrong(e.range, concat("Monograph has no device '", args[0].as_str(), "'"));
    return literal(Args(device));
  }
  if (takes_device(name)) args = on_known_devices(e.range, args);
  if (name == "aten::device") return emit(e.range, "prim::device", args);
  if (name == "aten::cpu" && args.size() == 1) {
    Device cpu;
    parse_device("cpu", cpu);
    return emit(e.range, "aten::to", Args(args[0], cpu));
  }
  // Kinds of tensors and devices that Monograph has none of: ops.prim.is_nested(x), is_cuda, is_quantized. What an archive does for them need not compile.
  if (name.starts_with("prim::is_") && args.size() == 1 && ir::type_of(args[0]).is(TypeKind::Tensor) && name != "prim::is_cpu" &&
      name != "prim::is_meta")
    return literal(Args(false));
  if (name == "aten::_shape_as_tensor" && args.size() == 1)
    return emit(e.range, "aten::tensor", arg_of(e.range, emit(e.range, "aten::size", args)).kw("dtype", DType::i64));
  if (name == "prim::layout") return literal(Args(int64_t{0}));  // PyTorch's number of strided tensors
  if (name == "prim::data") return emit(e.range, "aten::detach", args);
  if (name == "aten::lift_fresh" && args.size() == 1)
    return given.positional[0];  // a trace writes so of a tensor that torch.tensor() has made
  if (name == "prim::dtype") return emit(e.range, kNumberOfDType, {emit(e.range, "prim::dtype", args)});
  // What every traced convolution is. Behind the number of groups stand switches of other libraries.
  if (name == "aten::_convolution" && args.size() >= 9 && args[3].is(ArgKind::List) && args[6].is(ArgKind::Bool)) {
    const bool transposed = args[6].as_bool();
    Args own;
    for (size_t k : transposed ? std::vector<size_t>{0, 1, 2, 3, 4, 7, 8, 5} : std::vector<size_t>{0, 1, 2, 3, 4, 5, 8}) own.add(args[k]);
    return emit(e.range, concat(transposed ? "aten::conv_transpose" : "aten::conv", args[3].size(), "d"), own);
  }
  if (name == "prim::NumToTensor" && args.size() == 1) {
    const Type type = ir::type_of(args[0]);
    if (type.is(TypeKind::Int)) args.kw("dtype", DType::i64);
    if (type.is(TypeKind::Bool)) args.kw("dtype", DType::b1);
    const ScriptValue tensor = emit(e.range, "aten::scalar_tensor", args);
    if (const Node* made = tensor.arg[0].node()) numbers_.insert(made);
    return tensor;
  }
  args = torchscript_numbers(e.range, name, with_enumerations(e.range, name, with_constant_number(name, args)));
  if (name == "aten::tensor") args = with_list_dtype(std::move(args));
  const ScriptValue result = folded(emit(e.range, name, args), args);
  return type_of(result).is(TypeKind::DType) ? emit(e.range, kNumberOfDType, {result}) : result;  // of promote_types()
}

namespace {

bool gives_tensors(const Operator& op) {
  return std::ranges::any_of(op.schema().returns(), [](const ir::Argument& r) { return r.type.is(TypeKind::Tensor); });
}

// The operator of this name that takes these numbers and gives one; null where there is none. Tried in a graph of its own.
const Operator* number_operator_of(const std::string& name, const Args& args) {
  const OverloadSet* set = Registry::global().find_overloads(name);
  if (!set) return nullptr;
  ir::Graph trial;
  for (size_t k = 0; k < args.size(); ++k)
    if (ir::type_of(args[k]).is(TypeKind::Tensor)) return nullptr;
  const auto on_trial = [&](Node* n) { return trial.placeholder("x", n->type()); };
  const Args own = each_argument(args, [&](Args& out, size_t k) { out.add_mapped(args[k], on_trial); });
  const ir::NodeCall call(*trial.call(name, own));
  ir::ArgumentSources sources;
  return ir::choose(set->overloads, call.call(), sources, ir::Fit::Exact, [&](const Operator& op) { return !gives_tensors(op); });
}

}  // namespace

// Where two ints, or numbers that item() gives, have an operator of Python's that TorchScript lacks, TorchScript takes that of floats: torch.pow(2, 3) is 8.0
// there, and 2 ** 3 is 8 in Python.
Args FunctionCompiler::torchscript_numbers(const TextRange& at, const std::string& name, const Args& args) {
  bool numbers = args.size() && args.positional() == args.size();
  for (size_t k = 0; numbers && k < args.size(); ++k) {
    const Type type = ir::type_of(args[k]);
    numbers = type.is(TypeKind::Int) || type.is(TypeKind::Float) || type.is(TypeKind::Number);
  }
  const Operator* op = numbers ? number_operator_of(name, args) : nullptr;
  if (!op || !why_no_torchscript(op->name())) return args;
  Args floats = args[0].is(ArgKind::Int) ? Args(static_cast<double>(args[0].as_int())) : emit(at, "aten::Float", Args().add(args[0])).arg;
  for (size_t k = 1; k < args.size(); ++k) floats.add(args[k]);
  return floats;
}

// In TorchScript torch.add(i, 1) of numbers is a number, as all of the operator's own overloads say. Python's torch.add makes a tensor.
std::optional<ScriptValue> FunctionCompiler::number_operator(const Expr& e, const std::string& name, const Args& args) {
  if (!number_operator_of(name, args)) return {};
  return emit(e.range, name, torchscript_numbers(e.range, name, args));
}

// What literals alone decide is computed here, as a user's `if mode == "fast"` is where the compiler knows the mode: code behind a condition that never
// holds need not compile.
ScriptValue FunctionCompiler::folded(const ScriptValue& result, const Args& args) {
  Node* n = result.kind == ScriptValue::Kind::Plain ? result.arg[0].node() : nullptr;
  if (!n || !n->info() || !n->info()->effects().deterministic()) return result;
  if (!n->type().is(TypeKind::Bool) && !n->type().is(TypeKind::Int)) return result;
  std::vector<IValue> values;
  for (size_t k = 0; k < args.size(); ++k) {
    const ArgRef a = args[k];
    if (!a.is(ArgKind::Int) && !a.is(ArgKind::Float) && !a.is(ArgKind::Bool) && !a.is(ArgKind::Str)) return result;
    values.push_back(exec::literal(a));
  }
  const auto& op = static_cast<const Operator&>(*n->info());
  if (values.size() != op.schema().arguments().size() || op.results() != 1) return result;
  IValue out;
  monograph::call(op, values.data(), &out);
  graph_.erase(n);
  return out.is_bool() ? literal(Args(out.to_bool())) : literal(Args(out.to_int()));
}

}  // namespace monograph::capture::script
