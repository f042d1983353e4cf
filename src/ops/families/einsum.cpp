// torch.einsum. It parses the equation into labels for the dims, and multiplies the operands pair by pair: each product is permuted and reshaped to mm or bmm.
#include <algorithm>
#include <array>
#include <cctype>

#include "ops/dispatch.h"
#include "ops/registry.h"
#include "ops/rule.h"

namespace monograph {
namespace {

// A label is a number for a dim: 0 to 51 for the letters A to Z and a to z, 52 and up for the dims of an ellipsis, which are aligned at the right.
constexpr int kLetters = 52, kEllipsis = -1;
using Labels = std::vector<int>;

std::string letter(int label) { return std::string(1, static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26)); }

int label_at(std::string_view equation, size_t i) {
  const char c = equation[i];
  MONOGRAPH_CHECK((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'), Runtime, "einsum(): invalid subscript given at index ", i,
                  " in the equation string, subscripts must be in [a-zA-Z]");
  return c <= 'Z' ? c - 'A' : c - 'a' + 26;
}

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
  bool explicit_output = false;
};

// Reads "..." at i, and moves i to its last point.
void take_ellipsis(std::string_view equation, size_t& i, Labels& labels, const std::string& where) {
  MONOGRAPH_CHECK(std::ranges::find(labels, kEllipsis) == labels.end(), Runtime, "einsum(): found '.' for ", where,
                  " for which an ellipsis was already found");
  MONOGRAPH_CHECK(equation.substr(i, 3) == "...", Runtime, "einsum(): found '.' for ", where, " that is not part of any ellipsis");
  i += 2;
  labels.push_back(kEllipsis);
}

Equation parse(std::string_view equation, size_t operands) {
  Equation e;
  const size_t arrow = equation.find("->");
  const size_t end = arrow == std::string_view::npos ? equation.size() : arrow;
  e.inputs.emplace_back();
  for (size_t i = 0; i < end; ++i) {
    if (equation[i] == ' ') continue;
    if (equation[i] == ',') {
      e.inputs.emplace_back();
      MONOGRAPH_CHECK(e.inputs.size() <= operands, Runtime, "einsum(): fewer operands were provided than specified in the equation");
    } else if (equation[i] == '.') {
      take_ellipsis(equation, i, e.inputs.back(), concat("operand ", e.inputs.size() - 1));
    } else {
      e.inputs.back().push_back(label_at(equation, i));
    }
  }
  MONOGRAPH_CHECK(e.inputs.size() == operands, Runtime, "einsum(): more operands were provided than specified in the equation");
  if (arrow == std::string_view::npos) return e;
  e.explicit_output = true;
  for (size_t i = arrow + 2; i < equation.size(); ++i) {
    if (equation[i] == ' ') continue;
    if (equation[i] == '.') {
      take_ellipsis(equation, i, e.output, "output");
      continue;
    }
    const int label = label_at(equation, i);
    MONOGRAPH_CHECK(std::ranges::find(e.output, label) == e.output.end(), Runtime, "einsum(): output subscript ", letter(label),
                    " appears more than once in the output");
    e.output.push_back(label);
  }
  return e;
}

bool has(const Labels& labels, int label) { return std::ranges::find(labels, label) != labels.end(); }

// The labels of an operand, with one label for each dim of its ellipsis. `ellipsis` is the number of dims of the longest ellipsis of all operands.
Labels spread(const Labels& labels, int64_t dims, int64_t ellipsis) {
  const int64_t own = dims - std::ranges::count_if(labels, [](int l) { return l != kEllipsis; });
  Labels out;
  for (int label : labels) {
    if (label != kEllipsis) out.push_back(label);
    else
      for (int64_t k = ellipsis - own; k < ellipsis; ++k) out.push_back(kLetters + static_cast<int>(k));
  }
  return out;
}

struct Labeled {
  Tensor value;
  Labels labels;  // one for each dim, all different
  int64_t dim_of(int label) const { return std::ranges::find(labels, label) - labels.begin(); }
};

// Takes the diagonal for a letter that an operand has twice.
Labeled with_diagonals(Tensor x, Labels labels, size_t operand) {
  for (size_t k = 0; k < labels.size(); ++k) {
    for (size_t j = k + 1; j < labels.size();) {
      if (labels[j] != labels[k]) {
        ++j;
        continue;
      }
      const Sizes sizes = sizes_of(x);
      MONOGRAPH_CHECK(!never(sizes[k] == sizes[j]), Runtime, "einsum(): subscript ", letter(labels[k]), " is repeated for operand ",
                      operand, " but the sizes don't match, ", to_string(sizes[j]), " != ", to_string(sizes[k]));
      x = "movedim"_op("diagonal"_op(x, 0, static_cast<int64_t>(k), static_cast<int64_t>(j)), -1, static_cast<int64_t>(k));
      labels.erase(labels.begin() + static_cast<int64_t>(j));
    }
  }
  return {x, labels};
}

// Sums over the labels that neither another operand nor the result has.
Labeled summed(const Labeled& x, const std::vector<bool>& wanted) {
  Dims dims;
  Labels kept;
  for (size_t k = 0; k < x.labels.size(); ++k)
    if (wanted[static_cast<size_t>(x.labels[k])]) kept.push_back(x.labels[k]);
    else dims.push_back(static_cast<int64_t>(k));
  return dims.empty() ? x : Labeled{"sum"_op(x.value, dims, false), kept};
}

Tensor in_order(const Labeled& x, const Labels& order) {
  if (order == x.labels) return x.value;
  Dims dims;
  for (int label : order) dims.push_back(x.dim_of(label));
  return "permute"_op(x.value, dims);
}

Labels joined(std::initializer_list<const Labels*> parts) {
  Labels all;
  for (const Labels* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

Sizes sizes_of_labels(const Labeled& x, const Labels& labels) {
  const Sizes own = sizes_of(x.value);
  Sizes out;
  for (int label : labels) out.push_back(own[static_cast<size_t>(x.dim_of(label))]);
  return out;
}

// Flattens the dims of each part to one dim, in the order of the parts, for mm or bmm.
Tensor as_matrices(const Labeled& x, std::initializer_list<const Labels*> parts) {
  Tensor ordered = in_order(x, joined(parts));
  if (std::ranges::all_of(parts, [](const Labels* p) { return p->size() == 1; })) return ordered;
  Sizes sizes;
  for (const Labels* part : parts) sizes.push_back(element_count(sizes_of_labels(x, *part)));
  return "reshape"_op(ordered, sizes);
}

// Expands the dims of these labels to the same size in both operands. It expands equal sizes too, so that a capture records the same calls for all sizes.
void broadcast_labels(Labeled& a, Labeled& b, const Labels& labels) {
  if (labels.empty()) return;
  Sizes of_a = sizes_of(a.value), of_b = sizes_of(b.value);
  for (int label : labels) {
    const auto i = static_cast<size_t>(a.dim_of(label)), k = static_cast<size_t>(b.dim_of(label));
    if (certainly(of_a[i] == of_b[k])) continue;
    const Size both = of_a[i].is(1) ? of_b[k] : of_b[k].is(1) ? of_a[i] : broadcast_size(of_a[i], of_b[k]);
    of_a.set(i, both), of_b.set(k, both);
  }
  a.value = "expand"_op(a.value, of_a), b.value = "expand"_op(b.value, of_b);
}

// The product of two operands, summed over the labels that both have and that are not `wanted` by the result or a later operand.
Labeled contracted(const Labeled& left, const Labeled& right, const std::vector<bool>& wanted) {
  Labeled a = left, b = right;
  Labels batch, inner, of_a, of_b;
  for (int label : a.labels) (!has(b.labels, label) ? of_a : wanted[static_cast<size_t>(label)] ? batch : inner).push_back(label);
  for (int label : b.labels)
    if (!has(a.labels, label)) of_b.push_back(label);
  const Labels result = joined({&batch, &of_a, &of_b});
  if (inner.empty()) {  // nothing is summed
    Tensor x = in_order(a, joined({&batch, &of_a})), y = in_order(b, joined({&batch, &of_b}));
    for (size_t k = 0; k < of_b.size(); ++k) x = "unsqueeze"_op(x, -1);
    for (size_t k = 0; k < of_a.size(); ++k) y = "unsqueeze"_op(y, static_cast<int64_t>(batch.size()));
    return {"mul"_op(x, y), result};
  }
  broadcast_labels(a, b, joined({&batch, &inner}));
  Sizes sizes = sizes_of_labels(a, joined({&batch, &of_a}));
  const Sizes more = sizes_of_labels(b, of_b);
  for (size_t k = 0; k < more.size(); ++k) sizes.push_back(more[k]);
  const bool plain = batch.empty();
  const Tensor x = plain ? as_matrices(a, {&of_a, &inner}) : as_matrices(a, {&batch, &of_a, &inner});
  const Tensor y = plain ? as_matrices(b, {&inner, &of_b}) : as_matrices(b, {&batch, &inner, &of_b});
  const Tensor product = plain ? Tensor("mm"_op(x, y)) : Tensor("bmm"_op(x, y));
  const bool as_it_is = of_a.size() == 1 && of_b.size() == 1 && batch.size() <= 1;
  return {as_it_is ? product : Tensor("reshape"_op(product, sizes)), result};
}

void check_sizes(const std::vector<Labeled>& operands) {
  std::array<Size, kLetters + 64> seen;
  std::array<bool, kLetters + 64> any{};
  for (const Labeled& x : operands) {
    const Sizes sizes = sizes_of(x.value);
    for (size_t k = 0; k < x.labels.size(); ++k) {
      const auto label = static_cast<size_t>(x.labels[k]);
      if (!any[label] || seen[label].is(1)) seen[label] = sizes[k], any[label] = true;
      else if (!sizes[k].is(1))
        MONOGRAPH_CHECK(!never(seen[label] == sizes[k]), Runtime, "einsum(): operands do not broadcast with remapped shapes: subscript ",
                        label < kLetters ? letter(x.labels[k]) : std::string("..."), " has the sizes ", to_string(seen[label]), " and ",
                        to_string(sizes[k]));
    }
  }
}

// The labels of the result in order. Without "->" they are the ellipsis, then the letters that occur once, in alphabetic order.
Labels result_labels(const Equation& e, const std::vector<Labeled>& operands, int64_t ellipsis) {
  Labels out;
  auto add_ellipsis = [&] {
    for (int64_t k = 0; k < ellipsis; ++k) out.push_back(kLetters + static_cast<int>(k));
  };
  if (e.explicit_output) {
    for (int label : e.output) {
      if (label == kEllipsis) {
        add_ellipsis();
        continue;
      }
      MONOGRAPH_CHECK(std::ranges::any_of(operands, [&](const Labeled& x) { return has(x.labels, label); }), Runtime,
                      "einsum(): output subscript ", letter(label), " does not appear in the equation for any input operand");
      out.push_back(label);
    }
    return out;
  }
  add_ellipsis();
  for (int label = 0; label < kLetters; ++label) {
    int64_t count = 0;
    for (const Labels& labels : e.inputs) count += std::ranges::count(labels, label);
    if (count == 1) out.push_back(label);
  }
  return out;
}

IValue einsum(const IValue* args) {
  const std::vector<Tensor> tensors = args[1].to_tensors();
  MONOGRAPH_CHECK(!tensors.empty(), Runtime, "einsum(): must provide at least one operand");
  const std::string equation = args[0].to_string();
  const Equation e = parse(equation, tensors.size());
  int64_t ellipsis = 0;
  for (size_t k = 0; k < tensors.size(); ++k) {
    const bool open = has(e.inputs[k], kEllipsis);
    const int64_t dims = tensors[k].dim(), count = static_cast<int64_t>(e.inputs[k].size()) - open;
    MONOGRAPH_CHECK(open ? count <= dims : count == dims, Runtime, "einsum(): the number of subscripts in the equation (", count,
                    open ? ") is more than the number of dimensions (" : ") does not match the number of dimensions (", dims,
                    ") for operand ", k, open ? "" : " and no ellipsis was given");
    if (open) ellipsis = std::max(ellipsis, dims - count);
  }
  std::vector<Labeled> operands;
  for (size_t k = 0; k < tensors.size(); ++k)
    operands.push_back(with_diagonals(tensors[k], spread(e.inputs[k], tensors[k].dim(), ellipsis), k));
  const Labels result = result_labels(e, operands, ellipsis);
  check_sizes(operands);
  std::vector<bool> wanted(static_cast<size_t>(kLetters + ellipsis));
  auto want = [&](size_t from) {
    wanted.assign(wanted.size(), false);
    for (int label : result) wanted[static_cast<size_t>(label)] = true;
    for (size_t k = from; k < operands.size(); ++k)
      for (int label : operands[k].labels) wanted[static_cast<size_t>(label)] = true;
  };
  Labeled whole = operands[0];
  for (size_t k = 1; k < operands.size(); ++k) {
    want(k);
    whole = summed(whole, wanted);
    want(k + 1);
    std::vector<bool> beside = wanted;
    for (int label : whole.labels) beside[static_cast<size_t>(label)] = true;
    whole = contracted(whole, summed(operands[k], beside), wanted);
  }
  want(operands.size());
  whole = summed(whole, wanted);
  return in_order(whole, result);
}

}  // namespace

void einsum(Registry& r) {
  r.op("einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor")
      .may_return("tensors")
      .function_only()
      .decompose(einsum, Reads::Symbols)
      .onnx(none("decomposes to matrix products"))
      .doc(
          "The sums of products that the equation names: \"ij,jk->ik\" is a matrix product. Letters that stand on the left alone are "
          "summed.")
      .samples(R"([[q, [t(f32, *s) for s in shapes]] for q, shapes in (
                  ("ij,jk->ik", ((2, 3), (3, 4))), ("ij,jk", ((2, 3), (3, 4))), ("bij,bjk->bik", ((2, 3, 4), (2, 4, 5))), ("ii", ((3, 3),)), ("ii->i", ((3, 3),)),
                  ("ij->ji", ((2, 3),)), ("ij->", ((2, 3),)), ("ij->j", ((2, 3),)), ("i,j->ij", ((2,), (3,))), ("i,i", ((3,), (3,))), ("i,i->i", ((3,), (3,))),
                  ("bhqd,bhkd->bhqk", ((2, 2, 3, 4), (2, 2, 5, 4))), ("...ij,...jk->...ik", ((2, 1, 2, 3), (4, 3, 2))), ("...ij->...", ((2, 2, 3),)),
                  ("...,...", ((2, 3), (3,))), ("a...b,b...->...a", ((2, 5, 3), (3, 5))), ("ij,jk,kl->il", ((2, 3), (3, 4), (4, 2))), ("bn,anm,bm->ba", ((2, 3), (4, 3, 5), (2, 5))),
                  (" i j , j k -> k i ", ((2, 3), (3, 4))), ("Ab,bA", ((2, 3), (3, 2))), ("bA", ((2, 3),)), ("ij,ij->ij", ((1, 3), (2, 3))), ("ij,jk->ik", ((2, 1), (3, 4))),
                  ("ij,k->ik", ((2, 3), (4,))), ("iij->ij", ((2, 2, 3),)), ("ij,jk->ik", ((2, 0), (0, 4))), ("->", ((),)), (",", ((), ())), ("i,->i", ((3,), ())),
                  ("ij,jk->ii", ((2, 3), (3, 4))), ("ij,jk->im", ((2, 3), (3, 4))), ("ij,jk", ((2, 3),)), ("ij", ((2, 3), (3, 4))), ("i", ((2, 3),)), ("ijk...", ((2, 3),)),
                  ("i.j", ((2, 3),)), ("i..j", ((2, 3),)), ("......", ((2, 3),)), ("i1", ((2, 3),)), ("ii", ((2, 3),)), ("ij,jk", ((2, 3), (4, 5))), ("ij->i.", ((2, 3),)))]
               + [["ij,jk->ik", [t(d, 2, 3), t(d, 3, 4)]] for d in (f64, f16, i64)] + [["ij,kj->ik", [t(f32, 3, 2).t(), t(f32, 4, 6)[:, ::2]]]])");
}

}  // namespace monograph
