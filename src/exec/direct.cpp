// A fast loop for code over numbers: arithmetic, comparisons, branches, loops and moves, without dispatch and without counting references.
//
// Each instruction has a DirectStep. A step whose operands have another type, or that would raise an error, leaves its instruction to the interpreter, which
// goes on from there. The planner also removes moves: a value that is computed only to be moved is computed into the register where it is needed.
#include <algorithm>
#include <unordered_set>

#include "exec/program.h"

namespace monograph::exec {
namespace {

using Kind = DirectStep::Kind;

class DirectPlanner {
 public:
  DirectPlanner(Function& f, const std::vector<bool>& tracked) : f_(f), tracked_(tracked), uses_(f.registers), definitions_(f.registers) {
    for (const Instruction& i : f.code) {
      for (int32_t r : f.list(i.operands))
        if (r >= 0) ++uses_[at(r)];
      for (int32_t r : f.list(i.results))
        if (r >= 0) ++definitions_[at(r)];
      if (jumps(i)) targets_.insert(i.target);
    }
    for (size_t k = 0; k < f.inputs.size(); ++k) ++definitions_[k];
  }

  void run() {
    for (size_t k = 0; k < f_.code.size(); ++k)
      if (f_.code[k].code == Opcode::Move) compute_in_place(k);
    f_.direct.resize(f_.code.size());
    for (size_t k = 0; k < f_.code.size(); ++k) step(k);
  }

 private:
  static size_t at(int32_t r) { return static_cast<size_t>(r); }
  static bool jumps(const Instruction& i) { return i.code == Opcode::Branch || i.code == Opcode::Jump || i.code == Opcode::LoopTest; }
  bool holds_number(int32_t r) const { return !tracked_[at(r)]; }

  // Removes the parts of a move whose value the straight code before it computes for nothing else.
  void compute_in_place(size_t move) {
    Instruction& m = f_.code[move];
    for (uint32_t k = 0; k < m.operands.size && k < m.results.size;) {
      const int32_t from = f_.pool[m.operands.begin + k], to = f_.pool[m.results.begin + k];
      if (!redirect(move, from, to)) {
        ++k;
        continue;
      }
      const auto drop = [&](Slice& s) {
        for (uint32_t j = k; j + 1 < s.size; ++j) f_.pool[s.begin + j] = f_.pool[s.begin + j + 1];
        --s.size;
      };
      drop(m.operands), drop(m.results);
    }
  }
  // Lets the instruction that computes register `from` write to register `to`, where nothing between it and the move reads or writes `to`. Returns whether it
  // did.
  bool redirect(size_t move, int32_t from, int32_t to) {
    if (from < 0 || to < 0 || from == to || !holds_number(from) || !holds_number(to)) return false;
    if (uses_[at(from)] != 1 || definitions_[at(from)] != 1) return false;
    const auto reads = [&](const Instruction& i) { return std::ranges::count(f_.list(i.operands), to) != 0; };
    if (reads(f_.code[move])) return false;
    if (targets_.contains(static_cast<int32_t>(move))) return false;
    for (size_t k = move; k-- > 0;) {
      Instruction& i = f_.code[k];
      if (jumps(i) || i.code == Opcode::Return) return false;
      const auto results = f_.list(i.results);
      if (const auto found = std::ranges::find(results, from); found != results.end()) {
        if (i.code != Opcode::Call || results.size() != 1) return false;
        f_.pool[i.results.begin] = to;
        return true;
      }
      if (reads(i) || std::ranges::count(results, to) || targets_.contains(static_cast<int32_t>(k))) return false;
    }
    return false;
  }

  // The first instruction from k on that does something. It exists: a cycle of jumps alone would be a loop without a test, which no plan has.
  uint32_t skip_empty(size_t k) const {
    for (;;) {
      const Instruction& i = f_.code[k];
      if (i.code == Opcode::Jump) k = at(i.target);
      else if (!i.frees.size && (i.code == Opcode::Enter || (i.code == Opcode::Move && !i.operands.size))) ++k;
      else return static_cast<uint32_t>(k);
    }
  }

  void step(size_t k) {
    const Instruction& i = f_.code[k];
    DirectStep& d = f_.direct[k];
    const auto operands = f_.list(i.operands), results = f_.list(i.results);
    if (skip_empty(k) != k) {
      d.kind = Kind::Jump, d.next = skip_empty(k);
      return;
    }
    if (i.frees.size) return;
    switch (i.code) {
      case Opcode::Call: return evaluation(k, i, d);
      case Opcode::Branch: d.kind = Kind::Branch, d.a = operands[0], d.target = skip_empty(at(i.target)); break;
      case Opcode::LoopTest:
        d.kind = Kind::Loop, d.a = operands[0], d.b = operands[1], d.counter = operands[2], d.out = results[0];
        d.target = skip_empty(at(i.target));
        break;
      case Opcode::Move:
        if (!copies(operands, results, d)) return;
        break;
      default: return;
    }
    d.next = skip_empty(k + 1);
  }

  void evaluation(size_t k, const Instruction& i, DirectStep& d) {
    const auto operands = f_.list(i.operands), results = f_.list(i.results);
    const DirectFn evaluate = direct_evaluation(*i.op);
    if (!evaluate || results[0] == kNowhere) return;
    d.kind = Kind::Evaluate, d.evaluate = evaluate, d.a = operands.front(), d.b = operands.back(), d.out = results[0];
    d.next = skip_empty(k + 1);
    const Instruction& then = f_.code[d.next];
    if (then.code != Opcode::Branch || then.frees.size || f_.list(then.operands)[0] != d.out) return;
    d.kind = Kind::Test, d.target = skip_empty(at(then.target)), d.next = skip_empty(d.next + 1);
  }

  // Turns the moves of an instruction, which happen at once, into copies one after the other, none of which writes a register that a later one reads. Returns
  // false where a register may hold more than a number.
  bool copies(std::span<const int32_t> from, std::span<const int32_t> to, DirectStep& d) {
    std::vector<std::pair<ValueIndex, int32_t>> left, order;
    for (size_t k = 0; k < to.size(); ++k) {
      if (to[k] == kNowhere || from[k] == to[k]) continue;
      if (!holds_number(to[k]) || (from[k] >= 0 && !holds_number(from[k]))) return false;
      left.emplace_back(from[k], to[k]);
    }
    while (!left.empty()) {
      const auto free = std::ranges::find_if(left, [&](const auto& copy) {
        return std::ranges::none_of(left, [&](const auto& other) { return &other != &copy && other.first == copy.second; });
      });
      if (free == left.end()) {
        // The copies form a cycle, such as a, b = b, a: one value is first saved in a new register.
        const auto r = static_cast<int32_t>(f_.registers++);
        order.emplace_back(left[0].first, r);
        left[0].first = r;
        continue;
      }
      order.push_back(*free);
      left.erase(free);
    }
    d.kind = Kind::Copy, d.target = static_cast<uint32_t>(f_.copies.size()), d.out = static_cast<int32_t>(order.size());
    f_.copies.insert(f_.copies.end(), order.begin(), order.end());
    return true;
  }

  Function& f_;
  const std::vector<bool>& tracked_;
  std::vector<uint32_t> uses_, definitions_;
  std::unordered_set<int32_t> targets_;
};

}  // namespace

void plan_direct(Function& f, const std::vector<bool>& tracked) { DirectPlanner(f, tracked).run(); }

uint32_t run_direct(const Function& f, IValue* registers, uint32_t pc, int& ticks, int most) {
  const DirectStep* const steps = f.direct.data();
  const IValue* const constants = f.constants.data();
  const auto value = [&](ValueIndex o) -> const IValue& { return o >= 0 ? registers[o] : constants[~static_cast<size_t>(o)]; };
  for (;;) {
    const DirectStep& d = steps[pc];
    switch (d.kind) {
      case Kind::None: return pc;
      case Kind::Jump: pc = d.next; break;
      case Kind::Evaluate:
        if (!d.evaluate(value(d.a), value(d.b), registers[d.out])) return pc;
        pc = d.next;
        break;
      case Kind::Test:
        if (!d.evaluate(value(d.a), value(d.b), registers[d.out]) || !holds<bool>(registers[d.out])) return pc;
        pc = raw_number<bool>(registers[d.out]) ? d.next : d.target;
        break;
      case Kind::Branch: {
        const IValue& condition = value(d.a);
        if (!holds<bool>(condition)) return pc;
        pc = raw_number<bool>(condition) ? d.next : d.target;
        break;
      }
      case Kind::Copy: {
        const auto* copy = f.copies.data() + d.target;
        for (const auto* const end = copy + d.out; copy != end; ++copy) registers[copy->second] = value(copy->first);
        pc = d.next;
        break;
      }
      case Kind::Loop: {
        const IValue &count = value(d.a), &condition = value(d.b), &counter = registers[d.counter];
        if (!holds<int64_t>(count) || !holds<bool>(condition) || !holds<int64_t>(counter)) return pc;
        const auto done = raw_number<int64_t>(counter);
        if (!raw_number<bool>(condition) || done >= raw_number<int64_t>(count)) {
          pc = d.target;
          break;
        }
        if (ticks + 1 >= most) return pc;  // the interpreter asks for interrupts
        ++ticks;
        if (d.out != kNowhere) registers[d.out] = IValue(done);
        registers[d.counter] = IValue(done + 1);
        pc = d.next;
        break;
      }
    }
  }
}

}  // namespace monograph::exec
