// Reads archives of torch.jit.save, and compiles their methods to graphs. An archive is a zip file with these entries:
//
//   ROOT/data.pkl        the object tree; its tensors' storages are ROOT/data/KEY
//   ROOT/constants.pkl   the tensors that code calls CONSTANTS.c0; their storages are ROOT/constants/KEY
//   ROOT/code/…/NAME.py  classes and functions (source.h); NAME.py.debug_pkl says from which lines of the user's program they come
//   ROOT/version, ROOT/byteorder, ROOT/extra/…
//
// Opening an archive executes nothing and compiles nothing. A method is compiled when it is first called. If it uses something that Monograph lacks, that
// call raises an error, which shows the line.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/script/source.h"
#include "formats/archive.h"
#include "formats/open.h"
#include "formats/pickle/values.h"
#include "formats/torchscript/source.h"
#include "ir/unit.h"

namespace monograph::pickle {
class MemoryLimit;
}  // namespace monograph::pickle

namespace monograph::torchscript {

struct ScriptLoadOptions {
  // Returns the device for a storage that the file places at `location` ("cpu", "cuda:0"). Null: always the CPU.
  std::function<Device(const std::string& location)> device_of;
  // Called once for each device in the code, such as "cuda:0", that is replaced by the CPU. May be null.
  std::function<void(const std::string& message)> notice;
};

// The list or dict in a call of a function of torch.jit._pickle, such as restore_type_tag(value, type), by which archives write the type of a list or
// dict. Any other value is returned as it is.
const IValue& untagged(const IValue& value);

// A module of the object tree.
struct ModuleObject {
  std::string path;  // the first path that leads to it from the root: "features.0"
  const SourceClass* type = nullptr;  // null if the code does not define its class
  std::string type_name;
  bool training = true;
  std::vector<std::pair<std::string, IValue>> attributes;  // in the order of the file, submodules among them
  // What the file has instead of attributes, of a class with a __setstate__; else None. The method is not run while the file is loaded: what it only takes out
  // of the state is an attribute, and the others are values that were not built.
  IValue state;
  bool is_present_state = false;  // whether set_state() gave it
  std::vector<std::string> unmade;  // the attributes that only a run of __setstate__ gives; it runs at the first use (settle())
  std::map<std::string, ir::Type> assigned;  // the attributes that the code assigns or writes to; graphs read their current values
  // Those of `assigned` that contain objects, as graphs read them. The root has constants of the code among them, under the name kConstants + "c3".
  std::map<std::string, IValue> objects;
  ir::Module* made = nullptr;  // the same module in the archive's Unit
};

// What a __setstate__ would make; `why`: why it did not.
struct UnmadeValue : pickle::NamedObject {
  std::string why;
  std::string kind_name() const override {
    return concat(callable->full(), " that __setstate__ makes", why.empty() ? "" : concat(", which did not run: ", why));
  }
};

inline constexpr std::string_view kConstants = "CONSTANTS.";

class ArchiveHost;

class ScriptArchive {
 public:
  // `owner` keeps `bytes`; `where` names the file in errors. Error (File) for a damaged archive; Error (NotImplemented) for one of PyTorch before 1.4.
  static std::shared_ptr<ScriptArchive> parse(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& where,
                                              const ScriptLoadOptions& options = {});
  static std::shared_ptr<ScriptArchive> open(const std::string& path, const ScriptLoadOptions& options = {});
  ~ScriptArchive();

  const std::string& where() const { return where_; }
  // The version of the operators in the code, as text and as a number.
  const std::string& version() const { return version_; }
  int operator_version() const { return operator_version_; }
  const SourceIndex& code() const { return code_; }
  // The modules, the root first.
  const std::vector<ModuleObject>& modules() const { return modules_; }
  // The index in modules() of the module that a value is; -1 for any other value.
  int module_of(const IValue& value) const;
  // Whether a value is an object or tensor that Monograph cannot build: of a class of C++, quantized, sparse. Graphs read it as it is, and only an operator
  // that a user defines can use it.
  bool is_foreign(const IValue& value) const;
  // The names of the files below extra/.
  std::vector<std::string> extra_files() const;
  // The content of one. Error (Key) if there is none of this name.
  std::string extra_file(std::string_view name) const;
  // Reads the extra file kReliedOn (save.h) and stores its lines in the graphs of the root's methods (ir::Graph::relied_on).
  void read_relied_on();
  // The names and values of the members of an Enum in the code; empty for any other class.
  std::vector<std::pair<std::string, IValue>> members(std::string_view cls) const;
  // The name of the member that has this value; "" if none has.
  std::string member_of(std::string_view cls, const IValue& value) const;
  // The names of the operators that the code calls, each once.
  std::vector<std::string> operators() const;

  // Returns the graph of a method of modules()[module]; it is compiled at the first call. The graph belongs to unit() and has the method's path as its
  // name: "forward" for the root, "encoder.forward" for another module. `as`: another name for the graph. An Error shows the line that cannot be compiled.
  ir::Graph& method(int module, std::string_view name, std::string_view as = {});
  // Whether operators that a graph of method() calls were missing when it was compiled; whether some are there now, so that method() compiles it again.
  bool lacks(const ir::Graph& graph) const { return missing_.contains(&graph); }
  bool has_gained(const ir::Graph& graph) const;
  // Runs the __setstate__ of each module that computes attributes. What they make is in modules() then. To be called before the first method(): graphs that
  // are there know nothing of it. Whether any attribute is new.
  bool settle();
  // Sets what write() has in the place of a module's attributes: what its __getstate__ gives.
  void set_state(int module, const IValue& state);
  // Sets the mode of a module. Methods are compiled for the modes that the modules have at that time.
  void set_training(int module, bool training);
  // Returns a Unit with the modules and tensors as they are now, and with every method of the root. Its graphs read the modes when they run. If a method
  // compiles for one mode only, all are compiled for the present modes instead, and the second result is true. `edited` maps names of methods to graphs
  // that replace them.
  std::pair<std::unique_ptr<ir::Unit>, bool> program(const std::map<std::string, const ir::Graph*>& edited = {}) const;
  // Sets an attribute that no code assigns; methods are compiled again afterwards. Error (Attribute) if the module has none of this name, Error (Type)
  // if the value has another type.
  void set_attribute(int module, std::string_view name, const IValue& value);
  // Writes the archive with its own code and the present values of its tensors and attributes.
  void write(ArchiveWriter& archive, std::string_view root, const std::vector<std::pair<std::string, std::string>>& extra_files) const;
  // The modules and tensors, with the graphs that were compiled so far.
  ir::Unit& unit() const { return *unit_; }
  std::unique_ptr<ir::Unit> take_unit() { return std::move(unit_); }

 private:
  friend class ArchiveHost;
  ScriptArchive() = default;
  void read(const std::string& root, const ScriptLoadOptions& options);
  void add_code(const std::string& root);
  // From which lines of the user's program the parts of a text come (debug.h). The entry NAME.py.debug_pkl is read at the first call.
  const std::vector<capture::script::SourceText::Origin>& origins(const std::string& file);
  int add_module(const IValue& value, const std::string& path, size_t depth);
  static void read_state(ModuleObject& module, const IValue& state);
  bool settle(int module);
  std::vector<std::pair<std::string, IValue>> made_by_setstate(const ModuleObject& module, const std::vector<Field>& wanted, bool& runs);
  void make_unit();
  // Whether a value contains objects of the code's classes, or such that are foreign. `seen` collects the containers that were visited.
  bool holds_objects(const IValue& value, std::set<const void*>& seen, size_t depth = 0) const;
  // Copies a value of the file into the form that graphs read and write. `made` maps containers of the file to their copies. Error (File) for an object
  // that graphs cannot hold.
  IValue live_value(const IValue& value, std::map<const void*, IValue>& made, size_t depth = 0) const;
  void find_assigned();
  // The modes of all modules, a letter for each.
  std::string modes() const;
  // The graph of a method. Where the code begins with checks of its inputs, as a trace's does, their types say that instead.
  std::unique_ptr<ir::Graph> compiled(int module, std::string_view name) const;
  // Whether a method of the root computes something else in training than in evaluation; true if it does not compile with modes that are read at run time.
  bool reads_mode(const std::string& method) const;

  std::string where_, version_, root_;
  int operator_version_ = 0;
  std::shared_ptr<const void> owner_;
  size_t file_bytes_ = 0;
  std::unique_ptr<pickle::MemoryLimit> memory_;  // for all pickles of the archive, and for the values of attributes
  std::unique_ptr<Archive> archive_;
  SourceIndex code_;
  std::vector<std::string> texts_;  // the texts below code/
  IValue data_;  // the value of data.pkl
  std::vector<IValue> constants_;  // the value of constants.pkl
  std::vector<ModuleObject> modules_;
  std::unordered_map<const void*, int> module_indices_;  // from an object of data_ to its index in modules_
  std::unique_ptr<ir::Unit> unit_;
  std::unique_ptr<ArchiveHost> host_;
  std::string modes_;  // modes() when the file was read
  std::map<std::string, std::vector<capture::script::SourceText::Origin>> origins_;
  int changes_ = 0;  // how often set_attribute was called, or an operator was found that was missing before
  std::unordered_map<const ir::Graph*, size_t> missing_;  // how many calls no operator took when the graph was compiled
};

// Opens an archive as a Unit: its modules, and every method of the root. Its forward runs the hooks too, as a call of the module does. A method that does
// not compile is added to `refused`. `to_run`: a __setstate__ that computes attributes runs; else they stay what the file has.
std::unique_ptr<ir::Unit> open_program(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& where,
                                       std::vector<RefusedFunction>& refused, bool to_run);

}  // namespace monograph::torchscript
