#include "fleet/messages.h"

#include <array>
#include <memory>
#include <utility>

#include "fleet/base/enum_tables.h"

namespace drover {
namespace {

constexpr std::array<std::string_view, 2> device_class_names{"gpu", "tpu"};
constexpr std::array<std::string_view, 5> replica_state_names{"loading", "compiling", "ready",
                                                              "draining", "gone"};
constexpr std::array<std::string_view, 4> submit_status_names{"accepted", "exists", "conflict",
                                                              "refused"};
constexpr std::array<std::string_view, 5> action_names{"assign", "queue", "reject", "start_replica",
                                                       "retire_replica"};
constexpr std::array<std::string_view, 4> health_names{"ok", "suspect", "lost", "left"};
constexpr std::array<std::string_view, 6> metric_names{
    "none", "training_time", "first_token", "per_token", "cost_per_unit", "energy_per_unit"};
constexpr std::array<std::string_view, 3> severity_names{"info", "warning", "critical"};
constexpr std::array<std::string_view, 4> cancel_status_names{"cancelled", "cancelling", "ended",
                                                              "unknown"};

using EqualBodies = bool (*)(const AnyMessage&, const AnyMessage&);

template <std::size_t... kinds>
constexpr std::array<EqualBodies, sizeof...(kinds)> equal_of(std::index_sequence<kinds...>) {
  return {[](const AnyMessage& a, const AnyMessage& b) {
    return *std::get_if<kinds>(&a) == *std::get_if<kinds>(&b);
  }...};
}

constexpr auto equal_bodies = equal_of(std::make_index_sequence<std::variant_size_v<AnyMessage>>());

}  // namespace

std::string_view to_text(DeviceClass device_class) {
  return row_at(device_class_names, device_class);
}

std::string_view to_text(ReplicaState state) { return row_at(replica_state_names, state); }

std::string_view to_text(SubmitStatus status) { return row_at(submit_status_names, status); }

std::string_view to_text(ClassMetric metric) { return row_at(metric_names, metric); }

std::string_view to_text(Action action) { return row_at(action_names, action); }

std::string_view to_text(Health health) { return row_at(health_names, health); }

std::string_view to_text(Severity severity) { return row_at(severity_names, severity); }

std::string_view to_text(CancelStatus status) { return row_at(cancel_status_names, status); }

Message::Message() = default;
Message::Message(const Message& other) = default;
Message::Message(Message&& other) noexcept = default;
// Assignment uses the constructors: std::variant's own assignment, instantiated for every kind,
// takes long to compile.
Message& Message::operator=(const Message& other) { return *this = Message(other); }
Message& Message::operator=(Message&& other) noexcept {
  if (this == &other) return *this;
  std::destroy_at(this);
  return *std::construct_at(this, std::move(other));
}
Message::~Message() = default;

bool Message::operator==(const Message& other) const {
  return index() == other.index() && equal_bodies[index()](*this, other);
}

template <typename Body>
requires is_alternative<Body, AnyMessage> Message::Message(Body body)
    : AnyMessage(std::in_place_type<Body>, std::move(body)) {}

template Message::Message(Join);
template Message::Message(JoinAccepted);
template Message::Message(JoinRejected);
template Message::Message(Register);
template Message::Message(Reregister);
template Message::Message(Heartbeat);
template Message::Message(Superseded);
template Message::Message(Assign);
template Message::Message(Accepted);
template Message::Message(Refused);
template Message::Message(Progress);
template Message::Message(Finished);
template Message::Message(Failed);
template Message::Message(ResultStored);
template Message::Message(Cancel);
template Message::Message(StartReplica);
template Message::Message(RetireReplica);
template Message::Message(ReplicaReport);
template Message::Message(SampleBatch);
template Message::Message(Submit);
template Message::Message(SubmitReply);
template Message::Message(JobsRequest);
template Message::Message(JobsReply);
template Message::Message(WhyRequest);
template Message::Message(WhyReply);
template Message::Message(SummaryRequest);
template Message::Message(EndRunRequest);
template Message::Message(Summary);
template Message::Message(SnapshotRequest);
template Message::Message(SnapshotPart);
template Message::Message(RequestError);
template Message::Message(HostChanged);
template Message::Message(ReplicaChanged);
template Message::Message(JobChanged);
template Message::Message(Decision);
template Message::Message(Event);
template Message::Message(Leave);
template Message::Message(InjectFault);
template Message::Message(SetPowerCap);
template Message::Message(ActionReply);
template Message::Message(Audit);
template Message::Message(ApplyFault);
template Message::Message(DeviceReport);
template Message::Message(DeviceChanged);
template Message::Message(PolicyChanged);
template Message::Message(Alert);
template Message::Message(Caption);
template Message::Message(SetDrain);
template Message::Message(CancelJobs);
template Message::Message(CancelReply);
template Message::Message(ApplyPolicy);
template Message::Message(PolicyRequest);
template Message::Message(PolicyReply);
template Message::Message(MemberStepTime);
template Message::Message(GangStepTime);
template Message::Message(CapDevices);
template Message::Message(AcknowledgeAlert);
template Message::Message(ForgetHost);
template Message::Message(HostForgotten);

}  // namespace drover
