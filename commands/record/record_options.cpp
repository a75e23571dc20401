#include "commands/record/record_options.h"

#include <random>
#include <utility>

#include "commands/connection/session.h"
#include "fleet/base/random_stream.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/base/version.h"

namespace drover::commands {

Option min_free_option() {
  return {"min-free", "BYTES", "stop recording if the disk has less free space (default 256MiB)"};
}

RecorderOptions read_recorder(Arguments& arguments, std::string path, bool force) {
  RecorderOptions options;
  options.path = std::move(path);
  options.force = force;
  options.disk_free_bytes_min =
      arguments.parsed("min-free", parse_bytes, options.disk_free_bytes_min);
  return options;
}

RecordingStart recording_start(Instant now, double speed) {
  std::random_device kernel;
  RandomStream random((static_cast<std::uint64_t>(kernel()) << 32) | kernel());
  return {now, speed, software_name, {}, generate_incarnation(random)};
}

std::string missing_text(const Recorder& recorder) {
  if (recorder.dropped() == 0 && recorder.lost() == 0) return {};
  return fmt::format("{} lost before they arrived, {} dropped because the queue was full",
                     counted(recorder.lost(), "message was", "messages were"),
                     counted(recorder.dropped(), "was", "were"));
}

}  // namespace drover::commands
