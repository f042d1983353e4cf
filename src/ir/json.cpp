// JSON: nodes and blocks as flat lists, so that no reader needs to nest as deep as the graph. Reading goes through the text form and its parser,
// which checks everything once.
#include <nlohmann/json.hpp>

#include "core/interrupt.h"
#include "ir/call_numbers.h"
#include "ir/format.h"
#include "ir/text.h"
#include "ir/unit_json.h"

namespace monograph::ir {

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

void span_fields(std::string& out, const Span& s, const CallNumbers& calls, const std::string& scope) {
  if (s.known()) {
    out += ", \"span\": [", print_quoted(out, *s.file);
    out += concat(", ", s.line, ", ", s.column, ", ", s.end_line, ", ", s.end_column);
    const uint32_t call = calls.of(s);
    out += call ? concat(", ", call, "]") : "]";
  }
  if (!scope.empty()) out += ", \"scope\": ", print_quoted(out, scope);
}

void field(std::string& out, std::string_view name, std::string_view text) {
  out += concat(", \"", name, "\": ");
  print_quoted(out, text);
}

}  // namespace

std::string to_json(const Graph& g) {
  std::string out = concat("{\"format\": ", kFormat);
  field(out, "name", g.name());
  field(out, "level", to_string(g.level()));
  field(out, "dialect", to_string(g.dialect()));
  // The head of the text form declares the symbols, and the calls that places refer to.
  const CallNumbers calls(g);
  std::string text = to_text(g);
  field(out, "symbols", text.substr(0, text.starts_with("graph") ? 0 : text.find("\ngraph") + 1));
  std::unordered_map<const Block*, size_t> blocks{{g.root(), 0}};
  std::string block_list = "{\"owner\": null}";
  out += ",\n \"nodes\": [";
  bool first = true;
  for (Node* n : NestedNodes(g)) {
    interrupt_point();
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
    span_fields(out, n->span(), calls, n->scope());
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
    span_fields(out, guard.span, calls, "");
    out += "}";
  }
  out += "],\n \"relied_on\": [";
  for (size_t i = 0; i < g.relied_on().size(); ++i) out += i ? ", " : "", print_quoted(out, g.relied_on()[i]);
  return out + "]}\n";
}

namespace {

// A list of objects, one a line.
template <class Parts, class F>
void objects(std::string& out, const Parts& parts, F&& write) {
  bool first = true;
  for (const auto& part : parts) out += first ? "\n  " : ",\n  ", write(*part), first = false;
}

void class_json(std::string& out, const Class& c) {
  out += "{\"name\": ", print_quoted(out, c.name);
  if (c.is_module) out += ", \"is_module\": true";
  out += ", \"attributes\": [";
  for (const Attribute& a : c.attributes) {
    out += &a == c.attributes.data() ? "{\"name\": " : ", {\"name\": ";
    print_quoted(out, a.name);
    field(out, "kind", to_string(a.kind));
    if (a.type) field(out, "type", to_string(a.type));
    out += a.persistent ? "}" : ", \"persistent\": false}";
  }
  out += "], \"methods\": [";
  for (const std::string& m : c.methods) out += &m == c.methods.data() ? "" : ", ", print_quoted(out, m);
  out += "]}";
}

void module_json(std::string& out, const Module& m, const std::unordered_map<const Module*, size_t>& index) {
  out += "{\"class\": ", print_quoted(out, m.type().name);
  if (!m.training) out += ", \"training\": false";
  out += ", \"values\": [";
  for (const Module::Value& v : m.values) {
    out += &v == m.values.data() ? "" : ", ";
    if (v.module) out += concat("{\"module\": ", index.at(v.module), "}");
    else if (v.value.size()) value(out, v.value[0]);
    else out += "null";
  }
  out += "]}";
}

}  // namespace

std::string to_json(const Unit& unit) {
  std::unordered_map<const Module*, size_t> index;
  for (size_t k = 0; k < unit.modules().size(); ++k) index[unit.modules()[k].get()] = k;
  std::string out = concat("{\"format\": ", kFormat, ",\n \"functions\": [");
  objects(out, unit.functions(), [&](const Graph& g) {
    out += to_json(g);
    while (out.ends_with('\n')) out.pop_back();
  });
  // The symbols that classes name are declared before the class in the text form.
  out += "],\n \"classes\": [", objects(out, unit.classes(), [&](const Class& c) { class_json(out, c); });
  out += "],\n \"modules\": [", objects(out, unit.modules(), [&](const Module& m) { module_json(out, m, index); });
  out += "]";
  if (unit.root()) out += concat(",\n \"root\": ", index.at(unit.root()));
  return out + "}\n";
}

namespace {

using nlohmann::ordered_json;

// A value as it stands in the file, cut where it is long.
std::string shown(const ordered_json& v) {
  constexpr size_t kMost = 40;
  if (v.is_structured()) return v.is_array() ? "a list" : "an object";
  std::string text = v.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}

// What must be there, and of its kind.
const ordered_json& member(const ordered_json& v, const char* name) {
  MONOGRAPH_CHECK(v.is_object(), Value, "expected an object with \"", name, "\", but got ", shown(v));
  const auto found = v.find(name);
  MONOGRAPH_CHECK(found != v.end(), Value, "an object lacks \"", name, "\"");
  return *found;
}
const std::string& word(const ordered_json& v) {
  MONOGRAPH_CHECK(v.is_string(), Value, "expected a text, but got ", shown(v));
  return v.get_ref<const std::string&>();
}
const std::string& word(const ordered_json& v, const char* name) {
  const ordered_json& found = member(v, name);
  MONOGRAPH_CHECK(found.is_string(), Value, "expected a text as \"", name, "\", but got ", shown(found));
  return word(found);
}
const ordered_json& items_of(const ordered_json& v, const char* name) {
  const ordered_json& found = member(v, name);
  MONOGRAPH_CHECK(found.is_array(), Value, "expected a list as \"", name, "\", but got ", shown(found));
  return found;
}
bool flag(const ordered_json& v, const char* name) {
  if (!v.contains(name)) return false;
  const ordered_json& found = member(v, name);
  MONOGRAPH_CHECK(found.is_boolean(), Value, "expected true or false as \"", name, "\", but got ", shown(found));
  return found.get<bool>();
}

void write_argument(std::string& out, const ordered_json& v, int depth = 0) {
  MONOGRAPH_CHECK(depth <= kMaxArgDepth, Value, "an argument nests deeper than ", kMaxArgDepth);
  auto parts = [&](const ordered_json& list, std::string_view open, std::string_view close) {
    out += open;
    for (size_t i = 0; i < list.size(); ++i) out += i ? ", " : "", write_argument(out, list.at(i), depth + 1);
    out += close;
  };
  if (v.is_null()) return void(out += "None");
  if (v.is_boolean()) return void(out += v.get<bool>() ? "True" : "False");
  if (v.is_number_float()) return print_float(out, v.get<double>());
  if (v.is_number()) return void(out += v.dump());
  if (v.is_string()) return print_quoted(out, v.get_ref<const std::string&>());
  if (v.is_array()) return parts(v, "[", "]");
  if (v.contains("node")) return void(out += "%" + word(v, "node"));
  if (v.contains("literal")) return void(out += word(v, "literal"));
  if (v.contains("tuple")) return parts(items_of(v, "tuple"), "(", items_of(v, "tuple").size() == 1 ? ",)" : ")");
  if (v.contains("slice")) return parts(items_of(v, "slice"), "slice(", ")");
  MONOGRAPH_CHECK(v.contains("dict"), Value, "expected an argument, but got ", shown(v));
  const ordered_json& dict = items_of(v, "dict");
  out += "{";
  for (size_t i = 0; i < dict.size(); ++i)
    write_argument(out, dict.at(i), depth + 1), out += i % 2 ? (i + 1 < dict.size() ? ", " : "") : ": ";
  out += "}";
}

// A count or position; the library converts any number to any other.
template <class T>
T whole(const ordered_json& v) {
  MONOGRAPH_CHECK(v.is_number_unsigned() && v.get<uint64_t>() <= std::numeric_limits<T>::max(), Value, "expected a whole number, but got ",
                  shown(v));
  return static_cast<T>(v.get<uint64_t>());
}

std::string annotation(const ordered_json& v) {
  Span s;
  uint32_t call = 0;
  if (v.contains("span")) {
    const ordered_json& a = items_of(v, "span");
    MONOGRAPH_CHECK(a.size() == 5 || a.size() == 6, Value, "a span is a file and four or five numbers, not ", a.size(), " things");
    s = {intern_file(word(a.at(0))), whole<uint32_t>(a.at(1)), whole<uint32_t>(a.at(2)), whole<uint32_t>(a.at(3)),
         whole<uint32_t>(a.at(4))};
    if (a.size() == 6) call = whole<uint32_t>(a.at(5));
  }
  std::string out;
  print_span(out, s, call, v.contains("scope") ? word(v, "scope") : "");
  return out;
}

std::string type_of_json(const ordered_json& v) {
  if (!v.contains("type")) return "";
  return (flag(v, "declared") ? " :! " : " : ") + word(v, "type");
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
    const ordered_json& format = member(root_, "format");
    MONOGRAPH_CHECK(format == kFormat, Value, wrong_format("JSON", shown(format)));
    const ordered_json &nodes = items_of(root_, "nodes"), &blocks = items_of(root_, "blocks");
    MONOGRAPH_CHECK(!blocks.empty(), Value, "it has no blocks");
    in_block_.resize(blocks.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      const size_t block = whole<size_t>(member(nodes.at(i), "block"));
      MONOGRAPH_CHECK(block < blocks.size(), Value, "node ", i, " is in block ", block, " of ", blocks.size());
      in_block_[block].push_back(&nodes.at(i));
    }
    for (size_t b = 1; b < blocks.size(); ++b) children_[word(blocks.at(b), "owner")].push_back(b);
    out_ = word(root_, "symbols") + "graph " + quoted(word(root_, "name")) + "[level=" + word(root_, "level") +
           ", dialect=" + word(root_, "dialect") + "]";
    body();
    for (const auto& g : items_of(root_, "guards")) {
      out_ += "guard " + (g.contains("value") ? "%" + word(g, "value") : "sym(" + word(g, "size") + ")") + " == ";
      write_argument(out_, member(g, "expected"));
      out_ += " " + quoted(word(g, "expression")) + annotation(g) + "\n";
    }
    if (root_.contains("relied_on"))
      for (const auto& line : items_of(root_, "relied_on")) out_ += "relied_on " + quoted(word(line)) + "\n";
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
      MONOGRAPH_CHECK(!entered[block], Value, "block ", block, " lies in two nodes of one name");
      entered[block] = true;
      if (siblings) out_ += concat("block", index);
      stack.push_back({block, parameters(block), siblings, index});
    };
    enter(0, nullptr, 0);
    while (!stack.empty()) {
      Frame& f = stack.back();
      const auto& list = in_block_[f.block];
      if (f.next == list.size()) {
        if (f.siblings && (list.empty() || word(*list.back(), "op") != "output")) out_ += "end\n";
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
      if (auto found = children_.find(word(n, "name")); found != children_.end() && word(n, "op") != "output")
        enter(found->second[0], &found->second, 0);
    }
  }

  size_t parameters(size_t block) {
    const auto& list = in_block_[block];
    size_t count = 0;
    out_ += "(";
    std::string note;
    for (; count < list.size() && word(*list[count], "op") == "placeholder"; ++count) {
      const ordered_json& p = *list[count];
      if (count) out_ += "," + note + "\n";
      out_ += "%" + word(p, "name") + "[target=" + quoted(word(p, "target")) + "]" + type_of_json(p);
      if (const ordered_json& args = items_of(p, "args"); !args.empty()) out_ += " = ", write_argument(out_, args.at(0));
      note = annotation(p);
    }
    out_ += "):" + note + "\n";
    return count;
  }

  void arguments(const ordered_json& n) {
    out_ += "(";
    bool first = true;
    for (const auto& a : items_of(n, "args")) out_ += first ? "" : ", ", write_argument(out_, a), first = false;
    if (!n.contains("kwargs")) return void(out_ += ")");
    const ordered_json& named = member(n, "kwargs");
    MONOGRAPH_CHECK(named.is_object(), Value, "expected an object as \"kwargs\", but got ", shown(named));
    for (const auto& [key, v] : named.items())
      out_ += first ? "" : ", ", print_quoted(out_, key), out_ += "=", write_argument(out_, v), first = false;
    out_ += ")";
  }

  void node(const ordered_json& n, std::span<const ordered_json* const> results, bool root) {
    const std::string &op = word(n, "op"), &target = word(n, "target");
    if (op == "output") {
      out_ += root ? "return[name=" + quoted(word(n, "name")) + "] " : "-> ";
      arguments(n);
      out_ += type_of_json(n) + annotation(n) + "\n";
      return;
    }
    out_ += "%" + word(n, "name");
    if (flag(n, "multi")) {
      size_t at = 0, count = parse_elements(n);
      out_ += "(";
      for (size_t k = 0; k < count; ++k) {
        if (k) out_ += ", ";
        bool used = at < results.size() && whole<size_t>(member(*results[at], "result")) == k;
        out_ += used ? "%" + word(*results[at++], "name") : "_";
      }
      out_ += ")";
    }
    out_ += type_of_json(n) + " = " + (op == "call_function" ? quoted(target) : op + "[" + quoted(target) + "]");
    if (n.contains("overload")) out_ += "{" + quoted(word(n, "overload")) + "}";
    arguments(n);
    out_ += annotation(n) + "\n";
  }
  // The arity of a multi node lies in its type.
  size_t parse_elements(const ordered_json& n) {
    if (symbols_.empty()) read_symbols();
    size_t at = 0;
    const std::string& text = word(n, "type");
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

namespace {

// The classes, modules and root of a program in the text form, whose parser checks them.
std::string tables_text(const ordered_json& root) {
  std::string out;
  for (const auto& c : items_of(root, "classes")) {
    out += "class " + quoted(word(c, "name")) + (flag(c, "is_module") ? "(Module):\n" : ":\n");
    for (const auto& a : items_of(c, "attributes")) {
      const std::string& kind = word(a, "kind");
      MONOGRAPH_CHECK(is_identifier(kind), Value, "expected the kind of an attribute, but got ", shown(member(a, "kind")));
      out += "  " + kind + " " + quoted(word(a, "name"));
      if (a.contains("type")) out += " : " + word(a, "type");
      out += !a.contains("persistent") || flag(a, "persistent") ? "\n" : " [persistent=False]\n";
    }
    for (const auto& m : items_of(c, "methods")) out += "  method " + quoted(word(m)) + "\n";
  }
  const ordered_json& modules = items_of(root, "modules");
  std::unordered_map<std::string, const ordered_json*> classes;
  for (const auto& c : items_of(root, "classes")) classes[word(c, "name")] = &c;
  const auto number = [&](const ordered_json& v) {
    const auto at = whole<size_t>(v);
    MONOGRAPH_CHECK(at < modules.size(), Value, "there is no module ", at, " among ", modules.size());
    return concat("m", at);
  };
  for (size_t k = 0; k < modules.size(); ++k) {
    const ordered_json& m = modules.at(k);
    const auto of = classes.find(word(m, "class"));
    MONOGRAPH_CHECK(of != classes.end(), Value, "there is no class ", word(m, "class"));
    const ordered_json &attributes = items_of(*of->second, "attributes"), &values = items_of(m, "values");
    MONOGRAPH_CHECK(attributes.size() == values.size(), Value, "a module has ", values.size(), " values, its class ", attributes.size(),
                    " attributes");
    const bool training = !m.contains("training") || flag(m, "training");
    out += concat("module m", k, " : ", quoted(word(m, "class")), training ? ":\n" : "[training=False]:\n");
    for (size_t i = 0; i < values.size(); ++i) {
      out += "  " + quoted(word(attributes.at(i), "name")) + " = ";
      const ordered_json& v = values.at(i);
      if (v.is_object() && v.contains("module")) out += number(member(v, "module"));
      else write_argument(out, v);
      out += "\n";
    }
  }
  if (root.contains("root")) out += "root " + number(member(root, "root")) + "\n";
  return out;
}

ordered_json parsed_json(std::string_view text, std::string_view wrong) {
  try {
    return ordered_json::parse(text);
  } catch (const nlohmann::json::parse_error& e) {
    fail(ErrorKind::Value, wrong, e.byte > text.size() ? "the text ends too early" : concat("byte ", e.byte, " is not JSON"));
  } catch (const nlohmann::json::exception&) {
    fail(ErrorKind::Value, wrong, "it holds a number that nothing can hold");
  }
}

constexpr std::string_view kWrongGraph = "the JSON of a graph is not valid: ";

std::string graph_text(const ordered_json& root) {
  try {
    return JsonReader(root).text();
  } catch (const Error& e) {
    fail(e.kind(), kWrongGraph, e.what());
  }
}

}  // namespace

std::unique_ptr<Graph> graph_from_json(std::string_view text) { return parse_graph(graph_text(parsed_json(text, kWrongGraph))); }

std::unique_ptr<Unit> unit_from_json(std::string_view text) {
  const ordered_json root = parsed_json(text, kWrongGraph);
  if (!root.is_object() || !root.contains("functions")) {
    auto unit = std::make_unique<Unit>();
    unit->add_function(parse_graph(graph_text(root)));
    return unit;
  }
  std::string program = concat("monograph ", kFormat, "\n");
  try {
    const ordered_json& format = member(root, "format");
    MONOGRAPH_CHECK(format == kFormat, Value, wrong_format("JSON", shown(format)));
    program += tables_text(root);
  } catch (const Error& e) {
    fail(e.kind(), "the JSON of a graph file is not valid: ", e.what());
  }
  for (const auto& function : items_of(root, "functions")) program += graph_text(function);
  return parse_unit(program);
}

}  // namespace monograph::ir
