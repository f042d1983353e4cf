// Builds If and Loop part by part: create, addBlock, addInputToBlock, registerOutput and addOutput in any order. Parts that the structure needs exist from
// the beginning, so that after every edit the graph can be printed, checked and run. What was not added yet is marked: a block or result by an unused node,
// a block input by its name, a block output by an uninitialized value (the condition of a Loop: false).
#include <algorithm>

#include "core/error.h"
#include "ir/builder.h"
#include "passes/script_view.h"

namespace monograph::passes {

using ir::Args;
using ir::Block;
using ir::Node;
using ir::Type;
using ir::TypeKind;

namespace {

// Names of nodes that mark parts not added yet.
constexpr std::string_view kNoBlock = "block_to_add", kNoResult = "result_to_add", kNoValue = "value_to_register",
                           kNoInput = "input_to_add";

bool is_called(const Node* n, std::string_view name) { return n->name().starts_with(name); }
bool is_mark(const Node* n, std::string_view name) {
  if (n->op() != ir::Op::CallFunction || !is_called(n, name)) return false;
  return n->target().name() == "prim::Uninitialized" || n->target().name() == "prim::Constant";
}
Node* mark(Block* block, std::string_view name, bool stops = false) {
  ir::Graph& g = *block->graph();
  const ir::Graph::InsertPoint saved = g.insert_point();
  g.insert_at_end(block);
  Node* n = stops ? g.call("prim::Constant", Args().kw("value", false), name) : g.call("prim::Uninitialized", {}, name);
  g.set_type(n, stops ? TypeKind::Bool : TypeKind::Any);
  g.set_insert_point(saved);
  return n;
}
std::vector<Node*> marks(const Block* block, std::string_view name) {
  std::vector<Node*> out;
  for (Node* n : *block)
    if (is_mark(n, name)) out.push_back(n);
  return out;
}

// The number of block outputs before the results: 1 for a Loop, whose body returns the condition first.
size_t head_of(const Node* n) { return n->is_loop() ? 1 : 0; }
size_t results_of(const Node* n) { return n->block(0)->output()->arg_count() - head_of(n); }

// Sets the types of the results to the joined types of the block outputs. A result without a registered output in any block has no type.
void set_types(Node* n) {
  std::vector<Type> types;
  for (size_t k = 0; k < results_of(n); ++k) {
    Type type;
    bool known = true;
    for (size_t b = 0; b < n->block_count(); ++b) {
      const ir::ArgRef end = n->block(b)->output()->arg(k + head_of(n));
      if (end.node() && is_mark(end.as_node(), kNoValue)) continue;
      const Type one = ir::type_of(end);
      known = known && one;
      if (known) type = type ? ir::join(type, one) : one;
    }
    types.push_back(known ? type : Type());
  }
  // With one result, users refer to the node itself; with several, to projections. So users of the first result are moved to its projection.
  ir::Graph& g = *n->graph();
  if (types.size() > 1 && !n->multi() && n->has_uses()) {
    const ir::Graph::InsertPoint saved = g.insert_point();
    g.insert_before(n);
    Node* meanwhile = g.call("prim::Uninitialized");
    g.replace_all_uses(n, meanwhile);
    g.set_results(n, types);
    g.replace_all_uses(meanwhile, g.project(n, 0));
    g.erase(meanwhile);
    g.set_insert_point(saved);
    return;
  }
  g.set_results(n, types);
}

// Adds a result, with an uninitialized output in every block.
void add_result(Node* n) {
  for (size_t b = 0; b < n->block_count(); ++b) {
    Block* block = n->block(b);
    Node* missing = mark(block, kNoValue);
    if (n->is_loop()) n->graph()->set_type(missing, ir::type_of(n->arg(n->arg_count() - 1)));
    n->graph()->set_output(block, block->output()->copy_args().add(missing));
  }
  set_types(n);
}

void add_slot(Block* block, Type type) { block->graph()->placeholder(block, kNoInput, type); }

void check_structure(const Node* n, std::string_view what) {
  MONOGRAPH_CHECK(n->is_if() || n->is_loop(), Runtime, what, ": only prim::If and prim::Loop have blocks, and %", n->name(), " is a ",
                  n->target().name());
}

}  // namespace

bool script_is_mark(const Node& n) { return is_mark(&n, kNoBlock) || is_mark(&n, kNoResult) || is_mark(&n, kNoValue); }

Node* script_create_structure(ir::Graph& graph, std::string_view kind, const Args& inputs, size_t outputs) {
  const bool loop = kind == "prim::Loop";
  MONOGRAPH_CHECK(loop ? inputs.size() >= 2 : inputs.size() == 1, Runtime, kind, " takes ",
                  loop ? "a count, a condition and the values that it carries" : "its condition", ", but it was given ", inputs.size(),
                  " inputs");
  MONOGRAPH_CHECK(!loop || outputs <= inputs.size() - 2, Runtime,
                  "a prim::Loop has an output for each value that it carries: ", inputs.size() - 2, ", not ", outputs);
  Node* n = graph.call(kind, inputs);
  for (size_t b = 0; b < (loop ? 1U : 2U); ++b) {
    Block* block = graph.add_block(n);
    if (loop) add_slot(block, TypeKind::Int);
    graph.set_output(block, {});
    mark(block, kNoBlock);
    if (loop) graph.set_output(block, Args(mark(block, kNoValue, true)));  // until it has a condition it stops
  }
  const size_t results = loop ? inputs.size() - 2 : outputs;
  for (size_t k = 0; k < results; ++k) {
    if (loop) add_slot(n->block(0), ir::type_of(inputs[k + 2]));
    add_result(n);
    if (k >= outputs) mark(n->block(0), kNoResult);
  }
  if (results == 0) graph.set_type(n, TypeKind::None);
  return n;
}

std::vector<Block*> script_blocks(const Node* n) {
  std::vector<Block*> out;
  for (size_t b = 0; b < n->block_count(); ++b)
    if (marks(n->block(b), kNoBlock).empty()) out.push_back(n->block(b));
  return out;
}

Block* script_add_block(Node* n) {
  check_structure(n, "addBlock");
  for (size_t b = 0; b < n->block_count(); ++b) {
    const std::vector<Node*> found = marks(n->block(b), kNoBlock);
    if (found.empty()) continue;
    n->graph()->erase(found[0]);
    return n->block(b);
  }
  fail(ErrorKind::Runtime, "addBlock: %", n->name(), " is a ", n->target().name(), ", which has ", n->block_count(), " block",
       n->block_count() == 1 ? "" : "s", ", and they are there");
}

std::vector<Node*> script_block_inputs(const Block* block) {
  std::vector<Node*> out = block->placeholders();
  if (block->owner()) std::erase_if(out, [](const Node* p) { return is_called(p, kNoInput); });
  return out;
}

Node* script_add_block_input(Block* block) {
  MONOGRAPH_CHECK(block->owner() && block->owner()->is_loop(), Runtime, "addInputToBlock: only the body of a prim::Loop has inputs; ",
                  block->owner() ? "a block of prim::If uses values of the graph around it" : "addInput adds one to the graph");
  for (Node* p : block->placeholders()) {
    if (!is_called(p, kNoInput)) continue;
    block->graph()->set_name(p, p == block->first() ? "i" : "carried");
    return p;
  }
  fail(ErrorKind::Runtime, "addInputToBlock: the body of %", block->owner()->name(),
       " has an input for the number of the round and for each of the ", block->owner()->arg_count() - 2,
       " values that the loop carries; addInput gives the loop another one");
}

std::vector<ScriptRef> script_block_outputs(const Block* block) {
  std::vector<ScriptRef> out;
  uint32_t k = 0;
  for (auto it = block->output()->args_begin(); it != block->output()->args_end(); ++it, ++k) {
    Node* n = (*it).node();
    if (n && is_mark(n, kNoValue)) continue;
    if (n) out.push_back({n, {}});
    else out.push_back({block->output(), {k}});
  }
  return out;
}

size_t script_register_output(Block* block, const ScriptRef& value) {
  const Args by = script_argument(value);
  ir::Graph& g = *block->graph();
  if (const Node* n = by[0].node()) MONOGRAPH_CHECK(n->graph() == &g, Runtime, "%", n->name(), " belongs to another graph");
  Node* owner = block->owner();
  Node* end = block->output();
  if (!owner) {
    g.set_output(block, end ? end->copy_args().add(by[0]) : by);
    return block->output()->arg_count();
  }
  size_t k = 0;
  Node* missing = nullptr;
  for (auto it = end->args_begin(); it != end->args_end() && !missing; ++it, ++k)
    if (Node* n = (*it).node(); n && is_mark(n, kNoValue)) missing = n;
  if (!missing) {
    MONOGRAPH_CHECK(!owner->is_loop(), Runtime, "registerOutput: the body of %", owner->name(), " ends with its condition and the ",
                    owner->arg_count() - 2, " values that the loop carries; addInput gives the loop another one");
    add_result(owner);
    mark(owner->block(0), kNoResult);
    return script_register_output(block, value);
  }
  Args args;
  size_t at = 0;
  for (auto it = end->args_begin(); it != end->args_end(); ++it, ++at) {
    if (at + 1 == k) args.add(by[0]);
    else args.add(*it);
  }
  g.set_output(block, args);
  g.erase(missing);
  set_types(owner);
  return k;
}

size_t script_result_count(const Node* n) {
  if (!n->is_if() && !n->is_loop()) return n->result_count();
  return n->result_count() - marks(n->block(0), kNoResult).size();
}

ScriptRef script_add_output(Node* n) {
  check_structure(n, "addOutput");
  const std::vector<Node*> waiting = marks(n->block(0), kNoResult);
  const size_t k = script_result_count(n);
  if (!waiting.empty()) {
    n->graph()->erase(waiting[0]);
  } else {
    MONOGRAPH_CHECK(!n->is_loop(), Runtime, "addOutput: %", n->name(),
                    " has an output for each value that it carries; addInput gives it another one");
    add_result(n);
  }
  return script_outputs({n, {}})[k];
}

void script_erase_output(Node* n, size_t k) {
  check_structure(n, "eraseOutput");
  const size_t count = script_result_count(n);
  MONOGRAPH_CHECK(k < count, Runtime, "eraseOutput: %", n->name(), " has ", count, " outputs, so there is no number ", k);
  if (n->is_loop()) {
    const Node *slot = n->block(0)->placeholders()[k + 1], *end = n->block(0)->output();
    for (const Node* user : slot->users())
      MONOGRAPH_CHECK(user == end && end->arg(k + 1).node() == slot && slot->has_one_use(), Runtime, "eraseOutput: %", slot->name(),
                      ", as which the body has the value, is used by %", user->name());
  }
  std::vector<bool> remove(n->result_count());
  remove[k] = true;
  std::vector<Node*> unused;
  for (size_t b = 0; b < n->block_count(); ++b)
    if (Node* end = n->block(b)->output()->arg(k + head_of(n)).node(); end && is_mark(end, kNoValue)) unused.push_back(end);
  try {
    n->graph()->remove_results(n, remove);
  } catch (const Error& e) {
    fail(ErrorKind::Runtime, "eraseOutput: ", e.what());
  }
  for (Node* end : unused) n->graph()->erase(end);
}

void script_add_carried(Node* loop, const Args& value) {
  ir::Graph& g = *loop->graph();
  g.set_args(loop, loop->copy_args().add(value[0]));
  add_slot(loop->block(0), ir::type_of(value[0]));
  add_result(loop);
  mark(loop->block(0), kNoResult);
}

}  // namespace monograph::passes
