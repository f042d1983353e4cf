// ArchiveHost tells the compiler of TorchScript what each name in an archive's code means: a class or function of the archive, an operator, a constant,
// or an attribute of a module.
#pragma once

#include <map>
#include <set>

#include "capture/script/host.h"
#include "formats/torchscript/archive.h"
#include "formats/torchscript/dialect.h"

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
  // The type that an annotation names, such as "List[__torch__.Pair]"; an undefined Type if graphs have no such type.
  ir::Type type_of(const std::string& text);
  std::string device_of(const std::string& text) override;

  // A method of the archive's modules()[module]. Error (Attribute) lists the methods that there are.
  // Without the lines that check its inputs: checks_of() has them.
  capture::script::HostFunction method(int module, std::string_view name);
  std::vector<InputCheck> checks_of(const capture::script::HostFunction& method) const;
  bool read_modes_at_run_time = false;  // whether `self.training` is read when a graph runs; else it is a constant of the graph
  void forget_tensors() { tensor_paths_.clear(); }  // must be called after an attribute has become another tensor

 protected:
  // The parsed text in the words of Python.
  void as_python(capture::script::Tree& tree, const capture::script::SourceText& source) const;

 private:
  HostValue in_namespace(const std::string& space, const std::string& name);
  HostValue module_attribute(int module, const std::string& name);
  // `type` is the annotation of the value, or "" if it has none.
  HostValue host_value(const IValue& v, const std::string& type, int depth);
  HostValue container(const std::vector<IValue>& items, ir::Type type, int depth);
  HostValue tensor(const Tensor& t);
  HostValue space(const std::string& name);
  static HostValue class_value(int64_t id);
  HostValue function_value(const SourceFunction* f);
  ir::Type class_type(const std::string& name);
  int64_t function_id(const SourceFunction* f);

  ScriptArchive& archive_;
  ScriptLoadOptions options_;
  std::vector<std::string> spaces_;  // namespaces, such as "ops.aten"; the id of spaces_[k] is kSpaces + k
  std::vector<const SourceFunction*> functions_;  // by id
  std::map<const SourceFunction*, int64_t> function_ids_;
  std::map<int64_t, capture::script::HostFunction> parsed_;
  // Of functions that begin with checks of their inputs: what follows these, and the checks.
  std::map<int64_t, std::pair<const capture::script::FunctionSyntax*, std::vector<InputCheck>>> without_checks_;
  std::vector<const SourceClass*> classes_;  // by id
  std::map<int64_t, capture::script::HostClass> parsed_classes_;
  std::map<std::string, std::string> tensor_paths_;  // the paths of parameters and buffers by tensor_key(); empty until first used
  std::set<std::string> noticed_;  // devices for which options_.notice was called
  std::set<std::string> types_in_progress_;  // NamedTuples whose types are being read
};

}  // namespace monograph::torchscript
