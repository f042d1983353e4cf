// PyTorch's spelling of the text form, and Graphviz.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "ir/builder.h"
#include "ir/text.h"
#include "ir/torchscript_code.h"
#include "ir/walk.h"

namespace monograph::ir {
namespace {

// As PyTorch prints a graph: each value that is written becomes one prim::Constant at the head, each list a prim::ListConstruct, each path a chain of
// prim::GetAttr whose beginning is shared, and a call has all arguments of its schema. The body is written twice: first to collect the constants.
class TorchScriptPrinter {
 public:
  explicit TorchScriptPrinter(const Graph& g) : g_(g) {}

  std::string run() {
    head();
    const size_t head_size = out_.size();
    body();
    out_.resize(head_size);
    constants();
    body();
    return std::move(out_);
  }

 private:
  static std::string plain_class(std::string name) {
    static constexpr std::string_view kLocals = ".<locals>.";
    for (size_t at = name.find(kLocals); at != std::string::npos; at = name.find(kLocals)) {
      const size_t function = name.rfind('.', at - 1) + 1;
      name.erase(function, at + kLocals.size() - function);
    }
    return name;
  }
  std::string type(Type t) const {
    if (t && t.is(TypeKind::Class)) return plain_class(t.name());
    // PyTorch's compiler knows no dtypes.
    const bool dtype_alone = t && t.is(TypeKind::Tensor) && !t.tensor().sizes && g_.dialect() == Dialect::TorchScript;
    return t && !dtype_alone ? to_string(t) : "Tensor";
  }
  std::string indent() const { return std::string(2 + 4 * std::min<size_t>(depth_, 32), ' '); }
  std::string fresh() {
    std::string name;
    do name = std::to_string(count_++);
    while (g_.name_used(name));
    return name;
  }

  void head() {
    out_ = "graph(";
    bool self = false;  // a method of the hierarchy has its own
    bool is_method = !g_.placeholders().empty() && g_.placeholders()[0]->type().is(TypeKind::Class);
    for (Node* n : NestedNodes(g_)) self |= !is_method && (n->op() == Op::GetAttr || n->op() == Op::CallModule);
    if (self) out_ += "%self : " + plain_class(class_name(g_.unit() ? g_.unit()->root() : nullptr));
    size_t k = self;
    for (Node* p : g_.placeholders()) out_ += concat(k++ ? ",\n      " : "", "%", p->name(), " : ", type(p->type()));
    out_ += "):\n";
  }
  void body() {
    depth_ = 0;
    holders_.clear();
    walk(
        g_.root(),
        [&](Node* n) {
          if (n->op() == Op::Placeholder || n->is_projection()) return;
          if (n->op() == Op::Output) return end(n);
          node(n);
          if (n->block_count()) begin(n->block(0));
        },
        [&](Block* b) {
          if (!b->owner()) return;
          --depth_;
          while (!holders_.empty() && holders_.back().depth > depth_) holders_.pop_back();
          if (b->index() + 1 < b->owner()->block_count()) begin(b->owner()->block(b->index() + 1));
        });
  }
  void begin(const Block* b) {
    ++depth_;
    std::string at = indent();
    out_ += at.substr(2) + concat("block", b->index(), "(");
    size_t k = 0;
    for (Node* p : b->placeholders()) out_ += concat(k++ ? ", " : "", "%", p->name(), " : ", type(p->type()));
    out_ += "):\n";
  }
  std::string line(const std::string& t, const std::string& text) {
    std::string name = fresh();
    out_ += indent() + "%" + name + " : " + t + " = " + text + "\n";
    return name;
  }

  // --- Constants. PyTorch has those first that its compiler adds or computes, the last one before the others, and then the numbers that the program writes.

  struct Constant {
    std::string text, name;  // "int = prim::Constant[value=1]()"
    bool written = false;
    size_t order = 0;
  };
  void constants() {
    std::vector<Constant*> ordered;
    for (auto& [key, constant] : constants_) ordered.push_back(&constant);
    std::ranges::sort(ordered, [](const Constant* a, const Constant* b) {
      if (a->written != b->written) return b->written;
      return a->written ? a->order < b->order : a->order > b->order;
    });
    count_ = 0;
    for (Constant* constant : ordered) {
      constant->name = fresh();
      out_ += concat("  %", constant->name, " : ", constant->text, "\n");
    }
    first_ = false;
  }
  // One for each text. Two tensors of one text stay two, since a program may write to one of them: `tensor` tells them apart.
  std::string constant(const std::string& t, const std::string& attribute, bool written, const void* tensor = nullptr) {
    std::string text = concat(t, " = prim::Constant", attribute, "()");
    auto [at, added] = constants_.try_emplace({text, tensor});
    Constant& made = at->second;
    if (first_ && (added || (written && !made.written))) made = {std::move(text), "", written, constants_seen_++};
    return made.name;
  }
  // "[value=1]" and the type.
  static std::pair<std::string, std::string> constant_text(ArgRef a) {
    const Type t = type_of(a);
    std::string spelled = t ? to_string(t) : "Any", text;
    switch (a.kind()) {
      case ArgKind::None: return {"NoneType", ""};
      // PyTorch writes these enumerations as their numbers, a bool as 0 or 1.
      case ArgKind::DType: spelled = "int", text = std::to_string(static_cast<int>(info(a.as_dtype()).code)); break;
      case ArgKind::Layout: spelled = "int", text = "0"; break;
      case ArgKind::MemoryFormat: spelled = "int", text = std::to_string(static_cast<int>(a.as_memory_format())); break;
      case ArgKind::Bool: spelled = "bool", text = a.as_bool() ? "1" : "0"; break;
      case ArgKind::Device: spelled = "Device", text = "\"" + to_string(a.as_device()) + "\""; break;
      case ArgKind::Float:
        if (std::isfinite(a.as_float())) print_torchscript_float(text, a.as_float());
        else print_arg(text, a);
        break;
      default: print_arg(text, a);
    }
    return {std::move(spelled), concat("[value=", text, "]")};
  }
  static bool is_list(ArgRef a) { return a.is(ArgKind::List) || a.is(ArgKind::Tuple) || a.is(ArgKind::Dict) || a.is(ArgKind::Slice); }

  // The name of a value that holds the argument. `written`: by the program; a default is not.
  std::string operand(ArgRef a, bool written = true) {
    if (Node* n = a.node()) return n->name();
    Type t = type_of(a);
    auto construct = [&](std::string_view what, const std::string& result) {
      std::vector<std::string> parts;
      for (ArgRef p : a) parts.push_back(operand(p, written));
      std::string text = concat("prim::", what, "(");
      for (size_t i = 0; i < parts.size(); ++i) text += concat(i ? ", %" : "%", parts[i]);
      return line(result, text + ")");
    };
    switch (a.kind()) {
      case ArgKind::List: return construct("ListConstruct", t ? to_string(t) : "Tensor[]");
      case ArgKind::Tuple: return construct("TupleConstruct", t ? to_string(t) : "Any");
      case ArgKind::Dict: return construct("DictConstruct", "Any");
      case ArgKind::Slice: return construct("Slice", "Any");
      default: break;
    }
    const bool number = (a.is(ArgKind::Int) && a.as_int() >= 0) || (a.is(ArgKind::Float) && a.as_float() >= 0) || a.is(ArgKind::Complex);
    const auto [spelled, text] = constant_text(a);
    return constant(spelled, text, written && number, a.is(ArgKind::Tensor) ? &a.as_tensor() : nullptr);
  }
  // A number for a list of numbers, [2] for 2.
  std::string number_as_list(ArgRef a) {
    const std::string one = operand(a);
    return line(concat(to_string(type_of(a)), "[]"), concat("prim::ListConstruct(%", one, ")"));
  }

  // --- Modules.

  // The module of this name in another one; null if it is not known.
  static const Module* child(const Module* module, std::string_view name) {
    const int k = module ? module->type().index_of(std::string(name)) : -1;
    return k < 0 ? nullptr : module->values[static_cast<size_t>(k)].module;
  }
  static std::string class_name(const Module* module) { return module ? plain_class(module->type().name) : "__torch__.Module"; }
  // The value of the module at a path.
  std::string module_at(std::string_view path) {
    std::string base = "self";
    const Module* module = g_.unit() ? g_.unit()->root() : nullptr;
    for (size_t at = 0; at < path.size();) {
      const size_t dot = std::min(path.find('.', at), path.size());
      const std::string_view name = path.substr(at, dot - at), whole = path.substr(0, dot);
      module = child(module, name);
      const auto known = std::ranges::find_if(holders_, [&](const Holder& h) { return h.path == whole; });
      if (known != holders_.end()) {
        base = known->name;
      } else {
        base = line(class_name(module), concat("prim::GetAttr[name=\"", name, "\"](%", base, ")"));
        holders_.push_back({std::string(whole), base, depth_});
      }
      at = dot + 1;
    }
    return base;
  }

  // --- Nodes.

  // Whether a reader could take a call with so many arguments for the overload that has the bare name: mean.dim(x, [2, 3]) for mean(x, dtype). Names tell
  // them apart.
  static bool needs_names(const Node* n, size_t count) {
    if (n->op() != Op::CallFunction || !n->info() || n->info()->schema().is_vararg()) return false;
    const std::string& full = n->info()->name();
    const size_t colons = full.find("::"), dot = full.find('.', colons == std::string::npos ? 0 : colons);
    const OpInfo* bare = dot == std::string::npos || !operator_lookup().lookup ? nullptr : operator_lookup().lookup(full.substr(0, dot));
    return bare != nullptr && count > 1 && count <= bare->schema().arguments().size() && count <= n->info()->schema().arguments().size();
  }
  // The operands of a call of an operator in the places of its schema, defaults included; false where a keyword is not one of the schema's.
  bool in_places(const Node* n, std::vector<std::string>& operands) {
    if (n->op() != Op::CallFunction || !n->info() || n->info()->schema().is_vararg()) return false;
    const auto& arguments = n->info()->schema().arguments();
    if (n->positional_count() > arguments.size()) return false;
    std::vector<std::optional<ArgRef>> given(arguments.size());
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      const int place =
          k < n->positional_count() ? static_cast<int>(k) : n->info()->schema().index_of(n->keyword(k - n->positional_count()));
      if (place < 0 || given[static_cast<size_t>(place)]) return false;
      given[static_cast<size_t>(place)] = *it;
    }
    for (size_t i = 0; i < arguments.size(); ++i)
      if (!given[i] && !arguments[i].default_value) return false;
    const bool by_name = needs_names(n, arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const ir::Argument& a = arguments[i];
      std::string name;
      if (!given[i]) name = default_of(a);
      else if (a.type.is(TypeKind::List) && a.list_size > 0 && (given[i]->is(ArgKind::Int) || given[i]->is(ArgKind::Float)))
        name = number_as_list(*given[i]);
      else name = operand(*given[i]);
      operands.push_back(concat(by_name && i > 0 ? a.name + "=" : "", "%", name));
    }
    return true;
  }
  std::string default_of(const ir::Argument& a) {
    const ArgRef value = (*a.default_value)[0];
    if (!is_list(value)) return operand(value, false);
    std::string text;
    print_arg(text, value);
    return constant(to_string(a.type), concat("[value=", text, "]"), false);
  }
  // The program writes what goes round in a loop before it, so these constants stand before the loop's own.
  void note_initial_values(const Node* loop) {
    size_t k = 0;
    for (auto it = loop->args_begin(); it != loop->args_end(); ++it)
      if (k++ >= 2 && !(*it).node() && !is_list(*it)) (void)operand(*it);
  }
  // TorchScript's arguments stand in the places of the schema; where defaults are left out before one, its name says its place.
  std::vector<std::string> operands_of(const Node* n) {
    std::vector<std::string> operands;
    if (in_places(n, operands)) return operands;
    if (n->target().name() == "prim::Loop") note_initial_values(n);
    bool named = false;
    const bool by_name = needs_names(n, n->arg_count());
    size_t place = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++place) {
      const std::string* keyword = place < n->positional_count() ? nullptr : &n->keyword(place - n->positional_count());
      named |= keyword && n->info() && n->info()->schema().index_of(*keyword) != static_cast<int>(place);
      if (by_name && place > 0 && keyword == nullptr) keyword = &n->info()->schema().arguments()[place].name;
      operands.push_back(concat(keyword && (named || by_name) ? *keyword + "=" : "", "%", operand(*it)));
    }
    return operands;
  }
  // A node that is a constant by itself, which a parsed text or insertConstant has: "prim::Constant[value=1]". "" of any other node.
  static std::string own_constant(const Node* n) {
    if (n->op() != Op::CallFunction || n->target().name() != "prim::Constant" || n->arg_count() != 1) return "";
    const ArgRef value = n->arg(0);
    return value.node() || is_list(value) ? "" : "prim::Constant" + constant_text(value).second;
  }
  void node(const Node* n) {
    if (const std::string text = own_constant(n); !text.empty()) return finish(n, text, {});
    std::vector<std::string> operands = operands_of(n);
    std::string target = n->target().overload ? *n->target().overload : n->target().name();
    if (n->op() == Op::CallFunction) {
      // The overload's name is not shown.
      if (size_t colons = target.find("::"); colons != std::string::npos) target = target.substr(0, target.find('.', colons));
    } else if (n->op() == Op::CallMethod) {
      target = "prim::CallMethod[name=\"" + target + "\"]";
    } else if (n->op() == Op::GetAttr) {
      const size_t dot = target.rfind('.');
      operands = {"%" + module_at(dot == std::string::npos ? "" : std::string_view(target).substr(0, dot))};
      target = concat("prim::GetAttr[name=\"", std::string_view(target).substr(dot + 1), "\"]");
    } else {
      operands.insert(operands.begin(), "%" + module_at(target)), target = "prim::CallMethod[name=\"forward\"]";
    }
    finish(n, target, operands);
  }
  void finish(const Node* n, const std::string& target, const std::vector<std::string>& operands) {
    std::string head = indent();
    const bool nothing = !n->has_uses() && ((n->info() && n->info()->schema().returns().empty() && !n->info()->schema().is_varret()) ||
                                            n->target().name() == "prim::RaiseException");
    if (n->multi()) {
      for (size_t k = 0; k < n->result_count(); ++k) {
        const Node* r = n->result(k);
        head += concat(k ? ", %" : "%", r ? r->name() : fresh(), " : ", type(n->result_type(k)));
      }
    } else if (n->result_count() && !nothing) {
      head += "%" + n->name() + " : " + type(n->type());
    }
    out_ += head + " = " + target + "(";
    for (size_t i = 0; i < operands.size(); ++i) out_ += concat(i ? ", " : "", operands[i]);
    out_ += ")";
    if (!n->scope().empty() && n->scope().find_first_of("#\n") == std::string::npos) out_ += ", scope: " + n->scope();
    if (n->span().known() && n->span().file->find('\n') == std::string::npos)
      out_ += concat(" # ", *n->span().file, ":", n->span().line, ":", n->span().column);
    out_ += "\n";
  }
  void end(const Node* n) {
    std::vector<std::string> operands;
    for (auto it = n->args_begin(); it != n->args_end(); ++it) operands.push_back(operand(*it));
    out_ += indent() + (n->block()->owner() ? "-> (" : "return (");
    for (size_t i = 0; i < operands.size(); ++i) out_ += concat(i ? ", %" : "%", operands[i]);
    out_ += ")\n";
  }

  struct Holder {
    std::string path, name;  // of a module, and of the value that is it
    size_t depth;  // of the block where that stands
  };
  const Graph& g_;
  std::string out_;
  size_t depth_ = 0, count_ = 0;
  std::vector<Holder> holders_;
  std::map<std::pair<std::string, const void*>, Constant> constants_;
  size_t constants_seen_ = 0;
  bool first_ = true;  // the constants are being collected
};

}  // namespace

std::string to_torchscript(const Graph& graph) { return TorchScriptPrinter(graph).run(); }

std::string to_dot(const Graph& graph) {
  std::string out = "digraph ";
  print_quoted(out, graph.name());
  out += " {\n  node [shape=box, fontname=\"monospace\"];\n";
  std::string edges;
  walk(
      graph.root(),
      [&](Node* n) {
        std::string label = n->op() == Op::Output ? "output" : "%" + n->name() + "\n" + n->target().name();
        if (n->type()) label += "\n" + to_string(n->type());
        out += concat("  n", n->id(), " [label=");
        print_quoted(out, label);
        if (n->op() == Op::Placeholder || n->op() == Op::Output) out += ", style=rounded";
        out += "];\n";
        for (size_t k = 0; k < n->input_count(); ++k) edges += concat("  n", n->input(k)->id(), " -> n", n->id(), ";\n");
        if (n->block_count()) out += concat("  subgraph cluster_", n->id(), "_0 { label=\"", n->target().name(), " block0\";\n");
      },
      [&](Block* b) {
        if (!b->owner()) return;
        out += "  }\n";
        if (b->index() + 1 < b->owner()->block_count())
          out += concat("  subgraph cluster_", b->owner()->id(), "_", b->index() + 1, " { label=\"", b->owner()->target().name(), " block",
                        b->index() + 1, "\";\n");
      });
  return out + edges + "}\n";
}

}  // namespace monograph::ir
