// Makes a program of layers that were created without Python: a Unit with the tree of modules, and methods compiled from the embedded Python sources.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "capture/layers/evaluator.h"
#include "capture/script/host.h"
#include "ir/unit.h"

namespace monograph::capture::layers {

// Gives the script compiler values of the evaluator. An id is an index into the list of values that the compiler has asked for.
class LayerHost final : public script::Host {
 public:
  explicit LayerHost(const IValue& root);
  script::HostValue name(int64_t scope, const std::string& name) override;
  script::HostValue attribute(int64_t id, const std::string& name) override;
  script::HostFunction function(int64_t id) override;
  script::HostModule module(int64_t id) override;
  script::HostValue listing(int64_t id, const std::string& method) override;
  script::HostValue super_of(int64_t id, int64_t scope) override;
  bool is_instance(int64_t id, int64_t scope, const std::string& type) override;
  script::HostClass class_info(int64_t id) override;
  int64_t find_class(const std::string& name) override;
  script::HostValue default_of(int64_t scope, const std::string& parameter) override;

  int64_t add(const IValue& v);
  bool modes_run = false;  // graphs read `training` when they run; else it is fixed at compilation

 private:
  script::HostValue host_value(const IValue& v);
  script::HostValue native(const std::string& name);
  std::optional<script::HostValue> instance_value(LayerValue& layer, const std::string& name);
  script::HostValue of_class(const IValue& self, const std::vector<ClassValue*>& order, const std::string& name);
  std::vector<IValue> values_;
  std::map<const LayerValue*, std::string> paths_;
};

class LayerProgram {
 public:
  // `root` is a LayerValue.
  explicit LayerProgram(IValue root);
  ir::Unit& unit() { return *unit_; }
  LayerValue& layer(const ir::Module& module) const { return *places_.at(&module); }
  static bool has_forward(const LayerValue& layer);
  // The graph of a method for the modes that the layers are in. It belongs to unit().
  ir::Graph& method(const ir::Module& module, const std::string& name);
  void set_training(ir::Module& module, bool on);
  // Changes the value of an attribute. Graphs that are asked for afterwards are compiled again.
  void set_attribute(ir::Module& module, const std::string& name, const IValue& value);
  // The Unit with the modules and a `forward` that reads `training` when it runs. If that does not compile, `forward` is compiled for the current mode and
  // the second value is true.
  std::pair<std::unique_ptr<ir::Unit>, bool> for_file() const;
  const IValue& root() const { return root_; }

 private:
  std::unique_ptr<ir::Unit> made_unit(std::map<const ir::Module*, LayerValue*>* places) const;
  std::unique_ptr<ir::Graph> compiled(LayerHost& host, LayerValue& layer, const std::string& name) const;
  IValue root_;
  std::unique_ptr<ir::Unit> unit_;
  std::map<const ir::Module*, LayerValue*> places_;
  int changes_ = 0;
};

}  // namespace monograph::capture::layers
