// Machine makes the values in one pass over the opcodes, and counts their memory (memory.h). Before, find_reads finds which entries of the memo are read,
// so that no others are kept. Then ContainerWalk walks the result, to find circles and containers that nest too deep.
#include "formats/pickle/unpickler.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "formats/file.h"
#include "formats/pickle/memory.h"
#include "formats/pickle/reader.h"
#include "formats/pickle/rebuild.h"

namespace monograph::pickle {
namespace {

// How many bytes calls may copy, beside four times the size of the pickle.
constexpr size_t kFreeCopies = size_t{64} << 20;
constexpr size_t kMaxGlobalName = 1000;

// Empties all containers before any of them is destroyed. So destroying deeply nested containers does not recurse, and circles are freed.
template <class Containers>
void empty_all(Containers& containers) {
  for (const IValue& container : containers) drop_children(container);
  containers.clear();
}

// Which entries of the memo a pickle reads. Python's pickler puts nearly each value into it, and reads few.
struct MemoReads {
  std::vector<uint64_t> indices;  // sorted, each once
  bool mixed = false;  // whether entries are put both with an index and without one (MEMOIZE)
};

MemoReads find_reads(std::span<const std::byte> bytes, std::string_view where) {
  MemoReads out;
  bool put = false, memoize = false;
  size_t unique = 0;
  const auto sort = [&] {
    std::ranges::sort(out.indices);
    out.indices.erase(std::ranges::unique(out.indices).begin(), out.indices.end());
    unique = out.indices.size();
  };
  try {
    OpReader reader(bytes, where);
    for (PickleOp op = reader.next(); op != PickleOp::Stop; op = reader.next()) {
      put |= op == PickleOp::BinPut || op == PickleOp::LongBinPut;
      memoize |= op == PickleOp::Memoize;
      if (op != PickleOp::BinGet && op != PickleOp::LongBinGet) continue;
      if (out.indices.empty() || out.indices.back() != reader.number()) out.indices.push_back(reader.number());
      if (out.indices.size() > 2 * unique + 1024) sort();
    }
  } catch (const UnpicklingError&) {  // Machine finds the damage too, and what comes before it
  }
  sort();
  out.indices.shrink_to_fit();
  out.mixed = put && memoize;
  return out;
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
  ContainerWalk(const OpReader& reader, MemoryLimit& memory, size_t key_budget)
      : reader_(reader), memory_(memory), key_budget_(key_budget) {}

  void run(const IValue& root) {
    enter(root);
    while (!path_.empty()) {
      Frame& top = path_.back();
      if (top.next < top.count) {
        enter(child(*top.value, top.next++));
      } else {
        leave();
      }
    }
  }
  bool has_circle() const { return circle_; }
  // Small containers without containers in them are not noted.
  bool seen(const IValue& container) const { return info_.contains(identity(container)); }

 private:
  struct ContainerInfo {
    size_t height = 0;  // how deep containers nest in it
    size_t size = 1;  // how many values it would hold if nothing were shared
    bool open = true;  // whether the walk is still inside it
  };
  struct Frame {
    const IValue* value;
    size_t count, next = 0;  // of its children: how many there are, and which one comes next
  };

  void enter(const IValue& v) {
    if (!is_container(v)) return;
    if (small_leaf_size(v) > 0) {
      if (path_.size() >= kMaxDepth) too_deep();
      return check_keys(v);
    }
    memory_.add(kInfoBytes, reader_.at());
    const auto [found, fresh] = info_.try_emplace(identity(v));
    if (!fresh) {
      circle_ |= found->second.open;
      return;
    }
    if (path_.size() >= kMaxDepth) too_deep();
    path_.push_back({&v, child_count(v), 0});
  }

  void leave() {
    const Frame& top = path_.back();
    ContainerInfo& info = info_[identity(*top.value)];
    for (size_t k = 0; k < top.count; ++k) {
      const IValue& held = child(*top.value, k);
      const ContainerInfo* inner = info_of(held);
      const size_t leaf = inner ? 0 : small_leaf_size(held);
      info.height = std::max(info.height, inner ? inner->height + 1 : is_container(held) ? 1 : 0);
      const size_t more = inner ? inner->size : leaf > 0 ? leaf : 1;
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
    const size_t size = info ? info->size : is_container(key) ? small_leaf_size(key) : 0;
    if (info && info->open) reader_.refuse("a dict or set holds itself as a key");
    if (size > key_budget_) reader_.refuse("its dicts and sets have keys that are too large to compare");
    key_budget_ -= size;
  }

  const ContainerInfo* info_of(const IValue& v) const {
    if (!is_container(v)) return nullptr;
    const auto found = info_.find(identity(v));
    return found == info_.end() ? nullptr : &found->second;
  }
  [[noreturn]] void too_deep() const {
    reader_.refuse("containers in it nest more than ", kMaxDepth, " deep, which Monograph does not read");
  }

  static constexpr size_t kInfoBytes = 64 + 8;  // an entry of info_ and its bucket
  const OpReader& reader_;
  MemoryLimit& memory_;
  size_t key_budget_;  // how many values may still be hashed as parts of keys
  std::unordered_map<const void*, ContainerInfo> info_;  // of the containers that were met, by identity
  std::vector<Frame> path_;  // from the root to the container that is being visited
  bool circle_ = false;
};

// The stack machine that a pickle is written for.
class Machine {
 public:
  Machine(std::span<const std::byte> bytes, const Options& options)
      : reader_(bytes, options.where),
        options_(options),
        own_memory_(options.where, bytes.size()),
        memory_(options.memory ? *options.memory : own_memory_),
        reads_(find_reads(bytes, options.where)),
        copy_budget_(kFreeCopies + 4 * bytes.size()),
        key_budget_(copy_budget_) {
    count(reads_.indices.size() * (sizeof(uint64_t) + sizeof(IValue)));
    memo_.resize(reads_.indices.size());
    is_put_.resize(reads_.indices.size());
  }
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
  // --- memory. What dies while the pickle is read stays counted; only a container that is given more room is counted anew.

  void count(size_t bytes) { memory_.add(bytes, reader_.at()); }
  // Makes room for more elements, by an eighth or so: most containers grow once.
  template <class T>
  void grow(std::vector<T>& items, size_t more, size_t bytes_each = sizeof(T)) {
    const size_t need = items.size() + more, had = items.capacity();
    if (need <= had) return;
    const size_t room = std::max(need, had + had / 8);
    count(heap_bytes(room * bytes_each));
    items.reserve(room);
    if (had > 0) memory_.remove(heap_bytes(had * bytes_each));
  }

  // --- the stack

  void push(IValue v) {
    if (stack_.size() == most_on_stack_) ++most_on_stack_, count(sizeof(IValue));
    stack_.push_back(std::move(v));
  }
  void push_object(Ref<ObjectBox> box, size_t bytes) {
    count(bytes);
    push(std::move(box));
  }
  // A container that may come to hold containers is noted, because destroying it could recurse.
  void push_container(IValue v) {
    if (!v.is_tuple() || small_leaf_size(v) == 0) {
      count(sizeof(IValue));
      containers_.push_back(v);
    }
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
  void push_mark() {
    grow(marks_, 1);
    marks_.push_back(stack_.size());
  }
  // The number of values above the last mark, which is removed.
  size_t take_mark() {
    if (marks_.empty()) reader_.bad("a mark is missing");
    const size_t begin = marks_.back();
    marks_.pop_back();
    return stack_.size() - begin;
  }
  std::vector<IValue> pop_to_mark() { return pop_items(take_mark()); }
  std::vector<IValue> pop_items(size_t count) {
    need(count);
    std::vector<IValue> items;
    if (count > 0) grow(items, count);
    items.insert(items.end(), std::make_move_iterator(end_but(count)), std::make_move_iterator(stack_.end()));
    drop(count);
    return items;
  }
  std::deque<IValue>::iterator end_but(size_t count) { return stack_.end() - static_cast<ptrdiff_t>(count); }
  void drop(size_t count) { stack_.erase(end_but(count), stack_.end()); }
  // The value below the last `count` ones, to which they are added.
  IValue& below(size_t count) {
    need(count + 1);
    return stack_[stack_.size() - count - 1];
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
      case PickleOp::BinUnicode8: return push_string(std::string(reader_.data)), true;
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
      case PickleOp::Mark: return push_mark(), true;
      case PickleOp::Pop:
        if (!marks_.empty() && marks_.back() == stack_.size()) marks_.pop_back();
        else pop();
        return true;
      case PickleOp::PopMark: return drop(take_mark()), true;
      case PickleOp::EmptyTuple: return push_tuple({}), true;
      case PickleOp::Tuple: return push_tuple(pop_to_mark()), true;
      case PickleOp::Tuple1: return push_tuple(pop_items(1)), true;
      case PickleOp::Tuple2: return push_tuple(pop_items(2)), true;
      case PickleOp::Tuple3: return push_tuple(pop_items(3)), true;
      case PickleOp::EmptyList: return count(kListBytes), push_container(IValue::list({})), true;
      case PickleOp::EmptyDict: return count(kDictBytes), push_container(IValue::dict({})), true;
      case PickleOp::EmptySet: return push_set({}, false), true;
      case PickleOp::FrozenSet: return push_set(pop_to_mark(), true), true;
      case PickleOp::Append: return append(1), true;
      case PickleOp::Appends: return append(take_mark()), true;
      case PickleOp::AddItems: return add_items(take_mark()), true;
      case PickleOp::SetItem: return set_items(2), true;
      case PickleOp::SetItems: return set_items(take_mark()), true;
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
        const size_t place = place_in_memo(reader_.number());
        if (place == memo_.size() || !is_put_[place]) reader_.bad("its memo has no value ", reader_.number());
        return push(memo_[place]), true;
      }
      case PickleOp::BinPut:
      case PickleOp::LongBinPut: return put(reader_.number()), true;
      case PickleOp::Memoize: return put(reads_.mixed ? indices_put_.size() : memoized_++), true;
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

  // The place of an index of the memo in memo_; the size of memo_ if the pickle does not read that index.
  size_t place_in_memo(uint64_t index) const {
    const auto found = std::ranges::lower_bound(reads_.indices, index);
    return found == reads_.indices.end() || *found != index ? memo_.size() : static_cast<size_t>(found - reads_.indices.begin());
  }
  void put(uint64_t index) {
    const IValue& value = top();
    if (reads_.mixed && !indices_put_.contains(index)) {
      count(kSetEntryBytes);
      indices_put_.insert(index);
    }
    if (const size_t place = place_in_memo(index); place < memo_.size()) memo_[place] = value, is_put_[place] = true;
  }

  // --- the values that the opcodes make

  void push_long(std::string_view bytes) {
    while (bytes.size() > 8) {  // drop bytes that only repeat the sign
      const auto last = static_cast<uint8_t>(bytes.back()), before = static_cast<uint8_t>(bytes[bytes.size() - 2]);
      if (last != (before & 0x80 ? 0xff : 0)) break;
      bytes.remove_suffix(1);
    }
    if (bytes.size() > 8) {
      count(text_bytes(sizeof(BigIntBox), bytes.size()));
      auto box = make_ref<BigIntBox>();
      box->bytes = bytes;
      return push(Ref<ObjectBox>(box));
    }
    const bool negative = !bytes.empty() && (bytes.back() & 0x80);
    uint64_t value = negative ? ~uint64_t{0} : 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    push(static_cast<int64_t>(value));
  }

  // The size of a box that holds a std::string, which has room for 15 bytes itself.
  static constexpr size_t text_bytes(size_t box, size_t bytes) { return heap_bytes(box) + (bytes > 15 ? heap_bytes(bytes + 1) : 0); }

  void check_text(std::string_view text) const {
    if (options_.checks_text && !is_utf8(text)) reader_.bad("a string in it is no UTF-8");
  }
  void push_string(std::string text) {
    check_text(text);
    size_t bytes = text_bytes(sizeof(StringBox), text.size());
    // Python's str takes 4 bytes for each character if one of them is above U+FFFF, which is 4 bytes in UTF-8.
    const auto large = [](char c) { return static_cast<uint8_t>(c) >= 0xf0; };
    if (text.size() > 64 && std::ranges::any_of(text, large)) bytes += 3 * text.size();
    count(bytes);
    push(std::move(text));
  }

  void push_tuple(std::vector<IValue> items) {
    count(heap_bytes(sizeof(TupleBox)));
    push_container(IValue::tuple(std::move(items)));
  }

  void push_bytes(std::string_view bytes, bool is_array) {
    count(text_bytes(sizeof(BytesBox), bytes.size()));
    auto box = make_ref<BytesBox>();
    box->value = bytes;
    box->is_array = is_array;
    push(Ref<ObjectBox>(box));
  }

  void push_python2_string(std::string_view bytes) {
    const std::string& encoding = options_.encoding;
    if (encoding == "bytes") return push_bytes(bytes, false);
    if (encoding == "latin1") return push_string(utf8_of_latin1(bytes));
    if (encoding == "ascii")
      for (char c : bytes)
        if (c & 0x80) reader_.refuse("a string of Python 2 in it is not ASCII; read it with another encoding=, as latin1 or bytes");
    push_string(std::string(bytes));
  }

  void push_set(std::vector<IValue> items, bool frozen) {
    count(kSetBytes + items.size() * kSetEntryBytes);
    auto box = make_ref<SetBox>();
    box->items = std::move(items);
    box->frozen = frozen;
    push_container(Ref<ObjectBox>(box));
  }

  // The next three add the last `count` values to the one below them.
  void append(size_t count) {
    IValue& target = below(count);
    auto* object = as<NamedObject>(target);
    if (!target.is_list() && !(object && options_.name_all)) reader_.refuse("it appends to a ", describe(target), "; expected a list");
    move_to(target.is_list() ? target.items() : object->items, count);
  }

  void add_items(size_t count) {
    auto* set = as<SetBox>(below(count));
    if (!set || set->frozen) reader_.refuse("it adds to a ", describe(below(count)), "; expected a set");
    this->count(count * kSetEntryBytes);
    move_to(set->items, count);
  }

  void move_to(std::vector<IValue>& into, size_t count) {
    if (count == 0) return;
    grow(into, count);
    into.insert(into.end(), std::make_move_iterator(end_but(count)), std::make_move_iterator(stack_.end()));
    drop(count);
  }

  void set_items(size_t count) {
    if (count % 2) reader_.bad("a key has no value");
    IValue& target = below(count);
    auto* object = as<NamedObject>(target);
    if (!dict_items(target) && !(object && options_.name_all))
      reader_.refuse("it sets an item of a ", describe(target), "; expected a dict, collections.OrderedDict or collections.Counter");
    if (count == 0) return;
    auto& into = target.is_dict() ? target.pairs() : object->pairs;
    if (into.empty()) this->count(kDictKeysBytes);
    grow(into, count / 2, kDictEntryBytes);
    for (auto key = end_but(count); key != stack_.end(); key += 2) into.emplace_back(std::move(key[0]), std::move(key[1]));
    drop(count);
  }

  void push_global(std::string_view module, std::string_view name) {
    if (module.size() + name.size() > kMaxGlobalName) reader_.bad("a name is too long");
    check_text(module), check_text(name);
    count(text_bytes(sizeof(GlobalBox), module.size()) + (name.size() > 15 ? heap_bytes(name.size() + 1) : 0));
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
    if (!args.is_tuple() && global->module.starts_with("__torch__"))
      args = IValue::tuple({std::move(args)}), count(kListBytes), containers_.push_back(args);
    if (!args.is_tuple()) reader_.bad("the arguments of a call are not a tuple");
    const Allowed k = allowed(global->full());
    const bool built = k != Allowed::No && k != Allowed::Name && kwargs.is_none() && (!is_new || k == Allowed::Parameter);
    if (built) {
      try {
        size_t budget = std::min(copy_budget_, memory_.left(reader_.at()));
        const size_t before = budget;
        IValue made = call(k, *global, args, budget);
        copy_budget_ -= before - budget;
        count(before - budget + (made.is_tensor() || as<TensorWithState>(made) ? kTensorBytes : kObjectBytes));
        return is_container(made) ? push_container(std::move(made)) : push(std::move(made));
      } catch (const UnpicklingError&) {  // of memory_
        throw;
      } catch (const Error& error) {
        if (!options_.name_all && !(options_.name_unsupported && error.kind() == ErrorKind::NotImplemented)) reader_.refuse(error.what());
      }
    } else if (k != Allowed::No && !options_.name_all) {
      reader_.refuse("it calls ", shown(global->full()), " in a way in which torch.save never calls it");
    }
    count(kObjectBytes);
    auto object = make_ref<NamedObject>();
    object->callable = Ref<GlobalBox>(global);
    object->is_new = is_new;
    object->args = std::move(args), object->kwargs = std::move(kwargs);
    push_container(Ref<ObjectBox>(object));
  }

  void build() {
    IValue state = pop();
    IValue& target = top();
    if (auto* object = as<NamedObject>(target)) {
      grow(object->states, 1);
      object->states.push_back(std::move(state));
    } else if (!options_.name_all)
      reader_.refuse("it gives a state to a ", describe(target), "; expected an OrderedDict, or an object of a class that was allowed");
  }

  void push_storage(const IValue& id) {
    if (!options_.load_storage) reader_.refuse("a persistent id in it, where none is expected");
    try {
      const Ref<StorageBox> wanted = wanted_storage(id);  // throws if `id` is not a storage's
      const IValue view = id.items().size() > 5 ? id.items()[5] : IValue();
      push_object(Ref<ObjectBox>(options_.load_storage(*wanted, view)), heap_bytes(sizeof(StorageBox)));
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
    {
      ContainerWalk walk(reader_, memory_, key_budget_);
      walk.run(out.value);
      // Containers that the value does not hold are emptied first, while containers_ keeps all others.
      for (IValue& container : containers_)
        if (small_leaf_size(container) == 0 && !walk.seen(container)) drop_children(container);
      stack_.clear(), memo_.clear();
      if (walk.has_circle())
        for (IValue& container : containers_)
          if (walk.seen(container)) out.circular.push_back(std::move(container));
    }
    containers_.clear();
    return out;
  }

  // What values take, with Python's object where that is larger.
  static constexpr size_t kListBytes = 64, kDictBytes = 64, kDictKeysBytes = 128, kDictEntryBytes = 40, kSetBytes = 232,
                          kSetEntryBytes = 48, kObjectBytes = 416;

  OpReader reader_;
  const Options& options_;
  MemoryLimit own_memory_;  // used if options_ has none
  MemoryLimit& memory_;
  std::deque<IValue> stack_;  // a vector would be copied when it grows, and take more than twice its size
  size_t most_on_stack_ = 0;
  std::vector<size_t> marks_;
  const MemoReads reads_;
  std::vector<IValue> memo_;  // the entries that the pickle reads, as in reads_.indices
  std::vector<bool> is_put_;  // which of them have been put
  uint64_t memoized_ = 0;  // how many entries MEMOIZE has put
  std::unordered_set<uint64_t> indices_put_;  // all of them, if reads_.mixed
  std::deque<IValue> containers_;  // the containers that were made and may hold containers
  size_t copy_budget_;  // how many bytes calls may still copy
  size_t key_budget_;  // how many values may be hashed as parts of keys
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
