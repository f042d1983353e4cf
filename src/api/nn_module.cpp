// Implements monograph/nn_module.h: the tensors of modules that are C++ classes, and files of them. Such a file is an archive of modules without methods.
#include <map>

#include "api/access.h"
#include "exec/interpreter.h"
#include "formats/open.h"
#include "formats/torchscript/save.h"
#include "ir/unit.h"
#include "monograph/checkpoint.h"
#include "monograph/nn_module.h"

MONOGRAPH_API_BEGIN

namespace nn {

const std::string& Module::checked(const std::string& name) const {
  bool taken = false;
  for (const Child& child : children_) taken |= child.name == name;
  for (const auto* table : {&parameters_, &buffers_})
    for (const jit::Named<Tensor>& held : *table) taken |= held.name == name;
  const char* what = name.empty() ? " is empty" : name.find('.') != std::string::npos ? " has a dot" : taken ? " is taken" : nullptr;
  if (what) throw ValueError("register: the name '" + name + "'" + what + "; choose a name that is new in this module and has no dot");
  return name;
}

Tensor Module::register_parameter(const std::string& name, const Tensor& value, bool requires_grad) {
  parameters_.push_back({checked(name), value});
  if (value.defined()) value.requires_grad_(requires_grad);
  return value;
}
Tensor Module::register_buffer(const std::string& name, const Tensor& value) {
  buffers_.push_back({checked(name), value});
  return value;
}

OrderedDict<Tensor> Module::tensors(bool parameters, bool recurse) const {
  OrderedDict<Tensor> out;
  for (const jit::Named<Tensor>& held : parameters ? parameters_ : buffers_)
    if (held.value.defined()) out.insert(held.name, held.value);
  if (!recurse) return out;
  for (const Child& child : children_) {
    if (child.module) {
      for (const auto& item : child.module->tensors(parameters, true)) out.insert(child.name + "." + item.key(), item.value());
    } else {
      for (const jit::Named<Tensor>& held : parameters ? child.layer.named_parameters() : child.layer.named_buffers())
        out.insert(child.name + "." + held.name, held.value);
    }
  }
  return out;
}
OrderedDict<Tensor> Module::named_parameters(bool recurse) const { return tensors(true, recurse); }
OrderedDict<Tensor> Module::named_buffers(bool recurse) const { return tensors(false, recurse); }

void Module::train(bool on) {
  training_ = on;
  for (const Child& child : children_) {
    if (child.module) child.module->train(on);
    else child.layer.train(on);
  }
}

namespace {
void convert(const std::vector<jit::Named<Tensor>>& table, std::optional<Device> device, std::optional<Dtype> dtype) {
  const NoGradGuard no_grad;
  for (const jit::Named<Tensor>& held : table) {
    if (!held.value.defined()) continue;
    Tensor now = held.value.detach();
    if (device) now = now.to(*device);
    if (dtype && (now.is_floating_point() || now.is_complex())) now = now.to(*dtype);
    held.value.set_data(now);
  }
}
}  // namespace

void Module::to(Dtype dtype, bool non_blocking) {
  convert(parameters_, {}, dtype), convert(buffers_, {}, dtype);
  for (const Child& child : children_) {
    if (child.module) child.module->to(dtype, non_blocking);
    else child.layer.to(dtype, non_blocking);
  }
}
void Module::to(Device device, bool non_blocking) {
  convert(parameters_, device, {}), convert(buffers_, device, {});
  for (const Child& child : children_) {
    if (child.module) child.module->to(device, non_blocking);
    else child.layer.to(device, non_blocking);
  }
}
void Module::to(Device device, Dtype dtype, bool non_blocking) { to(device, non_blocking), to(dtype, non_blocking); }

void Module::zero_grad(bool set_to_none) {
  for (const Tensor& p : parameters()) {
    const Tensor grad = p.grad();
    if (!grad.defined()) continue;
    if (set_to_none) p.set_grad({});
    else p.set_grad(zeros_like(grad));
  }
}

}  // namespace nn

namespace {

// A Unit with a module for each prefix of the tensors' names. Each module has its own class, because its attributes are its own.
class StateProgram {
 public:
  StateProgram() { unit_.set_root(module_at("")); }
  void add(const std::string& path, const Tensor& t, ir::Attribute::Kind kind) {
    const size_t dot = path.rfind('.');
    ir::Module* holder = module_at(dot == std::string::npos ? "" : path.substr(0, dot));
    ir::Attribute a;
    a.name = path.substr(dot == std::string::npos ? 0 : dot + 1), a.kind = kind, a.type = ir::TypeKind::Tensor;
    attribute(holder, std::move(a)).value.add(ir::TensorRef(std::make_shared<exec::LiveTensor>(Tensor::Access::of(t))));
  }
  const ir::Unit& unit() const { return unit_; }

 private:
  ir::Module::Value& attribute(ir::Module* holder, ir::Attribute a) {
    const_cast<ir::Class&>(holder->type()).attributes.push_back(std::move(a));
    return holder->values.emplace_back();
  }
  ir::Module* module_at(const std::string& path) {
    if (const auto known = modules_.find(path); known != modules_.end()) return known->second;
    ir::Class* type = unit_.add_class(path.empty() ? "__torch__.Module" : monograph::concat("__torch__.", path, ".Module"));
    type->is_module = true;
    ir::Module* made = modules_[path] = unit_.add_module(type);
    if (path.empty()) return made;
    const size_t dot = path.rfind('.');
    ir::Module* holder = module_at(dot == std::string::npos ? "" : path.substr(0, dot));
    ir::Attribute a;
    a.name = path.substr(dot == std::string::npos ? 0 : dot + 1), a.kind = ir::Attribute::Kind::Module;
    attribute(holder, std::move(a)).module = made;
    return made;
  }

  ir::Unit unit_;
  std::map<std::string, ir::Module*> modules_;
};

// The parameters and buffers of a program, or the tensors of a state dict.
std::map<std::string, Tensor> tensors_in(const std::string& path) {
  const FileFormat format = translated([&] { return detect_format(path); });
  if (format != FileFormat::TorchScript && format != FileFormat::Mgraph) return load_tensors(path);
  std::map<std::string, Tensor> out;
  const jit::Module file = jit::load(path);
  for (const auto& [name, t] : file.named_parameters()) out.emplace(name, t);
  for (const auto& [name, t] : file.named_buffers()) out.emplace(name, t);
  return out;
}

}  // namespace

void save(const nn::Module& module, const std::string& path) {
  translated([&] {
    StateProgram state;
    for (const auto& item : module.named_parameters()) state.add(item.key(), item.value(), ir::Attribute::Kind::Parameter);
    for (const auto& item : module.named_buffers()) state.add(item.key(), item.value(), ir::Attribute::Kind::Buffer);
    torchscript::save_archive(state.unit(), path);
  });
}

void load(nn::Module& module, const std::string& path) {
  const std::map<std::string, Tensor> file = tensors_in(path);
  const NoGradGuard no_grad;
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (const auto& table : {module.named_parameters(), module.named_buffers()})
    for (const auto& item : table) {
      const auto found = file.find(item.key());
      if (found == file.end()) throw RuntimeError("load: " + path + " has no tensor '" + item.key() + "', which the module has");
      if (found->second.sizes() != item.value().sizes())
        throw RuntimeError("load: the tensor '" + item.key() + "' has other sizes in " + path + " than in the module");
      copies.emplace_back(item.value(), found->second);
    }
  for (const auto& [to, from] : copies) to.copy_(from);
}

MONOGRAPH_API_END
