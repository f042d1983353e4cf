// Converts between the public IValue and the library's own.
#pragma once

#include <mutex>

#include "api/access.h"
#include "monograph/script.h"

namespace monograph::api {

struct IValue::Access {
  explicit Access(monograph::IValue v) : value(std::move(v)) {}
  monograph::IValue value;
  // What toTuple() gave. It lives as long as the value, because programs keep references to its items.
  std::once_flag asked;
  std::shared_ptr<ivalue::Tuple> tuple;
  static IValue wrap(monograph::IValue v) {
    IValue out;
    if (!v.is_none()) out.impl_ = std::make_shared<Access>(std::move(v));
    return out;
  }
  static std::vector<IValue> wrap(const std::vector<monograph::IValue>& list) {
    std::vector<IValue> out;
    out.reserve(list.size());
    for (const monograph::IValue& v : list) out.push_back(wrap(v));
    return out;
  }
  static const monograph::IValue& of(const IValue& v) {
    static const monograph::IValue none;
    return v.impl_ ? static_cast<const Access*>(v.impl_.get())->value : none;
  }
  static std::vector<monograph::IValue> of(const std::vector<IValue>& list) {
    std::vector<monograph::IValue> out;
    out.reserve(list.size());
    for (const IValue& v : list) out.push_back(of(v));
    return out;
  }
};

// A module as a value: what attr("encoder") gives.
struct ScriptModuleBox : ObjectBox {
  explicit ScriptModuleBox(jit::Module m) : module(std::move(m)) {}
  std::string kind_name() const override { return module.type_name(); }
  jit::Module module;
};

}  // namespace monograph::api
