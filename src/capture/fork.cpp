// The If is made where the fork begins, and its arms are filled while the program runs. A fork that cannot be joined gives its nodes back to the block
// around it.
#include "capture/fork.h"

#include <algorithm>
#include <cstring>

#include "capture/capture.h"

namespace monograph::capture {
namespace {

using ir::Args;
using ir::Node;

bool is_tensor_type(ir::Type t) { return t.is(ir::TypeKind::Tensor) && t.tensor().sizes; }

}  // namespace

Fork::Fork(Session& session, const IValue& condition, std::string expression)
    : session_(session),
      writer_(session.writer),
      condition_(condition),
      expression_(std::move(expression)),
      taken_(symbolic_value(condition)->hint.to_bool()),
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
  random_.emplace(default_generator());
  outer_ = std::exchange(writer_.before_call, [this](const Operator& op, const IValue* args) { note_write(op, args); });
}

void Fork::note_write(const Operator& op, const IValue* args) {
  const auto& arguments = op.schema().arguments();
  auto note = [&](const IValue& v) {
    if (!v.is_tensor()) return;
    const Tensor& t = v.as_tensor();
    if (!t.defined() || !t->storage) return;
    if (std::ranges::any_of(written_, [&](const Written& w) { return w.tensor->storage.get() == t->storage.get(); })) return;
    written_.push_back({t, std::string(t->storage->data(), t->storage->bytes())});
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].writes() && !arguments[i].name.starts_with("running_")) continue;
    note(args[i]);
    if (args[i].is_list())
      for (const IValue& item : args[i].items()) note(item);
  }
}

void Fork::end_second() {
  second_ = false;
  writer_.before_call = std::move(outer_);
  for (const Written& w : written_)
    if (w.tensor->storage->bytes() >= w.bytes.size()) {
      std::memcpy(w.tensor->storage->data(), w.bytes.data(), w.bytes.size());
      w.tensor->storage->note_write(false);
    }
  written_.clear();
  default_generator() = *random_;
  writer_.raised = raised_;
}

// A constant is made anew in the arm: who writes to it behind the If writes to no other run's.
void Fork::add_end(Args& args, const IValue& value) {
  if (value.is_tensor() && !writer_.may_change(value.as_tensor()) && !value.as_tensor()->wrapped_number) {
    IValue given[] = {value, IValue()};
    return void(args.add(writer_.append(find_operator("aten::clone"), given)));
  }
  writer_.add(args, value);
}

std::optional<Fork::Refused> Fork::join(const std::vector<Ends>& ends, std::vector<IValue>& values) {
  ir::Graph& graph = writer_.graph;
  for (size_t k = 0; k < ends.size(); ++k) {
    const auto& [a, b] = ends[k];
    if (a.is_tensor() != b.is_tensor()) return Refused{k, "it is a tensor in one way and a number in the other"};
    if (!a.is_tensor()) continue;
    const Tensor &x = a.as_tensor(), &y = b.as_tensor();
    if (x->kind != TensorImpl::Kind::Dense || y->kind != TensorImpl::Kind::Dense) return Refused{k, "it has no value"};
    if (x.dtype() != y.dtype())
      return Refused{k, concat("its dtype is ", name(x.dtype()), " in one way and ", name(y.dtype()), " in the other")};
    if (x.dim() != y.dim()) return Refused{k, concat("it has ", x.dim(), " dims in one way and ", y.dim(), " in the other")};
    if (x->wrapped_number || y->wrapped_number) return Refused{k, "it stands for a number"};
  }
  Args results[2];
  for (size_t way = 0; way < 2; ++way) {
    const bool arm = (way == 0) == taken_;
    graph.insert_at_end(region_->block(arm ? 0 : 1));
    for (size_t k = 0; k < ends.size(); ++k) try {
        add_end(results[way], way ? ends[k].second : ends[k].first);
      } catch (const Error& e) {
        return Refused{k, e.what()};
      }
  }
  std::vector<ir::Type> types;
  for (size_t k = 0; k < ends.size(); ++k) {
    const ir::Type first = ir::type_of(results[0][k]), second = ir::type_of(results[1][k]);
    if (ends[k].first.is_tensor()) {
      if (!is_tensor_type(first) || !is_tensor_type(second)) return Refused{k, "its number of dims depends on values"};
    } else if (first != second) {
      return Refused{k, concat("it is ", first ? ir::to_string(first) : "?", " in one way and ", second ? ir::to_string(second) : "?",
                               " in the other")};
    }
    types.push_back(ir::join(first, second));
  }
  for (size_t way = 0; way < 2; ++way) graph.set_output(region_->block(((way == 0) == taken_) ? 0 : 1), results[way]);
  graph.set_results(region_, types);
  graph.set_insert_point(after_);
  static const Operator& clone = find_operator("aten::clone");
  std::vector<Node*> nodes;
  std::vector<Tensor> tensors;
  values.resize(ends.size());
  for (size_t k = 0; k < ends.size(); ++k) {
    Node* node = graph.project(region_, k);
    if (ends[k].first.is_tensor()) nodes.push_back(node), tensors.push_back(ends[k].first.as_tensor());
    else values[k] = writer_.number(node, example(clone, ends[k].first));
  }
  end_second();
  writer_.forget(known_);
  const std::vector<Tensor> handles = traced_results(writer_, region_, nodes, tensors, uses_);
  for (size_t k = 0, at = 0; k < ends.size(); ++k)
    if (ends[k].first.is_tensor()) values[k] = handles[at++];
  return {};
}

void Fork::give_up() {
  ir::Graph& graph = writer_.graph;
  if (second_) {
    end_second();
    writer_.forget(known_);
  }
  const ir::Block *kept = region_->block(taken_ ? 0 : 1), *dropped = region_->block(taken_ ? 1 : 0);
  const std::vector<ir::Guard> guards = graph.guards();
  graph.clear_guards();
  for (const ir::Guard& g : guards)
    if (!g.value || !dropped->contains(g.value)) graph.add_guard(g);
  std::vector<Node*> nodes;
  for (Node* n : *kept)
    if (!n->is_projection()) nodes.push_back(n);
  for (Node* n : nodes) graph.move_before(n, region_);
  graph.erase(region_);
  graph.set_insert_point(after_);
  demand(condition_, expression_);
}

}  // namespace monograph::capture
