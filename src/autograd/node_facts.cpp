// Looks facts up in node_facts.inc, which tools/oracle/freeze_gradient_facts.py derives from PyTorch. A line is read when it is asked for.
#include "autograd/node_facts.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace monograph {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

SavedFact fact_of(std::string_view word) {
  SavedFact fact;
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    fact.without_sign = word.ends_with('-');
    if (fact.without_sign) word.remove_suffix(1);
    fact.name = word;
    return fact;
  }
  const size_t end = word.find_first_of("?=~*");
  fact.name = word.substr(0, end);
  fact.kind = SavedFact::Kind::Argument;
  if (end == word.npos || word[end] == '*') return fact;
  const auto digit = [&](size_t i) { return static_cast<size_t>(word[i] - '0'); };
  if (word[end] == '=' || word[end] == '~') {
    fact.kind = SavedFact::Kind::Result, fact.result = digit(end + 1), fact.differentiable = word[end] == '=';
    return fact;
  }
  for (size_t i = end + 1; i < word.size(); i += 2) fact.edges.push_back(digit(i));  // "?0|2"
  return fact;
}

struct FactsLine {
  const char *name, *facts;
};
constexpr FactsLine kLines[] = {
#include "autograd/node_facts.inc"
};

std::unique_ptr<const NodeFacts> read_facts(std::string_view name) {
  const FactsLine* line = std::ranges::find(kLines, name, [](const FactsLine& l) { return std::string_view(l.name); });
  if (line == std::end(kLines)) return nullptr;
  const std::string_view text = line->facts;
  const size_t middle = text.find(';');
  auto facts = std::make_unique<NodeFacts>();
  facts->edges = words_of(text.substr(0, middle));
  for (std::string_view word : words_of(text.substr(middle + 1))) facts->saved.push_back(fact_of(word));
  return facts;
}

}  // namespace

const NodeFacts* node_facts(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const NodeFacts>, std::less<>> known;
  const std::scoped_lock lock(mutex);
  const auto found = known.find(name);
  if (found != known.end()) return found->second.get();
  return known.emplace(std::string(name), read_facts(name)).first->second.get();
}

}  // namespace monograph
