// The types of attributes as libtorch spells them: module.register_attribute("sizes", c10::ListType::ofInts(), value). monograph/torch.h gives them the
// namespaces torch, at and c10.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "monograph/types.h"

MONOGRAPH_API_BEGIN

namespace jit {

// The name of a class in an archive: "__torch__.model.Net".
class QualifiedName {
 public:
  explicit QualifiedName(std::string text) : text_(std::move(text)) {}
  const std::string& qualifiedName() const { return text_; }
  std::string name() const { return text_.substr(text_.rfind('.') + 1); }  // "Net"
  std::string prefix() const { return text_.find('.') == std::string::npos ? "" : text_.substr(0, text_.rfind('.')); }

 private:
  std::string text_;
};

// A type of TorchScript. str() is its name in Python: "Dict[str, Tensor]".
class Type {
 public:
  explicit Type(std::string text) : text_(std::move(text)) {}
  // Of a class; nullopt of any other type.
  std::optional<QualifiedName> name() const {
    if (text_.starts_with("__torch__")) return QualifiedName(text_);
    return {};
  }
  const std::string& str() const { return text_; }
  const std::string& annotation_str() const { return text_; }
  bool operator==(const Type& other) const { return text_ == other.text_; }

 private:
  std::string text_;
};
using TypePtr = std::shared_ptr<const Type>;

namespace detail {
inline TypePtr type_of_text(std::string text) { return std::make_shared<const Type>(std::move(text)); }
}  // namespace detail

struct TensorType {
  static TypePtr get() { return detail::type_of_text("Tensor"); }
};
struct IntType {
  static TypePtr get() { return detail::type_of_text("int"); }
};
struct FloatType {
  static TypePtr get() { return detail::type_of_text("float"); }
};
struct ComplexType {
  static TypePtr get() { return detail::type_of_text("complex"); }
};
struct BoolType {
  static TypePtr get() { return detail::type_of_text("bool"); }
};
struct StringType {
  static TypePtr get() { return detail::type_of_text("str"); }
};
struct NoneType {
  static TypePtr get() { return detail::type_of_text("None"); }
};
struct ListType {
  static TypePtr create(const TypePtr& element) { return detail::type_of_text("List[" + element->str() + "]"); }
  static TypePtr ofTensors() { return create(TensorType::get()); }
  static TypePtr ofInts() { return create(IntType::get()); }
  static TypePtr ofFloats() { return create(FloatType::get()); }
  static TypePtr ofBools() { return create(BoolType::get()); }
  static TypePtr ofStrings() { return create(StringType::get()); }
};
struct OptionalType {
  static TypePtr create(const TypePtr& element) { return detail::type_of_text("Optional[" + element->str() + "]"); }
  static TypePtr ofTensor() { return create(TensorType::get()); }
};
struct DictType {
  static TypePtr create(const TypePtr& key, const TypePtr& value) {
    return detail::type_of_text("Dict[" + key->str() + ", " + value->str() + "]");
  }
};
struct TupleType {
  static TypePtr create(const std::vector<TypePtr>& elements) {
    std::string text;
    for (const TypePtr& element : elements) text += (text.empty() ? "" : ", ") + element->str();
    return detail::type_of_text("Tuple[" + (text.empty() ? "()" : text) + "]");
  }
};

}  // namespace jit

MONOGRAPH_API_END
