// What stands behind a jit::Module: a program with a tree of modules, and the plans of its methods.
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
  virtual std::vector<std::string> methods(const ir::Module& module) = 0;
  // The graph of a method, for the mode that the modules are in. Error (Attribute) where there is none of this name.
  virtual ir::Graph& graph_of(const ir::Module& module, const std::string& name) = 0;
  virtual void set_training(ir::Module& module, bool on) = 0;
  virtual void set_value(ir::Module& module, const std::string& name, const monograph::IValue& value) = 0;
  virtual std::shared_ptr<ScriptProgram> copied() = 0;
  // The program that is written to a file, and whether its graphs hold for one mode only.
  virtual std::pair<std::unique_ptr<ir::Unit>, bool> for_file() = 0;
  // Whether the graphs of the program read an attribute that holds a plain value while they run; of another one they have its value.
  virtual bool reads_while_running(const ir::Module& /*module*/, const std::string& /*attribute*/) { return false; }
  // One more attribute of a program that was made in C++. Error (Runtime) of another program.
  virtual void add_attribute(ir::Module& module, ir::Attribute attribute, const monograph::IValue& value);
  // The root of another program as an attribute of the module: the tensors are shared, plain values are copied. Error (Runtime) of a program that was not made
  // in C++, and where the name is taken; Error (NotImplemented) where the other program assigns plain values.
  virtual void add_module(ir::Module& module, const std::string& name, const std::shared_ptr<ScriptProgram>& other);
  // The module from which the graphs of this one read: the root of the program that they are of.
  virtual const ir::Module& graph_root(const ir::Module& /*module*/) { return *unit().root(); }
  // Whether the program was made in C++, of what register_* and define gave it.
  virtual bool made_here() { return false; }
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

  // Methods that a text gives to a module, beside those of the program (script_define.cpp). Error (Runtime) with the line of what does not compile; then none of
  // the text's methods is there.
  void define(ir::Module& module, const std::string& text);
  std::vector<std::string> all_methods(const ir::Module& module);
  bool has_definitions() const { return !definitions_.empty(); }
  // What they compute may be another thing from now on. Error (Runtime) where one of their graphs was edited: `change` says what cannot be.
  void forget_defined(std::string_view change);
  void define_again(ScriptProgram& copy) const;
  // The methods that define gave to the other program, for the modules that stand for its modules here.
  void take_definitions(const ScriptProgram& other, const std::map<const ir::Module*, ir::Module*>& modules);
  // The definitions of the root, as functions of the program that is written.
  void add_defined(ir::Unit& unit);
  // Runs `change` while nobody plans, and makes the plans old.
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
  std::vector<std::unique_ptr<ir::Graph>> retired_;  // somebody may hold them
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
