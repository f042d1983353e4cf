// Code in TorchScript's words, as .code of a traced or scripted program shows it.
#include "ir/text.h"
#include "ir/walk.h"

namespace monograph::ir {
namespace {

class CodePrinter {
 public:
  explicit CodePrinter(const Graph& g) : g_(g) {}

  std::string run() {
    std::string name = g_.name().substr(g_.name().rfind('.') + 1);
    out_ = "def " + name + "(self";
    bool first = true;
    for (Node* p : g_.placeholders()) {
      if (first && p->type().is(TypeKind::Class)) {
        self_ = p;
        first = false;
        continue;
      }
      first = false;
      out_ += ",\n    " + identifier(p) + ": " + type(p->type());
    }
    std::string result = g_.output() && g_.output()->arg_count() ? result_type(g_.output()->arg(0)) : "None";
    out_ += ") -> " + result + ":\n";
    walk(g_.root(), [&](Node* n) { visit(n); }, [&](Block* b) { leave(b); });
    return std::move(out_);
  }

 private:
  static std::string type(Type t) {
    if (!t || t.is(TypeKind::Tensor)) return "Tensor";
    if (t.is(TypeKind::SymInt)) return "int";
    if (t.is(TypeKind::List)) return "List[" + type(t.element()) + "]";
    if (t.is(TypeKind::Dict)) return "Dict[" + type(t.elements()[0]) + ", " + type(t.elements()[1]) + "]";
    if (t.is(TypeKind::Tuple)) return "Tuple[" + types(t.elements()) + "]";
    return to_string(t);
  }
  static std::string types(std::span<const Type> elements) {
    std::string out;
    for (Type e : elements) out += (out.empty() ? "" : ", ") + type(e);
    return out;
  }
  static std::string result_type(ArgRef a) {
    if (Node* n = a.node()) return type(n->type());
    std::string out;
    switch (a.kind()) {
      case ArgKind::Tuple:
        for (ArgRef p : a) out += (out.empty() ? "" : ", ") + result_type(p);
        return "Tuple[" + out + "]";
      case ArgKind::List: return "List[" + (a.size() ? result_type(a[0]) : "Tensor") + "]";
      case ArgKind::Dict: return "Dict[" + (a.size() ? result_type(a[0]) + ", " + result_type(a[1]) : "str, Tensor") + "]";
      case ArgKind::Str: return "str";
      case ArgKind::Int: return "int";
      case ArgKind::Float: return "float";
      case ArgKind::Bool: return "bool";
      case ArgKind::None: return "None";
      default: return "Tensor";
    }
  }

  void line(std::string_view text) { out_.append(2 + 2 * std::min<size_t>(depth_, 32), ' ').append(text) += "\n"; }

  static std::string identifier(const Node* n) {
    std::string out;
    for (char c : n->name()) out += c == '.' ? '_' : c;
    return out.empty() || (out[0] >= '0' && out[0] <= '9') ? "_" + out : out;
  }

  std::string value(ArgRef a) {
    std::string out;
    auto parts = [&](std::string_view open, std::string_view close) {
      out = open;
      size_t k = 0;
      for (ArgRef p : a) out += (k++ ? ", " : "") + value(p);
      return out += close;
    };
    switch (a.kind()) {
      case ArgKind::Node: return a.as_node() == self_ ? "self" : identifier(a.as_node());
      case ArgKind::List: return parts("[", "]");
      case ArgKind::Tuple: return parts("(", a.size() == 1 ? ",)" : ")");
      case ArgKind::Dict: {
        size_t k = 0;
        out = "{";
        for (ArgRef p : a) out += (k == 0 ? "" : k % 2 ? ": " : ", ") + value(p), ++k;
        return out + "}";
      }
      case ArgKind::DType: return std::to_string(static_cast<int>(info(a.as_dtype()).code));
      case ArgKind::MemoryFormat: return std::to_string(static_cast<int>(a.as_memory_format()));
      case ArgKind::Layout: return "0";
      case ArgKind::Device: return "torch.device(\"" + to_string(a.as_device()) + "\")";
      case ArgKind::Tensor: return constant(a.as_tensor());
      case ArgKind::Bool: return a.as_bool() ? "True" : "False";
      default: print_arg(out, a); return out;
    }
  }

  // Numbered in the order of their first use, as PyTorch's code does it; what they hold stands beside the code.
  std::string constant(const TensorConstant& t) {
    size_t k = 0;
    while (k < constants_.size() && constants_[k] != &t) ++k;
    if (k == constants_.size()) constants_.push_back(&t);
    return concat("CONSTANTS.c", k);
  }

  static std::string attribute(std::string base, std::string_view path) {
    while (!path.empty()) {
      size_t dot = path.find('.');
      std::string_view part = path.substr(0, dot);
      base = is_identifier(part) ? concat(base, ".", part) : concat("getattr(", base, ", \"", part, "\")");
      path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    }
    return base;
  }

  std::string arguments(const Node* n, size_t from, std::string_view last) {
    std::string out;
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      if (k < from) continue;
      if (k > from) out += ", ";
      if (k >= n->positional_count()) out += n->keyword(k - n->positional_count()) + "=";
      out += value(*it);
    }
    return "(" + out + std::string(k > from ? last : "") + ")";
  }

  std::string expression(const Node* n) {
    std::string target = n->target().overload ? *n->target().overload : n->target().name();
    switch (n->op()) {
      case Op::GetAttr: return attribute("self", target);
      case Op::CallModule: return "(" + attribute("self", target) + ").forward" + arguments(n, 0, ", ");
      case Op::CallMethod: return "(" + (n->arg_count() ? value(n->arg(0)) : "self") + ")." + target + arguments(n, 1, ", ");
      default: break;
    }
    size_t colons = target.find("::");
    if (colons == std::string::npos) return target + arguments(n, 0, "");
    std::string space = target.substr(0, colons), base = target.substr(colons + 2);
    base = base.substr(0, base.find('.', 1));
    if (base == "__getitem__" && n->positional_count() == 2) return value(n->arg(0)) + "[" + value(n->arg(1)) + "]";
    if (space == "prim" && base == "Constant" && n->arg_count()) return value(n->arg(0));
    return (space == "aten" || space == "prim" ? "torch." : concat("ops.", space, ".")) + base + arguments(n, 0, "");
  }

  std::string results(const Node* n) {
    if (!n->multi() && n->structure() == Structure::None) return identifier(n);
    std::string out;
    for (size_t k = 0; k < n->result_count(); ++k) {
      const Node* r = n->result(k);
      out += concat(k ? ", " : "", r ? identifier(r) : "_");
    }
    return out + (n->result_count() == 1 && n->multi() ? "," : "");
  }

  void visit(Node* n) {
    if (n->op() == Op::Placeholder || n->is_projection()) return;
    if (n->op() == Op::Output) return end(n);
    if (n->is_if()) {
      line("if " + value(n->arg(0)) + ":");
      ++depth_;
    } else if (n->is_loop()) {
      begin_loop(n);
    } else {
      line(results(n) + " = " + expression(n));
    }
  }

  void begin_loop(Node* n) {
    auto slots = n->block(0)->placeholders();
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k)
      if (k >= 2) line(identifier(slots[k - 1]) + " = " + value(*it));
    line(identifier(n) + "_goes_on = " + value(n->arg(1)));
    line(identifier(slots[0]) + " = 0");
    line("while " + identifier(n) + "_goes_on and " + identifier(slots[0]) + " < " + value(n->arg(0)) + ":");
    ++depth_;
  }

  // The output of a block: the function's return, or what an arm or body leaves behind.
  void end(Node* n) {
    const Node* owner = n->block()->owner();
    if (!owner) return line("return " + (n->arg_count() ? value(n->arg(0)) : "None"));
    std::string to, from;
    auto slots = n->block()->placeholders();
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      std::string name;
      if (owner->is_loop()) name = k == 0 ? identifier(owner) + "_goes_on" : identifier(slots[k]);
      else if (const Node* r = owner->result(k)) name = identifier(r);
      if (name.empty()) continue;
      to += (to.empty() ? "" : ", ") + name;
      from += (from.empty() ? "" : ", ") + value(*it);
    }
    if (!to.empty()) line(to + " = " + from);
    else line("pass");
    if (owner->is_loop()) line(identifier(slots[0]) + " = torch.add(" + identifier(slots[0]) + ", 1)");
  }

  void leave(Block* b) {
    const Node* owner = b->owner();
    if (!owner) return;
    --depth_;
    if (owner->is_if() && b->index() == 0) {
      line("else:");
      ++depth_;
    } else if (owner->is_loop()) {
      auto slots = b->placeholders();
      for (size_t k = 0; k + 1 < slots.size(); ++k)
        if (const Node* r = owner->result(k)) line(identifier(r) + " = " + identifier(slots[k + 1]));
    }
  }

  const Graph& g_;
  const Node* self_ = nullptr;
  std::string out_;
  size_t depth_ = 0;
  std::vector<const TensorConstant*> constants_;
};

}  // namespace

std::string to_torchscript_code(const Graph& graph) { return CodePrinter(graph).run(); }

}  // namespace monograph::ir
