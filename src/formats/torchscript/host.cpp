// The compiler knows values by ids. A module's id is its index in the archive's modules(), a namespace's id is kSpaces or more, and functions and classes
// are numbered in the order in which they are first met.
#include "formats/torchscript/host.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "capture/script/parser.h"
#include "capture/script/types.h"
#include "core/error.h"
#include "exec/interpreter.h"
#include "formats/file.h"
#include "formats/torchscript/dialect.h"
#include "ir/builder.h"

namespace monograph::torchscript {

using capture::script::HostFunction;
using capture::script::HostModule;
using capture::script::HostValue;
using capture::script::SourceText;
using capture::script::Tree;
using Kind = HostValue::Kind;

namespace {

constexpr int64_t kSpaces = int64_t{1} << 32;
constexpr int kMaxDepth = 32;  // how deep lists and dicts in a module may nest

HostValue constant(const ir::Args& value) {
  HostValue v;
  v.kind = Kind::Constant, v.constant = value;
  return v;
}
HostValue named(Kind kind, std::string text) {
  HostValue v;
  v.kind = kind, v.text = std::move(text);
  return v;
}

// A key that two tensors have in common if they are the same elements of the same storage.
std::string tensor_key(const Tensor& t) {
  return concat(reinterpret_cast<uintptr_t>(t->storage.get()), " ", t->offset, " ", to_string(t.sizes()), " ", to_string(t.strides()), " ",
                name(t.dtype()));
}

}  // namespace

// --- Names.

HostValue ArchiveHost::space(const std::string& name) {
  auto found = std::ranges::find(spaces_, name);
  HostValue v;
  v.kind = Kind::Namespace, v.id = kSpaces + (found - spaces_.begin());
  if (found == spaces_.end()) spaces_.push_back(name);
  return v;
}

HostValue ArchiveHost::name(int64_t /*scope*/, const std::string& name) {
  if (const int64_t id = find_class(name); id >= 0) return class_value(id);
  if (const ir::Type type = class_type(name)) {  // of a class that the code does not define
    HostValue v;
    v.kind = Kind::Type, v.type = type;
    return v;
  }
  if (name == "torch" || name == "ops" || name == "CONSTANTS" || name == "__torch__") return space(name);
  if (name == "inf") return constant(ir::Args(std::numeric_limits<double>::infinity()));
  if (name == "nan") return constant(ir::Args(std::numeric_limits<double>::quiet_NaN()));
  if (name == "infj") return constant(ir::Args(std::complex<double>(0, std::numeric_limits<double>::infinity())));
  if (name == "nanj") return constant(ir::Args(std::complex<double>(0, std::numeric_limits<double>::quiet_NaN())));
  if (capture::script::is_builtin(name)) return named(Kind::Builtin, name);
  if (name.ends_with("Error") || name == "Exception") return named(Kind::Exception, name);
  return {};
}

HostValue ArchiveHost::attribute(int64_t id, const std::string& name) {
  return id >= kSpaces ? in_namespace(spaces_.at(static_cast<size_t>(id - kSpaces)), name) : module_attribute(static_cast<int>(id), name);
}

// The attention layers of PyTorch 1.12 to 2.3 call these fused operators in evaluation. Monograph has them as compositions of other operators. A mask is True
// for the keys to ignore. Its type says which shape it has: one row for each query (0), for each batch (1), or for each batch, head and query (2).
static const std::vector<SourceFunction>& fused_layers() {
  static const std::vector<SourceFunction> kFunctions{
      {"_native_multi_head_attention", "code/torch/_native_multi_head_attention.py", 1, 0,
       R"(def _native_multi_head_attention(query: Tensor, key: Tensor, value: Tensor, embed_dim: int, num_head: int, qkv_weight: Tensor, qkv_bias: Tensor,
    proj_weight: Tensor, proj_bias: Tensor, mask: Optional[Tensor]=None, need_weights: bool=True, average_attn_weights: bool=True,
    mask_type: Optional[int]=None) -> Tuple[Tensor, Optional[Tensor]]:
  batch = torch.size(query, 0)
  width = torch.floordiv(embed_dim, num_head)
  w = torch.chunk(qkv_weight, 3, 0)
  b = torch.chunk(qkv_bias, 3, 0)
  q = torch.transpose(torch.reshape(torch.linear(query, w[0], b[0]), [batch, -1, num_head, width]), 1, 2)
  k = torch.transpose(torch.reshape(torch.linear(key, w[1], b[1]), [batch, -1, num_head, width]), 1, 2)
  v = torch.transpose(torch.reshape(torch.linear(value, w[2], b[2]), [batch, -1, num_head, width]), 1, 2)
  scores = torch.matmul(torch.div(q, torch.sqrt(float(width))), torch.transpose(k, -2, -1))
  if torch.__isnot__(mask, None):
    given = unchecked_cast(Tensor, mask)
    hidden = torch.to(given, 11)
    if torch.__isnot__(mask_type, None):
      kind = unchecked_cast(int, mask_type)
      if torch.eq(kind, 1):
        hidden = torch.reshape(hidden, [batch, 1, 1, -1])
    scores = torch.masked_fill(scores, hidden, -inf)
  weights = torch.softmax(scores, -1)
  out = torch.reshape(torch.transpose(torch.matmul(weights, v), 1, 2), [batch, -1, embed_dim])
  result = torch.linear(out, proj_weight, proj_bias)
  shown : Optional[Tensor] = None
  if need_weights:
    if average_attn_weights:
      shown = torch.mean(weights, [1])
    else:
      shown = weights
  return (result, shown)
)"},
      {"_transformer_encoder_layer_fwd", "code/torch/_transformer_encoder_layer_fwd.py", 1, 0,
       R"(def _transformer_encoder_layer_fwd(src: Tensor, embed_dim: int, num_heads: int, qkv_weight: Tensor, qkv_bias: Tensor, proj_weight: Tensor, proj_bias: Tensor,
    use_gelu: bool, norm_first: bool, eps: float, norm_weight_1: Tensor, norm_bias_1: Tensor, norm_weight_2: Tensor, norm_bias_2: Tensor,
    ffn_weight_1: Tensor, ffn_bias_1: Tensor, ffn_weight_2: Tensor, ffn_bias_2: Tensor, mask: Optional[Tensor]=None,
    mask_type: Optional[int]=None) -> Tensor:
  x = src
  if norm_first:
    x = torch.layer_norm(src, [embed_dim], norm_weight_1, norm_bias_1, eps)
  attended, _0 = torch._native_multi_head_attention(x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, False, True, mask_type)
  y = torch.add(src, attended)
  if norm_first:
    z = torch.layer_norm(y, [embed_dim], norm_weight_2, norm_bias_2, eps)
  else:
    y = torch.layer_norm(y, [embed_dim], norm_weight_1, norm_bias_1, eps)
    z = y
  h = torch.linear(z, ffn_weight_1, ffn_bias_1)
  if use_gelu:
    h = torch.gelu(h)
  else:
    h = torch.relu(h)
  out = torch.add(y, torch.linear(h, ffn_weight_2, ffn_bias_2))
  if torch.__not__(norm_first):
    out = torch.layer_norm(out, [embed_dim], norm_weight_2, norm_bias_2, eps)
  return out
)"}};
  return kFunctions;
}

HostValue ArchiveHost::in_namespace(const std::string& at, const std::string& name) {
  if (at == "torch")
    for (const SourceFunction& f : fused_layers())
      if (f.name == name) return function_value(&f);
  if (at == "torch" && name == "autograd") return space("torch.autograd");
  if (at == "torch" || at == "torch.autograd") return named(Kind::Operator, concat("aten::", name));
  if (at == "ops") return space(concat("ops.", name));
  if (at.starts_with("ops.")) return named(Kind::Operator, concat(at.substr(4), "::", name));
  if (at == "CONSTANTS") {
    size_t k = 0;
    const bool number = name.size() > 1 && name.size() < 9 && name[0] == 'c' &&
                        std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (number) k = static_cast<size_t>(std::stoi(name.substr(1)));
    if (!number || k >= archive_.constants_.size())
      return named(Kind::Refused, concat("the archive has ", archive_.constants_.size(), " constants, and no ", name));
    const std::string attribute = concat(kConstants, name);
    if (const auto& assigned = archive_.modules_[0].assigned; assigned.contains(attribute)) {
      HostValue v = named(Kind::State, "");
      v.type = assigned.at(attribute), v.constant = ir::Args(attribute);
      return v;
    }
    return host_value(archive_.constants_[k], "", 0);
  }
  const std::string full = concat(at, ".", name);
  // In evaluation, attention layers call this function to decide whether to use fused operators that only PyTorch has.
  static const SourceFunction kNoFastPath{"get_fastpath_enabled", "code/torch/backends/mha.py", 1, 0,
                                          "def get_fastpath_enabled() -> bool:\n  return False\n"};
  if (full == "__torch__.torch.backends.mha.get_fastpath_enabled") return function_value(&kNoFastPath);
  if (const SourceFunction* f = archive_.code_.find_function(full)) return function_value(f);
  if (archive_.code_.find_class(full)) {
    if (const int64_t id = find_class(full); id >= 0) return class_value(id);
    return named(Kind::Refused, concat("a value of the class ", full,
                                       " has no form in a graph; modules, NamedTuples, Enums and script classes of an archive have one"));
  }
  if (archive_.code_.is_prefix(full)) return space(full);
  return named(Kind::Refused, concat("the archive's code does not define ", full));
}

// --- Classes.

HostValue ArchiveHost::class_value(int64_t id) {
  HostValue v;
  v.kind = Kind::Class, v.id = id;
  return v;
}

int64_t ArchiveHost::find_class(const std::string& name) {
  const SourceClass* c = name.starts_with("__torch__.") ? archive_.code_.find_class(name) : nullptr;
  if (!c || (c->kind != SourceClass::Kind::Object && c->kind != SourceClass::Kind::NamedTuple && c->kind != SourceClass::Kind::Enum))
    return -1;
  const auto found = std::ranges::find(classes_, c);
  if (found != classes_.end()) return found - classes_.begin();
  classes_.push_back(c);
  return static_cast<int64_t>(classes_.size()) - 1;
}

namespace {
// PyTorch's class reports the begin and end of a `with` to PyTorch's profiler. This one does nothing.
constexpr std::string_view kRecordFunction = "__torch__.torch.autograd.profiler.record_function";
const std::string kRecordFunctionText = R"(class record_function:
  def __init__(self: __torch__.torch.autograd.profiler.record_function, name: str, args: Optional[str]=None) -> NoneType:
    return None
  def __enter__(self: __torch__.torch.autograd.profiler.record_function) -> __torch__.torch.autograd.profiler.record_function:
    return self
  def __exit__(self: __torch__.torch.autograd.profiler.record_function, exc_type: Any, exc_value: Any, traceback: Any) -> NoneType:
    return None
)";
}  // namespace

void ArchiveHost::as_python(Tree& tree, const SourceText& source) const { to_python(tree, source, archive_.code_); }

capture::script::HostClass ArchiveHost::class_info(int64_t id) {
  if (const auto known = parsed_classes_.find(id); known != parsed_classes_.end()) return known->second;
  const SourceClass& source = *classes_.at(static_cast<size_t>(id));
  capture::script::HostClass c;
  using ClassKind = capture::script::HostClass::Kind;
  c.kind = source.kind == SourceClass::Kind::NamedTuple ? ClassKind::NamedTuple
           : source.kind == SourceClass::Kind::Enum     ? ClassKind::Enum
                                                        : ClassKind::Object;
  c.name = source.name;
  c.source = SourceText::torchscript(c.name == kRecordFunction ? kRecordFunctionText : source.text, source.file, source.line);
  const std::shared_ptr<Tree> tree = capture::script::parse_functions(*c.source);
  MONOGRAPH_CHECK(tree->classes.size() == 1, File, archive_.where_, ": ", source.file, ", line ", source.line, ": expected one class");
  to_python(*tree, *c.source, archive_.code_);
  c.tree = tree, c.syntax = &tree->classes[0];
  return parsed_classes_.emplace(id, std::move(c)).first->second;
}

// --- Modules.

HostModule ArchiveHost::module(int64_t id) {
  const ModuleObject& m = archive_.modules_.at(static_cast<size_t>(id));
  HostModule out;
  out.path = m.path, out.type = m.type_name;
  // For what the code indexes: the modules in it, by number where their names are 0, 1, 2 and so on.
  for (const auto& [key, value] : m.attributes)
    if (const int inner = archive_.module_of(value); inner >= 0) {
      HostValue v;
      v.kind = Kind::Module, v.id = inner;
      out.items.emplace_back(key, std::move(v));
    }
  bool numbered = true;
  for (size_t k = 0; k < out.items.size(); ++k) numbered = numbered && out.items[k].first == std::to_string(k);
  if (!out.items.empty()) out.kind = numbered ? HostModule::Items::List : HostModule::Items::Dict;
  return out;
}

HostValue ArchiveHost::module_attribute(int module, const std::string& name) {
  const ModuleObject& m = archive_.modules_.at(static_cast<size_t>(module));
  if (name == ir::kTraining && read_modes_at_run_time) {
    HostValue v = named(Kind::Tensor, m.path.empty() ? name : concat(m.path, ".", name));
    v.type = ir::TypeKind::Bool;
    return v;
  }
  if (name == ir::kTraining) return constant(ir::Args(m.training));
  if (const auto assigned = m.assigned.find(name); assigned != m.assigned.end()) {
    HostValue v = named(Kind::State, m.path);
    v.type = assigned->second;
    return v;
  }
  for (const auto& [key, value] : m.attributes) {
    if (key != name) continue;
    if (const int inner = archive_.module_of(value); inner >= 0) {
      HostValue v;
      v.kind = Kind::Module, v.id = inner;
      return v;
    }
    if (value.is_tensor()) {
      HostValue v = named(Kind::Tensor, m.path.empty() ? name : concat(m.path, ".", name));
      v.type = ir::TypeKind::Tensor;
      return v;
    }
    std::string type;
    if (m.type)
      for (const Field& f : m.type->fields)
        if (f.name == name) type = f.type;
    return host_value(value, type, 0);
  }
  if (!m.type) return named(Kind::Refused, concat("the archive's code does not define the class ", m.type_name));
  if (const SourceFunction* f = m.type->find(name)) {
    HostValue v;
    v.kind = Kind::Method, v.id = function_id(f), v.self = module;
    return v;
  }
  return {};
}

std::string ArchiveHost::assigned(int64_t id, const std::string& name) {
  // find_assigned() found no code that assigns this attribute, so graphs that were compiled before hold its value as a constant.
  return concat("the code of ", archive_.modules_.at(static_cast<size_t>(id)).type_name, " gives '", name,
                "' to other code, which changes it");
}

HostValue ArchiveHost::tensor(const Tensor& t) {
  if (tensor_paths_.empty())
    for (const ModuleObject& m : archive_.modules_)
      for (const auto& [key, value] : m.attributes)
        if (value.is_tensor()) tensor_paths_.emplace(tensor_key(value.as_tensor()), m.path.empty() ? key : concat(m.path, ".", key));
  if (auto found = tensor_paths_.find(tensor_key(t)); found != tensor_paths_.end()) {
    HostValue v = named(Kind::Tensor, found->second);
    v.type = ir::TypeKind::Tensor;
    return v;
  }
  return constant(ir::Args(ir::TensorRef(std::make_shared<exec::LiveTensor>(t))));
}

ir::Type ArchiveHost::type_of(const std::string& text) {
  if (text.empty()) return {};
  try {
    const SourceText source(text, "annotation");
    Tree tree;
    const capture::script::Expr* e = type_in(tree, source, archive_.code_);
    return capture::script::type_of_annotation(source, *e, [&](const capture::script::Expr& name) { return class_type(name.text); });
  } catch (const Error&) {
    return {};
  }
}

// The type of a class of the archive, or of one that its code only names. Undefined for any other name, and for a NamedTuple that contains itself.
ir::Type ArchiveHost::class_type(const std::string& name) {
  const int64_t id = find_class(name);
  if (id < 0 && name.starts_with("__torch__.") && !archive_.code_.find_class(name)) return ir::Type::named(ir::TypeKind::Class, name);
  if (id < 0) return {};
  const SourceClass& c = *classes_[static_cast<size_t>(id)];
  if (c.kind == SourceClass::Kind::Object) return ir::Type::named(ir::TypeKind::Class, name);
  if (c.kind == SourceClass::Kind::Enum) return ir::Type::named(ir::TypeKind::Enum, name);
  if (types_in_progress_.size() > kMaxDepth || !types_in_progress_.insert(name).second) return {};
  std::vector<ir::Type> types;
  std::vector<std::string> names;
  for (const Field& f : c.fields) types.push_back(type_of(f.type)), names.push_back(f.name);
  types_in_progress_.erase(name);
  if (std::ranges::any_of(types, [](ir::Type t) { return !t; })) return {};
  return ir::Type::named_tuple(name, types, names);
}

HostValue ArchiveHost::container(const std::vector<IValue>& items, ir::Type type, int depth) {
  HostValue v;
  v.kind = Kind::Container, v.type = type;
  for (const IValue& item : items) {
    v.parts.push_back(host_value(item, "", depth + 1));
    if (v.parts.back().kind == Kind::Refused) return v.parts.back();
  }
  return v;
}

// The value of a module's attribute, or of a constant of the code. A list or dict needs its type, because it may be empty.
HostValue ArchiveHost::host_value(const IValue& v, const std::string& type, int depth) {
  if (depth > kMaxDepth) return named(Kind::Refused, "a value of the archive that nests too deep");
  if (v.is_tensor()) return tensor(v.as_tensor());
  if (const auto args = capture::script::plain_constant(v)) return constant(*args);
  if (v.is_tuple()) {
    HostValue out;
    out.kind = Kind::Sequence;
    for (const IValue& item : v.items()) {
      out.parts.push_back(host_value(item, "", depth + 1));
      if (out.parts.back().kind == Kind::Refused) return out.parts.back();
    }
    return out;
  }
  if (auto* object = pickle::as<pickle::NamedObject>(v)) {
    const std::string called = object->callable->full();
    const std::vector<IValue>* args = object->args.is_tuple() ? &object->args.items() : nullptr;
    if (called == "torch.jit._pickle.restore_type_tag" && args && args->size() == 2 && (*args)[1].is_string())
      return host_value((*args)[0], (*args)[1].to_string(), depth + 1);
    static constexpr std::pair<std::string_view, std::string_view> kLists[] = {{"torch.jit._pickle.build_intlist", "List[int]"},
                                                                               {"torch.jit._pickle.build_boollist", "List[bool]"},
                                                                               {"torch.jit._pickle.build_doublelist", "List[float]"},
                                                                               {"torch.jit._pickle.build_tensorlist", "List[Tensor]"}};
    for (const auto& [function, list] : kLists)
      if (called == function && args && args->size() == 1) return host_value((*args)[0], std::string(list), depth + 1);
    const SourceClass* c = archive_.code_.find_class(called);
    if (c && c->kind == SourceClass::Kind::Enum && args && args->size() == 1) {
      const std::string member = archive_.member_of(called, (*args)[0]);
      if (member.empty()) return named(Kind::Refused, concat("the Enum ", called, " has no member whose value is ", describe((*args)[0])));
      HostValue out = named(Kind::Member, member);
      out.id = find_class(called);
      return out;
    }
    if (c && c->kind == SourceClass::Kind::NamedTuple && args) return host_value(object->args, "", depth + 1);
    return named(Kind::Refused, concat("a value of the class ", called, " has no form in a graph"));
  }
  const ir::Type wanted = type_of(type);
  if (v.is_list() || v.is_ints()) {
    std::vector<IValue> items;
    if (v.is_ints()) items.assign(v.to_ints().begin(), v.to_ints().end());
    else items = v.items();
    if (wanted.is(ir::TypeKind::List)) return container(items, wanted, depth);
    return named(Kind::Refused, "a list of the archive whose type is unknown");
  }
  if (v.is_dict() && wanted.is(ir::TypeKind::Dict)) {
    std::vector<IValue> items;
    for (const auto& [key, value] : v.pairs()) items.push_back(key), items.push_back(value);
    return container(items, wanted, depth);
  }
  return named(Kind::Refused, "this value of the archive has no form in a graph");
}

// --- Functions.

int64_t ArchiveHost::function_id(const SourceFunction* f) {
  const auto [found, fresh] = function_ids_.emplace(f, static_cast<int64_t>(functions_.size()));
  if (fresh) functions_.push_back(f);
  return found->second;
}

HostValue ArchiveHost::function_value(const SourceFunction* f) {
  HostValue v;
  v.kind = Kind::Function, v.id = function_id(f);
  return v;
}

HostFunction ArchiveHost::function(int64_t id) {
  if (auto found = parsed_.find(id); found != parsed_.end()) return found->second;
  const SourceFunction& f = *functions_.at(static_cast<size_t>(id));
  auto source = SourceText::torchscript(f.text, f.file, f.line);
  std::vector<SourceText::Origin> origins;
  for (const SourceText::Origin& o : archive_.origins(f.file)) {
    if (o.at >= f.begin + f.text.size()) break;
    if (o.at <= f.begin) origins.clear();  // only the last origin before the function holds at its beginning
    origins.push_back({o.at <= f.begin ? 0 : static_cast<uint32_t>(o.at - f.begin), o.span});
  }
  source->set_origins(std::move(origins));
  std::shared_ptr<Tree> tree = capture::script::parse_functions(*source);
  MONOGRAPH_CHECK(tree->functions.size() == 1, File, archive_.where_, ": ", f.file, ", line ", f.line, ": expected one function");
  // Where the function runs by itself, the types of its inputs say what its first lines check.
  std::vector<InputCheck> checks = input_checks(*tree->functions[0]);
  to_python(*tree, *source, archive_.code_);
  if (!checks.empty()) {
    capture::script::FunctionSyntax& rest = tree->function_list.emplace_back(*tree->functions[0]);
    rest.body.erase(rest.body.begin(), rest.body.begin() + static_cast<std::ptrdiff_t>(checks.size()));
    without_checks_.emplace(id, std::pair(&rest, std::move(checks)));
  }
  return parsed_.emplace(id, HostFunction{source, tree, tree->functions[0], id}).first->second;
}

HostFunction ArchiveHost::method(int module, std::string_view name) {
  const ModuleObject& m = archive_.modules_.at(static_cast<size_t>(module));
  MONOGRAPH_CHECK(m.type, NotImplemented, archive_.where_, ": the archive's code does not define the class ", m.type_name);
  const SourceFunction* f = m.type->find(name);
  if (!f) {
    std::string names;
    for (const SourceFunction& other : m.type->methods) names += concat(names.empty() ? "" : ", ", other.name);
    fail(ErrorKind::Attribute, m.type_name, " has no method ", shown(name), names.empty() ? "" : concat("; it has ", names));
  }
  HostFunction found = function(function_id(f));
  if (const auto rest = without_checks_.find(found.scope); rest != without_checks_.end()) found.function = rest->second.first;
  return found;
}

std::vector<InputCheck> ArchiveHost::checks_of(const HostFunction& f) const {
  const auto found = without_checks_.find(f.scope);
  return found == without_checks_.end() ? std::vector<InputCheck>() : found->second.second;
}

std::string ArchiveHost::device_of(const std::string& text) {
  Device device;
  if (parse_device(text, device) && (device.type == DeviceType::Cpu || device.type == DeviceType::Meta)) return text;
  if (noticed_.insert(text).second && options_.notice)
    options_.notice(
        concat("the code names the device ", shown(text), ", which was written there when it was traced; it runs on the CPU instead"));
  return "cpu";
}

}  // namespace monograph::torchscript
