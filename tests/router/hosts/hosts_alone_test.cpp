// Hosts and DeviceAvailability without a router.
#include <gtest/gtest.h>

#include "router/decision/candidates.h"
#include "router/hosts/hosts.h"
#include "tests/router/table_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

struct HostTables : RouterTables {
  Hosts hosts{{settings,  policy,       fleet_state,  estimator,   connections, jobs,
               queue,     tenants,      accounting,   host_counts, conditions,  replica_controller,
               sent_caps, outbox,       publisher,    rejected,    outliers,    reserved,
               attempts,  availability, board_reports},
              JoinAccepted{},
              now};
  HostIndex join(const std::string& name) {
    ConnectionEntry& line = connections.touch(now, 1);
    hosts.handle(now, {{Channel::control, 1}, line, ""}, RouterHarness::registration(name));
    return fleet_state.find_host(name).value();
  }
};

TEST(Hosts, ThatFallSilentAreSuspectAndThenLost) {
  HostTables tables;
  const HostIndex host = tables.join("h1");
  std::vector<Health> seen;
  for (int second = 1; second <= 14; ++second) {
    tables.hosts.sweep(tables.now + seconds(second));
    const Health health = tables.fleet_state.hosts()[host].health;
    if (seen.empty() || seen.back() != health) seen.push_back(health);
  }
  EXPECT_EQ(seen, (std::vector<Health>{Health::ok, Health::suspect, Health::lost}));
}

TEST(Hosts, AnAgentThatHasNotRegisteredIsAskedToOncePerHeartbeat) {
  HostTables tables;
  EXPECT_FALSE(tables.hosts.record_contact(tables.now, tables.caller()));
  EXPECT_FALSE(tables.hosts.record_contact(tables.now, tables.caller()));
  EXPECT_EQ(tables.take<Reregister>().size(), 1u);
  EXPECT_TRUE(tables.hosts.record_contact(tables.now, tables.caller("h1")));
}

TEST(DeviceAvailability, DrainsAndResumesTheDevicesOfAnOrder) {
  RouterTables tables;
  const HostIndex host = tables.add_host("h1");
  const DeviceIndex device = tables.fleet_state.hosts()[host].devices[3];
  const auto closed = [&] { return is_closed(tables.fleet_state.devices(), device); };
  tables.drains.apply(tables.now, {"device:h1/3", true, Duration{0}});
  tables.availability.reapply_drains(tables.now);
  EXPECT_TRUE(closed());
  ASSERT_EQ(tables.take<DeviceChanged>().size(), 1u);
  tables.drains.apply(tables.now, {"device:h1/3", false, Duration{0}});
  tables.availability.reapply_drains(tables.now);
  EXPECT_FALSE(closed());
}

TEST(DeviceAvailability, AnUnknownDeviceInAReportIsDropped) {
  RouterTables tables;
  tables.add_host("h1");
  DeviceReport report;
  report.device = 8;
  report.usable = false;
  tables.availability.handle(tables.now, tables.caller("h1"), report);
  EXPECT_EQ(tables.rejected.dropped().total(), 1u);
  EXPECT_TRUE(tables.conditions.all().empty());
}

}  // namespace
}  // namespace drover::router
