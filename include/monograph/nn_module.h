// The base class of modules that you write in C++, with layers, parameters and a forward, as in libtorch. monograph/nn.h includes this file.
//
//   struct Net : nn::Module {
//     Net() {
//       fc1 = register_module("fc1", nn::Linear(784, 64));
//       fc2 = register_module("fc2", nn::Linear(64, 10));
//       scale = register_parameter("scale", ones({1}));
//     }
//     Tensor forward(Tensor x) { return fc2->forward(relu(fc1->forward(x))) * scale; }
//     nn::Linear fc1{nullptr}, fc2{nullptr};
//     Tensor scale;
//   };
//   auto net = std::make_shared<Net>();
//   save(net, "net.pt");                    Python reads it: torch.jit.load("net.pt").state_dict()
//
// forward is ordinary C++: each call runs its operators one by one. capture() turns it into a graph.
#pragma once

#include <utility>

#include "monograph/script.h"

MONOGRAPH_API_BEGIN

namespace nn {

// The result of named_parameters(): libtorch's OrderedDict, whose entries are in the order of their registration.
template <class T>
class OrderedDict {
 public:
  class Item {
   public:
    Item(std::string key, T value) : pair_(std::move(key), std::move(value)) {}
    const std::string& key() const { return pair_.first; }
    T& value() { return pair_.second; }
    const T& value() const { return pair_.second; }
    const T& operator*() const { return pair_.second; }
    const T* operator->() const { return &pair_.second; }
    const std::pair<std::string, T>& pair() const { return pair_; }

   private:
    std::pair<std::string, T> pair_;
  };
  size_t size() const { return items_.size(); }
  bool is_empty() const { return items_.empty(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  const T* find(const std::string& key) const {
    for (const Item& item : items_)
      if (item.key() == key) return &item.value();
    return nullptr;
  }
  bool contains(const std::string& key) const { return find(key) != nullptr; }
  // KeyError if there is no entry with this key.
  const T& operator[](const std::string& key) const {
    if (const T* found = find(key)) return *found;
    throw KeyError("Key '" + key + "' is not defined");
  }
  const Item& operator[](size_t k) const { return items_.at(k); }
  std::vector<std::string> keys() const {
    std::vector<std::string> out;
    for (const Item& item : items_) out.push_back(item.key());
    return out;
  }
  std::vector<T> values() const {
    std::vector<T> out;
    for (const Item& item : items_) out.push_back(item.value());
    return out;
  }
  void insert(std::string key, T value) { items_.emplace_back(std::move(key), std::move(value)); }

 private:
  std::vector<Item> items_;
};

// The base of your modules. parameters(), to(), train() and save() reach the tensors and modules that are registered, and no others.
class Module {
 public:
  Module() = default;
  explicit Module(std::string name) : name_(std::move(name)) {}
  virtual ~Module() = default;
  const std::string& name() const { return name_; }

  // Each function returns what it registers. ValueError for a name that is empty, contains a dot or is already registered.
  template <class Part>
    requires std::derived_from<Part, jit::Module>
  Part register_module(const std::string& name, Part layer) {
    children_.push_back({checked(name), layer, nullptr});
    return layer;
  }
  template <class Part>
    requires std::derived_from<Part, Module>
  std::shared_ptr<Part> register_module(const std::string& name, std::shared_ptr<Part> module) {
    if (!module) throw ValueError("register_module: the module '" + name + "' is null");
    children_.push_back({checked(name), {}, module});
    return module;
  }
  // The same for a ModuleHolder.
  template <class Holder>
    requires std::derived_from<typename Holder::ContainedType, Module>
  Holder register_module(const std::string& name, Holder holder) {
    register_module(name, holder.ptr());
    return holder;
  }
  Tensor register_parameter(const std::string& name, const Tensor& value, bool requires_grad = true);
  Tensor register_buffer(const std::string& name, const Tensor& value);

  // The tensors by name, such as "fc1.weight": those of this module first, then those of its submodules in the order of registration.
  OrderedDict<Tensor> named_parameters(bool recurse = true) const;
  OrderedDict<Tensor> named_buffers(bool recurse = true) const;
  std::vector<Tensor> parameters(bool recurse = true) const { return named_parameters(recurse).values(); }
  std::vector<Tensor> buffers(bool recurse = true) const { return named_buffers(recurse).values(); }

  // Sets the mode of this module and of all its submodules. Dropout and batch norm use it.
  virtual void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const { return training_; }
  // Converts parameters and buffers in place. Only floating and complex tensors change their dtype.
  virtual void to(Dtype dtype, bool non_blocking = false);
  virtual void to(Device device, bool non_blocking = false);
  virtual void to(Device device, Dtype dtype, bool non_blocking = false);
  // Removes the gradients, or with set_to_none=false fills them with zeros.
  virtual void zero_grad(bool set_to_none = true);

 private:
  struct Child {
    std::string name;
    jit::Module layer;
    std::shared_ptr<Module> module;  // null if the child is `layer`
  };
  const std::string& checked(const std::string& name) const;
  OrderedDict<Tensor> tensors(bool parameters, bool recurse) const;
  std::string name_;
  bool training_ = true;
  std::vector<Child> children_;
  std::vector<jit::Named<Tensor>> parameters_, buffers_;
};

// Holds a module; copies are the same module. libtorch's TORCH_MODULE(Net) defines such a class Net for NetImpl.
template <class Contained>
class ModuleHolder {
 public:
  using ContainedType = Contained;
  ModuleHolder()
    requires std::is_default_constructible_v<Contained>
      : held_(std::make_shared<Contained>()) {}
  ModuleHolder(std::nullptr_t) {}
  ModuleHolder(std::shared_ptr<Contained> module) : held_(std::move(module)) {}
  template <class First, class... Rest>
    requires(std::is_constructible_v<Contained, First, Rest...> && !std::derived_from<std::remove_cvref_t<First>, ModuleHolder>)
  explicit ModuleHolder(First&& first, Rest&&... rest)
      : held_(std::make_shared<Contained>(std::forward<First>(first), std::forward<Rest>(rest)...)) {}
  explicit operator bool() const { return held_ != nullptr; }
  bool is_empty() const { return held_ == nullptr; }
  // ValueError if it holds no module.
  const std::shared_ptr<Contained>& ptr() const {
    if (!held_) throw ValueError("Accessing an empty ModuleHolder: give it a module first");
    return held_;
  }
  Contained* operator->() const { return ptr().get(); }
  Contained& operator*() const { return *ptr(); }
  Contained* get() const { return ptr().get(); }
  template <class... T>
  auto operator()(T&&... inputs) const {
    return ptr()->forward(std::forward<T>(inputs)...);
  }

 private:
  std::shared_ptr<Contained> held_;
};

}  // namespace nn

// save() writes the parameters and buffers as libtorch does: an archive of torch.jit.save without code. load() reads such an archive, or a state dict that
// torch.save wrote, into the module's tensors. RuntimeError names a tensor that is missing in the file or has other sizes there. OSError if the file cannot be
// written, is missing or is damaged.
void save(const nn::Module& module, const std::string& path);
void load(nn::Module& module, const std::string& path);
template <class M>
  requires std::derived_from<M, nn::Module>
void save(const std::shared_ptr<M>& module, const std::string& path) {
  save(static_cast<const nn::Module&>(*module), path);
}
template <class M>
  requires std::derived_from<M, nn::Module>
void load(const std::shared_ptr<M>& module, const std::string& path) {
  load(static_cast<nn::Module&>(*module), path);
}
template <class M>
void save(const nn::ModuleHolder<M>& module, const std::string& path) {
  save(module.ptr(), path);
}
template <class M>
void load(const nn::ModuleHolder<M>& module, const std::string& path) {
  load(module.ptr(), path);
}
// The same for one tensor, and for a list. A stream holds the file's bytes from its place on. RuntimeError for a file with another number of tensors; a file of
// Python's torch.save is read by load_tensors and jit::pickle_load.
void save(const Tensor& tensor, const std::string& path);
void save(const Tensor& tensor, std::ostream& out);
void save(const std::vector<Tensor>& tensors, const std::string& path);
void save(const std::vector<Tensor>& tensors, std::ostream& out);
void load(Tensor& tensor, const std::string& path, std::optional<Device> device = {});
void load(Tensor& tensor, std::istream& in, std::optional<Device> device = {});
void load(std::vector<Tensor>& tensors, const std::string& path, std::optional<Device> device = {});
void load(std::vector<Tensor>& tensors, std::istream& in, std::optional<Device> device = {});

MONOGRAPH_API_END
