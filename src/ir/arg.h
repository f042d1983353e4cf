// Arguments of nodes: trees of literals, tensors and other nodes.
//
// A tree is stored flat, in preorder: an array of Items, each of which knows how many items it spans. Nodes among the leaves are holes, numbered
// in order; the nodes themselves lie in an array beside. Frozen and interned, the items of a node's arguments are its Skeleton: equal skeletons of
// one graph are one pointer, and replacing an input touches no tree.
//
//   aten::cat([x, y], dim=1)      items   List(2 items inside)  Hole 0  Hole 1  Int 1      names  dim      inputs  x y
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/symint.h"
#include "ir/type.h"

namespace monograph::ir {

class Graph;
class Node;

// A tensor that is part of the program. Immutable; compared by contents.
class TensorConstant : public std::enable_shared_from_this<TensorConstant> {
 public:
  virtual ~TensorConstant() = default;
  virtual DType dtype() const = 0;
  virtual std::span<const int64_t> sizes() const = 0;
  // Its elements in row-major order; empty, though numel() is not 0, if the text was read without its container.
  virtual std::span<const std::byte> bytes() const = 0;
  // SHA-256 of dtype, sizes and bytes as 64 lower-case hexadecimal digits.
  virtual const std::string& content_hash() const = 0;
  int64_t numel() const;
};
using TensorRef = std::shared_ptr<const TensorConstant>;

// A constant with its own copy of the bytes, and one that knows only its hash.
TensorRef make_tensor_constant(DType dtype, std::span<const int64_t> sizes, std::span<const std::byte> bytes);
TensorRef missing_tensor_constant(DType dtype, std::span<const int64_t> sizes, std::string_view content_hash);
// The hash that content_hash() promises.
std::string tensor_content_hash(DType dtype, std::span<const int64_t> sizes, std::span<const std::byte> bytes);
bool same_contents(const TensorConstant& a, const TensorConstant& b);

// Something callable, or another object of the program, that is known here by name only: what a surface target stands for, or an argument that
// is a function. Python's live in the bindings.
class Callable {
 public:
  virtual ~Callable() = default;
  virtual std::string_view name() const = 0;  // qualified: "torch.nn.functional.relu"
  virtual bool equal(const Callable& other) const = 0;
  virtual size_t hash() const = 0;
};
using CallableRef = std::shared_ptr<const Callable>;

// A name of the program around the graph. Interned in its graph by name and callable, so two lambdas of one name stay two.
struct Global {
  std::string name;
  CallableRef callable;  // null where only the name is known, as after reading a text
};

enum class ArgKind : uint8_t {
  None,
  Ellipsis,
  Bool,
  Int,
  Float,  // Int: int64
  Str,
  DType,
  Device,
  Layout,
  MemoryFormat,
  SymInt,  // a symbolic size that is no number
  Tensor,  // a constant
  Global,  // a function, class or object outside
  Node,  // a hole
  // With parts.
  Complex,  // two Floats
  Slice,  // start, stop, step
  List,
  Tuple,
  Dict,  // key, value, key, value, …
};
inline bool has_parts(ArgKind k) { return k >= ArgKind::Complex; }

// Arguments nest at most this deep; a deeper one raises Error. Functions over one argument tree may therefore recurse.
inline constexpr int kMaxArgDepth = 64;

struct ArgItem {
  ArgKind kind = ArgKind::None;
  uint32_t extent = 1;  // items of the subtree, this one included
  union {
    int64_t i = 0;  // Int; Bool; DType, Device, Layout, MemoryFormat as numbers; SymInt's bits; number of direct parts
    double f;
    uint32_t hole;
    const std::string* s;  // Str
    const monograph::ir::Global* global;
    const TensorConstant* tensor;
  };
};

// A position in an argument tree: the argument, its parts, and through it everything that can be asked of it. Light; valid until the node's
// arguments change.
class ArgRef {
 public:
  ArgRef(const ArgItem* item, Node* const* nodes, size_t stride) : item_(item), nodes_(nodes), stride_(stride) {}
  ArgKind kind() const { return item_->kind; }
  bool is(ArgKind k) const { return item_->kind == k; }
  bool is_none() const { return is(ArgKind::None); }
  // The remaining questions need the kind that they name.
  bool as_bool() const { return expect(ArgKind::Bool).i != 0; }
  int64_t as_int() const { return expect(ArgKind::Int).i; }
  double as_float() const { return expect(ArgKind::Float).f; }
  std::complex<double> as_complex() const;
  const std::string& as_str() const { return *expect(ArgKind::Str).s; }
  const Global& as_global() const { return *expect(ArgKind::Global).global; }
  monograph::DType as_dtype() const { return static_cast<monograph::DType>(expect(ArgKind::DType).i); }
  monograph::Device as_device() const;
  monograph::MemoryFormat as_memory_format() const { return static_cast<monograph::MemoryFormat>(expect(ArgKind::MemoryFormat).i); }
  monograph::SymInt as_symint() const;  // Int too
  const TensorConstant& as_tensor() const { return *expect(ArgKind::Tensor).tensor; }
  Node* as_node() const;
  Node* node() const { return is(ArgKind::Node) ? as_node() : nullptr; }
  // Parts: of Complex, Slice, List, Tuple, Dict (keys and values in turn); none for others.
  size_t size() const { return has_parts(kind()) ? static_cast<size_t>(item_->i) : 0; }
  ArgRef operator[](size_t k) const;  // linear in k: iterate where all are wanted
  const ArgItem* item() const { return item_; }

  class Iterator {
   public:
    Iterator(const ArgItem* item, Node* const* nodes, size_t stride) : item_(item), nodes_(nodes), stride_(stride) {}
    ArgRef operator*() const { return {item_, nodes_, stride_}; }
    Iterator& operator++() {
      item_ += item_->extent;
      return *this;
    }
    bool operator==(const Iterator& o) const { return item_ == o.item_; }

   private:
    const ArgItem* item_;
    Node* const* nodes_;
    size_t stride_;
  };
  Iterator begin() const { return {item_ + 1, nodes_, stride_}; }
  Iterator end() const { return {item_ + (has_parts(kind()) ? item_->extent : 1), nodes_, stride_}; }

 private:
  const ArgItem& expect(ArgKind k) const {
    MONOGRAPH_ASSERT(item_->kind == k);
    return *item_;
  }
  const ArgItem* item_;
  Node* const* nodes_;  // where hole 0's node stands; hole k's is stride_ * k bytes further: a plain array here, a node's uses there
  size_t stride_;
};

// Arguments being put together: positional ones first, then keywords.
//
//   Args(x, 10)                            add(x, 10)
//   Args(list(x, y)).kw("dim", 1)          cat([x, y], dim=1)
class Args {
 public:
  Args() = default;
  template <class... Values>
    requires(sizeof...(Values) > 0 && !(sizeof...(Values) == 1 && (std::is_same_v<std::remove_cvref_t<Values>, Args> && ...)))
  explicit Args(const Values&... values) {
    (add(values), ...);
  }

  Args& add(Node* node);
  Args& add(std::nullptr_t) { return none(); }
  Args& none() { return literal(ArgKind::None, 0); }
  Args& ellipsis() { return literal(ArgKind::Ellipsis, 0); }
  Args& add(bool value) { return literal(ArgKind::Bool, value); }
  Args& add(int value) { return literal(ArgKind::Int, value); }
  Args& add(int64_t value) { return literal(ArgKind::Int, value); }
  Args& add(double value);
  Args& add(std::complex<double> value);
  Args& add(std::string_view value) { return text(ArgKind::Str, value); }
  Args& add(const std::string& value) { return text(ArgKind::Str, value); }
  Args& add(const char* value) { return text(ArgKind::Str, value); }
  Args& add(monograph::DType value) { return literal(ArgKind::DType, static_cast<int64_t>(value)); }
  Args& add(monograph::Device value);
  Args& add(monograph::MemoryFormat value) { return literal(ArgKind::MemoryFormat, static_cast<int64_t>(value)); }
  Args& layout() { return literal(ArgKind::Layout, 0); }  // torch.strided, the only one
  Args& add(monograph::SymInt value) { return literal(value.is_int() ? ArgKind::Int : ArgKind::SymInt, value.bits()); }
  Args& add(TensorRef value);
  Args& global(std::string_view name, CallableRef callable = nullptr);
  // A copy of an argument, of this or another graph; its nodes as `map` answers them.
  Args& add(ArgRef value) {
    return add_mapped(value, [](Node* n) { return n; });
  }
  Args& add_mapped(ArgRef value, const std::function<Node*(Node*)>& map);
  // The one argument of `value`, usually made by list() and its like.
  Args& add(const Args& value);

  // What follows is inside, until the matching close().
  Args& open(ArgKind kind);
  Args& close();
  // The next argument has this name.
  Args& name(std::string_view keyword);
  template <class Value>
  Args& kw(std::string_view keyword, const Value& value) {
    name(keyword);
    return add(value);
  }

  // Memory for about this many arguments, so that adding them seldom allocates.
  void reserve(size_t arguments) { items_.reserve(2 * arguments), nodes_.reserve(arguments); }

  size_t size() const { return count_; }  // arguments so far, keywords included
  size_t positional() const { return count_ - names_.size(); }
  std::span<const ArgItem> items() const { return items_; }
  std::span<Node* const> nodes() const { return nodes_; }
  std::span<const std::string> names() const { return names_; }
  ArgRef operator[](size_t k) const;
  ArgRef operator[](std::string_view keyword) const;  // Error where there is none

 private:
  friend class Graph;
  friend class TextParser;
  Args& literal(ArgKind kind, int64_t value);
  Args& text(ArgKind kind, std::string_view value);
  void leaf(ArgItem item);
  std::vector<ArgItem> items_;
  std::vector<Node*> nodes_;
  std::vector<std::string> names_;  // of the last arguments
  std::vector<uint32_t> open_;  // items still open
  std::vector<std::shared_ptr<const std::string>> strings_;  // what items point to; shared, so that Args can be copied
  std::vector<TensorRef> tensors_;
  std::vector<std::shared_ptr<const Global>> globals_;
  size_t count_ = 0;
  bool named_ = false;
};

template <class... Values>
Args list(const Values&... values) {
  Args a;
  a.open(ArgKind::List);
  (a.add(values), ...);
  a.close();
  return a;
}
template <class... Values>
Args tuple(const Values&... values) {
  Args a;
  a.open(ArgKind::Tuple);
  (a.add(values), ...);
  a.close();
  return a;
}
inline Args list_of(std::span<Node* const> nodes, ArgKind kind = ArgKind::List) {
  Args a;
  a.open(kind);
  for (Node* n : nodes) a.add(n);
  a.close();
  return a;
}

// Frozen, interned in its graph.
struct Skeleton {
  uint64_t hash = 0;
  uint32_t items = 0, args = 0, names = 0, holes = 0;  // args: keywords included, they come last
  const ArgItem* item = nullptr;
  const std::string* const* name = nullptr;
  size_t positional() const { return args - names; }
};

// The text form of an argument (docs/ir.md); nodes as %name. Constants of at most kInlineElements elements print their elements, others their hash.
inline constexpr int64_t kInlineElements = 16;
void print_arg(std::string& out, ArgRef arg);
void print_tensor(std::string& out, const TensorConstant& tensor);
// A dotted name as it is, another one quoted.
void print_global(std::string& out, std::string_view name);
bool is_identifier(std::string_view text);
bool is_dotted_name(std::string_view text);  // identifiers joined by "." or "::"
std::string_view to_string(MemoryFormat format);  // "torch.contiguous_format"
// The shortest decimal text that reads back to the same bits: "1.0", "-0.0", "1e-05", "inf", "nan", "nan(0x7ff8000000000001)".
void print_float(std::string& out, double value);
// One element of a tensor's bytes, by bits as well: of f32 the shortest text that reads back as f32; a complex one as "complex(1.0, 0.0)".
void print_element(std::string& out, DType dtype, const std::byte* at);
// The inverse of print_float for double and float: reads numbers, inf, nan and nan(0x…) from the whole text; false where it is something else.
bool read_float(std::string_view text, double& out);
bool read_float(std::string_view text, float& out);
// Reads what print_element wrote, real or imaginary part; false where the text does not fit the dtype.
bool read_element(std::string_view text, DType dtype, std::byte* at);
// A JSON string, quotes included.
void print_quoted(std::string& out, std::string_view text);

}  // namespace monograph::ir
