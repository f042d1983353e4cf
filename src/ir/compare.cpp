// identical(): the equality that the text form keeps.
#include <cstring>

#include "ir/unit.h"

namespace monograph::ir {
namespace {

class GraphComparison {
 public:
  explicit GraphComparison(std::string* difference) : difference_(difference) {}

  bool graphs(const Graph& a, const Graph& b) {
    if (a.name() != b.name()) return differ("name of the graph", a.name(), b.name());
    if (a.level() != b.level()) return differ("level", to_string(a.level()), to_string(b.level()));
    if (a.dialect() != b.dialect()) return differ("dialect", to_string(a.dialect()), to_string(b.dialect()));
    auto x = NestedNodes(a).begin(), y = NestedNodes(b).begin();
    for (; *x && *y; ++x, ++y) {
      if ((*x)->name() != (*y)->name()) return names(a, **x, b, **y);
      if (!nodes(*x, *y)) return false;
    }
    if (*x) return missing(**x, "second");
    if (*y) return missing(**y, "first");
    if (a.guards().size() != b.guards().size())
      return differ("number of guards", std::to_string(a.guards().size()), std::to_string(b.guards().size()));
    for (size_t i = 0; i < a.guards().size(); ++i) {
      const Guard &g = a.guards()[i], &h = b.guards()[i];
      bool same = name(g.value) == name(h.value) && g.size == h.size && args(g.expected[0], h.expected[0]) &&
                  g.expression == h.expression && spans(g.span, h.span);
      if (!same) return differ(concat("guard ", i), g.expression, h.expression);
    }
    return true;
  }

  bool args(ArgRef a, ArgRef b) {
    if (a.kind() != b.kind() || a.size() != b.size()) return false;
    switch (a.kind()) {
      case ArgKind::Node: return a.as_node()->name() == b.as_node()->name();
      case ArgKind::Str: return a.as_str() == b.as_str();
      case ArgKind::Global: return a.as_global().name == b.as_global().name;
      case ArgKind::Tensor: return a.as_tensor().dtype() == b.as_tensor().dtype() && same_contents(a.as_tensor(), b.as_tensor());
      default: break;
    }
    if (!has_parts(a.kind())) return a.item()->i == b.item()->i;
    auto y = b.begin();
    for (ArgRef part : a) {
      if (!args(part, *y)) return false;
      ++y;
    }
    return true;
  }

  bool differ(std::string_view what, std::string_view a, std::string_view b) {
    if (difference_) *difference_ = concat(what, " differs: ", a, " and ", b);
    return false;
  }

 private:
  static std::string name(const Node* n) { return n ? n->name() : ""; }
  static bool spans(const Span& a, const Span& b) { return a.known() || b.known() ? a == b : true; }

  // Where two nodes of one place have two names: which of them the other graph does not have at all.
  bool names(const Graph& a, const Node& x, const Graph& b, const Node& y) {
    const bool x_there = b.name_used(x.name()), y_there = a.name_used(y.name());
    if (!x_there && y_there) return missing(x, "second");
    if (x_there && !y_there) return missing(y, "first");
    return differ(concat("name of %", x.name()), x.name(), y.name());
  }
  bool missing(const Node& n, std::string_view where) {
    if (!difference_) return false;
    std::string call;
    for (auto it = n.args_begin(); it != n.args_end(); ++it) call += call.empty() ? "" : ", ", print_arg(call, *it);
    *difference_ = concat("%", n.name(), " = ", n.op() == Op::CallFunction ? "" : concat(to_string(n.op()), " "), n.target().name(), "(",
                          call, ") is missing in the ", where);
    return false;
  }

  bool nodes(const Node* a, const Node* b) {
    auto no = [&](std::string_view what, std::string_view x, std::string_view y) { return differ(concat(what, " of %", a->name()), x, y); };
    if (a->op() != b->op()) return no("op", to_string(a->op()), to_string(b->op()));
    if (a->target().name() != b->target().name()) return no("target", a->target().name(), b->target().name());
    std::string x = a->target().overload ? *a->target().overload : "", y = b->target().overload ? *b->target().overload : "";
    if (x != y) return no("overload", x, y);
    if (a->type() != b->type()) return no("type", to_string(a->type()), to_string(b->type()));
    if (a->type_declared() != b->type_declared())
      return no("declaration of the type", a->type_declared() ? "there" : "missing", b->type_declared() ? "there" : "missing");
    if (a->multi() != b->multi()) return no("number of results", a->multi() ? "several" : "one", b->multi() ? "several" : "one");
    if (a->is_projection() != b->is_projection())
      return no("role", a->is_projection() ? "result" : "node", b->is_projection() ? "result" : "node");
    if (!spans(a->span(), b->span())) return no("span", to_string(a->span()), to_string(b->span()));
    if (a->scope() != b->scope()) return no("scope", a->scope(), b->scope());
    if (a->block_count() != b->block_count())
      return no("number of blocks", std::to_string(a->block_count()), std::to_string(b->block_count()));
    const Node *p = a->block()->owner(), *q = b->block()->owner();
    if (name(p) != name(q) || a->block()->index() != b->block()->index()) return no("block", name(p), name(q));
    if (a->arg_count() != b->arg_count() || a->skeleton().names != b->skeleton().names)
      return no("number of arguments", std::to_string(a->arg_count()), std::to_string(b->arg_count()));
    for (size_t k = 0; k < a->skeleton().names; ++k)
      if (a->keyword(k) != b->keyword(k)) return no("keyword", a->keyword(k), b->keyword(k));
    auto it = b->args_begin();
    size_t k = 0;
    for (auto at = a->args_begin(); at != a->args_end(); ++at, ++it, ++k)
      if (!args(*at, *it)) {
        std::string s, t;
        print_arg(s, *at), print_arg(t, *it);
        return no(concat("argument ", k), s, t);
      }
    return true;
  }

  std::string* difference_;
};

bool same_modules(const Unit& a, const Unit& b, GraphComparison& compare) {
  std::unordered_map<const Module*, size_t> x, y;
  for (size_t i = 0; i < a.modules().size(); ++i) x[a.modules()[i].get()] = i;
  for (size_t i = 0; i < b.modules().size(); ++i) y[b.modules()[i].get()] = i;
  for (size_t i = 0; i < a.modules().size(); ++i) {
    const Module &m = *a.modules()[i], &n = *b.modules()[i];
    std::string what = concat("module m", i);
    if (m.type().name != n.type().name || m.training != n.training || m.values.size() != n.values.size())
      return compare.differ(what, m.type().name, n.type().name);
    for (size_t k = 0; k < m.values.size(); ++k) {
      const auto &v = m.values[k], &w = n.values[k];
      bool same = !v.module == !w.module && (!v.module || x[v.module] == y[w.module]);
      // An attribute that was never given is None.
      Args none(nullptr);
      same = same && (v.module || compare.args(v.value.size() ? v.value[0] : none[0], w.value.size() ? w.value[0] : none[0]));
      if (!same) return compare.differ(concat(what, ".", m.type().attributes[k].name), "one value", "another");
    }
  }
  if (!a.root() != !b.root() || (a.root() && x[a.root()] != y[b.root()])) return compare.differ("root", "one", "another");
  return true;
}

}  // namespace

bool identical(const Graph& a, const Graph& b, std::string* difference) { return GraphComparison(difference).graphs(a, b); }

bool identical(const Unit& a, const Unit& b, std::string* difference) {
  GraphComparison compare(difference);
  auto sizes = [](const Unit& u) {
    return concat(u.functions().size(), " functions, ", u.classes().size(), " classes, ", u.modules().size(), " modules");
  };
  if (sizes(a) != sizes(b)) return compare.differ("contents", sizes(a), sizes(b));
  for (size_t i = 0; i < a.classes().size(); ++i) {
    const Class &c = *a.classes()[i], &d = *b.classes()[i];
    if (c.name != d.name || c.is_module != d.is_module || c.methods != d.methods || c.attributes.size() != d.attributes.size())
      return compare.differ("class", c.name, d.name);
    for (size_t k = 0; k < c.attributes.size(); ++k) {
      const Attribute &p = c.attributes[k], &q = d.attributes[k];
      if (p.name != q.name || p.kind != q.kind || p.type != q.type || p.persistent != q.persistent)
        return compare.differ(concat("attribute of ", c.name), p.name, q.name);
    }
  }
  if (!same_modules(a, b, compare)) return false;
  for (size_t i = 0; i < a.functions().size(); ++i)
    if (!compare.graphs(*a.functions()[i], *b.functions()[i])) return false;
  return true;
}

}  // namespace monograph::ir
