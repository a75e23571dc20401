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

template <typename Body>
bool equal_bodies(const AnyMessage& a, const AnyMessage& b) {
  return *std::get_if<Body>(&a) == *std::get_if<Body>(&b);
}

// A table: std::visit takes longer to compile.
#define DROVER_EQUAL(body, ...) &equal_bodies<body>,
constexpr std::array<EqualBodies, std::variant_size_v<AnyMessage>> equal_table{
    DROVER_MESSAGES(DROVER_EQUAL)};
#undef DROVER_EQUAL

#define DROVER_FACTS(body, sender, receiver, publication) \
  {#body, SenderRole::sender, ReceiverRole::receiver, Publication::publication},
constexpr std::array<MessageFacts, std::variant_size_v<AnyMessage>> message_table{
    {DROVER_MESSAGES(DROVER_FACTS)}};
#undef DROVER_FACTS

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
  return index() == other.index() && equal_table[index()](*this, other);
}

const MessageFacts& facts(const Message& message) { return message_table[message.index()]; }

template <typename Body>
requires is_alternative<Body, AnyMessage> Message::Message(Body body)
    : AnyMessage(std::in_place_type<Body>, std::move(body)) {}

#define DROVER_CONSTRUCTOR(body, ...) template Message::Message(body);
DROVER_MESSAGES(DROVER_CONSTRUCTOR)
#undef DROVER_CONSTRUCTOR

}  // namespace drover
