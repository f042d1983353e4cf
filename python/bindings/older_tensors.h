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

// A tensor that a capture used with its values of then. Its graph holds as long as these are the same. What counts writes is a fast path: if it has gone on, or
// if somebody else may write to the memory without a notice, as NumPy may, the bytes are compared. Of more than a few the hash is kept alone.
class UsedTensor {
 public:
  enum class Reliance : uint8_t {
    Sizes,  // its sizes alone count
    Memory,  // a view of it was taken: its memory must be the same, and its elements may change
    Values,
  };
  // `whole`: the program may have reached other views of the same memory.
  UsedTensor(const Tensor& t, std::string name, Reliance use, bool whole, bool written = false);
  // If not, `failed` says what has changed.
  bool holds(std::string* failed);
  const std::string& name() const { return name_; }

 private:
  bool same_form() const;
  bool same_bytes();
  bool say_values(std::string* failed) const;

  Tensor tensor_;
  Ref<Storage> storage_;
  Dims sizes_, strides_;
  int64_t offset_;
  DType dtype_;
  bool requires_grad_;
  std::string name_;
  Reliance use_;
  bool written_;  // by the program itself
  uint32_t writes_ = 0;
  size_t begin_ = 0, count_ = 0;  // the bytes of the storage that count
  std::string bytes_;  // of a small one
  uint64_t hash_ = 0;
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
      if (known.before && known.before->size() == known.storage->bytes()) {
        std::memcpy(known.storage->data(), known.before->data(), known.before->size());
        known.storage->note_put_back(known.version);
      }
  }
  OlderTensors(const OlderTensors&) = delete;

  // The program has reached this tensor by the name.
  void add(const Tensor& t, const std::string& name) {
    if (t->storage) known_.try_emplace(t->storage.get(), Known{t, t->storage, t->storage->version(), name, {}, {}, false});
  }
  // The program has asked for its sizes.
  void use_sizes(const Tensor& t) {
    if (!t->storage) return;
    add(t, "a tensor");
    known_.at(t->storage.get()).sizes = true;
  }
  // The program has taken its memory.
  void use_memory(const Tensor& t) {
    if (!t->storage) return;
    add(t, "a tensor");
    if (Known& known = known_.at(t->storage.get()); !known.use) known.use = UsedTensor::Reliance::Memory;
  }
  std::vector<UsedTensor> used() const {
    std::vector<UsedTensor> out;
    for (const auto& [storage, known] : known_) {
      if (known.sizes) out.emplace_back(known.tensor, known.name, UsedTensor::Reliance::Sizes, true);
      if (known.use || known.before)
        out.emplace_back(known.tensor, known.name, known.use.value_or(UsedTensor::Reliance::Values), true, known.before.has_value());
    }
    return out;
  }
  // Whether operators have computed on tensors alone, so that their results have the dtypes of now.
  bool has_computed() const { return has_computed_; }
  // The name by which the program reached the memory of this tensor.
  std::string name_of(const Tensor& t) const {
    const auto found = known_.find(t->storage.get());
    return found == known_.end() ? "a tensor" : found->second.name;
  }

  void begin(const Operator& op, const IValue* args) override {
    if (outer_) outer_->begin(op, args);
    has_computed_ = true;
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
    if (const auto found = known_.find(t->storage.get()); found != known_.end()) found->second.use = UsedTensor::Reliance::Values;
  }
  void begin(std::string step) override {
    if (outer_) outer_->begin(std::move(step));
  }
  void end() noexcept override {
    if (outer_) outer_->end();
  }

 private:
  struct Known {
    Tensor tensor;
    Ref<Storage> storage;
    uint32_t version;
    std::string name;
    std::optional<std::string> before;  // the bytes of the storage before the first write
    std::optional<UsedTensor::Reliance> use;
    bool sizes;
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
    if (!shows) known.use = UsedTensor::Reliance::Values;
    else if (!known.use) known.use = UsedTensor::Reliance::Memory;  // a view shows later writes too
  }

  const bool symbolic_;
  bool has_computed_ = false;
  CallObserver* const outer_;
  std::unordered_map<const Storage*, Known> known_;
};

}  // namespace monograph::python
