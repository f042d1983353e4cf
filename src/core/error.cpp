// File names of spans are interned. The nearest name for "did you mean" is found by edit distance.
#include "core/error.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace monograph {

const std::string* intern_file(std::string_view name) {
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // looks names up without copying them
  };
  static std::mutex mutex;
  // The nodes of a set stay where they are. They are never freed, so spans outlive everything.
  static auto* names = new std::unordered_set<std::string, Hash, std::equal_to<>>;
  std::lock_guard lock(mutex);
  const auto known = names->find(name);
  return known != names->end() ? &*known : &*names->emplace(name).first;
}

std::string to_string(const Span& span) {
  if (!span.known()) return "";
  return concat(*span.file, ":", span.line);
}

namespace {

// Levenshtein distance with two rows; gives up past `limit`.
size_t edits(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::string_view* candidates, size_t count) {
  size_t limit = std::max<size_t>(1, word.size() / 3), best = limit + 1;
  std::string result;
  for (size_t i = 0; i < count; ++i)
    if (size_t d = edits(word, candidates[i], limit); d < best) best = d, result = candidates[i];
  return result;
}

}  // namespace monograph
