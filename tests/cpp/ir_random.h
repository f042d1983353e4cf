// Random valid graphs with nested control flow, every kind of argument, spans, scopes, symbols and guards.
#pragma once

#include <random>

#include "ir/builder.h"
#include "ir_ops.h"

namespace monograph::ir::test {

// Anything: unresolved calls, which have every effect, among the others. Resolved: operators only, with every kind of effect; writes to memory
// in every third graph.
enum class CallTargets { Anything, Resolved };

class RandomGraph {
 public:
  explicit RandomGraph(uint64_t seed, CallTargets calls = CallTargets::Anything) : random_(seed), calls_(calls) {
    writes_ = calls == CallTargets::Resolved && below(3) == 0;
  }

  std::unique_ptr<Graph> make(size_t nodes, size_t depth) {
    auto g = std::make_unique<Graph>(below(3) ? "forward" : "a name");
    g_ = g.get();
    if (below(2)) g->set_dialect(Dialect::TorchScript);
    symbol_ = SymInt::symbol({"s0", 2, 64, 8});
    other_ = SymInt::symbol({"s1", 0, std::numeric_limits<int64_t>::max(), std::nullopt});
    for (int k = 0; k < 3; ++k) {
      locate();
      tensors_.push_back(g->placeholder("x", tensor_type()));
    }
    Args three(3);
    ints_.push_back(g->placeholder(g->root(), "*n", TypeKind::Int, below(2) ? three : Args()));
    if (below(2)) g->set_type(ints_[0], TypeKind::Int, true);
    bools_.push_back(g->call("aten::Bool.Tensor", Args(tensors_[0])));
    g->set_type(bools_[0], TypeKind::Bool);
    body(nodes, depth);
    g->set_output(Args(tuple(tensor(), list(tensor(), 3))));
    Guard guard;
    guard.value = ints_[0];
    guard.expected = Args(static_cast<int64_t>(below(100)));
    guard.expression = "n == \"3\"";
    guard.span = span();
    if (below(2)) g->add_guard(guard);
    Guard size;
    size.size = symbol_ * 2 + other_;
    size.expected = Args(24);
    if (below(2)) g->add_guard(size);
    return g;
  }

 private:
  uint64_t below(uint64_t n) { return random_() % n; }
  Node* tensor() { return tensors_[below(tensors_.size())]; }
  Node* integer() { return ints_[below(ints_.size())]; }
  Node* boolean() { return bools_[below(bools_.size())]; }
  Type tensor_type() {
    TensorType t;
    if (below(2)) t.dtype = static_cast<DType>(below(kComputedDTypeCount));
    if (below(3) == 0) t.device = Device{DeviceType::Cpu, -1};
    if (below(3) == 0) t.requires_grad = below(2) == 1;
    if (below(2)) {
      t.sizes = {SymInt(static_cast<int64_t>(below(9))), symbol_ + SymInt(1), std::nullopt};
      if (below(2)) t.strides = {other_ * symbol_, SymInt(1), std::nullopt};
    }
    return t;
  }
  Span span() {
    const char* files[] = {"model.py", "a file:3.py", "/tmp/x<1>.py", "quote\"d.py"};
    uint32_t line = static_cast<uint32_t>(1 + below(99)), column = static_cast<uint32_t>(below(80));
    return {intern_file(files[below(4)]), line, column, below(2) ? line : 0, below(2) ? column + 3 : 0};
  }
  void locate() {
    const char* scopes[] = {"", "__module.encoder.0", "odd # scope", "Model::/Linear::fc"};
    g_->set_location(below(3) ? span() : Span(), scopes[below(4)]);
  }
  double real() {
    switch (below(8)) {
      case 0: return -0.0;
      case 1: return std::numeric_limits<double>::infinity();
      case 2: return -std::numeric_limits<double>::infinity();
      case 3: return std::bit_cast<double>(0x7ff0000000000000u | (1 + below(1 << 30)));
      case 4: return std::bit_cast<double>(0xfff8000000000000u | below(1 << 30));
      case 5: return 5e-324;
      default: return std::bit_cast<double>(random_());
    }
  }
  std::string text() {
    std::string s;
    for (uint64_t n = below(6); n > 0; --n) s += std::string_view("a\"\\\n\t\x01z# %")[below(10)];
    return below(4) ? s : s + "é漢";
  }
  void literal(Args& args, int depth) {
    switch (below(depth > 3 ? 13 : 19)) {
      case 0: args.none(); return;
      case 1: args.ellipsis(); return;
      case 2: args.add(below(2) == 1); return;
      case 3: args.add(static_cast<int64_t>(random_())); return;
      case 4: args.add(real()); return;
      case 5: args.add(text()); return;
      case 6: args.add(static_cast<DType>(below(kComputedDTypeCount))); return;
      case 7: args.add(Device{DeviceType::Cuda, static_cast<int8_t>(below(3) - 1)}); return;
      case 8: args.layout(); return;
      case 9: args.add(static_cast<MemoryFormat>(below(4))); return;
      case 10: args.add(floordiv(symbol_ * symbol_ + other_, SymInt(int64_t{3})) - max(other_, symbol_)); return;
      case 11: args.global(below(2) ? "torch.nn.functional.relu" : "odd name <lambda>"); return;
      case 12: args.add(tensor()); return;
      case 13: args.add(std::complex<double>(real(), real())); return;
      case 14: args.open(ArgKind::Slice).none().add(3).none().close(); return;
      case 15: args.add(constant()); return;
      case 16:
        args.open(ArgKind::Dict).add("k");
        literal(args, depth + 1);
        args.close();
        return;
      default:
        args.open(below(2) ? ArgKind::List : ArgKind::Tuple);
        for (uint64_t n = below(4); n > 0; --n) literal(args, depth + 1);
        args.close();
    }
  }
  TensorRef constant() {
    DType t = static_cast<DType>(below(kComputedDTypeCount));
    std::vector<int64_t> sizes = {static_cast<int64_t>(below(4)), static_cast<int64_t>(below(8))};
    std::vector<std::byte> bytes(static_cast<size_t>(sizes[0] * sizes[1] * element_size(t)));
    for (std::byte& b : bytes) b = static_cast<std::byte>(t == DType::b1 ? random_() & 1 : random_());
    return make_tensor_constant(t, sizes, bytes);
  }

  void body(size_t nodes, size_t depth) {
    for (size_t k = 0; k < nodes; ++k) {
      locate();
      uint64_t kind = below(depth ? 14 : 11);
      if (calls_ == CallTargets::Resolved && kind >= 7 && kind <= 10) {
        resolved_call();
        continue;
      }
      switch (kind) {
        case 0:
        case 1: typed(g_->call("aten::add.Tensor", Args(tensor(), tensor()))); break;
        case 2: typed(g_->call("aten::add.Tensor", Args(tensor(), 10).kw("alpha", 2.5))); break;
        case 3: typed(g_->call("aten::relu", Args(tensor()))); break;
        case 4: {
          Node* n = g_->call("aten::max.dim", Args(tensor(), 1));
          uint64_t which = below(4);
          if (which & 1) tensors_.push_back(g_->project(n, 1));
          if (which & 2) tensors_.push_back(g_->project(n, 0));
          break;
        }
        case 5: {
          Node* n = g_->call("aten::Bool.Tensor", Args(tensor()));
          g_->set_type(n, TypeKind::Bool);
          bools_.push_back(n);
          break;
        }
        case 6: {
          Node* n = g_->call("aten::add.int", Args(integer(), 1));
          g_->set_type(n, TypeKind::Int);
          ints_.push_back(n);
          break;
        }
        case 7: {  // a function nobody knows, with every kind of argument
          Args args(tensor());
          for (uint64_t n = below(4); n > 0; --n) literal(args, 0);
          if (below(2)) {
            args.name(below(2) ? "key" : "odd key");
            literal(args, 0);
          }
          Target t =
              below(2) ? g_->target(below(2) ? "torch.something" : "my <lambda>") : g_->resolved("operator.add", "ns::unknown.overload");
          tensors_.push_back(g_->create(Op::CallFunction, t, args));
          break;
        }
        case 8: tensors_.push_back(g_->create(Op::GetAttr, g_->target("fc.weight"), {})); break;
        case 9: tensors_.push_back(g_->create(Op::CallModule, g_->target("layers.0"), Args(tensor()))); break;
        case 10: tensors_.push_back(g_->create(Op::CallMethod, g_->target("view"), Args(tensor(), -1, 3))); break;
        case 11:
        case 12: branch(nodes, depth); break;
        default: loop(nodes, depth);
      }
    }
  }
  void resolved_call() {
    switch (below(writes_ ? 7 : 6)) {
      case 0: typed(g_->call("aten::rand", Args(list(2)))); break;
      case 1: tensors_.push_back(g_->call("aten::item", Args(tensor()))); break;
      case 2: typed(g_->call("aten::gather", Args(tensor(), 0, tensor()))); break;
      case 3: g_->set_type(g_->call("prim::Print", Args(tensor())), TypeKind::None); break;
      case 4: g_->set_type(g_->call("aten::_assert", Args(boolean(), "no")), TypeKind::None); break;
      case 5: typed(g_->call("aten::sub.Tensor", Args(tensor(), tensor()))); break;
      default: typed(g_->call("aten::add_.Tensor", Args(tensor(), tensor())));
    }
  }
  Node* typed(Node* n) {
    g_->set_type(n, TypeKind::Tensor);
    tensors_.push_back(n);
    return n;
  }
  struct Saved {
    size_t tensors, ints, bools;
  };
  Saved save() const { return {tensors_.size(), ints_.size(), bools_.size()}; }
  void restore(Saved s) { tensors_.resize(s.tensors), ints_.resize(s.ints), bools_.resize(s.bools); }

  void branch(size_t nodes, size_t depth) {
    Node* n = g_->create_if(boolean());
    Graph::InsertPoint after = g_->insert_point();
    size_t results = below(4);
    Saved saved = save();
    for (size_t k = 0; k < 2; ++k) {
      g_->insert_at_end(n->block(k));
      body(below(nodes), depth - 1);
      Args end;
      for (size_t r = 0; r < results; ++r) end.add(tensor());
      locate();
      g_->set_output(n->block(k), end);
      restore(saved);
    }
    std::vector<Type> types(results, TypeKind::Any);
    g_->set_results(n, types);
    g_->set_insert_point(after);
    for (size_t r = 0; r < results; ++r)
      if (below(3)) tensors_.push_back(g_->project(n, r));
  }
  void loop(size_t nodes, size_t depth) {
    size_t carried = below(4);
    Args initial;
    for (size_t r = 0; r < carried; ++r) initial.add(tensor());
    Node* n = g_->create_loop(below(2) ? Args(integer()) : Args(int64_t{5}), below(2) ? Args(true) : Args(boolean()), initial);
    Graph::InsertPoint after = g_->insert_point();
    Saved saved = save();
    Block* b = n->block(0);
    ints_.push_back(g_->placeholder(b, "i", TypeKind::Int));
    for (size_t r = 0; r < carried; ++r) tensors_.push_back(g_->placeholder(b, "acc"));
    g_->insert_at_end(b);
    body(below(nodes), depth - 1);
    Args end(boolean());
    for (size_t r = 0; r < carried; ++r) end.add(tensor());
    g_->set_output(b, end);
    restore(saved);
    std::vector<Type> types(carried, TypeKind::Any);
    g_->set_results(n, types);
    g_->set_insert_point(after);
    for (size_t r = carried; r-- > 0;)
      if (below(3)) tensors_.push_back(g_->project(n, r));
  }

  std::mt19937_64 random_;
  CallTargets calls_;
  bool writes_ = false;
  Graph* g_ = nullptr;
  SymInt symbol_, other_;
  std::vector<Node*> tensors_, ints_, bools_;
};

}  // namespace monograph::ir::test
