// Fuses operators: the instructions of one operator's body are recorded again into the body of the group, with the values of the group as arguments.
#include "ops/fuse.h"

#include "core/error.h"

namespace monograph {

std::vector<Num> replay(const Body& body, std::span<const Num> args) {
  Recorder& r = Recorder::current();
  std::vector<Num> made;
  made.reserve(body.ins.size());
  for (Ins n : body.ins) {
    if (n.fn == Fn::Arg) {
      Num x = args[n.imm];
      MONOGRAPH_ASSERT(x.t == n.t);
      made.push_back(x);
      continue;
    }
    // A Call of one argument has b = a, which operand_count knows.
    int operands = operand_count(n);
    uint32_t* places[] = {&n.a, &n.b, &n.c};
    for (int k = 0; k < operands; ++k) *places[k] = made[*places[k]].id;
    if (n.fn == Fn::Call && operands == 1) n.b = n.a;
    made.push_back(r.put(n));
  }
  std::vector<Num> results;
  results.reserve(body.outs.size());
  for (const Body::Out& out : body.outs) results.push_back(made[out.re]);
  return results;
}

}  // namespace monograph
