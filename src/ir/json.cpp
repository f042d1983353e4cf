// JSON: nodes and blocks as flat lists, so that no reader needs to nest as deep as the graph. Reading goes through the text form and its parser,
// which checks everything once.
#include <nlohmann/json.hpp>

#include "ir/text.h"

namespace monograph::ir {

void print_span(std::string& out, const Span& span, std::string_view scope);

namespace {

void value(std::string& out, ArgRef a) {
  auto parts = [&](std::string_view open, std::string_view close) {
    out += open;
    bool first = true;
    for (ArgRef p : a) out += first ? "" : ", ", value(out, p), first = false;
    out += close;
  };
  switch (a.kind()) {
    case ArgKind::None: out += "null"; return;
    case ArgKind::Bool: out += a.as_bool() ? "true" : "false"; return;
    case ArgKind::Int: out += std::to_string(a.as_int()); return;
    case ArgKind::Str: print_quoted(out, a.as_str()); return;
    case ArgKind::Node: out += "{\"node\": ", print_quoted(out, a.as_node()->name()), out += "}"; return;
    case ArgKind::List: return parts("[", "]");
    case ArgKind::Tuple: return parts("{\"tuple\": [", "]}");
    case ArgKind::Dict: return parts("{\"dict\": [", "]}");
    case ArgKind::Slice: return parts("{\"slice\": [", "]}");
    case ArgKind::Float:
      if (std::isfinite(a.as_float())) return print_float(out, a.as_float());
      [[fallthrough]];
    default: {
      std::string text;
      print_arg(text, a);
      out += "{\"literal\": ", print_quoted(out, text), out += "}";
    }
  }
}

void span_fields(std::string& out, const Span& s, const std::string& scope) {
  if (s.known()) {
    out += ", \"span\": [", print_quoted(out, *s.file);
    out += concat(", ", s.line, ", ", s.column, ", ", s.end_line, ", ", s.end_column, "]");
  }
  if (!scope.empty()) out += ", \"scope\": ", print_quoted(out, scope);
}

void field(std::string& out, std::string_view name, std::string_view text) {
  out += concat(", \"", name, "\": ");
  print_quoted(out, text);
}

}  // namespace

std::string to_json(const Graph& g) {
  std::string out = "{\"format\": 1";
  field(out, "name", g.name());
  field(out, "level", to_string(g.level()));
  field(out, "dialect", to_string(g.dialect()));
  // The head of the text form declares the symbols.
  std::string text = to_text(g);
  field(out, "symbols", text.substr(0, text.starts_with("graph") ? 0 : text.find("\ngraph") + 1));
  std::unordered_map<const Block*, size_t> blocks{{g.root(), 0}};
  std::string block_list = "{\"owner\": null}";
  out += ",\n \"nodes\": [";
  bool first = true;
  for (Node* n : NestedNodes(g)) {
    if (!first) out += ",";
    first = false;
    out += concat("\n  {\"block\": ", blocks.at(n->block()));
    field(out, "op", to_string(n->op()));
    field(out, "name", n->name());
    if (n->is_projection()) {
      out += ", \"result\": " + std::to_string(n->projected_index()) + "}";
      continue;
    }
    field(out, "target", n->target().name());
    if (n->target().overload) field(out, "overload", *n->target().overload);
    if (n->multi()) out += ", \"multi\": true";
    if (n->type()) field(out, "type", to_string(n->type()));
    if (n->type_declared()) out += ", \"declared\": true";
    out += ", \"args\": [";
    size_t k = 0;
    for (auto it = n->args_begin(); it != n->args_end(); ++it, ++k) {
      if (k == n->positional_count()) out += "], \"kwargs\": {";
      if (k && k != n->positional_count()) out += ", ";
      if (k >= n->positional_count()) print_quoted(out, n->keyword(k - n->positional_count())), out += ": ";
      value(out, *it);
    }
    out += n->skeleton().names ? "}" : "]";
    span_fields(out, n->span(), n->scope());
    out += "}";
    for (size_t b = 0; b < n->block_count(); ++b) {
      blocks[n->block(b)] = blocks.size();
      block_list += ", {\"owner\": ", print_quoted(block_list, n->name()), block_list += "}";
    }
  }
  out += "],\n \"blocks\": [" + block_list + "],\n \"guards\": [";
  for (size_t i = 0; i < g.guards().size(); ++i) {
    const Guard& guard = g.guards()[i];
    out += i ? ", {" : "{";
    if (guard.value) out += "\"value\": ", print_quoted(out, guard.value->name());
    else out += "\"size\": ", print_quoted(out, to_string(guard.size));
    out += ", \"expected\": ", value(out, guard.expected[0]);
    field(out, "expression", guard.expression);
    span_fields(out, guard.span, "");
    out += "}";
  }
  return out + "]}\n";
}

namespace {

using nlohmann::ordered_json;

void text_of(std::string& out, const ordered_json& v, int depth = 0) {
  MONOGRAPH_CHECK(depth <= kMaxArgDepth, Value, "an argument nests deeper than ", kMaxArgDepth);
  auto parts = [&](const ordered_json& list, std::string_view open, std::string_view close) {
    out += open;
    for (size_t i = 0; i < list.size(); ++i) out += i ? ", " : "", text_of(out, list.at(i), depth + 1);
    out += close;
  };
  if (v.is_null()) return void(out += "None");
  if (v.is_boolean()) return void(out += v.get<bool>() ? "True" : "False");
  if (v.is_number_float()) return print_float(out, v.get<double>());
  if (v.is_number()) return void(out += v.dump());
  if (v.is_string()) return print_quoted(out, v.get_ref<const std::string&>());
  if (v.is_array()) return parts(v, "[", "]");
  if (v.contains("node")) return void(out += "%" + v.at("node").get<std::string>());
  if (v.contains("literal")) return void(out += v.at("literal").get<std::string>());
  if (v.contains("tuple")) return parts(v.at("tuple"), "(", v.at("tuple").size() == 1 ? ",)" : ")");
  if (v.contains("slice")) return parts(v.at("slice"), "slice(", ")");
  const ordered_json& dict = v.at("dict");
  out += "{";
  for (size_t i = 0; i < dict.size(); ++i) text_of(out, dict.at(i), depth + 1), out += i % 2 ? (i + 1 < dict.size() ? ", " : "") : ": ";
  out += "}";
}

// A count or position; the library converts any number to any other.
template <class T>
T whole(const ordered_json& v) {
  MONOGRAPH_CHECK(v.is_number_unsigned() && v.get<uint64_t>() <= std::numeric_limits<T>::max(), Value, "this JSON has ", v.dump(),
                  " where a whole number is expected");
  return static_cast<T>(v.get<uint64_t>());
}

std::string annotation(const ordered_json& v) {
  Span s;
  if (v.contains("span")) {
    const auto& a = v.at("span");
    s = {intern_file(a.at(0).get<std::string>()), whole<uint32_t>(a.at(1)), whole<uint32_t>(a.at(2)), whole<uint32_t>(a.at(3)),
         whole<uint32_t>(a.at(4))};
  }
  std::string out;
  print_span(out, s, v.value("scope", ""));
  return out;
}

std::string type_of_json(const ordered_json& v) {
  if (!v.contains("type")) return "";
  return (v.value("declared", false) ? " :! " : " : ") + v.at("type").get<std::string>();
}

std::string quoted(const std::string& text) {
  std::string out;
  print_quoted(out, text);
  return out;
}

class JsonReader {
 public:
  explicit JsonReader(const ordered_json& root) : root_(root) {}

  std::string text() {
    MONOGRAPH_CHECK(root_.at("format") == 1, Value, "this JSON has another format than 1");
    const auto& nodes = root_.at("nodes");
    const auto& blocks = root_.at("blocks");
    MONOGRAPH_CHECK(!blocks.empty(), Value, "this JSON has no blocks");
    in_block_.resize(blocks.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      const size_t block = whole<size_t>(nodes.at(i).at("block"));
      MONOGRAPH_CHECK(block < blocks.size(), Value, "node ", i, " of this JSON is in block ", block, " of ", blocks.size());
      in_block_[block].push_back(&nodes.at(i));
    }
    for (size_t b = 1; b < blocks.size(); ++b) children_[blocks.at(b).at("owner").get<std::string>()].push_back(b);
    out_ = root_.at("symbols").get<std::string>() + "graph " + quoted(root_.at("name")) + "[level=" + root_.at("level").get<std::string>() +
           ", dialect=" + root_.at("dialect").get<std::string>() + "]";
    body();
    for (const auto& g : root_.at("guards")) {
      out_ += "guard " + (g.contains("value") ? "%" + g.at("value").get<std::string>() : "sym(" + g.at("size").get<std::string>() + ")") +
              " == ";
      text_of(out_, g.at("expected"));
      out_ += " " + quoted(g.at("expression")) + annotation(g) + "\n";
    }
    return std::move(out_);
  }

 private:
  void body() {
    struct Frame {
      size_t block, next;
      const std::vector<size_t>* siblings;
      size_t index;
    };
    std::vector<Frame> stack;
    std::vector<bool> entered(in_block_.size());
    auto enter = [&](size_t block, const std::vector<size_t>* siblings, size_t index) {
      MONOGRAPH_CHECK(!entered[block], Value, "block ", block, " of this JSON lies in two nodes of one name");
      entered[block] = true;
      if (siblings) out_ += concat("block", index);
      stack.push_back({block, parameters(block), siblings, index});
    };
    enter(0, nullptr, 0);
    while (!stack.empty()) {
      Frame& f = stack.back();
      const auto& list = in_block_[f.block];
      if (f.next == list.size()) {
        if (f.siblings && (list.empty() || list.back()->at("op") != "output")) out_ += "end\n";
        Frame done = f;
        stack.pop_back();
        if (done.siblings && done.index + 1 < done.siblings->size()) enter((*done.siblings)[done.index + 1], done.siblings, done.index + 1);
        continue;
      }
      size_t at = f.next++;
      const ordered_json& n = *list[at];
      size_t results = 0;
      while (at + 1 + results < list.size() && list[at + 1 + results]->contains("result")) ++results;
      node(n, std::span(list).subspan(at + 1, results), f.block == 0);
      f.next += results;
      if (auto found = children_.find(n.at("name").get<std::string>()); found != children_.end() && n.at("op") != "output")
        enter(found->second[0], &found->second, 0);
    }
  }

  size_t parameters(size_t block) {
    const auto& list = in_block_[block];
    size_t count = 0;
    out_ += "(";
    std::string note;
    for (; count < list.size() && list[count]->at("op") == "placeholder"; ++count) {
      const ordered_json& p = *list[count];
      if (count) out_ += "," + note + "\n";
      out_ += "%" + p.at("name").get<std::string>() + "[target=" + quoted(p.at("target")) + "]" + type_of_json(p);
      if (!p.at("args").empty()) out_ += " = ", text_of(out_, p.at("args").at(0));
      note = annotation(p);
    }
    out_ += "):" + note + "\n";
    return count;
  }

  void arguments(const ordered_json& n) {
    out_ += "(";
    bool first = true;
    for (const auto& a : n.at("args")) out_ += first ? "" : ", ", text_of(out_, a), first = false;
    if (n.contains("kwargs"))
      for (const auto& [key, v] : n.at("kwargs").items())
        out_ += first ? "" : ", ", print_quoted(out_, key), out_ += "=", text_of(out_, v), first = false;
    out_ += ")";
  }

  void node(const ordered_json& n, std::span<const ordered_json* const> results, bool root) {
    const std::string op = n.at("op"), target = n.at("target");
    if (op == "output") {
      out_ += root ? "return[name=" + quoted(n.at("name")) + "] " : "-> ";
      arguments(n);
      out_ += type_of_json(n) + annotation(n) + "\n";
      return;
    }
    out_ += "%" + n.at("name").get<std::string>();
    if (n.value("multi", false)) {
      size_t at = 0, count = parse_elements(n);
      out_ += "(";
      for (size_t k = 0; k < count; ++k) {
        if (k) out_ += ", ";
        bool used = at < results.size() && whole<size_t>(results[at]->at("result")) == k;
        out_ += used ? "%" + results[at++]->at("name").get<std::string>() : "_";
      }
      out_ += ")";
    }
    out_ += type_of_json(n) + " = " + (op == "call_function" ? quoted(target) : op + "[" + quoted(target) + "]");
    if (n.contains("overload")) out_ += "{" + quoted(n.at("overload")) + "}";
    arguments(n);
    out_ += annotation(n) + "\n";
  }
  // The arity of a multi node lies in its type.
  size_t parse_elements(const ordered_json& n) {
    if (symbols_.empty()) read_symbols();
    size_t at = 0;
    std::string text = n.at("type");
    Type t = parse_type(text, at, [&](std::string_view) { return &symbols_[0]; });
    MONOGRAPH_CHECK(t.is(TypeKind::Tuple), Value, "the type of several results is a tuple, not ", text);
    return t.elements().size();
  }
  void read_symbols() { symbols_.push_back({"s", 0, std::numeric_limits<int64_t>::max(), std::nullopt}); }

  const ordered_json& root_;
  std::string out_;
  std::vector<std::vector<const ordered_json*>> in_block_;
  std::unordered_map<std::string, std::vector<size_t>> children_;
  std::vector<Symbol> symbols_;
};

}  // namespace

std::unique_ptr<Graph> graph_from_json(std::string_view text) {
  try {
    return parse_graph(JsonReader(ordered_json::parse(text)).text());
  } catch (const nlohmann::json::exception& e) {
    fail(ErrorKind::Value, "the JSON of a graph is not valid: ", e.what());
  }
}

}  // namespace monograph::ir
