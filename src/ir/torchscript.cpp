// PyTorch's spelling of the text form, and Graphviz.
#include <unordered_map>

#include <algorithm>
#include <optional>
#include "ir/builder.h"

#include "ir/text.h"
#include "ir/walk.h"

namespace monograph::ir {
namespace {

// Every literal becomes a prim::Constant of its block, every list a prim::ListConstruct, every path a chain of prim::GetAttr.
class TorchScriptPrinter {
 public:
  explicit TorchScriptPrinter(const Graph& g) : g_(g) {}

  std::string run() {
    out_ = "graph(";
    bool self = false;  // a method of the hierarchy has its own
    bool is_method = !g_.placeholders().empty() && g_.placeholders()[0]->type().is(TypeKind::Class);
    for (Node* n : NestedNodes(g_)) self |= !is_method && (n->op() == Op::GetAttr || n->op() == Op::CallModule);
    if (self) out_ += "%self : " + std::string(g_.unit() && g_.unit()->root() ? g_.unit()->root()->type().name : "__torch__.Module");
    size_t k = self;
    for (Node* p : g_.placeholders()) out_ += concat(k++ ? ",\n      " : "", "%", p->name(), " : ", type(p->type()));
    out_ += "):\n";
    depth_ = 0;
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
          if (b->index() + 1 < b->owner()->block_count()) begin(b->owner()->block(b->index() + 1));
        });
    return std::move(out_);
  }

 private:
  static std::string type(Type t) { return t ? to_string(t) : "Tensor"; }
  std::string indent() const { return std::string(2 + 4 * std::min<size_t>(depth_, 32), ' '); }
  std::string fresh() {
    std::string name;
    do name = std::to_string(count_++);
    while (g_.name_used(name));
    return name;
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
  // The name of a value that holds the argument.
  std::string operand(ArgRef a) {
    if (Node* n = a.node()) return n->name();
    auto construct = [&](std::string_view what, const std::string& t) {
      std::vector<std::string> parts;
      for (ArgRef p : a) parts.push_back(operand(p));
      std::string text = concat("prim::", what, "(");
      for (size_t i = 0; i < parts.size(); ++i) text += concat(i ? ", %" : "%", parts[i]);
      return line(t, text + ")");
    };
    Type t = type_of(a);
    std::string spelled = t ? to_string(t) : a.is(ArgKind::List) ? "Tensor[]" : "Any";
    switch (a.kind()) {
      case ArgKind::List: return construct("ListConstruct", spelled);
      case ArgKind::Tuple: return construct("TupleConstruct", spelled);
      case ArgKind::Dict: return construct("DictConstruct", "Any");
      case ArgKind::Slice: return construct("Slice", "Any");
      case ArgKind::None: return line("NoneType", "prim::Constant()");
      // PyTorch writes these enumerations as their numbers, a bool as 0 or 1.
      case ArgKind::DType: return line("int", concat("prim::Constant[value=", static_cast<int>(info(a.as_dtype()).code), "]()"));
      case ArgKind::Layout: return line("int", "prim::Constant[value=0]()");
      case ArgKind::MemoryFormat: return line("int", concat("prim::Constant[value=", static_cast<int>(a.as_memory_format()), "]()"));
      case ArgKind::Bool: return line("bool", concat("prim::Constant[value=", a.as_bool() ? 1 : 0, "]()"));
      case ArgKind::Device: return line("Device", "prim::Constant[value=\"" + to_string(a.as_device()) + "\"]()");
      default: {
        std::string text;
        print_arg(text, a);
        return line(spelled, "prim::Constant[value=" + text + "]()");
      }
    }
  }
  // The module of this name in another one; null if it is not known.
  static const Module* child(const Module* module, std::string_view name) {
    const int k = module ? module->type().index_of(std::string(name)) : -1;
    return k < 0 ? nullptr : module->values[static_cast<size_t>(k)].module;
  }
  static std::string class_name(const Module* module) { return module ? module->type().name : "__torch__.Module"; }
  // All but the last part of the path, and what holds it.
  std::string holder(std::string_view path, std::string_view& last) {
    std::string base = "self";
    const Module* module = g_.unit() ? g_.unit()->root() : nullptr;
    for (;;) {
      size_t dot = path.find('.');
      if (dot == std::string_view::npos) return last = path, base;
      module = child(module, path.substr(0, dot));
      base = line(class_name(module), concat("prim::GetAttr[name=\"", path.substr(0, dot), "\"](%", base, ")"));
      path.remove_prefix(dot + 1);
    }
  }
  // Whether a reader could take the call for the overload that has the bare name: mean.dim(x, [2, 3]) for mean(x, dtype). Names tell them apart.
  static bool needs_names(const Node* n) {
    if (n->op() != Op::CallFunction || !n->info() || n->info()->schema().is_vararg()) return false;
    const std::string& full = n->info()->name();
    const size_t colons = full.find("::"), dot = full.find('.', colons == std::string::npos ? 0 : colons);
    const OpInfo* bare = dot == std::string::npos || !operator_lookup().lookup ? nullptr : operator_lookup().lookup(full.substr(0, dot));
    return bare != nullptr && n->arg_count() > 1 && n->arg_count() <= bare->schema().arguments().size() &&
           n->arg_count() <= n->info()->schema().arguments().size();
  }
  // A node that is a constant by itself, which a parsed text or insertConstant has: "prim::Constant[value=1]". "" of any other node.
  std::string constant(const Node* n) {
    if (n->op() != Op::CallFunction || n->target().name() != "prim::Constant" || n->arg_count() != 1) return "";
    const ArgRef value = n->arg(0);
    if (value.node() || value.is(ArgKind::List) || value.is(ArgKind::Tuple) || value.is(ArgKind::Dict) || value.is(ArgKind::Slice))
      return "";
    const size_t before = out_.size(), count = count_;
    (void)operand(value);  // its line has the text
    std::string text = out_.substr(before);
    out_.resize(before), count_ = count;
    text = text.substr(text.find(" = ") + 3);
    return text.substr(0, text.rfind("()"));
  }
  void node(const Node* n) {
    std::vector<std::string> operands;
    if (const std::string text = constant(n); !text.empty()) return finish(n, text, operands);
    // TorchScript's arguments stand in the places of the schema; where defaults are left out before one, its name says its place.
    bool named = false;
    const bool by_name = needs_names(n);
    size_t place = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++place) {
      const std::string* keyword = place < n->positional_count() ? nullptr : &n->keyword(place - n->positional_count());
      named |= keyword && n->info() && n->info()->schema().index_of(*keyword) != static_cast<int>(place);
      if (by_name && place > 0 && keyword == nullptr) keyword = &n->info()->schema().arguments()[place].name;
      operands.push_back(concat(keyword && (named || by_name) ? *keyword + "=" : "", "%", operand(*it)));
    }
    std::string target = n->target().overload ? *n->target().overload : n->target().name();
    if (n->op() == Op::CallFunction) {
      // The overload's name is not shown.
      if (size_t colons = target.find("::"); colons != std::string::npos) target = target.substr(0, target.find('.', colons));
    } else if (n->op() == Op::CallMethod) {
      target = "prim::CallMethod[name=\"" + target + "\"]";
    } else {
      std::string_view last;
      std::string whole = target, base = holder(whole, last);
      target = concat("prim::GetAttr[name=\"", last, "\"]");
      if (n->op() == Op::GetAttr) operands = {"%" + base};
      else
        operands.insert(operands.begin(), "%" + line("__torch__.Module", concat(target, "(%", base, ")"))),
            target = "prim::CallMethod[name=\"forward\"]";
    }
    finish(n, target, operands);
  }
  void finish(const Node* n, const std::string& target, const std::vector<std::string>& operands) {
    std::string head = indent();
    if (n->multi()) {
      for (size_t k = 0; k < n->result_count(); ++k) {
        const Node* r = n->result(k);
        head += concat(k ? ", %" : "%", r ? r->name() : fresh(), " : ", type(n->result_type(k)));
      }
    } else if (n->result_count()) {
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

  const Graph& g_;
  std::string out_;
  size_t depth_ = 0, count_ = 0;
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
