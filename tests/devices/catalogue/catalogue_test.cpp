// Facts of the catalogue against what was published, and what the parsers refuse.
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "devices/catalogue/embedded_specs.h"
#include "devices/catalogue/spec_rows.h"
#include "fleet/codec/codec.h"
#include "fleet/text/csv.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

struct Fact {
  const char* device;
  double bf16_teraflops, int8_teraops, memory_gib, bandwidth_gb_s, link_gb_s, usd_per_h;
};

TEST(Catalogue, StatesThePublishedFactsOfItsDevices) {
  const Fact facts[] = {
      {"h100-sxm", 989.4, 1978.9, 80, 3350, 900, 6.88},
      {"a100-sxm-80gb", 312, 624, 80, 2039, 600, 3.4309},
      {"l4", 121, 242, 24, 300, 0, 0.56},
      {"tpu-v5e", 197, 393, 16, 819, 400, 1.2},
      {"tpu-v5p", 459, 918, 95, 2765, 1200, 4.2},
  };
  for (const Fact& fact : facts) {
    const DeviceSpec& device = device_named(fact.device);
    EXPECT_DOUBLE_EQ(device.peak(Precision::bf16), fact.bf16_teraflops * 1e12) << fact.device;
    EXPECT_DOUBLE_EQ(device.peak(Precision::int8), fact.int8_teraops * 1e12) << fact.device;
    EXPECT_DOUBLE_EQ(device.memory.bytes, fact.memory_gib * 1073741824.0) << fact.device;
    EXPECT_DOUBLE_EQ(device.memory.bandwidth, fact.bandwidth_gb_s * 1e9) << fact.device;
    EXPECT_DOUBLE_EQ(device.links.bandwidth, fact.link_gb_s * 1e9) << fact.device;
    EXPECT_DOUBLE_EQ(device.price.usd_per_h, fact.usd_per_h) << fact.device;
  }
  EXPECT_GE(Catalogue::embedded().devices().size(), 60U);
}

TEST(Catalogue, KeepsEachFactInASeparateMember) {
  const std::span<const NumberRow> rows = number_rows();
  const DeviceSpec spec;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(&rows[i].member.read(spec), &rows[j].member.read(spec))
          << rows[i].section << "." << rows[i].key << " and " << rows[j].section << "."
          << rows[j].key << " are one number";
    }
  }
}

TEST(Catalogue, AgreesWithTheTableOfDeviceFacts) {
  const char* shared = std::getenv("DROVER_SHARED");
  if (shared == nullptr) GTEST_SKIP() << "DROVER_SHARED is not set: no table of facts to compare";
  std::ifstream file(std::string(shared) + "/data/devices.csv");
  if (!file) GTEST_SKIP() << "no data/devices.csv under DROVER_SHARED";
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Result<CsvTable> table = CsvTable::parse(text, "devices.csv");
  ASSERT_TRUE(table) << table.error().message;
  struct Column {
    const char* name;
    double (*value)(const DeviceSpec&);
    bool of_the_whole = true;  // of a card with two devices: each has half
  };
  const Column columns[] = {
      {"fp32_tflops", [](const DeviceSpec& d) { return d.peak(Precision::fp32) / 1e12; }},
      {"tf32_tflops", [](const DeviceSpec& d) { return d.peak(Precision::tf32) / 1e12; }},
      {"bf16_tflops", [](const DeviceSpec& d) { return d.peak(Precision::bf16) / 1e12; }},
      {"fp16_tflops", [](const DeviceSpec& d) { return d.peak(Precision::fp16) / 1e12; }},
      {"fp8_tflops", [](const DeviceSpec& d) { return d.peak(Precision::fp8) / 1e12; }},
      {"int8_tops", [](const DeviceSpec& d) { return d.peak(Precision::int8) / 1e12; }},
      {"memory_gb", [](const DeviceSpec& d) { return d.memory.bytes / 1073741824.0; }},
      {"memory_bw_gbps", [](const DeviceSpec& d) { return d.memory.bandwidth / 1e9; }},
      {"interconnect_gbps_bidir_normalised",
       [](const DeviceSpec& d) { return d.links.bandwidth / 1e9; }},
      {"max_operating_temp_c", [](const DeviceSpec& d) { return d.thermal.max_c; }, false},
      {"slowdown_temp_c", [](const DeviceSpec& d) { return d.thermal.slowdown_c; }, false},
      {"shutdown_temp_c", [](const DeviceSpec& d) { return d.thermal.shutdown_c; }, false},
      {"ondemand_usd_per_h", [](const DeviceSpec& d) { return d.price.usd_per_h; }},
      {"spot_usd_per_h", [](const DeviceSpec& d) { return d.price.spot_usd_per_h; }},
      {"tdp_w", [](const DeviceSpec& d) { return d.power.tdp_w; }},
  };
  int compared = 0;
  for (const CsvRow& row : table->rows) {
    const auto found = Catalogue::embedded().devices().find(table->cell(row, "id"));
    ASSERT_NE(found, Catalogue::embedded().devices().end()) << table->cell(row, "id");
    const std::string& scope = table->cell(row, "unit_scope");
    const bool two_devices =
        scope.starts_with("card = 2") || scope.starts_with("OAM") || scope.find("2 GCD") < 40;
    for (const Column& column : columns) {
      const std::string& cell = table->cell(row, column.name);
      if (cell.empty() || cell.find_first_not_of("0123456789.") != std::string::npos) continue;
      const double share = two_devices && column.of_the_whole ? 0.5 : 1;
      EXPECT_NEAR(column.value(found->second.spec), std::stod(cell) * share, 1e-6 * std::stod(cell))
          << found->first << " " << column.name;
      ++compared;
    }
  }
  EXPECT_GE(compared, 300);
}

TEST(Catalogue, StatesTheProvenanceOfEveryNumber) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    EXPECT_NE(entry.file.find("\nsource = \""), std::string::npos) << id;
    EXPECT_FALSE(entry.spec.confidence.empty()) << id;
    for (const auto& [key, fact] : entry.spec.bases) {
      if (fact.basis == Basis::datasheet) continue;
      EXPECT_FALSE(fact.note.empty()) << id << ": " << key;
    }
  }
}

TEST(Catalogue, WritesSpecsThatReadBackTheSameWithoutTheirGeneration) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    const Result<DeviceSpec> again = parse_device_spec(entry.text, id);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(to_toml(*again), entry.text) << id;
    EXPECT_EQ(again->peak_flops, entry.spec.peak_flops) << id;
    EXPECT_EQ(basis_of(*again, "thermal.die_s"), basis_of(entry.spec, "thermal.die_s")) << id;
  }
}

// What a person asks of a figure on a screen, where there are no files.
TEST(Catalogue, ASentSpecKeepsItsSourcesAndTheReasonsForAssumptions) {
  const std::string& text = Catalogue::embedded().devices().at("tpu-v5e").text;
  for (const char* said :
       {"\nsource = \"Google Cloud TPU v5e; jax tpu_info.py\"\n",
        "[price]\nsource = \"GCP, skypilot catalogue v8\"\n",
        "idle_w = { value = 40, assumed = \"fleet mean is 66 W (Schneider 2025), idle and busy "
        "mixed\" }"}) {
    EXPECT_NE(text.find(said), std::string::npos) << said << " in\n" << text;
  }
  const std::string& h100 = Catalogue::embedded().devices().at("h100-sxm").text;
  EXPECT_NE(h100.find("sink_k_per_w = { value = 0.046571428571428576, fitted = \"load steps"),
            std::string::npos)
      << "it follows from a rise that was fitted";
  std::string longer = text;
  longer.replace(longer.find("GCP, sky"), 3, std::string(300, 'G'));
  EXPECT_LT(to_toml(*parse_received_spec(longer, "a")).size(), text.size() + 250) << "cut";
}

// An agent of another build may say more, or what is no longer asked.
TEST(Catalogue, IgnoresUnknownKeysInAReceivedSpec) {
  const Entry<DeviceSpec>& h100 = Catalogue::embedded().devices().at("h100-sxm");
  std::string text = h100.text;
  const std::size_t at = text.find("[serving]\n");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 10, "gang_launches = 1\n");
  ASSERT_FALSE(parse_device_spec(text, "own.toml"));
  const Result<DeviceSpec> spec = parse_received_spec(text, "Register of a");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(to_toml(*spec), h100.text);
  text.replace(text.find("tdp_w = "), 8, "tdp_w = -");
  EXPECT_FALSE(parse_received_spec(text, "Register of a")) << "impossible values are not";
}

TEST(Catalogue, ChangesOneNumberOfADeviceOrOfAGeneration) {
  Catalogue catalogue = Catalogue::embedded();
  ASSERT_TRUE(catalogue.set("h100-sxm.memory.bandwidth_gb_s", 4000));
  EXPECT_DOUBLE_EQ(catalogue.devices().at("h100-sxm").spec.memory.bandwidth, 4e12);
  ASSERT_TRUE(catalogue.set("hopper.matrix.tile", 64));
  for (const auto& [id, entry] : catalogue.devices()) {
    if (entry.spec.generation != "hopper") continue;
    EXPECT_EQ(entry.spec.matrix.tile, 64U) << id;
  }
  struct Wrong {
    const char* key;
    double value;
    const char* message;
  };
  for (const Wrong& wrong :
       {Wrong{"h100-sxn.memory.bandwidth_gb_s", 1, "h100-sxm"},
        Wrong{"h100-sxm.memory.bandwith", 1, "no such number"},
        Wrong{"h100-sxm.memory.efficiency", 7, "expected a number 0.01..1"},
        Wrong{"hopper.serving.nonsense", 3, "no device inherits such a number"},
        Wrong{"every_generation.layers.fp61", 1, "no device inherits"},
        Wrong{"h100-sxm", 7, "expected ID.SECTION.KEY"}}) {
    const Status status = catalogue.set(wrong.key, wrong.value);
    ASSERT_FALSE(status) << wrong.key;
    EXPECT_NE(status.error().message.find(wrong.message), std::string::npos)
        << status.error().message;
  }
}

TEST(Catalogue, ANumberComesFromTheMostSpecificFileThatSetsIt) {
  Catalogue catalogue = Catalogue::embedded();
  const auto cycles = [&](const char* id) {
    return catalogue.devices().at(id).spec.layers.kernel_cycles;
  };
  ASSERT_TRUE(catalogue.set("every_generation.layers.kernel_cycles", 1000));
  for (const auto& [id, entry] : catalogue.devices()) {
    EXPECT_EQ(entry.spec.layers.kernel_cycles, 1000) << id;
  }
  ASSERT_TRUE(catalogue.set("hopper.layers.kernel_cycles", 2000));
  ASSERT_TRUE(catalogue.set("h100-sxm.layers.kernel_cycles", 3000));
  // What stands nearer stays, whatever is said farther away, and when.
  ASSERT_TRUE(catalogue.set("hopper.layers.kernel_cycles", 2500));
  ASSERT_TRUE(catalogue.set("every_generation.layers.kernel_cycles", 500));
  EXPECT_EQ(cycles("h100-sxm"), 3000);
  EXPECT_EQ(cycles("h200-sxm"), 2500);
  EXPECT_EQ(cycles("tpu-v5e"), 500);
  // Also a number that no file said.
  ASSERT_EQ(catalogue.devices().at("h100-sxm").spec.matrix.fp16_efficiency, 0);
  ASSERT_TRUE(catalogue.set("hopper.matrix.fp16_efficiency", 0.3));
  EXPECT_EQ(catalogue.devices().at("h100-sxm").spec.matrix.fp16_efficiency, 0.3);
  EXPECT_EQ(catalogue.devices().at("b200-sxm").spec.matrix.fp16_efficiency, 0);
}

TEST(Catalogue, AnEveryGenerationFileReplacesTheBuiltInOne) {
  Catalogue catalogue = Catalogue::embedded();
  const double hopper_fp16 = catalogue.devices().at("h100-sxm").spec.layers.fp16;
  ASSERT_TRUE(
      catalogue.add("kind = \"generation\"\nid = \"every_generation\"\n"
                    "[network]\nefficiency = 0.5\n[layers]\nfp16 = 0.9\n"
                    "kernel_cycles = { value = 77, assumed = \"a guess\" }\n",
                    "mine.toml"));
  const DeviceSpec& h100 = catalogue.devices().at("h100-sxm").spec;
  EXPECT_EQ(h100.layers.kernel_cycles, 77);
  EXPECT_EQ(h100.network.efficiency, 0.5);
  EXPECT_EQ(h100.layers.fp16, hopper_fp16) << "its generation says otherwise";
  EXPECT_EQ(h100.bases.at("layers.kernel_cycles").file, FactFile::every_generation);
  const Status wrong = catalogue.add(
      "kind = \"generation\"\nid = \"every_generation\"\n[layers]\ncycles = 1\n", "worse.toml");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("worse.toml:4: layers.cycles: unknown key"),
            std::string::npos)
      << wrong.error().message;
}

TEST(Catalogue, TravelsInOneMessage) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    EXPECT_LE(entry.text.size(), spec_bytes_max) << id;
  }
  for (const auto& [id, entry] : Catalogue::embedded().models()) {
    EXPECT_LE(entry.text.size(), spec_bytes_max) << id;
  }
}

TEST(Catalogue, SuggestsTheNearestNameForAnUnknownOne) {
  const Result<const Entry<DeviceSpec>*> device = Catalogue::embedded().device("h100-sxn");
  ASSERT_FALSE(device.ok());
  EXPECT_NE(device.error().message.find("h100-sxm"), std::string::npos) << device.error().message;
  const Result<const Entry<ModelSpec>*> model = Catalogue::embedded().model("llama-3.1-7b");
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().message.find("llama-3.1-8b"), std::string::npos);
}

TEST(Catalogue, ReplacesByIdAndRemembersTheOrigin) {
  Catalogue catalogue = Catalogue::embedded();
  std::string text = catalogue.devices().at("l4").text;
  text.replace(text.find("usd_per_h = 0.56"), 16, "usd_per_h = 0.70");
  ASSERT_TRUE(catalogue.add(text, "mine.toml").ok());
  EXPECT_DOUBLE_EQ(catalogue.devices().at("l4").spec.price.usd_per_h, 0.70);
  EXPECT_EQ(catalogue.devices().at("l4").origin, "mine.toml");
  EXPECT_EQ(Catalogue::embedded().devices().at("l4").origin, "embedded");
  const Status again = catalogue.add(text, "yours.toml");
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().message, "yours.toml: id: \"l4\" is already in mine.toml");
}

TEST(Model, CountsThePublishedParameters) {
  struct Count {
    const char* model;
    double parameters;
  };
  const Count counts[] = {{"llama-3.1-8b", 8'030'261'248.0},
                          {"llama-3.1-70b", 70'553'706'496.0},
                          {"llama-2-7b", 6'738'415'616.0},
                          {"bert-large", 335'141'888.0},
                          {"resnet-50", 25557032}};
  for (const Count& count : counts) {
    EXPECT_DOUBLE_EQ(model_named(count.model).parameters(), count.parameters) << count.model;
  }
  EXPECT_EQ(model_named("llama-2-7b").context_max, 4096u);
}

struct Refusal {
  const char* name;
  const char* spec;  // id of the embedded spec that is changed
  const char* find;
  const char* replace;
  const char* key;  // must stand in the message
};

TEST(Catalogue, RefusesInvalidValuesByLineAndKey) {
  const Refusal refusals[] = {
      {"negative bandwidth", "l4", "bandwidth_gb_s = 300", "bandwidth_gb_s = -300",
       "memory.bandwidth_gb_s"},
      {"no capacity", "l4", "capacity_gib = 24", "capacity_gib = 0", "memory.capacity_gib"},
      {"two tags", "l4", "idle_w = { value = 13, ", "idle_w = { value = 13, fitted = \"x\", ",
       "power.idle_w.value"},
      {"no tag", "l4", "idle_w = { value = 13, assumed", "idle_w = { value = 13, guessed",
       "power.idle_w.value"},
      {"not a number", "l4", "tdp_w = 72", "tdp_w = nan", "power.tdp_w"},
      {"text for a number", "l4", "tdp_w = 72", "tdp_w = \"much\"", "power.tdp_w"},
      {"missing key", "l4", "tdp_w = 72", "", "power: tdp_w"},
      {"unknown key", "l4", "tdp_w = 72", "tdp_w = 72\ntpd_w = 72", "tpd_w"},
      {"missing table", "l4", "[thermal]", "[hot]", "thermal"},
      {"idle above open", "l4", "idle_w = { value = 13", "idle_w = { value = 60", "power: idle_w"},
      {"limits out of order", "l4", "slowdown_c = { value = 88", "slowdown_c = { value = 80",
       "thermal: max_c"},
      {"equal time constants", "l4", "die_s = { value = 0.23,", "die_s = { value = 40,",
       "thermal: die_s"},
      {"no tile", "l4", "tile = 128", "tile = 0", "matrix"},
      {"unknown class", "l4", "class = \"gpu\"", "class = \"npu\"", "class"},
      {"half a slice", "tpu-v5e", "slice_sizes = [1,", "slice_sizes = [1.5,", "slice_sizes"},
      {"unknown precision", "l4", "fp8 = 242", "fp9 = 242", "fp9"},
      {"escape in an id", "l4", "id = \"l4\"", "id = \"l4\\u001b[2J\"", "id"},
      {"unknown kind", "l4", "kind = \"device\"", "kind = \"chip\"", ":1: kind: found \"chip\""},
      {"wrong count", "llama-3.1-8b", "layers = 32", "layers = 33", "parameters"},
      {"heads that are not divisible", "llama-3.1-8b", "kv_heads = 8", "kv_heads = 7", "kv_heads"},
      {"no layers", "llama-3.1-8b", "layers = 32", "layers = 0", "layers"},
      {"unknown architecture", "resnet-50", "\"convolution\"", "\"capsule\"", "architecture"},
  };
  for (const Refusal& refusal : refusals) {
    const Catalogue& embedded = Catalogue::embedded();
    const auto device = embedded.devices().find(refusal.spec);
    std::string text = device != embedded.devices().end() ? device->second.text
                                                          : embedded.models().at(refusal.spec).text;
    const std::size_t at = text.find(refusal.find);
    ASSERT_NE(at, std::string::npos) << refusal.name;
    text.replace(at, std::string(refusal.find).size(), refusal.replace);
    Catalogue catalogue;
    const Status status = catalogue.add(text, "spec.toml");
    ASSERT_FALSE(status.ok()) << refusal.name;
    EXPECT_NE(status.error().message.find("spec.toml"), std::string::npos)
        << refusal.name << ": " << status.error().message;
    EXPECT_NE(status.error().message.find(refusal.key), std::string::npos)
        << refusal.name << ": " << status.error().message;
    EXPECT_EQ(status.error().message.find('\x1b'), std::string::npos) << refusal.name;
  }
}

TEST(Catalogue, RefusesASpecTooLongToSend) {
  Catalogue catalogue;
  const Status status = catalogue.add(std::string(spec_bytes_max + 1, '#'), "big.toml");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("big.toml"), std::string::npos);
}

}  // namespace
}  // namespace drover::devices
