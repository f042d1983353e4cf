// Statements. Control flow becomes If and Loop; what leaves early sets flags, and the rest stands in an If on them where that is needed.
#include <algorithm>
#include <limits>
#include <set>

#include "capture/script/function_compiler.h"
#include "ir/node_names.h"

namespace monograph::capture::script {

using ir::ArgKind;
using ir::ArgRef;
using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;
using Leave = ir::RegionBuilder::Leave;

// --- What statements do, by their syntax.

namespace {

void add_targets(const Expr& target, std::vector<std::string>& names) {
  if (target.kind == SyntaxKind::Name) names.push_back(target.text);
  if (target.kind == SyntaxKind::Tuple || target.kind == SyntaxKind::List || target.kind == SyntaxKind::Starred)
    for (const Expr* part : target.parts) add_targets(*part, names);
}

// The names that statements assign, in their order.
// The names that `:=` assigns in an expression.
void add_walrus(const Expr* e, std::vector<std::string>& names) {
  if (!e) return;
  if (e->kind == SyntaxKind::Assignment) names.push_back(e->parts[0]->text);
  if (e->kind == SyntaxKind::Lambda) return;
  for (const Expr* part : e->parts) add_walrus(part, names);
}

void add_assigned(const std::vector<Stmt*>& statements, std::vector<std::string>& names) {
  for (const Stmt* s : statements) {
    if (s->kind == StmtKind::Assign || s->kind == StmtKind::Augmented || s->kind == StmtKind::For)
      for (const Expr* target : s->values) add_targets(*target, names);
    add_walrus(s->value, names);
    for (const Expr* value : s->values) add_walrus(value, names);
    if (s->kind == StmtKind::With)
      for (size_t k = 1; k < s->values.size(); k += 2)
        if (s->values[k]) add_targets(*s->values[k], names);
    if (s->kind == StmtKind::Function) names.push_back(s->function->name);
    add_assigned(s->body, names);
    add_assigned(s->orelse, names);
  }
}

bool any_statement(const std::vector<Stmt*>& statements, StmtKind kind, bool into_loops) {
  return std::ranges::any_of(statements, [&](const Stmt* s) {
    if (s->kind == kind) return true;
    if (!into_loops && (s->kind == StmtKind::While || s->kind == StmtKind::For)) return false;
    return any_statement(s->body, kind, into_loops) || any_statement(s->orelse, kind, into_loops);
  });
}

bool is_true(const Args& a) { return a[0].is(ArgKind::Bool) && a[0].as_bool(); }
bool is_false(const Args& a) { return a[0].is(ArgKind::Bool) && !a[0].as_bool(); }

}  // namespace

// --- Blocks.

// Where the paths that left stand beside those that go on: opens an If on the flag, whose else holds the rest.
Flow FunctionCompiler::guard_rest() {
  const Slot flag = frame_->loops.empty() ? frame_->returned : *frame_->loops.back().skip;
  const Args left = regions_.get(flag);
  if (is_false(left)) return Flow::Falls;
  if (is_true(left)) return Flow::Exits;
  regions_.begin_if(left[0].as_node());
  regions_.leave(frame_->loops.empty() ? Leave::Forever : Leave::WithValues);
  regions_.begin_else();
  return Flow::InElse;
}

void FunctionCompiler::leave_arm(Flow flow) {
  if (flow == Flow::Raises) regions_.leave(Leave::Forever);
  if (flow == Flow::Exits) regions_.leave(frame_->loops.empty() ? Leave::Forever : Leave::WithValues);
}

// Whether what follows stands in an else arm that is open now.
bool FunctionCompiler::opens_arm(Flow flow) {
  if (flow == Flow::InElse) frame_->rest_arms.push_back(regions_.depth());
  return flow == Flow::InElse;
}

Flow FunctionCompiler::end_open_arms(size_t open, Flow last) {
  for (; open; --open) {
    frame_->rest_arms.pop_back();
    leave_arm(last);
    regions_.end_if();
    last = last == Flow::Falls || last == Flow::Mixed ? Flow::Mixed : Flow::Exits;
  }
  return last;
}

Flow FunctionCompiler::block(const std::vector<Stmt*>& statements, std::map<std::string, Type>* known) {
  const auto refined = frame_->refined;
  const size_t depth = regions_.depth();
  size_t open = 0;
  bool left = false;
  Flow last = Flow::Falls;
  for (size_t k = 0; k < statements.size(); ++k) {
    check_stack(statements[k]->range);
    const Stmt* whole = with_rest(statements, k);
    if (whole) frame_->rest_arms.push_back(regions_.depth() + 1);
    last = statement(whole ? *whole : *statements[k]);
    if (whole) frame_->rest_arms.pop_back(), k = statements.size() - 1;
    if (last == Flow::Raises || last == Flow::Exits) break;
    left = left || last != Flow::Falls;
    if (last == Flow::Mixed && k + 1 < statements.size()) last = guard_rest();
    if (last == Flow::Exits) break;
    open += opens_arm(last);
    last = Flow::Falls;
  }
  if (known) *known = narrowed();  // where the open arms go on, as what follows does
  last = end_open_arms(open, last);
  std::erase_if(frame_->variables, [&](const auto& entry) {
    const ScriptVariable& v = entry.second;
    return v.fixed && (v.depth > depth || (depth > frame_->depth && v.depth == depth));
  });
  frame_->refined = refined;
  return left && last == Flow::Falls ? Flow::Mixed : last;
}

Flow FunctionCompiler::statement(const Stmt& s) {
  switch (s.kind) {
    case StmtKind::Expression:
      // A string by itself is documentation.
      if (s.values[0]->kind != SyntaxKind::String && s.values[0]->kind != SyntaxKind::Ellipsis) expression(*s.values[0]);
      return Flow::Falls;
    case StmtKind::Assign: return assign_statement(s), Flow::Falls;
    case StmtKind::Augmented: return augmented_statement(s), Flow::Falls;
    case StmtKind::Return: return return_statement(s);
    case StmtKind::If: return if_statement(s);
    case StmtKind::While: return while_statement(s);
    case StmtKind::For: return for_statement(s);
    case StmtKind::Break: return exit_loop(s, false);
    case StmtKind::Continue: return exit_loop(s, true);
    case StmtKind::Pass: return Flow::Falls;
    case StmtKind::Assert: return assert_statement(s);
    case StmtKind::Raise: return raise_statement(s);
    case StmtKind::Delete: return delete_statement(s), Flow::Falls;
    case StmtKind::Function: {
      ScriptVariable v;
      v.range = s.range;
      v.fixed.emplace().kind = ScriptValue::Kind::Local, v.fixed->local = s.function, v.fixed->home = frame_;
      v.depth = regions_.depth();
      // Names of serialized code are assigned once.
      if (v.depth > frame_->depth && !host_.serialized()) unsupported(s.range, "a function in a branch or loop");
      frame_->variables[s.function->name] = std::move(v);
      return Flow::Falls;
    }
    case StmtKind::With: return with_statement(s);
    case StmtKind::Global: unsupported(s.range, concat("'", s.text.empty() ? "global" : s.text, "'"));
    case StmtKind::Import: return import_statement(s), Flow::Falls;
    case StmtKind::Try: return try_statement(s);
    case StmtKind::Match: unsupported(s.range, "match");
    case StmtKind::Class: unsupported(s.range, "a class inside of a function");
  }
  return Flow::Falls;
}

// --- Branches.

Flow FunctionCompiler::close_arms(Flow yes, Flow no) {
  regions_.end_if();
  if (yes == Flow::Raises) return no;
  if (no == Flow::Raises) return yes;
  return yes == no ? yes : Flow::Mixed;
}

Flow FunctionCompiler::if_statement(const Stmt& s) {
  const ScriptCondition c = condition(*s.value);
  if (c.known) {
    refine(*c.known ? c.if_true : c.if_false);
    std::map<std::string, Type> known;
    const Flow flow = block(*c.known ? s.body : s.orelse, &known);
    if (flow == Flow::Falls) refine(known);
    return flow;
  }
  const auto refined = frame_->refined;
  Node* const chooses = condition_node(c);
  std::string why = never_holds(c) ? why_not(c, s.body) : "", why_else, reason = ", because Monograph has no such tensors";
  // What an input that may be left out chooses may use what no script has: without the input, the other branch runs.
  if (const std::optional<bool> holds = lenient_ ? chosen_by_default(chooses) : std::nullopt) {
    ScriptCondition other = c;
    std::swap(other.if_true, other.if_false);
    reason.clear();
    // The statement may be one that holds what follows too; its condition is the same one.
    if (!*holds) why = why_not_once(s.value, c, s.body);
    else if (!s.orelse.empty()) why_else = why_not_once(s.value, other, s.orelse);
  }
  const auto not_compiled = [&](const std::string& because) {
    raise_exception(s.value->range, literal(Args(concat("this branch was not compiled", reason, ": ", because))), "NotImplementedError");
    return Flow::Raises;
  };
  locate(s.range);
  regions_.begin_if(chooses);
  refine(c.if_true);
  std::map<std::string, Type> known[2];
  const auto before = frame_->variables;
  const Flow yes = why.empty() ? block(s.body, &known[0]) : not_compiled(why);
  leave_arm(yes);
  frame_->refined = refined;
  const std::vector<std::string> changed = restore_fixed(before);
  regions_.begin_else();
  refine(c.if_false);
  const Flow no = why_else.empty() ? block(s.orelse, &known[1]) : not_compiled(why_else);
  if (yes == Flow::Falls || yes == Flow::Mixed)
    for (const std::string& name : changed) frame_->variables.erase(name);
  // What follows runs in the else alone, which goes on.
  if (yes == Flow::Exits && no == Flow::Falls) return Flow::InElse;
  leave_arm(no);
  frame_->refined = refined;
  const Flow flow = close_arms(yes, no);
  if (yes == Flow::Raises && no == Flow::Falls) refine(c.if_false);
  if (no == Flow::Raises && yes == Flow::Falls) refine(c.if_true);
  // What a variable is at the end of each arm that goes on, it is behind them. Where an arm may also leave, what follows is guarded.
  const auto goes_on = [](Flow f) { return f == Flow::Falls || f == Flow::Mixed; };
  if (goes_on(yes) || goes_on(no)) {
    std::map<std::string, Type> facts = known[goes_on(yes) ? 0 : 1];
    if (goes_on(yes) && goes_on(no)) {
      std::map<std::string, Type> both;
      for (const auto& [name, type] : facts) {
        const auto other = known[1].find(name);
        if (other == known[1].end()) continue;
        if (is_subtype(type, other->second)) both.emplace(name, other->second);  // (x, x) beside Tuple[Tensor, Optional[Tensor]]
        else if (is_subtype(other->second, type)) both.emplace(name, type);
      }
      facts = std::move(both);
    }
    refine(facts);
  }
  return flow;
}

namespace {

// Whether two values that are no keywords, or hold the same ones: an arm may have set one.
bool same_keywords(const ScriptValue& a, const ScriptValue& b) {
  if (a.kind != ScriptValue::Kind::Keywords || b.kind != a.kind) return a.kind == b.kind;
  const auto same = [](const ScriptValue& x, const ScriptValue& y) {
    if (x.kind != y.kind || x.id != y.id || x.arg.size() != y.arg.size()) return false;
    if (x.kind != ScriptValue::Kind::Plain) return x.local == y.local && x.parts.size() == y.parts.size();
    const ArgRef p = x.arg[0], q = y.arg[0];
    if (p.node() || p.kind() != q.kind()) return p.node() == q.node() && p.node();
    switch (p.kind()) {
      case ArgKind::None: return true;
      case ArgKind::Bool: return p.as_bool() == q.as_bool();
      case ArgKind::Int: return p.as_int() == q.as_int();
      case ArgKind::Float: return p.as_float() == q.as_float();
      case ArgKind::Str: return p.as_str() == q.as_str();
      default: return false;
    }
  };
  return a.names == b.names && std::ranges::equal(a.parts, b.parts, same);
}

}  // namespace

// For the other arm: what only the compiler knows is again what it was before the first one, which has given these names other values.
std::vector<std::string> FunctionCompiler::restore_fixed(const std::unordered_map<std::string, ScriptVariable>& before) {
  std::vector<std::string> changed;
  for (const auto& [name, v] : before) {
    if (!v.fixed) continue;
    const auto now = frame_->variables.find(name);
    if (now != frame_->variables.end() && now->second.fixed && now->second.depth == v.depth && now->second.range.begin == v.range.begin &&
        same_keywords(*now->second.fixed, *v.fixed))
      continue;
    changed.push_back(name);
    frame_->variables[name] = v;
  }
  return changed;
}

// What is behind a condition that no tensor of Monograph fulfills, such as x.is_sparse, may use what Monograph lacks.
std::string FunctionCompiler::why_not(const ScriptCondition& c, const std::vector<Stmt*>& body) {
  FunctionCompiler trial(*this);
  FunctionFrame frame = *frame_;
  trial.frame_ = &frame;
  trial.exits_.clear();
  const ir::Graph::InsertPoint here = graph_.insert_point();
  trial.regions_.begin_if(condition_node(c));
  Node* made = graph_.insert_point().block->owner();
  std::string why;
  try {
    trial.refine(c.if_true);
    trial.block(body);
  } catch (const Error& e) {
    why = e.what();
    why.resize(std::min(why.find(":\n"), why.size()));
  }
  graph_.erase(made);
  graph_.set_insert_point(here);
  for (const auto& [path, node] : trial.attributes_)
    if (!attributes_.contains(path)) graph_.erase(node);
  return why;
}

// The variables and attributes that may be None and are not here, and variables that here have fewer of the types of their Union.
std::map<std::string, Type> FunctionCompiler::narrowed() const {
  std::map<std::string, Type> facts;
  for (const std::string& attribute : frame_->refined.present) facts.emplace(attribute, TypeKind::Any);
  for (const auto& [name, v] : frame_->variables) {
    const bool several = v.type.is(TypeKind::Union);
    if (v.fixed || !(several || v.type.is(TypeKind::Optional)) || !regions_.defined(v.slot)) continue;
    const Args now = regions_.get(v.slot);
    auto refined = frame_->refined.variables.find(v.slot);
    const bool known = refined != frame_->refined.variables.end() && refined->second.first == now[0].node();
    const Type type = widened(ir::type_of((known ? refined->second.second : now)[0]));
    if (several ? type && type != v.type && is_subtype(type, v.type) : type == v.type.element()) facts.emplace(name, type);
    else if (!several && type && !type.is(TypeKind::None) && v.type.element().is(TypeKind::Union) && is_subtype(type, v.type.element()))
      facts.emplace(name, v.type.element());
  }
  return facts;
}

void FunctionCompiler::raise_exception(const TextRange& at, const ScriptValue& message, const std::string& exception) {
  run_exits([](const PendingExit&) { return true; });
  emit(at, "prim::RaiseException", {message, literal(Args(exception))});
}

Flow FunctionCompiler::assert_statement(const Stmt& s) {
  const ScriptCondition c = condition(*s.value);
  auto fails = [&] {
    ScriptValue message = literal(Args(""));
    if (!s.values.empty()) message = expression(*s.values[0]);
    if (!type_of(message).is(TypeKind::Str)) message = emit_str(s.values[0]->range, message);
    if (host_.keeps_calls() && message.arg[0].node())  // as PyTorch's code has it
      message = emit(s.range, "operator.add", {literal(Args("AssertionError: ")), message});
    raise_exception(s.range, message, "AssertionError");
  };
  if (c.known) {
    if (*c.known) return Flow::Falls;
    fails();
    return Flow::Raises;
  }
  regions_.begin_if(condition_node(c));
  regions_.begin_else();
  fails();
  regions_.leave(Leave::Forever);
  regions_.end_if();
  refine(c.if_true);
  return Flow::Falls;
}

std::pair<std::string, ScriptValue> FunctionCompiler::exception_of(const Expr* e) {
  if (!e) return {"", {}};
  const Expr* called = e->kind == SyntaxKind::Call ? e->parts[0] : e;
  const ScriptValue type = expression(*called);
  if (type.kind != ScriptValue::Kind::Exception) wrong(e->range, "raise takes an exception: raise ValueError(\"...\")");
  ScriptValue message = literal(Args(""));
  if (e->kind == SyntaxKind::Call && e->parts.size() > 1) {
    ScriptValue given;
    try {
      given = expression(*e->parts[1]);
      arg_of(e->parts[1]->range, given);
    } catch (const Error&) {  // a message that names functions or modules
      if (!lenient_) throw;
      return {type.text, literal(Args(text_at(e->parts[1]->range)))};
    }
    if (e->parts.size() > 2) {  // Python shows the tuple of them
      ScriptValue all;
      all.kind = ScriptValue::Kind::Tuple, all.parts.push_back(std::move(given));
      for (size_t k = 2; k < e->parts.size(); ++k) all.parts.push_back(expression(*e->parts[k]));
      given = std::move(all);
    }
    message = emit_str(e->parts[1]->range, given);
  }
  return {type.text, message};
}

Flow FunctionCompiler::raise_statement(const Stmt& s) {
  if (!s.value) unsupported(s.range, "raise without an exception");
  const auto [exception, message] = exception_of(s.value);
  raise_exception(s.range, message, exception);
  return Flow::Raises;
}

Flow FunctionCompiler::return_statement(const Stmt& s) {
  ScriptValue value = s.value ? expression(*s.value, frame_->declared) : literal(Args().none());
  const TextRange at = s.value ? s.value->range : s.range;
  if (is_known_alone(value) && frame_->call && regions_.depth() == frame_->depth && frame_->results.empty()) {
    run_exits([&](const PendingExit& exit) { return exit.frame == frame_; });
    if (value.kind == ScriptValue::Kind::Local && value.home == frame_) value.kept = kept_frame(*frame_);
    frame_->fixed_result = std::move(value);
    return Flow::Exits;
  }
  if (frame_->declared) {
    if (!s.value && !is_subtype(TypeKind::None, frame_->declared))
      wrong(s.range, concat(frame_->name, "() returns ", spelled(frame_->declared), ", but a way through it ends without a return"));
    value = converted(at, value, frame_->declared, concat("what ", frame_->name, "() returns"));
  }
  const Args arg = arg_of(at, value);
  const Type type = widened(ir::type_of(arg[0]));
  if (!frame_->declared && !frame_->results.empty()) {
    Type all = type;
    for (Type t : frame_->results) all = all && t ? join(all, t) : Type();
    if (all.is(TypeKind::Union))
      wrong(at,
            concat(frame_->name, "() returns ", spelled(type), " here, and ", spelled(frame_->results[0]), " before; one type is needed"));
  }
  frame_->results.push_back(type);
  run_exits([&](const PendingExit& exit) { return exit.frame == frame_; });
  regions_.set(frame_->result, arg);
  regions_.set(frame_->returned, Args(true));
  if (!frame_->loops.empty()) regions_.set(*frame_->loops.back().skip, Args(true)), regions_.set(*frame_->loops.back().stop, Args(true));
  return Flow::Exits;
}

// --- Loops.

struct FunctionCompiler::Iteration {
  Args count, condition;
  const bool* endless = nullptr;  // whether its condition is always true, as is known behind its body; none: it is not
  std::function<void(Node* counter)> begin;  // sets the loop's variables
  std::function<Args()> next;  // whether it goes on, where nothing stops it
  std::vector<std::string> variables;
};

Flow FunctionCompiler::exit_loop(const Stmt& s, bool again) {
  if (frame_->loops.empty()) wrong(s.range, again ? "'continue' is outside of a loop" : "'break' is outside of a loop");
  if (!frame_->loops.back().skip) unsupported(s.range, "break or continue in a loop over a tuple");
  run_exits([&](const PendingExit& exit) { return exit.frame == frame_ && exit.loops >= frame_->loops.size(); });
  regions_.set(*frame_->loops.back().skip, Args(true));
  if (!again) {
    regions_.set(*frame_->loops.back().stop, Args(true));
    if (auto flag = frame_->variables.find(concat("broke ", frame_->loops.size() - 1)); flag != frame_->variables.end())
      regions_.set(flag->second.slot, Args(true));
  }
  return Flow::Exits;
}

std::vector<Slot> FunctionCompiler::carried_slots(const std::vector<Stmt*>& body, const std::vector<std::string>& more, bool returns) {
  std::vector<std::string> names = more;
  add_assigned(body, names);
  std::vector<Slot> slots;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    auto found = frame_->variables.find(name);
    if (!seen.insert(name).second || found == frame_->variables.end() || found->second.fixed || !regions_.defined(found->second.slot))
      continue;
    slots.push_back(found->second.slot);
  }
  if (returns) slots.push_back(frame_->returned), slots.push_back(frame_->result);
  return slots;
}

// Those of these variables that may be None and are not here. A loop that assigns them has them as what may be None: its body may set them so. Where they are
// used as if they were there, that is asked again: see present().
std::vector<Slot> FunctionCompiler::slots_with_value(const std::vector<Slot>& slots) const {
  std::vector<Slot> there;
  const std::map<std::string, Type> facts = narrowed();
  for (const auto& [name, v] : frame_->variables)
    if (v.type.is(TypeKind::Optional) && facts.contains(name) && std::ranges::find(slots, v.slot) != slots.end()) there.push_back(v.slot);
  return there;
}

Flow FunctionCompiler::loop(const Stmt& s, const Iteration& iteration) {
  const bool returns = any_statement(s.body, StmtKind::Return, true), breaks = any_statement(s.body, StmtKind::Break, false);
  const auto refined = frame_->refined;
  LoopFrame loop_frame;
  loop_frame.depth = regions_.depth();
  loop_frame.skip = regions_.slot("skip"), loop_frame.stop = regions_.slot("stop");
  for (Slot flag : {*loop_frame.skip, *loop_frame.stop}) regions_.keep(flag, Args(false)), regions_.declare(flag, TypeKind::Bool);
  locate(s.range);
  const std::vector<Slot> carried = carried_slots(s.body, iteration.variables, returns), there = slots_with_value(carried);
  Node* counter = regions_.begin_loop(iteration.count, iteration.condition, carried, ir::kCounterName);
  for (const Slot slot : there) present_reads_.insert(regions_.get(slot)[0].node());
  frame_->loops.push_back(loop_frame);
  if (iteration.begin) iteration.begin(counter);
  const Flow flow = block(s.body);
  const Args stop = regions_.get(*loop_frame.stop);
  Args go = Args(false);
  if (is_false(stop) && flow != Flow::Raises) {
    go = iteration.next();
  } else if (!is_false(stop) && !is_true(stop)) {
    const Slot next = regions_.slot("go");
    regions_.begin_if(stop[0].as_node());
    regions_.set(next, Args(false));
    regions_.begin_else();
    regions_.set(next, iteration.next());
    regions_.end_if();
    go = regions_.get(next);
  }
  frame_->loops.pop_back();
  regions_.end_loop(go);
  for (const Slot slot : there) present_reads_.insert(regions_.get(slot)[0].node());
  frame_->refined = refined;
  const bool endless = iteration.endless && *iteration.endless;
  if (endless && !breaks && !returns) return Flow::Raises;
  return behind_loop(returns, endless && !breaks);
}

// What returned in a loop stops the loop around it.
Flow FunctionCompiler::behind_loop(bool returns, bool never_falls) {
  if (!returns) return Flow::Falls;
  if (frame_->loops.empty()) return never_falls ? Flow::Exits : Flow::Mixed;
  const LoopFrame& outer = frame_->loops.back();
  if (never_falls) {
    regions_.set(*outer.skip, Args(true)), regions_.set(*outer.stop, Args(true));
    return Flow::Exits;
  }
  regions_.begin_if(regions_.node(frame_->returned));
  regions_.set(*outer.skip, Args(true)), regions_.set(*outer.stop, Args(true));
  regions_.leave(Leave::WithValues);
  regions_.end_if();
  return Flow::Mixed;
}

// The else of a loop runs where no break ended it.
Flow FunctionCompiler::with_else(const Stmt& s, const std::function<Flow(std::vector<std::string>&)>& run) {
  std::vector<std::string> carried;
  if (s.orelse.empty()) return run(carried);
  if (!any_statement(s.body, StmtKind::Break, false)) {
    const Flow flow = run(carried);
    if (flow == Flow::Raises || flow == Flow::Exits) return flow;
    return then(flow, [&] { return block(s.orelse); });
  }
  // No name of the program's has a space.
  const std::string flag = concat("broke ", frame_->loops.size());
  Expr target{SyntaxKind::Name, s.range, flag, {}, {}, 1};
  frame_->variables.erase(flag);
  assign_name(target, literal(Args(false)), {});
  carried.push_back(flag);
  const Flow flow = run(carried);
  if (flow == Flow::Raises || flow == Flow::Exits) return flow;
  return then(flow, [&] {
    const Args broke = regions_.get(frame_->variables.at(flag).slot);
    if (is_false(broke)) return block(s.orelse);
    if (is_true(broke)) return Flow::Falls;
    regions_.begin_if(broke[0].as_node());
    regions_.begin_else();
    const Flow other = block(s.orelse);
    leave_arm(other);
    return close_arms(Flow::Falls, other);
  });
}

// What follows a statement that ends so.
Flow FunctionCompiler::then(Flow flow, const std::function<Flow()>& rest) {
  const bool left = flow == Flow::Mixed;
  size_t open = 0;
  if (left) {
    const Flow guarded = guard_rest();
    if (guarded == Flow::Exits) return guarded;
    open += opens_arm(guarded);
  }
  const Flow last = end_open_arms(open, rest());
  return left && last == Flow::Falls ? Flow::Mixed : last;
}

Flow FunctionCompiler::while_statement(const Stmt& s) {
  return with_else(s, [&](std::vector<std::string>& carried) { return while_loop(s, carried); });
}

Flow FunctionCompiler::while_loop(const Stmt& s, const std::vector<std::string>& carried) {
  const ScriptCondition first = condition(*s.value);
  if (first.known && !*first.known) return Flow::Falls;
  Iteration it;
  it.variables = carried;
  add_walrus(s.value, it.variables);
  it.count = Args(std::numeric_limits<int64_t>::max());
  it.condition = first.known ? Args(true) : Args(condition_node(first));
  // Of `k = 0` and `while k < 5` the first test alone is known.
  bool endless = first.known.has_value();
  it.endless = &endless;
  it.begin = [&](Node*) { refine(first.if_true); };
  it.next = [&]() -> Args {
    const ScriptCondition c = condition(*s.value);
    endless = c.known && *c.known;
    return c.known ? Args(*c.known) : c.value;
  };
  return loop(s, it);
}

Flow FunctionCompiler::for_statement(const Stmt& s) {
  return with_else(s, [&](std::vector<std::string>& carried) { return for_loop(s, carried); });
}

Flow FunctionCompiler::for_loop(const Stmt& s, const std::vector<std::string>& carried) {
  const Expr& target = *s.values[0];
  const ScriptValue over = expression(*s.value);
  if (const auto items = unrolled_items(s.value->range, over)) return unrolled(s, *items);
  const TextRange at = s.value->range;
  Iteration it;
  it.variables = carried;
  add_targets(target, it.variables);
  it.condition = Args(true);
  it.next = [] { return Args(true); };
  const IteratedValue iterated = iterated_value(at, over);
  it.count = iterated.count;
  it.begin = [&](Node* counter) { assign(target, iterated.item(counter)); };
  return loop(s, it);
}

// A loop over a tuple stands there once for each part, since the parts have types of their own.
Flow FunctionCompiler::unrolled(const Stmt& s, const UnrolledItems& items) {
  if (!items.lengths.empty() || any_statement(s.body, StmtKind::Break, false) || any_statement(s.body, StmtKind::Continue, false))
    return unrolled_with_exits(s, items);
  size_t open = 0;
  Flow last = Flow::Falls;
  bool left = false;
  // A variable that begins here has the type of each part in turn.
  std::vector<std::string> fresh;
  add_targets(*s.values[0], fresh);
  std::erase_if(fresh, [&](const std::string& name) { return frame_->variables.contains(name) && !frame_->variables.at(name).fixed; });
  for (size_t k = 0; k < items.count; ++k) {
    for (const std::string& name : fresh) frame_->variables.erase(name);
    assign(*s.values[0], items.item(k));
    last = block(s.body);
    if (last == Flow::Raises || last == Flow::Exits) break;
    left = left || last == Flow::Mixed;
    if (last == Flow::Mixed && k + 1 < items.count) last = guard_rest();
    if (last == Flow::Exits) break;
    open += opens_arm(last);
    last = Flow::Falls;
  }
  last = end_open_arms(open, last);
  return left && last == Flow::Falls ? Flow::Mixed : last;
}

// The same where break or continue stand in it: what follows one stands in an If on its flag.
Flow FunctionCompiler::unrolled_with_exits(const Stmt& s, const UnrolledItems& items) {
  LoopFrame loop_frame;
  loop_frame.skip = regions_.slot("skip"), loop_frame.stop = regions_.slot("stop");
  for (Slot flag : {*loop_frame.skip, *loop_frame.stop})
    regions_.keep(flag, Args(false)), regions_.declare(flag, TypeKind::Bool), regions_.set(flag, Args(false));
  std::vector<std::string> fresh;
  add_targets(*s.values[0], fresh);
  std::erase_if(fresh, [&](const std::string& name) { return frame_->variables.contains(name) && !frame_->variables.at(name).fixed; });
  size_t open = 0;
  frame_->loops.push_back(loop_frame);
  bool raised = false;
  for (size_t k = 0; k < items.count; ++k) {
    if (is_true(regions_.get(*loop_frame.stop))) break;
    if (!items.lengths.empty()) {
      regions_.begin_if(reaches(s.value->range, items, k));
      regions_.begin_else();
      regions_.set(*loop_frame.stop, Args(true));
      regions_.end_if();
    }
    const Args stop = regions_.get(*loop_frame.stop);
    if (!is_false(stop)) {
      regions_.begin_if(stop[0].as_node());
      regions_.leave(Leave::WithValues);
      regions_.begin_else();
      ++open;
    }
    regions_.set(*loop_frame.skip, Args(false));
    for (const std::string& name : fresh) frame_->variables.erase(name);
    assign(*s.values[0], items.item(k));
    raised = block(s.body) == Flow::Raises;
    if (raised) break;
  }
  for (; open; --open) {
    if (raised) regions_.leave(Leave::Forever), raised = false;
    regions_.end_if();
  }
  frame_->loops.pop_back();
  if (raised) return Flow::Raises;
  return behind_loop(any_statement(s.body, StmtKind::Return, true), false);
}

// --- Assignments.

void FunctionCompiler::assign_statement(const Stmt& s) {
  const bool names = s.value && s.values.size() == 1 && s.values[0]->kind == SyntaxKind::Name;
  if (names && collects_keywords(s)) return;
  std::exception_ptr unreadable;
  Type type;
  try {
    if (s.type) type = annotation(*s.type);
  } catch (const Error&) {
    if (!names) throw;
    unreadable = std::current_exception();
  }
  if (!s.value) {  // x: int
    if (s.values[0]->kind == SyntaxKind::Attribute) unsupported(s.range, "the declaration of an attribute without a value");
    if (s.values[0]->kind != SyntaxKind::Name) unsupported(s.range, "an annotation of something that is not a name");
    ScriptVariable v;
    v.type = type, v.range = s.values[0]->range, v.slot = variable_slot(s.values[0]->text);
    v.declared = true;
    regions_.declare(v.slot, type);
    frame_->variables[s.values[0]->text] = std::move(v);
    return;
  }
  Type expected = type;
  if (!expected && s.values.size() == 1 && s.values[0]->kind == SyntaxKind::Name)
    if (auto known = frame_->variables.find(s.values[0]->text); known != frame_->variables.end() && !known->second.fixed)
      expected = known->second.type;
  if (!expected && s.values.size() == 1) expected = attribute_type(*s.values[0]);
  ScriptValue value = expression(*s.value, expected);
  // What only the compiler knows needs no type: attend: Callable = ...
  if (unreadable && !is_known_alone(value) && !lenient_) std::rethrow_exception(unreadable);
  if (s.type && type.is(TypeKind::Any))
    if (const HostValue interface = named_type(*s.type); interface.kind == HostValue::Kind::Interface) {
      check_interface(s.value->range, value, interface);
      if (type_of(value).is(TypeKind::Class)) type = value.type;  // the class says more
    }
  // One list under two names is one list.
  if (s.values.size() > 1 && value.kind == ScriptValue::Kind::List) value = made_list(s.value->range, value);
  for (const Expr* target : s.values) assign(*target, value, type);
}

void FunctionCompiler::assign(const Expr& target, ScriptValue value, Type annotated) {
  switch (target.kind) {
    case SyntaxKind::Name: return assign_name(target, std::move(value), annotated);
    case SyntaxKind::Tuple:
    case SyntaxKind::List: return unpack(target, value);
    case SyntaxKind::Subscript: return assign_item(target, value);
    case SyntaxKind::Attribute: return assign_attribute(target, value, annotated);
    default: wrong(target.range, "this cannot be assigned");
  }
}

// Whether a variable that was defined at this depth was defined for what stands here alone: in the same region, or in front of an if that left the function, in
// the else of which the rest stands.
bool FunctionCompiler::same_place(size_t depth) const {
  if (depth == regions_.depth()) return true;
  if (!frame_->loops.empty() || depth > regions_.depth()) return false;
  for (size_t inner = depth + 1; inner <= regions_.depth(); ++inner)
    if (std::ranges::find(frame_->rest_arms, inner) == frame_->rest_arms.end()) return false;
  return true;
}

// Whether a variable that was declared so takes this value, of another type, as what it was declared to be.
bool FunctionCompiler::stays_declared(Type declared, const ScriptValue& value) const {
  const Type given = type_of(value), holds = declared.is(TypeKind::Optional) ? declared.element() : declared;
  if (given.is(TypeKind::DType) || given.is(TypeKind::Layout)) return holds.is(TypeKind::Int);
  if (holds.is(TypeKind::List) && given.is(TypeKind::Tuple)) return true;
  if (given.is(TypeKind::Number)) return holds.is(TypeKind::Int) || holds.is(TypeKind::Float);  // what item() gives
  return value.kind == ScriptValue::Kind::Plain && is_used_as_present(value.arg[0].node()) &&
         is_subtype(widened(given.element()), declared);
}

namespace {
bool is_plain(const ScriptValue& v) {
  if (v.kind == ScriptValue::Kind::Tuple) return std::ranges::all_of(v.parts, is_plain);
  return v.kind == ScriptValue::Kind::Plain || v.kind == ScriptValue::Kind::List;
}
}  // namespace

void FunctionCompiler::assign_name(const Expr& target, ScriptValue value, Type annotated) {
  forget_attributes(target.text);
  auto known = frame_->variables.find(target.text);
  if (!is_plain(value)) {
    const size_t depth = regions_.depth();
    // A Loop's next iteration would see another one. Behind a branch the variable is not defined.
    const bool outside_loop = !frame_->loops.empty() && known != frame_->variables.end() &&
                              (!known->second.fixed || known->second.depth <= frame_->loops.back().depth);
    const bool was_plain = depth > frame_->depth && known != frame_->variables.end() && !known->second.fixed;
    if (outside_loop || was_plain)
      unsupported(target.range, "the assignment of a function, module or iterator to a variable from outside of the branch or loop");
    ScriptVariable v;
    v.range = target.range, v.fixed = std::move(value), v.depth = depth;
    frame_->variables[target.text] = std::move(v);
    return;
  }
  if (annotated) value = converted(target.range, value, annotated, concat("'", target.text, "'"));
  bool reused = known != frame_->variables.end() && !known->second.fixed;
  // Where it was defined a variable may go on with another type, as in TorchScript.
  const bool here =
      reused && same_place(known->second.depth) && (regions_.depth() == frame_->depth || regions_.defined(known->second.slot));
  if (here && annotated && annotated != known->second.type) reused = false;
  if (here && !annotated) {
    const Type type = type_of(value);
    // annotate(List[int], []) says what it holds.
    const bool empty_list = value.kind == ScriptValue::Kind::List && value.parts.empty() && value.type.element().is(TypeKind::Tensor);
    reused = empty_list || !type || is_subtype(widened(type), known->second.type) ||
             (known->second.declared && stays_declared(known->second.type, value));
  }
  if (reused && regions_.defined(known->second.slot)) {
    ScriptVariable& v = known->second;
    // None in front of a branch that gives it a value.
    if (const Type type = widened(type_of(value));
        lenient_ && v.type.is(TypeKind::None) && frame_->loops.empty() && type && !type.is(TypeKind::Any))
      v.type = Type::optional(type.is(TypeKind::Optional) ? type.element() : type), regions_.declare(v.slot, v.type);
    if (annotated && annotated != v.type && !is_subtype(annotated, v.type))
      wrong(target.range, concat("'", target.text, "' has type ", spelled(v.type), " already, and cannot become ", spelled(annotated)));
    if (!v.type.is(TypeKind::Optional)) value = present(target.range, value);
    const Type given = type_of(value);
    const Type holds = v.type.is(TypeKind::Optional) ? v.type.element() : v.type;
    if (holds.is(TypeKind::List) && given.is(TypeKind::Tuple)) value = converted(target.range, value, holds, concat("'", target.text, "'"));
    if (((holds.is(TypeKind::Float) || holds.is(TypeKind::Int)) && given.is(TypeKind::Number)) ||  // what item() gives
        ((given.is(TypeKind::DType) || given.is(TypeKind::Layout)) && given != v.type))  // ints in TorchScript
      value = converted(target.range, value, v.type, concat("'", target.text, "'"));
    const Type type = type_of(value);
    const bool empty_list = value.kind == ScriptValue::Kind::List && value.parts.empty() && v.type.is(TypeKind::List);
    if (!empty_list && (!type || !is_subtype(widened(type), v.type)))
      wrong(target.range, concat("'", target.text, "' has type ", spelled(v.type), ", and is assigned a value of type ", spelled(type),
                                 v.type.is(TypeKind::None) ? concat("; annotate it where it is None: ", target.text, ": Optional[",
                                                                    spelled(widened(type)), "] = None")
                                                           : "; use another name"));
    if (empty_list) value.type = v.type;
    regions_.set(v.slot, arg_of(target.range, value));
    return;
  }
  const Args arg = arg_of(target.range, value);
  const Type type = annotated ? annotated : widened(type_of(value));
  // A variable that another arm defined with this type is the same one.
  if (reused && (known->second.type == type || (!annotated && type && known->second.type && is_subtype(type, known->second.type))))
    return regions_.set(known->second.slot, arg);
  // In serialized code a name is assigned once in each arm, and what the arms give it may be an int here and a str or an Optional[int] there.
  // So in the user's code where one arm sets it to None.
  const Type both = reused && type && known->second.type ? join(known->second.type, type) : Type();
  if (both &&
      (may_be_printed() || (!annotated && !known->second.declared && both.is(TypeKind::Optional) && !both.element().is(TypeKind::Union)))) {
    ScriptVariable& v = known->second;
    v.type = both;
    regions_.declare(v.slot, v.type);
    return regions_.set(v.slot, arg);
  }
  ScriptVariable v;
  v.type = type, v.range = target.range, v.slot = variable_slot(target.text);
  v.depth = regions_.depth(), v.declared = static_cast<bool>(annotated);
  if (known != frame_->variables.end() && !known->second.fixed && !regions_.defined(known->second.slot) && known->second.type && type)
    v.other.emplace(known->second.type, known->second.range);
  if (type) regions_.declare(v.slot, type);
  regions_.set(v.slot, arg);
  frame_->variables[target.text] = std::move(v);
}

void FunctionCompiler::unpack(const Expr& target, const ScriptValue& given) {
  const size_t n = target.parts.size();
  const ScriptValue value = guessed_as(present(target.range, given), Type::tuple(std::vector<Type>(n, TypeKind::Tensor)));
  size_t star = n;
  for (size_t k = 0; k < n; ++k)
    if (target.parts[k]->kind == SyntaxKind::Starred) star = k;
  std::vector<ScriptValue> items;
  if (host_.keeps_calls() && star == n && value.kind == ScriptValue::Kind::Plain && known_length(value) == n && n > 1) {
    locate(target.range);
    Node* node = graph_.call("prim::TupleUnpack", value.arg);
    graph_.set_results(node, value.type.elements());
    for (size_t k = 0; k < n; ++k) items.push_back(node_value(graph_.project(node, k)));
  } else if (known_length(value)) {
    items = items_of(target.range, value);
  } else if (value.kind == ScriptValue::Kind::Plain && value.type.is(TypeKind::List)) {
    if (star != n) return unpack_starred_list(target, value, star);
    locate(target.range);
    Node* node = graph_.call("prim::ListUnpack", value.arg);
    std::vector<Type> types(n, value.type.element());
    if (n == 1) {  // one result is the node itself, not a list of one
      items.push_back(element(target.range, value, literal(Args(0))));
      graph_.erase(node);
      const ScriptValue length = emit(target.range, "aten::len", {value});
      const ScriptValue fits = emit(target.range, "operator.eq", {length, literal(Args(1))});
      regions_.begin_if(node_of(target.range, fits));
      regions_.begin_else();
      raise_exception(target.range, literal(Args("the list to unpack has another length than 1")), "ValueError");
      regions_.leave(Leave::Forever);
      regions_.end_if();
    } else {
      graph_.set_results(node, types);
      for (size_t k = 0; k < n; ++k) items.push_back(node_value(graph_.project(node, k)));
    }
  } else if (value.type.is(TypeKind::Tensor)) {
    ScriptValue parts = emit(target.range, "torch.unbind", {value});
    return unpack(target, parts);
  } else {
    wrong(target.range, concat("a value of type ", spelled(type_of(value)), " cannot be unpacked"));
  }
  if (star == n) {
    if (items.size() != n) wrong(target.range, concat("there are ", items.size(), " values for ", n, " targets"));
    for (size_t k = 0; k < n; ++k) assign(*target.parts[k], items[k]);
    return;
  }
  if (items.size() + 1 < n) wrong(target.range, concat("there are ", items.size(), " values for at least ", n - 1, " targets"));
  const size_t behind = n - star - 1, taken = items.size() - behind - star;
  for (size_t k = 0; k < star; ++k) assign(*target.parts[k], items[k]);
  ScriptValue rest;
  rest.kind = ScriptValue::Kind::Tuple;
  rest.parts.assign(items.begin() + static_cast<ptrdiff_t>(star), items.begin() + static_cast<ptrdiff_t>(star + taken));
  // Python makes a list of them.
  Type element_type;
  for (const ScriptValue& part : rest.parts)
    element_type = element_type ? join(element_type, widened(type_of(part))) : widened(type_of(part));
  const bool modules = std::ranges::all_of(items, is_known_alone);
  if (!modules && (!element_type || element_type.is(TypeKind::Union)))
    unsupported(target.range, "a starred target for values of several types");
  if (!modules) rest.kind = ScriptValue::Kind::List, rest.type = Type::list(element_type);
  assign(*target.parts[star]->parts[0], rest);
  for (size_t k = 0; k < behind; ++k) assign(*target.parts[star + 1 + k], items[star + taken + k]);
}

void FunctionCompiler::assign_item(const Expr& target, const ScriptValue& value) {
  const Expr& index = *target.parts[1];
  if (names_keywords(*target.parts[0])) return set_keyword(*target.parts[0], target.range, plain(index), &value);
  const ScriptValue base = present(target.parts[0]->range, plain(*target.parts[0]));
  if (base.type.is(TypeKind::Class)) {
    if (!special_method(target.range, "__setitem__", {base, plain(index), value}))
      wrong(target.range, concat("the class ", spelled(base.type), " has no method __setitem__"));
    return;
  }
  if (base.type.is(TypeKind::List)) {
    if (index.kind == SyntaxKind::Slice) {
      const ScriptValue items = converted(target.range, value, base.type, "what is assigned to a slice of this list");
      return assign_slice(target, base, &items);
    }
    const ScriptValue item = converted(target.range, value, base.type.element(), "an element of this list");
    emit(target.range, "aten::_set_item", {base, plain(index), item});
    return;
  }
  if (base.type.is(TypeKind::Dict)) {
    const ScriptValue key = converted(index.range, plain(index), base.type.elements()[0], "a key of this dict");
    emit(target.range, "aten::_set_item", {base, key, converted(target.range, value, base.type.elements()[1], "a value of this dict")});
    return;
  }
  if (!base.type.is(TypeKind::Tensor))
    wrong(target.range, concat("the items of a value of type ", spelled(base.type), " cannot be assigned"));
  Args places;
  const ScriptValue part = tensor_subscript(target, base, index, &places);
  const bool tensor = type_of(value).is(TypeKind::Tensor);
  if (places.size()) {
    ScriptValue put = value;
    if (!tensor) {  // a number takes the dtype of the tensor that it is written to
      Args args = arg_of(target.range, value, true);
      for (const char* property : {"dtype", "device"}) args.kw(property, arg_of(target.range, attribute_of(target, part, property)));
      put = emit(target.range, "aten::tensor", args);
    }
    emit(target.range, "torch.Tensor.index_put_", Args(part.arg[0], places[0], arg_of(target.range, put)[0]));
    return;
  }
  if (tensor) emit(target.range, "torch.Tensor.copy_", {part, value});
  else emit(target.range, "torch.Tensor.fill_", {part, value});
}

void FunctionCompiler::augmented_statement(const Stmt& s) {
  const Expr& target = *s.values[0];
  if (target.kind == SyntaxKind::Name) {
    const ScriptValue before = name(target);
    ScriptValue result = operation(s.range, s.text, true, before, expression(*s.value));
    // What was written in place is still what it was.
    if (before.type.is(TypeKind::List)) return;
    return assign_name(target, std::move(result), {});
  }
  if (target.kind == SyntaxKind::Attribute) {
    const ScriptValue object = expression(*target.parts[0]);
    ScriptValue before = attribute_of(target, object, target.text);
    note_present(target, before);
    before = present(target.range, before);
    const ScriptValue result = operation(s.range, s.text, true, before, expression(*s.value));
    // A list and a module's tensor are written in place, and stay the attribute that they are.
    if (before.type.is(TypeKind::List) || (object.kind == ScriptValue::Kind::Module && type_of(before).is(TypeKind::Tensor))) return;
    if (object.type.is(TypeKind::Tensor)) unsupported(target.range, "the augmented assignment of an attribute of a tensor");
    return assign_attribute_of(target, object, result, {});
  }
  if (target.kind != SyntaxKind::Subscript) wrong(target.range, "this cannot be assigned");
  const ScriptValue base = present(target.parts[0]->range, plain(*target.parts[0]));
  if (base.type.is(TypeKind::Tensor)) {
    Args places;
    const ScriptValue part = tensor_subscript(target, base, *target.parts[1], &places);
    if (!places.size()) {
      operation(s.range, s.text, true, part, expression(*s.value));
      return;
    }
    // What a tensor selects is a copy, which is written back.
    const ScriptValue taken = emit(target.range, "aten::index", Args(part.arg[0], places[0]));
    const ScriptValue result = operation(s.range, s.text, true, taken, expression(*s.value));
    emit(target.range, "torch.Tensor.index_put_", Args(part.arg[0], places[0], arg_of(target.range, result)[0]));
    return;
  }
  const ScriptValue index = plain(*target.parts[1]);
  if (base.type.is(TypeKind::Class)) {
    const std::optional<ScriptValue> before = special_method(target.range, "__getitem__", {base, index});
    if (!before) wrong(target.range, concat("the class ", spelled(base.type), " has no method __getitem__"));
    if (!special_method(target.range, "__setitem__", {base, index, operation(s.range, s.text, true, *before, expression(*s.value))}))
      wrong(target.range, concat("the class ", spelled(base.type), " has no method __setitem__"));
    return;
  }
  const ScriptValue result = operation(s.range, s.text, true, element(target.range, base, index), expression(*s.value));
  emit(target.range, "aten::_set_item", {base, index, result});
}

void FunctionCompiler::delete_statement(const Stmt& s) {
  for (const Expr* target : s.values) {
    if (target->kind == SyntaxKind::Subscript) {
      if (names_keywords(*target->parts[0])) {
        set_keyword(*target->parts[0], target->range, plain(*target->parts[1]), nullptr);
        continue;
      }
      const ScriptValue base = plain(*target->parts[0]);
      if (target->parts[1]->kind == SyntaxKind::Slice) {
        if (!base.type.is(TypeKind::List)) unsupported(target->range, concat("del of a slice of a value of type ", spelled(base.type)));
        assign_slice(*target, base, nullptr);
        continue;
      }
      if (base.type.is(TypeKind::Class) && special_method(target->range, "__delitem__", {base, plain(*target->parts[1])})) continue;
      emit(target->range, "aten::Delete", {base, plain(*target->parts[1])});
      continue;
    }
    if (target->kind != SyntaxKind::Name) unsupported(target->range, "del of this");
    if (regions_.depth() > frame_->depth) unsupported(target->range, "del of a variable in a branch or loop");
    if (!frame_->variables.erase(target->text)) wrong(target->range, concat("'", target->text, "' is not defined"));
  }
}

}  // namespace monograph::capture::script
