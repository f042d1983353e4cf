// A planned graph: instructions over registers, in the form that the interpreter runs. Private to src/exec.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ivalue.h"
#include "core/symint.h"
#include "ops/direct.h"
#include "ops/record.h"

namespace monograph::exec {

// A register, or a constant where negative: constant ~operand.
using ValueIndex = int32_t;
inline constexpr int32_t kNowhere = -1;  // a result that nobody uses

enum class Opcode : uint8_t {
  Call,      // results = op(operands)
  Fused,     // result = fused group `target` (operands)
  Invoke,    // results = function `target`(operands)
  Move,      // results = operands, all at once
  List,      // result = [operands]
  Tuple,
  Dict,
  Append,    // result = the list operand 0 with operand 1 appended: the same list where nothing else refers to it, else a copy
  Unpack,    // results = the items of operand 0, as many
  Item,      // result = operand 0 [operand 1], of a list, tuple or dict
  SymInt,    // result = the value of size expression `target`
  Guard,     // operand 0 equals operand 1, or it raises guard `target`
  Enter,     // the beginning of an arm or body: does nothing but free registers
  Branch,    // jumps to `target` unless operand 0
  Jump,      // to `target`
  LoopTest,  // operands: count, condition, counter; jumps to `target` if not (condition and counter < count); else result = counter, counter + 1
  Return,
};

struct Fused;  // exec/fusion.h

// Lists are slices of Function::pool.
struct Slice {
  uint32_t begin = 0, size = 0;
};

inline constexpr size_t kMostScalars = 4;  // the most operands that a scalar Call has

struct Instruction {
  Opcode code;
  bool check = false;  // some operand is to be converted or checked against the schema at run time
  bool scalar =
      false;  // a Call of an operator whose arguments are only numbers, bools and strs and that has one result: evaluated without dispatch
  const Operator* op = nullptr;
  Slice operands, results, frees;
  int32_t target = 0;
  Span span;
};

// An instruction in the form that the fast loop over numbers reads (exec/direct.cpp). Steps that would do nothing are skipped: `next` and `target` lead past
// them.
struct DirectStep {
  enum class Kind : uint8_t {
    None,  // only the interpreter runs it
    Evaluate,  // out = evaluate(a, b)
    Test,  // the same; then to `target` unless out
    Branch,  // to `target` unless a
    Copy,  // the pairs of `copies` from `target` on, `out` of them, one after the other
    Loop,  // a: count, b: condition, counter; to `target` if not (condition and counter < count); else out = counter, counter + 1
    Jump,  // to `next`
  };
  Kind kind = Kind::None;
  ValueIndex a = 0, b = 0;
  int32_t counter = 0, out = 0;
  uint32_t next = 0, target = 0;
  DirectFn evaluate = nullptr;
};

struct PlannedGuard {
  std::string expression;
  Span span;
  IValue expected;
  SymInt size;  // the size that a guard on a size checks
};

struct FunctionInput {
  std::string name;
  ir::Type type;
  bool optional = false;
  IValue default_value;
};

struct Function {
  std::string name;
  std::vector<FunctionInput> inputs;  // in registers 0, 1, …
  std::vector<Instruction> code;
  std::vector<DirectStep> direct;  // of each instruction
  std::vector<std::pair<ValueIndex, int32_t>> copies;  // from, to
  std::vector<int32_t> pool;
  std::vector<IValue> constants;
  std::vector<PlannedGuard> guards;
  std::vector<uint32_t> entry_guards;  // of sizes: checked at the start
  struct SymbolSource {
    const SymExpr* symbol;
    uint32_t input, dim;
  };
  std::vector<SymbolSource> symbols;  // where each symbol's value is read
  std::vector<SymInt> expressions;
  std::vector<std::shared_ptr<const Fused>> fused;
  uint32_t registers = 0;
  std::span<const int32_t> list(Slice s) const { return {pool.data() + s.begin, s.size}; }
};

struct Program {
  std::vector<Function> functions;  // the graph itself first
};

// Fills in `direct` and `copies`. tracked: the registers that may hold more than numbers and bools, so that they are freed after their last use.
void plan_direct(Function& f, const std::vector<bool>& tracked);
// Runs steps from `pc` on as long as they are numbers only. Returns the first instruction that the interpreter must run; nothing of it has been done. `ticks`
// counts loop iterations, up to `most`.
uint32_t run_direct(const Function& f, IValue* registers, uint32_t pc, int& ticks, int most);

// Error (Runtime) with the user's line where the value is not what the capture relied on.
void check_guard(const PlannedGuard& g, const IValue& value);
// container[key] of a list, tuple or dict; Error (Key, Index or Type) where there is no such item.
IValue item(const IValue& container, const IValue& key);

}  // namespace monograph::exec
