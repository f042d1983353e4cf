// How the texts of a graph write the calls that stand in place: as a table in front of it, to which the places of its nodes refer by number.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/calls.h"
#include "ir/graph.h"

namespace monograph::ir {

class CallNumbers {
 public:
  CallNumbers() = default;
  // Of the nodes and guards, in their order; a caller comes before what it calls.
  explicit CallNumbers(const Graph& g);
  // From 1 on; 0 for a place in no call.
  uint32_t of(const Span& span) const { return of(call_of(span)); }
  uint32_t of(const monograph::Call* call) const { return call ? numbers_.at(call) : 0; }
  const std::vector<const monograph::Call*>& calls() const { return calls_; }

 private:
  void add(const monograph::Call* call);
  std::unordered_map<const monograph::Call*, uint32_t> numbers_;
  std::vector<const monograph::Call*> calls_;
};

// " # model.py:3:4-3:17, in call 2, scope: __module.fc"; nothing where neither is known. `call` is 0 where there is none.
void print_span(std::string& out, const Span& span, uint32_t call, std::string_view scope);

}  // namespace monograph::ir
