// The caller's functions record the blocks. If a value has types on two paths that have no common type, an error names both types.
#include "capture/value_regions.h"

#include <limits>

#include "capture/fork.h"
#include "capture/lists.h"
#include "capture/regions.h"

namespace monograph::capture {
namespace {

using ir::Args;
using ir::Node;
using ir::Type;
using ir::TypeKind;

// A size is an int of the graph.
Type plain(Type t) { return t.is(TypeKind::SymInt) ? Type(TypeKind::Int) : t; }
bool is_number(Type t) { return t.is(TypeKind::Int) || t.is(TypeKind::Float) || t.is(TypeKind::Bool); }

std::string described(Type t) {
  return t.is(TypeKind::List)     ? "a list"
         : t.is(TypeKind::Tensor) ? "a tensor"
         : t                      ? concat("of type ", ir::to_string(t))
                                  : "of an unknown type";
}

// The common type of a value that has these types on the paths that lead to it.
Type joined(Type a, Type b, const char* where) {
  a = plain(a), b = plain(b);
  if (a.is(TypeKind::List) && b.is(TypeKind::List)) {
    std::string why;
    const Type element = join_elements(a.element(), b.element(), why);
    MONOGRAPH_CHECK(why.empty(), NotImplemented, "a graph in operators has one type for the elements of a list, but ", why);
    return Type::list(element);
  }
  if (a.is(TypeKind::Tensor) && b.is(TypeKind::Tensor)) return ir::join(a, b);
  MONOGRAPH_CHECK(a == b && is_number(a), NotImplemented, "a graph in operators has one type for each value, but ", where, " is ",
                  described(a), " on one side and ", described(b), " on the other; make it the same on both");
  return a;
}

// The type of a list's elements; none for an empty list.
Type element_of(Writer& writer, const IValue& list) {
  std::string why;
  const Type element = element_type(writer, list, why);
  MONOGRAPH_CHECK(why.empty(), NotImplemented, "a graph in operators has one type for the elements of a list: ", why);
  return element;
}

// `element`: of a list.
void add(Writer& writer, Args& args, const IValue& value, Type element = {}) {
  if (is_list_value(value)) {
    const Type own = element_of(writer, value);
    return void(args.add(list_node(writer, value, own ? own : element ? element : Type(TypeKind::Tensor))));
  }
  MONOGRAPH_CHECK(
      value.is_tensor() || value.is_int() || value.is_float() || value.is_bool() || symbolic_value(value) || symbolic_size(value),
      NotImplemented, "a graph in operators keeps tensors and numbers over a branch or loop, but not ", describe(value));
  writer.add(args, value);
}

IValue value_of(Writer& writer, Node* node, Type type) {
  if (type.is(TypeKind::Tensor)) return writer.symbolic(node);
  return writer.number(node, {});
}

std::vector<IValue> results_of(Writer& writer, Node* region, const std::vector<Type>& types) {
  std::vector<IValue> values;
  for (size_t k = 0; k < types.size(); ++k)
    values.push_back(types[k] ? value_of(writer, writer.graph.project(region, k), types[k]) : IValue());
  return values;
}

}  // namespace

std::vector<IValue> branch_of_values(Session& session, const IValue& truth, const ValueBranch& then, const ValueBranch& otherwise) {
  Writer& writer = session.writer;
  ir::Graph& graph = writer.graph;
  writer.locate();
  Node* region = graph.create_if(symbolic_value(truth)->node);
  const ir::Graph::InsertPoint after = graph.insert_point();
  const RegionUses uses(writer);
  std::vector<IValue> ends[2];
  for (size_t way = 0; way < 2; ++way) {
    graph.insert_at_end(region->block(way));
    ends[way] = way ? otherwise() : then();
  }
  MONOGRAPH_CHECK(ends[0].size() == ends[1].size(), Value, "the sides of a branch give ", ends[0].size(), " and ", ends[1].size(),
                  " values");
  Args results[2];
  std::vector<Type> types;
  for (size_t k = 0; k < ends[0].size(); ++k) {
    Args end[2];
    for (size_t way = 0; way < 2; ++way) {
      graph.insert_at_end(region->block(way));
      if (ends[way][k].is_none()) continue;
      const IValue& other = ends[1 - way][k];
      add(writer, end[way], ends[way][k], is_list_value(other) ? element_of(writer, other) : Type());
    }
    for (size_t way = 0; way < 2; ++way) {
      if (end[way].size()) continue;
      graph.insert_at_end(region->block(way));
      if (end[1 - way].size()) end[way].add(uninitialized(writer, plain(ir::type_of(end[1 - way][0]))));
      else end[way].add(nullptr);
    }
    const bool nobody = ends[0][k].is_none() && ends[1][k].is_none();
    types.push_back(nobody ? Type() : joined(ir::type_of(end[0][0]), ir::type_of(end[1][0]), "a value that both set"));
    for (size_t way = 0; way < 2; ++way) results[way].add(end[way][0]);
  }
  for (size_t way = 0; way < 2; ++way) graph.set_output(region->block(way), results[way]);
  graph.set_results(region, types);
  graph.set_insert_point(after);
  return results_of(writer, region, types);
}

namespace {

class ValueLoop {
 public:
  ValueLoop(Session& session, const IValue& count, const IValue& again, const std::vector<IValue>& initial)
      : writer_(session.writer), graph_(session.writer.graph), initial_(initial) {
    Args limit, first;
    writer_.add(limit, count), writer_.add(first, again);
    for (const IValue& value : initial) {
      Args begin;
      if (!value.is_none()) add(writer_, begin, value);
      open_.push_back(is_list_value(value) && !element_of(writer_, value));
      begins_.push_back(std::move(begin));
    }
    writer_.locate();
    region_ = graph_.create_loop(limit, first, {});
    after_ = graph_.insert_point();
    graph_.placeholder(body(), "i", TypeKind::Int);
    for (const Args& begin : begins_) graph_.placeholder(body(), "carried", begin.size() ? plain(ir::type_of(begin[0])) : Type());
  }

  std::vector<IValue> run(const ValueBody& round) {
    constexpr int kRounds = 8;  // a type has become as wide as it can by then
    for (int k = 0; run_once(round); ++k) MONOGRAPH_CHECK(k < kRounds, NotImplemented, "the types of what a loop carries never settle");
    Args all;
    all.add(region_->arg(0)), all.add(region_->arg(1));
    graph_.insert_before(region_);
    for (size_t k = 0; k < begins_.size(); ++k) {
      if (begins_[k].size()) all.add(begins_[k][0]);
      else all.add(uninitialized(writer_, types_[k]));
    }
    graph_.set_args(region_, all);
    graph_.set_output(body(), ends_);
    graph_.set_results(region_, types_);
    graph_.set_insert_point(after_);
    return results_of(writer_, region_, types_);
  }

 private:
  ir::Block* body() const { return region_->block(0); }

  // Whether a type has become wider.
  bool run_once(const ValueBody& round) {
    clear();
    graph_.insert_at_end(body());
    const std::vector<Node*> slots = body()->placeholders();
    std::vector<IValue> values;
    for (size_t k = 0; k < begins_.size(); ++k)
      values.push_back(begins_[k].size() ? value_of(writer_, slots[k + 1], slots[k + 1]->type()) : IValue());
    const RegionUses uses(writer_);
    const RoundOfValues end = round(writer_.number(slots[0], {}), values);
    MONOGRAPH_CHECK(end.values.size() == begins_.size(), Value, "a loop carries ", begins_.size(), " values, but its body gives ",
                    end.values.size());
    graph_.insert_at_end(body());
    ends_ = {}, types_.clear();
    writer_.add(ends_, end.again);
    bool widened = false;
    for (size_t k = 0; k < begins_.size(); ++k) {
      Args value;
      add(writer_, value, end.values[k]);
      Type type = plain(ir::type_of(value[0]));
      if (begins_[k].size() && open_[k] && type.is(TypeKind::List)) {  // only a round tells what an empty list holds
        open_[k] = false, widened |= type != slots[k + 1]->type();
        graph_.set_type(begins_[k][0].node(), type);
      } else if (begins_[k].size()) {
        type = joined(slots[k + 1]->type(), type, "a value that a loop carries");
        widened |= type != slots[k + 1]->type();
      }
      graph_.set_type(slots[k + 1], type);
      ends_.add(value[0]), types_.push_back(type);
    }
    return widened;
  }

  void clear() {
    graph_.set_output(body(), Args());
    std::vector<Node*> old;
    for (Node* n : *body())
      if (n->op() != ir::Op::Placeholder && n->op() != ir::Op::Output && !n->is_projection()) old.push_back(n);
    for (size_t k = old.size(); k-- > 0;) graph_.erase(old[k]);
  }

  Writer& writer_;
  ir::Graph& graph_;
  const std::vector<IValue>& initial_;
  std::vector<Args> begins_;
  std::vector<bool> open_;  // an empty list: what it holds is not known yet
  Node* region_ = nullptr;
  ir::Graph::InsertPoint after_;
  Args ends_;
  std::vector<Type> types_;
};

}  // namespace

std::vector<IValue> loop_of_values(Session& session, const IValue& count, const IValue& again, const std::vector<IValue>& initial,
                                   const ValueBody& body) {
  return ValueLoop(session, count, again, initial).run(body);
}

}  // namespace monograph::capture
