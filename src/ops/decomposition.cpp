// Finds what decomposes an operator, if anything: the rule that its record states, its pointwise body, or its row program.
#include "ops/decomposition.h"

#include "ops/rows.h"

namespace monograph {
namespace {

// Whether an instruction of a body is an operator that a graph can call.
bool is_operator(const Ins& n, bool rows) {
  switch (n.fn) {
    case Fn::Index:
    case Fn::Rem:
    case Fn::Shl:
    case Fn::Shr:
    case Fn::Sar:
    case Fn::MulHi:
    case Fn::Bits:
    case Fn::FromBits:
    case Fn::RaiseIf: return false;
    case Fn::Count: return rows;
    case Fn::Reduce: return static_cast<Combine>(n.imm) != Combine::Prod;
    default: return true;
  }
}

// How a body decomposes: a body of one instruction is a core operator; a longer one decomposes (`kind`: Body or Rows) if all of them are operators.
Decomposition of(const Body& body, Decomposition kind) {
  int instructions = 0;
  for (const Ins& n : body.ins) instructions += n.fn != Fn::Arg && n.fn != Fn::Const && n.fn != Fn::Convert && n.fn != Fn::Count;
  if (instructions <= 1) return Decomposition::Core;
  for (const Ins& n : body.ins)
    if (!is_operator(n, kind == Decomposition::Rows)) return Decomposition::Blank;
  return kind;
}

// One of the dtypes that the operator takes, to record its body with.
DType sample_dtype(DTypeSet dtypes) {
  for (DType t : {DType::f32, DType::i64, DType::b1})
    if (contains(dtypes, t)) return t;
  return DType::f32;
}

}  // namespace

Decomposition decomposition(const Operator& op) {
  if (op.decompose) return Decomposition::Stated;
  if (op.no_decomposition) return Decomposition::Core;
  if (op.pointwise) return of(op.pointwise->record(sample_dtype(op.pointwise->dtypes)), Decomposition::Body);
  if (!op.rows) return op.evaluates() ? Decomposition::Core : Decomposition::Blank;
  DType t = sample_dtype(op.rows->dtypes);
  unsigned all = 1;
  for (size_t k = 1; k < op.rows->tensors.size(); ++k)
    if (op.rows->tensors[k] >= 0) all |= 1u << k;
  return of(record_rows(*op.rows, t, row_result(*op.rows, t), all), Decomposition::Rows);
}

}  // namespace monograph
