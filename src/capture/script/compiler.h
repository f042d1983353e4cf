// Functions of a typed subset of Python as graphs: TorchScript's language.
#pragma once

#include <memory>
#include <string_view>

#include "capture/script/host.h"
#include "capture/writer.h"
#include "ir/graph.h"
#include "ir/unit.h"

namespace monograph::capture::script {

// A function with everything that it calls, in one graph. Error (Runtime) with the user's line for what is no program of this language.
std::unique_ptr<ir::Graph> compile_function(Host& host, const HostFunction& function);
// A method of a module, with everything that it and the hooks of a forward call. Its inputs are those behind self. `calls` gets the calls of modules that
// stand in place, for outline_modules.
std::unique_ptr<ir::Graph> compile_method(Host& host, const HostFunction& method, int64_t self, std::vector<ModuleCall>* calls = nullptr);
// How a method that was compiled is called.
MethodSignature signature_of(const ir::Graph& method);
// The first function of a text, or that of this name. Names are those of TextHost.
std::unique_ptr<ir::Graph> compile_text(std::string_view text, std::string_view file = "<string>", std::string_view name = {});

// The classes that the programs of this host use: objects with their attributes, NamedTuples and Enums without.
struct CompiledClass {
  std::string name;
  ir::Type type;
  std::vector<std::pair<std::string, ir::Type>> attributes;
};
std::vector<CompiledClass> compiled_classes(Host& host);
// A class with all of its methods. Error (Runtime) with the user's line.
void compile_class(Host& host, int64_t id);
// The classes of objects, as the Unit has them.
void add_classes(ir::Unit& unit, Host& host);

}  // namespace monograph::capture::script
