// What stands behind a jit::Module: a program with a tree of modules, and the plans of its methods.
#pragma once

#include <map>
#include <shared_mutex>

#include "api/graph_access.h"
#include "api/script_access.h"
#include "formats/torchscript/archive.h"

namespace monograph::api {

class ScriptProgram : public std::enable_shared_from_this<ScriptProgram> {
 public:
  virtual ~ScriptProgram() = default;
  virtual ir::Unit& unit() = 0;
  virtual std::vector<std::string> methods(const ir::Module& module) = 0;
  // The graph of a method, for the mode that the modules are in. Error (Attribute) where there is none of this name.
  virtual ir::Graph& graph_of(const ir::Module& module, const std::string& name) = 0;
  virtual void set_training(ir::Module& module, bool on) = 0;
  virtual void set_value(ir::Module& module, const std::string& name, const monograph::IValue& value) = 0;
  virtual std::shared_ptr<ScriptProgram> copied() = 0;
  // The program that is written to a file, and whether its graphs hold for one mode only.
  virtual std::pair<std::unique_ptr<ir::Unit>, bool> for_file() = 0;
  // Whether the program is what its file was, but for the values in its modules. write_as_it_is then writes an archive with that code.
  virtual bool keeps_code() { return false; }
  using ExtraFiles = std::vector<std::pair<std::string, std::string>>;
  virtual bool write_as_it_is(ArchiveWriter& /*archive*/, std::string_view /*root*/, const ExtraFiles& /*extra_files*/) { return false; }

  // A graph that can be run: it holds while neither the graph nor the modules change.
  struct Plan {
    ir::Graph* graph = nullptr;
    uint64_t version = 0;
    exec::Executable run;
    std::vector<std::string> inputs;
  };
  std::shared_ptr<const Plan> plan(const ir::Module& module, const std::string& name);
  // The graph, compiled if it was not asked for before.
  ir::Graph& graph(const ir::Module& module, const std::string& name);
  // Runs `change` while nobody plans, and makes the plans old.
  template <class F>
  void changing(F&& change) {
    const std::unique_lock lock(mutex_);
    plans_.clear();
    change();
  }

 private:
  std::shared_mutex mutex_;
  std::map<std::pair<const ir::Module*, std::string>, std::shared_ptr<const Plan>> plans_;
};

// A tensor with copied memory for each of a program's: what views one storage does so in the copy too.
class TensorCopies {
 public:
  monograph::Tensor of(const monograph::Tensor& t);

 private:
  std::map<const TensorImpl*, monograph::Tensor> tensors_;
  std::map<const Storage*, Ref<Storage>> storages_;
};

std::shared_ptr<ScriptProgram> archive_program(std::shared_ptr<torchscript::ScriptArchive> archive,
                                               std::function<std::shared_ptr<torchscript::ScriptArchive>()> again);
// The functions of a Unit as the methods of its root.
std::shared_ptr<ScriptProgram> unit_program(std::unique_ptr<ir::Unit> unit);

namespace jit {

struct Module::Access {
  static Module wrap(std::shared_ptr<ScriptProgram> program, ir::Module* module) {
    Module out;
    out.program_ = std::move(program), out.module_ = module;
    return out;
  }
  static ScriptProgram& program(const Module& m) { return *shared(m); }
  static std::shared_ptr<ScriptProgram> shared(const Module& m) {
    if (!m.program_) throw ValueError("this jit::Module was not assigned yet");
    return std::static_pointer_cast<ScriptProgram>(m.program_);
  }
  static ir::Module& of(const Module& m) { return shared(m), *static_cast<ir::Module*>(m.module_); }
};

}  // namespace jit

}  // namespace monograph::api
