// Implements the functions of monograph/nn.h that make layers. capture/layers evaluates the Python sources of torch.nn; each module is then a ScriptProgram.
#include <algorithm>

#include "api/script_program.h"
#include "capture/layers/program.h"
#include "exec/interpreter.h"
#include "monograph/nn.h"

MONOGRAPH_API_BEGIN

namespace {

using capture::layers::Evaluator;
using capture::layers::LayerProgram;
using capture::layers::LayerValue;

class LayersScript final : public ScriptProgram {
 public:
  explicit LayersScript(monograph::IValue root) : program_(std::move(root)) {}
  ir::Unit& unit() override { return program_.unit(); }
  std::vector<std::string> methods(const ir::Module& module) override {
    return LayerProgram::has_forward(program_.layer(module)) ? std::vector<std::string>{"forward"} : std::vector<std::string>();
  }
  ir::Graph& graph_of(const ir::Module& module, const std::string& name) override { return program_.method(module, name); }
  void set_training(ir::Module& module, bool on) override { program_.set_training(module, on); }
  void set_value(ir::Module& module, const std::string& name, const monograph::IValue& value) override {
    program_.set_attribute(module, name, value);
  }
  std::shared_ptr<ScriptProgram> copied() override {
    std::map<const void*, monograph::IValue> made;
    return std::make_shared<LayersScript>(Evaluator::global().copied(program_.root(), made));
  }
  std::pair<std::unique_ptr<ir::Unit>, bool> for_file() override { return program_.for_file(); }
  monograph::IValue value_of(const ir::Module& module) const { return monograph::IValue(Ref<ObjectBox>(&program_.layer(module))); }

 private:
  LayerProgram program_;
};

jit::Module module_of(monograph::IValue made) {
  MONOGRAPH_CHECK(capture::layers::as<LayerValue>(made), Type, "expected an expression that makes a module, but got a ", describe(made));
  auto program = std::make_shared<LayersScript>(std::move(made));
  ir::Module* root = program->unit().root();
  return jit::Module::Access::wrap(std::move(program), root);
}

}  // namespace

namespace nn {

namespace {

capture::layers::CallArguments values_of(const std::string& name, const std::vector<Argument>& arguments) {
  capture::layers::CallArguments given;
  for (const Argument& a : arguments) {
    monograph::IValue value = IValue::Access::of(a.value());
    if (a.module()) {
      const auto* program = dynamic_cast<const LayersScript*>(&jit::Module::Access::program(*a.module()));
      MONOGRAPH_CHECK(program, NotImplemented, name,
                      "() of a module that was loaded or frozen runs in Python only; give it layers that monograph::nn made");
      value = program->value_of(jit::Module::Access::of(*a.module()));
    }
    const auto before = std::ranges::find(given.named, a.name(), &std::pair<std::string, monograph::IValue>::first);
    if (a.name().empty()) given.positional.push_back(std::move(value));
    else if (before != given.named.end()) before->second = std::move(value);  // options that were set twice
    else given.named.emplace_back(a.name(), std::move(value));
  }
  return given;
}

}  // namespace

jit::Module make(const std::string& name, const std::vector<Argument>& arguments) {
  return translated([&] {
    capture::layers::CallArguments given = values_of(name, arguments);
    Evaluator& evaluator = Evaluator::global();
    const auto lock = evaluator.lock();
    return module_of(evaluator.call(monograph::IValue(Ref<ObjectBox>(evaluator.layer_class(name))), std::move(given)));
  });
}

IValue functional::call(const std::string& name, const std::vector<Argument>& arguments) {
  return translated([&] {
    capture::layers::CallArguments given = values_of(name, arguments);
    Evaluator& evaluator = Evaluator::global();
    const auto lock = evaluator.lock();
    return IValue::Access::wrap(evaluator.call(evaluator.function(name), std::move(given)));
  });
}

IValue init::call(const std::string& name, const std::vector<Argument>& arguments) {
  return translated([&] {
    capture::layers::CallArguments given = values_of(name, arguments);
    Evaluator& evaluator = Evaluator::global();
    const auto lock = evaluator.lock();
    return IValue::Access::wrap(evaluator.call(evaluator.function(name, "monograph.nn.init"), std::move(given)));
  });
}

jit::Module layer(const std::string& expression) {
  return translated([&] {
    Evaluator& evaluator = Evaluator::global();
    const auto lock = evaluator.lock();
    return module_of(evaluator.evaluate(expression));
  });
}

std::vector<std::string> layers() {
  std::vector<std::string> names;
  for (const capture::layers::EmbeddedLayer& layer : capture::layers::embedded_layers()) names.emplace_back(layer.name);
  return names;
}

}  // namespace nn

MONOGRAPH_API_END
