// Where the two ways from a jump meet again, which locals are still read there, and what is a loop.
#pragma once

#include "capture/machine/code.h"

#ifdef MONOGRAPH_MACHINE
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace monograph::capture::machine {

// A loop as it is captured: rounds begin behind a jump, its head, and end at a head again, or where the loop is left.
//
//   while x.sum() < 10:        head 1, before the loop, and head 2, behind its body: both lead to the same two places
//       x = x * 2
//   while True:
//       x = x * 2
//       if x.sum() > 10:       head; the first part of the body runs once before the loop
//           break
//   for row in x:              head: FOR_ITER
struct LoopFlow {
  struct Head {
    int offset;
    bool stays_when;  // the truth of its condition with which a round follows
  };
  std::vector<Head> heads;
  bool is_for = false;
  bool exits_early = false;  // the body has a break or a return
  int stay = 0, leave = 0;  // where a head leads to
  int end = 0;  // where `leave` and all early exits meet: an offset, or kReturn
  mutable size_t end_depth = 0;  // of the stack at `end`, once a round has come there
  std::pair<size_t, size_t> region;  // the instructions from the first to the last one of the loop
  std::vector<bool> stops;  // by offset: a round ends there
  std::vector<int> meeting;  // by instruction: as CodeFlow's, within a round; kReturn stands for the round's end
  const Head* head_at(int offset) const {
    for (const Head& h : heads)
      if (h.offset == offset) return &h;
    return nullptr;
  }
};

class CodeFlow {
 public:
  CodeFlow(PyCodeObject* code, const CodeInfo& info);

  static constexpr int kReturn = -1;  // the ways meet where the function returns
  static constexpr int kNowhere = -2;
  static constexpr int kRoundEnd = -3;  // the ways meet where the round of the loop ends
  // Whether one of the two ways from the jump that ends at offset `end` always raises, and the other one does not.
  bool one_way_raises(int end) const;
  // The first instruction that both ways from the jump that ends at offset `end` reach, unless they raise. kNowhere also where a way yields before.
  // `round`: of the loop whose body runs, or null.
  int meeting(int end, const LoopFlow* round = nullptr) const;
  // The loop that the jump which ends at offset `end` decides about; null if it does not, or if it leaves two loops at once. `round`: as above.
  const LoopFlow* loop(int end, const LoopFlow* round);
  // Where the instruction ends that begins at the offset.
  int end_of(int offset) const;
  // Whether code at the offset, or behind it, may read a local before it sets it.
  bool live(int offset, int local) const;
  // Whether an instruction behind the one that ends at the offset may read the local.
  bool live_behind(int end, int local) const;

 private:
  struct FlowNode {
    int begin, opcode, arg;
    int next = -1, jump = -1;  // indexes of instructions
    int handler = -1;  // that it goes to if it raises
  };
  std::vector<int> post_dominators(const std::vector<bool>& cuts) const;
  void find_regions();
  std::optional<std::pair<size_t, size_t>> region_of(size_t instruction) const;
  int index_before(int end) const;
  bool reaches(int from, const std::vector<size_t>& heads, const LoopFlow& loop, const LoopFlow* round) const;
  std::unique_ptr<LoopFlow> find_loop(size_t jump, const LoopFlow* round) const;
  bool complete(LoopFlow& loop, size_t jump, const std::vector<size_t>& heads, const LoopFlow* round) const;
  void find_live(int locals);
  void find_reads_by_name(PyCodeObject* code);
  bool yields_before(size_t jump, const std::vector<bool>& cuts) const;

  std::vector<FlowNode> instructions_;
  std::vector<int> index_at_;  // by offset; -1 inside of an instruction
  std::vector<int> meeting_;  // by instruction: its immediate post-dominator's index, kReturn or kNowhere
  std::vector<std::vector<bool>> live_;
  std::vector<std::pair<size_t, size_t>> regions_;  // of loops: from the target of a jump backwards to the last such jump
  std::map<std::pair<size_t, const LoopFlow*>, std::unique_ptr<LoopFlow>> loops_;
  bool all_live_ = false;  // some call reads the locals by their names
  bool first_live_ = false;  // super() without arguments reads the first one
};

}  // namespace monograph::capture::machine
#endif
