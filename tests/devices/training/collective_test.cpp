// Collectives over links, hosts and tori: laws that hold for any constants.
#include "devices/training/collective.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"

namespace drover::devices {
namespace {

constexpr double mib = 1024.0 * 1024.0;

const std::vector<CollectiveKind> all_collectives = {
    CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
    CollectiveKind::all_to_all, CollectiveKind::broadcast,  CollectiveKind::send_recv,
    CollectiveKind::exchange};

LinkSpec switched() {
  LinkSpec links;
  links.kind = LinkKind::switched;
  links.bandwidth = 450e9;
  links.domain = 8;
  links.host_bandwidth = 63e9;
  return links;
}

LinkSpec summing_switch() {
  LinkSpec links = switched();
  links.collectives.nvls_share = 0.6;
  links.collectives.nvls_start_s = 60e-6;
  links.collectives.nvls_ll_share = 0.84;
  links.collectives.nvls_ll_start_s = 31e-6;
  return links;
}

LinkSpec torus(int axes, int wrap_axis) {
  LinkSpec links;
  links.kind = LinkKind::torus;
  links.axes = axes;
  links.wrap_axis = wrap_axis;
  links.axis_link = 100e9;
  links.bandwidth = links.axis_link * 2 * axes;
  links.domain = 4096;
  links.collectives.ring_step_s = 1e-6;
  return links;
}

NetworkSpec nics(int count) {
  NetworkSpec network;
  network.nics = count;
  network.nic_bandwidth = 25e9;
  return network;
}

double collective_seconds(CollectiveKind collective, double bytes, CollectiveGroup group,
                          const LinkSpec& links) {
  return collective_s(collective, bytes, group, links, nics(8));
}

TEST(Collectives, AreReadByTheNamesThatTablesUse) {
  EXPECT_EQ(parse_collective("all_reduce"), CollectiveKind::all_reduce);
  EXPECT_EQ(parse_collective("AllReduce"), CollectiveKind::all_reduce);
  EXPECT_EQ(parse_collective("all-to-all"), CollectiveKind::all_to_all);
  EXPECT_EQ(parse_collective("send_recv"), CollectiveKind::send_recv);
  EXPECT_EQ(parse_collective("sendrecv"), CollectiveKind::exchange);
  EXPECT_EQ(parse_collective("alltoall"), CollectiveKind::all_to_all);
  EXPECT_EQ(parse_collective("reduce"), CollectiveKind::broadcast);
  EXPECT_EQ(parse_collective("gossip"), std::nullopt);
  for (const CollectiveKind collective : all_collectives) {
    EXPECT_EQ(parse_collective(to_text(collective)), collective);
  }
}

TEST(Collectives, OfOneDeviceTakeNoTime) {
  for (const CollectiveKind collective : all_collectives) {
    EXPECT_EQ(collective_seconds(collective, mib, {1, 1, 1}, switched()), 0.0);
  }
}

TEST(Collectives, NeverGetFasterWithMoreBytes) {
  const std::vector<LinkSpec> kinds = {switched(), summing_switch(), torus(2, 16), torus(3, 4)};
  for (const LinkSpec& links : kinds) {
    for (const CollectiveKind collective : all_collectives) {
      for (const CollectiveGroup group : {CollectiveGroup{2, 2, 1}, CollectiveGroup{8, 8, 1},
                                          CollectiveGroup{16, 8, 1}, CollectiveGroup{64, 8, 8}}) {
        double before = 0;
        for (double bytes = 1024; bytes < 4e9; bytes *= 2) {
          const double now = collective_seconds(collective, bytes, group, links);
          EXPECT_GE(now, before) << to_text(collective) << " of " << bytes;
          EXPECT_TRUE(std::isfinite(now));
          before = now;
        }
      }
    }
  }
}

TEST(Collectives, NeverExceedTheLinkBandwidth) {
  // A ring of n cannot move less than (n-1)/n of the bytes over every link; switches that add carry
  // every byte once.
  for (const int devices : {2, 4, 8}) {
    for (double bytes = mib; bytes < 4e9; bytes *= 4) {
      const double gather = collective_seconds(CollectiveKind::all_gather, bytes,
                                               {devices, devices, 1}, summing_switch());
      EXPECT_GT(gather, bytes * (devices - 1) / devices / 450e9);
      const double reduce = collective_seconds(CollectiveKind::all_reduce, bytes,
                                               {devices, devices, 1}, summing_switch());
      EXPECT_GT(reduce, bytes / 450e9);
      EXPECT_GT(collective_seconds(CollectiveKind::send_recv, bytes, {2, 2, 1}, summing_switch()),
                bytes / 450e9);
    }
  }
}

TEST(Collectives, BetterLinksAndCardsAreNeverSlower) {
  for (const CollectiveKind collective : all_collectives) {
    for (const CollectiveGroup group : {CollectiveGroup{2, 2, 1}, CollectiveGroup{8, 8, 1},
                                        CollectiveGroup{16, 8, 1}, CollectiveGroup{16, 2, 4}}) {
      for (double bytes = 1024; bytes < 4e9; bytes *= 8) {
        LinkSpec fast = summing_switch();
        fast.bandwidth *= 2;
        EXPECT_LE(collective_seconds(collective, bytes, group, fast),
                  collective_seconds(collective, bytes, group, summing_switch()));
        EXPECT_LE(collective_s(collective, bytes, group, switched(), nics(8)),
                  collective_s(collective, bytes, group, switched(), nics(4)));
      }
    }
  }
}

TEST(Collectives, ALargeAllReduceTakesAsLongAsReduceScatterPlusAllGather) {
  LinkSpec links = switched();
  links.collectives.copy_bandwidth = 1e18;
  const double bytes = 4e9;
  const double reduce = collective_seconds(CollectiveKind::all_reduce, bytes, {8, 8, 1}, links);
  const double parts = collective_seconds(CollectiveKind::reduce_scatter, bytes, {8, 8, 1}, links) +
                       collective_seconds(CollectiveKind::all_gather, bytes, {8, 8, 1}, links);
  EXPECT_NEAR(reduce / parts, 1, 0.01);
}

TEST(Collectives, AcrossHostsAreSlowerThanWithin) {
  for (const CollectiveKind collective : all_collectives) {
    EXPECT_GT(collective_seconds(collective, 64 * mib, {8, 4, 1}, switched()),
              collective_seconds(collective, 64 * mib, {8, 8, 1}, switched()));
  }
}

TEST(Collectives, GroupsThatShareNetworkCardsShareTheirBandwidth) {
  // Eight groups with one member on each of two hosts: each has one of the eight cards.
  const double alone = collective_seconds(CollectiveKind::all_reduce, 1e9, {2, 1, 1}, switched());
  const double eight = collective_seconds(CollectiveKind::all_reduce, 1e9, {2, 1, 8}, switched());
  const double sixteen =
      collective_seconds(CollectiveKind::all_reduce, 1e9, {2, 1, 16}, switched());
  EXPECT_DOUBLE_EQ(alone, eight);
  EXPECT_GT(sixteen, 1.9 * eight);
}

TEST(Bridges, JoinTwoDevicesAndLargerGroupsGoThroughTheHost) {
  LinkSpec links = switched();
  links.kind = LinkKind::pair;
  links.domain = 2;
  EXPECT_EQ(group_bandwidth(links, 2), 450e9);
  EXPECT_EQ(group_bandwidth(links, 4), 63e9);
  // NVIDIA/nccl-tests issue 178: bridged A100s reach 208 GB/s in pairs, three of them 20 GB/s.
  links.bandwidth = 300e9;
  links.host_bandwidth = 31.5e9;
  const double bytes = 4e9;
  const double bus =
      bytes * 2 * 2 / 3 / collective_seconds(CollectiveKind::all_reduce, bytes, {3, 3, 1}, links);
  EXPECT_NEAR(bus, 20e9, 1e9);
}

TEST(Meshes, ReachAsManyPeersAsTheGroupHas) {
  LinkSpec links = switched();
  links.kind = LinkKind::mesh;
  links.peers = 7;
  links.bandwidth = 7 * 64e9;
  EXPECT_DOUBLE_EQ(group_bandwidth(links, 2), 64e9);
  EXPECT_DOUBLE_EQ(group_bandwidth(links, 8), 7 * 64e9);
}

TEST(Tori, AreAsSquareAsTheirChipsAllow) {
  using Shape = std::array<int, 3>;
  EXPECT_EQ(torus_of(torus(2, 16), 8).lengths, (Shape{1, 2, 4}));
  EXPECT_EQ(torus_of(torus(2, 16), 256).lengths, (Shape{1, 16, 16}));
  EXPECT_EQ(torus_of(torus(3, 4), 64).lengths, (Shape{4, 4, 4}));
  EXPECT_EQ(torus_of(torus(3, 4), 128).lengths, (Shape{4, 4, 8}));
  EXPECT_EQ(torus_of(torus(3, 4), 7).lengths, (Shape{1, 1, 7}));
  EXPECT_EQ(torus_of(torus(2, 16), 1).lengths, (Shape{1, 1, 1}));
}

TEST(Tori, WrapAroundOnFullAxesOnly) {
  EXPECT_FALSE(torus_of(torus(2, 16), 64).joined[2]);
  EXPECT_TRUE(torus_of(torus(2, 16), 256).joined[2]);
  EXPECT_TRUE(torus_of(torus(3, 4), 128).joined[0]);
}

TEST(Tori, WithoutWraparoundTakeTwiceAsLong) {
  // reference: jax-ml "How to Scale Your Model", sharded matrices.
  const double joined =
      collective_seconds(CollectiveKind::all_gather, 1e9, {16, 16, 1}, torus(2, 4));
  const double open =
      collective_seconds(CollectiveKind::all_gather, 1e9, {16, 16, 1}, torus(2, 16));
  EXPECT_NEAR(open / joined, 2, 0.01);
}

TEST(Tori, WithMoreAxesGatherFaster) {
  const double two = collective_seconds(CollectiveKind::all_gather, 1e9, {64, 64, 1}, torus(2, 4));
  const double three =
      collective_seconds(CollectiveKind::all_gather, 1e9, {64, 64, 1}, torus(3, 4));
  EXPECT_NEAR(two / three, 1.5, 0.01);
}

TEST(Tori, AreBoundByHopLatencyForSmallMessages) {
  // 16 x 16: 8 hops on each axis, there and back, 1 us each.
  const double small =
      collective_seconds(CollectiveKind::all_reduce, 1024, {256, 256, 1}, torus(2, 16));
  EXPECT_GT(small, 32e-6);
  EXPECT_LT(small, 60e-6);
}

TEST(Slices, AreJoinedByTheSlowerNetwork) {
  const double one =
      collective_seconds(CollectiveKind::all_reduce, 1e9, {256, 256, 1}, torus(2, 16));
  const double two =
      collective_seconds(CollectiveKind::all_reduce, 1e9, {512, 256, 1}, torus(2, 16));
  EXPECT_GT(two, one);
}

TEST(EveryDevice, EstimatesEveryCollectiveAndNeverFasterForMoreBytes) {
  for (const auto& [id, entry] : Catalogue::embedded().devices()) {
    for (const CollectiveKind collective : all_collectives) {
      for (const int devices : {2, 3, 4, 8, 16, 64, 256}) {
        const CollectiveGroup group{devices, devices_per_host(entry.spec, devices, {}), 1};
        if (group.hosts() > 1 && entry.spec.network.bandwidth <= 0) continue;
        double before = 0;
        for (double bytes = 1024; bytes < 4e9; bytes *= 16) {
          const double now =
              collective_s(collective, bytes, group, links_of(entry.spec), network_of(entry.spec));
          EXPECT_TRUE(std::isfinite(now) && now >= before)
              << id << " " << to_text(collective) << " " << devices << " " << bytes;
          before = now;
        }
      }
    }
  }
}

// Figures of other sources than the timings: bus bandwidth of an all-reduce of 1 GiB, 2(n-1)/n of
// the bytes.
TEST(EveryDevice, ReachesThePublishedBusBandwidths) {
  struct Row {
    const char* device;
    int devices;
    double bus_gb_s, tolerance;
  };
  const Row rows[] = {
      {"a100-sxm-80gb", 2, 194, 0.10},  // vTrain's NCCL tables
      {"a100-sxm-80gb", 4, 220, 0.10},
      {"a100-sxm-80gb", 8, 230, 0.10},
      {"a100-pcie-80gb", 2, 208, 0.10},  // NVIDIA/nccl-tests issue 178
      {"a100-pcie-80gb", 3, 20, 0.10},
      {"h200-sxm", 8, 475, 0.10},  // NVIDIA/nccl-tests issue 272, at 4 GiB
  };
  for (const Row& row : rows) {
    const DeviceSpec& device = Catalogue::embedded().devices().at(row.device).spec;
    const double bytes = 1024 * mib;
    const double seconds =
        collective_s(CollectiveKind::all_reduce, bytes, {row.devices, row.devices, 1},
                     links_of(device), network_of(device));
    const double bus = bytes * 2 * (row.devices - 1) / row.devices / seconds;
    EXPECT_NEAR(bus / (row.bus_gb_s * 1e9), 1, row.tolerance) << row.device << " " << row.devices;
  }
}

}  // namespace
}  // namespace drover::devices
