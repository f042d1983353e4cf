// The tensors that a captured program had from outside, and which of them its capture used as they are now: see OlderTensors.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/tensor.h"
#include "ops/call_observer.h"
#include "ops/dispatch.h"

namespace monograph::python {

// A tensor that a capture used with its values of then. Its graph holds as long as these are the same.
struct UsedTensor {
  Tensor tensor;
  Ref<Storage> storage;
  uint32_t version = 0;
  Dims sizes;
  bool values = true;  // whether its elements count, or its sizes alone
  bool written = false;  // by the program itself

  UsedTensor(const Tensor& t, bool values, bool written = false)
      : tensor(t), storage(t->storage), version(t.version()), sizes(t.sizes()), values(values), written(written) {}
  bool holds() const {
    if (written || Dims(tensor.sizes()) != sizes) return false;
    return !values || (tensor->storage.get() == storage.get() && tensor.version() == version);
  }
};

// Watches what a captured program does with tensors that it had from outside: where Python reads one as numbers, the graph has the numbers of now.
// A symbolic trace records only calls with proxies. Other operators compute once, while it traces, so their results are right for the values of now. What
// they write to such a tensor is put back when the trace ends, because each call of the captured program writes it.
class OlderTensors : public CallObserver {
 public:
  explicit OlderTensors(bool symbolic) : symbolic_(symbolic), outer_(CallObserver::set_current(this)) {}
  ~OlderTensors() override {
    CallObserver::set_current(outer_);
    for (auto& [storage, known] : known_)
      if (known.before && known.before->size() == known.now.storage->bytes()) {
        std::memcpy(known.now.storage->data(), known.before->data(), known.before->size());
        known.now.storage->note_put_back(known.now.version);
      }
  }
  OlderTensors(const OlderTensors&) = delete;

  // The program has reached this tensor.
  void add(const Tensor& t) {
    if (t->storage) known_.try_emplace(t->storage.get(), Known{UsedTensor(t, true), {}, false, false});
  }
  // The program has asked for its sizes.
  void use_sizes(const Tensor& t) {
    if (!t->storage) return;
    add(t);
    known_.at(t->storage.get()).sizes = true;
  }
  std::vector<UsedTensor> used() const {
    std::vector<UsedTensor> out;
    for (const auto& [storage, known] : known_)
      if (known.values || known.sizes || known.before) {
        out.push_back(known.now);
        out.back().values = known.values, out.back().written = known.before.has_value();
      }
    return out;
  }

  void begin(const Operator& op, const IValue* args) override {
    if (outer_) outer_->begin(op, args);
    const ir::FunctionSchema& schema = op.schema();
    for (size_t k = 0; k < schema.arguments().size(); ++k) {
      if (args[k].is_tensor()) use(op, k, args[k].as_tensor());
      else if (args[k].is_list())
        for (const IValue& part : args[k].items())
          if (part.is_tensor()) use(op, k, part.as_tensor());
    }
  }
  void read(const Tensor& t) override {
    if (outer_) outer_->read(t);
    if (const auto found = known_.find(t->storage.get()); found != known_.end()) found->second.values = true;
  }
  void begin(std::string step) override {
    if (outer_) outer_->begin(std::move(step));
  }
  void end() noexcept override {
    if (outer_) outer_->end();
  }

 private:
  struct Known {
    UsedTensor now;
    std::optional<std::string> before;  // the bytes of the storage before the first write
    bool values, sizes;
  };

  void use(const Operator& op, size_t argument, const Tensor& t) {
    if (!symbolic_ || known_.empty() || !t.defined() || !t->storage) return;
    const auto found = known_.find(t->storage.get());
    if (found == known_.end()) return;
    Known& known = found->second;
    const ir::FunctionSchema& schema = op.schema();
    if (schema.arguments()[argument].writes()) {
      if (!known.before) known.before.emplace(t->storage->data(), t->storage->bytes());
      return;
    }
    bool shows = false;
    for (size_t r = 0; r < schema.returns().size(); ++r) shows = shows || schema.may_alias(r, argument);
    if (!shows) known.values = true;  // a view of it shows later writes too
  }

  const bool symbolic_;
  CallObserver* const outer_;
  std::unordered_map<const Storage*, Known> known_;
};

}  // namespace monograph::python
