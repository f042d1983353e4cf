// Looks facts up in node_facts.inc, which tools/oracle/freeze_gradient_facts.py derives from PyTorch. A line is read when it is asked for.
#include "autograd/node_facts.h"

#include <memory>
#include <mutex>
#include <unordered_map>

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

struct Lines {
  std::unordered_map<std::string_view, std::string_view> texts{
#include "autograd/node_facts.inc"
  };
  std::mutex mutex;
  std::unordered_map<std::string_view, std::unique_ptr<const NodeFacts>> read;
};

}  // namespace

const NodeFacts* node_facts(std::string_view name) {
  static Lines lines;
  const auto found = lines.texts.find(name);
  if (found == lines.texts.end()) return nullptr;
  const std::scoped_lock lock(lines.mutex);
  std::unique_ptr<const NodeFacts>& known = lines.read[found->first];
  if (known) return known.get();
  const size_t middle = found->second.find(';');
  auto facts = std::make_unique<NodeFacts>();
  facts->edges = words_of(found->second.substr(0, middle));
  for (std::string_view word : words_of(found->second.substr(middle + 1))) facts->saved.push_back(fact_of(word));
  known = std::move(facts);
  return known.get();
}

}  // namespace monograph
