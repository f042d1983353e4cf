// Triangles and diagonals of matrices: tril, triu, tril_indices, diagonal, diag_embed, diag, trace. diagonal is a view; diag decomposes into these. Most of the
// others have a kernel beside their decomposition.
#include <algorithm>

#include "kernels/diagonals.h"
#include "kernels/triangles.h"
#include "ops/contiguous.h"
#include "ops/families/composite.h"
#include "ops/families/error_kinds.h"
#include "ops/pointwise.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// tril and triu: the elements on the other side of the diagonal become 0.
template <bool kUpper>
IValue triangle(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  // A diagonal beyond a corner of the matrix means the same as one at the corner; the clamp keeps sums with it small.
  const Size rows = size_of(x, -2), columns = size_of(x, -1), diagonal = max(min(as_size(a[1]), columns), 0 - rows);
  const Tensor row = "unsqueeze"_op("add"_op(counted(rows, x), IValue(diagonal)), 1), column = counted(columns, x);
  return "masked_fill"_op(x, kUpper ? Tensor("lt"_op(column, row)) : Tensor("gt"_op(column, row)), 0);
}

void triangle_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  c.check(!x.ranked() || x.size() >= 2, Runtime, c.op.base_name(), ": input tensor must have at least 2 dimensions");
  c.like(0, x);
}

// How many elements of a matrix lie on or below the diagonal `offset`.
int64_t places_below(int64_t rows, int64_t columns, int64_t offset) {
  offset = std::clamp(offset, -rows, columns);
  int64_t n = 0;
  const int64_t first = std::max<int64_t>(0, -offset), full = std::clamp<int64_t>(columns - offset, first, std::max(rows, first));
  // Row `first` has first + offset + 1 such elements, and each row down to row `full` has one more than the row above. The rows from `full` on have all
  // columns.
  const int64_t partial = std::min(full, rows) - std::min(first, rows), least = first + offset + 1;
  n += partial * least + partial * (partial - 1) / 2;
  return n + (rows - std::min(full, rows)) * columns;
}

template <bool kUpper>
void indices_rule(RuleCall& c) {
  c.check(c.size(0) >= 0, Runtime, "row must be non-negative, got ", c.size(0));
  c.check(c.size(1) >= 0, Runtime, "col must be non-negative, got ", c.size(1));
  auto rows = c.integer(0), columns = c.integer(1), offset = c.integer(2);
  Size n;
  if (rows && columns && offset)
    n = kUpper ? *rows * *columns - places_below(*rows, *columns, *offset - 1) : places_below(*rows, *columns, *offset);
  c.made(Sizes{2, n}, c.dtype_or(3, DType::i64));
}

template <bool kUpper>
IValue indices(const IValue* a) {
  const Tensor ones = "ones"_op(Dims{a[0].to_int(), a[1].to_int()}, DType::b1);
  const Tensor chosen = kUpper ? Tensor("triu"_op(ones, a[2])) : Tensor("tril"_op(ones, a[2]));
  const Tensor places = "contiguous"_op("t"_op("nonzero"_op(chosen))), made = a[3].is_none() ? places : Tensor("to"_op(places, a[3]));
  return a[5].is_none() ? made : Tensor("to"_op(made, a[5]));
}

// The arguments are (self, offset, dim1, dim2). The last dim of the view steps along dim1 and dim2 at once.
void diagonal_rule(RuleCall& c) {
  View v = c.view_of(0);
  if (!v.ranked()) return c.unranked(0);
  auto a = c.dim(2, v.dim()), b = c.dim(3, v.dim());
  const Size offset = c.size(1);
  c.check(!a || !b || *a != *b, Runtime, "diagonal dimensions cannot be identical ", c.size(2), ", ", c.size(3));
  if (!a || !b) return c.like(0, Sizes(v.dim() - 1, Size::unknown()));
  const Size rows = v.sizes[*a], columns = v.sizes[*b];
  Size length;
  if (certainly(offset >= 0)) length = max(min(rows, columns - offset), 0);
  else if (certainly(offset < 0)) length = max(min(rows + offset, columns), 0);
  if (!length.is(0)) {
    if (certainly(offset >= 0)) v.offset = v.offset + offset * v.strides[*b];
    else v.offset = v.offset - offset * v.strides[*a];
  }
  const Size step = v.strides[*a] + v.strides[*b];
  v.erase(std::max(*a, *b)), v.erase(std::min(*a, *b));
  v.push_back(length, step);
  c.view(std::move(v));
}

// The sizes of diag_embed(x, offset, first, second).
Sizes diag_embed_sizes(SizesRef x, Size offset, size_t first, size_t second) {
  const Size n = x.back() + max(offset, 0 - offset);
  Sizes out;
  for (size_t d = 0, from = 0; d <= x.size(); ++d) out.push_back(d == first || d == second ? n : x[from++]);
  return out;
}
IValue decompose_diag_embed(const IValue* a) {
  const Tensor x = a[0].to_tensor();
  const int64_t rank = x.dim() + 1, first = wrap_dim(a[2].to_int(), rank), second = wrap_dim(a[3].to_int(), rank);
  const Sizes sizes = diag_embed_sizes(sizes_of(x), a[1].to_int(), static_cast<size_t>(first), static_cast<size_t>(second));
  return "diagonal_scatter"_op(zeros_beside(x, sizes), x, a[1], first, second);
}
// The kernel writes the diagonal into the zeros; the decomposition copies them.
void diag_embed_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  c.check(!x.ranked() || !x.empty(), ErrorKind::Index, "diag_embed: expected a tensor with at least 1 dimension");
  if (!x.ranked()) return c.unranked(0);
  const auto first = c.dim(2, x.size() + 1), second = c.dim(3, x.size() + 1);
  c.check(!first || !second || *first != *second, Runtime, "diagonal dimensions cannot be identical ", c.size(2), ", ", c.size(3));
  c.like(0, first && second ? diag_embed_sizes(x, c.size(1), *first, *second) : Sizes(x.size() + 1, Size()));
  if (!all_in_memory(c, {0}) || !c.value(1).is_int()) c.leave_to_decomposition();
}

// The kernel sums the diagonal where it lies.
void trace_rule(RuleCall& c) {
  SizesRef x = c.sizes(0);
  const auto t = c.dtype(0);
  c.check(!x.ranked() || x.size() == 2, Runtime, "trace: expected a matrix, but got tensor with dim ", x.size());
  c.check_dtype(t, [](DType given) { return given != DType::b1; }, "trace", DType::i64);
  c.result(Sizes(), t && is_integral(*t) ? std::optional(DType::i64) : t);
  if (!all_in_memory(c, {0}) || !is_wide_float(*t)) c.leave_to_decomposition();
}

}  // namespace

void triangles(Registry& r) {
  auto triangle_of = [&](const char* schema, StructuredKernel kernel, DecomposeFn make, const char* onnx, const char* doc) {
    r.op(schema)
        .rule(triangle_rule)
        .kernel(kernel)
        .decompose(make, Reads::Symbols)
        .inplace()
        .out()
        .onnx(onnx)
        .doc(doc)
        .samples(
            R"([[x, k] for x in layouts(3, 4) for k in (0, 1, -2, 9, -9)] + [[x, 1] for x in layouts(2, 3, 3)] + [[t(f32, 0, 3), 0], [t(f32, 3), 0],
                     [t(c64, 2, 2), 0], [at([[nan, nan], [inf, inf]]), 0]])");
  };
  triangle_of("tril(Tensor self, SymInt diagonal=0) -> Tensor", tril_kernel, triangle<false>, "Trilu(self, diagonal, upper=0)",
              "`self` with zeros above the diagonal number `diagonal`, counted upwards.");
  triangle_of("triu(Tensor self, SymInt diagonal=0) -> Tensor", triu_kernel, triangle<true>, "Trilu(self, diagonal, upper=1)",
              "`self` with zeros below the diagonal number `diagonal`, counted upwards.");
  auto places = [&](const char* head, RuleFn rule, DecomposeFn make, const char* doc) {
    static std::string text;
    text = head;
    text +=
        "(int row, int col, int offset=0, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> "
        "Tensor";
    r.op(text.c_str())
        .rule(rule)
        .decompose(make)
        .function_only()
        .gradient(constant("it has no tensor argument"))
        .onnx(none("made of numbers alone: its value becomes a constant"))
        .doc(doc)
        .samples(
            R"([[n, m, k, i64] for n, m in ((3, 3), (2, 4), (4, 2), (0, 3), (3, 0)) for k in (0, 1, -1, 5, -5)] + [[3, 3, 0, torch.int32], [-1, 2, 0, i64], [2, -1, 0, i64]])")
        .special(Special::OtherSchemaText, "int64 by its number");
  };
  places("tril_indices", indices_rule<false>, indices<false>, "The rows and columns of the places on and below a diagonal.");
  places("triu_indices", indices_rule<true>, indices<true>, "The rows and columns of the places on and above a diagonal.");
  r.op("diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)")
      .scatter(
          R"([[v, t(f32, 3), 0, 0, 1] for v in layouts(3, 3)] + [[t(f32, 2, 3, 4), t(f32, 3, 2), -1, 2, 0], [t(f32, 2, 2), t(f32, 3), 0, 0, 1]])")
      .rule(diagonal_rule)
      .gradient([](GradCall& c) {
        c.set(0, "diagonal_scatter"_op("zeros"_op(c.sizes(0), c.dtype(0)), c.grad(), c.value(1), c.value(2), c.value(3)));
      })
      .onnx(none("ONNX has no strides"))
      .doc("A view of a diagonal of dims `dim1` and `dim2`, which becomes the last dim.")
      .samples(R"([[x, k, 0, 1] for x in layouts(3, 4) for k in (0, 1, -2, 4, -5)] + [[x, 1, -1, 0] for x in layouts(2, 3, 4)]
                  + [[t(f32, 3), 0, 0, 1], [t(f32, 3, 3), 0, 1, 1]])")
      .copies();
  r.op("linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)")
      .namespaced("_linalg")
      .scatter(none("PyTorch has no such operator; those of diagonal_scatter run it"))
      .rule(diagonal_rule)
      .gradient([](GradCall& c) {
        c.set(0, "diagonal_scatter"_op("zeros"_op(c.sizes(0), c.dtype(0)), c.grad(), c.value(1), c.value(2), c.value(3)));
      })
      .onnx(none("ONNX has no strides"))
      .doc("A view of a diagonal of the last two dims, which becomes the last dim.")
      .samples("[[x, k] for x in layouts(3, 4) for k in (0, 1, -2)] + [[x, 1, 0, 1] for x in layouts(2, 3, 4)] + [[t(f32, 3)]]");
  r.op("diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor")
      .decompose(decompose_diag_embed, Reads::Symbols)
      .rule(diag_embed_rule)
      .kernel(diag_embed_kernel)
      .out()
      .onnx(none("ONNX has no strides"))
      .doc("Zeros, with the last dim of `self` on a diagonal of the dims `dim1` and `dim2`.")
      .samples(
          R"([[x, k, -2, -1] for x in layouts(2, 3) for k in (0, 1, -2)] + [[t(f32, 2, 3), 1, 0, 2], [t(f32, 3), 0, 1, 0], [t(f32), 0], [t(f32, 2), 0, 0, 0]])");
  r.op("diag(Tensor self, int diagonal=0) -> Tensor")
      .one_step()
      .decompose(
          [](const IValue* a) -> IValue {
            const int64_t rank = a[0].as_tensor().dim();
            MONOGRAPH_CHECK(rank == 1 || rank == 2, Runtime, "diag(): Supports 1D or 2D tensors. Got ", rank, "D");
            return rank == 1 ? "diag_embed"_op(a[0], a[1], -2, -1) : "clone"_op("diagonal"_op(a[0], a[1], 0, 1));
          },
          Reads::Symbols)
      .out()
      .onnx(none("ONNX has no strides"))
      .doc("For a vector, the matrix with the vector on its diagonal. For a matrix, a copy of its diagonal.")
      .samples(
          R"([[x, k] for x in layouts(3, 4) for k in (0, 1, -2, 9)] + [[x, k] for x in layouts(3) for k in (0, 2, -1)] + [[t(f32), 0], [t(f32, 2, 2, 2), 0]])");
  r.op("diagflat(Tensor self, int offset=0) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "diag_embed"_op("reshape"_op(a[0], Dims{-1}), a[1], -2, -1); }, Reads::Nothing)
      .onnx(none("ONNX has no strides"))
      .doc("The matrix with all elements on its diagonal.")
      .samples("[[x, k] for x in layouts(2, 2) for k in (0, 1, -1)] + [[t(f32), 0], [t(f32, 0), 0]]");
  r.op("trace(Tensor self) -> Tensor")
      .decompose([](const IValue* a) -> IValue { return "sum"_op("diagonal"_op(a[0], 0, 0, 1)); }, Reads::Symbols)
      .rule(trace_rule)
      .kernel(trace_kernel)
      .out()
      .onnx(none("ONNX has no strides"))
      .autocast(Autocast::Float32)
      .doc("The sum of the diagonal of a matrix.")
      .samples("[[x] for x in layouts(3, 4)] + [[t(d, 3, 3)] for d in (i32, u8, f16, c64)] + [[t(f32, 3)], [t(f32, 0, 3)]]");
}

}  // namespace monograph
