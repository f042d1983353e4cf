// Where the two ways from a jump meet again, and which locals are still read there.
#pragma once

#include "capture/machine/code.h"

#ifdef MONOGRAPH_MACHINE

namespace monograph::capture::machine {

class CodeFlow {
 public:
  CodeFlow(PyCodeObject* code, const CodeInfo& info);

  static constexpr int kReturn = -1;  // the ways meet where the function returns
  static constexpr int kNowhere = -2;
  // The first instruction that both ways from the jump that ends at offset `end` reach, unless they raise. kNowhere also where a way yields before.
  int meeting(int end) const;
  // Whether code at the offset, or behind it, may read a local before it sets it.
  bool live(int offset, int local) const;

 private:
  struct FlowNode {
    int begin, opcode, arg;
    int next = -1, jump = -1;  // indexes of instructions
    int handler = -1;  // that it goes to if it raises
  };
  void find_meetings();
  void find_live(int locals);
  bool yields_before(size_t jump, int meeting) const;

  std::vector<FlowNode> instructions_;
  std::vector<int> index_at_;  // by offset; -1 inside of an instruction
  std::vector<int> meeting_;  // by instruction: its immediate post-dominator's index, kReturn or kNowhere
  std::vector<std::vector<bool>> live_;
  bool all_live_ = false;
};

}  // namespace monograph::capture::machine
#endif
