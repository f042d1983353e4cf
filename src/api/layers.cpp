// Implements the functions of monograph/nn.h that make layers. capture/layers evaluates the Python sources of torch.nn; each module is then a ScriptProgram.
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

jit::Module make(const std::string& name, const std::vector<Argument>& arguments) {
  return translated([&] {
    capture::layers::CallArguments given;
    for (const Argument& a : arguments) {
      monograph::IValue value = IValue::Access::of(a.value());
      if (a.module()) {
        const auto* program = dynamic_cast<const LayersScript*>(&jit::Module::Access::program(*a.module()));
        MONOGRAPH_CHECK(program, NotImplemented, name,
                        "() cannot contain a module that was loaded or frozen; pass layers that monograph::nn made, or build it in Python");
        value = program->value_of(jit::Module::Access::of(*a.module()));
      }
      if (a.name().empty()) given.positional.push_back(std::move(value));
      else given.named.emplace_back(a.name(), std::move(value));
    }
    Evaluator& evaluator = Evaluator::global();
    const auto lock = evaluator.lock();
    return module_of(evaluator.call(monograph::IValue(Ref<ObjectBox>(evaluator.layer_class(name))), std::move(given)));
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
