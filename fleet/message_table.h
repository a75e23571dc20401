// The table of all messages: one row for each.
//
// The place of a row is the message's number on the wire and in recordings: add new rows at the
// end. The struct is in the headers that fleet/messages.h includes, its fields are in fleet/codec/.
// docs/protocol.md has the same facts; a test compares the two.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover {

/// Who may send a message to a router. The permissions of a key's role (fleet/keys/keys.h) and of a
/// connection's role (router/health/connection_table.h) both follow from it.
/// docs/connection-keys.md lists it.
enum class SenderRole : std::uint8_t {
  nobody,         // only the router sends it
  anyone,         // every peer
  agent,          // an agent, on the control channel
  sampler,        // an agent, on the samples channel
  reader,         // a client or viewer that changes nothing of the fleet
  submitter,      // a client that submits jobs
  administrator,  // a client that changes the fleet
};

/// To whom a router sends a message on the control channel. `client`: viewers as well.
enum class ReceiverRole : std::uint8_t { nobody, anyone, agent, client };

/// How a router publishes a message. The topic for subscribers and the channel in a recording both
/// follow from it.
enum class Publication : std::uint8_t {
  none,
  samples,
  state,
  jobs,
  decisions,
  events,
  audit,
  alerts,
  bundles
};

/// A row of the table.
struct MessageFacts {
  std::string_view name;
  SenderRole sender;
  ReceiverRole receiver;
  Publication publication;
};

// In each row: the struct, SenderRole, ReceiverRole, Publication. A macro, because each struct is
// also the name of the message and the argument of an explicit instantiation.
// clang-format off
#define DROVER_MESSAGES(MESSAGE) \
  MESSAGE(Join,             anyone,        nobody, none)      \
  MESSAGE(JoinAccepted,     nobody,        anyone, none)      \
  MESSAGE(JoinRejected,     nobody,        anyone, none)      \
  MESSAGE(Register,         agent,         nobody, none)      \
  MESSAGE(Reregister,       nobody,        agent,  none)      \
  MESSAGE(Heartbeat,        agent,         agent,  none)      \
  MESSAGE(Superseded,       nobody,        agent,  none)      \
  MESSAGE(Assign,           nobody,        agent,  none)      \
  MESSAGE(Accepted,         agent,         nobody, none)      \
  MESSAGE(Refused,          agent,         nobody, none)      \
  MESSAGE(Progress,         agent,         nobody, none)      \
  MESSAGE(Finished,         agent,         nobody, none)      \
  MESSAGE(Failed,           agent,         nobody, none)      \
  MESSAGE(ResultStored,     nobody,        agent,  none)      \
  MESSAGE(Cancel,           nobody,        agent,  none)      \
  MESSAGE(StartReplica,     nobody,        agent,  none)      \
  MESSAGE(RetireReplica,    nobody,        agent,  none)      \
  MESSAGE(ReplicaReport,    agent,         nobody, none)      \
  MESSAGE(SampleBatch,      sampler,       nobody, samples)   \
  MESSAGE(Submit,           submitter,     nobody, none)      \
  MESSAGE(SubmitReply,      nobody,        client, none)      \
  MESSAGE(JobsRequest,      reader,        nobody, none)      \
  MESSAGE(JobsReply,        nobody,        client, none)      \
  MESSAGE(WhyRequest,       reader,        nobody, none)      \
  MESSAGE(WhyReply,         nobody,        client, none)      \
  MESSAGE(SummaryRequest,   reader,        nobody, none)      \
  MESSAGE(EndRunRequest,    administrator, nobody, none)      \
  MESSAGE(Summary,          nobody,        client, state)     \
  MESSAGE(SnapshotRequest,  reader,        nobody, none)      \
  MESSAGE(SnapshotPart,     nobody,        client, none)      \
  MESSAGE(RequestError,     nobody,        client, none)      \
  MESSAGE(HostChanged,      nobody,        nobody, state)     \
  MESSAGE(ReplicaChanged,   nobody,        nobody, state)     \
  MESSAGE(JobChanged,       nobody,        nobody, jobs)      \
  MESSAGE(Decision,         nobody,        nobody, decisions) \
  MESSAGE(Event,            nobody,        nobody, events)    \
  MESSAGE(Leave,            agent,         nobody, none)      \
  MESSAGE(InjectFault,      administrator, nobody, none)      \
  MESSAGE(SetPowerCap,      administrator, nobody, none)      \
  MESSAGE(ActionReply,      nobody,        client, none)      \
  MESSAGE(Audit,            nobody,        nobody, audit)     \
  MESSAGE(ApplyFault,       nobody,        agent,  none)      \
  MESSAGE(DeviceReport,     agent,         nobody, none)      \
  MESSAGE(DeviceChanged,    nobody,        nobody, state)     \
  MESSAGE(PolicyChanged,    nobody,        nobody, state)     \
  MESSAGE(Alert,            nobody,        nobody, alerts)    \
  MESSAGE(Caption,          administrator, nobody, events)    \
  MESSAGE(SetDrain,         administrator, nobody, none)      \
  MESSAGE(CancelJobs,       administrator, nobody, none)      \
  MESSAGE(CancelReply,      nobody,        client, none)      \
  MESSAGE(ApplyPolicy,      administrator, nobody, none)      \
  MESSAGE(PolicyRequest,    reader,        nobody, none)      \
  MESSAGE(PolicyReply,      nobody,        client, none)      \
  MESSAGE(MemberStepTime,   agent,         nobody, none)      \
  MESSAGE(GangStepTime,     nobody,        agent,  none)      \
  MESSAGE(CapDevices,       nobody,        agent,  none)      \
  MESSAGE(AcknowledgeAlert, administrator, nobody, none)      \
  MESSAGE(ForgetHost,       administrator, nobody, none)      \
  MESSAGE(HostForgotten,    nobody,        nobody, state)     \
  MESSAGE(BoardReport,      agent,         nobody, none)      \
  MESSAGE(BoardChanged,     nobody,        nobody, state)     \
  MESSAGE(HostUnreachable,  agent,         nobody, none)      \
  MESSAGE(Bundle,           nobody,        nobody, bundles)   \
  MESSAGE(HistoryRequest,   reader,        nobody, none)      \
  MESSAGE(HistoryReply,     nobody,        client, none)      \
  MESSAGE(Bookmark,         reader,        nobody, none)      \
  MESSAGE(BookmarkReply,    nobody,        client, none)
// clang-format on

}  // namespace drover
