// Types of a script: read from annotations, asked whether a value may stand where another is expected.
#pragma once

#include <functional>
#include <optional>

#include "capture/script/syntax.h"
#include "ir/schema.h"
#include "ir/type.h"

namespace monograph::capture::script {

// The type that an expression writes. `named` answers names that are no type of Python's or typing's; null where there is none.
// Error (Runtime) with the line where it is no type of a script.
ir::Type type_of_annotation(const SourceText& source, const Expr& annotation, const std::function<ir::Type(const Expr&)>& named);

// The type without what is known of tensors: what a variable of it may hold later.
ir::Type widened(ir::Type type);
// Whether the keys of a dict may have the type. Tensors are keys by their identity.
bool may_be_key(ir::Type type);
// As annotations write it: "Optional[Tensor]", "List[int]".
std::string spelled(ir::Type type);

// What stands for the type variables of a schema, from the types of its arguments.
class TypeVariables {
 public:
  // False where the variable stands for something else already.
  bool match(ir::Type formal, ir::Type actual);
  ir::Type substitute(ir::Type type) const;

 private:
  std::vector<std::pair<std::string, ir::Type>> known_;
};
bool has_variables(ir::Type type);

// Whether it names an old type of tensors: torch.FloatTensor, as which an annotation says Tensor.
bool names_old_tensor(const Expr& e);

// Of BroadcastingList2[int], and an Optional of it: 2, the length of the list that one number becomes; 0 of another annotation.
size_t broadcast_length(const Expr& annotation);

}  // namespace monograph::capture::script
