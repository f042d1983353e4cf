// The interpreter: runs a graph of operators over IValues, as planned once for one version of it.
//
//   exec::Executable run = exec::plan(graph);
//   std::vector<IValue> results = run({x, y});
//
// A plan is a linear list of instructions over registers. Blocks of If and Loop lie in it in line, reached by jumps, and calls of
// functions of the Unit push a frame: nothing recurses, whatever the depth. Each instruction names the registers whose last use it is;
// they are cleared before the operator runs, which then holds the only reference. Running is const, allocates its own registers, holds no
// lock and needs no Python: any number of threads may run one Executable. It owns what it needs and outlives the graph; it does not
// follow the graph's edits.
//
// Operators are called through dispatch (ops/dispatch.h), so that autograd and captures see them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/ivalue.h"
#include "ir/unit.h"

namespace monograph::exec {

struct Program;

class Executable {
 public:
  explicit Executable(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  // The values of the graph's output: one for each of its arguments. Inputs are bound to the placeholders in order; those with a default
  // may be left out. A value that the caller gives away (moves into `inputs`) is freed after its last use too.
  //
  // Guards are checked before anything else where they are about sizes, and else as soon as their value is there. Errors carry the place
  // in the user's program of the node that raised them.
  std::vector<IValue> operator()(std::vector<IValue> inputs) const;

  size_t input_count() const;
  // What build() made of it.
  struct Report {
    size_t kernels = 0, fused = 0;  // compiled kernels, and the operators that are in them
    size_t calls = 0;               // operators called one by one
    std::string why;                // why groups of operators found no compiler; "" where they did
  };
  Report report() const;
  // The plan, one instruction a line: for tests and for reading.
  std::string to_string() const;

 private:
  std::shared_ptr<const Program> program_;
};

// Error where a node is no operator, function or structure that can run, named with its place.
Executable plan(const ir::Graph& graph);
// The same results, faster: pointwise operators one after another are one kernel, compiled now, where the graph's types say their dtypes. Inputs
// that such a kernel is not made for (others dtypes, gradients, broadcasting inside) run its operators one by one.
Executable build(const ir::Graph& graph);

// A tensor constant as a tensor: shares its bytes, which nothing may write.
Tensor tensor_of(const ir::TensorRef& constant);
// A constant that is a tensor of this process: get_attr gives that very tensor, so that writes to a buffer persist. Such writes (also those that
// nothing counts, through NumPy) change its contents: bytes and hash are those of the moment, computed at each call.
class LiveTensor : public ir::TensorConstant {
 public:
  explicit LiveTensor(Tensor tensor) : tensor_(std::move(tensor)) {}
  const Tensor& tensor() const { return tensor_; }
  DType dtype() const override { return tensor_.dtype(); }
  std::span<const int64_t> sizes() const override { return tensor_.sizes(); }
  std::span<const std::byte> bytes() const override;
  const std::string& content_hash() const override;

 private:
  Tensor tensor_;
  mutable std::mutex mutex_;
  mutable Tensor dense_;  // row-major, where the tensor itself is not
  mutable std::string hash_;
};

// The value of an argument without nodes.
IValue literal(ir::ArgRef arg);
// The inverse: appends the value as an argument. Tensors are the very ones (LiveTensor). False for an object that no file can hold.
bool add_literal(ir::Args& args, const IValue& value);

// What get_attr of a path gives: a tensor or another value, the module itself ("encoder.__dict__"), its mode ("encoder.training"). Error (Attribute) where there
// is none.
IValue attribute_value(const ir::Module* root, const std::string& path);
inline IValue attribute_value(const ir::Unit* unit, const std::string& path) {
  return attribute_value(unit ? unit->root() : nullptr, path);
}
// The module as an object that graphs read and write, with all attributes that are no modules. The same one at each call.
IValue object_of(const ir::Module& module);
// A copy of the Unit in which the objects of script classes that modules hold are modules (objects.cpp); null where there are none. After note_objects.
std::unique_ptr<ir::Unit> with_objects(const ir::Unit& unit);
// The object, list, dict or Enum member that such a module stands for; `attribute` gives the value of one.
IValue value_of_object(const ir::Module& module, const std::function<IValue(const ir::Module&, size_t)>& attribute);
// Gives the modules' values what graphs have assigned: what is written to files. An attribute that holds objects of the program's classes has no value as an
// argument: it is an error, or, with `objects`, the value is empty and whoever asks writes what Module::object has.
void note_objects(const ir::Unit& unit, bool objects = false);

}  // namespace monograph::exec
