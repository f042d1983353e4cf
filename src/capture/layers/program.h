// Layers that were made without Python, as a program: the tree of modules as a Unit, and their methods compiled from the sources that the library has in it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "capture/layers/evaluator.h"
#include "capture/script/host.h"
#include "ir/unit.h"

namespace monograph::capture::layers {

// Answers the compiler's questions about values of the evaluator. An id is a place in the list of the values that were met.
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
  bool modes_run = false;  // the mode is read when a graph runs, and not when it is compiled

 private:
  script::HostValue told(const IValue& v);
  script::HostValue native(const std::string& name);
  std::optional<script::HostValue> held(LayerValue& layer, const std::string& name);
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
  // Another value of an attribute: graphs are compiled anew.
  void set_attribute(ir::Module& module, const std::string& name, const IValue& value);
  // The modules with forward, in which the mode is read when it runs; where that does not compile, for the mode that they are in, and the second is true.
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
