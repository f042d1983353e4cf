// Reads types from the expressions of annotations, and from their text where they are quoted. Type variables of a schema are bound by walking its type and an
// argument's type side by side.
#include "capture/script/types.h"

#include <algorithm>

#include "capture/script/parser.h"

namespace monograph::capture::script {

using ir::Type;
using ir::TypeKind;

namespace {

struct Reader {
  const SourceText& source;
  const std::function<Type(const Expr&)>& named;

  [[noreturn]] void wrong(const Expr& e, std::string_view why) const {
    raise_at(source, e.range, concat("'", source.at(e.range).substr(0, 80), "' is not a type of a script", why.empty() ? "" : ": ", why));
  }

  Type read(const Expr& e) const {
    switch (e.kind) {
      case SyntaxKind::None: return TypeKind::None;
      case SyntaxKind::Name: return name(e);
      case SyntaxKind::Attribute: return name(e);
      case SyntaxKind::Subscript: return generic(e);
      case SyntaxKind::Binary:
        if (e.text == "|") {
          const Type both[] = {read(*e.parts[0]), read(*e.parts[1])};
          return Type::unite(both);
        }
        break;
      case SyntaxKind::Tuple:
        if (e.parts.empty()) return Type::tuple({});
        break;
      case SyntaxKind::String: {
        // In a text of its own: its places are not those of the file.
        SourceText inside(e.text, "annotation");
        return text(e, inside);
      }
      default: break;
    }
    wrong(e, "");
  }
  Type text(const Expr& e, const SourceText& inside) const;

  // Generated code of torch.fx calls typing.Dict typing_Dict.
  static std::string_view without_module(const Expr& e) {
    std::string_view word = e.text;
    if (e.kind == SyntaxKind::Name && word.starts_with("typing_")) word.remove_prefix(7);
    return word;
  }

  Type name(const Expr& e) const {
    const std::string_view word = without_module(e);
    static constexpr std::pair<std::string_view, TypeKind> kNames[] = {{"Tensor", TypeKind::Tensor},
                                                                       {"int", TypeKind::Int},
                                                                       {"float", TypeKind::Float},
                                                                       {"bool", TypeKind::Bool},
                                                                       {"str", TypeKind::Str},
                                                                       {"complex", TypeKind::Complex},
                                                                       {"number", TypeKind::Number},
                                                                       {"Any", TypeKind::Any},
                                                                       {"device", TypeKind::Device},
                                                                       {"Device", TypeKind::Device},
                                                                       {"dtype", TypeKind::DType},
                                                                       {"layout", TypeKind::Layout},
                                                                       {"memory_format", TypeKind::MemoryFormat},
                                                                       {"Generator", TypeKind::Generator},
                                                                       {"NoneType", TypeKind::None}};
    if (e.kind == SyntaxKind::Name ||
        (e.parts[0]->kind == SyntaxKind::Name && (e.parts[0]->text == "torch" || e.parts[0]->text == "typing")))
      for (const auto& [known, kind] : kNames)
        if (known == word) return kind;
    if (names_old_tensor(e)) return TypeKind::Tensor;
    if (Type t = named(e)) return t;
    if (word == "list" || word == "List") wrong(e, "say what it holds, for example List[int]");
    if (word == "dict" || word == "Dict") wrong(e, "say what it holds, for example Dict[str, Tensor]");
    if (word == "tuple" || word == "Tuple") wrong(e, "say what it holds, for example Tuple[Tensor, int]");
    wrong(e, "");
  }

  Type generic(const Expr& e) const {
    const Expr &base = *e.parts[0], &inside = *e.parts[1];
    const std::string_view word = without_module(base);
    if (base.kind != SyntaxKind::Name && base.kind != SyntaxKind::Attribute) wrong(e, "");
    const std::vector<const Expr*> parts = inside.kind == SyntaxKind::Tuple
                                               ? std::vector<const Expr*>(inside.parts.begin(), inside.parts.end())
                                               : std::vector<const Expr*>{&inside};
    auto count = [&](size_t n) {
      if (parts.size() != n) wrong(e, concat(word, " takes ", n, n == 1 ? " type" : " types"));
    };
    if (word == "Optional") return count(1), Type::optional(read(*parts[0]));
    if (word == "List" || word == "list" || word == "Sequence") return count(1), Type::list(read(*parts[0]));
    if (word.starts_with("BroadcastingList")) return count(1), Type::list(read(*parts[0]));
    if (word == "Final") return count(1), read(*parts[0]);
    if (word == "Future") return count(1), Type::future(read(*parts[0]));
    if (word == "Dict" || word == "dict") {
      count(2);
      const Type key = read(*parts[0]);
      if (!may_be_key(key)) wrong(*parts[0], "the keys of a dict are str, int, float, complex, bool or Tensor");
      return Type::dict(key, read(*parts[1]));
    }
    if (word == "Callable") return TypeKind::Any;  // a function is known by itself
    std::vector<Type> types;
    for (const Expr* part : parts) {
      if (part->kind == SyntaxKind::Ellipsis) wrong(e, "the length of a tuple is part of its type; use a List");
      if (part->kind == SyntaxKind::Tuple && part->parts.empty()) continue;
      types.push_back(read(*part));
    }
    if (word == "Tuple" || word == "tuple") return Type::tuple(types);
    if (word == "Union") return Type::unite(types);
    wrong(e, "");
  }
};

Type Reader::text(const Expr& e, const SourceText& inside) const {
  Tree tree;
  Expr* parsed = nullptr;
  try {
    parsed = parse_expression(inside, {0, static_cast<uint32_t>(inside.text().size())}, tree);
    return Reader{inside, named}.read(*parsed);
  } catch (const Error&) {
    wrong(e, "");
  }
}

}  // namespace

Type type_of_annotation(const SourceText& source, const Expr& annotation, const std::function<Type(const Expr&)>& named) {
  return Reader{source, named}.read(annotation);
}

Type widened(Type type) {
  if (!type) return type;
  if (type.is(TypeKind::Tensor)) return TypeKind::Tensor;
  if (type.is(TypeKind::SymInt)) return TypeKind::Int;
  if (type.is(TypeKind::SymFloat)) return TypeKind::Float;
  if (type.is(TypeKind::SymBool)) return TypeKind::Bool;
  std::vector<Type> parts;
  for (Type part : type.elements()) parts.push_back(widened(part));
  if (type.is(TypeKind::List)) return Type::list(parts[0]);
  if (type.is(TypeKind::Optional)) return Type::optional(parts[0]);
  if (type.is(TypeKind::Dict)) return Type::dict(parts[0], parts[1]);
  if (type.is(TypeKind::Tuple)) return Type::tuple(parts);
  if (type.is(TypeKind::Union)) return Type::unite(parts);
  return type;
}

bool may_be_key(Type type) {
  constexpr TypeKind kKinds[] = {TypeKind::Str, TypeKind::Int, TypeKind::Float, TypeKind::Complex, TypeKind::Bool, TypeKind::Tensor};
  return std::ranges::any_of(kKinds, [&](TypeKind kind) { return type.is(kind); });
}

std::string spelled(Type type) {
  if (!type) return "unknown";
  auto parts = [&] {
    std::string text;
    for (Type part : type.elements()) text += (text.empty() ? "" : ", ") + spelled(part);
    return text;
  };
  switch (type.kind()) {
    case TypeKind::Tensor: return "Tensor";
    case TypeKind::SymInt: return "int";
    case TypeKind::SymFloat: return "float";
    case TypeKind::SymBool: return "bool";
    case TypeKind::None: return "None";
    case TypeKind::List: return concat("List[", parts(), "]");
    case TypeKind::Optional: return concat("Optional[", parts(), "]");
    case TypeKind::Dict: return concat("Dict[", parts(), "]");
    case TypeKind::Tuple: return concat("Tuple[", type.elements().empty() ? "()" : parts(), "]");
    case TypeKind::Union: return concat("Union[", parts(), "]");
    case TypeKind::Number: return "number";
    case TypeKind::DType: return "dtype";
    case TypeKind::NamedTuple:
    case TypeKind::Class:
    case TypeKind::Enum: return type.name().substr(type.name().rfind('.') + 1);
    default: return to_string(type);
  }
}

bool names_old_tensor(const Expr& e) {
  static constexpr std::string_view kNames[] = {"FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "ByteTensor",
                                                "CharTensor",  "ShortTensor",  "IntTensor",  "LongTensor",     "BoolTensor"};
  const bool of_torch = e.kind == SyntaxKind::Attribute && e.parts[0]->kind == SyntaxKind::Name && e.parts[0]->text == "torch";
  return of_torch && std::ranges::find(kNames, e.text) != std::end(kNames);
}

size_t broadcast_length(const Expr& e) {
  if (e.kind != SyntaxKind::Subscript) return 0;
  constexpr std::string_view kName = "BroadcastingList";
  const std::string& word = e.parts[0]->text;
  if (word == "Optional") return broadcast_length(*e.parts[1]);
  const bool named = word.size() == kName.size() + 1 && word.starts_with(kName) && word.back() >= '1' && word.back() <= '9';
  return named ? static_cast<size_t>(word.back() - '0') : 0;
}

bool has_variables(Type type) {
  if (!type) return false;
  if (type.is(TypeKind::Variable)) return true;
  return std::ranges::any_of(type.elements(), has_variables);
}

bool TypeVariables::match(Type formal, Type actual) {
  if (!formal || !actual) return true;
  if (formal.is(TypeKind::Variable)) {
    for (auto& [name, type] : known_) {
      if (name != formal.name()) continue;
      return is_subtype(widened(actual), type);
    }
    known_.emplace_back(formal.name(), widened(actual));
    return true;
  }
  if (formal.is(TypeKind::Optional) && !actual.is(TypeKind::Optional)) return actual.is(TypeKind::None) || match(formal.element(), actual);
  if (formal.kind() != actual.kind() || formal.elements().size() != actual.elements().size()) return true;
  for (size_t k = 0; k < formal.elements().size(); ++k)
    if (!match(formal.elements()[k], actual.elements()[k])) return false;
  return true;
}

Type TypeVariables::substitute(Type type) const {
  if (!type || !has_variables(type)) return type;
  if (type.is(TypeKind::Variable)) {
    for (const auto& [name, known] : known_)
      if (name == type.name()) return known;
    return {};
  }
  std::vector<Type> parts;
  for (Type part : type.elements()) {
    parts.push_back(substitute(part));
    if (!parts.back()) return {};
  }
  if (type.is(TypeKind::List)) return Type::list(parts[0]);
  if (type.is(TypeKind::Optional)) return Type::optional(parts[0]);
  if (type.is(TypeKind::Dict)) return Type::dict(parts[0], parts[1]);
  if (type.is(TypeKind::Tuple)) return Type::tuple(parts);
  return {};
}

}  // namespace monograph::capture::script
