// Shape rules: what the results of a structured operator are, said once, over sizes that may be numbers, symbols or unknown.
//
//   void select_rule(RuleCall& c) {                            stated in the record as .rule(select_rule)
//     View v = c.view_of(0);
//     if (!v.ranked()) return c.unranked(0);
//     c.check(v.dim() > 0, ErrorKind::Index, "select() cannot be applied to a 0-dim tensor.");
//     auto d = c.dim(1, v.dim());
//     ...
//     c.view(v);
//   }
//
// Eager, the meta device, graphs and out= forms all read the one rule: sizes, dtypes, strides, aliases, and every error about them. Then dispatch or a plan
// allocates the results, and the operator's kernel (kernels/call.h) computes. Over numbers a rule allocates nothing.
//
// A rule guesses nothing: a size, dtype or rank that is not known stays unknown in the result. A rule that gives no result leaves it to the evaluation
// of its record, or, on a graph, to the schema.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/size.h"
#include "ir/type.h"
#include "ops/record.h"

namespace monograph {

struct AbstractValue;

// "Float", as messages name a dtype. A check of an unknown dtype holds, so it prints none.
inline std::string_view scalar_type(std::optional<DType> t) { return t ? info(*t).scalar_type : std::string_view(); }

// How a view shows argument 0's storage. In a graph strides and offset are unknown.
struct View {
  Sizes sizes, strides;
  Size offset = 0;
  bool ranked() const { return sizes.ranked(); }
  size_t dim() const { return sizes.size(); }
  void erase(size_t d) { sizes.erase(d), strides.erase(d); }
  void insert(size_t d, Size size, Size stride) { sizes.insert(d, size), strides.insert(d, stride); }
  void swap(size_t a, size_t b) { sizes.swap(a, b), strides.swap(a, b); }
  void push_back(Size size, Size stride) { sizes.push_back(size), strides.push_back(stride); }
};

class RuleCall {
 public:
  static constexpr size_t kMaxResults = 8;
  struct Result {
    enum class Kind : uint8_t { Tensor, View, Argument, TensorList, Other } kind = Kind::Tensor;
    Sizes sizes;  // of a list: of each of its tensors, unknown where they differ
    Sizes strides;  // of a View, and of a Tensor that is laid_out otherwise than row by row
    bool laid_out = false;
    Size offset = 0;
    std::optional<DType> dtype;
    std::optional<Device> device;
    Size length;  // of a list
    uint8_t argument = 0;  // Argument: which one
    ir::Type type;  // Other
  };

  // Arguments are in the places of the schema.
  RuleCall(const Operator& op, const IValue* args) : op(op), values_(args) {}
  RuleCall(const Operator& op, const std::vector<AbstractValue>& args);
  ~RuleCall() { std::destroy_n(results_.data(), count_); }
  RuleCall(const RuleCall&) = delete;

  const Operator& op;

  // ---- arguments ----

  bool none(size_t i) const;
  bool is_tensor(size_t i) const;  // as far as is known
  // Of a tensor; unranked where its rank is not known.
  SizesRef sizes(size_t i) const;
  std::optional<DType> dtype(size_t i) const;
  View view_of(size_t i) const;
  std::optional<Device> device(size_t i) const;
  std::optional<double> real(size_t i) const;  // a number
  // An int, or a number that is one; unknown where it is not known. A bool counts as 0 or 1.
  Size size(size_t i) const;
  std::optional<int64_t> integer(size_t i) const { return size(i).number(); }
  std::optional<bool> truth(size_t i) const;
  std::optional<std::string_view> text(size_t i) const;  // a str
  // A list of ints; one number is as many as the schema says. Unranked where its length is not known.
  Sizes ints(size_t i) const;
  std::optional<size_t> length(size_t i) const;  // of such a list
  // Entry k of a list that may hold one number for all.
  Size entry(size_t i, size_t k) const;
  // A dim argument, wrapped; Error where it is out of range. The kernel sees it wrapped. Nothing where it is not known.
  std::optional<size_t> dim(size_t i, size_t rank);
  // A list of tensors: how many; and of each the same as above.
  std::optional<size_t> count(size_t i) const;
  bool item_none(size_t i, size_t k) const;
  SizesRef item_sizes(size_t i, size_t k) const;
  std::optional<DType> item_dtype(size_t i, size_t k) const;
  // The dtype of a dtype argument, else `otherwise`.
  std::optional<DType> dtype_or(size_t i, std::optional<DType> otherwise) const;
  std::optional<DType> number_dtype(size_t i) const;  // that a number brings where it decides alone
  // The dtype that these arguments promote to, tensors and numbers; those that are None do not count.
  std::optional<DType> promoted(std::span<const size_t> which) const;
  AbstractValue known(size_t i) const;  // all that is known of an argument; of a value it interns types
  bool eager() const { return values_ != nullptr; }
  bool meta() const;  // whether some tensor among the values is of the meta device
  const IValue& value(size_t i) const { return values_[i]; }  // only where eager()

  // Error with the operator's name before the words, where the condition is known to be false.
  template <class... Parts>
  void check(Truth condition, ErrorKind kind, const Parts&... words) const {
    if (never(condition)) [[unlikely]]
      fail(kind, words...);
  }
  template <class... Parts>
  [[noreturn]] [[gnu::cold]] void fail(ErrorKind kind, const Parts&... words) const {
    monograph::fail(kind, "[", op.name(), "] ", in_words(words)...);
  }
  // The one of two sizes that must be equal that says more; Error where they are known to differ.
  template <class... Parts>
  Size same(Size a, Size b, ErrorKind kind, const Parts&... words) const {
    check(a == b, kind, words...);
    return !a.known() || (!a.is_int() && b.known()) ? b : a;
  }

  // ---- results, in their order ----

  void result(SizesRef sizes, std::optional<DType> dtype);
  void like(size_t i, SizesRef sizes) { result(sizes, dtype(i)); }  // argument i in other sizes
  void like_layout(size_t i, std::optional<DType> dtype);  // argument i in its sizes and, eagerly, in its layout without gaps
  void view(View v);
  void unranked(size_t i) { result({}, dtype(i)); }  // argument i in sizes that are not known
  // A tensor as a factory makes it: on the device= that the call names, else on the CPU.
  void made(SizesRef sizes, std::optional<DType> dtype);
  // The strides of the last result, where they are not those of rows one after another.
  void lay_out(SizesRef strides) { results_[count_ - 1].strides = strides, results_[count_ - 1].laid_out = true; }
  void on(std::optional<Device> device) { results_[count_ - 1].device = device; }
  void argument(size_t i);  // an in-place form: what it wrote
  // A list of tensors like argument 0.
  void list(SizesRef each, Size length);
  void other(ir::Type type);

  // Eagerly: sizes of the results depend on elements, which the record reads first (OpBuilder::sized_by_elements).
  void wait_for_elements() { waits_ = true; }

  // ---- what the kernel is given ----

  void scratch(Size bytes) { scratch_ = bytes; }
  // How many threads the scratch memory is for. The kernel is told the same number, whatever the pool's is by then.
  int threads();
  void convert(size_t i, DType t);  // tensor argument i, or each of a list, in this dtype
  void contiguous(size_t i) { contiguous_ |= uint16_t{1} << i; }  // tensor argument i without gaps

  std::span<const Result> results() const { return {results_.data(), count_}; }
  int64_t scratch_bytes() const { return scratch_.known() ? scratch_.as_int() : 0; }
  int planned_threads() const { return threads_; }
  bool is_contiguous(size_t i) const { return contiguous_ >> i & 1; }
  bool waits() const { return waits_; }
  std::optional<DType> conversion(size_t i) const;
  // The wrapped dim that replaces argument i for the kernel.
  std::optional<int64_t> wrapped(size_t i) const;

 private:
  // Room for results; made as they are added, since most operators have one.
  class Results {
   public:
    Result* data() { return reinterpret_cast<Result*>(room_); }
    const Result* data() const { return reinterpret_cast<const Result*>(room_); }
    Result& operator[](size_t i) { return data()[i]; }

   private:
    alignas(Result) std::byte room_[kMaxResults * sizeof(Result)];
  };
  struct ArgumentShapes {  // of an argument of a graph's node
    Sizes sizes;
    std::vector<Sizes> items;
  };
  // As messages show it: sizes in brackets, everything else as it is.
  template <class T>
  static decltype(auto) in_words(const T& value) {
    if constexpr (std::is_same_v<T, Size>) return to_string(value);
    else if constexpr (std::is_convertible_v<const T&, SizesRef>) return monograph::words(value);
    else return (value);
  }
  std::optional<Device> common_device() const;
  Result& add(Result::Kind kind);
  const IValue* values_ = nullptr;
  const std::vector<AbstractValue>* graph_arguments_ = nullptr;
  std::vector<ArgumentShapes> graph_sizes_;
  Results results_;
  size_t count_ = 0;
  Size scratch_ = 0;
  std::array<std::pair<uint8_t, int64_t>, 4> wrapped_;
  std::array<std::pair<uint8_t, DType>, 4> converted_;
  uint8_t wrapped_count_ = 0, converted_count_ = 0;
  uint16_t contiguous_ = 0;
  bool waits_ = false;
  int threads_ = 0;
};

// The sizes that two broadcast to. Error in `op`'s name where they are known not to; a size that is not known to be either stays unknown.
Sizes broadcast(SizesRef a, SizesRef b, std::string_view op);
// Its error; b has no more dims than a, and does not fit in dim d of a.
[[noreturn]] void fail_broadcast(SizesRef a, SizesRef b, size_t d, std::string_view op);

// The types of the results on a graph, by `rule`; of a list, how many tensors it has.
std::vector<ir::Type> rule_types(const Operator& op, RuleFn rule, const std::vector<AbstractValue>& args, Size* length = nullptr);
// Raises what the record says of arguments that cannot be: its rule, and what looks at elements before a decomposition runs.
void check_call(const Operator& op, const IValue* args);
// Below every dispatch mode: results by the rule, elements by the kernel, or else by the decomposition.
void run_structured(const Operator& op, const IValue* args, IValue* results);
// The out= form of an operator with a kernel and one result, from the arguments of its functional form.
void run_structured_out(const Operator& op, const IValue* args, const IValue* functional_args, IValue* results);
// The in-place form of a view.
void run_in_place_view(const Operator& op, const IValue* args, IValue* results);

}  // namespace monograph
