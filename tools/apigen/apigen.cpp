// Writes the public API's functions and methods from the records of the operators: methods.inc (the members of Tensor), functions.inc (the
// functions) and functions.cpp (what they do).
//
//   apigen FOLDER PACKAGE    a file whose text stays the same is not touched, so that nothing is compiled again for it
//
// functional.inc is nn::functional, and init.inc is nn::init (functional.cpp), for which PACKAGE, the Python package, is read.
//
// One overload of a record is one C++ function: the schema's arguments in their order, keyword-only ones too, with its defaults. What takes
// dtype, layout, device and pin_memory takes one Options; out= forms are NAME_out with the written tensors first, as in ATen. Where a call fits
// two overloads, Python takes the first of the record; in C++ the later one is a template, which loses to a function that fits as well.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "functional.h"
#include "ir/arg.h"
#include "ops/registry.h"

using namespace monograph;
using ir::ArgKind;
using ir::TypeKind;

namespace {

struct CppParameter {
  std::string type, name, fallback;  // fallback: its default in C++; "" where there is none
  std::string values;  // what api::call gets for it
  std::string accepts;  // a letter for each kind of C++ value that it takes
  bool is_out = false, is_self = false;
};

struct CppType {
  std::string type, accepts;  // "" where C++ has none
};

CppType cpp_type(const ir::Argument& a) {
  const bool optional = a.type.is(TypeKind::Optional);
  const ir::Type type = optional ? a.type.element() : a.type;
  auto plain = [&](const char* name, const char* accepts) {
    return CppType{optional ? std::string("std::optional<") + name + ">" : std::string(name), accepts};
  };
  switch (type.kind()) {
    case TypeKind::Tensor: return {"const Tensor&", "t"};
    case TypeKind::Number: return optional ? plain("Scalar", "bif") : CppType{"const Scalar&", "bif"};
    case TypeKind::Int:
    case TypeKind::SymInt: return plain("Int", "i");
    case TypeKind::Float: return plain("Float", "if");
    case TypeKind::Bool: return plain("Flag", "b");
    case TypeKind::Str: return optional ? CppType{"const std::optional<std::string>&", "s"} : CppType{"const std::string&", "s"};
    case TypeKind::DType: return plain("Dtype", "d");
    case TypeKind::Device: return plain("Device", "c");
    case TypeKind::MemoryFormat: return plain("MemoryFormat", "m");
    case TypeKind::Generator: return {"const std::optional<Generator>&", "g"};
    case TypeKind::List: break;
    default: return {};
  }
  const ir::Type element = type.element();
  if (element.is(TypeKind::Int) || element.is(TypeKind::SymInt)) {
    if (optional) return {"const OptionalInts&", "il"};
    return {a.list_size > 0 ? "const IntOrInts&" : "const Ints&", "il"};
  }
  const bool tensors = element.is(TypeKind::Tensor) || (element.is(TypeKind::Optional) && element.element().is(TypeKind::Tensor));
  if (tensors && !optional) return {"const std::vector<Tensor>&", "T"};
  if (element.is(TypeKind::Float)) return {optional ? "const std::optional<std::vector<double>>&" : "const std::vector<double>&", "F"};
  return {};
}

std::string floating(double v) {
  std::ostringstream out;
  out.precision(17);
  out << v;
  return out.str();
}

std::string cpp_default(const ir::Argument& a) {
  if (!a.default_value) return "";
  const ir::ArgRef v = (*a.default_value)[0];
  switch (v.kind()) {
    case ArgKind::Bool: return v.as_bool() ? "true" : "false";
    case ArgKind::Int: return std::to_string(v.as_int());
    case ArgKind::Float: return floating(v.as_float());
    case ArgKind::Str: return "\"" + v.as_str() + "\"";
    case ArgKind::MemoryFormat: return concat("static_cast<MemoryFormat>(", static_cast<int>(v.as_memory_format()), ")");
    case ArgKind::DType: return concat("static_cast<Dtype>(", static_cast<int>(v.as_dtype()), ")");
    case ArgKind::List: {
      std::string items;
      for (ir::ArgRef item : v) items += concat(items.empty() ? "" : ", ", item.as_int());
      return "{" + items + "}";
    }
    default: return "{}";  // None
  }
}

std::string cpp_name(const std::string& name) {
  static const std::set<std::string> kKeywords{"and",   "auto",     "bool", "case",    "char", "class",   "default", "delete",
                                               "do",    "double",   "else", "float",   "for",  "if",      "int",     "long",
                                               "new",   "not",      "or",   "private", "this", "true",    "try",     "signed",
                                               "short", "unsigned", "void", "while",   "xor",  "template"};
  return kKeywords.count(name) ? name + "_" : name;
}

struct CppFunction {
  const Operator* op = nullptr;
  std::string name, result;
  std::vector<CppParameter> parameters;
  bool made = false;  // takes Options
  bool is_template = false;
};

std::string result_type(const Operator& op) {
  const auto& returns = op.schema().returns();
  auto one = [](const ir::Type& t) -> std::string {
    switch (t.kind()) {
      case TypeKind::Tensor: return "Tensor";
      case TypeKind::Bool: return "bool";
      case TypeKind::Int:
      case TypeKind::SymInt: return "int64_t";
      case TypeKind::Float: return "double";
      case TypeKind::Number: return "Scalar";
      case TypeKind::DType: return "Dtype";
      case TypeKind::List: return t.element().is(TypeKind::Tensor) ? "std::vector<Tensor>" : "";
      default: return "";
    }
  };
  if (returns.empty()) return "void";
  if (returns.size() == 1) return one(returns[0].type);
  std::string all;
  for (const ir::Argument& r : returns) {
    if (one(r.type) != "Tensor") return "";
    all += all.empty() ? "Tensor" : ", Tensor";
  }
  return "std::tuple<" + all + ">";
}

// Whether the four arguments that PyTorch's factories share begin here.
bool begins_options(const std::vector<ir::Argument>& arguments, size_t at) {
  constexpr std::string_view kNames[] = {"dtype", "layout", "device", "pin_memory"};
  if (at + std::size(kNames) > arguments.size()) return false;
  for (size_t k = 0; k < std::size(kNames); ++k)
    if (arguments[at + k].name != kNames[k] || !arguments[at + k].type.is(TypeKind::Optional)) return false;
  return true;
}

// The function of an overload; false where C++ has no type for one of its parts.
bool function_of(const Operator& op, CppFunction& f) {
  f.op = &op, f.name = cpp_name(std::string(op.base_name())), f.result = result_type(op);
  if (f.result.empty()) return false;
  const auto& arguments = op.schema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (begins_options(arguments, i)) {
      f.parameters.push_back(
          {"const Options&", "options", "{}", "api::dtype_value(options), IValue(), api::device_value(options), IValue()", "d"});
      f.made = true, i += 3;
      continue;
    }
    const ir::Argument& a = arguments[i];
    CppType type = cpp_type(a);
    if (type.type.empty()) return false;
    const std::string name = cpp_name(a.name);
    f.parameters.push_back({type.type, name, cpp_default(a), name, type.accepts, a.out, i == 0 && a.name == "self"});
    if (a.out) f.name = std::string(op.base_name()) + "_out";
  }
  for (size_t k = f.parameters.size(); k-- > 1;)  // a default may stand only where all behind have one
    if (f.parameters[k].fallback.empty() && !f.parameters[k].is_out) f.parameters[k - 1].fallback.clear();
  return true;
}

// The parameters of the function, or of the method: without self.
std::vector<const CppParameter*> in_cpp_order(const CppFunction& f, bool method) {
  std::vector<const CppParameter*> order;
  for (const CppParameter& p : f.parameters)
    if (p.is_out) order.push_back(&p);
  for (const CppParameter& p : f.parameters)
    if (!p.is_out && !(method && p.is_self)) order.push_back(&p);
  return order;
}

std::string signature(const CppFunction& f, bool method, bool defaults) {
  std::string text;
  for (const CppParameter* p : in_cpp_order(f, method)) {
    text += concat(text.empty() ? "" : ", ", p->type, " ", p->name);
    if (defaults && !p->fallback.empty()) text += " = " + p->fallback;
  }
  return text;
}

bool may_meet(const CppParameter& a, const CppParameter& b) { return a.accepts.find_first_of(b.accepts) != std::string::npos; }

// Whether some call fits both.
bool overlap(const CppFunction& a, const CppFunction& b, bool method) {
  const auto x = in_cpp_order(a, method), y = in_cpp_order(b, method);
  auto required = [](const auto& list) {
    return static_cast<size_t>(std::count_if(list.begin(), list.end(), [](const CppParameter* p) { return p->fallback.empty(); }));
  };
  for (size_t n = std::max(required(x), required(y)); n <= std::min(x.size(), y.size()); ++n) {
    bool all = true;
    for (size_t k = 0; k < n; ++k) all = all && may_meet(*x[k], *y[k]);
    if (all) return true;
  }
  return false;
}

// Helpers are qualified: a parameter may have the name of any of them. All that a body does is in them, since there are thousands of bodies.
std::string body(const CppFunction& f, bool method) {
  std::string arguments = f.made ? ", options" : "";
  for (const CppParameter& p : f.parameters) arguments += ", " + (method && p.is_self ? std::string("*this") : p.values);
  return concat("{\n  static constinit NamedOverload callee_(\"", f.op->schema().full_name(),
                "\");\n  return api::", f.made ? "call_with" : "call", "<", f.result, ">(callee_", arguments, ");\n}\n");
}

// The namespaces that libtorch has for the modules torch.fft, torch.linalg and torch.special: linalg::norm is linalg_norm.
constexpr std::string_view kNamespaces[] = {"fft", "linalg", "special"};

// The namespace of such a function, and its name there; "" for any other function.
std::pair<std::string_view, std::string_view> name_in_namespace(std::string_view name) {
  for (std::string_view space : kNamespaces)
    if (name.starts_with(space) && name.substr(space.size()).starts_with("_")) return {space, name.substr(space.size() + 1)};
  return {};
}

struct Output {
  std::string methods, functions, code;
  std::map<std::string, std::string, std::less<>> spaces;  // what stands in each namespace

  void add(CppFunction f, bool method, std::vector<CppFunction>& before) {
    for (const CppFunction& other : before) {
      if (signature(other, method, false) == signature(f, method, false)) return;  // what differs is no C++ type
      f.is_template |= overlap(other, f, method);
    }
    const std::string head = f.is_template ? "template <class = void>\n" : "", tail = method ? " const" : "";
    std::string& declarations = method ? methods : functions;
    if (before.empty() && *f.op->doc) declarations += concat("// ", one_line(f.op->doc), "\n");
    declarations += concat(head, f.result, " ", f.name, "(", signature(f, method, true), ")", tail, ";\n");
    if (const auto [space, name] = name_in_namespace(f.name); !method && !space.empty()) {
      std::string arguments;
      for (const CppParameter* p : in_cpp_order(f, false)) arguments += (arguments.empty() ? "" : ", ") + p->name;
      spaces[std::string(space)] += concat(f.is_template ? head : "inline ", f.result, " ", name, "(", signature(f, false, true),
                                           ") { return api::", f.name, "(", arguments, "); }\n");
    }
    const char* where = method ? "Tensor::" : "";
    code += concat(f.is_template ? "template <class>\n" : "", f.result, " ", where, f.name, "(", signature(f, method, false), ")", tail,
                   " ", body(f, method));
    if (f.is_template) code += concat("template ", f.result, " ", where, f.name, "<void>(", signature(f, method, false), ")", tail, ";\n");
    before.push_back(std::move(f));
  }

  static std::string one_line(std::string_view text) {  // the sentences; what follows is about Python's arguments
    std::string line(text.substr(0, text.find("\n\n")));
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
  }
};

void write(const std::filesystem::path& path, const std::string& text) {
  std::ifstream in(path, std::ios::binary);
  if (in && std::string(std::istreambuf_iterator<char>(in), {}) == text) return;
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw InternalError(concat("cannot write ", path.string()));
}

int run(const std::filesystem::path& folder, const std::filesystem::path& package) {
  std::map<std::string, std::vector<CppFunction>> functions, methods;
  std::vector<std::string> names;
  Output out;
  std::string left_out;
  // By name, in the order of the records: the overloads of a name stand together.
  for (const auto& op : Registry::global().all())
    if (std::find(names.begin(), names.end(), op->schema().name()) == names.end()) names.push_back(op->schema().name());
  for (const auto& op : Registry::global().aliases())
    if (std::find(names.begin(), names.end(), op->schema().name()) == names.end()) names.push_back(op->schema().name());
  for (const std::string& name : names)
    for (const Operator* op : find_overloads(name).overloads) {
      if (!op->python_function && !op->python_method) continue;
      CppFunction f;
      if (!function_of(*op, f)) {
        left_out += concat("// Not here, for want of a C++ type; \"", name, "\"_op calls it: ", op->text, "\n");
        continue;
      }
      const bool has_self = !f.parameters.empty() && f.parameters[0].is_self, is_out = f.name != cpp_name(std::string(op->base_name()));
      if (op->python_method && has_self && !is_out) out.add(f, true, methods[f.name]);
      if (op->python_function) out.add(f, false, functions[f.name]);
    }
  const std::string made = "// Made by tools/apigen from the records of the operators; not edited by hand.\n";
  std::filesystem::create_directories(folder);
  write(folder / "methods.inc", made + out.methods);
  for (const auto& [space, text] : out.spaces) out.functions += concat("namespace ", space, " {\n", text, "}\n");
  write(folder / "functions.inc", made + out.functions + left_out);
  std::map<std::string, std::vector<apigen::Parameters>> parameters;
  for (const auto& [name, overloads] : functions)
    for (const CppFunction& f : overloads) {
      apigen::Parameters& list = parameters[name].emplace_back();
      for (const CppParameter* p : in_cpp_order(f, false)) list.emplace_back(p->name, !p->fallback.empty());
    }
  write(folder / "functional.inc", made + apigen::functional_text(package, parameters));
  write(folder / "init.inc", made + apigen::init_text(package));
  write(folder / "functions.cpp", made + "#include \"api/access.h\"\n\nMONOGRAPH_API_BEGIN\n\n" + out.code + "\nMONOGRAPH_API_END\n");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: apigen FOLDER PACKAGE\n"), 2;
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "apigen: %s\n", e.what());
    return 1;
  }
}
