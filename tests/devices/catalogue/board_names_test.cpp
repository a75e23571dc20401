// Names as drivers and exporters print them, each for its device of the catalogue, and names of
// boards that are much like one and are none.
#include "devices/catalogue/board_names.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "devices/catalogue/catalogue.h"

namespace drover::devices {
namespace {

constexpr double bytes_per_mib = 1 << 20;

struct RealName {
  const char* name;
  const char* id;
  double memory_mib = 0;  // as the driver says; 0: not known
};

// nvidia-smi, rocm-smi (card series), amd-smi, tpu-info, jax, and GKE's labels.
const RealName real_names[] = {
    {"NVIDIA A10", "a10", 23028},
    {"NVIDIA A2", "a2", 15356},
    {"NVIDIA A30", "a30", 24576},
    {"NVIDIA A40", "a40", 46068},
    {"NVIDIA A100-PCIE-40GB", "a100-pcie-40gb", 40960},
    {"A100-PCIE-40GB", "a100-pcie-40gb"},
    {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb", 81920},
    {"NVIDIA A100-SXM4-40GB", "a100-sxm-40gb", 40960},
    {"A100-SXM4-40GB", "a100-sxm-40gb", 40536},
    {"NVIDIA A100-SXM4-80GB", "a100-sxm-80gb", 81920},
    {"NVIDIA B200", "b200-sxm", 183359},
    {"NVIDIA B200", "b200-sxm-192gb", 196608},
    {"NVIDIA B300 SXM6 AC", "b300-sxm", 275040},
    {"NVIDIA GB200", "gb200", 189471},
    {"NVIDIA GB300", "gb300", 284208},
    {"NVIDIA GH200 480GB", "gh200-96gb", 97871},
    {"NVIDIA GH200 144G HBM3e", "gh200-144gb", 146831},
    {"NVIDIA GeForce GTX 1080 Ti", "gtx-1080-ti", 11264},
    {"GeForce GTX 1080 Ti", "gtx-1080-ti", 11178},
    {"NVIDIA H100 NVL", "h100-nvl", 95830},
    {"NVIDIA H100 PCIe", "h100-pcie", 81559},
    {"NVIDIA H100 80GB HBM3", "h100-sxm", 81559},
    {"NVIDIA-H100-80GB-HBM3", "h100-sxm"},  // Kubernetes' nvidia.com/gpu.product
    {"NVIDIA H20", "h20-sxm", 97871},
    {"NVIDIA H200", "h200-sxm", 143771},
    {"NVIDIA H200 141GB HBM3", "h200-sxm"},
    {"NVIDIA H200 NVL", "h200-nvl", 143771},
    {"NVIDIA H800", "h800-sxm", 81559},
    {"Tesla K80", "k80", 11441},
    {"NVIDIA L4", "l4", 23034},
    {"nvidia-l4", "l4"},  // GKE
    {"NVIDIA L40", "l40", 46068},
    {"NVIDIA L40S", "l40s", 46068},
    {"Tesla P100-PCIE-16GB", "p100-pcie", 16280},
    {"Tesla P100-SXM2-16GB", "p100-sxm2", 16280},
    {"Quadro RTX 6000", "quadro-rtx-6000", 24190},
    {"Quadro RTX 8000", "quadro-rtx-8000", 48601},
    {"NVIDIA GeForce RTX 2080 Ti", "rtx-2080-ti", 11264},
    {"NVIDIA GeForce RTX 3070", "rtx-3070", 8192},
    {"NVIDIA GeForce RTX 3080", "rtx-3080", 10240},
    {"NVIDIA GeForce RTX 3090", "rtx-3090", 24576},
    {"NVIDIA GeForce RTX 4090", "rtx-4090", 24564},
    {"NVIDIA GeForce RTX 5090", "rtx-5090", 32607},
    {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada", 49140},
    {"NVIDIA RTX A4000", "rtx-a4000", 16376},
    {"RTX A5000", "rtx-a5000", 24564},
    {"NVIDIA RTX A6000", "rtx-a6000", 49140},
    {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtx-pro-6000", 97887},
    {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000", 97887},
    {"Tesla T4", "t4", 15360},
    {"nvidia-tesla-t4", "t4"},  // GKE
    {"TITAN RTX", "titan-rtx", 24220},
    {"NVIDIA TITAN RTX", "titan-rtx", 24576},
    {"TITAN V", "titan-v", 12066},
    {"NVIDIA TITAN V", "titan-v", 12288},
    {"Tesla V100-PCIE-16GB", "v100-pcie", 16160},
    {"Tesla V100-PCIE-32GB", "v100-pcie-32gb", 32510},
    {"Tesla V100-SXM2-16GB", "v100-sxm2-16gb", 16160},
    {"Tesla V100-SXM2-32GB", "v100-sxm2-32gb", 32510},
    {"Tesla V100-SXM3-32GB", "v100-sxm3-32gb", 32510},
    {"Tesla V100-SXM3-32GB-H", "v100-sxm3-32gb-450w", 32510},
    {"AMD Instinct MI100", "mi100"},
    {"AMD Instinct MI210", "mi210", 65520},
    {"AMD INSTINCT MI250 (MCM) OAM AC MBA", "mi250"},
    {"AMD Instinct MI250X", "mi250x", 65520},
    {"AMD INSTINCT MI250X (MCM) OAM AC MBA", "mi250x"},
    {"AMD Instinct MI300X OAM", "mi300x", 196592},
    {"AMD Instinct MI300X", "mi300x"},
    {"AMD_Instinct_MI300X_OAM", "mi300x"},  // Kubernetes' amd.com/gpu.product-name
    {"AMD Instinct MI325X", "mi325x", 262128},
    {"AMD Instinct MI355X", "mi355x"},
    {"TPU v2", "tpu-v2"},
    {"TPU v3", "tpu-v3"},
    {"TPU v4", "tpu-v4"},
    {"tpu-v4-podslice", "tpu-v4"},
    {"TPU v4 lite", "tpu-v4i"},
    {"TPU v5 lite", "tpu-v5e"},
    {"tpu-v5-lite-podslice", "tpu-v5e"},
    {"tpu-v5-lite-device", "tpu-v5e"},
    {"TPU v5e chip", "tpu-v5e"},
    {"tpu-v5p-slice", "tpu-v5p"},
    {"Google TPU v5p", "tpu-v5p"},
    {"TPU v6 lite", "tpu-v6e"},
    {"tpu-v6e-slice", "tpu-v6e"},
    {"tpu7x", "tpu-v7", 196608},
};

std::optional<double> known_bytes(double memory_mib) {
  return memory_mib == 0 ? std::nullopt : std::optional(memory_mib * bytes_per_mib);
}

TEST(BoardNames, NamesOfDriversAreDevicesOfTheCatalogue) {
  for (const RealName& real : real_names) {
    const auto id = catalogue_id_of(real.name, known_bytes(real.memory_mib));
    ASSERT_TRUE(id) << real.name;
    EXPECT_EQ(*id, real.id) << real.name;
    const auto entry = Catalogue::embedded().device(std::string(*id));
    ASSERT_TRUE(entry) << real.name << ": " << entry.error().message;
    if (real.memory_mib == 0) continue;
    // A driver keeps a part of the memory for itself, with ECC up to a tenth.
    const double share = real.memory_mib * bytes_per_mib / (*entry)->spec.memory.bytes;
    EXPECT_GT(share, 0.89) << real.name;
    EXPECT_LT(share, 1.03) << real.name;
  }
}

// TPU v1 is known from a paper only; no driver of it is public.
TEST(BoardNames, EveryDeviceButOneHasAName) {
  std::set<std::string> unnamed;
  for (const auto& [id, entry] : Catalogue::embedded().devices()) unnamed.insert(id);
  for (const RealName& real : real_names) unnamed.erase(real.id);
  EXPECT_EQ(unnamed, std::set<std::string>{"tpu-v1"});
}

TEST(BoardNames, WhatIsOnlyAlikeIsNone) {
  const RealName others[] = {
      {"NVIDIA H100", ""},  // of which form?
      {"NVIDIA A100", ""},
      {"NVIDIA A100 80GB", ""},
      {"nvidia-a100-80gb", ""},
      {"NVIDIA A100-SXM-64GB", ""},  // made for one computer
      {"NVIDIA A10G", ""},           // other clocks and memory than an A10
      {"NVIDIA A16", ""},
      {"NVIDIA A800-SXM4-80GB", ""},
      {"NVIDIA H800 PCIe", ""},
      {"NVIDIA H20-3e", ""},  // 141 GB
      {"NVIDIA H100 NVL 94GB HBM3 MIG 1g.12gb", ""},
      {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", ""},
      {"GRID A100D-20C", ""},
      {"GRID T4-1Q", ""},
      {"NVIDIA GH200 120GB", ""},
      {"NVIDIA B200", ""},  // 180 or 192 GB?
      {"NVIDIA B200", "", 96000},
      {"Tesla P100-PCIE-12GB", ""},
      {"Tesla V100-SXM2-16GB-N", ""},
      {"Tesla V100S-PCIE-32GB", ""},
      {"Tesla V100-DGXS-32GB", ""},
      {"Tesla V100-FHHL-16GB", ""},
      {"NVIDIA GeForce RTX 3080", ""},  // 10 or 12 GB?
      {"NVIDIA GeForce RTX 3080", "", 12288},
      {"NVIDIA GeForce RTX 3080 Ti", "", 12288},
      {"NVIDIA GeForce RTX 3080 Laptop GPU", "", 10240},
      {"NVIDIA GeForce RTX 3070 Ti", ""},
      {"NVIDIA GeForce RTX 3070 Laptop GPU", ""},
      {"NVIDIA GeForce RTX 3090 Ti", ""},
      {"NVIDIA GeForce RTX 4090 D", ""},
      {"NVIDIA GeForce RTX 4090 Laptop GPU", ""},
      {"NVIDIA GeForce GTX 1080", ""},
      {"NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", ""},  // 300 W
      {"NVIDIA RTX 6000", ""},
      {"NVIDIA L40G", ""},
      {"NVIDIA L20", ""},
      {"AMD Instinct MI250X/MI250", ""},
      {"AMD Instinct MI300X OAM", "", 24576},  // one of eight partitions
      {"AMD Instinct MI300A", ""},
      {"AMD Instinct MI308X", ""},
      {"AMD Instinct MI300X VF", ""},
      {"AMD Radeon RX 7900 XTX", ""},
      {"102-G30211-0C", ""},  // an AMD card's part number
      {"TPU", ""},
      {"TPU v5", ""},  // jax means v5p, others do not
      {"tpu7x", ""},   // a chip, or one of its halves?
      {"tpu7x", "", 98304},
      {"Tenstorrent Grayskull e75 120W", ""},
      {"", ""},
      {"NVIDIA", ""},
  };
  for (const RealName& other : others) {
    EXPECT_EQ(catalogue_id_of(other.name, known_bytes(other.memory_mib)), std::nullopt)
        << other.name;
  }
  EXPECT_EQ(catalogue_id_of(std::string(1'000'000, 'x')), std::nullopt);
}

}  // namespace
}  // namespace drover::devices
