// Items and slices of tensors, lists, tuples, dicts and strs.
#include <algorithm>

#include "capture/script/function_compiler.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

namespace {

std::optional<int64_t> known_int(ir::ArgRef a, int depth = 0) {
  if (a.is(ArgKind::Int)) return a.as_int();
  const Node* n = a.node();
  constexpr int kMostDepth = 8;
  if (!n || depth > kMostDepth || n->arg_count() != 2 || n->positional_count() != 2) return {};
  // `k - 1` of a loop that stands there once for each module.
  const std::string& name = n->target().name();
  const auto x = known_int(n->arg(0), depth + 1), y = x ? known_int(n->arg(1), depth + 1) : std::nullopt;
  if (!y) return {};
  int64_t out = 0;
  const bool add = name == "operator.add" || name == "aten::add", sub = name == "operator.sub" || name == "aten::sub";
  const bool mul = name == "operator.mul" || name == "aten::mul";
  if (!add && !sub && !mul) return {};
  if (add ? __builtin_add_overflow(*x, *y, &out) : sub ? __builtin_sub_overflow(*x, *y, &out) : __builtin_mul_overflow(*x, *y, &out))
    return {};
  return out;
}
// An int that is known while the function is compiled.
std::optional<int64_t> known_int(const ScriptValue& v) {
  if (v.kind != ScriptValue::Kind::Plain) return {};
  return known_int(v.arg[0]);
}

}  // namespace

// Whether an index is a:b:c, a call of slice(), or a variable that holds what it gave.
bool FunctionCompiler::is_slice(const Expr& e) {
  if (e.kind == SyntaxKind::Slice) return true;
  const Expr& named = e.kind == SyntaxKind::Call ? *e.parts[0] : e;
  if (named.kind != SyntaxKind::Name) return false;
  const ScriptVariable* v = find_variable(named.text);
  if (e.kind == SyntaxKind::Name) return v && v->fixed && v->fixed->kind == ScriptValue::Kind::Iterable && v->fixed->text == "slice";
  return !v && named.text == "slice" && look_up(named.text).kind == HostValue::Kind::Builtin;
}

// One more of start, stop and step.
void FunctionCompiler::add_bound(Args& bounds, const TextRange& at, ScriptValue v) {
  if (v.is_none()) {
    if (bounds.size() == 2) bounds.add(1);
    else bounds.none();
    return;
  }
  if (v.type.is(TypeKind::Tensor)) v = emit(at, "aten::IntImplicit", {v});
  if (v.type.is(TypeKind::Number)) v = converted(at, v, TypeKind::Int, "the bound of a slice");
  if (!v.type.is(TypeKind::Int) && !(v.type.is(TypeKind::Optional) && v.type.element().is(TypeKind::Int)))
    wrong(at, concat("the bounds of a slice are ints, but this value has type ", spelled(v.type)));
  bounds.add(v.arg[0]);
}

Args FunctionCompiler::slice_bounds(const Expr& range) {
  Args bounds;
  if (range.kind != SyntaxKind::Slice) {
    for (const ScriptValue& part : expression(range).parts) add_bound(bounds, range.range, part);
    return bounds;
  }
  for (size_t k = 0; k < 3; ++k) {
    const Expr* part = range.parts[k];
    if (!part || part->kind == SyntaxKind::None) {
      if (k == 2) bounds.add(1);
      else bounds.none();
      continue;
    }
    add_bound(bounds, part->range, plain(*part));
  }
  return bounds;
}

ScriptValue FunctionCompiler::element(const TextRange& at, const ScriptValue& base, const ScriptValue& index) {
  if (base.kind == ScriptValue::Kind::Module && module_of(base).kind == HostModule::Items::Dict) return module_item(at, base, index);
  if (const auto n = known_length(base); n && base.kind != ScriptValue::Kind::List) {
    const auto k = known_int(index);
    if (!k) {
      if (base.kind == ScriptValue::Kind::Module) return chosen_module(at, base, index);
      // Any part will do where all have one type.
      const std::vector<ScriptValue> items = items_of(at, base);
      const bool alike = !items.empty() && std::ranges::all_of(items, [&](const ScriptValue& v) {
        return widened(type_of(v)) == widened(type_of(items[0]));
      });
      if (!alike) wrong(at, "the index of a tuple must be written as a number, because the elements of the tuple have different types");
      ScriptValue list;
      list.kind = ScriptValue::Kind::List, list.parts = items, list.type = Type::list(widened(type_of(items[0])));
      return emit(at, "aten::__getitem__", {list, index});
    }
    const int64_t length = static_cast<int64_t>(*n);
    if (*k < -length || *k >= length) wrong(at, concat("the index ", *k, " is out of range for a tuple of ", length));
    return item_of(at, base, static_cast<size_t>(*k < 0 ? *k + length : *k));
  }
  const Type type = type_of(base);
  if ((type.is(TypeKind::List) || type.is(TypeKind::Str)) && index.type.is(TypeKind::Tensor))
    return element(at, base, emit(at, "aten::IntImplicit", {index}));
  if (type.is(TypeKind::List) && !index.type.is(TypeKind::Int))
    wrong(at, concat("the index of a list is an int, but this value has type ", spelled(index.type),
                     index.type.is(TypeKind::Float) || index.type.is(TypeKind::Number) ? "; write int(...)" : ""));
  if (!type.is(TypeKind::List) && !type.is(TypeKind::Dict) && !type.is(TypeKind::Str))
    wrong(at, concat("a value of type ", spelled(type), " has no items", type.is(TypeKind::Optional) ? "; check `is not None` first" : ""));
  ScriptValue key = index;
  if (type.is(TypeKind::Dict)) key = converted(at, index, type.elements()[0], "a key of this dict");
  return emit(at, "aten::__getitem__", {base, key});
}

ScriptValue FunctionCompiler::slice(const Expr& e, const ScriptValue& base, const Expr& range) {
  if (const auto n = known_length(base); n && base.kind != ScriptValue::Kind::List) {
    const std::vector<ScriptValue> items = items_of(e.range, base);
    const Args bounds = slice_bounds(range);
    std::optional<int64_t> numbers[3];
    for (size_t k = 0; k < 3; ++k) {
      if (bounds[k].is_none()) continue;
      if (!bounds[k].is(ArgKind::Int))
        wrong(range.range, "the bounds of a tuple's slice must be written as numbers, because the type of the result depends on them");
      numbers[k] = bounds[k].as_int();
    }
    const int64_t length = static_cast<int64_t>(*n), step = numbers[2].value_or(1);
    if (step == 0) wrong(range.range, "the step of a slice cannot be 0");
    ScriptValue tuple;
    tuple.kind = ScriptValue::Kind::Tuple;
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? length : length - 1;
    auto place = [&](std::optional<int64_t> i, int64_t otherwise) {
      return i ? std::clamp(*i < 0 ? std::max(*i, -length - 1) + length : *i, low, high) : otherwise;
    };
    const int64_t from = place(numbers[0], step > 0 ? low : high), to = place(numbers[1], step > 0 ? high : low);
    for (int64_t k = from; step > 0 ? k < to : k > to; k += std::clamp(step, -length - 1, length + 1))
      tuple.parts.push_back(items[static_cast<size_t>(k)]);
    return tuple;
  }
  const Type type = type_of(base);
  if (!type.is(TypeKind::List) && !type.is(TypeKind::Str)) wrong(e.range, concat("a value of type ", spelled(type), " cannot be sliced"));
  Args args = arg_of(e.range, base);
  const Args bounds = slice_bounds(range);
  for (size_t k = 0; k < 3; ++k) args.add(bounds[k]);
  return emit(e.range, "aten::slice", args);
}

ScriptValue FunctionCompiler::subscript(const Expr& e) {
  const ScriptValue base = present(e.parts[0]->range, expression(*e.parts[0]));
  const Expr& index = *e.parts[1];
  if (base.kind == ScriptValue::Kind::Plain && base.type.is(TypeKind::Tensor)) {
    Args places;
    ScriptValue part = tensor_subscript(e, base, index, &places);
    if (!places.size()) return part;
    return emit(e.range, "aten::index", Args(part.arg[0], places[0]));
  }
  if (base.type.is(TypeKind::Class) && base.kind == ScriptValue::Kind::Plain && index.kind != SyntaxKind::Slice) {
    if (std::optional<ScriptValue> item = special_method(e.range, "__getitem__", {base, plain(index)})) return *item;
    wrong(e.range, concat("the class ", spelled(base.type), " has no method __getitem__"));
  }
  if (base.kind == ScriptValue::Kind::Class && class_of(e.range, base.id).host.kind == HostClass::Kind::Enum) {
    const ScriptValue name = plain(index);
    if (!name.arg[0].is(ArgKind::Str)) wrong(index.range, "the name of a member of an Enum must be written as a str");
    return enum_member(e.range, class_of(e.range, base.id), name.arg[0].as_str());
  }
  if (base.kind == ScriptValue::Kind::Keywords) return keyword_item(e.range, base, plain(index));
  if (base.kind == ScriptValue::Kind::Namespace) {
    const ScriptValue key = plain(index);
    if (std::optional<ScriptValue> item = asked(e, base, "item", &key)) return *item;
    wrong(e.range, concat("'", text_at(e.parts[0]->range).substr(0, 60), "', which is a constant of the script, has no item of this key"));
  }
  if (base.kind == ScriptValue::Kind::Record) {
    if (is_slice(index)) return slice(e, tuple_of(record_items(e.range, base)), index);
    const ScriptValue key = plain(index);
    if (key.arg[0].is(ArgKind::Str)) return record_item(e.range, base, key.arg[0].as_str());
    return record_place(e.range, base, key);
  }
  if (is_slice(index)) return slice(e, base, index);
  if (index.kind == SyntaxKind::Tuple && !type_of(base).is(TypeKind::Dict)) wrong(index.range, "several indices are for tensors");
  return element(e.range, base, plain(index));
}

// The part that numbers, slices and None take. Where tensors or lists are among the indices, `places` gets the list of them, one for each dim of the part.
ScriptValue FunctionCompiler::tensor_subscript(const Expr& e, const ScriptValue& base, const Expr& index, Args* places) {
  std::vector<const Expr*> parts{&index};
  if (index.kind == SyntaxKind::Tuple) parts.assign(index.parts.begin(), index.parts.end());
  size_t taken = 0;  // dims that the indices name
  std::vector<std::optional<ScriptValue>> values;
  size_t ellipsis = parts.size();
  for (size_t k = 0; k < parts.size(); ++k) {
    values.emplace_back();
    if (is_slice(*parts[k])) {
      ++taken;
    } else if (parts[k]->kind == SyntaxKind::Ellipsis) {
      if (ellipsis != parts.size()) wrong(index.range, "an index has one '...' at most");
      ellipsis = k;
    } else if (parts[k]->kind == SyntaxKind::Starred) {
      unsupported(parts[k]->range, "a starred index");
    } else {
      values[k] = plain(*parts[k]);
      taken += !values[k]->is_none();
    }
  }
  ScriptValue part = base;
  int64_t dim = 0;
  std::vector<std::pair<int64_t, Args>> tensors;
  // Behind the '...' dims count from the end.
  auto real_dim = [&](size_t k) -> int64_t {
    if (k < ellipsis || ellipsis == parts.size()) return dim;
    int64_t behind = 0;
    for (size_t j = k; j < parts.size(); ++j) behind += !values[j] || !values[j]->is_none();
    return -behind;
  };
  for (size_t k = 0; k < parts.size(); ++k) {
    const TextRange& at = parts[k]->range;
    const int64_t d = real_dim(k);
    if (k == ellipsis) continue;
    if (!values[k]) {
      const Expr& s = *parts[k];
      ++dim;
      const bool all = s.kind == SyntaxKind::Slice && !s.parts[0] && !s.parts[1] && !s.parts[2];
      if (all && !host_.keeps_calls()) continue;  // it computes nothing, and PyTorch's code has it
      Args args = Args(part.arg[0], d);
      const Args bounds = slice_bounds(s);
      for (size_t j = 0; j < 3; ++j) args.add(bounds[j]);
      part = emit(at, "aten::slice", args);
      continue;
    }
    const ScriptValue& v = *values[k];
    if (v.is_none()) {
      if (ellipsis < k) {
        // In front of the dims that follow, counted from the end.
        int64_t behind = 0;
        for (size_t j = k + 1; j < parts.size(); ++j) behind += !values[j] || !values[j]->is_none();
        part = emit(at, "aten::unsqueeze", Args(part.arg[0], -behind - 1));
      } else {
        part = emit(at, "aten::unsqueeze", Args(part.arg[0], dim++));
      }
      continue;
    }
    if (v.type.is(TypeKind::Int)) {
      part = emit(at, "aten::select", Args(part.arg[0], d, v.arg[0]));
      continue;
    }
    ScriptValue selected = v;
    if (v.type.is(TypeKind::List)) {
      selected = emit(at, "aten::tensor", with_list_dtype(Args(v.arg[0])));
    }
    if (v.type.is(TypeKind::Bool)) unsupported(at, "an index that is a bool");
    if (!selected.type.is(TypeKind::Tensor))
      wrong(at, concat("an index of a tensor is an int, slice, tensor, list, None or '...', but this value has type ", spelled(type_of(v)),
                       type_of(v).is(TypeKind::Str) ? "; a parameter without a type is a tensor, and a dict needs one: d: Dict[str, Tensor]"
                                                    : ""));
    if (ellipsis < k) unsupported(at, "a tensor after '...' in an index");
    tensors.emplace_back(dim++, selected.arg);
  }
  (void)taken, (void)e;
  if (tensors.empty()) return part;
  Args list;
  list.open(ArgKind::List);
  int64_t at_dim = 0;
  for (const auto& [d, t] : tensors) {
    for (; at_dim < d; ++at_dim) list.none();
    list.add(t[0]), ++at_dim;
  }
  *places = list.close();
  return part;
}

}  // namespace monograph::capture::script
