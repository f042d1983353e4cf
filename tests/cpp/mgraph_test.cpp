// The .mgraph container: what is saved comes back identical, damaged and hostile files are refused, and a save that fails leaves the old file.
#include "formats/mgraph.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "core/error.h"
#include "exec/interpreter.h"
#include "formats/open.h"
#include "formats/safetensors.h"
#include "formats/sharing.h"
#include "ir/text.h"
#include "ir_random.h"
#include "passes/canonical.h"
#include "sanitizers.h"
#include "test_errors.h"
#include "test_files.h"
#include "zip_bytes.h"

namespace monograph {
namespace {

namespace fs = std::filesystem;
using ir::Args;
using test::read_file;
using test::refusal_of;
using test::write_file;
using test::zip_bytes;
using test::ZipEntry;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }
std::unique_ptr<ir::Unit> parse(std::string_view bytes, bool verify = false) {
  return parse_mgraph(bytes_of(bytes), "x.mgraph", nullptr, verify);
}

std::string refusal(std::string_view bytes, bool verify = false) {
  return refusal_of("x.mgraph", [&] { parse(bytes, verify); });
}
#define EXPECT_REFUSED(bytes, part) EXPECT_SAYS(refusal(bytes), part)

struct Mgraph : test::FolderTest {
  std::string path = folder / "model.mgraph";
  std::mt19937_64 random{5};

  void SetUp() override { ir::test::UseTestOps now; }

  ir::TensorRef tensor(DType dtype, std::vector<int64_t> sizes) {
    int64_t n = element_size(dtype);
    for (int64_t size : sizes) n *= size;
    std::vector<std::byte> bytes(static_cast<size_t>(n));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(dtype == DType::b1 ? random() & 1 : random());
    return ir::make_tensor_constant(dtype, sizes, bytes);
  }

  // A program with one weight of 5 x 7 floats.
  std::unique_ptr<ir::Unit> small() {
    auto unit = std::make_unique<ir::Unit>();
    ir::Graph* g = unit->add_function("forward");
    ir::Node* x = g->placeholder("x", ir::TypeKind::Tensor);
    g->set_output(Args(g->call("aten::add.Tensor", Args(x, tensor(DType::f32, {5, 7})))));
    return unit;
  }
  std::string small_file() {
    save_mgraph(*small(), path);
    return read_file(path);
  }

  // Functions, and a tree of modules of which two share a part, with parameters of every dtype.
  std::unique_ptr<ir::Unit> random_unit(uint64_t seed) {
    random.seed(seed);
    auto unit = std::make_unique<ir::Unit>();
    const size_t functions = 1 + random() % 3;
    for (size_t k = 0; k < functions; ++k) {
      auto graph = ir::test::RandomGraph(random()).make(12, 2);
      graph->set_name(k == 0 ? "forward" : concat("function ", k));
      unit->add_function(std::move(graph));
    }
    if (seed % 4 == 0) return unit;
    ir::Class* leaf = unit->add_class("Leaf");
    leaf->is_module = true;
    for (int code = 0; code < kPlainDTypeCount; ++code) leaf->attributes.push_back({concat("w", code), ir::Attribute::Kind::Parameter, {}});
    leaf->attributes.push_back({"rate", ir::Attribute::Kind::Value, ir::TypeKind::Float});
    ir::Class* top = unit->add_class("a.b.Top");
    top->is_module = true;
    for (const char* name : {"first", "second"}) top->attributes.push_back({name, ir::Attribute::Kind::Module, {}});
    top->attributes.push_back({"count", ir::Attribute::Kind::Buffer, {}, false});
    ir::Module* inner = unit->add_module(leaf);
    for (int code = 0; code < kPlainDTypeCount; ++code) {
      const int64_t rows = static_cast<int64_t>(random() % 9);
      inner->values[static_cast<size_t>(code)].value =
          Args(tensor(static_cast<DType>(code), {rows, 1 + static_cast<int64_t>(random() % 9)}));
    }
    inner->values.back().value = Args(0.1);
    ir::Module* root = unit->add_module(top);
    root->values[0].module = root->values[1].module = inner;
    root->values[2].value = Args(tensor(DType::i64, {}));
    root->training = false;
    unit->set_root(root);
    return unit;
  }
};

TEST_F(Mgraph, RandomUnitsComeBackIdentical) {
  size_t with_weights = 0;
  for (uint64_t seed = 0; seed < 80; ++seed) {
    const auto unit = random_unit(seed);
    save_mgraph(*unit, path);
    const auto read = load_mgraph(path, true);
    std::string difference;
    ASSERT_TRUE(ir::identical(*unit, *read, &difference)) << "seed " << seed << ": " << difference;
    for (const auto& graph : unit->functions())
      ASSERT_EQ(passes::hash(*graph), passes::hash(*read->find_function(graph->name()))) << "seed " << seed;
    const std::string first = read_file(path);
    save_mgraph(*read, path);
    ASSERT_EQ(read_file(path), first) << "seed " << seed << ": the same program is the same file";
    with_weights += Archive(bytes_of(first), path).entries().size() > 1;
  }
  EXPECT_GT(with_weights, 40u);
  EXPECT_EQ(files(), 1);
}

TEST_F(Mgraph, AGraphAloneIsAUnitOfOneFunction) {
  ir::Graph g;
  g.set_output(Args(g.call("aten::relu", Args(g.placeholder("x", ir::TypeKind::Tensor)))));
  save_mgraph(g, path);
  const auto unit = load_mgraph(path);
  ASSERT_EQ(unit->functions().size(), 1u);
  EXPECT_TRUE(ir::identical(g, *unit->functions()[0]));
  EXPECT_EQ(unit->functions()[0]->unit(), unit.get());
  const auto both = random_unit(1);
  save_mgraph(*both->functions()[0], path);
  EXPECT_TRUE(ir::identical(*both, *load_mgraph(path))) << "a graph of a Unit is saved with it";
  // A copy that names the Unit's parts takes the function's place.
  auto copy = both->functions()[0]->clone();
  copy->set_unit(both.get());
  copy->call("aten::relu", Args(copy->placeholders()[0]), "changed");
  save_mgraph(*copy, path);
  const auto changed = load_mgraph(path);
  EXPECT_EQ(changed->functions().size(), both->functions().size());
  EXPECT_EQ(changed->modules().size(), both->modules().size());
  EXPECT_TRUE(ir::identical(*copy, *changed->find_function("forward")));
}

// The constant of the only call's second argument.
const ir::TensorConstant& constant_in(const ir::Unit& unit) { return unit.functions()[0]->output()->input(0)->arg(1).as_tensor(); }

TEST_F(Mgraph, ConstantsLieInTheFileAlignedAndOnce) {
  auto unit = std::make_unique<ir::Unit>();
  ir::Graph* g = unit->add_function("forward");
  const ir::TensorRef weight = tensor(DType::f32, {100, 40});
  const ir::TensorRef twin = ir::make_tensor_constant(DType::f32, weight->sizes(), weight->bytes());
  ir::Node* x = g->call("aten::add.Tensor", Args(g->placeholder("x"), weight));
  g->set_output(Args(g->call("aten::add.Tensor", Args(g->call("aten::add.Tensor", Args(x, tensor(DType::f32, {16}))), twin))));
  save_mgraph(*unit, path);
  const std::string file = read_file(path);
  EXPECT_LT(file.size(), 16'000u + 2'000u);
  const Archive archive(bytes_of(file), path);
  ASSERT_EQ(archive.entries().size(), 2u);
  for (const ArchiveEntry& entry : archive.entries()) {
    EXPECT_EQ(entry.begin % kArchiveAlignment, 0u) << entry.name;
    EXPECT_EQ(entry.method, 0) << entry.name;
  }
  const Safetensors weights =
      parse_safetensors(file.data() + archive.find("weights.safetensors")->begin, archive.find("weights.safetensors")->size, "weights");
  ASSERT_EQ(weights.arrays.size(), 1u) << "16 elements stand in the text";
  EXPECT_EQ(weights.arrays[0].name, weight->content_hash());
  EXPECT_EQ((static_cast<const char*>(weights.arrays[0].data) - file.data()) % 64, 0);

  const auto loaded = parse(file);
  const ir::TensorConstant& constant = constant_in(*loaded);
  EXPECT_EQ(constant.bytes().data(), bytes_of(file).data() + (static_cast<const char*>(weights.arrays[0].data) - file.data())) << "no copy";
}

// Two buffers of equal contents are one constant in the file; the one that is written is its own afterwards, and only that one is copied.
TEST_F(Mgraph, AttributesThatAreWrittenHaveTheirOwnStorage) {
  ir::Unit unit;
  ir::Class* type = unit.add_class("Net");
  type->is_module = true;
  for (const char* name : {"a", "b", "c"}) type->attributes.push_back({name, ir::Attribute::Kind::Buffer, {}});
  ir::Module* root = unit.add_module(type);
  const ir::TensorRef weight = tensor(DType::f32, {5, 7});
  for (ir::Module::Value& value : root->values) value.value = Args(weight);
  unit.set_root(root);
  ir::Graph* g = unit.add_function("forward");
  ir::Node* x = g->placeholder("x", ir::TypeKind::Tensor);
  ir::Node *a = g->create(ir::Op::GetAttr, g->target("a"), {}), *b = g->create(ir::Op::GetAttr, g->target("b"), {});
  g->create(ir::Op::GetAttr, g->target("c"), {});
  g->call("aten::add_.Tensor", Args(b, x));
  g->set_output(Args(g->call("aten::add.Tensor", Args(a, b))));
  save_mgraph(unit, path);
  const auto loaded = load_mgraph(path);
  EXPECT_TRUE(ir::identical(unit, *loaded));
  auto bytes = [&](size_t k) { return loaded->root()->values[k].value[0].as_tensor().bytes().data(); };
  EXPECT_EQ(bytes(0), bytes(2));
  EXPECT_NE(bytes(0), bytes(1));
  // Saved again after a write, it is what it is then.
  const_cast<std::byte&>(bytes(1)[0]) ^= std::byte{1};
  save_mgraph(*loaded, path);
  const auto again = load_mgraph(path, true);
  EXPECT_EQ(again->root()->values[1].value[0].as_tensor().bytes()[0], bytes(1)[0]);
  EXPECT_TRUE(ir::same_contents(again->root()->values[0].value[0].as_tensor(), *weight));
}

// Two attributes of one memory, where a file can say so and where it cannot; what it cannot say is refused only where it matters.
TEST_F(Mgraph, AttributesOfOneMemoryStayThat) {
  auto unit_of = [](const Tensor& a, const Tensor& b, bool write) {
    auto unit = std::make_unique<ir::Unit>();
    ir::Class* type = unit->add_class("Net");
    type->is_module = true;
    for (const char* name : {"a", "b"}) type->attributes.push_back({name, ir::Attribute::Kind::Buffer, {}});
    ir::Module* root = unit->add_module(type);
    root->values[0].value = Args(ir::TensorRef(std::make_shared<exec::LiveTensor>(a)));
    root->values[1].value = Args(ir::TensorRef(std::make_shared<exec::LiveTensor>(b)));
    ir::Graph* g = unit->add_function("forward");
    ir::Node *x = g->placeholder("x", ir::TypeKind::Tensor), *read = g->create(ir::Op::GetAttr, g->target("a"), {});
    g->set_output(Args(g->call(write ? "aten::add_.Tensor" : "aten::add.Tensor", Args(read, x))));
    return unit;
  };
  auto refusal_of = [&](const Tensor& a, const Tensor& b, bool write) {
    try {
      save_mgraph(*unit_of(a, b, write), path);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  const Tensor all = empty({1000});
  std::fill_n(all.data_as<float>(), 1000, 1.0f);
  const int64_t ten[] = {10}, two[] = {2}, one[] = {1}, far[] = {900};
  const Tensor first = all.as_strided(ten, one, 0), inside = all.as_strided(two, one, 5), outside = all.as_strided(two, one, 10);
  auto memory = [](const ir::Unit& unit, size_t k) {
    return exec::tensor_of(unit.root()->values[k].value[0].as_tensor().shared_from_this());
  };
  ASSERT_EQ(refusal_of(first, inside, true), "");
  auto loaded = load_mgraph(path);
  EXPECT_EQ(memory(*loaded, 1).data_as<float>(), memory(*loaded, 0).data_as<float>() + 5);
  EXPECT_EQ(memory(*loaded, 0)->storage->bytes(), 40u) << "what nobody shows is not kept";
  // Neighbours in one memory share nothing.
  ASSERT_EQ(refusal_of(first, outside, true), "");
  loaded = load_mgraph(path);
  EXPECT_NE(memory(*loaded, 0)->storage.get(), memory(*loaded, 1)->storage.get());
  const Tensor bits(first.as_strided(ten, one, 0));
  bits->dtype = DType::i32;
  EXPECT_NE(refusal_of(first, bits, true).find("m0.a and m0.b share memory that the graph writes, one as float32 and the other as int32"),
            std::string::npos);
  EXPECT_EQ(refusal_of(first, bits, false), "");
  // A file may state any stride for a dim of size 1.
  const Tensor element = all.as_strided(one, one, 0);
  const auto shared = unit_of(element, element, true);
  share_from_json(*shared, R"({"memories":[{"elements":4,"views":[
      {"module":0,"attribute":"a","offset":3,"strides":[9223372036854775807]},{"module":0,"attribute":"b","offset":3,"strides":[1]}]}]})");
  EXPECT_EQ(memory(*shared, 0)->storage.get(), memory(*shared, 1)->storage.get());
  EXPECT_EQ(memory(*shared, 0).data_as<float>()[0], 1);
  const Tensor ends = all.as_strided(two, far, 0);
  EXPECT_NE(refusal_of(ends, ends, true).find("hold 4 of its 901 elements; make one of them a clone()"), std::string::npos);
  EXPECT_EQ(refusal_of(ends, ends, false), "");
}

TEST_F(Mgraph, WhatCannotBeReadIsNotWritten) {
  ir::Graph g;
  ir::Node* y = g.call("aten::relu", Args(g.placeholder("x", ir::TypeKind::Tensor)));
  g.set_type(y, ir::TypeKind::Int);
  g.set_output(Args(y));
  try {
    save_mgraph(g, path);
    FAIL() << "relu gives no int";
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("cannot save: the graph forward is not valid"), std::string_view::npos) << error.what();
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(Mgraph, ConstantsOutliveFileAndUnit) {
  const auto unit = small();
  save_mgraph(*unit, path);
  auto loaded = load_mgraph(path);
  const ir::TensorRef kept = constant_in(*loaded).shared_from_this();
  loaded.reset();
  save_mgraph(*random_unit(3), path);
  fs::remove(path);
  EXPECT_EQ(kept->content_hash(), ir::tensor_content_hash(kept->dtype(), kept->sizes(), kept->bytes()));
  EXPECT_TRUE(ir::same_contents(*kept, constant_in(*unit)));
}

TEST_F(Mgraph, WithoutContentsNothingIsSaved) {
  const std::string before = small_file();
  const auto read = ir::parse_unit(ir::to_text(*small()));
  try {
    save_mgraph(*read, path);
    FAIL() << "a constant is known by its hash only";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Value);
    EXPECT_NE(std::string_view(error.what()).find("cannot save a graph without its weights"), std::string_view::npos);
  }
  EXPECT_EQ(read_file(path), before);
  EXPECT_EQ(files(), 1);
}

// --- damage

TEST_F(Mgraph, TruncatedAnywhereIsRefused) {
  const std::string good = small_file();
  ASSERT_EQ(refusal(good, true), "");
  for (size_t size = 0; size < good.size(); ++size) EXPECT_NE(refusal(std::string_view(good).substr(0, size)), "") << "cut to " << size;
  // The same from a file: its error names the file, and says that something is missing.
  for (size_t size : {size_t{0}, size_t{10}, good.size() / 2, good.size() - 1}) {
    write_file(path, good.substr(0, size));
    EXPECT_NE(refusal_of(path, [&] { load_mgraph(path); }), "");
    EXPECT_NE(refusal_of(path, [&] { open_unit(path); }), "");
  }
  EXPECT_SAYS(refusal_of((folder / "nowhere").string(), [&] { load_mgraph(folder / "nowhere"); }), "cannot open");
}

// Whatever byte is changed, `verify` refuses the file or it means the same (times, versions and padding mean nothing); and without it, an
// altered text is found all the same, and nothing goes wrong in memory (the sanitizer build listens).
TEST_F(Mgraph, AlteredBytesAreFound) {
  const auto unit = small();
  save_mgraph(*unit, path);
  const std::string good = read_file(path);
  const Archive archive(bytes_of(good), path);
  const ArchiveEntry text = *archive.find("unit.mg"), weights = *archive.find("weights.safetensors");
  size_t harmless = 0;
  for (size_t at = 0; at < good.size(); ++at) {
    for (int change : {1, 0x20, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      std::unique_ptr<ir::Unit> read;
      const std::string refused = refusal_of("x.mgraph", [&] { read = parse(bytes, true); });
      ASSERT_TRUE(!refused.empty() || ir::identical(*unit, *read)) << "byte " << at;
      const bool content = (at >= text.begin && at < text.begin + text.size) || (at >= weights.begin && at < weights.begin + weights.size);
      EXPECT_TRUE(!content || !refused.empty()) << "byte " << at;
      harmless += refused.empty();
      const bool found = !refusal(bytes).empty();
      const bool in_text = at >= text.begin && at < text.begin + text.size;
      EXPECT_TRUE(found || !in_text) << "byte " << at << " of the text";
    }
  }
  EXPECT_LT(harmless, 4 * 260u) << "most of it are the extra fields' padding";
}

TEST_F(Mgraph, WeightsAreVerifiedOnRequest) {
  std::string bytes = small_file();
  const ArchiveEntry weights = *Archive(bytes_of(bytes), path).find("weights.safetensors");
  bytes[weights.begin + weights.size - 1] ^= 1;
  EXPECT_EQ(refusal(bytes), "");
  EXPECT_NE(refusal(bytes, true).find("does not match its checksum"), std::string::npos);
  // With a right checksum, the hash tells.
  const std::string content = bytes.substr(weights.begin, weights.size);
  const ArchiveEntry text = *Archive(bytes_of(bytes), path).find("unit.mg");
  const std::string forged = zip_bytes({{"unit.mg", bytes.substr(text.begin, text.size)}, {"weights.safetensors", content}});
  EXPECT_EQ(refusal(forged), "");
  EXPECT_NE(refusal(forged, true).find("do not have its hash"), std::string::npos);
}

TEST_F(Mgraph, NamesThatLeadOutsideAreRefused) {
  for (const char* name : {"../../../etc/passwd", "a/../../b", "/etc/passwd", "..\\b", "C:\\b", ".."})
    EXPECT_REFUSED(zip_bytes({{"unit.mg", ""}, {name, ""}}), "leads out of the folder to which the archive is unpacked");
  EXPECT_REFUSED(zip_bytes({{"unit.mg", ""}, {"", ""}}), "one of its entries has no name");
}

// --- archives of others

struct FileParts {
  std::string text, weights;
};
FileParts parts_of(const std::string& file) {
  const Archive archive(bytes_of(file), "");
  const auto content = [&](std::string_view name) { return file.substr(archive.find(name)->begin, archive.find(name)->size); };
  return {content("unit.mg"), content("weights.safetensors")};
}

TEST_F(Mgraph, OtherWritersArchivesAreRead) {
  const auto unit = small();
  save_mgraph(*unit, path);
  const auto [text, weights] = parts_of(read_file(path));
  const auto reads = [&](const std::vector<ZipEntry>& entries, const test::ZipEnd& end = {}) {
    const std::string bytes = zip_bytes(entries, end);
    EXPECT_EQ(refusal(bytes, true), "");
    return ir::identical(*unit, *parse(bytes, true));
  };
  EXPECT_TRUE(reads({{"unit.mg", text}, {"weights.safetensors", weights}}));
  EXPECT_TRUE(reads({{"weights.safetensors", weights}, {"a/", ""}, {"a/../b", "never a path"}, {"unit.mg", text}}));
  EXPECT_TRUE(
      reads({{.name = "unit.mg", .content = text, .deflate = true}, {.name = "weights.safetensors", .content = weights, .deflate = true}}));
  EXPECT_TRUE(
      reads({{.name = "unit.mg", .content = text, .zip64 = true}, {.name = "weights.safetensors", .content = weights, .zip64 = true}},
            {.zip64 = true}));
  // Every alignment: where an array's data begins at an odd place, it is copied.
  for (size_t shift = 0; shift < 8; ++shift)
    EXPECT_TRUE(reads({{"unit.mg", text}, {std::string(shift + 1, 'x'), ""}, {"weights.safetensors", weights}}));
  // Sizes that follow the data, a comment that looks like an end, extra fields that are nobody's.
  const std::string end_record("PK\5\6\0\0\0\0\1\0\1\0\0\0\0\0\0\0\0\0\0\0", 22);
  EXPECT_TRUE(
      reads({{.name = "unit.mg", .content = text, .local_size = 0, .flags = 8, .extra = std::string("\x55\x58\2\0ab", 6), .comment = "c"},
             {"weights.safetensors", weights}},
            {.comment = "a comment " + end_record + " and more"}));
}

TEST_F(Mgraph, LyingArchivesAreRefused) {
  const auto [text, weights] = parts_of(small_file());
  const ZipEntry unit{"unit.mg", text}, data{"weights.safetensors", weights};
  const auto with = [&](auto change) {
    ZipEntry altered = data;
    change(altered);
    return zip_bytes({unit, altered});
  };
  ASSERT_EQ(refusal(with([](ZipEntry&) {}), true), "");
  EXPECT_REFUSED(zip_bytes({unit, unit, data}), "'unit.mg' comes twice");
  EXPECT_REFUSED(zip_bytes({data}), "no entry unit.mg");
  EXPECT_REFUSED(zip_bytes({}), "no entry unit.mg");
  EXPECT_REFUSED(zip_bytes({unit}), "is not among the container's weights");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.local_name = "weights.safetensorz"; }), "has another name or size than the directory says");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.local_size = 5; }), "has another name or size than the directory says");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.size = 5; }), "two sizes");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.flags = 1; }), "encrypted");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.method = 12; }), "compressed by method 12");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.disk = 1; }), "one part of an archive of several");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.header = 1; }), "is not where the directory says");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.header = 0xfffffff0; }), "lies outside");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.size = e.stored_size = e.content.size() + 1; }), "ends outside");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.extra = std::string("\1\0\xff\xff", 4); }), "ends outside");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.size = e.stored_size = ~uint64_t{0} - 10, e.zip64 = true; }), "ends outside");
  EXPECT_REFUSED(with([](ZipEntry& e) { e.header = ~uint64_t{0}, e.zip64 = true; }), "lies outside");
  // One entry inside of another: its header stands in the other's data.
  const std::string inner = zip_bytes({unit});
  ZipEntry hidden = unit;
  hidden.header = 30 + 1;
  EXPECT_REFUSED(zip_bytes({{"o", inner}, hidden, data}), "overlap");
  // The end record.
  using test::ZipEnd;
  const auto ends = [&](const ZipEnd& end) { return zip_bytes({unit, data}, end); };
  EXPECT_REFUSED(ends({.count = 1}), "holds more than 1");
  EXPECT_REFUSED(ends({.count = 3}), "too small for 3 entries");
  EXPECT_REFUSED(ends({.count = 60'000}), "too small for 60000 entries");
  EXPECT_REFUSED(ends({.count = ~uint64_t{0}, .zip64 = true}), "too small");
  EXPECT_REFUSED(ends({.size = 10}), "not where its end record says");
  EXPECT_REFUSED(ends({.begin = 0}), "not where its end record says");
  EXPECT_REFUSED(ends({.begin = ~uint64_t{0} - 5, .zip64 = true}), "not where its end record says");
  EXPECT_REFUSED(ends({.disk = 1}), "one part of an archive of several");
  EXPECT_REFUSED(ends({.begin = 0xffffffff}), "Zip64 locator is missing");
  EXPECT_REFUSED("PK\3\4 and no more", "the end of its zip archive is missing");
  EXPECT_REFUSED(ends({}) + "x", "the end of its zip archive is missing");
  EXPECT_REFUSED("x" + ends({}), "not where its end record says");
}

TEST_F(Mgraph, TextAndWeightsMustFit) {
  const auto [text, weights] = parts_of(small_file());
  const auto refused_with = [&](std::string_view from, std::string_view to) {
    std::string altered = text;
    const size_t at = altered.find(from);
    EXPECT_NE(at, std::string::npos);
    altered.replace(at, from.size(), to);
    return refusal(zip_bytes({{"unit.mg", altered}, {"weights.safetensors", weights}}));
  };
  EXPECT_NE(refused_with("Float(5, 7)", "Float(7, 5)").find("another dtype or other sizes"), std::string::npos);
  EXPECT_NE(refused_with("Float(5, 7)", "Float(9223372036854775807, 7)").find("too large"), std::string::npos);
  EXPECT_NE(refused_with("Float(5, 7)", "Int(5, 7)").find("another dtype or other sizes"), std::string::npos);
  EXPECT_NE(refused_with("monograph 1", "monograph 2").find("later version"), std::string::npos);
  EXPECT_NE(refused_with("%x", "%y").find("line "), std::string::npos) << "errors in the text have a place";
  const std::string broken = weights.substr(0, weights.size() - 1);
  EXPECT_NE(refusal(zip_bytes({{"unit.mg", text}, {"weights.safetensors", broken}})).find("weights.safetensors"), std::string::npos);
}

TEST_F(Mgraph, BombsAreBounded) {
  const auto [text, weights] = parts_of(small_file());
  const auto packed = [&](std::optional<uint64_t> size, const std::string& content, bool zip64 = false) {
    ZipEntry bomb{.name = "unit.mg", .content = content, .deflate = true, .size = size, .zip64 = zip64};
    return zip_bytes({bomb, {"weights.safetensors", weights}});
  };
  ASSERT_EQ(refusal(packed({}, text)), "");
  struct rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_REFUSED(packed(uint64_t{1} << 40, text, true), "above the limit");
  EXPECT_REFUSED(packed(uint64_t{60} << 20, text), "does not inflate to its 62914560 bytes");
  EXPECT_REFUSED(packed(text.size() - 1, text), "does not inflate");
  EXPECT_REFUSED(packed(text.size() + 1, text), "does not inflate");
  getrusage(RUSAGE_SELF, &after);
#if !defined(MONOGRAPH_ADDRESS_SANITIZER)  // which keeps freed memory for a while
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 20 << 10) << "KiB: a stated size costs nothing";
#endif
  EXPECT_REFUSED(packed(100, std::string(5'000'000, ' ')), "does not inflate");
  EXPECT_REFUSED(packed({}, std::string(70'000'000, ' ')), "above the limit");
  ZipEntry garbage{.name = "unit.mg", .content = "\xff\xff\xff garbage", .size = 1000, .method = 8};
  EXPECT_REFUSED(zip_bytes({garbage}), "does not inflate");
}

// --- writing

TEST_F(Mgraph, ManyEntriesNeedZip64) {
  {
    ArchiveWriter writer(path);
    const std::span<const std::byte> content = bytes_of("content");
    for (int k = 0; k < 70'000; ++k) writer.add(std::to_string(k), {&content, 1});
    writer.commit();
  }
  const std::string file = read_file(path);
  const Archive archive(bytes_of(file), path);
  ASSERT_EQ(archive.entries().size(), 70'000u);
  const auto content = archive.read(*archive.find("69999"), true);
  EXPECT_EQ(std::memcmp(content.bytes.data(), "content", 7), 0);
}

TEST_F(Mgraph, FourGibibytesNeedZip64) {
  if (std::getenv("MONOGRAPH_SLOW") == nullptr) GTEST_SKIP() << "writes 4 GiB twice; ./dev test --slow runs it";
  const std::vector<std::byte> block(size_t{1} << 28, std::byte{7});
  const std::vector<std::span<const std::byte>> pieces(16, block);
  {
    ArchiveWriter writer(path);
    writer.add("large", pieces);
    writer.add("far", {pieces.data(), 1});
    writer.commit();
  }
  const MappedFile file(path);
  const Archive archive({file.data(), file.size()}, path);
  EXPECT_EQ(archive.find("large")->size, uint64_t{1} << 32);
  EXPECT_GT(archive.find("far")->header, uint64_t{1} << 32);
  for (const ArchiveEntry& entry : archive.entries()) archive.read(entry, true);
}

// The disk is full in the middle (here: a limit on the file's size): an error, the old file as it was, nothing beside it.
TEST_F(Mgraph, AFailedSaveLeavesTheOldFile) {
  const std::string before = small_file();
  ir::Unit large;
  ir::Graph* g = large.add_function("forward");
  g->set_output(Args(tensor(DType::f32, {100'000})));
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {200'000, 200'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    int code = 1;
    try {
      save_mgraph(large, path);
    } catch (const Error& error) {
      code = error.kind() == ErrorKind::File ? 0 : 2;
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(read_file(path), before);
  EXPECT_EQ(files(), 1);
}

// kill -9 at any moment: the file is the old one or the new one, whole, checked to the last byte.
TEST_F(Mgraph, KilledSavesLeaveAWholeFile) {
  std::vector<std::unique_ptr<ir::Unit>> units;
  std::vector<std::string> texts;
  for (int k = 0; k < 2; ++k) {
    auto unit = std::make_unique<ir::Unit>();
    ir::Graph* g = unit->add_function("forward");
    g->set_output(Args(tensor(DType::f32, {500'000})));
    texts.push_back(ir::to_text(*unit));
    units.push_back(std::move(unit));
  }
  save_mgraph(*units[0], path);
  int half_written = 0;
  for (int i = 0; i < 15; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (size_t k = 1;; ++k) save_mgraph(*units[k % 2], path);
    }
    usleep(static_cast<useconds_t>(1000 + random() % 15'000));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    const std::string text = ir::to_text(*load_mgraph(path, true));
    EXPECT_TRUE(text == texts[0] || text == texts[1]);
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path() == path) continue;
      ++half_written;
      fs::remove(entry.path());
    }
  }
  EXPECT_GT(half_written, 0) << "no kill came in the middle of a save";
}

// --- opening by content

TEST_F(Mgraph, FormatsAreToldByContent) {
  using enum FileFormat;
  const auto format = [](std::string_view bytes) { return detect_format(bytes_of(bytes)); };
  const auto unit = small();
  const ir::Graph& graph = *unit->functions()[0];
  EXPECT_EQ(format(small_file()), Mgraph);
  EXPECT_EQ(format(ir::to_text(*unit)), Text);
  EXPECT_EQ(format(ir::to_text(graph)), Text);
  EXPECT_EQ(format("\n # remark\n graph(%x : Tensor):\n return (%x)\n"), Text);
  EXPECT_EQ(format("graphics are no graph"), Unknown);
  EXPECT_EQ(format(ir::to_json(graph)), Json);
  EXPECT_EQ(format(""), Unknown);
  EXPECT_EQ(format(std::string("\x40\0\0\0\0\0\0\0{\"__metadata__\":{}}", 26)), Safetensors);
  EXPECT_EQ(format(zip_bytes({{"m/data.pkl", "."}, {"m/version", "3"}})), TorchCheckpoint);
  EXPECT_EQ(format(zip_bytes({{"m/data.pkl", "."}, {"m/code/__torch__.py", ""}, {"m/constants.pkl", ""}})), TorchScript);
  EXPECT_EQ(format(zip_bytes({{"x.npy", ""}, {"y.npy", ""}})), Numpy);
  EXPECT_EQ(format(zip_bytes({{"readme", ""}})), Zip);
  EXPECT_EQ(format("PK\3\4 cut"), Zip);
  EXPECT_EQ(format("\x93NUMPY\1\0"), Numpy);
  EXPECT_EQ(format(std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e", 15)), TorchCheckpoint);
  EXPECT_EQ(format(std::string("\x08\x07\x12\x07pytorch\x1a\x03\x32.0\x3a\x05graph", 22)), Onnx);
  EXPECT_EQ(format(std::string("\x08\x07\x12\x07pytorch\x99\x01", 13)), Unknown);
}

TEST_F(Mgraph, OpensEveryFormatOfOurs) {
  const auto unit = small();
  save_mgraph(*unit, path);
  EXPECT_TRUE(ir::identical(*unit, *open_unit(path)));
  ir::Graph g("other");
  g.set_output(Args(g.call("aten::relu", Args(g.placeholder("x", ir::TypeKind::Tensor)))));
  for (const std::string& text : {ir::to_text(g), "monograph 1\n" + ir::to_text(g), ir::to_json(g)}) {
    write_file(path, text);
    EXPECT_TRUE(ir::identical(g, main_graph(*open_unit(path))));
  }
  const auto says = [&](std::string_view content) {
    write_file(path, content);
    return refusal_of(path, [&] { open_unit(path); });
  };
  EXPECT_NE(says("").find("the file is empty"), std::string::npos);
  EXPECT_NE(says("{\"format\": 2}").find("expected format 1, but this JSON has format 2"), std::string::npos);
  EXPECT_NE(says("{\"format\": ").find("not valid"), std::string::npos);
  EXPECT_NE(says("graph(%x):\n return (%y)").find("line 2"), std::string::npos);
  EXPECT_NE(says("\x7f"
                 "ELF\1")
                .find("\\x7fELF\\x01"),
            std::string::npos);
  EXPECT_NE(says(zip_bytes({{"m/data.pkl", "."}})).find("PyTorch checkpoint"), std::string::npos);
  EXPECT_NE(says("PK\3\4 cut").find("truncated"), std::string::npos);
}

TEST_F(Mgraph, TheMainGraphIsForward) {
  const auto message = [](const ir::Unit& unit, std::string_view name) -> std::string {
    try {
      return main_graph(unit, name).name();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Value);
      return error.what();
    }
  };
  ir::Unit unit;
  EXPECT_NE(message(unit, "").find("no function"), std::string::npos);
  unit.add_function("first");
  EXPECT_EQ(message(unit, ""), "first");
  unit.add_function("Net.forward");
  EXPECT_NE(message(unit, "").find("first, Net.forward"), std::string::npos);
  unit.add_module(unit.add_class("Net"));
  EXPECT_EQ(message(unit, ""), "Net.forward");
  EXPECT_EQ(message(unit, "first"), "first");
  unit.add_function("forward");
  EXPECT_EQ(message(unit, ""), "forward");
  EXPECT_NE(message(unit, "x").find("no function x"), std::string::npos);
}

}  // namespace
}  // namespace monograph
