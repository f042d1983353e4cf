// The If is made where the fork begins, and its arms are filled while the program runs. If the fork cannot be joined, the nodes of its first arm are moved to
// the enclosing block.
#include "capture/fork.h"

#include <algorithm>
#include <cstring>

#include "capture/capture.h"
#include "capture/lists.h"

namespace monograph::capture {
namespace {

using ir::Args;
using ir::Node;

bool is_tensor_type(ir::Type t) { return t.is(ir::TypeKind::Tensor) && t.tensor().sizes; }

}  // namespace

void add_end(Writer& writer, Args& args, const IValue& value) {
  if (value.is_tensor() && !writer.may_change(value.as_tensor()) && !value.as_tensor()->wrapped_number) {
    IValue given[] = {value, IValue()};
    return void(args.add(writer.append(find_operator("aten::clone"), given)));
  }
  writer.add(args, value);
}

void convert_end(Writer& writer, Args& args, const IValue& value) {
  const SymbolicValue* number = symbolic_value(value);
  if (!number || !number->node || !ir::type_of(args[0]).is(ir::TypeKind::Number)) return;
  const ir::Type type = type_of_value(*number);
  if (type.is(ir::TypeKind::Number)) return;
  const char* conversion = type.is(ir::TypeKind::Float) ? "aten::Float.Scalar"
                           : type.is(ir::TypeKind::Int) ? "aten::Int.Scalar"
                                                        : "aten::Bool.Scalar";
  Node* converted = writer.append(find_operator(conversion), &value);
  args = {}, args.add(converted);
}

Node* uninitialized(Writer& writer, ir::Type type) {
  writer.locate();
  Node* node = writer.graph.call("prim::Uninitialized");
  writer.graph.set_type(node, type);
  return node;
}

std::string joining_fails(const IValue& a, const IValue& b) {
  if (is_list_value(a) || is_list_value(b))
    return is_list_value(a) && is_list_value(b) ? std::string() : "it is a list on one side and something else on the other";
  if (a.is_tensor() != b.is_tensor()) return "it is a tensor on one side and a number on the other";
  if (!a.is_tensor()) return {};
  const Tensor &x = a.as_tensor(), &y = b.as_tensor();
  if (x->kind != TensorImpl::Kind::Dense || y->kind != TensorImpl::Kind::Dense) return "it has no value";
  if (x.dtype() != y.dtype()) return concat("its dtype is ", name(x.dtype()), " on one side and ", name(y.dtype()), " on the other");
  if (x.dim() != y.dim()) return concat("it has ", x.dim(), " dims on one side and ", y.dim(), " on the other");
  if (x->wrapped_number || y->wrapped_number) return "it is a number, not a tensor";
  return {};
}

Fork::Fork(Session& session, const IValue& condition, std::string expression)
    : session_(session),
      writer_(session.writer),
      condition_(condition),
      expression_(std::move(expression)),
      valued_(!symbolic_value(condition)->hint.is_none()),
      taken_(!valued_ || symbolic_value(condition)->hint.to_bool()),
      region_((writer_.locate(), writer_.graph.create_if(symbolic_value(condition)->node))),
      after_(writer_.graph.insert_point()),
      uses_(writer_) {
  writer_.graph.insert_at_end(region_->block(taken_ ? 0 : 1));
}

Fork::~Fork() {
  if (second_) end_second();
}

void Fork::begin_second() {
  second_ = true;
  writer_.graph.insert_at_end(region_->block(taken_ ? 1 : 0));
  known_ = writer_.known();
  raised_ = writer_.raised;
  types_.emplace(writer_);
}

void Fork::end_second() {
  second_ = false;
  types_.reset();
  writer_.raised = raised_;
}

std::optional<Fork::Refused> Fork::check_kinds(const std::vector<Ends>& ends) const {
  for (size_t k = 0; k < ends.size(); ++k)
    if (ends[k].first && ends[k].second)
      if (std::string why = joining_fails(*ends[k].first, *ends[k].second); !why.empty()) return Refused{k, std::move(why)};
  return {};
}

// Makes the nodes of a list at the end of both arms. Returns why it cannot, or "".
std::string Fork::end_lists(const Ends& ends, Args (&known)[2]) const {
  std::string why;
  ir::Type element;
  for (const auto& end : {ends.first, ends.second})
    if (end && why.empty()) element = join_elements(element, element_type(writer_, *end, why), why);
  if (!why.empty()) return why;
  if (!element) return "a list is empty on both sides";
  for (size_t way = 0; way < 2; ++way) {
    const std::optional<IValue>& end = way ? ends.second : ends.first;
    writer_.graph.insert_at_end(arm(way));
    if (end) known[way].add(list_node(writer_, *end, element));
    else known[way].add(uninitialized(writer_, ir::Type::list(element)));
  }
  return {};
}

std::optional<Fork::Refused> Fork::join(const std::vector<Ends>& ends, std::vector<IValue>& values) {
  ir::Graph& graph = writer_.graph;
  if (auto refused = check_kinds(ends)) return refused;
  Args results[2];
  auto end = [&](size_t way, size_t k) -> const std::optional<IValue>& { return way ? ends[k].second : ends[k].first; };
  std::vector<ir::Type> types(ends.size());
  for (size_t k = 0; k < ends.size(); ++k) {
    Args known[2];
    const bool list = is_list_value(ends[k].first ? *ends[k].first : *ends[k].second);
    if (list)
      if (std::string why = end_lists(ends[k], known); !why.empty()) return Refused{k, std::move(why)};
    for (size_t way = 0; way < 2 && !list; ++way) {
      graph.insert_at_end(arm(way));
      if (end(way, k)) try {
          add_end(writer_, known[way], *end(way, k));
        } catch (const Error& e) {
          return Refused{k, e.what()};
        }
    }
    const bool tensor = (ends[k].first ? *ends[k].first : *ends[k].second).is_tensor();
    const bool differ = ends[k].first && ends[k].second && ir::type_of(known[0][0]) != ir::type_of(known[1][0]);
    for (size_t way = 0; way < 2 && !list && !tensor && (differ || writer_.types_only); ++way)
      if (end(way, k)) graph.insert_at_end(arm(way)), convert_end(writer_, known[way], *end(way, k));
    for (size_t way = 0; way < 2 && !list; ++way)
      if (!end(way, k)) graph.insert_at_end(arm(way)), known[way].add(uninitialized(writer_, ir::type_of(known[1 - way][0])));
    ir::Type first = ir::type_of(known[0][0]), second = ir::type_of(known[1][0]);
    if (first != second)
      first = number_type(first), second = number_type(second);  // a size on one side, and a number that a loop carries on the other
    if (tensor) {
      if (!is_tensor_type(first) || !is_tensor_type(second)) return Refused{k, "its number of dims depends on values"};
    } else if (!list && (!first || first != second)) {
      return Refused{k, concat("it is ", first ? ir::to_string(first) : "?", " on one side and ", second ? ir::to_string(second) : "?",
                               " on the other")};
    }
    types[k] = ir::join(first, second);
    for (size_t way = 0; way < 2; ++way) results[way].add(known[way][0]);
  }
  for (size_t way = 0; way < 2; ++way) graph.set_output(arm(way), results[way]);
  graph.set_results(region_, types);
  graph.set_insert_point(after_);
  end_second();
  writer_.forget(known_);
  values = region_values(
      writer_, region_,
      [&](size_t k) {
        const IValue& value = ends[k].first ? *ends[k].first : *ends[k].second;
        if (is_list_value(value)) return ends[k].first && valued_ && !writer_.types_only ? list_hint(value) : IValue();
        if (value.is_tensor()) return ends[k].first ? value : IValue(stand_in(value.as_tensor()));
        return ends[k].first && valued_ ? value : IValue();
      },
      ends.size(), uses_);
  return {};
}

void Fork::keep_beside_raise(bool second, const IValue& message, const std::string& exception) {
  ir::Graph& graph = writer_.graph;
  if (second_) {
    end_second();
    if (!second) writer_.forget(known_);
  }
  ir::Block *kept = arm(second ? 1 : 0), *raises = arm(second ? 0 : 1);
  graph.insert_at_end(raises);
  const IValue given[] = {message, exception};
  writer_.append(find_operator("prim::RaiseException"), given);
  std::vector<Node*> nodes;
  for (Node* n : *kept)
    if (!n->is_projection()) nodes.push_back(n);
  for (size_t k = nodes.size(); k-- > 0;) graph.move_after(nodes[k], region_);
  const Args nothing;
  graph.set_output(kept, nothing), graph.set_output(raises, nothing);
  graph.set_results(region_, {});
  graph.set_insert_point(after_);
}

bool runs_twice(const ir::Block* block) {
  for (Node* n : *block) {
    for (size_t k = 0; k < n->block_count(); ++k)
      if (!runs_twice(n->block(k))) return false;
    if (n->op() != ir::Op::CallFunction || n->is_if() || n->is_loop() || !n->info()) continue;
    const ir::Effects& effects = n->info()->effects();
    if (effects.writes || effects.user_code || (effects.reads & ir::Effects::Random)) return false;
  }
  return true;
}

void Fork::drop_guards(bool of_kept) {
  ir::Graph& graph = writer_.graph;
  const ir::Block *kept = region_->block(taken_ ? 0 : 1), *dropped = region_->block(taken_ ? 1 : 0);
  const std::vector<ir::Guard> guards = graph.guards();
  graph.clear_guards();
  for (const ir::Guard& g : guards)
    if (!g.value || (!dropped->contains(g.value) && (!of_kept || !kept->contains(g.value)))) graph.add_guard(g);
}

bool Fork::cancel() {
  if (valued_ && !runs_twice(region_->block(taken_ ? 0 : 1))) return false;
  if (second_) {
    end_second();
    writer_.forget(known_);
  }
  drop_guards(true);
  writer_.forget_within(region_);
  writer_.graph.erase(region_);
  writer_.graph.set_insert_point(after_);
  return true;
}

void Fork::give_up() {
  ir::Graph& graph = writer_.graph;
  if (second_) {
    end_second();
    writer_.forget(known_);
  }
  drop_guards(!valued_);
  const ir::Block* kept = region_->block(taken_ ? 0 : 1);
  std::vector<Node*> nodes;
  for (Node* n : *kept)
    if (!n->is_projection()) nodes.push_back(n);
  if (valued_)
    for (Node* n : nodes) graph.move_before(n, region_);
  graph.erase(region_);
  graph.set_insert_point(after_);
  if (valued_) demand(condition_, expression_);
}

}  // namespace monograph::capture
