// The entry points of a capture. capture() binds the inputs to placeholders, runs the function under a Tracer or on symbolic tensors, and makes its results
// the output. cond() and while_loop() run each branch or body once on symbolic tensors and build an If or Loop with ir::RegionBuilder.
#include "capture/capture.h"

#include "capture/regions.h"
#include "ops/list_length.h"
#include "passes/dce.h"

namespace monograph::capture {
namespace {

using ir::Args;
using ir::Node;

// While it lives, the user's code runs on symbolic tensors: in an arm of cond or the body of while_loop.
class SymbolicScope {
 public:
  explicit SymbolicScope(Writer& w) : session_{w, true, ControlFlow::Error}, session_scope_(&session_), recorder_(w), scope_(recorder_) {}

 private:
  Session session_;
  SessionScope session_scope_;
  SymbolicTracer recorder_;
  DispatchModeScope scope_;
};

// Makes the placeholders of a capture, and the values that the function gets for them. A tuple, list or dict is one placeholder, of which nodes take the parts.
class Inputs {
 public:
  Inputs(Writer& w, bool symbolic, bool takes_numbers) : w_(w), symbolic_(symbolic), takes_numbers_(takes_numbers) {}

  IValue add(std::string_view name, const IValue& example) {
    path_ = name;
    Node* p = w_.graph.placeholder(name, type_of(example));
    return value(p, example, std::string(name), false);
  }

  // Guards the dtypes and numbers of dims of the tensors in lists and dicts: the types of lists and dicts do not say them. Python may have asked for those of a
  // tensor that the graph does not read.
  void guard_items() {
    static const Operator &dtype_of = find_operator("prim::dtype"), &dim_of = find_operator("aten::dim");
    for (const Item& item : items_) {
      if (item.node->erased()) continue;
      const auto guard = [&](const Operator& op, ir::Type type, Args expected, std::string_view word) {
        Node* n = w_.graph.call(op, Args(item.node));
        w_.graph.set_type(n, type);
        ir::Guard g;
        g.value = n, g.expected = std::move(expected), g.expression = concat(item.place, word), g.span = item.node->span();
        w_.graph.add_guard(std::move(g));
      };
      w_.graph.insert_after(item.node);
      guard(dtype_of, ir::TypeKind::DType, Args(item.dtype), ".dtype");
      guard(dim_of, ir::TypeKind::Int, Args(item.dims), ".dim()");
    }
    w_.graph.insert_at_end(w_.graph.root());
  }

 private:
  // The type of a placeholder. Sizes of 0 and 1 are symbols too: a decision that depends on one makes a guard.
  ir::Type type_of(const IValue& v) {
    switch (v.tag()) {
      case IValue::Tag::None: return ir::TypeKind::Tensor;
      case IValue::Tag::Tensor: return tensor_type(v.as_tensor());
      case IValue::Tag::Tuple: {
        std::vector<ir::Type> types;
        for (const IValue& item : v.items()) types.push_back(type_of(item));
        return ir::Type::tuple(types);
      }
      case IValue::Tag::List: return ir::Type::list(element_type(v.items()));
      case IValue::Tag::Dict: return ir::Type::dict(ir::TypeKind::Str, element_type(values_of(v)));
      default:
        if (takes_numbers_ && v.is_int()) return ir::TypeKind::Int;
        if (takes_numbers_ && v.is_float()) return ir::TypeKind::Float;
        fail(ErrorKind::Type, "an input of a capture is a Tensor, or a tuple, list or dict of them, but ", path_, " holds ", describe(v),
             "; a number that does not change belongs into a closure or partial()");
    }
  }

  // The common type of the elements of a list or dict. They may differ in their sizes, and in their kinds.
  ir::Type element_type(const std::vector<IValue>& items) {
    ir::Type common;
    for (const IValue& item : items) {
      const ir::Type general = general_type(item);
      common = common ? ir::join(common, general) : general;
    }
    return common ? common : ir::Type(ir::TypeKind::Tensor);
  }
  static std::vector<IValue> values_of(const IValue& dict) {
    std::vector<IValue> values;
    for (const auto& [key, item] : dict.pairs()) values.push_back(item);
    return values;
  }
  // The type of a value without the sizes and dtypes of this example.
  ir::Type general_type(const IValue& v) {
    if (v.is_tensor()) return ir::TypeKind::Tensor;
    if (v.is_list()) return ir::Type::list(element_type(v.items()));
    if (v.is_dict()) return ir::Type::dict(ir::TypeKind::Str, element_type(values_of(v)));
    if (!v.is_tuple()) return type_of(v);
    std::vector<ir::Type> types;
    for (const IValue& item : v.items()) types.push_back(general_type(item));
    return ir::Type::tuple(types);
  }

  ir::Type tensor_type(const Tensor& t) {
    std::vector<SymInt> sizes;
    for (int64_t d = 0; d < t.dim(); ++d) {
      Symbol s;
      s.name = concat("s", tensors_, "_", d), s.hint = t.sizes()[static_cast<size_t>(d)];
      sizes.push_back(SymInt::symbol(s));
    }
    ++tensors_;
    ir::TensorType type;
    type.dtype = t.dtype();
    type.sizes.emplace(sizes.begin(), sizes.end());
    return type;
  }

  // Guards the number of items: the function has seen as many as the example has, and the graph rejects any other number.
  void guard_length(std::string_view len, Node* container, size_t length) {
    Node* n = w_.graph.call(len, Args(container));
    w_.graph.set_type(n, ir::TypeKind::Int);
    w_.guard(n, static_cast<int64_t>(length), concat("len(", container->name(), ")"));
  }

  // `place`: how a program would write the value. within: it is an item of a list or dict, at any depth.
  IValue value(Node* n, const IValue& example, const std::string& place, bool within) {
    switch (example.tag()) {
      case IValue::Tag::Tuple:
      case IValue::Tag::List: {
        bool tuple = example.is_tuple();
        if (!tuple && !symbolic_)
          guard_length("aten::len.t", n, example.items().size());  // a tuple's type has its length; a symbolic capture accepts longer lists
        std::vector<IValue> items;
        for (size_t k = 0; k < example.items().size(); ++k) {
          Node* part = w_.graph.call("aten::__getitem__.t", Args(n, static_cast<int64_t>(k)));
          w_.graph.set_type(part, tuple ? n->type().elements()[k] : type_of(example.items()[k]));
          items.push_back(value(part, example.items()[k], concat(place, "[", k, "]"), within || !tuple));
        }
        return tuple ? IValue::tuple(std::move(items)) : IValue::list(std::move(items));
      }
      case IValue::Tag::Dict: {
        std::vector<std::pair<IValue, IValue>> pairs;
        if (!symbolic_) guard_length("aten::len.Dict_str", n, example.pairs().size());  // a symbolic capture accepts further keys
        for (const auto& [key, item] : example.pairs()) {
          MONOGRAPH_CHECK(key.is_string(), Type, "the keys of a dict that is an input of a capture are str, but one of ", path_, " is ",
                          describe(key));
          Node* part = w_.graph.call("aten::__getitem__.Dict_str", Args(n, key.to_string()));
          w_.graph.set_type(part, type_of(item));
          std::string word;
          ir::print_quoted(word, key.to_string());
          pairs.emplace_back(key, value(part, item, concat(place, "[", word, "]"), true));
        }
        return IValue::dict(std::move(pairs));
      }
      default: break;
    }
    if (takes_numbers_ && (example.is_int() || example.is_float())) return w_.number(n, example);
    if (symbolic_) return w_.symbolic(n);
    const Tensor& t = example.as_tensor();
    if (within) items_.push_back({n, t.dtype(), t.dim(), place});
    if (w_.find(t)) {  // the same tensor was passed before: each position is an input of its own
      Tensor alias = Tracer(w_).alias(t, n);
      w_.repeated_inputs[alias.impl()] = {alias, t};
      return alias;
    }
    w_.name(t, n);
    return t;
  }

  struct Item {
    Node* node;
    DType dtype;
    int64_t dims;
    std::string place;
  };

  Writer& w_;
  bool symbolic_, takes_numbers_;
  size_t tensors_ = 0;
  std::vector<Item> items_;  // tensors in lists and dicts
  std::string path_;
};

Node* node_of(Writer& w, const IValue& v) {
  Args a;
  w.add(a, v);
  Node* n = a[0].node();
  MONOGRAPH_CHECK(n, Runtime, "the condition is a constant of this capture; it must depend on the inputs");
  return n;
}

IValue as_bool(const Tensor& t) {
  static const Operator& op = find_operator("aten::Bool.Tensor");
  IValue arg = t, out;
  call(op, &arg, &out);
  return out;
}

std::vector<Tensor> symbolic_of(Writer& w, const std::vector<Tensor>& tensors) {
  std::vector<Tensor> out;
  for (const Tensor& t : tensors) {
    Args a;
    w.add(a, t);
    Node* n = a[0].node();
    out.push_back(n ? w.symbolic(n) : t);  // a constant stays a constant
  }
  return out;
}

// The tensors that the function gets as the results of an If or Loop: symbolic ones, or under trace those of the example.
std::vector<Tensor> results_of(Session& s, ir::RegionBuilder& b, Node* region, const std::vector<ir::RegionBuilder::Slot>& slots,
                               const std::vector<Tensor>& example, const RegionUses& uses) {
  std::vector<Node*> nodes;
  for (auto slot : slots) nodes.push_back(b.node(slot));
  if (!s.symbolic) return traced_results(s.writer, region, nodes, example, uses);
  std::vector<Tensor> out;
  for (Node* n : nodes) out.push_back(s.writer.symbolic(n));
  return out;
}

}  // namespace

Captured capture(const EagerFunction& f, std::vector<IValue> inputs, const CaptureOptions& options) {
  install_symbolic_hook();
  Captured out;
  out.how = options.how == How::Auto ? How::Trace : options.how;
  bool symbolic = out.how == How::Symbolic;
  out.graph = std::make_unique<ir::Graph>(options.name, options.unit);
  Writer writer(*out.graph);
  writer.location = options.location, writer.scope = options.scope, writer.attribute = options.attribute, writer.adopt = options.adopt;
  writer.before_write = options.before_write, writer.frozen = options.frozen;
  writer.any_grad_mode = options.any_grad_mode, writer.variable = options.variable, writer.is_symbol = options.is_symbol;
  writer.number_variable = options.number_variable, writer.compares_inputs = options.compares_inputs;
  Inputs bind(writer, symbolic, options.takes_numbers);
  std::vector<IValue> arguments;
  for (size_t k = 0; k < inputs.size(); ++k) {
    std::string name = k < options.input_names.size() ? options.input_names[k] : inputs.size() == 1 ? "x" : concat("x", k);
    arguments.push_back(bind.add(name, inputs[k]));
  }
  Session session{writer, symbolic, options.control_flow};
  SessionScope session_scope(&session);
  Tracer trace(writer);
  SymbolicTracer append(writer);
  {
    DispatchModeScope scope(symbolic ? static_cast<DispatchMode&>(append) : trace);
    IValue result = f(std::move(arguments));
    writer.finish(result);
    if (!symbolic) out.result = std::move(result);
    bind.guard_items();
    out.notes = writer.take_notes();
  }
  // Removes the nodes of list elements that the function did not use.
  if (!symbolic) passes::eliminate_dead_code(*out.graph);
  return out;
}

bool truth(const Tensor& t, std::string_view expression) { return demand(as_bool(t), expression).to_bool(); }

IValue element(const IValue& list, int64_t index) {
  if (!symbolic_value(list) && (list.is_list() || list.is_tuple())) {
    auto n = static_cast<int64_t>(list.items().size());
    MONOGRAPH_CHECK(index >= -n && index < n, Index, "index ", index, " is out of range for a list of ", n);
    return list.items()[static_cast<size_t>(index < 0 ? index + n : index)];
  }
  static const Operator& getitem = find_operator("aten::__getitem__.t");
  IValue args[] = {list, index}, out;
  call(getitem, args, &out);
  return out;
}

std::vector<IValue> unpacked(const IValue& list, std::optional<size_t> length) {
  const SymbolicValue& value = *symbolic_value(list);
  check_running(value);
  Session* s = current_session();
  MONOGRAPH_CHECK(s, Runtime, "%", value.node->name(), " belongs to a capture that runs on another thread, so it has no value here");
  const Node* n = value.node;
  const auto fail_here = [&](ErrorKind kind, const std::string& message) {
    Error e(kind, message);
    e.locate(s->writer.location ? s->writer.location() : n->span());
    throw e;
  };
  const auto* op = dynamic_cast<const Operator*>(n->info());
  const Dim inferred = op ? infer_length(*op, *n) : Dim();
  std::optional<int64_t> known, count;
  if (inferred && inferred->is_int()) known = inferred->as_int();
  if (known && length && *known != static_cast<int64_t>(*length))
    fail_here(ErrorKind::Value,
              concat("%", n->name(), " (", n->target().name(), ") gives ", *known, " tensors, but ", *length, " are unpacked"));
  count = known;
  if (!count && length) count = static_cast<int64_t>(*length);
  if (!count && op) count = requested_length(*op, *n);
  if (!count)
    fail_here(ErrorKind::Runtime,
              concat("[", n->target().name(), "] how many tensors it gives depends on sizes, which are not known while the function is ",
                     "captured. Say how many there are: auto [a, b] = unpack<2>([&] { return split(x, 2); })"));
  if (!known) {
    static const Operator& len = find_operator("aten::len.t");
    s->writer.guard(s->writer.append(len, &list), *count, concat("len(", n->target().name(), "(...))"));
  }
  std::vector<IValue> items;
  for (int64_t k = 0; k < *count; ++k) {
    items.push_back(element(list, k));
    s->writer.may_go_unused(node_of(s->writer, items.back()));
  }
  return items;
}

// Where a function of the program raises inside of a region, the region goes: the program may catch the error, and go on with a graph as it was before.
class AbandonsOnError {
 public:
  AbandonsOnError(ir::RegionBuilder& builder, Writer& writer) : builder_(builder), writer_(writer) {}
  ~AbandonsOnError() {
    while (builder_.depth()) {
      writer_.forget_within(builder_.open_region());
      builder_.abandon();
    }
  }
  AbandonsOnError(const AbandonsOnError&) = delete;

 private:
  ir::RegionBuilder& builder_;
  Writer& writer_;
};

std::vector<Tensor> cond(const Tensor& predicate, const Branch& then, const Branch& otherwise, const std::vector<Tensor>& operands) {
  IValue p = as_bool(predicate);
  if (!symbolic_value(p)) return p.to_bool() ? then(operands) : otherwise(operands);
  Session* s = current_session();
  MONOGRAPH_ASSERT(s);
  Writer& w = s->writer;
  ir::RegionBuilder b(w.graph);
  std::vector<ir::RegionBuilder::Slot> slots;
  std::vector<Tensor> example;
  RegionUses uses(w);
  const AbandonsOnError rollback(b, w);
  b.begin_if(node_of(w, p));
  for (int arm = 0; arm < 2; ++arm) {
    if (arm) b.begin_else();
    const Branch& f = arm ? otherwise : then;
    bool runs = s->symbolic || symbolic_value(p)->hint.to_bool() == !arm;
    std::vector<Tensor> results;
    if (runs) {
      results = f(operands);
      example = results;
    } else {
      std::vector<Tensor> handles = symbolic_of(w, operands);
      SymbolicScope scope(w);
      results = f(handles);
    }
    if (!arm)
      for (size_t k = 0; k < results.size(); ++k) slots.push_back(b.slot(concat("result_", k)));
    MONOGRAPH_CHECK(results.size() == slots.size(), Value, "cond: both functions must return the same number of tensors, but they return ",
                    slots.size(), " and ", results.size());
    for (size_t k = 0; k < results.size(); ++k) {
      Args value;
      w.add(value, results[k]);
      b.set(slots[k], value);
    }
  }
  Node* region = b.end_if();
  return results_of(*s, b, region, slots, example, uses);
}

std::vector<Tensor> while_loop(const Condition& condition, const Branch& body, const std::vector<Tensor>& initial) {
  std::vector<Tensor> values = initial;
  const auto next_of = [&](const std::vector<Tensor>& carried) {
    std::vector<Tensor> next = body(carried);
    MONOGRAPH_CHECK(next.size() == initial.size(), Value, "while_loop: the body takes ", initial.size(), " tensors and returns ",
                    next.size());
    return next;
  };
  IValue first = as_bool(condition(initial));
  if (!symbolic_value(first)) {
    for (bool holds = first.to_bool(); holds; holds = as_bool(condition(values)).to_bool()) values = next_of(values);
    return values;
  }
  Session* s = current_session();
  MONOGRAPH_ASSERT(s);
  Writer& w = s->writer;
  ir::RegionBuilder b(w.graph);
  std::vector<ir::RegionBuilder::Slot> slots;
  RegionUses uses(w);
  for (size_t k = 0; k < initial.size(); ++k) {
    Args value;
    w.add(value, initial[k]);
    slots.push_back(b.slot(concat("carried_", k), value));
  }
  const AbandonsOnError rollback(b, w);
  b.begin_loop(Args(std::numeric_limits<int64_t>::max()), Args(node_of(w, first)), slots);
  Args next_condition;
  {
    std::vector<Tensor> carried;
    carried.reserve(slots.size());
    for (auto slot : slots) carried.push_back(w.symbolic(b.get(slot)[0].node()));
    SymbolicScope scope(w);
    std::vector<Tensor> next = next_of(carried);
    for (size_t k = 0; k < next.size(); ++k) {
      Args value;
      w.add(value, next[k]);
      b.set(slots[k], value);
    }
    w.add(next_condition, as_bool(condition(next)));
  }
  Node* region = b.end_loop(next_condition);
  if (b.widened()) ir::infer_types(w.graph);
  if (!s->symbolic) {
    Pause pause;
    for (bool holds = symbolic_value(first)->hint.to_bool(); holds; holds = as_bool(condition(values)).to_bool()) values = next_of(values);
  }
  return results_of(*s, b, region, slots, values, uses);
}

}  // namespace monograph::capture
