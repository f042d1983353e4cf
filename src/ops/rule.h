// Shape rules. The shape rule of a structured operator is one function that computes the sizes, dtypes, strides and aliases of its results, and raises every
// error about them. Sizes may be numbers, symbols or unknown.
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
// Eager calls, the meta device, graphs and out= forms all run this one rule. Then dispatch or a plan allocates the results, and the operator's kernel
// (kernels/call.h) computes the elements. If all sizes are numbers, the rule itself allocates nothing.
//
// A rule guesses nothing: a size, dtype or rank that is unknown stays unknown in the result. Also if the kernel does not take a call, and the decomposition
// makes it, the rule states the results and raises the errors. If a rule adds no result, which only a rule beside an evaluation does, the evaluation decides
// the results, and on a graph the schema does.
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

// The name of a dtype in messages, such as "Float"; "" if the dtype is unknown, which no message prints, because checks of an unknown dtype pass.
inline std::string_view scalar_type(std::optional<DType> t) { return t ? info(*t).scalar_type : std::string_view(); }

// Whether index tensors may have this dtype: int64 or int32. An unknown dtype passes.
inline bool is_index(std::optional<DType> t) { return !t || *t == DType::i64 || *t == DType::i32; }

// The sizes, strides and offset of a view of argument 0. In a graph strides and offset are unknown.
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

inline bool is_wide_float(DType t) { return t == DType::f32 || t == DType::f64; }

class RuleCall {
 public:
  static constexpr size_t kMaxResults = 8;
  struct Result {
    enum class Kind : uint8_t { Tensor, View, Argument, TensorList, Bool, Other } kind = Kind::Tensor;
    Sizes sizes;  // TensorList: the sizes of each tensor; a size that differs between them is unknown
    Sizes strides;  // View, and Tensor with laid_out. TensorList by pieces(): the sizes along dim `argument`
    bool laid_out = false;  // Tensor: it has the strides above; otherwise it is contiguous
    Size offset = 0;  // View
    std::optional<DType> dtype;
    std::optional<Device> device;
    Size length;  // TensorList: the number of tensors
    uint8_t argument = 0;  // Argument: its position in the schema. TensorList by pieces(): a dim
    ir::Type type;  // Bool, Other
  };

  // Arguments are in the order of the schema.
  RuleCall(const Operator& op, const IValue* args) : op(op), values_(args) {}
  RuleCall(const Operator& op, const std::vector<AbstractValue>& args);
  ~RuleCall() { std::destroy_n(results_.data(), count_); }
  RuleCall(const RuleCall&) = delete;

  const Operator& op;

  // ---- arguments: i is the position in the schema ----

  bool none(size_t i) const;
  bool is_tensor(size_t i) const;  // false also if it is not known
  // The sizes of a tensor; unranked if its rank is unknown.
  SizesRef sizes(size_t i) const;
  std::optional<DType> dtype(size_t i) const;
  View view_of(size_t i) const;
  std::optional<Device> device(size_t i) const;
  std::optional<double> real(size_t i) const;  // the value of a number
  // The value of an int, or of a bool as 0 or 1. Unknown if it is another value, or not known. For a symbol of a capture: its value in the example.
  Size size(size_t i) const;
  std::optional<int64_t> integer(size_t i) const { return size(i).number(); }
  std::optional<bool> truth(size_t i) const;
  std::optional<std::string_view> text(size_t i) const;  // the value of a str
  // A list of ints. A single number is repeated to the length that the schema gives (int[2]). Unranked if its length is unknown.
  Sizes ints(size_t i) const;
  std::optional<size_t> length(size_t i) const;  // the length of a list of ints
  // Entry k of a list of ints; a list of one number has it for every k.
  Size entry(size_t i, size_t k) const;
  // A dim argument, wrapped to 0 .. rank - 1; the kernel gets it wrapped too. Error if it is out of range; nullopt if it is unknown.
  std::optional<size_t> dim(size_t i, size_t rank);
  // Argument i is a list of tensors: its length, and what the functions above say of a tensor, for its tensor k.
  std::optional<size_t> count(size_t i) const;
  bool item_none(size_t i, size_t k) const;
  SizesRef item_sizes(size_t i, size_t k) const;
  std::optional<DType> item_dtype(size_t i, size_t k) const;
  // The dtype that a dtype argument names; `otherwise` if it is None.
  std::optional<DType> dtype_or(size_t i, std::optional<DType> otherwise) const;
  std::optional<DType> number_dtype(size_t i) const;  // the dtype of a Python number in promotion, such as int64
  // The dtype that these arguments, tensors and numbers, promote to. Arguments that are None are skipped.
  std::optional<DType> promoted(std::span<const size_t> which) const;
  AbstractValue known(size_t i) const;  // everything known about an argument; slow for an eager value, because it interns types
  bool eager() const { return values_ != nullptr; }
  bool meta() const;  // whether an argument is a tensor on the meta device
  const IValue& value(size_t i) const { return values_[i]; }  // only where eager()

  // Raises an error, with the operator's name before the words, if the condition is known to be false.
  template <class... Parts>
  void check(Truth condition, ErrorKind kind, const Parts&... words) const {
    if (never(condition)) [[unlikely]]
      fail(kind, words...);
  }
  template <class... Parts>
  [[noreturn]] [[gnu::cold]] void fail(ErrorKind kind, const Parts&... words) const {
    monograph::fail(kind, "[", op.name(), "] ", in_words(words)...);
  }
  // Raises NotImplementedError if the dtype is known and `takes(*t)` is false: "kernel" not implemented for 'Long'; convert it first, for example
  // x.to(torch.float32). `kernel` is the name in PyTorch's message, if it has one; `instead` is a dtype that the operator takes.
  template <class F>
  void check_dtype(std::optional<DType> t, F&& takes, std::string_view kernel = {}, DType instead = DType::f32) const {
    if (t && !takes(*t)) [[unlikely]]
      fail_dtype(*t, kernel, instead);
  }
  // Raises an error if there are more dims than a kernel has loops. A kernel that leaves out dims of size 1 does not need it.
  void check_max_dims(SizesRef sizes) const;
  // Two sizes that must be equal: returns the one that is known better. Error if they are known to differ.
  template <class... Parts>
  Size same(Size a, Size b, ErrorKind kind, const Parts&... words) const {
    check(a == b, kind, words...);
    return !a.known() || (!a.is_int() && b.known()) ? b : a;
  }

  // ---- results, in their order ----

  void result(SizesRef sizes, std::optional<DType> dtype);
  void like(size_t i, SizesRef sizes) { result(sizes, dtype(i)); }  // a tensor with argument i's dtype and these sizes
  // A tensor with argument i's sizes. In an eager call it also has argument i's order of dims in memory, without gaps.
  void like_layout(size_t i, std::optional<DType> dtype);
  void view(View v);
  // A view of argument 0's memory as elements of another dtype. Strides and offset count such elements.
  void view(View v, std::optional<DType> dtype);
  void unranked(size_t i) { result({}, dtype(i)); }  // a tensor with argument i's dtype and unknown sizes
  // The result of a factory: on the device that the call's device= names, else on the CPU.
  void made(SizesRef sizes, std::optional<DType> dtype);
  // Gives the last result these strides in place of contiguous ones.
  void lay_out(SizesRef strides) { results_[count_ - 1].strides = strides, results_[count_ - 1].laid_out = true; }
  void on(std::optional<Device> device) { results_[count_ - 1].device = device; }
  void argument(size_t i);  // the result is argument i itself, which an in-place form wrote
  // A list of `length` tensors with argument 0's dtype, each with the sizes `each`.
  void list(SizesRef each, Size length);
  // Says of the last result, a list, that it is made of new tensors for the kernel to fill. They have argument 0's sizes, except along dim d: there tensor k
  // has size lengths[k].
  void pieces(size_t d, const Dims& lengths);
  void other(ir::Type type);

  // A bool, which the kernel writes to a bool tensor without dims.
  void truth_value();

  // Leaves the call to the decomposition, because the kernel does not take it, for example its dtype or its strides. The rule states the results all the same.
  void leave_to_decomposition() { left_ = true; }

  // Says that sizes of the results depend on elements. An eager call then reads the elements first (OpBuilder::sized_by_elements).
  void wait_for_elements() { waits_ = true; }

  // ---- requests for the kernel ----

  void scratch(Size bytes) { scratch_ = bytes; }
  // The number of threads to size the scratch memory for. The kernel gets the same number, even if the pool changes in between.
  int threads();
  void convert(size_t i, DType t);  // converts tensor argument i, or each tensor of a list, to this dtype
  void contiguous(size_t i) { contiguous_ |= uint16_t{1} << i; }  // makes tensor argument i contiguous

  std::span<const Result> results() const { return {results_.data(), count_}; }
  int64_t scratch_bytes() const { return scratch_.known() ? scratch_.as_int() : 0; }
  int planned_threads() const { return threads_; }
  bool is_contiguous(size_t i) const { return contiguous_ >> i & 1; }
  bool waits() const { return waits_; }
  bool left_to_decomposition() const { return left_; }
  std::optional<DType> conversion(size_t i) const;
  // The wrapped dim that replaces argument i for the kernel.
  std::optional<int64_t> wrapped(size_t i) const;

 private:
  // Storage for results, which are constructed as they are added: most operators have only one.
  class Results {
   public:
    Result* data() { return reinterpret_cast<Result*>(room_); }
    const Result* data() const { return reinterpret_cast<const Result*>(room_); }
    Result& operator[](size_t i) { return data()[i]; }

   private:
    alignas(Result) std::byte room_[kMaxResults * sizeof(Result)];
  };
  struct ArgumentShapes {  // the sizes of a node's argument: a tensor, or a list of tensors
    Sizes sizes;
    std::vector<Sizes> items;
  };
  // The text of a value in messages: sizes in brackets, everything else unchanged.
  template <class T>
  static decltype(auto) in_words(const T& value) {
    if constexpr (std::is_same_v<T, Size>) return to_string(value);
    else if constexpr (std::is_convertible_v<const T&, SizesRef>) return monograph::words(value);
    else return (value);
  }
  [[noreturn]] [[gnu::cold]] void fail_dtype(DType t, std::string_view kernel, DType instead) const;
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
  bool waits_ = false, left_ = false;
  int threads_ = 0;
};

// The sizes that `a` and `b` broadcast to. Error, in the name of `op`, if they are known not to broadcast. A size that cannot be decided is unknown.
Sizes broadcast(SizesRef a, SizesRef b, std::string_view op);
// Raises the error of broadcast(). b has no more dims than a, and does not fit in dim d of a.
[[noreturn]] void fail_broadcast(SizesRef a, SizesRef b, size_t d, std::string_view op);

// The types of the results on a graph, by `rule`. If the result is a list of tensors, *length receives its length.
std::vector<ir::Type> rule_types(const Operator& op, RuleFn rule, const std::vector<AbstractValue>& args, Size* length = nullptr);
// Raises the errors of a call without computing it: those of the shape rule, and those of Operator::check, which looks at elements.
void check_call(const Operator& op, const IValue* args);
// Evaluates a structured operator, below every dispatch mode: the rule gives the results, and the kernel fills them; without a kernel the decomposition runs.
void run_structured(const Operator& op, const IValue* args, IValue* results);
// Evaluates the out= form of an operator that has a kernel and one result. `functional_args` are the arguments of its functional form. Returns false, and does
// nothing, if the rule leaves the call to the decomposition.
bool run_structured_out(const Operator& op, const IValue* args, const IValue* functional_args, IValue* results);
// Evaluates the in-place form of a view, such as squeeze_.
void run_in_place_view(const Operator& op, const IValue* args, IValue* results);

}  // namespace monograph
