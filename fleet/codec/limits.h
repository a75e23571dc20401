// Limits of messages. Each is checked before memory is allocated; docs/protocol.md lists them.
#pragma once

#include <cstddef>

#include "fleet/codec/codec.h"
#include "fleet/messages.h"

namespace drover::codec {

// Texts, besides name_bytes_max.
inline constexpr std::size_t text_bytes_max = 4096;      // a long error message, a screen of text
inline constexpr std::size_t label_bytes_max = 256;      // a label, pool, target or rule: one line
inline constexpr std::size_t field_name_bytes_max = 64;  // the longest in use has 22

// Hosts, besides devices_per_host_max and replicas_per_host_max.
inline constexpr std::size_t groups_max = 1024;  // per host
inline constexpr std::size_t specs_max = 64;     // kinds of device on one host
inline constexpr std::size_t labels_max = 64;    // per host
inline constexpr std::size_t held_max = 16'384;  // attempts per host, about 35 bytes each

// Jobs.
inline constexpr std::size_t precisions_max = 16;      // there are nine
inline constexpr std::size_t operations_max = 64;      // special operations of one workload
inline constexpr std::size_t versions_max = 16;        // software versions of one workload
inline constexpr std::size_t prefix_blocks_max = 512;  // of one prompt: 262,144 tokens
inline constexpr std::size_t throughputs_max = 64;     // device kinds times gang sizes
inline constexpr std::size_t jobs_reply_max = 1000;

// Decisions.
inline constexpr std::size_t decisions_max = 256;    // of one job: far above any retry budget
inline constexpr std::size_t candidates_max = 16;    // three are sent
inline constexpr std::size_t scores_max = 64;        // scorers of one rule
inline constexpr std::size_t rejections_max = 4096;  // pools times device kinds times reasons

inline constexpr std::size_t candidate_statuses_max = 4096;  // in one WhyReply
inline constexpr std::size_t reasons_max = 32;               // of one candidate: there are fewer
inline constexpr std::size_t nearest_max = 32;

// Summaries.
inline constexpr std::size_t classes_max = 256;  // of a policy
inline constexpr std::size_t senders_max = 65;   // 64 by name, and one for the others

// Actions.
inline constexpr std::size_t faults_max = 64;   // active on one device
inline constexpr std::size_t pools_max = 1024;  // of a policy

// Real devices, besides device_processes_max and device_partitions_max.
inline constexpr std::size_t missing_metrics_max = 64;  // of one device: there are fewer metrics

// Samples.
inline constexpr std::size_t column_bytes_max = batch_rows_max * 8;  // eight bytes are the widest

// Snapshots.
inline constexpr std::size_t part_messages_max = 16'384;  // in 256 KiB, at 16 bytes or more each

// Bundles.
inline constexpr std::size_t bundle_messages_max = 8'192;  // in 128 KiB, at 16 bytes or more each

// History.
inline constexpr std::size_t history_series_max = 256;
inline constexpr std::size_t history_values_bytes_max = history_bins_max * 4;  // float32

// Encoding.
inline constexpr std::size_t fields_max = 63;     // in one map, known and unknown ones
inline constexpr std::size_t skip_depth_max = 8;  // depth of the value of an unknown field
// Structs use more memory than their bytes on the wire (a JobChanged of 60 bytes uses 600). This is
// the limit for decoding a message: a base, and a number of bytes per byte of the message.
inline constexpr std::size_t memory_base = 1 << 20;
inline constexpr std::size_t memory_per_byte = 32;

}  // namespace drover::codec
