// Names as people and benchmarks write them, each for the device or model that is meant.
#include "devices/catalogue/spec_name_resolver.h"

#include <gtest/gtest.h>

namespace drover::devices {
namespace {

struct Spelling {
  const char* name;
  const char* id;
  double limit_w;  // 0: none said
};

TEST(SpecNameResolver, FindsDevicesByTheirBenchmarkSpellings) {
  const Spelling spellings[] = {
      {"h100-sxm", "h100-sxm", 0},
      {"H100-SXM5-80GB", "h100-sxm", 0},
      {"H100-80GB", "h100-sxm", 0},
      {"h100 sxm5 80gb", "h100-sxm", 0},
      {"H100-PCIe-80GB (350 W limit)", "h100-pcie", 350},
      {"A100-PCIe-40GB (250 W limit)", "a100-pcie-40gb", 250},
      {"TPU v5e", "tpu-v5e", 0},
      {"TPU v7x (Ironwood)", "tpu-v7", 0},
      {"K80 (one GK210 die, GCE)", "k80", 0},
      {"MI250X (1 GCD, peak 191.5 TFLOP/s)", "mi250x", 0},
      {"V100 (board max limit 250 W)", "v100-pcie-32gb", 250},
      {"T4 (clock locked 990 MHz)", "t4", 0},
      {"Quadro RTX 6000", "quadro-rtx-6000", 0},
      {"H800-SXM (700 W)", "h800-sxm", 700},
  };
  SpecNameResolver names(Catalogue::embedded());
  for (const Spelling& it : spellings) {
    const Result<FoundDevice> found = names.device(it.name);
    ASSERT_TRUE(found) << it.name << ": " << found.error().message;
    EXPECT_EQ(found->spec->id, it.id) << it.name;
    EXPECT_EQ(found->power_limit_w.value_or(0), it.limit_w) << it.name;
  }
}

TEST(SpecNameResolver, HalvesAChipWhoseCoresAreSeparateDevices) {
  SpecNameResolver names(Catalogue::embedded());
  const DeviceSpec& whole = *names.device("tpu-v7")->spec;
  const DeviceSpec& half = *names.device("TPU v7x (Ironwood) one device = half chip")->spec;
  EXPECT_EQ(half.id, whole.id);
  EXPECT_DOUBLE_EQ(half.peak(Precision::bf16) * 2, whole.peak(Precision::bf16));
  EXPECT_DOUBLE_EQ(half.memory.bytes * 2, whole.memory.bytes);
}

TEST(SpecNameResolver, FindsModelsByTheirBenchmarkSpellings) {
  const Spelling spellings[] = {
      {"Llama-2-70b-hf", "llama-2-70b", 0},
      {"Llama2-70B chat", "llama-2-70b", 0},
      {"meta-llama/Llama-3.1-8B-Instruct (8B total, 8B active)", "llama-3.1-8b", 0},
      {"LLAMA3.1_405B", "llama-3.1-405b", 0},
      {"DeepSeekV3 (w/o MTP)", "deepseek-v3", 0},
      {"Qwen/Qwen3-235B-A22B-Instruct-2507-FP8 (235B total, 22B active)", "qwen3-235b-a22b", 0},
      {"mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3", 0},
      {"MPT-7b", "mpt-7b", 0},
      {"GPT OSS 120B", "gpt-oss-120b", 0},
      {"resnet50", "resnet-50", 0},
  };
  SpecNameResolver names(Catalogue::embedded());
  for (const Spelling& it : spellings) {
    const Result<const ModelSpec*> found = names.model(it.name);
    ASSERT_TRUE(found) << it.name << ": " << found.error().message;
    EXPECT_EQ((*found)->id, it.id) << it.name;
  }
}

TEST(SpecNameResolver, SuggestsTheNearestNameWhenNoneMatches) {
  SpecNameResolver names(Catalogue::embedded());
  const Result<FoundDevice> device = names.device("h100-sxn");
  ASSERT_FALSE(device);
  EXPECT_NE(device.error().message.find("h100-sxm"), std::string::npos) << device.error().message;
  EXPECT_FALSE(names.model("a model of nobody"));
}

TEST(SpecNameResolver, ParsesPrecisionsAsTablesSpellThem) {
  struct Words {
    const char* device;
    const char* text;
    Precision precision;
    SoftwareStack software;
  };
  const Words words[] = {
      {"h100-sxm", "amp_bf16", Precision::bf16, SoftwareStack::autocast},
      {"h100-sxm", "amp_fp8", Precision::fp8, SoftwareStack::autocast},
      {"a100-sxm-80gb", "fp16/AMP", Precision::fp16, SoftwareStack::autocast},
      {"gb200", "MXFP8", Precision::fp8, SoftwareStack::engine},
      {"gb200", "NVFP4", Precision::fp4, SoftwareStack::engine},
      {"v100-sxm2-16gb", "fp16 mixed", Precision::fp16, SoftwareStack::framework},
      {"p100-sxm2", "16 bit inputs, 32 bit multiplication, 32 bit addition", Precision::fp32,
       SoftwareStack::framework},
      {"t4", "16 bit inputs, 16 bit multiplication, 32 bit addition", Precision::fp16,
       SoftwareStack::engine},
      {"t4", "int8 in, 32-bit accumulate", Precision::int8, SoftwareStack::engine},
      {"h100-pcie", "fp8_e4m3 in, bf16 out, fast accumulate", Precision::fp8,
       SoftwareStack::engine},
      {"a100-sxm-80gb", "fp32 (TF32 tensor cores allowed on Ampere+ in NGC containers)",
       Precision::tf32, SoftwareStack::framework},  // "Ampere" does not say "AMP"
      {"v100-sxm2-16gb", "fp32 (TF32 tensor cores allowed on Ampere+ in NGC containers)",
       Precision::fp32, SoftwareStack::framework},
      {"a40", "fp32 (no AMP in the Zeus example scripts; TF32 possible on A40)", Precision::fp32,
       SoftwareStack::framework},
      {"tpu-v3", "mixed (submission default; bf16/fp16 or fp8, see source)", Precision::bf16,
       SoftwareStack::tuned},
  };
  for (const Words& it : words) {
    const auto found = find_precision(it.text, Catalogue::embedded().devices().at(it.device).spec);
    ASSERT_TRUE(found) << it.text;
    EXPECT_EQ(found->precision, it.precision) << it.device << ": " << it.text;
    EXPECT_EQ(found->software, it.software) << it.text;
  }
}

}  // namespace
}  // namespace drover::devices
