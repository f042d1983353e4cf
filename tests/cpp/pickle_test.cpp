// The pickle machine: what it makes of opcodes, what it refuses by name, and that hostile pickles cost little. Files of torch.save are read in
// tests/python/test_checkpoints.py.
#include "formats/pickle/unpickler.h"

#include <gtest/gtest.h>

#include <random>

#include "formats/pickle/checkpoint.h"
#include "test_errors.h"
#include "test_files.h"

namespace monograph::pickle {
namespace {

using namespace std::string_literals;
using test::error_of;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

Unpickled run(std::string_view pickle, bool name_all = false) {
  Options options;
  options.where = "x.pkl";
  options.name_all = name_all;
  options.load_storage = [](const StorageBox& wanted, const IValue&) {
    auto box = make_ref<StorageBox>();
    box->type_name = wanted.type_name, box->dtype = wanted.dtype, box->known = wanted.known, box->bytes = 24;
    box->storage = make_ref<Storage>(24);
    return box;
  };
  return unpickle(bytes_of(pickle), options);
}
std::string refusal(std::string_view pickle) {
  return error_of([&] { run(pickle); });
}

// The opcodes of a call of torch._utils._rebuild_tensor_v2 over a storage of 6 floats.
std::string tensor(const std::string& offset, const std::string& sizes, const std::string& strides) {
  return "\x80\x02"
         "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\0"
         "0X\x03\0\0\0cpuK\x06tQ"s +
         offset + sizes + strides +
         "\x89"
         "ccollections\nOrderedDict\n)RtR."s;
}

TEST(Pickle, PlainValues) {
  EXPECT_EQ(run("\x80\x02K\x07."s).value.to_int(), 7);
  EXPECT_EQ(run("\x80\x02J\xff\xff\xff\xff."s).value.to_int(), -1);
  EXPECT_EQ(run("\x80\x02\x8a\x02\x00\x80."s).value.to_int(), -32768);
  EXPECT_EQ(run("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00."s).value.tag(), IValue::Tag::Object);  // 2^63
  EXPECT_EQ(run("\x80\x02G\x3f\xf8\0\0\0\0\0\0."s).value.to_double(), 1.5);
  EXPECT_TRUE(run("\x80\x02N."s).value.is_none());
  EXPECT_TRUE(run("\x80\x02\x88."s).value.to_bool());
  EXPECT_EQ(run("\x80\x04\x95\x05\0\0\0\0\0\0\0\x8c\x02hi\x94."s).value.to_string(), "hi");
  const Unpickled dict = run("\x80\x02}q\0(K\x01K\x02X\x01\0\0\0aNu."s);
  ASSERT_EQ(dict_items(dict.value)->size(), 2U);
  EXPECT_EQ((*dict_items(dict.value))[0].second.to_int(), 2);
  EXPECT_EQ(run("\x80\x02)K\x01\x85\x86."s).value.items().size(), 2U);
  EXPECT_EQ(as<SetBox>(run("\x80\x04\x8f(K\x01K\x02\x90."s).value)->items.size(), 2U);
}

TEST(Pickle, SharedAndCircularContainers) {
  const Unpickled shared = run("\x80\x02]q\0h\0\x86."s);
  EXPECT_TRUE(shared.value.items()[0].is(shared.value.items()[1]));
  const Unpickled circle =
      run("\x80\x02]q\0h\0"
          "a."s);
  EXPECT_TRUE(circle.value.items()[0].is(circle.value));
  EXPECT_EQ(circle.circular.size(), 1U);
}

TEST(Pickle, Tensors) {
  const Tensor t = run(tensor("K\0"s, "K\x02K\x03\x86", "K\x03K\x01\x86")).value.to_tensor();
  EXPECT_EQ(to_string(t.sizes()), "[2, 3]");
  EXPECT_SAYS(refusal(tensor("K\x01", "K\x02K\x03\x86", "K\x03K\x01\x86")), "does not lie in its storage of 24 bytes");
  EXPECT_SAYS(refusal(tensor("K\0"s, "J\xff\xff\xff\xff\x85", "K\x01\x85")), "none may be negative");
  EXPECT_SAYS(refusal(tensor("K\0"s, "\x8a\x08\0\0\0\0\0\0\0\x40\x85"s, "\x8a\x08\0\0\0\0\0\0\0\x40\x85"s)), "which no memory can hold");
  EXPECT_SAYS(refusal(tensor("K\0"s, "K\x02K\x03\x86", "K\x01\x85")), "do not fit each other");
  // The largest offset there is, of a tensor of no dims and of an empty one.
  const std::string largest = "\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f";
  EXPECT_SAYS(refusal(tensor(largest, ")", ")")), "which no memory can hold");
  EXPECT_SAYS(refusal(tensor(largest, "K\0\x85"s, "K\x01\x85")), "which no memory can hold");
}

TEST(Pickle, NothingIsExecuted) {
  const std::string call =
                        "\x80\x02"
                        "cposix\nsystem\nX\x02\0\0\0ls\x85R."s,
                    other =
                        "\x80\x02"
                        "cmine.models\nNet\n)\x81}b."s;
  EXPECT_SAYS(refusal(call), "GLOBAL 'posix.system' whose module posix is blocked");
  EXPECT_SAYS(refusal(other), "Unsupported global: GLOBAL mine.models.Net was not an allowed global by default");
  EXPECT_SAYS(refusal("\x80\x02"
                      "c__builtin__\neval\nX\x01\0\0\0"
                      "1\x85R."s),
              "GLOBAL builtins.eval was not an allowed global");
  const Unpickled named = run(other, true);
  auto* object = as<NamedObject>(named.value);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->callable->full(), "mine.models.Net");
  EXPECT_TRUE(object->is_new);
  EXPECT_EQ(object->states.size(), 1U);
  EXPECT_EQ(unsafe_globals_in(bytes_of(call), "x"), std::vector<std::string>{"posix.system"});
}

TEST(Pickle, RefusalsSayWhatIsWrong) {
  EXPECT_SAYS(refusal(""), "damaged or truncated, at byte 0");
  EXPECT_SAYS(refusal("\x80\x02X\xff\xff\xff\x7fhello."s), "it ends in the middle of an opcode");
  EXPECT_SAYS(refusal("\x80\x02."), "its stack has too few values");
  EXPECT_SAYS(refusal("\x80\x02h\x05."s), "its memo has no value 5");
  EXPECT_SAYS(refusal("\x80\x02I5\n."s), "the opcode INT at byte 2, which Monograph does not read");
  EXPECT_SAYS(refusal("\x80\x09K\x01."s), "protocol 9");
  EXPECT_SAYS(refusal("\x80\x02K\x01K\x01"
                      "a."s),
              "it appends to a int; expected a list");
  EXPECT_SAYS(refusal("\x80\x02"
                      "ctorch._utils\n_rebuild_qtensor\n)R."s),
              "a quantized tensor");
  EXPECT_SAYS(refusal("\x80\x02"
                      "ctorch._utils\n_rebuild_sparse_tensor\n)R."s),
              "a sparse tensor");
}

// What would cost a machine its memory, its stack or its day.
TEST(Pickle, BombsCostLittle) {
  std::string deep = "\x80\x02";
  for (int k = 0; k < 200000; ++k) deep += "]";
  for (int k = 1; k < 200000; ++k) deep += "a";
  EXPECT_SAYS(refusal(deep + "."), "nest more than 1000 deep");
  EXPECT_NE(refusal(deep), "");  // truncated: nothing walks it before it is gone
  EXPECT_EQ(refusal(deep + "0N."), "");  // lost in the middle

  std::string laughs = "\x80\x02)q\0"s;
  for (int k = 0; k < 200; ++k) laughs += "h\0h\0\x86q\0"s;
  EXPECT_EQ(refusal(laughs + "."), "");
  EXPECT_SAYS(refusal(laughs + "}h\0Ns."s), "keys that are too large to compare");
  EXPECT_NE(error_of([&] { named_tensors(run(laughs + ".").value); }), "");

  std::string copies =
      "\x80\x02"
      "c_codecs\nencode\nq\x01X\0\0\x10\0"s +
      std::string(1 << 20, 'x') + "X\x06\0\0\0latin1\x86q\x02"s;
  for (int k = 0; k < 1000; ++k) copies += "0h\1h\2R";
  EXPECT_SAYS(refusal(copies + "."), "copy far more than the file holds");
  EXPECT_SAYS(refusal("\x80\x02"
                      "c__builtin__\nbytearray\n\x8a\x05\0\0\0\0\x7f\x85R."s),
              "expected bytes");
  EXPECT_SAYS(refusal("\x80\x02r\xff\xff\xff\xffN."s), "too few values");
  EXPECT_EQ(refusal("\x80\x02Nr\xff\xff\xff\xff."s), "");
}

TEST(Pickle, EveryPrefixAndManyMutationsEndInAnError) {
  const std::string good = tensor("K\0"s, "K\x02K\x03\x86", "K\x03K\x01\x86");
  for (size_t n = 0; n < good.size(); ++n) EXPECT_NE(refusal(good.substr(0, n)), "") << n;
  std::mt19937 random(7);
  for (int k = 0; k < 20000; ++k) {
    std::string bad = good;
    for (unsigned times = 1 + random() % 3; times-- > 0;) bad[random() % bad.size()] = static_cast<char>(random());
    refusal(bad);
  }
}

TEST(Pickle, NamesTakeThePlacesOfNumbers) {
  const std::pair<std::string, std::string> names[] = {{"torch", "float32"}};
  EXPECT_EQ(with_names(bytes_of("\x80\x04\x95\x01\0\0\0\0\0\0\0K\0QK\0\x86."s), names),
            "\x80\x04"
            "ctorch\nfloat32\nK\0\x86."s);
}

struct CheckpointFiles : test::FolderTest {};

TEST_F(CheckpointFiles, ArchivesComeBack) {
  const std::string path = folder / "x.pt", pickle = tensor("K\0"s, "K\x02K\x03\x86", "K\x03K\x01\x86");
  const float data[6] = {1, 2, 3, 4, 5, 6};
  const StorageRecord records[] = {{"0", data, sizeof data}};
  save_checkpoint(path, "x", pickle, records);
  for (bool in_place : {false, true}) {
    LoadOptions options;
    options.in_place = in_place;
    const Checkpoint file = load_checkpoint(path, options);
    EXPECT_TRUE(file.zip);
    EXPECT_EQ(file.content.value.to_tensor().data_as<float>()[5], 6);
  }
  const std::string bytes = test::read_file(path);
  std::mt19937 random(7);
  for (int k = 0; k < 2000; ++k) {
    std::string bad = bytes;
    bad[random() % bad.size()] = static_cast<char>(random());
    error_of([&] { parse_checkpoint(bytes_of(bad), nullptr, "bad", {}); });
  }
  const StorageRecord few[] = {{"0", data, 8}};
  save_checkpoint(path, "x", pickle, few);
  EXPECT_SAYS(error_of([&] { load_checkpoint(path, {}); }), "should have 24 bytes, but its entry in the archive has 8");
  save_checkpoint(path, "x", pickle, {});
  EXPECT_SAYS(error_of([&] { load_checkpoint(path, {}); }), "the storage '0' is missing");
}

}  // namespace
}  // namespace monograph::pickle
