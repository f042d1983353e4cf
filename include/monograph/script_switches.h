// libtorch's switches of its executor and fusers. Programs set them for speed. Monograph has other machinery, so they are accepted and have no effect: each only
// keeps its value. monograph/torch.h includes this file.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "monograph/types.h"

MONOGRAPH_API_BEGIN

namespace jit {

inline std::atomic<bool>& getProfilingMode() {
  static std::atomic<bool> on{true};
  return on;
}
inline std::atomic<bool>& getExecutorMode() {
  static std::atomic<bool> on{true};
  return on;
}
inline std::atomic<size_t>& getNumProfiledRuns() {
  static std::atomic<size_t> count{1};
  return count;
}
inline std::atomic<size_t>& getBailoutDepth() {
  static std::atomic<size_t> depth{20};
  return depth;
}

namespace detail {
inline bool& graph_executor_optimize() {
  static thread_local bool on = true;
  return on;
}
inline std::atomic<bool>& tensor_expr_fuser() {
  static std::atomic<bool> on{true};
  return on;
}
}  // namespace detail
inline void setGraphExecutorOptimize(bool on) { detail::graph_executor_optimize() = on; }
inline bool getGraphExecutorOptimize() { return detail::graph_executor_optimize(); }
inline void setTensorExprFuserEnabled(bool on) { detail::tensor_expr_fuser() = on; }
inline bool tensorExprFuserEnabled() { return detail::tensor_expr_fuser(); }
// setGraphExecutorOptimize, while an object of this class exists.
struct GraphOptimizerEnabledGuard {
  explicit GraphOptimizerEnabledGuard(bool on) : saved_(getGraphExecutorOptimize()) { setGraphExecutorOptimize(on); }
  ~GraphOptimizerEnabledGuard() { setGraphExecutorOptimize(saved_); }
  GraphOptimizerEnabledGuard(const GraphOptimizerEnabledGuard&) = delete;

 private:
  bool saved_;
};

enum class FusionBehavior : uint8_t { STATIC, DYNAMIC };
using FusionStrategy = std::vector<std::pair<FusionBehavior, size_t>>;
namespace detail {
struct HeldStrategy {
  std::mutex mutex;
  FusionStrategy strategy{{FusionBehavior::STATIC, 2}, {FusionBehavior::DYNAMIC, 10}};
  static HeldStrategy& held() {
    static HeldStrategy one;
    return one;
  }
};
}  // namespace detail
inline FusionStrategy getFusionStrategy() {
  auto& held = detail::HeldStrategy::held();
  const std::lock_guard lock(held.mutex);
  return held.strategy;
}
// Returns the old one.
inline FusionStrategy setFusionStrategy(FusionStrategy strategy) {
  auto& held = detail::HeldStrategy::held();
  const std::lock_guard lock(held.mutex);
  return std::exchange(held.strategy, std::move(strategy));
}

}  // namespace jit

// The switches of libtorch's backends: at::globalContext().setAllowTF32CuBLAS(false). There is no GPU here, and results are always those of the deterministic
// algorithms (docs/numerics.md).
class Context {
 public:
  bool hasCUDA() const { return false; }
  bool hasMPS() const { return false; }
  bool deterministicAlgorithms() const { return true; }
  void setDeterministicAlgorithms(bool, bool = false) {}
  bool setFlushDenormal(bool) { return false; }  // false: it is not supported
#define MONOGRAPH_SWITCH(setter, getter, initial) \
  void setter(bool on) { getter##_ = on; } \
  bool getter() const { return getter##_; }
#define MONOGRAPH_SWITCHES(X) \
  X(setAllowTF32CuBLAS, allowTF32CuBLAS, false) \
  X(setAllowTF32CuDNN, allowTF32CuDNN, true) \
  X(setBenchmarkCuDNN, benchmarkCuDNN, false) \
  X(setDeterministicCuDNN, deterministicCuDNN, false) \
  X(setUserEnabledCuDNN, userEnabledCuDNN, true) \
  X(setUserEnabledMkldnn, userEnabledMkldnn, true) \
  X(setAllowFP16ReductionCuBLAS, allowFP16ReductionCuBLAS, true)
  MONOGRAPH_SWITCHES(MONOGRAPH_SWITCH)
#undef MONOGRAPH_SWITCH

 private:
#define MONOGRAPH_SWITCH(setter, getter, initial) std::atomic<bool> getter##_{initial};
  MONOGRAPH_SWITCHES(MONOGRAPH_SWITCH)
#undef MONOGRAPH_SWITCH
#undef MONOGRAPH_SWITCHES
};
inline Context& globalContext() {
  static Context one;
  return one;
}

MONOGRAPH_API_END
