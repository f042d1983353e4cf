// Writes the data of the page as JSON. Names come from files, so every character that could end the string, the script or the page is escaped.
#include "passes/view.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "ir/unit.h"
#include "passes/graph_changes.h"

namespace monograph::passes {

// The files of src/passes/page, embedded by cmake/Monograph.cmake.
extern const std::string_view kPageHtml, kPageStyle, kPageModel, kPageScript;

namespace {

using ir::ArgKind;
using ir::ArgRef;
using ir::Block;
using ir::Graph;
using ir::Node;
using ir::Op;

// The number of bytes of the UTF-8 character at the beginning of the text; 0 if there is no valid one.
size_t character_bytes(std::string_view text) {
  const auto byte = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  const unsigned first = byte(0);
  const size_t count = first < 0x80                    ? 1
                       : first >= 0xC2 && first < 0xE0 ? 2
                       : first >= 0xE0 && first < 0xF0 ? 3
                       : first >= 0xF0 && first < 0xF5 ? 4
                                                       : 0;
  for (size_t k = 1; k < count; ++k)
    if ((byte(k) & 0xC0U) != 0x80) return 0;
  // Not valid: overlong forms, surrogates, and values above U+10FFFF.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) || (first == 0xF0 && byte(1) < 0x90) ||
      (first == 0xF4 && byte(1) > 0x8F))
    return 0;
  return count;
}

// Appends a JSON string that is safe inside of an HTML script.
void quote(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const size_t count = character_bytes(text);
    const auto c = static_cast<unsigned char>(text[0]);
    if (count == 0) out += "\\ufffd";
    else if (count > 1) out += text.substr(0, count);
    else if (c == '"' || c == '\\') out += '\\', out += static_cast<char>(c);
    else if (c < 0x20 || c == 0x7F || c == '<' || c == '>' || c == '&') out += "\\u00", out += kHex[c >> 4], out += kHex[c & 15];
    else out += static_cast<char>(c);
    text.remove_prefix(std::max<size_t>(count, 1));
  }
  out += '"';
}

// Writes a JSON object or list: next() and key() put the commas.
class JsonParts {
 public:
  JsonParts(std::string& out, char open, char close) : out_(out), close_(close) { out_ += open; }
  ~JsonParts() { out_ += close_; }
  JsonParts(const JsonParts&) = delete;
  JsonParts& operator=(const JsonParts&) = delete;
  std::string& next() {
    if (!first_) out_ += ", ";
    first_ = false;
    return out_;
  }
  std::string& key(std::string_view name) {
    quote(next(), name);
    return out_ += ": ";
  }
  void text(std::string_view name, std::string_view value) { quote(key(name), value); }
  void number(std::string_view name, int64_t value) { key(name) += std::to_string(value); }

 private:
  std::string& out_;
  char close_;
  bool first_ = true;
};

// "encoder.0" of "__module.encoder.0".
std::string_view module_path(const Node* n) {
  constexpr std::string_view kPrefix = "__module.";
  const std::string_view scope = n->scope();
  return scope.starts_with(kPrefix) ? scope.substr(kPrefix.size()) : scope == "__module" ? std::string_view() : scope;
}

bool is_computed(SymInt dim) { return dim.expr() && dim.expr()->kind != SymExpr::Kind::Symbol; }

// The size that a dim had in the example: 112 for "(s0 + 1) // 2".
std::optional<int64_t> example_size(SymInt dim) {
  try {
    return dim.hint();
  } catch (const Error&) {  // a file may hold an expression that has no value
    return std::nullopt;
  }
}

// The sizes in the example, if at least one is computed from sizes of the inputs; else "".
std::string example_text(ir::Type type) {
  if (!type.is(ir::TypeKind::Tensor) || !type.tensor().sizes) return {};
  std::string out;
  bool computed = false;
  for (const auto& d : *type.tensor().sizes) {
    const std::optional<int64_t> n = d ? example_size(*d) : std::nullopt;
    computed = computed || (d && n && is_computed(*d));
    out += concat(out.empty() ? "[" : ", ", n ? std::to_string(*n) : d ? to_string(*d) : "?");
  }
  return computed ? out + "]" : "";
}

// A short text of a type: "float32[s0, 4]".
std::string value_text(ir::Type type) {
  if (!type) return {};
  if (!type.is(ir::TypeKind::Tensor)) return to_string(type);
  const ir::TensorType& t = type.tensor();
  std::string out(t.dtype ? name(*t.dtype) : "Tensor");
  if (!t.sizes) return t.dtype ? out + "[\u2026]" : out;
  out += "[";
  for (const auto& d : *t.sizes) out += concat(out.ends_with('[') ? "" : ", ", d ? to_string(*d) : "?");
  return out + "]";
}

// The bytes of a value, if all of its sizes are numbers; else -1.
int64_t bytes_of(ir::Type type) {
  if (!type.is(ir::TypeKind::Tensor)) return -1;
  const ir::TensorType& t = type.tensor();
  if (!t.dtype || !t.sizes) return -1;
  double bytes = static_cast<double>(element_size(*t.dtype));
  for (const auto& d : *t.sizes) {
    if (!d || !d->is_int()) return -1;
    bytes *= static_cast<double>(d->as_int());
  }
  return bytes < 9e15 ? static_cast<int64_t>(bytes) : -1;
}

class GraphData {
 public:
  explicit GraphData(const ViewedGraph& view) : view_(view), graph_(*view.graph) {
    for (Node* n : ir::NestedNodes(graph_)) {
      index_[n] = nodes_.size();
      nodes_.push_back(n);
      for (size_t k = 0; k < n->block_count(); ++k) blocks_.emplace(n->block(k), blocks_.size() + 1);
    }
    for (const ir::Guard& g : graph_.guards()) file_of(g.span);
    for (const Node* n : nodes_) file_of(n->span());
  }

  size_t index(const Node* n) const { return index_.at(n); }

  void write(std::string& out) const {
    JsonParts object(out, '{', '}');
    object.text("title", view_.title);
    object.text("level", to_string(graph_.level()));
    {
      JsonParts list(object.key("files"), '[', ']');
      for (const std::string* file : files_) quote(list.next(), *file);
    }
    sizes(object.key("sizes"));
    guards(object.key("guards"));
    modules(object.key("modules"));
    out += ",\n   \"nodes\": [";
    for (size_t k = 0; k < nodes_.size(); ++k) {
      out += k ? ",\n    " : "\n    ";
      node(out, nodes_[k]);
    }
    out += "]";
  }

 private:
  void file_of(const Span& span) {
    if (span.known() && file_index_.emplace(*span.file, files_.size()).second) files_.push_back(span.file);
  }

  void place(JsonParts& object, const Span& span) const {
    if (span.known()) object.key("at") += concat("[", file_index_.at(*span.file), ", ", span.line, ", ", span.column, "]");
  }

  // The symbols of the inputs.
  void sizes(std::string& out) const {
    JsonParts list(out, '[', ']');
    std::unordered_set<std::string> seen;
    for (const Node* p : graph_.placeholders()) {
      if (!p->type()) continue;
      p->type().visit_symbols([&](const Symbol& s) {
        if (!seen.insert(s.name).second) return;
        JsonParts object(list.next(), '{', '}');
        object.text("name", s.name);
        if (s.hint) object.number("example", *s.hint);
      });
    }
  }

  void guards(std::string& out) const {
    JsonParts list(out, '[', ']');
    for (const ir::Guard& g : graph_.guards()) {
      JsonParts object(list.next(), '{', '}');
      object.text("expression", g.expression);
      std::string expected;
      if (g.expected.size()) ir::print_arg(expected, g.expected[0]);
      object.text("expected", expected);
      place(object, g.span);
    }
  }

  void modules(std::string& out) const {
    JsonParts object(out, '{', '}');
    for (const auto& [path, m] : view_.modules) {
      JsonParts module(object.key(path), '{', '}');
      module.text("class", m.class_name);
      if (!m.arguments.empty()) module.text("arguments", m.arguments);
      if (m.parameters) module.number("parameters", m.parameters), module.number("bytes", m.bytes);
    }
  }

  void node(std::string& out, const Node* n) const {
    JsonParts object(out, '{', '}');
    object.text("name", n->name());
    object.text("op", to_string(n->op()));
    if (n->is_projection()) object.key("result") += concat("[", index(n->projected()), ", ", n->projected_index(), "]");
    else object.text("target", n->target().name());
    if (n->target().overload && *n->target().overload != n->target().name()) object.text("operator", *n->target().overload);
    if (n->structure() != ir::Structure::None) object.text("structure", n->is_if() ? "If" : "Loop");
    type(object, n);
    if (n->block() != graph_.root()) object.number("block", static_cast<int64_t>(blocks_.at(n->block())));
    if (n->block_count()) {
      JsonParts list(object.key("blocks"), '[', ']');
      for (size_t k = 0; k < n->block_count(); ++k) list.next() += std::to_string(blocks_.at(n->block(k)));
    }
    if (const std::string_view path = module_path(n); !path.empty()) object.text("module", path);
    place(object, n->span());
    if (!n->is_projection() && n->arg_count()) arguments(object.key("args"), n);
  }

  void type(JsonParts& object, const Node* n) const {
    const auto given = view_.types.find(n->name());
    if (n->type()) {
      const std::string value = value_text(n->type()), text = to_string(n->type());
      object.text("value", value);
      if (text != value) object.text("type", text);
      if (const std::string example = example_text(n->type()); !example.empty()) object.text("example", example);
      if (n->type_declared()) object.key("declared") += "true";
      if (const int64_t bytes = bytes_of(n->type()); bytes >= 0) object.number("bytes", bytes);
    } else if (given != view_.types.end()) {
      object.text("value", given->second);
    }
  }

  // A list [name, part, …] for each argument. A part is a string, or the index of a node.
  void arguments(std::string& out, const Node* n) const {
    const ir::OpInfo* info = n->op() == Op::CallFunction ? n->info() : nullptr;
    JsonParts list(out, '[', ']');
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      JsonParts parts(list.next(), '[', ']');
      const bool named = k >= n->positional_count();
      const bool known = info && !info->schema().is_vararg() && k < info->schema().arguments().size();
      quote(parts.next(), named ? n->keyword(k - n->positional_count()) : known ? info->schema().arguments()[k].name : "");
      std::string text;
      argument(parts, text, *it);
      if (!text.empty()) quote(parts.next(), text);
    }
  }

  void argument(JsonParts& parts, std::string& text, ArgRef a) const {
    if (const Node* n = a.node()) {
      if (!text.empty()) quote(parts.next(), text);
      text.clear();
      parts.next() += std::to_string(index(n));
    } else if (a.is(ArgKind::Tensor)) {
      const ir::TensorConstant& t = a.as_tensor();
      const int64_t bytes = t.numel() * element_size(t.dtype());
      text += concat("tensor ", name(t.dtype()), to_string(t.sizes()), " (", bytes, bytes == 1 ? " byte" : " bytes", ")");
    } else if (ir::has_parts(a.kind()) && !a.is(ArgKind::Complex)) {
      const bool slice = a.is(ArgKind::Slice), dict = a.is(ArgKind::Dict), tuple = a.is(ArgKind::Tuple);
      text += slice ? "slice(" : dict ? "{" : tuple ? "(" : "[";
      size_t k = 0;
      for (ArgRef part : a) {
        if (k) text += dict && k % 2 ? ": " : ", ";
        argument(parts, text, part);
        ++k;
      }
      text += tuple && k == 1 ? ",)" : slice || tuple ? ")" : dict ? "}" : "]";
    } else {
      ir::print_arg(text, a);
    }
  }

  const ViewedGraph& view_;
  const Graph& graph_;
  std::vector<const Node*> nodes_;
  std::unordered_map<const Node*, size_t> index_;
  std::unordered_map<const Block*, size_t> blocks_;  // by number; the root has none
  std::vector<const std::string*> files_;
  std::unordered_map<std::string_view, size_t> file_index_;
};

// A list [before, after, what changed…] for each row. A missing node is null.
void rows(std::string& out, const Graph& before, const Graph& after, const GraphData& x, const GraphData& y) {
  JsonParts list(out, '[', ']');
  for (const ChangedNode& c : graph_changes(before, after)) {
    JsonParts row(list.next(), '[', ']');
    row.next() += c.before ? std::to_string(x.index(c.before)) : "null";
    row.next() += c.after ? std::to_string(y.index(c.after)) : "null";
    for (const auto& [changed, what] :
         {std::pair(c.target, "target"), {c.arguments, "arguments"}, {c.type, "type"}, {c.values, "values"}, {c.moved, "moved"}})
      if (changed) quote(row.next(), what);
  }
}

void function(std::string& out, const ViewedFunction& f) {
  JsonParts object(out, '{', '}');
  object.text("name", (f.after.graph ? f.after : f.before).graph->name());
  std::optional<GraphData> before, after;
  if (f.before.graph) before.emplace(f.before), before->write(object.key("before"));
  if (f.after.graph) after.emplace(f.after), after->write(object.key("after"));
  if (before && after) rows(object.key("rows"), *f.before.graph, *f.after.graph, *before, *after);
}

// "torch.nn.modules.linear.Linear" of "__torch__.torch.nn.modules.linear.___torch_mangle_3.Linear".
std::string plain_class_name(std::string_view mangled) {
  std::string out;
  while (!mangled.empty()) {
    const std::string_view part = mangled.substr(0, mangled.find('.'));
    if (part != "__torch__" && !part.starts_with("___torch_mangle_")) out += concat(out.empty() ? "" : ".", part);
    mangled.remove_prefix(std::min(part.size() + 1, mangled.size()));
  }
  return out;
}

// Modules may share submodules and tensors: each is counted once.
void count_parameters(const ir::Module* top, ViewedModule& view) {
  std::unordered_set<const void*> seen;
  std::vector<const ir::Module*> todo{top};
  while (!todo.empty()) {
    const ir::Module* m = todo.back();
    todo.pop_back();
    if (!seen.insert(m).second) continue;
    for (const ir::Module::Value& v : m->values) {
      if (v.module) todo.push_back(v.module);
      if (v.module || v.value.size() != 1 || !v.value[0].is(ArgKind::Tensor)) continue;
      const ir::TensorConstant& t = v.value[0].as_tensor();
      if (seen.insert(&t).second) view.parameters += t.numel(), view.bytes += t.numel() * element_size(t.dtype());
    }
  }
}

}  // namespace

ViewedGraph viewed(const Graph& graph, std::string_view title) {
  ViewedGraph view;
  view.graph = &graph, view.title = title;
  const ir::Unit* unit = graph.unit();
  if (!unit || !unit->root()) return view;
  // The modules that its nodes name, and their parents. Longer paths than the limit are left out: nobody wrote them by hand.
  constexpr size_t kLongestPath = 1000;
  std::unordered_set<std::string_view> paths{""};
  auto add = [&](std::string_view path) {
    while (path.size() <= kLongestPath && paths.insert(path).second) {
      const size_t dot = path.rfind('.');
      path = path.substr(0, dot == std::string_view::npos ? 0 : dot);
    }
  };
  for (const Node* n : ir::NestedNodes(graph)) {
    add(module_path(n));
    if (n->op() == Op::CallModule) add(n->target().name());
  }
  for (std::string_view path : paths) {
    const ir::Module::Value* found = path.empty() ? nullptr : unit->root()->value_at(path);
    const ir::Module* m = path.empty() ? unit->root() : found ? found->module : nullptr;
    if (!m) continue;
    ViewedModule& module = view.modules[std::string(path)];
    module.class_name = plain_class_name(m->type().name);
    count_parameters(m, module);
  }
  return view;
}

std::string view_data(std::string_view title, std::span<const ViewedFunction> functions) {
  std::string out;
  {
    JsonParts object(out, '{', '}');
    object.text("title", title);
    JsonParts list(object.key("functions"), '[', ']');
    for (const ViewedFunction& f : functions) function(list.next() += "\n  ", f);
  }
  return out + "\n";
}

std::string view_page(std::string_view title, std::span<const ViewedFunction> functions) {
  std::string out;
  std::string_view rest = kPageHtml;
  // The template names its parts: {{style}}, {{data}}, {{model}}, {{script}}.
  for (size_t at = rest.find("{{"); at != std::string_view::npos; at = rest.find("{{")) {
    const size_t end = rest.find("}}", at);
    const std::string_view part = rest.substr(at + 2, end - at - 2);
    out += rest.substr(0, at);
    if (part == "style") out += kPageStyle;
    else if (part == "model") out += kPageModel;
    else if (part == "script") out += kPageScript;
    else out += view_data(title, functions);
    rest.remove_prefix(end + 2);
  }
  return out += rest;
}

}  // namespace monograph::passes
