// Modules that C++ writes itself: a class with layers, parameters and a forward, as libtorch's users write it. monograph/nn.h includes this file.
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
// forward is a function of C++: it runs each operator when it is called. capture() makes a graph of it.
#pragma once

#include <utility>

#include "monograph/script.h"

MONOGRAPH_API_BEGIN

namespace nn {

// What named_parameters() gives: libtorch's OrderedDict, with the entries in the order of their registration.
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
  // KeyError where there is none of this name.
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

// The base of a class of yours. What is registered is a part of the module: parameters(), to(), train() and save() reach it.
class Module {
 public:
  Module() = default;
  explicit Module(std::string name) : name_(std::move(name)) {}
  virtual ~Module() = default;
  const std::string& name() const { return name_; }

  // Each gives back what it registers. ValueError for a name that is empty, has a dot or is taken.
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
  // Of a ModuleHolder.
  template <class Holder>
    requires std::derived_from<typename Holder::ContainedType, Module>
  Holder register_module(const std::string& name, Holder holder) {
    register_module(name, holder.ptr());
    return holder;
  }
  Tensor register_parameter(const std::string& name, const Tensor& value, bool requires_grad = true);
  Tensor register_buffer(const std::string& name, const Tensor& value);

  // "fc1.weight" and so on: those of this module first, and then those of its parts in their order.
  OrderedDict<Tensor> named_parameters(bool recurse = true) const;
  OrderedDict<Tensor> named_buffers(bool recurse = true) const;
  std::vector<Tensor> parameters(bool recurse = true) const { return named_parameters(recurse).values(); }
  std::vector<Tensor> buffers(bool recurse = true) const { return named_buffers(recurse).values(); }

  // Dropout and batch norms ask for the mode of the layer that they are.
  virtual void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const { return training_; }
  // Converts parameters and buffers in place. Only floating and complex numbers change their dtype.
  virtual void to(Dtype dtype, bool non_blocking = false);
  virtual void to(Device device, bool non_blocking = false);
  virtual void to(Device device, Dtype dtype, bool non_blocking = false);
  // Takes away the gradients, or with false makes them zero.
  virtual void zero_grad(bool set_to_none = true);

 private:
  struct Child {
    std::string name;
    jit::Module layer;
    std::shared_ptr<Module> module;  // null: it is the layer
  };
  const std::string& checked(const std::string& name) const;
  OrderedDict<Tensor> tensors(bool parameters, bool recurse) const;
  std::string name_;
  bool training_ = true;
  std::vector<Child> children_;
  std::vector<jit::Named<Tensor>> parameters_, buffers_;
};

// A shared module, whose copies are the same one: libtorch's TORCH_MODULE(Net) makes Net of NetImpl.
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
  // ValueError where there is no module.
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

// The parameters and buffers in a file, as libtorch writes and reads them: an archive of torch.jit.save without code. load() also reads a state dict that
// torch.save wrote. RuntimeError names a tensor that the file lacks, or that has other sizes there.
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

MONOGRAPH_API_END
