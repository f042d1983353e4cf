// Post-dominators by the algorithm of Cooper, Harvey and Kennedy, from the returns backwards. An instruction that raises leads nowhere: the other way alone
// says where a fork ends. Live locals by the usual backward iteration.
#include "capture/machine/flow.h"

#ifdef MONOGRAPH_MACHINE
#include <algorithm>

#include "capture/machine/verify.h"

namespace monograph::capture::machine {

CodeFlow::CodeFlow(PyCodeObject* code, const CodeInfo& info) {
  const int size = static_cast<int>(info.units.size());
  index_at_.assign(static_cast<size_t>(size) + 1, -1);
  std::vector<Successors> after;
  for (int offset = 0; offset < size;) {
    const Decoded d = decode(info.units, offset);
    index_at_[static_cast<size_t>(offset)] = static_cast<int>(instructions_.size());
    instructions_.push_back({offset, d.opcode, d.arg});
    after.push_back(successors(d));
    if (const Handler* handler = info.handler_at(d.offset)) instructions_.back().handler = handler->target;
    offset = d.end;
  }
  auto index = [&](int offset) { return offset < 0 || offset >= size ? -1 : index_at_[static_cast<size_t>(offset)]; };
  for (size_t k = 0; k < instructions_.size(); ++k) {
    FlowNode& i = instructions_[k];
    i.next = index(after[k].next), i.jump = index(after[k].jump), i.handler = index(i.handler);
  }
  find_reads_by_name(code);
  find_regions();
  meeting_ = post_dominators(std::vector<bool>(instructions_.size(), false));
  find_live(code->co_nlocalsplus);
}

// The post-dominators where an instruction in `cuts` counts as an end, as a return does.
std::vector<int> CodeFlow::post_dominators(const std::vector<bool>& cuts) const {
  const size_t n = instructions_.size(), exit = n;
  std::vector<std::vector<size_t>> before(n + 1);
  for (size_t k = 0; k < n; ++k) {
    if (instructions_[k].opcode == RETURN_VALUE || cuts[k]) before[exit].push_back(k);
    if (cuts[k]) continue;
    for (const int to : {instructions_[k].next, instructions_[k].jump})
      if (to >= 0) before[static_cast<size_t>(to)].push_back(k);
  }
  // Orders the instructions that reach a return, each behind those that follow it.
  std::vector<size_t> order;
  std::vector<int> number(n + 1, -1);
  std::vector<std::pair<size_t, size_t>> open{{exit, 0}};
  std::vector<bool> seen(n + 1, false);
  seen[exit] = true;
  while (!open.empty()) {
    auto& [node, at] = open.back();
    if (at < before[node].size()) {
      const size_t to = before[node][at++];
      if (!seen[to]) seen[to] = true, open.emplace_back(to, 0);
      continue;
    }
    number[node] = static_cast<int>(order.size());
    order.push_back(node);
    open.pop_back();
  }
  constexpr int kNone = -1;
  std::vector<int> dominator(n + 1, kNone);
  dominator[exit] = static_cast<int>(exit);
  auto common = [&](int a, int b) {
    while (a != b) {
      while (number[static_cast<size_t>(a)] < number[static_cast<size_t>(b)]) a = dominator[static_cast<size_t>(a)];
      while (number[static_cast<size_t>(b)] < number[static_cast<size_t>(a)]) b = dominator[static_cast<size_t>(b)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (*it == exit) continue;
      int found = kNone;
      auto add = [&](int to) {
        if (to >= 0 && dominator[static_cast<size_t>(to)] != kNone) found = found == kNone ? to : common(found, to);
      };
      if (instructions_[*it].opcode == RETURN_VALUE || cuts[*it]) add(static_cast<int>(exit));
      if (!cuts[*it]) add(instructions_[*it].next), add(instructions_[*it].jump);
      if (found != dominator[*it]) dominator[*it] = found, changed = true;
    }
  }
  std::vector<int> met(n, kNowhere);
  for (size_t k = 0; k < n; ++k)
    if (dominator[k] != kNone) met[k] = dominator[k] == static_cast<int>(exit) ? kReturn : dominator[k];
  return met;
}

bool CodeFlow::yields_before(size_t jump, const std::vector<bool>& cuts) const {
  std::vector<bool> seen(instructions_.size(), false);
  std::vector<int> open{instructions_[jump].next, instructions_[jump].jump};
  while (!open.empty()) {
    const int k = open.back();
    open.pop_back();
    if (k < 0 || cuts[static_cast<size_t>(k)] || seen[static_cast<size_t>(k)]) continue;
    seen[static_cast<size_t>(k)] = true;
    const FlowNode& i = instructions_[static_cast<size_t>(k)];
    if (i.opcode == YIELD_VALUE || i.opcode == SEND) return true;
    open.push_back(i.next), open.push_back(i.jump);
  }
  return false;
}

// The instruction that ends at the offset: the one before the next one.
int CodeFlow::index_before(int end) const {
  if (end <= 0 || static_cast<size_t>(end) >= index_at_.size()) return -1;
  return index_at_[static_cast<size_t>(end)] - 1;
}

bool CodeFlow::one_way_raises(int end) const {
  const int at = index_before(end);
  if (at < 0) return false;
  const FlowNode& jump = instructions_[static_cast<size_t>(at)];
  const auto raises = [this](int to) { return to >= 0 && meeting_[static_cast<size_t>(to)] == kNowhere; };
  return jump.next >= 0 && jump.jump >= 0 && raises(jump.next) != raises(jump.jump);
}

int CodeFlow::meeting(int end, const LoopFlow* round) const {
  const int jump = index_before(end);
  if (jump < 0) return kNowhere;
  const int met = (round ? round->meeting : meeting_)[static_cast<size_t>(jump)];
  if (met == kNowhere || (round && met == kReturn)) return met == kNowhere ? kNowhere : kRoundEnd;
  std::vector<bool> cuts(instructions_.size(), false);
  if (met >= 0) cuts[static_cast<size_t>(met)] = true;
  if (yields_before(static_cast<size_t>(jump), cuts)) return kNowhere;
  return met == kReturn ? kReturn : instructions_[static_cast<size_t>(met)].begin;
}

// Functions that read locals of the frame that calls them: vars() and dir() do so without arguments.
void CodeFlow::find_reads_by_name(PyCodeObject* code) {
  const auto is = [&](Py_ssize_t name, const char* word) {
    return PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(code->co_names, name), word) == 0;
  };
  for (size_t k = 0; k < instructions_.size(); ++k) {
    const FlowNode& i = instructions_[k];
    const Py_ssize_t name = i.opcode == LOAD_GLOBAL ? i.arg >> 1 : i.opcode == LOAD_NAME ? i.arg : -1;
    if (name < 0 || name >= PyTuple_GET_SIZE(code->co_names)) continue;
    const bool calls_bare = k + 1 < instructions_.size() && instructions_[k + 1].opcode == PRECALL && instructions_[k + 1].arg == 0;
    all_live_ |= is(name, "locals") || is(name, "eval") || is(name, "exec") || (calls_bare && (is(name, "vars") || is(name, "dir")));
    first_live_ |= is(name, "super");
  }
}

void CodeFlow::find_live(int locals) {
  live_.assign(instructions_.size(), std::vector<bool>(static_cast<size_t>(locals), false));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t k = instructions_.size(); k-- > 0;) {
      const FlowNode& i = instructions_[k];
      std::vector<bool> live(static_cast<size_t>(locals), false);
      auto add = [&](int to) {
        if (to < 0) return;
        const std::vector<bool>& other = live_[static_cast<size_t>(to)];
        for (size_t v = 0; v < live.size(); ++v)
          if (other[v]) live[v] = true;
      };
      add(i.next), add(i.jump);
      const auto local = static_cast<size_t>(i.arg);
      if (i.opcode == STORE_FAST || i.opcode == DELETE_FAST) live[local] = false;
      add(i.handler);
      if (i.opcode == LOAD_FAST || i.opcode == DELETE_FAST) live[local] = true;
      if (live != live_[k]) live_[k] = std::move(live), changed = true;
    }
  }
}

bool CodeFlow::live(int offset, int local) const {
  if (all_live_ || (first_live_ && local == 0)) return true;
  const int k = index_at_[static_cast<size_t>(offset)];
  return k >= 0 && live_[static_cast<size_t>(k)][static_cast<size_t>(local)];
}

bool CodeFlow::live_behind(int end, int local) const {
  while (static_cast<size_t>(end) + 1 < index_at_.size() && index_at_[static_cast<size_t>(end)] < 0) ++end;  // behind its caches
  const int k = index_before(end);
  return k < 0 || live(instructions_[static_cast<size_t>(k)].begin, local);
}

int CodeFlow::end_of(int offset) const {
  const auto k = static_cast<size_t>(index_at_[static_cast<size_t>(offset)]);
  return k + 1 < instructions_.size() ? instructions_[k + 1].begin : static_cast<int>(index_at_.size()) - 1;
}

// --- Loops.

void CodeFlow::find_regions() {
  std::map<size_t, size_t> last;
  for (size_t k = 0; k < instructions_.size(); ++k)
    for (const int to : {instructions_[k].next, instructions_[k].jump})
      if (to >= 0 && static_cast<size_t>(to) <= k) last[static_cast<size_t>(to)] = k;
  regions_.assign(last.begin(), last.end());
}

// The innermost loop that holds the instruction.
std::optional<std::pair<size_t, size_t>> CodeFlow::region_of(size_t instruction) const {
  std::optional<std::pair<size_t, size_t>> found;
  for (const auto& region : regions_)
    if (region.first <= instruction && instruction <= region.second) found = region;  // they are in the order of their begins
  return found;
}

// Whether one of the heads is reached from there without leaving the loop.
bool CodeFlow::reaches(int from, const std::vector<size_t>& heads, const LoopFlow& loop, const LoopFlow* round) const {
  std::vector<bool> seen(instructions_.size(), false);
  std::vector<int> open{from};
  while (!open.empty()) {
    const int k = open.back();
    open.pop_back();
    if (k < 0) continue;
    const auto at = static_cast<size_t>(k);
    if (std::ranges::find(heads, at) != heads.end()) return true;
    if (seen[at] || at < loop.region.first || at > loop.region.second) continue;
    if (round && round->stops[static_cast<size_t>(instructions_[at].begin)]) continue;
    seen[at] = true;
    open.push_back(instructions_[at].next), open.push_back(instructions_[at].jump);
  }
  return false;
}

bool CodeFlow::complete(LoopFlow& loop, size_t jump, const std::vector<size_t>& heads, const LoopFlow* round) const {
  const int met = (round ? round->meeting : meeting_)[jump];
  if (met == kNowhere || (round && met == kReturn)) return false;
  std::vector<bool> cuts(instructions_.size(), false);
  for (const size_t h : heads) cuts[h] = true;
  if (met >= 0) cuts[static_cast<size_t>(met)] = true;
  if (yields_before(jump, cuts)) return false;
  for (size_t k = loop.region.first; k <= loop.region.second; ++k) {
    const FlowNode& i = instructions_[k];
    if (std::ranges::find(heads, k) != heads.end()) continue;
    auto outside = [&](int to) {
      return to >= 0 && (static_cast<size_t>(to) < loop.region.first || static_cast<size_t>(to) > loop.region.second);
    };
    loop.exits_early |= i.opcode == RETURN_VALUE || outside(i.next) || outside(i.jump);
  }
  loop.end = met == kReturn ? kReturn : instructions_[static_cast<size_t>(met)].begin;
  loop.meeting = post_dominators(cuts);
  loop.stops.assign(index_at_.size(), false);
  for (size_t k = 0; k < cuts.size(); ++k)
    if (cuts[k]) loop.stops[static_cast<size_t>(instructions_[k].begin)] = true;
  return true;
}

std::unique_ptr<LoopFlow> CodeFlow::find_loop(size_t jump, const LoopFlow* round) const {
  const FlowNode& i = instructions_[jump];
  auto stays_when = [](const FlowNode& j, int stay) {  // of a jump on a condition: its truth where it leads there
    const bool jumps_when = j.opcode == POP_JUMP_FORWARD_IF_TRUE || j.opcode == POP_JUMP_BACKWARD_IF_TRUE;
    return (j.jump == stay) == jumps_when;
  };
  auto is_condition = [](const FlowNode& j) {
    return j.opcode == POP_JUMP_FORWARD_IF_TRUE || j.opcode == POP_JUMP_BACKWARD_IF_TRUE || j.opcode == POP_JUMP_FORWARD_IF_FALSE ||
           j.opcode == POP_JUMP_BACKWARD_IF_FALSE;
  };
  const bool is_for = i.opcode == FOR_ITER;
  if (!is_for && !is_condition(i)) return nullptr;
  for (const bool jumps : {false, true}) {
    const int stay = jumps ? i.jump : i.next, leave = jumps ? i.next : i.jump;
    if (stay < 0 || leave < 0 || (is_for && jumps)) continue;
    const auto region = region_of(is_for ? jump : static_cast<size_t>(stay));
    if (!region || (round && round->region == *region)) continue;
    if (!is_for && instructions_[region->first].opcode == FOR_ITER) continue;
    auto loop = std::make_unique<LoopFlow>();
    loop->region = *region, loop->is_for = is_for;
    std::vector<size_t> heads;
    for (size_t k = 0; k < instructions_.size(); ++k) {
      const FlowNode& j = instructions_[k];
      const bool twin = is_for ? k == jump : is_condition(j) && std::minmax(j.next, j.jump) == std::minmax(stay, leave);
      if (twin) heads.push_back(k), loop->heads.push_back({j.begin, is_for || stays_when(j, stay)});
    }
    if (!reaches(stay, heads, *loop, round) || reaches(leave, heads, *loop, round)) continue;
    loop->stay = instructions_[static_cast<size_t>(stay)].begin, loop->leave = instructions_[static_cast<size_t>(leave)].begin;
    if (complete(*loop, jump, heads, round)) return loop;
  }
  return nullptr;
}

const LoopFlow* CodeFlow::loop(int end, const LoopFlow* round) {
  const int jump = index_before(end);
  if (jump < 0) return nullptr;
  const auto [known, fresh] = loops_.try_emplace({static_cast<size_t>(jump), round});
  if (fresh) known->second = find_loop(static_cast<size_t>(jump), round);
  return known->second.get();
}

}  // namespace monograph::capture::machine
#endif
