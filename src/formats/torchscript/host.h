// What names mean in the code of an archive: its own classes and functions, the operators, the constants, and what its modules hold.
#pragma once

#include <map>
#include <set>

#include "capture/script/host.h"
#include "formats/torchscript/archive.h"

namespace monograph::torchscript {

class ArchiveHost : public capture::script::Host {
 public:
  ArchiveHost(ScriptArchive& archive, ScriptLoadOptions options) : archive_(archive), options_(std::move(options)) {}
  using HostValue = capture::script::HostValue;
  HostValue name(int64_t scope, const std::string& name) override;
  HostValue attribute(int64_t id, const std::string& name) override;
  capture::script::HostFunction function(int64_t id) override;
  capture::script::HostModule module(int64_t id) override;
  capture::script::HostClass class_info(int64_t id) override;
  int64_t find_class(const std::string& name) override;
  bool serialized() const override { return true; }
  int operator_version() const override { return archive_.operator_version(); }
  std::string assigned(int64_t id, const std::string& name) override;
  ir::Type type_of(const std::string& text);
  std::string device_of(const std::string& text) override;

  capture::script::HostFunction method(int module, std::string_view name);
  bool modes_run = false;  // the mode is read when a graph runs, and not when it is compiled
  void forget_tensors() { tensor_paths_.clear(); }  // attributes are other tensors from now on

 private:
  HostValue in_namespace(const std::string& space, const std::string& name);
  HostValue of_module(int module, const std::string& name);
  HostValue of_value(const IValue& v, const std::string& type, int depth);
  HostValue container(const std::vector<IValue>& items, ir::Type type, int depth);
  HostValue tensor(const Tensor& t);
  HostValue space(const std::string& name);
  static HostValue class_value(int64_t id);
  ir::Type class_type(const std::string& name);
  int64_t function_id(const SourceFunction* f);

  ScriptArchive& archive_;
  ScriptLoadOptions options_;
  std::vector<std::string> spaces_;
  std::vector<const SourceFunction*> functions_;
  std::map<const SourceFunction*, int64_t> function_ids_;
  std::map<int64_t, capture::script::HostFunction> parsed_;
  std::vector<const SourceClass*> classes_;  // by id
  std::map<int64_t, capture::script::HostClass> parsed_classes_;
  std::map<std::string, std::string> tensor_paths_;  // of parameters and buffers, by what they show
  std::set<std::string> noticed_;
  std::set<std::string> typing_;  // NamedTuples whose types are being read
};

}  // namespace monograph::torchscript
