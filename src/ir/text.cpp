// The text form of docs/ir.md.
#include "ir/text.h"
#include "core/interrupt.h"
#include "ir/source_names.h"

#include <algorithm>
#include <map>

#include "ir/call_numbers.h"
#include "ir/format.h"

namespace monograph::ir {

namespace {

constexpr int kMaxIndent = 32;

bool plain(std::string_view text, std::string_view also) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || also.find(c) != std::string_view::npos;
  });
}

// "model.py:3:4-3:17, in call 2"
void print_place(std::string& out, const Span& span, uint32_t call) {
  plain(*span.file, "_./<>+-@") ? void(out += *span.file) : print_quoted(out, *span.file);
  out += concat(":", span.line, ":", span.column);
  if (span.end_line || span.end_column) out += concat("-", span.end_line, ":", span.end_column);
  if (call) out += concat(", in call ", call);
}

void symbols_of(const Args& args, const std::function<void(const Symbol&)>& f) {
  for (const ArgItem& item : args.items())
    if (item.kind == ArgKind::SymInt) SymInt::from_bits(item.i).visit_symbols(f);
}

class TextPrinter {
 public:
  explicit TextPrinter(std::string& out, const SourceNames& names = {}) : out_(out), names_(names) {}

  void graph(const Graph& g) {
    calls(g);
    symbols(g);
    header(g);
    blocks(g);
    for (const Guard& guard : g.guards()) {
      out_ += "  guard ";
      if (guard.value) out_ += "%", out_ += guard.value->name();
      else out_ += "sym(" + to_string(guard.size) + ")";
      out_ += " == ";
      print_arg(out_, guard.expected[0]);
      out_ += " ";
      print_quoted(out_, guard.expression);
      place(out_, guard.span, "");
      out_ += "\n";
    }
    for (const std::string& line : g.relied_on()) {
      out_ += "  relied_on ";
      print_quoted(out_, line);
      out_ += "\n";
    }
  }

  void unit(const Unit& u) {
    out_ += concat("monograph ", kFormat, "\n");
    std::map<const Module*, size_t> index;
    for (size_t i = 0; i < u.modules().size(); ++i) index[u.modules()[i].get()] = i;
    for (const auto& f : u.functions()) graph(*f);  // first, as readers look for them
    for (const auto& c : u.classes()) class_definition(*c);
    for (const auto& m : u.modules()) module(*m, index);
    if (u.root()) out_ += concat("root m", index[u.root()], "\n");
  }

 private:
  void place(std::string& out, const Span& span, std::string_view scope) const { print_span(out, named(span), calls_.of(span), scope); }
  Span named(Span span) const {
    if (names_ && span.known()) span.file = intern_file(names_(*span.file));
    return span;
  }
  // # call 1: "relu" from "Net.forward" at model.py:20:15-20:28
  void calls(const Graph& g) {
    calls_ = CallNumbers(g);
    for (const monograph::Call* call : calls_.calls()) {
      out_ += concat("# call ", calls_.of(call), ": ");
      print_quoted(out_, call->function);
      out_ += " from ";
      print_quoted(out_, call->caller);
      out_ += " at ";
      print_place(out_, named(call->at), calls_.of(call->at));
      out_ += "\n";
    }
  }

  using Symbols = std::map<std::string, const Symbol*>;
  void declare(const Symbols& symbols) {
    for (const auto& [name, s] : symbols) {
      out_ += "symbol " + name;
      if (s->lower != 0 || s->upper != std::numeric_limits<int64_t>::max()) {
        out_ += s->lower == std::numeric_limits<int64_t>::min() ? " in [-inf, " : concat(" in [", s->lower, ", ");
        out_ += s->upper == std::numeric_limits<int64_t>::max() ? "inf]" : concat(s->upper, "]");
      }
      if (s->hint) out_ += concat(" hint ", *s->hint);
      out_ += "\n";
    }
  }
  void symbols(const Graph& g) {
    Symbols found;
    std::unordered_set<const void*> seen;
    auto note = [&](const Symbol& s) { found.emplace(s.name, &s); };
    auto note_type = [&](Type t) {
      if (t && seen.insert(reinterpret_cast<const void*>(t.hash())).second) t.visit_symbols(note);
    };
    for (Node* n : NestedNodes(g)) {
      note_type(n->type());
      const Skeleton& s = n->skeleton();
      if (seen.insert(&s).second)
        for (uint32_t i = 0; i < s.items; ++i)
          if (s.item[i].kind == ArgKind::SymInt) SymInt::from_bits(s.item[i].i).visit_symbols(note);
    }
    for (const Guard& guard : g.guards()) {
      guard.size.visit_symbols(note);
      symbols_of(guard.expected, note);
    }
    declare(found);
  }

  void header(const Graph& g) {
    out_ += "graph";
    if (g.name() != "forward") {
      out_ += " ";
      print_global(out_, g.name());
    }
    std::string attributes;
    if (g.level() != Level::Module) attributes += concat("level=", to_string(g.level()));
    if (g.dialect() != Dialect::Fx) attributes += concat(attributes.empty() ? "" : ", ", "dialect=", to_string(g.dialect()));
    if (!attributes.empty()) out_ += "[" + attributes + "]";
    parameters(*g.root(), "      ");
  }

  void parameters(const Block& b, std::string_view indent) {
    out_ += "(";
    bool first = true;
    std::string note;  // of the parameter before, to stand behind the comma
    for (Node* n = b.first(); n && n->op() == Op::Placeholder; n = n->next()) {
      if (!first) {
        out_ += ",";
        if (note.empty() && b.owner()) out_ += " ";
        else out_ += note, out_ += "\n", out_ += indent;
      }
      first = false;
      out_ += "%", out_ += n->name();
      if (n->target().name() != n->name()) {
        out_ += "[target=";
        print_quoted(out_, n->target().name());
        out_ += "]";
      }
      type(n);
      if (n->arg_count()) {
        out_ += " = ";
        print_arg(out_, n->arg(0));
      }
      note.clear();
      place(note, n->span(), n->scope());
    }
    out_ += "):";
    out_ += note, out_ += "\n";
  }

  void type(const Node* n) {
    if (!n->type()) return;
    out_ += n->type_declared() ? " :! " : " : ";
    out_ += to_string(n->type());
  }

  void arguments(const Node* n) {
    out_ += "(";
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      if (k) out_ += ", ";
      if (k >= n->positional_count()) {
        const std::string& name = n->keyword(k - n->positional_count());
        is_identifier(name) ? void(out_ += name) : print_quoted(out_, name);
        out_ += "=";
      }
      print_arg(out_, *it);
    }
    out_ += ")";
  }

  void target(const Node* n) {
    const Target& t = n->target();
    if (n->op() == Op::CallFunction) {
      static constexpr std::string_view kReserved[] = {"get_attr", "call_module", "call_method"};
      if (std::find(std::begin(kReserved), std::end(kReserved), t.name()) != std::end(kReserved)) print_quoted(out_, t.name());
      else print_global(out_, t.name());
    } else {
      out_ += to_string(n->op()), out_ += "[";
      print_quoted(out_, t.name());
      out_ += "]";
    }
    if (t.overload && !(t.op && *t.overload == t.name())) {
      out_ += "{";
      print_global(out_, *t.overload);
      out_ += "}";
    }
  }

  void node(const Node* n, const std::string& indent) {
    out_ += indent;
    if (n->op() == Op::Output) {
      bool root = !n->block()->owner();
      out_ += root ? "return" : "->";
      if (n->name() != "output") {
        out_ += "[name=";
        print_quoted(out_, n->name());
        out_ += "]";
      }
      out_ += " ";
      arguments(n);
      type(n);
    } else {
      out_ += "%", out_ += n->name();
      if (n->multi()) results(n);
      type(n);
      out_ += " = ";
      target(n);
      arguments(n);
    }
    place(out_, n->span(), n->scope());
    out_ += "\n";
  }

  void results(const Node* n) {
    out_ += "(";
    const Node* p = n->next();
    for (size_t k = 0; k < n->result_count(); ++k) {
      if (k) out_ += ", ";
      if (p && p->is_projection() && p->projected() == n && p->projected_index() == k) out_ += "%", out_ += p->name(), p = p->next();
      else out_ += "_";
    }
    out_ += ")";
  }

  // The bodies, with a stack of our own.
  void blocks(const Graph& g) {
    struct Frame {
      const Block* block;
      const Node* next;
    };
    std::vector<Frame> stack;
    auto enter = [&](const Block* b) {
      const Node* n = b->first();
      while (n && n->op() == Op::Placeholder) n = n->next();
      stack.push_back({b, n});
    };
    enter(g.root());
    while (!stack.empty()) {
      interrupt_point();
      Frame& f = stack.back();
      std::string indent(static_cast<size_t>(std::min<int>(static_cast<int>(stack.size()), kMaxIndent)) * 4 - 2, ' ');
      const Node* n = f.next;
      if (!n) {
        const Block* done = f.block;
        if (!done->output() && done->owner()) out_ += indent + "end\n";
        stack.pop_back();
        if (const Node* owner = done->owner(); owner && done->index() + 1 < owner->block_count())
          open(owner->block(done->index() + 1), stack.size()), enter(owner->block(done->index() + 1));
        continue;
      }
      f.next = n->next();
      if (n->is_projection()) continue;  // printed with its producer
      node(n, indent);
      if (n->block_count()) open(n->block(0), stack.size()), enter(n->block(0));
    }
  }
  void open(const Block* b, size_t depth) {
    std::string indent(static_cast<size_t>(std::min<int>(static_cast<int>(depth), kMaxIndent)) * 4, ' ');
    out_ += indent + concat("block", b->index());
    parameters(*b, indent + "       ");
  }

  void class_definition(const Class& c) {
    Symbols found;
    for (const Attribute& a : c.attributes) a.type.visit_symbols([&](const Symbol& s) { found.emplace(s.name, &s); });
    declare(found);
    out_ += "class ";
    print_global(out_, c.name);
    if (c.is_module) out_ += "(Module)";
    out_ += ":\n";
    for (const Attribute& a : c.attributes) {
      out_ += "  ", out_ += to_string(a.kind), out_ += " ";
      print_quoted(out_, a.name);
      if (a.type) out_ += " : " + to_string(a.type);
      if (!a.persistent) out_ += " [persistent=False]";
      out_ += "\n";
    }
    for (const std::string& m : c.methods) {
      out_ += "  method ";
      print_quoted(out_, m);
      out_ += "\n";
    }
  }

  void module(const Module& m, std::map<const Module*, size_t>& index) {
    out_ += concat("module m", index[&m], " : ");
    print_global(out_, m.type().name);
    if (!m.training) out_ += "[training=False]";
    out_ += ":\n";
    for (size_t i = 0; i < m.values.size(); ++i) {
      out_ += "  ";
      print_quoted(out_, m.type().attributes[i].name);
      out_ += " = ";
      if (m.values[i].module) out_ += concat("m", index[m.values[i].module]);
      else if (m.values[i].value.size()) print_arg(out_, m.values[i].value[0]);
      else out_ += "None";
      out_ += "\n";
    }
  }

  std::string& out_;
  const SourceNames names_;
  CallNumbers calls_;  // of the graph that is printed
};

}  // namespace

void print_span(std::string& out, const Span& span, uint32_t call, std::string_view scope) {
  if (!span.known() && scope.empty()) return;
  out += " # ";
  if (span.known()) {
    print_place(out, span, call);
    if (!scope.empty()) out += ", ";
  }
  if (!scope.empty()) {
    out += "scope: ";
    plain(scope, "_./:<>+-@[]()") ? void(out += scope) : print_quoted(out, scope);
  }
}

CallNumbers::CallNumbers(const Graph& g) {
  for (const Node* n : NestedNodes(g)) add(call_of(n->span()));
  for (const Guard& guard : g.guards()) add(call_of(guard.span));
}

void CallNumbers::add(const monograph::Call* call) {
  std::vector<const monograph::Call*> fresh;
  for (; call && !numbers_.contains(call); call = call_of(call->at)) fresh.push_back(call);
  for (; !fresh.empty(); fresh.pop_back()) {
    calls_.push_back(fresh.back());
    numbers_.emplace(fresh.back(), static_cast<uint32_t>(calls_.size()));
  }
}

std::string to_text(const Graph& graph) { return to_text(graph, {}); }
std::string to_text(const Unit& unit) { return to_text(unit, {}); }

std::string to_text(const Graph& graph, const SourceNames& names) {
  std::string out;
  TextPrinter(out, names).graph(graph);
  return out;
}

std::string to_text(const Unit& unit, const SourceNames& names) {
  std::string out;
  TextPrinter(out, names).unit(unit);
  return out;
}

}  // namespace monograph::ir
