// Interned calls, and the copies of names of files that stand for them.
#include "core/calls.h"

#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

namespace monograph {

namespace {

struct CallHash {
  size_t operator()(const CallInPlace& c) const {
    size_t h = std::hash<std::string>()(c.function);
    const auto add = [&h](size_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15; };
    add(std::hash<std::string>()(c.caller)), add(std::hash<const void*>()(c.at.file)), add(c.at.line), add(c.at.column);
    return h;
  }
};

struct CallTables {
  std::mutex mutex;
  std::unordered_set<CallInPlace, CallHash> calls;
  std::map<std::pair<const std::string*, const CallInPlace*>, std::string> files;  // by the plain file and the call
  std::unordered_map<const std::string*, const CallInPlace*> of_file;
};

CallTables& tables() {
  static auto* t = new CallTables;  // never freed, so spans outlive everything
  return *t;
}

}  // namespace

const CallInPlace* intern_call(CallInPlace call) {
  CallTables& t = tables();
  const std::lock_guard lock(t.mutex);
  return &*t.calls.insert(std::move(call)).first;
}

const CallInPlace* call_of(const Span& span) {
  if (!span.file) return nullptr;
  CallTables& t = tables();
  const std::lock_guard lock(t.mutex);
  const auto found = t.of_file.find(span.file);
  return found == t.of_file.end() ? nullptr : found->second;
}

Span in_call(const Span& span, const CallInPlace* call) {
  Span s = span;
  if (!s.file) return s;
  s.file = intern_file(*s.file);
  if (!call) return s;
  CallTables& t = tables();
  const std::lock_guard lock(t.mutex);
  const auto [found, fresh] = t.files.try_emplace({s.file, call}, *s.file);
  if (fresh) t.of_file.emplace(&found->second, call);
  s.file = &found->second;
  return s;
}

Span below_call(const Span& span, const CallInPlace* call) {
  const CallInPlace* own = call_of(span);
  if (!own || !call) return own ? span : in_call(span, call);
  return in_call(span, intern_call({own->function, own->caller, below_call(own->at, call)}));
}

bool locate_with_calls(Error& e, const Span& span) {
  const size_t before = std::strlen(e.what());
  e.locate(span);
  if (std::strlen(e.what()) == before) return false;
  if (const CallInPlace* call = call_of(span)) note_call(e, call->function, call->caller, call->at);
  return true;
}

//   in Linear.forward of 'fc', which Net.forward calls at model.py:20
void note_call(Error& e, std::string_view function, std::string_view caller, const Span& at) {
  e.note(concat("in ", function, ", which ", caller, " calls at ", to_string(at)));
  for (const CallInPlace* call = call_of(at); call; call = call_of(call->at))
    e.note(concat("in ", call->function, ", which ", call->caller, " calls at ", to_string(call->at)));
}

}  // namespace monograph
