#include "fleet/keys/sender_roles.h"

namespace drover {
namespace {

struct SpeakerOf {
  SenderRole operator()(const Join&) const { return SenderRole::anyone; }
  SenderRole operator()(const Register&) const { return SenderRole::agent; }
  SenderRole operator()(const Heartbeat&) const { return SenderRole::agent; }
  SenderRole operator()(const Accepted&) const { return SenderRole::agent; }
  SenderRole operator()(const MemberStepTime&) const { return SenderRole::agent; }
  SenderRole operator()(const Refused&) const { return SenderRole::agent; }
  SenderRole operator()(const Progress&) const { return SenderRole::agent; }
  SenderRole operator()(const Finished&) const { return SenderRole::agent; }
  SenderRole operator()(const Failed&) const { return SenderRole::agent; }
  SenderRole operator()(const ReplicaReport&) const { return SenderRole::agent; }
  SenderRole operator()(const Leave&) const { return SenderRole::agent; }
  SenderRole operator()(const DeviceReport&) const { return SenderRole::agent; }
  SenderRole operator()(const SampleBatch&) const { return SenderRole::sampler; }
  SenderRole operator()(const JobsRequest&) const { return SenderRole::reader; }
  SenderRole operator()(const WhyRequest&) const { return SenderRole::reader; }
  SenderRole operator()(const SummaryRequest&) const { return SenderRole::reader; }
  SenderRole operator()(const SnapshotRequest&) const { return SenderRole::reader; }
  SenderRole operator()(const PolicyRequest&) const { return SenderRole::reader; }
  SenderRole operator()(const Submit&) const { return SenderRole::submitter; }
  SenderRole operator()(const EndRunRequest&) const { return SenderRole::administrator; }
  SenderRole operator()(const InjectFault&) const { return SenderRole::administrator; }
  SenderRole operator()(const SetPowerCap&) const { return SenderRole::administrator; }
  SenderRole operator()(const SetDrain&) const { return SenderRole::administrator; }
  SenderRole operator()(const CancelJobs&) const { return SenderRole::administrator; }
  SenderRole operator()(const ApplyPolicy&) const { return SenderRole::administrator; }
  SenderRole operator()(const AcknowledgeAlert&) const { return SenderRole::administrator; }
  SenderRole operator()(const ForgetHost&) const { return SenderRole::administrator; }
  SenderRole operator()(const Caption&) const { return SenderRole::administrator; }
  template <typename Other>
  SenderRole operator()(const Other&) const {
    return SenderRole::nobody;
  }
};

}  // namespace

SenderRole sender_role_of(const Message& message) { return std::visit(SpeakerOf{}, message); }

}  // namespace drover
