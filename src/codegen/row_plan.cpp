// Each value is computed in the first phase in which all reductions that it depends on are known. A value that several phases need is computed again, or
// kept in the memory of a result if that is cheaper.
#include "codegen/row_plan.h"

#include <algorithm>

namespace monograph {
namespace {

// Values that are cheaper than this are computed again in each phase.
constexpr size_t kCheap = 10;

template <class F>
void each_operand(const Ins& n, F&& f) {
  const uint32_t operands[] = {n.a, n.b, n.c};
  for (int k = 0; k < operand_count(n); ++k) f(operands[k], k);
}

// The element values that phase p needs.
std::vector<uint32_t> phase_roots(const Body& body, const RowPlan& plan, size_t p) {
  std::vector<uint32_t> roots;
  for (uint32_t r : plan.phases[p].reduces) roots.push_back(body.ins[r].a);
  if (plan.phases[p].stores_outs)
    for (const Body::Out& o : body.outs) {
      if (o.arg.uniform) continue;
      roots.push_back(o.re);
      if (is_complex(o.arg.dtype)) roots.push_back(o.im);
    }
  return roots;
}

// Whether the later phases read no arguments if `id` is kept from phase p on: results may share memory with arguments.
bool frees_arguments(const Body& body, const RowPlan& plan, uint32_t id, size_t p) {
  std::vector<bool> known = plan.uniform;
  known[id] = true;
  for (size_t q = p + 1; q < plan.phases.size(); ++q) {
    const std::vector<bool> needed = backward_slice(body, phase_roots(body, plan, q), known);
    for (uint32_t i = 0; i < body.ins.size(); ++i)
      if (needed[i] && body.ins[i].fn == Fn::Arg) return false;
  }
  return true;
}

size_t cost(const Body& body, const std::vector<bool>& needed) {
  size_t count = 0;
  for (uint32_t i = 0; i < body.ins.size(); ++i) count += needed[i] && body.ins[i].fn != Fn::Const && body.ins[i].fn != Fn::Arg;
  return count;
}

// Chooses the most expensive value that is worth keeping.
void choose_kept(const Body& body, RowPlan& plan) {
  if (plan.phases.size() < 2) return;
  size_t out = body.outs.size();
  for (size_t k = body.outs.size(); k-- > 0;)
    if (!body.outs[k].arg.uniform && (body.outs[k].arg.dtype == DType::f32 || body.outs[k].arg.dtype == DType::f64)) out = k;
  if (out == body.outs.size()) return;
  size_t best = kCheap;
  std::vector<std::vector<bool>> needed;
  for (size_t p = 0; p < plan.phases.size(); ++p) needed.push_back(backward_slice(body, phase_roots(body, plan, p), plan.uniform));
  for (uint32_t i = 0; i < body.ins.size(); ++i) {
    if (plan.uniform[i] || body.ins[i].fn == Fn::Arg || body.ins[i].t != body.outs[out].arg.dtype) continue;
    size_t first = 0;
    while (first < needed.size() && !needed[first][i]) ++first;
    const bool again =
        first < needed.size() && std::any_of(needed.begin() + static_cast<long>(first) + 1, needed.end(), [&](auto& p) { return p[i]; });
    if (!again) continue;
    const size_t saved = cost(body, backward_slice(body, {i}, plan.uniform));
    if (saved < best || !frees_arguments(body, plan, i, first)) continue;
    best = saved;
    plan.kept = i;
    plan.kept_in = out;
    for (size_t p = 0; p < plan.phases.size(); ++p) plan.phases[p].stores_kept = p == first, plan.phases[p].loads_kept = p > first;
  }
}

void describe_phase(const Body& body, RowPlan& plan, size_t p) {
  RowPlan::Phase& phase = plan.phases[p];
  const size_t outs = body.outs.size();
  phase.roots = phase_roots(body, plan, p);
  std::vector<bool> known = plan.uniform;
  if (phase.stores_kept) phase.roots.push_back(*plan.kept);
  if (phase.loads_kept) known[*plan.kept] = true;
  const std::vector<bool> needed = backward_slice(body, phase.roots, known);
  phase.cost = cost(body, needed);
  phase.reads.assign(outs + body.args.size(), false);
  phase.writes = phase.reads;
  for (uint32_t i = 0; i < body.ins.size(); ++i)
    if (needed[i] && body.ins[i].fn == Fn::Arg) phase.reads[outs + body.ins[i].imm] = true;
  if (phase.loads_kept) phase.reads[plan.kept_in] = true;
  if (phase.stores_kept) phase.writes[plan.kept_in] = true;
  for (size_t k = 0; k < outs; ++k)
    if (phase.stores_outs && !body.outs[k].arg.uniform) phase.writes[k] = true;
}

}  // namespace

std::vector<bool> backward_slice(const Body& body, const std::vector<uint32_t>& roots, const std::vector<bool>& known) {
  std::vector<bool> needed(body.ins.size());
  for (uint32_t r : roots) needed[r] = !known[r];
  for (size_t i = body.ins.size(); i-- > 0;)
    if (needed[i]) each_operand(body.ins[i], [&](uint32_t k, int) { needed[k] = !known[k]; });
  return needed;
}

std::vector<uint32_t> RowPlan::uniforms_at(const Body& body, int at) const {
  std::vector<uint32_t> ids;
  for (uint32_t i = 0; i < body.ins.size(); ++i)
    if (uniform[i] && level[i] == at && body.ins[i].fn != Fn::Reduce && body.ins[i].fn != Fn::Const) ids.push_back(i);
  return ids;
}

RowPlan plan_rows(const Body& body) {
  RowPlan plan;
  plan.uniform = uniform_instructions(body);
  plan.level.assign(body.ins.size(), 0);
  for (uint32_t i = 0; i < body.ins.size(); ++i) {
    const Ins& n = body.ins[i];
    each_operand(n, [&](uint32_t k, int) { plan.level[i] = std::max(plan.level[i], plan.level[k]); });
    if (n.fn != Fn::Reduce) continue;
    const size_t phase = static_cast<size_t>(plan.level[i]++);
    if (plan.phases.size() <= phase) plan.phases.resize(phase + 1);
    plan.phases[phase].reduces.push_back(i);
  }
  bool has_elements = false;
  size_t last = plan.phases.empty() ? 0 : plan.phases.size() - 1;
  for (const Body::Out& o : body.outs) {
    if (o.arg.uniform) continue;
    has_elements = true;
    last = std::max(last, static_cast<size_t>(plan.level[o.re]));
    if (is_complex(o.arg.dtype)) last = std::max(last, static_cast<size_t>(plan.level[o.im]));
  }
  if (has_elements) {
    if (plan.phases.size() <= last) plan.phases.resize(last + 1);
    plan.phases[last].stores_outs = true;
  }
  choose_kept(body, plan);
  for (size_t p = 0; p < plan.phases.size(); ++p) describe_phase(body, plan, p);
  return plan;
}

RareContexts rare_contexts(const Body& body, const std::vector<uint32_t>& roots, const std::vector<bool>& needed) {
  const size_t count = body.ins.size();
  RareContexts rare{std::vector<uint32_t>(count, kNoContext), std::vector<bool>(count)};
  std::vector<bool> placed(count);
  auto depth = [&](uint32_t c) {
    int d = 0;
    for (; c != kNoContext; c = rare.context[c]) ++d;
    return d;
  };
  // The innermost context that contains both.
  auto common = [&](uint32_t a, uint32_t b) {
    int da = depth(a), db = depth(b);
    while (a != b) {
      if (da >= db) a = rare.context[a], --da;
      else b = rare.context[b], --db;
    }
    return a;
  };
  auto use = [&](uint32_t id, uint32_t context) {
    rare.context[id] = placed[id] ? common(rare.context[id], context) : context;
    placed[id] = true;
  };
  for (uint32_t r : roots) use(r, kNoContext);
  for (uint32_t i = static_cast<uint32_t>(count); i-- > 0;) {
    const Ins& n = body.ins[i];
    if (!needed[i]) continue;
    if (n.fn == Fn::RaiseIf) rare.context[i] = kNoContext;  // an error must be noted, whichever value is selected
    const bool is_rare = n.fn == Fn::Select && n.imm != 0;
    each_operand(n, [&](uint32_t k, int position) { use(k, is_rare && position == 1 ? i : rare.context[i]); });
  }
  for (uint32_t i = 0; i < count; ++i)
    if (needed[i] && rare.context[i] != kNoContext && body.ins[i].fn != Fn::Const) rare.guards[rare.context[i]] = true;
  return rare;
}

}  // namespace monograph
