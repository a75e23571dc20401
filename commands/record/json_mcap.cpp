#include "commands/record/json_mcap.h"

#include "commands/connection/session.h"
#include "commands/record/recording_rows.h"
#include "fleet/base/version.h"

namespace drover::commands {

namespace {

using recording::Bytes;
using recording::Opcode;
using recording::record;

constexpr std::size_t chunk_bytes = 1U << 20;

}  // namespace

std::string JsonMcap::begin() {
  recording::FileForm form{"", software_name, {}, {}};
  for (const RecordingChannel channel : channels_) {
    const auto number = static_cast<std::uint16_t>(channel);
    const std::string name(to_text(channel));
    Bytes schema;
    schema.u16(number).text("drover." + name).text("jsonschema").text(schema_of(channel).dump());
    form.schemas.push_back(record(Opcode::schema, schema.view()));
    Bytes described;
    described.u16(number).u16(number).text(name).text("json").u32(0);
    form.channels.push_back(record(Opcode::channel, described.view()));
  }
  return file_.begin(std::move(form));
}

std::string JsonMcap::add(RecordingChannel channel, Instant arrived, Instant published,
                          std::string_view json) {
  chunk_.add(channel, ++count_, arrived, published, json);
  return chunk_.size() < chunk_bytes ? std::string() : close_chunk();
}

std::string JsonMcap::close_chunk() {
  if (chunk_.empty()) return {};
  std::string bytes = file_.chunk(chunk_, 0);
  chunk_.clear();
  return bytes;
}

std::string JsonMcap::end() {
  std::string bytes = close_chunk();
  return bytes + file_.end();
}

}  // namespace drover::commands
