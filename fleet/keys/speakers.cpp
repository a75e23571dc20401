#include "fleet/keys/speakers.h"

namespace drover {
namespace {

struct SpeakerOf {
  Speaker operator()(const Join&) const { return Speaker::anyone; }
  Speaker operator()(const Hello&) const { return Speaker::agent; }
  Speaker operator()(const Heartbeat&) const { return Speaker::agent; }
  Speaker operator()(const Accepted&) const { return Speaker::agent; }
  Speaker operator()(const MemberPace&) const { return Speaker::agent; }
  Speaker operator()(const Refused&) const { return Speaker::agent; }
  Speaker operator()(const Progress&) const { return Speaker::agent; }
  Speaker operator()(const Finished&) const { return Speaker::agent; }
  Speaker operator()(const Failed&) const { return Speaker::agent; }
  Speaker operator()(const ReplicaReport&) const { return Speaker::agent; }
  Speaker operator()(const Leave&) const { return Speaker::agent; }
  Speaker operator()(const DeviceReport&) const { return Speaker::agent; }
  Speaker operator()(const SampleBatch&) const { return Speaker::sampler; }
  Speaker operator()(const JobsRequest&) const { return Speaker::asker; }
  Speaker operator()(const WhyRequest&) const { return Speaker::asker; }
  Speaker operator()(const SummaryRequest&) const { return Speaker::asker; }
  Speaker operator()(const SnapshotRequest&) const { return Speaker::asker; }
  Speaker operator()(const PolicyRequest&) const { return Speaker::asker; }
  Speaker operator()(const Submit&) const { return Speaker::submitter; }
  Speaker operator()(const EndRequest&) const { return Speaker::administrator; }
  Speaker operator()(const Inject&) const { return Speaker::administrator; }
  Speaker operator()(const SetPowerCap&) const { return Speaker::administrator; }
  Speaker operator()(const SetDrain&) const { return Speaker::administrator; }
  Speaker operator()(const CancelJobs&) const { return Speaker::administrator; }
  Speaker operator()(const ApplyPolicy&) const { return Speaker::administrator; }
  Speaker operator()(const AcknowledgeAlert&) const { return Speaker::administrator; }
  Speaker operator()(const ForgetHost&) const { return Speaker::administrator; }
  Speaker operator()(const Caption&) const { return Speaker::administrator; }
  template <typename Other>
  Speaker operator()(const Other&) const {
    return Speaker::nobody;
  }
};

}  // namespace

Speaker speaker_of(const Message& message) { return std::visit(SpeakerOf{}, message); }

}  // namespace drover
