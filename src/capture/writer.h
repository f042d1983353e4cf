// The part that both captures share: it appends operator calls to a graph and knows which node each value is.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/inner.h"
#include "core/interrupt.h"
#include "ir/builder.h"
#include "ops/dispatch.h"
#include "ops/infer_memo.h"
#include "ops/size_nodes.h"
#include "ops/symbolic_value.h"

namespace monograph::capture {

// Makes graphs use the library's operators, unless another registry was set before.
void use_operators();

// A tensor that is only a node: it has no memory and no sizes. Operators append to the graph; everything else is an error.
class SymbolicTensor : public TensorImpl {
 public:
  SymbolicTensor(ir::Node* n, uint64_t capture) : node(n), capture_id(capture) {
    kind = Kind::Symbolic;
    if (n->type().is(ir::TypeKind::Tensor) && n->type().tensor().dtype) dtype = *n->type().tensor().dtype;
  }
  ir::Node* node;
  uint64_t capture_id;  // of the Writer that made it
};

// One call of a module: the nodes with ids in [begin, end) were made while its code ran.
struct ModuleCall {
  std::string path;
  uint32_t begin = 0, end = 0;
  uint32_t asked = UINT32_MAX;  // where the module stands in the program, before its arguments; `begin` where nothing says so
};

class RegionUses;  // capture/regions.h

class Writer {
 public:
  explicit Writer(ir::Graph& graph);
  ~Writer();  // the numbers that it made lose their nodes: a program may keep them longer than the graph lives
  Writer(const Writer&) = delete;

  ir::Graph& graph;
  const uint64_t id;  // of this capture, unique in the process
  // Where the user's program is; asked for each call. Set by the front end; without it nodes have no place.
  std::function<Span()> location;
  // The path of a tensor that belongs to the function's modules ("encoder.0.weight"), or "": such a tensor becomes a get_attr, another one
  // from outside a constant with a copy of its contents.
  std::function<std::string(const Tensor&)> attribute;

  // Makes a tensor from outside an attribute of the function under a new path: a parameter, or what else requires grad, that no module of the function
  // holds. Its elements change between runs, and gradients flow to it. Without it such a tensor is an error.
  std::function<std::string(const Tensor&)> adopt;

  // Told before an operator writes to a tensor, and when a tensor from outside becomes a constant that the function has not made: torch.compile puts the
  // first back where a capture fails, and refuses the second.
  std::function<void(const Tensor&, bool sure)>
      before_write;  // not sure: the operator writes to some of its tensors, its schema does not say which
  std::function<void(const Tensor&)> frozen;

  // The first error of an operator that the function ran. Where the function goes on, it has a branch that no graph can show.
  std::string raised;

  // Whether gradients were on when the capture began: what is computed while they are off is detached.
  const bool grad_enabled = dispatch_state().grad_enabled;

  // The module whose code runs: "__module.encoder.0" becomes the scope of the nodes until end_module.
  void begin_module(std::string_view path);
  void end_module();
  // In the order of their ends: what a call contains comes before it.
  const std::vector<ModuleCall>& module_calls() const { return calls_; }

  // A tensor of this process is this node from here on; it is kept alive until the capture ends.
  void name(const Tensor& tensor, ir::Node* node);
  ir::Node* find(const Tensor& tensor) const;
  // Another node stands for the values of this one.
  void rename(ir::Node* was, ir::Node* is);
  // Told of each tensor that the functions of a cond or while_loop use.
  RegionUses* region_uses = nullptr;
  // The function made it, of nothing that the graph computes: it is a constant, whatever the function makes of it.
  void note_made(const Tensor& tensor) { made_tensors_[tensor.impl()] = tensor; }
  bool is_made(const Tensor& tensor) const { return made_tensors_.contains(tensor.impl()); }
  // Whether the function's modules hold it.
  bool is_attribute(const Tensor& tensor) const { return attribute && !attribute(tensor).empty(); }
  // Whether its elements may differ between runs: it is a node, or an attribute.
  bool may_change(const Tensor& tensor) const;
  // `copy` is another handle on the value that `tensor` is, now or once it is named.
  void note_copy(const Tensor& copy, const Tensor& tensor);
  // The copies noted so far keep the tensor's node, though the tensor gets another one: t_() makes it its own view.
  void keep_copies(const Tensor& tensor);
  // The call that runs: its arguments where the graph computes some of its numbers, or its place inside of another call. What autograd keeps of
  // its results remembers it.
  struct RunningCall {
    const IValue* args = nullptr;
    size_t count = 0;
    InnerCall* inside = nullptr;
    size_t index = 0;
  };
  class CallScope {
   public:
    CallScope(Writer& writer, RunningCall call) : writer_(writer), saved_(std::exchange(writer.running_, call)) {}
    ~CallScope() { writer_.running_ = saved_; }
    CallScope(const CallScope&) = delete;

   private:
    Writer& writer_;
    RunningCall saved_;
  };
  // While a call that is made of others runs on the example. Nothing is recorded of what it computes inside, and nothing is guarded. The sizes that it reads
  // are those that the graph would know: of what it computes inside, `noted_sizes`.
  bool noting = false;
  std::unordered_map<const TensorImpl*, std::pair<Tensor, Sizes>> noted_sizes;
  void note_sizes(const Tensor& tensor, const ir::TensorType& type);
  // Makes sure that a value which an operator computed inside is a node, if `tensor` is one.
  void find_or_record(const Tensor& tensor);
  // The arguments of the call that gave this result, of which autograd keeps a copy; null where they are plain.
  const IValue* arguments(const Tensor& kept_result);
  // The values inside of a call that autograd takes apart.
  void note_inner(std::unique_ptr<InnerCall> call);
  // The sizes of a tensor of this process as the graph knows them; its own where it is no value of the graph.
  Sizes sizes(const Tensor& tensor);
  // Whether the graph knows how many dims the tensor has; of what is no value of the graph it does.
  bool ranked(const Tensor& tensor);
  // The graph holds for the example's value of this size only.
  void specialize(Size size);
  // Of two sizes that broadcast in the example, the one that both become; guards that they do so.
  Size broadcast(Size a, Size b);
  // Appends these calls once more, from the last of them to the first, with another node in the place of `from`; the node of the last one appended.
  ir::Node* copy_calls(ir::Node* from, std::span<ir::Node* const> calls, ir::Node* instead);
  // What the graph computes and is no tensor, with the example's value; None where nothing runs.
  IValue number(ir::Node* node, IValue hint);
  Tensor symbolic(ir::Node* node) const { return Tensor(Ref<TensorImpl>(new SymbolicTensor(node, id))); }

  // Which tensors are which nodes now, and the way back: tensors that got a name since have none any more.
  struct TensorNode {
    Tensor tensor;
    ir::Node* node;
  };
  using TensorNodes = std::unordered_map<const TensorImpl*, TensorNode>;
  const TensorNodes& known() const { return tensor_nodes_; }
  void forget(TensorNodes& known) { tensor_nodes_.swap(known); }
  void forget_within(const ir::Node* region);  // what nodes in its blocks have made
  // While this is not 0 nothing runs: the code is an arm that the example does not take, or the body of a loop. Tensors have dtypes and sizes alone,
  // numbers have no value but where sizes tell it.
  int types_only = 0;
  // The example's value of a number that the graph computes, and of an attribute that the function used; nothing where none is known.
  std::optional<IValue> number_value(const ir::Node* node) const;
  std::optional<IValue> attribute_value(const std::string& path) const;
  // The nodes made next come from where the program is.
  void locate();

  // Appends the value as an argument: a node, a literal, a constant or a tree of them.
  void add(ir::Args& args, const IValue& value);
  // The node of a call; what equals the schema's defaults at the end is left out. Located, typed by inference.
  ir::Node* append(const Operator& op, const IValue* args);
  // An element of a list that the program takes apart: nobody may use it, and then it goes.
  void may_go_unused(ir::Node* element) { elements_.push_back(element); }
  // What the function returns.
  void finish(const IValue& result);

  // `value` is what the graph's node gives at every run for which this capture holds.
  void guard(ir::Node* value, const IValue& expected, std::string_view expression);
  // A size as a user writes it: "2*x.shape[0]" for 2*s0_0.
  std::string words(Size size) const;
  // What a bool compares, where that is sizes: "x.shape[1] < x.shape[0]". Empty for anything else.
  std::string comparison(const ir::Node* n) const;

 private:
  void count_operator();
  void add_node(ir::Args& args, ir::Node* node);
  void add_tensor(ir::Args& args, const Tensor& tensor);
  // The node of a value that an operator computed inside, made now; null where it is none.
  ir::Node* find_inner(const Tensor& t);
  // What `t` is a copy of, through copies of copies.
  const TensorImpl* original(const Tensor& t) const;
  void check_kept(const Tensor& t) const;
  std::string path_of(const Tensor& t) const;
  TensorNodes tensor_nodes_;
  std::unordered_map<const TensorImpl*, std::pair<Tensor, Tensor>>
      copies_;  // and what each is a copy of; both alive, so that no other has their address
  std::unordered_map<const TensorImpl*, std::pair<Tensor, ir::TensorRef>> constants_;
  std::vector<std::unique_ptr<InnerCall>> inner_calls_;
  std::unordered_map<const TensorImpl*, InnerCall*> inner_;
  struct Origin {
    std::vector<IValue> args;
    InnerCall* inside;
    size_t index;
  };
  RunningCall running_;
  std::unordered_map<const TensorImpl*, Origin> origins_;  // of kept results
  SizeSources open_sizes_;  // symbols for sizes that no type tells
  std::unordered_map<const TensorImpl*, Tensor> made_tensors_;
  std::vector<Ref<SymbolicValue>> numbers_;
  std::unordered_map<std::string, Tensor> attributes_;  // by path
  std::vector<ir::Node*> elements_;
  std::unordered_map<const Operator*, ir::Target> targets_;
  InferMemo types_;
  size_t recorded_ = 0;  // operators, those of given up ways too
  InterruptClock interrupts_;
  std::vector<std::string> scopes_;
  std::vector<uint32_t> begins_;  // of the open module calls
  std::vector<ModuleCall> calls_;
};

// What a branch on a value becomes (design, `control_flow`). Keep: an If where the capture machine can make one, else as Guard; cond and while_loop keep
// branches by themselves.
enum class ControlFlow : uint8_t { Guard, Error, Freeze, Keep };

// Lets captures see what autograd keeps for its backward pass, so that the pass is recorded like any other code (capture/gradients.cpp).
void install_gradient_hooks();

// The capture that is active on this thread.
struct Session {
  Writer& writer;
  bool symbolic;  // nothing runs: no value can be asked for
  ControlFlow control_flow;
  // Under symbolic capture, while layers of the library run: where they ask whether two sizes are equal, they are, and the graph checks it.
  bool sizes_agree = false;
  // The numbers of dims that layers of the library assume of symbolic tensors. The graph checks them.
  std::unordered_map<const ir::Node*, int64_t> assumed_dims{};
};
Session* current_session();

class SessionScope {
 public:
  explicit SessionScope(Session* session);
  ~SessionScope();
  SessionScope(const SessionScope&) = delete;

 private:
  Session* saved_;
};

// The node of a symbolic tensor while its capture runs on this thread; null at another time.
ir::Node* running_node(const Tensor& symbolic);
// Raises where the capture that made the number has ended.
void check_running(const SymbolicValue& number);

// The number, bool or list behind a value. Of a value that a graph computes: under trace the example's, guarded; under symbolic capture
// an error that names the operator and the way out. Everything else is itself.
IValue demand(const IValue& value, std::string_view expression = {});

}  // namespace monograph::capture
