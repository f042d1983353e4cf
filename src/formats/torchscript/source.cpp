// Definitions are found by their indentation, as PyTorch writes them: classes and functions are not indented, fields and methods by two spaces.
#include "formats/torchscript/source.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "formats/file.h"

namespace monograph::torchscript {
namespace {

struct CodeLine {
  std::string_view text;
  size_t begin = 0, end = 0;  // its bytes in the whole text, with the newline
  uint32_t number = 1;
  size_t indent() const { return std::min(text.find_first_not_of(' '), text.size()); }
  bool blank() const { return indent() == text.size(); }
};

std::vector<CodeLine> lines_of(std::string_view text) {
  std::vector<CodeLine> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out.push_back({text.substr(at, end - at), at, std::min(end + 1, text.size()), static_cast<uint32_t>(out.size() + 1)});
    at = end + 1;
  }
  return out;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\r')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

// The name between `word` and one of the characters that end it: "class NAME(", "def NAME(".
std::string name_behind(std::string_view text, std::string_view word) {
  text.remove_prefix(word.size());
  return std::string(trimmed(text.substr(0, text.find_first_of("(:"))));
}

// The strings of ["weight", "bias", ].
std::vector<std::string> strings_in(std::string_view text) {
  std::vector<std::string> out;
  for (size_t at = text.find('"'); at != std::string_view::npos;) {
    const size_t end = text.find('"', at + 1);
    if (end == std::string_view::npos) break;
    out.emplace_back(text.substr(at + 1, end - at - 1));
    at = text.find('"', end + 1);
  }
  return out;
}

SourceClass::Kind kind_of(std::string_view header) {
  const size_t open = header.find('(');
  const std::string_view base = open == std::string_view::npos ? "" : header.substr(open + 1, header.find(')') - open - 1);
  using Kind = SourceClass::Kind;
  return base == "Module"                                   ? Kind::Module
         : base == "NamedTuple"                             ? Kind::NamedTuple
         : base == "Enum"                                   ? Kind::Enum
         : base == "Interface" || base == "ModuleInterface" ? Kind::Interface
                                                            : Kind::Object;
}

// The line after a definition that begins at line `first`. Lines that are blank or indented deeper belong to it.
size_t end_of(const std::vector<CodeLine>& lines, size_t first) {
  size_t k = first + 1;
  while (k < lines.size() && (lines[k].blank() || lines[k].indent() > lines[first].indent())) ++k;
  return k;
}

SourceFunction function_of(const std::vector<CodeLine>& lines, size_t first, size_t end, std::string_view text, const std::string& file) {
  SourceFunction f;
  f.name = name_behind(lines[first].text.substr(lines[first].indent()), "def ");
  f.file = file, f.line = lines[first].number, f.begin = lines[first].begin;
  f.text = text.substr(lines[first].begin, lines[end - 1].end - lines[first].begin);
  return f;
}

// Reads a line of a class: `name : type`, `name : Final[type] = value`, `__annotations__["0"] = type`, or `NAME = value` in an Enum.
void add_field(SourceClass& c, std::string_view text) {
  constexpr std::string_view kAnnotation = "__annotations__[\"";  // for a name that is no identifier
  if (text.starts_with("__parameters__")) return void(c.parameters = strings_in(text));
  if (text.starts_with("__buffers__")) return void(c.buffers = strings_in(text));
  if (text.starts_with("__forward_pre_hooks__")) return void(c.pre_hooks = strings_in(text));
  if (text.starts_with("__forward_hooks__")) return void(c.hooks = strings_in(text));
  if (text.starts_with(kAnnotation)) {
    const size_t quote = text.find('"', kAnnotation.size()), equals = text.find('=', kAnnotation.size());
    if (quote == std::string_view::npos || equals == std::string_view::npos) return;
    return void(c.fields.push_back(
        {std::string(text.substr(kAnnotation.size(), quote - kAnnotation.size())), std::string(trimmed(text.substr(equals + 1))), ""}));
  }
  const size_t equals = text.find(" = "), colon = std::min(text.find(" : "), text.find(": "));
  if (colon == std::string_view::npos || colon > equals) {
    if (equals != std::string_view::npos)
      c.fields.push_back({std::string(trimmed(text.substr(0, equals))), "", std::string(trimmed(text.substr(equals + 3)))});
    return;
  }
  Field f;
  f.name = trimmed(text.substr(0, colon));
  std::string_view rest = text.substr(text.find(':', colon) + 1);
  if (const size_t value = rest.find(" = "); value != std::string_view::npos)
    f.value = trimmed(rest.substr(value + 3)), rest = rest.substr(0, value);
  f.type = trimmed(rest);
  c.fields.push_back(std::move(f));
}

// What a text of a function says of its inputs and its result.
struct Signature {
  std::vector<std::string> parameters;  // as they are written, self first
  std::string returns;
};
Signature signature_of(std::string_view text) {
  Signature out;
  int depth = 0;
  char quote = 0;
  size_t begin = text.find('(') + 1;
  for (size_t k = begin - 1; k < text.size(); ++k) {
    const char c = text[k];
    if (quote) {
      if (c == '\\') ++k;
      else if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth > 1 || (depth == 1 && c != ',')) continue;
    if (const std::string_view one = trimmed(text.substr(begin, k - begin)); !one.empty()) out.parameters.emplace_back(one);
    begin = k + 1;
    if (depth > 0) continue;
    const std::string_view rest = trimmed(text.substr(begin, text.find(":\n", begin) - begin));
    if (rest.starts_with("->")) out.returns = trimmed(rest.substr(2));
    break;
  }
  for (std::string& p : out.parameters) p = trimmed(p.substr(p.find_first_not_of(" \n")));
  return out;
}

// The method that runs the hooks of a module and its forward, as a call of the module does in PyTorch.
SourceFunction call_with_hooks(const SourceClass& c, const SourceFunction& forward) {
  const Signature signature = signature_of(forward.text);
  std::string parameters, inputs;
  std::vector<std::string> names;
  for (const std::string& p : signature.parameters) {
    parameters += concat(parameters.empty() ? "" : ", ", p);
    if (&p == &signature.parameters.front()) continue;
    names.emplace_back(trimmed(std::string_view(p).substr(0, p.find_first_of(":="))));
    inputs += concat(names.back(), ", ");
  }
  std::string text = concat("  def ", SourceClass::kCall, "(", parameters, "):\n");
  size_t count = 0;
  // A hook that gives None changes nothing.
  const auto add_hook = [&](const std::string& name, std::string_view arguments, auto&& take) {
    const SourceFunction* hook = c.find(name);
    std::string returns = hook ? signature_of(hook->text).returns : "";
    const std::string result = concat("_hook", count++);
    text += concat("    ", result, " = self.", name, "(", arguments, ")\n");
    if (returns == "NoneType" || returns == "None") return;
    constexpr std::string_view kOptional = "Optional[";
    const bool optional = returns.starts_with(kOptional);
    if (optional) text += concat("    if ", result, " is not None:\n"), returns.erase(0, kOptional.size());
    take(optional ? "      " : "    ", result, returns.starts_with("Tuple["));
  };
  for (const std::string& name : c.pre_hooks)
    add_hook(name, concat("(", inputs, ")"), [&](std::string_view indent, const std::string& result, bool tuple) {
      for (size_t k = 0; k < (tuple ? names.size() : 1) && k < names.size(); ++k)
        text += concat(indent, names[k], " = ", result, tuple ? concat("[", k, "]") : "", "\n");
    });
  text += concat("    _result = self.forward(", inputs, ")\n");
  for (const std::string& name : c.hooks)
    add_hook(name, concat("(", inputs, "), _result"),
             [&](std::string_view indent, const std::string& result, bool) { text += concat(indent, "_result = ", result, "\n"); });
  SourceFunction f;
  f.name = SourceClass::kCall, f.file = concat("the hooks of ", c.name), f.text = text + "    return _result\n";
  return f;
}

// "code/__torch__/torch/nn/functional.py" -> "__torch__.torch.nn.functional"
std::string prefix_of(const std::string& file) {
  std::string name = file.substr(file.starts_with("code/") ? 5 : 0);
  if (name.ends_with(".py")) name.resize(name.size() - 3);
  std::ranges::replace(name, '/', '.');
  return name;
}

}  // namespace

const SourceFunction* SourceClass::find(std::string_view method) const {
  for (const SourceFunction& f : methods)
    if (f.name == method) return &f;
  return nullptr;
}

void SourceIndex::add(const std::string& file, std::string_view text) {
  const std::vector<CodeLine> lines = lines_of(text);
  const std::string prefix = prefix_of(file);
  for (size_t k = 0; k < lines.size();) {
    const CodeLine& line = lines[k];
    if (line.blank() || line.text.starts_with("op_version_set")) {
      ++k;
      continue;
    }
    const size_t end = end_of(lines, k);
    if (line.text.starts_with("def ")) {
      SourceFunction f = function_of(lines, k, end, text, file);
      f.name = concat(prefix, ".", f.name);
      functions_.emplace(f.name, f);
    } else if (line.text.starts_with("class ")) {
      SourceClass c;
      c.name = concat(prefix, ".", name_behind(line.text, "class ")), c.kind = kind_of(line.text);
      c.file = file, c.line = line.number;
      for (size_t i = k + 1; i < end;) {
        if (lines[i].blank()) {  // a blank line has no indentation that could tell what belongs to it
          ++i;
          continue;
        }
        const size_t stop = end_of(lines, i);
        const std::string_view inside = trimmed(lines[i].text);
        if (inside.starts_with("def ")) c.methods.push_back(function_of(lines, i, stop, text, file));
        else add_field(c, inside);
        i = stop;
      }
      if (const SourceFunction* forward = c.find("forward"); forward && (!c.hooks.empty() || !c.pre_hooks.empty()))
        c.methods.push_back(call_with_hooks(c, *forward));
      if (c.kind != SourceClass::Kind::Module) c.text = text.substr(line.begin, lines[end - 1].end - line.begin);
      classes_.emplace(c.name, std::move(c));
    } else {
      fail(ErrorKind::File, file, ", line ", line.number, ": expected a class or function, but got ", shown(line.text.substr(0, 60)),
           "; the file is damaged");
    }
    k = end;
  }
}

const SourceClass* SourceIndex::find_class(std::string_view name) const {
  const auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : &found->second;
}
const SourceFunction* SourceIndex::find_function(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

bool SourceIndex::is_prefix(std::string_view name) const {
  const std::string with_dot = concat(name, ".");
  const auto starts = [&](const auto& map) {
    const auto at = map.lower_bound(with_dot);
    return at != map.end() && at->first.starts_with(with_dot);
  };
  return starts(classes_) || starts(functions_);
}

std::vector<std::string> operators_in(std::string_view text) {
  auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  auto word_at = [&](size_t at) {
    size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    return text.substr(at, end - at);
  };
  std::vector<std::string> out;
  std::set<std::string> seen;
  auto note = [&](std::string name) {
    if (seen.insert(name).second) out.push_back(std::move(name));
  };
  bool in_string = false;
  for (size_t k = 0; k < text.size(); ++k) {
    if (in_string) {
      if (text[k] == '\\') ++k;
      else in_string = text[k] != '"' && text[k] != '\n';
      continue;
    }
    if (text[k] == '"') {
      in_string = true;
      continue;
    }
    if (k > 0 && (is_word(text[k - 1]) || text[k - 1] == '.')) continue;
    if (text.substr(k).starts_with("torch.")) {
      const std::string_view name = word_at(k + 6);
      if (k + 6 + name.size() < text.size() && text[k + 6 + name.size()] == '(') note(concat("aten::", name));
    } else if (text.substr(k).starts_with("ops.")) {
      const std::string_view space = word_at(k + 4);
      const size_t dot = k + 4 + space.size();
      if (dot < text.size() && text[dot] == '.') note(concat(space, "::", word_at(dot + 1)));
    }
  }
  return out;
}

}  // namespace monograph::torchscript
