// Archives of torch.jit.save: what lies in them, and their methods as graphs.
//
//   ROOT/data.pkl        the object tree; its tensors' storages are ROOT/data/KEY
//   ROOT/constants.pkl   the tensors that code calls CONSTANTS.c0; their storages are ROOT/constants/KEY
//   ROOT/code/…/NAME.py  classes and functions (source.h); NAME.py.debug_pkl says which lines of the user's they come from
//   ROOT/version, ROOT/byteorder, ROOT/extra/…
//
// Nothing is executed and nothing is compiled while an archive is opened: a method becomes a graph when it is asked for, and what Monograph lacks is an
// error then, with its line.
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
#include "formats/pickle/values.h"
#include "formats/torchscript/source.h"
#include "ir/unit.h"

namespace monograph::torchscript {

struct ScriptLoadOptions {
  // The device of what the file places at `location`; null: the CPU.
  std::function<Device(const std::string& location)> device_of;
  // Hears of devices in code that were replaced ("cuda:0"); may be null.
  std::function<void(const std::string& message)> notice;
};

// A value of the file without what it says of its type beside it.
const IValue& untagged(const IValue& value);

// A module of the object tree.
struct ModuleObject {
  std::string path;  // from the root, the first that leads to it: "features.0"
  const SourceClass* type = nullptr;  // null where the code does not define its class
  std::string type_name;
  bool training = true;
  std::vector<std::pair<std::string, IValue>> attributes;  // in the order of the file; a module is an object of `modules`
  std::map<std::string, ir::Type> assigned;  // the attributes that the code assigns or writes to, which graphs read in the module
  std::map<std::string, IValue> objects;  // of `assigned`: the values in which objects of the code's classes are, as graphs read them
  ir::Module* made = nullptr;
};

class ArchiveHost;

class ScriptArchive {
 public:
  // `bytes` lie in `owner`; `where` names them in errors, which are of ErrorKind::File.
  static std::shared_ptr<ScriptArchive> parse(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& where,
                                              const ScriptLoadOptions& options = {});
  static std::shared_ptr<ScriptArchive> open(const std::string& path, const ScriptLoadOptions& options = {});
  ~ScriptArchive();

  const std::string& where() const { return where_; }
  const std::string& version() const { return version_; }
  int operator_version() const { return operator_version_; }
  const SourceIndex& code() const { return code_; }
  // The modules, the root first.
  const std::vector<ModuleObject>& modules() const { return modules_; }
  // The index in modules() of a value that is one; -1 of another.
  int module_of(const IValue& value) const;
  // The files below extra/, by their names; the content of one, which is copied.
  std::vector<std::string> extra_files() const;
  std::string extra_file(std::string_view name) const;
  // Gives the graphs of the root's methods what the file says that they relied on.
  void read_relied_on();
  // The members of an Enum of the code, and the name of the one that has this value; "" where there is none.
  std::vector<std::pair<std::string, IValue>> members(std::string_view cls) const;
  std::string member_of(std::string_view cls, const IValue& value) const;
  // The names of operators that its code calls, each once.
  std::vector<std::string> operators() const;

  // The graph of a method, compiled at the first call: "forward" of the root, "encoder.forward" of a module. It belongs to unit(). Error shows the line
  // that has no form in a graph.
  ir::Graph& method(int module, std::string_view name);
  // The mode of a module, for which graphs are compiled from then on.
  void set_training(int module, bool training);
  // The modules and tensors as they are now, with every method of the root that compiles: in which the mode is read when they run, or, where one compiles
  // for one mode only (the second is true then), in the mode that the modules are in. `edited`: graphs that take the place of methods.
  std::pair<std::unique_ptr<ir::Unit>, bool> program(const std::map<std::string, const ir::Graph*>& edited = {}) const;
  // Another value of an attribute that no code assigns; graphs are compiled anew. Error (Type) where it has another type.
  void set_attribute(int module, std::string_view name, const IValue& value);
  // Writes the archive with its own code, and with the values that its tensors and attributes have now.
  void write(ArchiveWriter& archive, std::string_view root, const std::vector<std::pair<std::string, std::string>>& extra_files) const;
  // The modules and tensors as a program, with the graphs that were compiled.
  ir::Unit& unit() const { return *unit_; }
  std::unique_ptr<ir::Unit> take_unit() { return std::move(unit_); }

 private:
  friend class ArchiveHost;
  ScriptArchive() = default;
  void read(const std::string& root, const ScriptLoadOptions& options);
  void add_code(const std::string& root);
  // Which lines of the user's the parts of a text come from, as NAME.py.debug_pkl says; read when the text is first asked for.
  const std::vector<capture::script::SourceText::Origin>& origins(const std::string& file);
  int add_module(const IValue& value, const std::string& path, size_t depth);
  void make_unit();
  // Whether a value has objects of the code's classes in it. `seen`: what was looked at.
  bool holds_objects(const IValue& value, std::set<const void*>& seen, size_t depth = 0) const;
  // The value as graphs read and write it. `made`: the objects and containers so far. Error (File) for what they cannot.
  IValue live_value(const IValue& value, std::map<const void*, IValue>& made, size_t depth = 0) const;
  void find_assigned();
  std::string modes() const;
  bool reads_mode(const std::string& method) const;

  std::string where_, version_, root_;
  int operator_version_ = 0;
  std::shared_ptr<const void> owner_;
  size_t file_bytes_ = 0;
  std::unique_ptr<Archive> archive_;
  SourceIndex code_;
  std::vector<std::string> texts_;
  IValue data_;
  std::vector<IValue> constants_;
  std::vector<ModuleObject> modules_;
  std::unordered_map<const void*, int> places_;  // of modules, by object
  std::unique_ptr<ir::Unit> unit_;
  std::unique_ptr<ArchiveHost> host_;
  std::string modes_;  // as the file has them
  std::map<std::string, std::vector<capture::script::SourceText::Origin>> origins_;
  int changes_ = 0;  // of attributes, by set_attribute
};

// The program of an archive: its modules, and every method of the root that compiles. Error shows the line of forward that has no form in a graph.
std::unique_ptr<ir::Unit> open_program(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& where);

}  // namespace monograph::torchscript
