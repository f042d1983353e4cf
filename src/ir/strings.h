// Interned strings: each is stored once, at an address that does not change. Also which of them are in use as names.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace monograph::ir {

// An open hash table over strings that lie in chunks: one probe and no allocation for a text that is there, and little to take apart at the end.
class StringTable {
 public:
  const std::string* intern(std::string_view text) { return slot(text).text; }
  // Null where it was never interned.
  const std::string* find(std::string_view text) const {
    const Slot* s = lookup(text);
    return s ? s->text : nullptr;
  }

  // Names are texts that are taken.
  bool is_name(std::string_view text) const {
    const Slot* s = lookup(text);
    return s && s->name;
  }
  // Interns it too. `fresh` answers whether it was no name before.
  const std::string* add_name(std::string_view text, bool* fresh = nullptr) {
    Slot& s = slot(text);
    if (fresh) *fresh = !s.name;
    s.name = true;
    return s.text;
  }
  void remove_name(std::string_view text) {
    if (Slot* s = const_cast<Slot*>(lookup(text))) s->name = false;
  }
  template <class F>
  void for_each_name(F&& f) const {
    for (const Slot& s : slots_)
      if (s.text && s.name) f(*s.text);
  }

  void reserve(size_t texts) {
    size_t size = 16;
    while (size < 2 * texts) size *= 2;
    if (size > slots_.size()) rehash(size);
  }
  size_t size() const { return texts_.size(); }

 private:
  struct Slot {
    const std::string* text = nullptr;
    uint32_t hash = 0;
    bool name = false;
  };
  static uint32_t hash_of(std::string_view text) {
    uint64_t h = std::hash<std::string_view>()(text);
    return static_cast<uint32_t>(h ^ (h >> 32));
  }
  const Slot* lookup(std::string_view text) const {
    if (slots_.empty()) return nullptr;
    uint32_t h = hash_of(text);
    for (size_t at = h & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& s = slots_[at];
      if (!s.text) return nullptr;
      if (s.hash == h && *s.text == text) return &s;
    }
  }
  Slot& slot(std::string_view text) {
    if (2 * (texts_.size() + 1) > slots_.size()) rehash(slots_.empty() ? 16 : 2 * slots_.size());
    uint32_t h = hash_of(text);
    for (size_t at = h & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& s = slots_[at];
      if (s.text && (s.hash != h || *s.text != text)) continue;
      if (!s.text) s.text = &texts_.emplace_back(text), s.hash = h;
      return s;
    }
  }
  void rehash(size_t size) {
    std::vector<Slot> old(size);
    old.swap(slots_);
    for (const Slot& s : old) {
      if (!s.text) continue;
      size_t at = s.hash & (size - 1);
      while (slots_[at].text) at = (at + 1) & (size - 1);
      slots_[at] = s;
    }
  }
  std::deque<std::string> texts_;
  std::vector<Slot> slots_;  // a power of two of them, at most half full
};

}  // namespace monograph::ir
