// Writer, which both captures use: it appends operator calls to a graph and knows the node of each value.
#pragma once

#include <exception>
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

// A tensor that is only a node: it has no memory and no sizes. An operator on it appends a node to the graph; everything else is an error.
class SymbolicTensor : public TensorImpl {
 public:
  SymbolicTensor(ir::Node* n, uint64_t capture) : node(n), capture_id(capture) {
    kind = Kind::Symbolic;
    if (n->type().is(ir::TypeKind::Tensor) && n->type().tensor().dtype) dtype = *n->type().tensor().dtype;
  }
  ir::Node* node;
  uint64_t capture_id;  // Writer::id of the writer that made it
};

// One call of a module. The nodes with ids in [begin, end) were made while its code ran.
struct ModuleCall {
  std::string path;
  uint32_t begin = 0, end = 0;
  uint32_t asked =
      UINT32_MAX;  // the id limit when the program read the module, before it computed the arguments; UINT32_MAX: the same as `begin`
  Span span = {};  // the place of the call; empty if it is not known
};

// What the text of a trace says beyond its graph (capture/trace_text.h).
struct TraceNotes {
  std::unordered_map<uint32_t, std::string>
      variables;  // the names of the program's variables, by the ids of the nodes whose values they hold
  // An index `:` takes a whole dim, and is no node.
  struct WholeSlice {
    uint32_t value, before;  // the id of what is indexed; the nodes that follow have this id or a higher one
    int64_t dim;
  };
  std::vector<WholeSlice> whole_slices;
  std::vector<uint32_t> symbols;  // the ids of nodes that the program writes as `&` and its like, not as a call
  std::vector<ModuleCall> calls;
};

class RegionUses;  // capture/regions.h

// Whether the program that runs on this thread has switched gradients by its own no_grad() or enable_grad(). Then the mode of its caller does not matter.
bool grad_mode_of_program();
void set_grad_mode_of_program(bool on);

// Whether a tensor in the value requires grad.
bool needs_gradient(const IValue& v);

class Writer {
 public:
  explicit Writer(ir::Graph& graph);
  ~Writer();  // clears the nodes of the numbers that it made, since a program may keep a number after the graph was freed
  Writer(const Writer&) = delete;

  ir::Graph& graph;
  const uint64_t id;  // a number for this capture, unique in the process
  // Returns the current line of the user's program; called for each node. Set by the front end; without it nodes have no location.
  std::function<Span()> location;
  // Returns the scope of a node that is made while no module is open, such as that of the node of another graph whose capture this is. May be unset.
  std::function<std::string_view()> scope;
  // Returns the path of a tensor that belongs to the function's modules ("encoder.0.weight"), else "". A tensor with a path becomes a get_attr; any other
  // tensor from outside becomes a constant with a copy of its contents.
  std::function<std::string(const Tensor&)> attribute;

  // Returns the name of the local variable that holds the tensor where the program calls an operator, else "". It is asked once for each value that gets a name.
  // May be unset.
  std::function<std::string(const Tensor&)> variable;
  // The same for a number that this node computes.
  std::function<std::string(const ir::Node*)> number_variable;
  void note_whole_slice(const Tensor& tensor, int64_t dim);
  // Whether the running instruction is an operator such as `&`. May be unset.
  std::function<bool()> is_symbol;
  TraceNotes take_notes();

  // Makes an attribute with a new path for a parameter or other tensor that requires grad, which no module of the function holds. The elements of an attribute
  // may change between runs, and gradients flow to it. Without this function, such a tensor is an error.
  std::function<std::string(const Tensor&)> adopt;

  // Called before an operator writes to a tensor. `sure` is false if the schema does not say to which of its tensors the operator writes. torch.compile restores
  // these tensors if a capture fails.
  std::function<void(const Tensor&, bool sure)> before_write;
  // Called when a tensor that the function has not made becomes a constant. torch.compile rejects this.
  std::function<void(const Tensor&)> frozen;

  // The first error that an operator raised. If the function catches it and continues, it has a branch that no graph can record.
  std::string raised;

  // Whether gradients were on when the capture began.
  const bool grad_enabled = dispatch_state().grad_enabled;
  bool any_grad_mode = true;  // see CaptureOptions
  // Whether a result that is computed while gradients are off is detached in the graph: in some run of it they may be on.
  bool detaches() const { return grad_enabled || (any_grad_mode && grad_mode_of_program()); }

  // The code of a module begins: until end_module, nodes get its scope, such as "__module.encoder.0".
  void begin_module(std::string_view path);
  void end_module();
  // The calls in the order in which they ended: inner calls come before the outer one.
  const std::vector<ModuleCall>& module_calls() const { return calls_; }

  // From now on, `node` is the node of this tensor. The tensor is kept alive until the capture ends.
  void name(const Tensor& tensor, ir::Node* node);
  ir::Node* find(const Tensor& tensor) const;
  // Replaces the node of all tensors that have node `was` by `is`.
  void rename(ir::Node* was, ir::Node* is);
  // Collects the tensors that the functions of a cond or while_loop use; null outside of them.
  RegionUses* region_uses = nullptr;
  // The function made this tensor from plain numbers: it is a constant, even if it requires grad.
  void note_made(const Tensor& tensor) { made_tensors_[tensor.impl()] = tensor; }
  bool is_made(const Tensor& tensor) const { return made_tensors_.contains(tensor.impl()); }
  // Whether a module of the function holds the tensor.
  bool is_attribute(const Tensor& tensor) const { return attribute && !attribute(tensor).empty(); }
  // Whether the elements of the tensor may differ between runs: it has a node, or is an attribute.
  bool may_change(const Tensor& tensor) const;
  // `copy` is another Tensor object for the same value as `tensor`. It has the same node, also if `tensor` gets its node later.
  void note_copy(const Tensor& copy, const Tensor& tensor);
  // A result of an If or Loop, or of an operator that returns its argument, is a new object in a trace. given_by_example() returns the tensor that the program
  // itself has there: the one that the example's branch chose, or the argument. It returns any other tensor, and one with a gradient, as it is.
  void note_given_by_example(const Tensor& result, const Tensor& given);
  Tensor given_by_example(const Tensor& result) const;
  // Called before a tensor gets another node, as by t_(): the copies noted so far keep its present node.
  void keep_copies(const Tensor& tensor);
  // The running call: its arguments, if some are numbers that the graph computes; or its position inside of a noted call. note_copy() stores it with each
  // result that autograd saves.
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
  // True while a decomposed call runs on the example (capture/inner.h). Inner values are not recorded, and no guards are added. The sizes that it reads are those
  // that the graph would know; those of inner values are in `noted_sizes`.
  bool noting = false;
  std::unordered_map<const TensorImpl*, std::pair<Tensor, Sizes>> noted_sizes;
  void note_sizes(const Tensor& tensor, const ir::TensorType& type);
  // If `tensor` is an inner value of a noted call, records that call, so that it has a node.
  void find_or_record(const Tensor& tensor);
  // The arguments of the call that returned this result, which autograd has saved; null if they are plain values.
  const IValue* arguments(const Tensor& kept_result);
  // Takes a noted call: one that autograd decomposes.
  void note_inner(std::unique_ptr<InnerCall> call);
  // The sizes of a tensor as the graph knows them, which may be symbols; its own sizes if it is no value of the graph.
  Sizes sizes(const Tensor& tensor);
  // Whether the graph knows the number of dims; true if the tensor is no value of the graph.
  bool ranked(const Tensor& tensor);
  // Adds a guard that this size has the example's value.
  void specialize(Size size);
  // The result of broadcasting two sizes. Adds a guard that they broadcast as in the example.
  Size broadcast(Size a, Size b);
  // Appends copies of these calls, from the last to the first, with `instead` in place of `from`. Returns the node that was appended last.
  ir::Node* copy_calls(ir::Node* from, std::span<ir::Node* const> calls, ir::Node* instead);
  // Makes a number or list that the graph computes. `hint` is the example's value; None if nothing runs.
  IValue number(ir::Node* node, IValue hint);
  Tensor symbolic(ir::Node* node) const { return Tensor(Ref<TensorImpl>(new SymbolicTensor(node, id))); }

  // The nodes of all tensors; forget() goes back to an earlier state, and tensors named since have no node any more.
  struct TensorNode {
    Tensor tensor;
    ir::Node* node;
  };
  using TensorNodes = std::unordered_map<const TensorImpl*, TensorNode>;
  const TensorNodes& known() const { return tensor_nodes_; }
  void forget(TensorNodes& known) { tensor_nodes_.swap(known); }
  void forget_within(const ir::Node* region);  // forgets the tensors whose nodes are in its blocks
  // Not 0 while code runs on types alone (capture/types_only.h): an arm that the example does not take, or the body of a loop. Elements of tensors have no
  // meaning, and numbers have no value unless it follows from sizes.
  int types_only = 0;
  // The example's value of a number that the graph computes, and of an attribute that the function used; nothing if not known.
  std::optional<IValue> number_value(const ir::Node* node) const;
  std::optional<IValue> attribute_value(const std::string& path) const;
  // `a is b` of two inputs is a node, since a call may pass one tensor for both; else the graph is for this call's.
  bool compares_inputs = false;
  // Inputs for which the example has a tensor that is an earlier input, too: by what the function got for it, both.
  std::unordered_map<const TensorImpl*, std::pair<Tensor, Tensor>> repeated_inputs;
  // Sets the location and scope of the nodes that are made next.
  void locate();

  // Appends a value to arguments: a node, a literal, a constant, or a list, tuple or dict of these.
  void add(ir::Args& args, const IValue& value);
  // Appends a call. Trailing arguments that equal the schema's defaults are left out. The node gets its location, and its type by inference.
  ir::Node* append(const Operator& op, const IValue* args);
  // Appends a switch of gradients, for a node that the function makes while gradients are on, in a capture that began while they were off. Returns what they
  // were before, which a second switch takes. The switches are
  // erased at the end if no result requires grad.
  IValue switch_gradients(const IValue& on);
  // Notes the node of a list's element. If nobody uses it, it is erased at the end.
  void may_go_unused(ir::Node* element) { elements_.push_back(element); }
  // Sets the graph's output to the result of the function.
  void finish(const IValue& result);

  // Adds a guard: in every run, the node must have the expected value.
  void guard(ir::Node* value, const IValue& expected, std::string_view expression);
  // A size as the user would write it: "2*x.shape[0]" for 2*s0_0.
  std::string words(Size size) const;
  // The text of a comparison of sizes that gives this bool: "x.shape[1] < x.shape[0]". "" for any other node.
  std::string comparison(const ir::Node* n) const;

 private:
  static constexpr size_t kLarge = 20'000;  // operators, which are freed in 20 ms
  void count_operator();
  void leave_tables();
  void note_variable(const Tensor& tensor, const ir::Node* node);
  void note_call(const Operator& op, const IValue* args, const ir::Node* node);
  void note_number_variables(const IValue& v);
  void add_node(ir::Args& args, ir::Node* node);
  void add_tensor(ir::Args& args, const Tensor& tensor);
  // The node of an inner value of a noted call, which is recorded now; null if `t` is no such value.
  ir::Node* find_inner(const Tensor& t);
  // The tensor that `t` is a copy of, followed through copies of copies.
  const TensorImpl* original(const Tensor& t) const;
  void check_kept(const Tensor& t) const;
  std::string path_of(const Tensor& t) const;
  TensorNodes tensor_nodes_;
  // By the copy: the copy, and the tensor that it is a copy of. Both are kept alive, so that no other tensor gets their address.
  std::unordered_map<const TensorImpl*, std::pair<Tensor, Tensor>> copies_;
  std::unordered_map<const TensorImpl*, std::pair<Tensor, Tensor>> given_;  // by the result: it, and what the example's way gave
  std::unordered_map<const TensorImpl*, std::pair<Tensor, ir::TensorRef>> constants_;
  std::vector<std::unique_ptr<InnerCall>> inner_calls_;
  std::unordered_map<const TensorImpl*, InnerCall*> inner_;
  struct Origin {
    std::vector<IValue> args;
    InnerCall* inside;
    size_t index;
  };
  RunningCall running_;
  std::unordered_map<const TensorImpl*, Origin> origins_;  // by a saved result: the call that returned it
  SizeSources open_sizes_;  // symbols for sizes that are in no type
  std::unordered_map<const TensorImpl*, Tensor> made_tensors_;
  std::vector<Ref<SymbolicValue>> numbers_;
  std::unordered_map<const ir::Global*, Tensor> attributes_;  // by path
  std::vector<ir::Node*> elements_;
  std::vector<ir::Node*> switches_;
  std::unordered_map<const Operator*, ir::Target> targets_;
  InferMemo types_;
  size_t recorded_ = 0;  // the number of operators recorded, also those in arms that were removed later
  InterruptClock interrupts_;
  const int exceptions_ = std::uncaught_exceptions();  // that were on their way when the capture began
  std::vector<std::string> scopes_;
  std::vector<uint32_t> begins_;  // ModuleCall::begin of the open module calls
  std::vector<ModuleCall> calls_;
  TraceNotes notes_;
  bool names_ = false;  // arguments of a call are being added, so that their variables get known
  std::unordered_map<const ir::Node*, uint32_t> written_;  // the id of the last call that has written to the value and returned it
};

// How a capture handles a branch on a value (`control_flow` in Python). Keep: an If where the capture machine can make one, else the same as Guard. cond and
// while_loop are always kept.
enum class ControlFlow : uint8_t { Guard, Error, Freeze, Keep };

// Installs the hooks by which captures see the tensors that autograd saves, so that a backward pass is recorded like any other code (capture/gradients.cpp).
void install_gradient_hooks();

// The active capture of this thread.
struct Session {
  Writer& writer;
  bool symbolic;  // symbolic capture: nothing runs, so values have no example
  ControlFlow control_flow;
  // Under symbolic capture, true while layers of the library run: if they compare two sizes, the sizes are assumed to be equal, and the graph checks it.
  bool sizes_agree = false;
  // The numbers of dims that layers of the library assume for symbolic tensors. The graph checks them.
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

// The node of a symbolic tensor if its capture is running on this thread; else null.
ir::Node* running_node(const Tensor& symbolic);
// Raises if the capture that made the number has ended.
void check_running(const SymbolicValue& number);

// The plain number, bool or list of a value that a graph computes: under trace the example's value, with a guard; under symbolic capture an error that names
// the operator and the way out. Any other value is returned as it is.
IValue demand(const IValue& value, std::string_view expression = {});

}  // namespace monograph::capture
