// with, and try with finally. What runs at their end is compiled at each way out: in front of a return, break, continue or raise that leaves them, and
// behind their body. An error that an operator raises ends the program without it.
#include "capture/script/function_compiler.h"

namespace monograph::capture::script {

using ir::Args;
using ir::Type;
using ir::TypeKind;

void FunctionCompiler::run_exits(const std::function<bool(const PendingExit&)>& leaves) {
  const std::vector<PendingExit> pending = exits_;
  while (!exits_.empty() && leaves(exits_.back())) {
    const PendingExit one = exits_.back();
    exits_.pop_back();
    FunctionFrame* from = std::exchange(frame_, one.frame);
    one.run();
    frame_ = from;
  }
  exits_ = pending;
}

// The body, and then the innermost `exits` where it goes on.
Flow FunctionCompiler::run_with_exit(const std::vector<Stmt*>& body, size_t exits) {
  Flow flow = block(body);
  size_t left = exits;
  auto innermost = [&](const PendingExit&) { return left-- > 0; };
  if (flow == Flow::Falls) {
    run_exits(innermost);
  } else if (flow == Flow::Mixed) {
    const Flow rest = guard_rest();
    if (rest != Flow::Exits) run_exits(innermost);
    flow = opens_arm(rest) ? end_open_arms(1, Flow::Falls) : rest;
  }
  exits_.resize(exits_.size() - exits);
  return flow;
}

Flow FunctionCompiler::with_statement(const Stmt& s) {
  const Kept<std::optional<DType>> region(autocast_);
  size_t exits = 0;
  for (size_t k = 0; k + 1 < s.values.size(); k += 2, ++exits) {
    std::function<void()> exit = enter_context(*s.values[k], s.values[k + 1]);
    exits_.push_back({frame_, frame_->loops.size(), std::move(exit)});
  }
  return run_with_exit(s.body, exits);
}

// Enters a context manager; what leaves it.
std::function<void()> FunctionCompiler::enter_context(const Expr& item, const Expr* target) {
  const TextRange at = item.range;
  if (item.kind == SyntaxKind::Call) {
    const ScriptValue callee = expression(*item.parts[0]);
    if (callee.kind == ScriptValue::Kind::Context) {
      const Given given = arguments(item);
      if (target) unsupported(target->range, concat("`as` after torch.", callee.text, "()"));
      if (callee.text == "record_function") return [] {};
      if (callee.text.ends_with("autocast")) return enter_autocast(item, callee.text), [] {};
      ScriptValue on = literal(Args(callee.text == "enable_grad"));
      const std::vector<ScriptValue>& args = given.positional;
      if (callee.text == "set_grad_enabled" && args.size() == 1) on = args[0];
      else if (callee.text == "inference_mode" && args.size() == 1 && args[0].arg[0].is(ir::ArgKind::Bool) && args[0].arg[0].as_bool())
        on = literal(Args(false));
      else if (!args.empty() || !given.named.empty()) unsupported(at, concat("torch.", callee.text, "() with these arguments"));
      const ScriptValue before = emit(at, "aten::is_grad_enabled", {});
      emit(at, "aten::set_grad_enabled", {converted(at, on, TypeKind::Bool, concat("the argument of ", callee.text, "()"))});
      return [this, at, before] { emit(at, "aten::set_grad_enabled", {before}); };
    }
  }
  const ScriptValue manager = plain(item);
  if (enter_autocast_object(at, manager)) return [] {};
  std::optional<ScriptValue> entered = special_method(at, "__enter__", {manager});
  if (!entered)
    wrong(at,
          concat("with takes an object whose class has __enter__ and __exit__, or torch.no_grad() and its like, but this value has type ",
                 spelled(type_of(manager))));
  if (target) assign(*target, *entered);
  return [this, at, manager] {
    const ScriptValue none = literal(Args().none());
    if (!special_method(at, "__exit__", {manager, none, none, none}))
      wrong(at, concat("the class ", spelled(manager.type), " has no method __exit__"));
  };
}

Flow FunctionCompiler::try_statement(const Stmt& s) {
  if (s.text == "else") unsupported(s.range, "try with else");
  if (s.text != "finally") return try_except(s);
  bool leaves = false;
  exits_.push_back({frame_, frame_->loops.size(), [this, &s, &leaves] {
                      const Flow flow = block(s.orelse);
                      leaves = leaves || flow != Flow::Falls;
                      if (leaves) unsupported(s.range, "a finally that returns, breaks, continues or raises");
                    }});
  return run_with_exit(s.body, 1);
}

}  // namespace monograph::capture::script
