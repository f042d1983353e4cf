// Functions that a program hangs on tensors and on nodes of the tape, to see or replace gradients.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/tensor.h"

namespace monograph {

class AnyHooks {
 public:
  virtual ~AnyHooks() = default;
  virtual void remove(uint64_t id) = 0;
};

// Hooks in the order of their registration.
template <class Signature>
class HookList : public AnyHooks {
 public:
  using Hook = std::function<Signature>;

  uint64_t add(Hook hook) {
    auto made = std::make_shared<const Hook>(std::move(hook));
    std::scoped_lock lock(mutex_);
    entries_.push_back({next_, std::move(made)});
    return next_++;
  }
  void remove(uint64_t id) override {
    std::shared_ptr<const Hook> removed;  // dies without the lock: its end may run a program
    std::scoped_lock lock(mutex_);
    auto at = std::ranges::find(entries_, id, &Entry::id);
    if (at == entries_.end()) return;
    removed = std::move(at->hook);
    entries_.erase(at);
  }
  // Those that are there now: a hook may add and remove some.
  std::vector<std::shared_ptr<const Hook>> all() const {
    std::scoped_lock lock(mutex_);
    std::vector<std::shared_ptr<const Hook>> hooks;
    for (const Entry& e : entries_) hooks.push_back(e.hook);
    return hooks;
  }

 private:
  struct Entry {
    uint64_t id;
    std::shared_ptr<const Hook> hook;
  };
  mutable std::mutex mutex_;  // backward() may run on another thread than registration
  uint64_t next_ = 0;
  std::vector<Entry> entries_;
};

// The hooks of one version of a tensor. A write in place makes another version, which has its own hooks. An undefined gradient means that nothing flows
// to this tensor, but to another result of the same call. An undefined result leaves the gradient as it is.
class TensorHooks final : public HookList<Tensor(const Tensor&)> {
 public:
  void run(Tensor& gradient) const;
};

// Of a leaf, when its .grad has been added to.
using AccumulationHooks = HookList<void(const Tensor& leaf)>;

// Of a node: before its step, which may replace the gradients of its results, and after it, which may replace what it made.
struct NodeHooks {
  using Before = HookList<void(std::vector<Tensor>& gradients)>;
  using After = HookList<void(std::vector<Tensor>& made, const std::vector<Tensor>& gradients)>;
  std::shared_ptr<Before> before = std::make_shared<Before>();
  std::shared_ptr<After> after = std::make_shared<After>();
  std::shared_ptr<void> metadata;  // what a program keeps on the node
};

// What keeps the tensors that gradients will read, in place of the tape: `pack` gets one and gives what stands for it, `unpack` gives a
// tensor back.
struct SavedTensorHooks {
  std::function<std::shared_ptr<void>(const Tensor&)> pack;
  std::function<Tensor(const std::shared_ptr<void>&)> unpack;
  bool neutral = false;  // `unpack` gives the values that `pack` got, and no program sees what is packed: it need not be what PyTorch saves
};
// Of this thread; the last ones count.
std::vector<std::shared_ptr<const SavedTensorHooks>>& saved_tensor_hooks();

// A hook that can be removed. It keeps nothing alive.
struct HookHandle {
  std::weak_ptr<AnyHooks> hooks;
  uint64_t id;
  void remove() const {
    if (auto alive = hooks.lock()) alive->remove(id);
  }
};

}  // namespace monograph
