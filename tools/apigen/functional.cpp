// The names are PyTorch's list (_pytorch_names.py); what a function takes and gives is read from its `def` in nn/functional.py or nn/_losses.py. A function is
//
//   MONOGRAPH_PYTHON_FUNCTION    where the public API has no operator of this name, or one that takes its arguments in another order
//   MONOGRAPH_OPERATOR_FUNCTION  where the operator takes what it can, and Python's function the rest: FuncOptions, defaults that the operator lacks
#include "functional.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace monograph::apigen {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

struct PythonFunction {
  struct Parameter {
    std::string name, type;
    bool optional = false;
  };
  std::vector<Parameter> parameters;
  std::string returns;
};

std::string trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \n"), last = text.find_last_not_of(" \n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// `a: int = 1, b: dict[str, int]` at its commas that stand in no bracket.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c == ',' && depth == 0) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

std::map<std::string, PythonFunction> functions_of(const std::string& source) {
  std::map<std::string, PythonFunction> found;
  static const std::regex kHead(R"(\ndef ([a-z][a-z0-9_]*)\(([^)]*(?:\([^)]*\)[^)]*)*)\) -> ([^:\n]*):)");
  for (std::sregex_iterator at(source.begin(), source.end(), kHead), end; at != end; ++at) {
    PythonFunction f;
    f.returns = (*at)[3];
    for (const std::string& part : split((*at)[2])) {
      const size_t colon = part.find(':'), equals = part.find('=');
      if (colon == std::string::npos) continue;
      f.parameters.push_back(
          {trimmed(part.substr(0, colon)), trimmed(part.substr(colon + 1, equals - colon - 1)), equals != std::string::npos});
    }
    found.emplace((*at)[1], std::move(f));
  }
  // logsigmoid = _nn.log_sigmoid
  static const std::regex kAlias(R"(\n([a-z][a-z0-9_]*) = _nn\.[a-z])");
  for (std::sregex_iterator at(source.begin(), source.end(), kAlias), end; at != end; ++at)
    found.emplace((*at)[1], PythonFunction{{}, "Tensor"});
  return found;
}

// max_pool2d -> MaxPool2d, leaky_relu -> LeakyReLU, kl_div -> KLDiv. A word has capitals inside where the layer whose name begins so has two in a row.
std::string camel(const std::string& name, const std::vector<std::string>& layers) {
  std::vector<std::string> words(1);
  for (char c : name)
    if (c == '_') words.emplace_back();
    else words.back() += c;
  std::string letters;
  for (const std::string& word : words) letters += word;
  const auto is_upper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  const auto same = [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); };
  const auto layer = std::ranges::find_if(layers, [&](const std::string& l) {
    return l.size() >= letters.size() && std::equal(letters.begin(), letters.end(), l.begin(), same);
  });
  std::string text;
  for (std::string& word : words) {
    if (word.empty()) continue;
    const std::string spelled = layer == layers.end() ? "" : layer->substr(text.size(), word.size());
    const bool acronym = std::ranges::adjacent_find(spelled, [&](char a, char b) { return is_upper(a) && is_upper(b); }) != spelled.end();
    word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    text += acronym ? spelled : word;
  }
  return text;
}

// Whether the operator's leading parameters are those of Python's function, as far as a call without names goes.
bool same_order(const PythonFunction& f, const std::vector<Parameters>& overloads) {
  return std::ranges::any_of(overloads, [&](const Parameters& parameters) {
    for (size_t k = 0; k < f.parameters.size() && k < parameters.size(); ++k) {
      const std::string name = parameters[k].first == "self" ? "input" : parameters[k].first;
      if (name != f.parameters[k].name) return k > 0 && f.parameters[k].optional;
    }
    return true;
  });
}

// The names of a module in _pytorch_names.py.
std::vector<std::string> names_of(const std::string& source, const std::string& module) {
  const std::string begin = "\"" + module + "\": \"\"\"";
  const size_t at = source.find(begin), end = source.find("\"\"\"", at + begin.size());
  std::istringstream words(source.substr(at + begin.size(), end - at - begin.size()));
  return {std::istream_iterator<std::string>(words), {}};
}

}  // namespace

std::string init_text(const std::filesystem::path& package) {
  std::string text;
  for (const auto& [name, f] : functions_of(read(package / "nn" / "init.py")))
    if (f.returns == "Tensor") text += "MONOGRAPH_INIT_FUNCTION(" + name + ")\n";
  return text;
}

std::string functional_text(const std::filesystem::path& package, const std::map<std::string, std::vector<Parameters>>& functions) {
  std::map<std::string, PythonFunction> python = functions_of(read(package / "nn" / "functional.py"));
  python.merge(functions_of(read(package / "nn" / "_losses.py")));
  const std::string table = read(package / "_pytorch_names.py");
  const std::vector<std::string> layers = names_of(table, "torch.nn");
  std::string text;
  for (const std::string& name : names_of(table, "torch.nn.functional")) {
    const auto f = python.find(name);
    const auto operators = functions.find(name);
    if (f == python.end() && operators == functions.end()) continue;
    const std::string returns = f == python.end() ? "Tensor" : f->second.returns;
    const bool several = returns.starts_with("tuple[Tensor, Tensor");
    if (returns != "Tensor" && !several) continue;
    const bool by_operator = operators != functions.end() && (f == python.end() || same_order(f->second, operators->second));
    text += std::string(by_operator ? "MONOGRAPH_OPERATOR_FUNCTION(" : "MONOGRAPH_PYTHON_FUNCTION(") + (several ? "Tensors2" : "Tensor") +
            ", " + name + ")\n";
    if (name.back() != '_') text += "using " + camel(name, layers) + "FuncOptions = LayerOptions;\n";
  }
  return text;
}

}  // namespace monograph::apigen
