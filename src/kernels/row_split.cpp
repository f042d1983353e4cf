// Splits the reduction of one long row into pieces that threads compute, without a change in the result's bits.
//
// The blocks of a row are added in a fixed tree (docs/numerics.md). A piece has a power of two of blocks and begins at a multiple of its length. So
// the sum of a piece is a node of that tree, and the pieces combine in the same order as the blocks would.
#include "kernels/row_split.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/threads/pool.h"
#include "kernels/evaluator.h"
#include "kernels/registry.h"

namespace monograph {
namespace {

constexpr int64_t kMaxPieces = 64, kPiecesPerThread = 4;

// Copies the instructions of `body` that `wanted` marks, with new numbers; `place` maps an old number to the new one.
std::vector<Ins> kept_instructions(const Body& body, const std::vector<bool>& wanted, std::vector<uint32_t>& place) {
  std::vector<Ins> kept;
  place.assign(body.ins.size(), 0);
  for (size_t i = 0; i < body.ins.size(); ++i) {
    if (!wanted[i]) continue;
    Ins n = body.ins[i];
    uint32_t* operands[] = {&n.a, &n.b, &n.c};
    for (int k = 0; k < operand_count(n); ++k) *operands[k] = place[*operands[k]];
    place[i] = static_cast<uint32_t>(kept.size());
    kept.push_back(n);
  }
  return kept;
}

// Marks the operands of the marked instructions, and their operands. `leaf` instructions are not followed.
template <class F>
void mark_operands(const Body& body, std::vector<bool>& wanted, F&& leaf) {
  for (size_t i = body.ins.size(); i-- > 0;) {
    const Ins& n = body.ins[i];
    if (!wanted[i] || leaf(n)) continue;
    const uint32_t operands[] = {n.a, n.b, n.c};
    for (int k = 0; k < operand_count(n); ++k) wanted[operands[k]] = true;
  }
}

bool is_reduce(const Ins& n) { return n.fn == Fn::Reduce; }

// The body that computes the values of the reductions for a piece of the row.
Body piece_body(const Body& body) {
  std::vector<bool> wanted(body.ins.size());
  for (size_t i = 0; i < body.ins.size(); ++i) wanted[i] = is_reduce(body.ins[i]);
  mark_operands(body, wanted, [](const Ins&) { return false; });
  std::vector<uint32_t> place;
  Body piece{kept_instructions(body, wanted, place), body.args, {}};
  for (size_t i = 0; i < body.ins.size(); ++i)
    if (is_reduce(body.ins[i])) piece.outs.push_back({{body.ins[i].t, true}, place[i]});
  return piece;
}

// The body that computes the results from the values of the reductions. Its arguments are the reductions, the uniform arguments and the count, in this order.
Body finish_body(const Body& body, std::span<const size_t> uniform) {
  std::vector<bool> wanted(body.ins.size());
  for (const Body::Out& o : body.outs) wanted[o.re] = wanted[o.im] = true;
  mark_operands(body, wanted, is_reduce);
  std::vector<uint32_t> place;
  Body finish{kept_instructions(body, wanted, place), {}, body.outs};
  size_t folds = 0;
  for (size_t i = 0; i < body.ins.size(); ++i) {
    if (!is_reduce(body.ins[i])) continue;
    if (wanted[i]) finish.ins[place[i]] = {Fn::Arg, body.ins[i].t, 0, 0, 0, folds};
    finish.args.push_back({body.ins[i].t});
    ++folds;
  }
  for (Ins& n : finish.ins)
    if (n.fn == Fn::Count) n = {Fn::Arg, DType::i64, 0, 0, 0, folds + uniform.size()};
  for (size_t i = 0; i < body.ins.size(); ++i)
    if (wanted[i] && body.ins[i].fn == Fn::Arg)
      finish.ins[place[i]].imm = folds + static_cast<size_t>(std::ranges::find(uniform, body.ins[i].imm) - uniform.begin());
  for (size_t k : uniform) finish.args.push_back({body.args[k].dtype});
  finish.args.push_back({DType::i64});
  for (Body::Out& o : finish.outs) o.arg.uniform = false, o.re = place[o.re], o.im = place[o.im];
  return finish;
}

// Whether each piece of the row can be reduced without the others.
bool splits(const Body& body) {
  std::vector<bool> reduced(body.ins.size());  // marks instructions that depend on a reduction
  for (size_t i = 0; i < body.ins.size(); ++i) {
    const Ins& n = body.ins[i];
    if (n.fn == Fn::Index || n.fn == Fn::RaiseIf) return false;
    const uint32_t operands[] = {n.a, n.b, n.c};
    for (int k = 0; k < operand_count(n); ++k) reduced[i] = reduced[i] || reduced[operands[k]];
    if (is_reduce(n) && reduced[i]) return false;
    reduced[i] = reduced[i] || is_reduce(n);
  }
  return std::ranges::all_of(body.outs, [](const Body::Out& o) { return o.arg.uniform && !is_complex(o.arg.dtype); }) &&
         std::ranges::none_of(body.args, [](const BodyArg& a) { return is_complex(a.dtype); });
}

}  // namespace

std::unique_ptr<const RowSplit> RowSplit::make(const Body& body, KernelForm form) {
  if (form != KernelForm::Inner || !splits(body)) return nullptr;
  auto split = std::make_unique<RowSplit>();
  for (const Ins& n : body.ins)
    if (is_reduce(n)) split->folds_.push_back({static_cast<Combine>(n.imm), n.t});
  if (split->folds_.empty() || split->folds_.size() > kMaxFolds) return nullptr;
  if (body.outs.size() + kMaxFolds + body.args.size() + 1 > kMaxOperands) return nullptr;
  split->piece_ = piece_body(body);
  // Count would be the number of elements of the piece, not of the row
  if (std::ranges::any_of(split->piece_.ins, [](const Ins& n) { return n.fn == Fn::Count; })) return nullptr;
  split->piece_kernel_ = find_kernel(hash(split->piece_), form);
  if (split->piece_kernel_ == nullptr) return nullptr;
  for (size_t k = 0; k < body.args.size(); ++k)
    if (body.args[k].uniform) split->uniform_.push_back(k);
  split->finish_ = finish_body(body, split->uniform_);
  return split;
}

uint64_t RowSplit::whole(size_t fold, const Values* values, int64_t full, int64_t pieces) const {
  const auto [how, dtype] = folds_[fold];
  std::array<uint64_t, 64> node;  // the binary counter over full pieces: one node for each level
  for (int64_t p = 0; p < full; ++p) {
    uint64_t value = values[p][fold];
    size_t level = 0;
    for (; p >> level & 1; ++level) value = combine(how, dtype, node[level], value);
    node[level] = value;
  }
  bool begun = full < pieces;  // the shorter piece at the end is the newest node
  uint64_t value = begun ? values[full][fold] : 0;
  for (size_t level = 0; full >> level; ++level) {
    if (!(full >> level & 1)) continue;
    value = begun ? combine(how, dtype, node[level], value) : node[level];
    begun = true;
  }
  return value;
}

int32_t RowSplit::reduce_piece(char* const* arguments, const int64_t* inner, int64_t first, int64_t n, Values& values) const {
  std::array<char*, kMaxOperands> pointers;
  std::array<int64_t, kMaxOperands> steps{};
  const std::array<int64_t, kMaxOperands> outer{};
  size_t at = 0;
  for (; at < folds_.size(); ++at) pointers[at] = reinterpret_cast<char*>(&values[at]);
  for (size_t k = 0; k < piece_.args.size(); ++k, ++at) {
    steps[at] = piece_.args[k].uniform ? 0 : inner[k];
    pointers[at] = arguments[k] + first * steps[at];
  }
  return piece_kernel_(pointers.data(), steps.data(), n, outer.data(), 1);
}

int32_t RowSplit::run(char* const* operands, const int64_t* inner, int64_t n) const {
  const size_t results = finish_.outs.size();
  const int64_t most = std::min<int64_t>(kMaxPieces, num_threads() * kPiecesPerThread);
  int64_t length = kInnerBlock;
  while (length * most < n) length *= 2;
  const int64_t pieces = (n - 1) / length + 1;
  std::array<Values, kMaxPieces> values{};
  parallel_for(0, pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p)
      reduce_piece(operands + results, inner + results, p * length, std::min(length, n - p * length), values[static_cast<size_t>(p)]);
  });
  Values whole_row;
  std::array<char*, kMaxOperands> pointers;
  const std::array<int64_t, kMaxOperands> none{};
  size_t at = 0;
  for (size_t k = 0; k < results; ++k) pointers[at++] = operands[k];
  for (size_t k = 0; k < folds_.size(); ++k) {
    whole_row[k] = whole(k, values.data(), n / length, pieces);
    pointers[at++] = reinterpret_cast<char*>(&whole_row[k]);
  }
  for (size_t k : uniform_) pointers[at++] = operands[results + k];
  pointers[at++] = reinterpret_cast<char*>(&n);
  return evaluate(finish_, KernelForm::Pointwise, pointers.data(), none.data(), 1, none.data(), 1);
}

}  // namespace monograph
