// Types in the words of error messages: `a float32 tensor with 2 dimensions`. A type that has no common word is written as in the text form.
#include "ir/words.h"

#include <algorithm>

#include "core/dtype.h"
#include "core/error.h"
#include "core/symint.h"

namespace monograph::ir {

namespace {

std::string tensor_in_words(const TensorType& t) {
  std::string text = t.dtype ? concat("a ", name(*t.dtype), " tensor") : "a tensor";
  if (!t.sizes) return text;
  const bool some = std::ranges::any_of(*t.sizes, [](const auto& size) { return size && size->is_int(); });
  if (!some) return concat(text, " with ", t.sizes->size(), t.sizes->size() == 1 ? " dimension" : " dimensions");
  text += " of size [";
  for (size_t d = 0; d < t.sizes->size(); ++d) {
    const auto& size = (*t.sizes)[d];
    text += concat(d ? ", " : "", size && size->is_int() ? to_string(*size) : "*");
  }
  return text + "]";
}

}  // namespace

std::string with_article(std::string_view noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiouAEIOU").find(noun[0]) != std::string_view::npos;
  return concat(vowel ? "an " : "a ", noun);
}

std::string in_words(Type type) {
  if (!type) return "a value of unknown type";
  switch (type.kind()) {
    case TypeKind::Tensor: return tensor_in_words(type.tensor());
    case TypeKind::Int:
    case TypeKind::SymInt: return "an int";
    case TypeKind::Float:
    case TypeKind::SymFloat: return "a float";
    case TypeKind::Bool:
    case TypeKind::SymBool: return "a bool";
    case TypeKind::Str: return "a str";
    case TypeKind::None: return "None";
    case TypeKind::Optional: return concat(in_words(type.element()), " or None");
    case TypeKind::List:
      if (type.element().is(TypeKind::Int) || type.element().is(TypeKind::SymInt)) return "a list of ints";
      break;
    case TypeKind::Tuple: return concat("a tuple of ", type.elements().size());
    default: break;
  }
  return to_string(type);
}

}  // namespace monograph::ir
