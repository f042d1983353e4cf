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
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(code->co_names); ++k)
    all_live_ |= PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(code->co_names, k), "locals") == 0;
  find_meetings();
  find_live(code->co_nlocalsplus);
}

void CodeFlow::find_meetings() {
  const size_t n = instructions_.size(), exit = n;
  std::vector<std::vector<size_t>> before(n + 1);
  for (size_t k = 0; k < n; ++k) {
    if (instructions_[k].opcode == RETURN_VALUE) before[exit].push_back(k);
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
      if (instructions_[*it].opcode == RETURN_VALUE) add(static_cast<int>(exit));
      add(instructions_[*it].next), add(instructions_[*it].jump);
      if (found != dominator[*it]) dominator[*it] = found, changed = true;
    }
  }
  meeting_.assign(n, kNowhere);
  for (size_t k = 0; k < n; ++k)
    if (dominator[k] != kNone) meeting_[k] = dominator[k] == static_cast<int>(exit) ? kReturn : dominator[k];
}

bool CodeFlow::yields_before(size_t jump, int meeting) const {
  std::vector<bool> seen(instructions_.size(), false);
  std::vector<int> open{instructions_[jump].next, instructions_[jump].jump};
  while (!open.empty()) {
    const int k = open.back();
    open.pop_back();
    if (k < 0 || k == meeting || seen[static_cast<size_t>(k)]) continue;
    seen[static_cast<size_t>(k)] = true;
    const FlowNode& i = instructions_[static_cast<size_t>(k)];
    if (i.opcode == YIELD_VALUE || i.opcode == SEND) return true;
    open.push_back(i.next), open.push_back(i.jump);
  }
  return false;
}

int CodeFlow::meeting(int end) const {
  // The instruction that ends there is the one before the next one.
  if (end <= 0 || static_cast<size_t>(end) >= index_at_.size()) return kNowhere;
  const int next = index_at_[static_cast<size_t>(end)];
  if (next <= 0) return kNowhere;
  const auto jump = static_cast<size_t>(next - 1);
  const int met = meeting_[jump];
  if (met == kNowhere || yields_before(jump, met)) return kNowhere;
  return met == kReturn ? kReturn : instructions_[static_cast<size_t>(met)].begin;
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
  if (all_live_) return true;
  const int k = index_at_[static_cast<size_t>(offset)];
  return k >= 0 && live_[static_cast<size_t>(k)][static_cast<size_t>(local)];
}

}  // namespace monograph::capture::machine
#endif
