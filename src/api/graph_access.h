// Access to the ir::Graph behind a public Graph, and the plan with which it runs.
#pragma once

#include <atomic>
#include <mutex>

#include "api/access.h"
#include "exec/interpreter.h"
#include "ir/unit.h"
#include "ops/infer_memo.h"

namespace monograph::api {

// The first run makes a plan. An edit of the graph or of an attribute makes the plan invalid, and the next run makes another one.
struct Graph::Access {
  std::shared_ptr<ir::Unit> unit;  // owns the graph
  ir::Graph* graph = nullptr;
  std::mutex planning;
  std::atomic<uint64_t> planned_version = UINT64_MAX;
  // How often an attribute changed. All graphs of the Unit share this number, because their plans hold the attributes' tensors.
  std::shared_ptr<std::atomic<uint64_t>> attribute_changes = std::make_shared<std::atomic<uint64_t>>(0);
  std::optional<exec::Executable> executable;
  // Whether the graph was edited after its types were inferred.
  std::atomic<bool> edited = false;
  // Remembers the inferred types of added calls, so that equal calls are inferred once.
  InferMemo types;
  // The metadata that ShapeProp stored, by node id.
  std::unordered_map<uint32_t, std::shared_ptr<void>> noted;

  static Graph wrap(std::shared_ptr<ir::Unit> unit, ir::Graph* graph) {
    auto access = std::make_shared<Access>();
    access->unit = std::move(unit), access->graph = graph;
    if (graph) graph->set_location({});  // new nodes have other lines than those that the capture recorded last
    Graph out;
    out.impl_ = std::move(access);
    return out;
  }
  static Graph wrap(std::shared_ptr<void> access) {
    Graph out;
    out.impl_ = std::move(access);
    return out;
  }
  static const std::shared_ptr<void>& shared(const Graph& g) {
    access(g);
    return g.impl_;
  }
  static Access& access(const Graph& g) {
    if (!g.impl_) throw ValueError("this Graph was not assigned yet");
    return *static_cast<Access*>(g.impl_.get());
  }
  static ir::Graph& of(const Graph& g) { return *access(g).graph; }
  // The graph with up-to-date types: infers them if the graph was edited.
  static ir::Graph& typed(const Graph& g) {
    Access& a = access(g);
    if (a.edited) {
      const std::lock_guard lock(a.planning);
      if (a.edited) ir::infer_types(*a.graph);
      a.edited = false;
    }
    return *a.graph;
  }
  // The plan for the graph as it is now.
  static const exec::Executable& plan(const Graph& g) {
    Access& a = access(g);
    const uint64_t version = a.graph->version() + (a.attribute_changes->load() << 40);
    if (a.planned_version.load(std::memory_order_acquire) == version) return *a.executable;
    const std::lock_guard lock(a.planning);
    if (a.planned_version.load(std::memory_order_relaxed) != version) {
      a.executable = exec::plan(*a.graph);
      a.planned_version.store(version, std::memory_order_release);
    }
    return *a.executable;
  }
};

}  // namespace monograph::api
