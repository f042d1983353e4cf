// Evaluates calls and attributes, and implements the builtins of Python and the methods of torch.nn.Module that the sources use.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "capture/layers/evaluator.h"
#include "capture/writer.h"
#include "core/dtype.h"
#include "ops/dispatch.h"
#include "ops/program_values.h"
#include "ops/registry.h"
#include "ops/tensor_data.h"

namespace monograph::capture::layers {

namespace {

constexpr std::string_view kBuiltins = "builtins.", kMath = "math.", kTorch = "torch.", kExtension = "_C.";

IValue list_of(std::vector<IValue> items) { return IValue::list(std::move(items)); }

// A new parameter that shares the tensor's memory.
IValue parameter_of(const IValue& data, bool requires_grad) {
  const GradModeScope no_grad(false);
  IValue made;
  const std::vector<IValue> given{data};
  Bound bound;
  const Operator& op = monograph::bind(find_overloads("detach"), given, {}, bound);
  monograph::call(op, bound.data(), &made);
  made.as_tensor().impl()->is_parameter = true;
  made.as_tensor()->requires_grad = requires_grad;
  return made;
}

}  // namespace

// Calls an operator by its name. Arguments are bound as in Python; sizes may be separate arguments.
IValue Evaluator::call_operator(std::string_view name, const CallArguments& given) {
  const OverloadSet* overloads =
      Registry::global().find_overloads(name.find("::") == std::string_view::npos ? concat("aten::", name) : std::string(name));
  MONOGRAPH_CHECK(overloads, NotImplemented, "the source of torch.nn calls ", name, "(), which runs in Python only");
  std::vector<Keyword> keywords;
  for (const auto& [key, value] : given.named)
    if (!value.is_none()) keywords.push_back({key, value});
  std::vector<IValue> args = given.positional;
  const ir::Argument& first = overloads->overloads[0]->schema().arguments()[0];
  if (first.name == "size" && !args.empty() && args[0].is_int()) args = {list_of(std::move(args))};
  else if (first.name == "size" && !args.empty() && args[0].is_tuple()) args[0] = list_of(args[0].items());
  Bound bound;
  const Operator& op = monograph::bind(*overloads, args, keywords, bound);
  std::vector<IValue> results(std::max<size_t>(1, op.results()));
  monograph::call(op, bound.data(), results.data());
  return op.results() > 1 ? IValue::tuple(std::move(results)) : std::move(results[0]);
}

// --- Attributes.

IValue Evaluator::attribute(const IValue& of, const std::string& name) {
  if (auto* f = as<SourceFile>(of)) return look_up(f->names, *f, name);
  if (auto* n = as<NativeValue>(of)) {
    if (n->name == "math" && name == "pi") return std::numbers::pi;
    if (n->name == "math" && name == "inf") return std::numeric_limits<double>::infinity();
    DType dtype;
    if ((n->name == "_C" || n->name == "torch") && parse_dtype(name, dtype)) return dtype;
    if (name == "__name__") return n->name.substr(n->name.rfind('.') + 1);
    return native(concat(n->name, ".", name));
  }
  if (auto* c = as<ClassValue>(of)) {
    if (name == "__name__") return c->name;
    if (const IValue* found = find_member(resolution_order(*c), name)) return *found;
    fail(ErrorKind::Attribute, "type object '", c->name, "' has no attribute '", name, "'");
  }
  if (auto* s = as<SuperValue>(of)) {
    std::vector<ClassValue*> order = resolution_order(*s->self->type);
    order.erase(order.begin(), std::ranges::find(order, s->method_class) + 1);
    if (const IValue* found = find_member(order, name)) return boxed(new BoundValue(*found, IValue(Ref<ObjectBox>(s->self))));
    return boxed(new BoundValue(native(concat("Module.", name)), IValue(Ref<ObjectBox>(s->self))));
  }
  if (auto* layer = as<LayerValue>(of)) {
    if (name == "training") return layer->training;
    if (name == "_parameters") return layer->parameters;
    if (name == "_buffers") return layer->buffers;
    if (name == "_modules") return layer->modules;
    for (const IValue* table : {&layer->parameters, &layer->buffers, &layer->modules, &layer->attributes})
      if (const IValue* found = find_key(*table, name)) return *found;
    if (const IValue* found = find_member(resolution_order(*layer->type), name)) {
      auto* f = as<FunctionValue>(*found);
      if (!f || f->kind == FunctionValue::Kind::Static) return *found;
      if (f->kind == FunctionValue::Kind::Property) return call_function(*f, &of, {});
      return boxed(new BoundValue(*found, of));
    }
    fail(ErrorKind::Attribute, "'", layer->type->name, "' object has no attribute '", name, "'");
  }
  if (of.is_tensor()) {
    const Tensor& t = of.as_tensor();
    if (name == "shape") {
      std::vector<IValue> sizes;
      for (int64_t n : t.sizes()) sizes.emplace_back(n);
      return IValue::tuple(std::move(sizes));
    }
    if (name == "dtype") return t.dtype();
    if (name == "device") return t.device();
    if (name == "is_meta") return t.device().type == DeviceType::Meta;
    if (name == "requires_grad") return t.requires_grad();
    if (Registry::global().find_overloads(concat("aten::", name))) return boxed(new BoundValue(native(concat("Tensor.", name)), of));
  }
  fail(ErrorKind::NotImplemented, "the source of torch.nn reads '", name, "' of a ", describe(of), ", which runs in Python only");
}

// As Module.__setattr__ does.
void Evaluator::set_attribute(const IValue& of, const std::string& name, const IValue& value) {
  auto* layer = as<LayerValue>(of);
  if (!layer && (as<FunctionValue>(of) || as<ClassValue>(of))) return;  // the name of a function, for messages
  if (!layer && of.is_tensor() && name == "requires_grad") return void(of.as_tensor()->requires_grad = value.to_bool());
  MONOGRAPH_CHECK(layer, NotImplemented, "the source of torch.nn assigns '", name, "' of a ", describe(of), ", which runs in Python only");
  if (name == "training") return void(layer->training = value.to_bool());
  if (name == "_modules") return void(layer->modules = value);
  const auto move_to = [&](IValue& table) {
    for (IValue* other : {&layer->parameters, &layer->buffers, &layer->modules, &layer->attributes})
      if (other != &table) erase_key(*other, name);
    set_key(table, name, value);
  };
  if (value.is_tensor() && value.as_tensor()->is_parameter) return move_to(layer->parameters);
  if (as<LayerValue>(value)) return move_to(layer->modules);
  for (IValue* table : {&layer->parameters, &layer->buffers, &layer->modules})
    if (IValue* known = find_key(*table, name)) return void(*known = value);
  set_key(layer->attributes, name, value);
}

bool Evaluator::is_instance(const IValue& v, const IValue& type) {
  if (type.is_tuple()) return std::ranges::any_of(type.items(), [&](const IValue& t) { return is_instance(v, t); });
  auto* layer = as<LayerValue>(v);
  if (auto* c = as<ClassValue>(type)) {
    if (!layer) return false;
    const std::vector<ClassValue*> order = resolution_order(*layer->type);
    return std::ranges::find(order, c) != order.end();
  }
  auto* n = as<NativeValue>(type);
  MONOGRAPH_CHECK(n, Type, "isinstance() arg 2 must be a type or a tuple of types");
  const std::string name = n->name.substr(n->name.rfind('.') + 1);
  if (name == "bool") return v.is_bool();
  if (name == "int") return v.is_int() || v.is_bool();
  if (name == "float") return v.is_float();
  if (name == "complex") return v.is_complex();
  if (name == "str") return v.is_string();
  if (name == "tuple") return v.is_tuple();
  if (name == "list") return v.is_list() || v.is_ints();
  if (name == "dict" || name == "Mapping") return v.is_dict();
  if (name == "Tensor") return v.is_tensor();
  if (name == "Iterable" || name == "Sequence") return v.is_tuple() || v.is_list() || v.is_ints() || v.is_dict() || v.is_string();
  return false;
}

// --- Calls.

IValue Evaluator::call(const IValue& callee, CallArguments given) {
  if (auto* f = as<FunctionValue>(callee)) return call_function(*f, nullptr, std::move(given));
  if (auto* c = as<ClassValue>(callee)) return construct(*c, std::move(given));
  if (auto* n = as<NativeValue>(callee)) return call_native(n->name, std::move(given));
  if (auto* b = as<BoundValue>(callee)) {
    if (auto* f = as<FunctionValue>(b->function)) return call_function(*f, &b->self, std::move(given));
    const std::string full = as<NativeValue>(b->function)->name, name = full.substr(full.rfind('.') + 1);
    auto* layer = as<LayerValue>(b->self);
    if (!layer) return call_method(b->self, name, std::move(given));
    if (std::optional<IValue> v = layer_method(*layer, name, given)) return *v;
  }
  fail(ErrorKind::Type, "'", describe(callee), "' object is not callable");
}

IValue Evaluator::construct(ClassValue& type, CallArguments given) {
  MONOGRAPH_CHECK(is_subclass(type, "Module"), NotImplemented, "an object of the class ", type.name, " is made in Python only");
  auto* made = new LayerValue();
  IValue value = boxed(made);
  made->type = Ref<ClassValue>(&type);
  const IValue* init = find_member(resolution_order(type), "__init__");
  if (init) call_function(*as<FunctionValue>(*init), &value, std::move(given));
  else layer_method(*made, "__init__", given);
  return value;
}

IValue Evaluator::call_native(const std::string& name, CallArguments given) {
  if (name.starts_with(kBuiltins)) return builtin(name.substr(kBuiltins.size()), given);
  const auto& args = given.positional;
  if (name == "nn.parameter.Parameter") {
    const IValue* asked = given.named.empty() ? args.size() > 1 ? &args[1] : nullptr : &given.named[0].second;
    return parameter_of(args.at(0), !asked || truth(*asked));
  }
  if (name == "_C.tensor") {
    if (args.at(0).is_int()) return "full"_op(list_of({}), args[0], DType::i64);
  }
  if (name == "_C._is_capturing") return current_session() != nullptr;
  if (name == "warnings.warn") return warn_user(str_of(args.at(0))), IValue();
  if (name == "copy.deepcopy") {
    std::map<const void*, IValue> made;
    return copied(args.at(0), made);
  }
  if (name == "operator.index") return args.at(0).to_int();
  if (name == "itertools.repeat") return list_of(std::vector<IValue>(static_cast<size_t>(args.at(1).to_int()), args[0]));
  if (name.starts_with(kMath)) {
    const std::string f = name.substr(kMath.size());
    if (f == "prod") {
      IValue product = 1;
      for (const IValue& v : items_of(args.at(0))) product = binary("*", product, v);
      return product;
    }
    const double x = args.at(0).to_double();
    if (f == "sqrt") return std::sqrt(x);
    if (f == "log") return std::log(x);
    if (f == "exp") return std::exp(x);
    if (f == "erf") return std::erf(x);
    if (f == "ceil") return static_cast<int64_t>(std::ceil(x));
    if (f == "floor") return static_cast<int64_t>(std::floor(x));
  }
  if (name.starts_with(kTorch) || name.starts_with(kExtension)) return call_operator(name.substr(name.rfind('.') + 1), given);
  fail(ErrorKind::NotImplemented, "the source of torch.nn calls ", name, "(), which runs in Python only");
}

namespace {

IValue number_of(const std::string& name, const IValue& v) {
  if (name == "bool") return v.is_number() ? v.to_double() != 0 : !v.is_none();
  if (v.is_string()) {
    if (v.to_string() == "-inf") return -std::numeric_limits<double>::infinity();
    if (v.to_string() == "inf") return std::numeric_limits<double>::infinity();
    MONOGRAPH_CHECK(!v.to_string().empty(), Value, "could not convert string to ", name, ": ''");
    return name == "int" ? IValue(int64_t{std::stoll(v.to_string())}) : IValue(std::stod(v.to_string()));
  }
  if (name == "int") return v.is_float() ? IValue(static_cast<int64_t>(v.to_double())) : IValue(v.to_int());
  return v.to_double();
}

}  // namespace

IValue Evaluator::builtin(const std::string& name, CallArguments& given) {
  const auto& args = given.positional;
  const auto first = [&] { return args.empty() ? std::vector<IValue>() : items_of(args[0]); };
  const auto less = [&](const IValue& a, const IValue& b) { return truth(binary("<", a, b)); };
  if (name == "isinstance") return is_instance(args.at(0), args.at(1));
  if (name == "len") {
    if (as<LayerValue>(args.at(0))) return call_method(args[0], "__len__", {});
    return static_cast<int64_t>(args[0].is_dict() ? args[0].pairs().size() : items_of(args[0]).size());
  }
  if (name == "tuple") return IValue::tuple(first());
  if (name == "list" || name == "iter") return list_of(first());
  if (name == "dict") {
    IValue made = IValue::dict(args.empty() ? std::vector<std::pair<IValue, IValue>>() : args[0].pairs());
    for (const auto& [key, value] : given.named) set_key(made, key, value);
    return made;
  }
  if (name == "set" || name == "frozenset") {
    std::vector<IValue> unique;
    for (const IValue& v : first())
      if (!contains(list_of(unique), v)) unique.push_back(v);
    return list_of(std::move(unique));
  }
  if (name == "range") {
    const int64_t start = args.size() > 1 ? args[0].to_int() : 0, stop = args.at(args.size() > 1).to_int(),
                  step = args.size() > 2 ? args[2].to_int() : 1;
    MONOGRAPH_CHECK(step != 0, Value, "range() arg 3 must not be zero");
    std::vector<IValue> out;
    for (int64_t k = start; step > 0 ? k < stop : k > stop; k += step) out.emplace_back(k);
    return list_of(std::move(out));
  }
  if (name == "enumerate" || name == "zip") {
    std::vector<std::vector<IValue>> rows;
    for (const IValue& v : args) rows.push_back(items_of(v));
    std::vector<IValue> out;
    for (size_t k = 0; std::ranges::all_of(rows, [&](const auto& row) { return k < row.size(); }); ++k) {
      std::vector<IValue> parts;
      if (name == "enumerate") parts.emplace_back(static_cast<int64_t>(k));
      for (const auto& row : rows) parts.push_back(row[k]);
      out.push_back(IValue::tuple(std::move(parts)));
    }
    return list_of(std::move(out));
  }
  if (name == "reversed") {
    std::vector<IValue> items = first();
    std::ranges::reverse(items);
    return list_of(std::move(items));
  }
  if (name == "sorted") {
    std::vector<IValue> items = first();
    std::ranges::stable_sort(items, less);
    if (!given.named.empty() && given.named[0].first == "reverse" && truth(given.named[0].second)) std::ranges::reverse(items);
    return list_of(std::move(items));
  }
  if (name == "min" || name == "max") {
    const std::vector<IValue> items = args.size() == 1 ? first() : args;
    MONOGRAPH_CHECK(!items.empty(), Value, name, "() arg is an empty sequence");
    return name == "min" ? *std::ranges::min_element(items, less) : *std::ranges::max_element(items, less);
  }
  if (name == "any" || name == "all") {
    const std::vector<IValue> items = first();
    return name == "any" ? std::ranges::any_of(items, [&](const IValue& v) { return truth(v); })
                         : std::ranges::all_of(items, [&](const IValue& v) { return truth(v); });
  }
  if (name == "sum") {
    IValue total = 0;
    for (const IValue& v : first()) total = binary("+", total, v);
    return total;
  }
  if (name == "int" || name == "float") return number_of(name, args.at(0));
  if (name == "bool") return truth(args.at(0));
  if (name == "str" || name == "repr") return str_of(args.at(0), name == "repr");
  if (name == "setattr") return set_attribute(args.at(0), args.at(1).to_string(), args.at(2)), IValue();
  if (name == "abs") return args.at(0).is_float() ? IValue(std::fabs(args[0].to_double())) : IValue(std::abs(args[0].to_int()));
  if (name == "getattr" || name == "hasattr") {
    try {
      const IValue v = attribute(args.at(0), args.at(1).to_string());
      return name == "hasattr" ? IValue(true) : v;
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::Attribute) throw;
      if (name == "hasattr") return false;
      if (args.size() < 3) throw;
      return args[2];
    }
  }
  if (name == "type") {
    if (auto* layer = as<LayerValue>(args.at(0))) return IValue(Ref<ObjectBox>(layer->type));
    return native(concat("builtins.", args[0].is_none() ? "NoneType" : describe(args[0])));
  }
  fail(ErrorKind::NotImplemented, "the source of torch.nn calls ", name, "(), which runs in Python only");
}

IValue Evaluator::call_method(const IValue& self, const std::string& name, CallArguments given) {
  if (auto* layer = as<LayerValue>(self)) {
    const IValue* found = find_member(resolution_order(*layer->type), name);
    auto* f = found ? as<FunctionValue>(*found) : nullptr;
    if (f && f->kind == FunctionValue::Kind::Plain) return call_function(*f, &self, std::move(given));
    if (!found)
      if (std::optional<IValue> v = layer_method(*layer, name, given)) return *v;
    return call(attribute(self, name), std::move(given));
  }
  if (self.is_object()) return call(attribute(self, name), std::move(given));
  if (std::optional<IValue> v = container_method(self, name, given)) return *v;
  given.positional.insert(given.positional.begin(), self);
  return call_operator(name, given);
}

// Methods of torch.nn.Module.
std::optional<IValue> Evaluator::layer_method(LayerValue& layer, const std::string& name, CallArguments& given) {
  const auto& args = given.positional;
  const auto named = [&](const std::string& key, size_t place) -> IValue {
    for (const auto& [k, v] : given.named)
      if (k == key) return v;
    return place < args.size() ? args[place] : IValue();
  };
  const IValue self{Ref<ObjectBox>(&layer)};
  if (name == "__init__") {
    MONOGRAPH_CHECK(args.empty(), Type, layer.type->name, ".__init__() takes 1 positional argument but ", args.size() + 1, " were given");
    MONOGRAPH_CHECK(given.named.empty(), Type, layer.type->name, ".__init__() got an unexpected keyword argument '", given.named[0].first,
                    "'");
    return IValue();
  }
  if (name == "register_parameter") return set_key(layer.parameters, args.at(0).to_string(), named("param", 1)), IValue();
  if (name == "register_buffer") return set_key(layer.buffers, args.at(0).to_string(), named("tensor", 1)), IValue();
  if (name == "add_module" || name == "register_module") {
    const IValue module = named("module", 1);
    MONOGRAPH_CHECK(module.is_none() || as<LayerValue>(module), Type, str_of(module), " is not a Module subclass");
    return set_key(layer.modules, args.at(0).to_string(), module), IValue();
  }
  if (name == "modules" || name == "children" || name == "parameters") {
    std::vector<IValue> out;
    const auto add = [&](const IValue& v) {
      if (!v.is_none() && std::ranges::none_of(out, [&](const IValue& known) { return known.is(v); })) out.push_back(v);
    };
    const std::function<void(const IValue&)> walk = [&](const IValue& at) {
      const auto* here = as<LayerValue>(at);
      if (name == "modules") add(at);
      if (name == "parameters")
        for (const auto& [key, value] : here->parameters.pairs()) add(value);
      for (const auto& [key, value] : here->modules.pairs()) {
        if (name == "children") add(value);
        else if (!value.is_none()) walk(value);
      }
    };
    walk(self);
    return list_of(std::move(out));
  }
  return {};
}

// Methods of lists, dicts, strings and tensors.
std::optional<IValue> Evaluator::container_method(const IValue& self, const std::string& name, CallArguments& given) {
  const auto& args = given.positional;
  if (self.is_list()) {
    auto& items = self.items();
    if (name == "append") return items.push_back(args.at(0)), IValue();
    if (name == "extend") {
      for (const IValue& v : items_of(args.at(0))) items.push_back(v);
      return IValue();
    }
    if (name == "insert") {  // as in Python, a negative index counts from the end, and an index outside of the list is clamped
      const auto size = static_cast<int64_t>(items.size());
      const int64_t index = args.at(0).to_int();
      return items.insert(items.begin() + std::clamp<int64_t>(index < 0 ? index + size : index, 0, size), args.at(1)), IValue();
    }
  }
  if (self.is_dict()) {
    std::vector<IValue> out;
    for (const auto& [key, value] : self.pairs())
      out.push_back(name == "keys" ? key : name == "values" ? value : IValue::tuple({key, value}));
    if (name == "keys" || name == "values" || name == "items") return list_of(std::move(out));
    if (name == "get" || name == "pop") {
      const IValue* found = find_key(self, args.at(0).to_string());
      MONOGRAPH_CHECK(found || name == "get" || args.size() > 1, Key, str_of(args[0], true));
      IValue value = found ? *found : args.size() > 1 ? args[1] : IValue();
      if (name == "pop") erase_key(self, args[0].to_string());
      return value;
    }
  }
  if (self.is_string()) {
    const std::string& text = self.to_string();
    if (name == "startswith") return text.starts_with(args.at(0).to_string());
    if (name == "endswith") return text.ends_with(args.at(0).to_string());
    if (name == "join") {
      std::string joined;
      for (const IValue& v : items_of(args.at(0))) joined += (joined.empty() ? "" : text) + v.to_string();
      return joined;
    }
  }
  if (self.is_tensor()) {
    const Tensor& t = self.as_tensor();
    if (name == "dim") return t.dim();
    if (name == "numel") return t.numel();
    if (name == "size" && args.size() == 1) return t.sizes()[static_cast<size_t>(wrap_dim(args[0].to_int(), t.dim()))];
    if (name == "size") return attribute(self, "shape");
    // In-place random operators take a generator in PyTorch. None, the default generator, is the only one here.
    std::erase_if(given.named, [](const auto& pair) { return pair.first == "generator" && pair.second.is_none(); });
  }
  return {};
}

// copy.deepcopy: one copy of each module and tensor.
IValue Evaluator::copied(const IValue& v, std::map<const void*, IValue>& made) {
  if (v.is_tensor()) {
    IValue& copy = made[v.as_tensor().impl()];
    if (copy.is_none()) {
      const GradModeScope no_grad(false);
      const Tensor& from = v.as_tensor();
      copy = "clone"_op(v);
      if (from->is_parameter) copy = parameter_of(copy, from->requires_grad);
    }
    return copy;
  }
  if (auto* layer = as<LayerValue>(v)) {
    IValue& copy = made[layer];
    if (!copy.is_none()) return copy;
    auto* other = new LayerValue();
    copy = boxed(other);
    const IValue keep = copy;
    other->type = layer->type, other->training = layer->training;
    other->parameters = copied(layer->parameters, made), other->buffers = copied(layer->buffers, made);
    other->modules = copied(layer->modules, made), other->attributes = copied(layer->attributes, made);
    return keep;
  }
  if (v.is_list() || v.is_tuple()) {
    std::vector<IValue> items;
    for (const IValue& item : v.items()) items.push_back(copied(item, made));
    return v.is_list() ? list_of(std::move(items)) : IValue::tuple(std::move(items));
  }
  if (v.is_dict()) {
    std::vector<std::pair<IValue, IValue>> pairs;
    for (const auto& [key, value] : v.pairs()) pairs.emplace_back(key, copied(value, made));
    return IValue::dict(std::move(pairs));
  }
  return v;
}

}  // namespace monograph::capture::layers
