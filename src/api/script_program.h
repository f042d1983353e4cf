// The program behind a jit::Module: a tree of modules, their methods as graphs, and the plans with which these run.
#pragma once

#include <map>
#include <shared_mutex>

#include "api/graph_access.h"
#include "api/script_access.h"
#include "capture/script/syntax.h"
#include "formats/torchscript/archive.h"

namespace monograph::api {

class ScriptProgram : public std::enable_shared_from_this<ScriptProgram> {
 public:
  virtual ~ScriptProgram() = default;
  virtual ir::Unit& unit() = 0;
  // The names of a module's methods, without those that define() added.
  virtual std::vector<std::string> methods(const ir::Module& module) = 0;
  // The method that a call of a module runs: another one than forward if the module has hooks.
  virtual std::string called(const ir::Module& /*module*/) { return "forward"; }
  // The graph of a method, for the present modes of the modules. Error (Attribute) if there is none of this name.
  virtual ir::Graph& graph_of(const ir::Module& module, const std::string& name) = 0;
  virtual void set_training(ir::Module& module, bool on) = 0;
  virtual void set_value(ir::Module& module, const std::string& name, const monograph::IValue& value) = 0;
  // A copy of the program with copies of its tensors.
  virtual std::shared_ptr<ScriptProgram> copied() = 0;
  // The Unit to write to a file, and whether its graphs are right for the present modes only.
  virtual std::pair<std::unique_ptr<ir::Unit>, bool> for_file() = 0;
  // Whether graphs read this attribute, which is no tensor, each time they run. If not, they contain its value as a constant.
  virtual bool reads_while_running(const ir::Module& /*module*/, const std::string& /*attribute*/) { return false; }
  // Adds an attribute to a program that was made in C++. Error (Runtime) for any other program.
  virtual void add_attribute(ir::Module& module, ir::Attribute attribute, const monograph::IValue& value);
  // The root of another program as an attribute of the module: the tensors are shared, plain values are copied. Error (Runtime) of a program that was not made
  // in C++, and where the name is taken; Error (NotImplemented) where the other program assigns plain values.
  virtual void add_module(ir::Module& module, const std::string& name, const std::shared_ptr<ScriptProgram>& other);
  // The module from which the graphs of this one read: the root of the program that they are of.
  virtual const ir::Module& graph_root(const ir::Module& /*module*/) { return *unit().root(); }
  // Whether the program was made in C++, of what register_* and define gave it.
  virtual bool made_here() { return false; }
  // Whether the program was loaded with code, and nothing but values in its modules has changed. Then write_with_code writes an archive with this code.
  virtual bool keeps_code() { return false; }
  using ExtraFiles = std::vector<std::pair<std::string, std::string>>;
  virtual bool write_with_code(ArchiveWriter& /*archive*/, std::string_view /*root*/, const ExtraFiles& /*extra_files*/) { return false; }

  // A graph that is ready to run. It is valid until the graph or a module changes.
  struct Plan {
    ir::Graph* graph = nullptr;
    uint64_t version = 0;
    exec::Executable run;
    std::vector<std::string> inputs;  // their names
  };
  std::shared_ptr<const Plan> plan(const ir::Module& module, const std::string& name);
  // The graph of a method of the program or of define(). It is compiled at the first call.
  ir::Graph& graph(const ir::Module& module, const std::string& name);

  // Adds the methods that a text defines to a module (script_define.cpp). Error (Runtime) shows the line that does not compile; then no method is added.
  void define(ir::Module& module, const std::string& text);
  // The names of all methods, also of those that define() added.
  std::vector<std::string> all_methods(const ir::Module& module);
  bool has_definitions() const { return !definitions_.empty(); }
  // Must be called before a change that defined methods depend on; they are compiled again afterwards. Error (Runtime) if one of their graphs was edited;
  // `change` names the change in it.
  void forget_defined(std::string_view change);
  // Defines the same methods in a copy of this program.
  void define_again(ScriptProgram& copy) const;
  // The methods that define gave to the other program, for the modules that stand for its modules here.
  void take_definitions(const ScriptProgram& other, const std::map<const ir::Module*, ir::Module*>& modules);
  // Adds the defined methods of the root to a Unit that is written to a file.
  void add_defined(ir::Unit& unit);
  // Runs `change` while no other thread makes a plan, and discards the plans.
  template <class F>
  void changing(F&& change) {
    const std::unique_lock lock(mutex_);
    plans_.clear();
    change();
  }

 private:
  friend class DefinedHost;
  struct Definition {
    ir::Module* module;
    std::string text;
    bool taken = false;  // of a program that register_module made a part of this one
    std::shared_ptr<const capture::script::SourceText> source;
    std::shared_ptr<const capture::script::Tree> tree;
  };
  struct DefinedGraph {
    std::unique_ptr<ir::Graph> graph;
    uint64_t version = 0;
  };
  const capture::script::FunctionSyntax* find_definition(const ir::Module& module, std::string_view name,
                                                         const Definition** at = nullptr) const;
  ir::Graph& any_graph(const ir::Module& module, const std::string& name);
  std::unique_ptr<ir::Graph> compile_defined(const Definition& at, const capture::script::FunctionSyntax& function);
  std::vector<Definition> definitions_;
  std::map<std::pair<const ir::Module*, std::string>, DefinedGraph> defined_;
  std::vector<std::unique_ptr<ir::Graph>> retired_;  // graphs that were replaced; users may still refer to them
  std::shared_mutex mutex_;
  std::map<std::pair<const ir::Module*, std::string>, std::shared_ptr<const Plan>> plans_;
};

// Copies the tensors of a program. Tensors that share a storage share it in the copy too.
class TensorCopies {
 public:
  monograph::Tensor of(const monograph::Tensor& t);

 private:
  std::map<const TensorImpl*, monograph::Tensor> tensors_;
  std::map<const Storage*, Ref<Storage>> storages_;
};

// A program of an archive. `again` opens the archive again, for a copy of the program.
std::shared_ptr<ScriptProgram> archive_program(std::shared_ptr<torchscript::ScriptArchive> archive,
                                               std::function<std::shared_ptr<torchscript::ScriptArchive>()> again);
// A program of a Unit. Its functions are the methods of its root.
std::shared_ptr<ScriptProgram> unit_program(std::unique_ptr<ir::Unit> unit, bool made_here = false);

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
