// FunctionSchema: the signature of an operator in PyTorch's schema language, and what follows from its alias marks.
//
//   aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor          pure
//   aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)  writes self; the result is self
//   aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)                            the result shares self's memory
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/arg.h"
#include "ir/type.h"

namespace monograph::ir {

// The mark in Tensor(a!), Tensor(a -> *), Tensor(a|b), Tensor(*). Sets are named by identifiers; "*" is the set of everything.
struct AliasMark {
  std::vector<std::string> before, after;  // after equals before where no arrow stands
  bool write = false;
  bool operator==(const AliasMark&) const = default;
};

struct Argument {
  std::string name;                    // of results often ""
  Type type;
  int list_size = -1;                  // N of int[N]: one number stands for N of them
  std::optional<Args> default_value;   // one argument
  bool enumerated_default = false;  // it is written as the name of a number: "Mean". PyTorch's Python functions read such a default as 0
  bool kwarg_only = false;
  bool out = false;  // a keyword-only argument that is written and returned
  std::optional<AliasMark> alias;  // of the value itself
  std::optional<AliasMark> element_alias;  // of the elements, in Tensor(a)[] and Tensor(a!)[]
  bool writes() const { return (alias && alias->write) || (element_alias && element_alias->write); }
};

// For which tensor arguments of an operator PyTorch takes a number too.
enum class NumbersAsTensors : uint8_t {
  None,
  First,  // beside a tensor: its overloads named Scalar_Tensor
  All,
};

class FunctionSchema {
 public:
  // Error (Value) with the column and what was expected.
  static FunctionSchema parse(std::string_view text);

  const std::string& name() const { return name_; }  // "aten::add"
  const std::string& overload() const { return overload_; }  // "Tensor" or ""
  const std::string& full_name() const { return full_name_; }  // "aten::add.Tensor"
  const std::vector<Argument>& arguments() const { return arguments_; }
  const std::vector<Argument>& returns() const { return returns_; }
  bool is_vararg() const { return vararg_; }  // "..." after the arguments
  bool is_varret() const { return varret_; }

  // The argument of this name; -1 where there is none.
  int index_of(std::string_view argument) const;

  // No argument is written.
  bool is_pure() const;
  // Some result may share memory with this argument; a wildcard shares with everything.
  bool may_alias(size_t result, size_t argument) const;
  bool result_aliases(size_t result) const;
  // What the text does not say, as PyTorch's does not: the result is the argument where there is nothing to do, or shows its memory. Not printed.
  void add_unmarked_alias(size_t result, size_t argument) { unmarked_.emplace_back(result, argument); }
  // Whether a number may stand for this tensor argument, as in torch.mul(2, x). Neither does the text say it.
  bool takes_number_at(size_t argument) const {
    return numbers_ == NumbersAsTensors::All ? !arguments_[argument].writes() : numbers_ == NumbersAsTensors::First && argument == 0;
  }
  void take_numbers(NumbersAsTensors numbers) { numbers_ = numbers; }
  // What the text of `other`, the same schema under another name, does not say either.
  void share_notes(const FunctionSchema& other) { unmarked_ = other.unmarked_, numbers_ = other.numbers_; }
  // The result is the argument itself: the mark of a written argument stands at the result.
  bool returns_argument(size_t result, size_t argument) const;

 private:
  friend class SchemaParser;
  std::string name_, overload_, full_name_;
  std::vector<Argument> arguments_, returns_;
  std::vector<std::pair<size_t, size_t>> unmarked_;  // (result, argument)
  bool vararg_ = false, varret_ = false;
  NumbersAsTensors numbers_ = NumbersAsTensors::None;
};

// PyTorch's own spelling: equal to str() of its FunctionSchema for what it prints.
std::string to_string(const FunctionSchema& schema);

}  // namespace monograph::ir
