// Machine makes the values in one pass over the opcodes. ContainerWalk then walks the result, to find circles and containers that nest too deep.
#include "formats/pickle/unpickler.h"

#include <bit>
#include <set>
#include <unordered_map>

#include "formats/file.h"
#include "formats/pickle/reader.h"
#include "formats/pickle/rebuild.h"

namespace monograph::pickle {
namespace {

// How many bytes calls may copy, beside four times the size of the pickle.
constexpr size_t kFreeCopies = size_t{64} << 20;
constexpr size_t kMaxGlobalName = 1000;

// Takes the contents out of all containers before any of them is destroyed. So destroying deeply nested containers does not recurse, and circles are
// freed.
void empty_all(std::vector<IValue>& containers) {
  std::vector<IValue> contents;
  for (const IValue& container : containers) take_children(container, contents);
  contents.clear();
  containers.clear();
}

std::string utf8_of_latin1(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x80) out += c;
    else out += static_cast<char>(0xc0 | byte >> 6), out += static_cast<char>(0x80 | (byte & 0x3f));
  }
  return out;
}

// Walks the containers that a value holds, deepest first.
class ContainerWalk {
 public:
  ContainerWalk(const OpReader& reader, size_t key_budget) : reader_(reader), key_budget_(key_budget) {}

  void run(const IValue& root) {
    enter(root);
    while (!path_.empty()) {
      Frame& top = path_.back();
      if (top.next < top.children.size()) {
        const IValue& child = *top.children[top.next++];
        enter(child);
      } else {
        leave();
      }
    }
  }
  bool has_circle() const { return circle_; }
  bool seen(const IValue& container) const { return info_.contains(identity(container)); }

 private:
  struct ContainerInfo {
    size_t height = 0;  // how deep containers nest in it
    size_t size = 1;  // how many values it would hold if nothing were shared
    bool open = true;  // whether the walk is still inside it
  };
  struct Frame {
    const IValue* value;
    std::vector<const IValue*> children;
    size_t next = 0;
  };

  void enter(const IValue& v) {
    if (!is_container(v)) return;
    const auto [found, fresh] = info_.try_emplace(identity(v));
    if (!fresh) {
      circle_ |= found->second.open;
      return;
    }
    if (path_.size() >= kMaxDepth) too_deep();
    path_.push_back({&v, {}, 0});
    append_children(v, path_.back().children);
  }

  void leave() {
    const Frame& top = path_.back();
    ContainerInfo& info = info_[identity(*top.value)];
    for (const IValue* child : top.children) {
      const ContainerInfo* inner = info_of(*child);
      info.height = std::max(info.height, inner ? inner->height + 1 : 0);
      const size_t more = inner ? inner->size : 1;
      info.size = info.size > SIZE_MAX / 2 - more ? SIZE_MAX / 2 : info.size + more;
    }
    if (info.height >= kMaxDepth) too_deep();
    info.open = false;
    check_keys(*top.value);
    path_.pop_back();
  }

  // Hashing a key visits each of its values as often as it occurs. Small containers that hold each other many times would take for ever.
  void check_keys(const IValue& v) {
    if (v.is_dict())
      for (const auto& [key, value] : v.pairs()) check_key(key);
    if (auto* object = as<NamedObject>(v))
      for (const auto& [key, value] : object->pairs) check_key(key);
    if (auto* set = as<SetBox>(v))
      for (const IValue& item : set->items) check_key(item);
  }
  void check_key(const IValue& key) {
    if (as<BigIntBox>(key)) reader_.refuse("a key of more than 64 bits in a dict or set; no checkpoint needs one");
    const ContainerInfo* info = info_of(key);
    if (!info) return;
    if (info->open) reader_.refuse("a dict or set holds itself as a key");
    if (info->size > key_budget_) reader_.refuse("its dicts and sets have keys that are too large to compare");
    key_budget_ -= info->size;
  }

  const ContainerInfo* info_of(const IValue& v) const {
    if (!is_container(v)) return nullptr;
    const auto found = info_.find(identity(v));
    return found == info_.end() ? nullptr : &found->second;
  }
  [[noreturn]] void too_deep() const {
    reader_.refuse("containers in it nest more than ", kMaxDepth, " deep, which Monograph does not read");
  }

  const OpReader& reader_;
  size_t key_budget_;  // how many values may still be hashed as parts of keys
  std::unordered_map<const void*, ContainerInfo> info_;  // of the containers that were met, by identity
  std::vector<Frame> path_;  // from the root to the container that is being visited
  bool circle_ = false;
};

// The stack machine that a pickle is written for.
class Machine {
 public:
  Machine(std::span<const std::byte> bytes, const Options& options)
      : reader_(bytes, options.where), options_(options), budget_(kFreeCopies + 4 * bytes.size()) {}
  ~Machine() { empty_all(containers_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Unpickled run() {
    for (;;) {
      const PickleOp op = reader_.next();
      if (op == PickleOp::Stop) break;
      if (!plain(op) && !container(op) && !memo(op) && !object(op))
        reader_.refuse(
            "the opcode ", info(op).name, " at byte ", reader_.begin(),
            ", which Monograph does not read: expected a pickle of protocol 2 to 5 without extension codes and out-of-band buffers");
    }
    return finish();
  }

 private:
  // --- the stack

  void push(IValue v) { stack_.push_back(std::move(v)); }
  void push_container(IValue v) {
    containers_.push_back(v);
    push(std::move(v));
  }
  IValue pop() {
    need(1);
    IValue top = std::move(stack_.back());
    stack_.pop_back();
    return top;
  }
  void need(size_t count) const {
    if (stack_.size() - (marks_.empty() ? 0 : marks_.back()) < count) reader_.bad("its stack has too few values");
  }
  IValue& top() {
    need(1);
    return stack_.back();
  }
  std::vector<IValue> pop_to_mark() {
    if (marks_.empty()) reader_.bad("a mark is missing");
    const auto begin = stack_.begin() + static_cast<ptrdiff_t>(marks_.back());
    std::vector<IValue> items(std::make_move_iterator(begin), std::make_move_iterator(stack_.end()));
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  std::vector<IValue> pop_items(size_t count) {
    need(count);
    std::vector<IValue> items(std::make_move_iterator(stack_.end() - static_cast<ptrdiff_t>(count)), std::make_move_iterator(stack_.end()));
    stack_.resize(stack_.size() - count);
    return items;
  }

  // --- the opcodes. Each function does one kind of opcode, and returns false for an opcode of another kind.

  bool plain(PickleOp op) {
    switch (op) {
      case PickleOp::Proto:
        if (reader_.number() > 5) reader_.refuse("a pickle of protocol ", reader_.number(), "; Monograph reads 2 to 5");
        return true;
      case PickleOp::Frame: return true;
      case PickleOp::None: return push(IValue()), true;
      case PickleOp::NewTrue: return push(true), true;
      case PickleOp::NewFalse: return push(false), true;
      case PickleOp::BinInt: return push(int64_t{static_cast<int32_t>(reader_.number())}), true;
      case PickleOp::BinInt1:
      case PickleOp::BinInt2: return push(static_cast<int64_t>(reader_.number())), true;
      case PickleOp::Long1:
      case PickleOp::Long4: return push_long(reader_.data), true;
      case PickleOp::BinFloat: return push(std::bit_cast<double>(__builtin_bswap64(reader_.number()))), true;
      case PickleOp::BinUnicode:
      case PickleOp::ShortBinUnicode:
      case PickleOp::BinUnicode8: return push(std::string(reader_.data)), true;
      case PickleOp::BinString:
      case PickleOp::ShortBinString: return push_python2_string(reader_.data), true;
      case PickleOp::BinBytes:
      case PickleOp::ShortBinBytes:
      case PickleOp::BinBytes8: return push_bytes(reader_.data, false), true;
      case PickleOp::ByteArray8: return push_bytes(reader_.data, true), true;
      default: return false;
    }
  }

  bool container(PickleOp op) {
    switch (op) {
      case PickleOp::Mark: return marks_.push_back(stack_.size()), true;
      case PickleOp::Pop:
        if (!marks_.empty() && marks_.back() == stack_.size()) marks_.pop_back();
        else pop();
        return true;
      case PickleOp::PopMark: return pop_to_mark(), true;
      case PickleOp::EmptyTuple: return push_container(IValue::tuple({})), true;
      case PickleOp::Tuple: return push_container(IValue::tuple(pop_to_mark())), true;
      case PickleOp::Tuple1: return push_container(IValue::tuple(pop_items(1))), true;
      case PickleOp::Tuple2: return push_container(IValue::tuple(pop_items(2))), true;
      case PickleOp::Tuple3: return push_container(IValue::tuple(pop_items(3))), true;
      case PickleOp::EmptyList: return push_container(IValue::list({})), true;
      case PickleOp::EmptyDict: return push_container(IValue::dict({})), true;
      case PickleOp::EmptySet: return push_set({}, false), true;
      case PickleOp::FrozenSet: return push_set(pop_to_mark(), true), true;
      case PickleOp::Append: return append(pop_items(1)), true;
      case PickleOp::Appends: return append(pop_to_mark()), true;
      case PickleOp::AddItems: return add_items(pop_to_mark()), true;
      case PickleOp::SetItem: return set_items(pop_items(2)), true;
      case PickleOp::SetItems: return set_items(pop_to_mark()), true;
      default: return false;
    }
  }

  bool memo(PickleOp op) {
    switch (op) {
      case PickleOp::Dup: {
        IValue copy = top();
        return push(std::move(copy)), true;
      }
      case PickleOp::BinGet:
      case PickleOp::LongBinGet: {
        const auto found = memo_.find(reader_.number());
        if (found == memo_.end()) reader_.bad("its memo has no value ", reader_.number());
        return push(found->second), true;
      }
      case PickleOp::BinPut:
      case PickleOp::LongBinPut: return memo_[reader_.number()] = top(), true;
      case PickleOp::Memoize: return memo_[memo_.size()] = top(), true;
      default: return false;
    }
  }

  bool object(PickleOp op) {
    switch (op) {
      case PickleOp::Global: return push_global(reader_.data, reader_.second), true;
      case PickleOp::StackGlobal: {
        const std::vector<IValue> names = pop_items(2);
        if (!names[0].is_string() || !names[1].is_string()) reader_.bad("a name is not a string");
        return push_global(names[0].to_string(), names[1].to_string()), true;
      }
      case PickleOp::Reduce: {
        IValue args = pop(), callable = pop();
        return make(callable, std::move(args), {}, false), true;
      }
      case PickleOp::NewObj: {
        IValue args = pop(), type = pop();
        return make(type, std::move(args), {}, true), true;
      }
      case PickleOp::NewObjEx: {
        IValue kwargs = pop(), args = pop(), type = pop();
        if (!kwargs.is_dict()) reader_.bad("keyword arguments are not a dict");
        return make(type, std::move(args), std::move(kwargs), true), true;
      }
      case PickleOp::Build: return build(), true;
      case PickleOp::BinPersId: return push_storage(pop()), true;
      default: return false;
    }
  }

  // --- the values that the opcodes make

  void push_long(std::string_view bytes) {
    while (bytes.size() > 8) {  // drop bytes that only repeat the sign
      const auto last = static_cast<uint8_t>(bytes.back()), before = static_cast<uint8_t>(bytes[bytes.size() - 2]);
      if (last != (before & 0x80 ? 0xff : 0)) break;
      bytes.remove_suffix(1);
    }
    if (bytes.size() > 8) {
      auto box = make_ref<BigIntBox>();
      box->bytes = bytes;
      return push(Ref<ObjectBox>(box));
    }
    const bool negative = !bytes.empty() && (bytes.back() & 0x80);
    uint64_t value = negative ? ~uint64_t{0} : 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    push(static_cast<int64_t>(value));
  }

  void push_bytes(std::string_view bytes, bool is_array) {
    auto box = make_ref<BytesBox>();
    box->value = bytes;
    box->is_array = is_array;
    push(Ref<ObjectBox>(box));
  }

  void push_python2_string(std::string_view bytes) {
    const std::string& encoding = options_.encoding;
    if (encoding == "bytes") return push_bytes(bytes, false);
    if (encoding == "latin1") return push(utf8_of_latin1(bytes));
    if (encoding == "ascii")
      for (char c : bytes)
        if (c & 0x80) reader_.refuse("a string of Python 2 in it is not ASCII; read it with another encoding=, as latin1 or bytes");
    push(std::string(bytes));
  }

  void push_set(std::vector<IValue> items, bool frozen) {
    auto box = make_ref<SetBox>();
    box->items = std::move(items);
    box->frozen = frozen;
    push_container(Ref<ObjectBox>(box));
  }

  void append(std::vector<IValue> items) {
    IValue& target = top();
    auto* object = as<NamedObject>(target);
    if (!target.is_list() && !(object && options_.name_all)) reader_.refuse("it appends to a ", describe(target), "; expected a list");
    std::vector<IValue>& into = target.is_list() ? target.items() : object->items;
    into.insert(into.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  }

  void add_items(std::vector<IValue> items) {
    auto* set = as<SetBox>(top());
    if (!set || set->frozen) reader_.refuse("it adds to a ", describe(top()), "; expected a set");
    set->items.insert(set->items.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  }

  void set_items(std::vector<IValue> items) {
    if (items.size() % 2) reader_.bad("a key has no value");
    IValue& target = top();
    auto* object = as<NamedObject>(target);
    if (!dict_items(target) && !(object && options_.name_all))
      reader_.refuse("it sets an item of a ", describe(target), "; expected a dict, collections.OrderedDict or collections.Counter");
    auto& into = target.is_dict() ? target.pairs() : object->pairs;
    for (size_t k = 0; k < items.size(); k += 2) into.emplace_back(std::move(items[k]), std::move(items[k + 1]));
  }

  void push_global(std::string_view module, std::string_view name) {
    if (module.size() + name.size() > kMaxGlobalName) reader_.bad("a name is too long");
    auto global = make_ref<GlobalBox>();
    global->module = current_module_name(module);
    global->name = name;
    const Allowed k = allowed(global->full());
    if (k == Allowed::No) {
      const bool by_caller = options_.also_allowed && options_.also_allowed(*global) && !is_blocked(*global);
      if (!by_caller && !options_.name_all) refuse_global(*global);
    }
    push(value_of(k, global));
  }
  // Names in these modules are refused even if the caller allows them.
  static bool is_blocked(const GlobalBox& global) {
    const std::string& module = global.module;
    return module == "sys" || module == "os" || module == "posix" || module == "nt";
  }
  [[noreturn]] void refuse_global(const GlobalBox& global) const {
    if (is_blocked(global))
      reader_.refuse("Trying to load unsupported GLOBAL ", shown(global.full()), " whose module ", global.module, " is blocked.");
    const std::string full = shown(global.full()), name = full.substr(1, full.size() - 2);
    reader_.refuse(
        "Unsupported global: GLOBAL ", name,
        " was not an allowed global by default. If you trust the file, allow this name with `torch.serialization.add_safe_globals([", name,
        "])` or the context manager `torch.serialization.safe_globals([", name,
        "])`, or load the file with weights_only=False, which may run any code that is in it.");
  }

  void make(const IValue& callable, IValue args, IValue kwargs, bool is_new) {
    auto* global = as<GlobalBox>(callable);
    if (!global) reader_.refuse("it calls a ", describe(callable), "; expected the name of a function or class");
    // PyTorch writes an Enum of a script as its class, called with the value alone.
    if (!args.is_tuple() && global->module.starts_with("__torch__")) args = IValue::tuple({std::move(args)}), containers_.push_back(args);
    if (!args.is_tuple()) reader_.bad("the arguments of a call are not a tuple");
    const Allowed k = allowed(global->full());
    const bool built = k != Allowed::No && k != Allowed::Name && kwargs.is_none() && (!is_new || k == Allowed::Parameter);
    if (built) {
      try {
        IValue made = call(k, *global, args, budget_);
        return is_container(made) ? push_container(std::move(made)) : push(std::move(made));
      } catch (const Error& error) {
        if (!options_.name_all) reader_.refuse(error.what());
      }
    } else if (k != Allowed::No && !options_.name_all) {
      reader_.refuse("it calls ", shown(global->full()), " in a way in which torch.save never calls it");
    }
    auto object = make_ref<NamedObject>();
    object->callable = Ref<GlobalBox>(global);
    object->is_new = is_new;
    object->args = std::move(args), object->kwargs = std::move(kwargs);
    push_container(Ref<ObjectBox>(object));
  }

  void build() {
    IValue state = pop();
    IValue& target = top();
    if (auto* object = as<NamedObject>(target)) object->states.push_back(std::move(state));
    else if (!options_.name_all)
      reader_.refuse("it gives a state to a ", describe(target), "; expected an OrderedDict, or an object of a class that was allowed");
  }

  void push_storage(const IValue& id) {
    if (!options_.load_storage) reader_.refuse("a persistent id in it, where none is expected");
    try {
      const Ref<StorageBox> wanted = wanted_storage(id);  // throws if `id` is not a storage's
      const IValue view = id.items().size() > 5 ? id.items()[5] : IValue();
      push(Ref<ObjectBox>(options_.load_storage(*wanted, view)));
    } catch (const UnpicklingError&) {
      throw;
    } catch (const Error& error) {
      // As in PyTorch, an error about a storage that this machine cannot have keeps its kind.
      if (error.kind() != ErrorKind::File) throw Error(error.kind(), concat(options_.where, ": ", error.what()));
      reader_.refuse(error.what());
    }
  }

  Unpickled finish() {
    Unpickled out;
    out.value = pop();
    out.size = reader_.at();
    ContainerWalk walk(reader_, budget_);
    walk.run(out.value);
    std::vector<IValue> lost, kept;
    for (IValue& container : containers_) (walk.seen(container) ? kept : lost).push_back(std::move(container));
    containers_.clear();
    stack_.clear(), memo_.clear();  // this destroys no container, because `lost` and `kept` hold all of them
    empty_all(lost);
    if (walk.has_circle()) out.circular = std::move(kept);
    return out;
  }

  OpReader reader_;
  const Options& options_;
  std::vector<IValue> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, IValue> memo_;
  std::vector<IValue> containers_;  // all containers that were made
  size_t budget_;  // how many bytes calls may still copy
};

}  // namespace

std::string_view current_module_name(std::string_view module) {
  if (module == "__builtin__") return "builtins";
  if (module == "copy_reg") return "copyreg";
  if (module == "torch.tensor") return "torch._tensor";
  return module;
}

Unpickled::~Unpickled() { empty_all(circular); }

Unpickled unpickle(std::span<const std::byte> bytes, const Options& options) {
  for (std::string_view encoding : {"utf-8", "ascii", "latin1", "bytes"})
    if (options.encoding == encoding) return Machine(bytes, options).run();
  fail(ErrorKind::Value, "encoding: expected utf-8, ascii, latin1 or bytes, but got ", shown(options.encoding));
}

std::vector<std::string> unsafe_globals_in(std::span<const std::byte> bytes, std::string_view where) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  Options options;
  options.where = where;
  options.name_all = true;
  options.also_allowed = [&](const GlobalBox& global) {
    if (seen.insert(global.full()).second) names.push_back(global.full());
    return true;
  };
  options.load_storage = [](const StorageBox&, const IValue&) { return make_ref<StorageBox>(); };
  unpickle(bytes, options);
  return names;
}

bool is_allowed(std::string_view full_name) { return allowed(full_name) != Allowed::No; }

std::string with_names(std::span<const std::byte> bytes, std::span<const std::pair<std::string, std::string>> names) {
  OpReader reader(bytes, "save");
  std::string out;
  size_t number_begin = 0;  // where the last int begins in `out`
  bool is_number = false;
  uint64_t number = 0;
  for (;;) {
    const PickleOp op = reader.next();
    if (op == PickleOp::Frame) continue;
    if (op == PickleOp::BinPersId && is_number) {
      MONOGRAPH_ASSERT(number < names.size());
      out.resize(number_begin);
      const auto& [module, name] = names[number];
      out += concat(static_cast<char>(PickleOp::Global), module, "\n", name, "\n");
    } else {
      number_begin = out.size();
      out += reader.bytes(reader.begin());
    }
    is_number = op == PickleOp::BinInt1 || op == PickleOp::BinInt2 || op == PickleOp::BinInt;
    if (is_number) number = reader.number();
    if (op == PickleOp::Stop) return out;
  }
}

}  // namespace monograph::pickle
