#include "tests/fleet/codec/layout.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "fleet/codec/messages.h"

namespace drover::codec {
namespace {

template <typename T, typename Rule>
std::string type_text(const T*, Rule) {
  if constexpr (Structured<T>) {
    return std::string(layout<T>.name);
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(enumeration<T>.name);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::is_same_v<Rule, StrictlyPositive> ? "number above 0" : "number";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "boolean";
  } else if constexpr (std::is_same_v<T, Instant>) {
    return "instant";
  } else if constexpr (std::is_same_v<T, Duration>) {
    return "duration";
  } else if constexpr (std::is_same_v<T, JobId> || std::is_same_v<T, Incarnation>) {
    return "id";
  } else {
    static_assert(std::is_integral_v<T>);
    return fmt::format("{}int{}", std::is_unsigned_v<T> ? "u" : "", 8 * sizeof(T));
  }
}

std::string type_text(const std::string*, Name) { return "name"; }
std::string type_text(const std::string*, FreeText rule) {
  return fmt::format("text, up to {} bytes", rule.bytes_max);
}
std::string type_text(const std::string*, WholeText rule) {
  return fmt::format("TOML text, up to {} bytes", rule.bytes_max);
}
std::string type_text(const std::string*, Bytes rule) {
  return fmt::format("binary, up to {} bytes", rule.bytes_max);
}

template <typename T>
std::string type_text(const std::optional<T>*, Plain rule) {
  return type_text(static_cast<const T*>(nullptr), rule);
}

std::string type_text(const std::vector<std::uint16_t>*, Packed rule) {
  return fmt::format("packed uint16, up to {}", rule.count_max);
}

template <typename T, typename ElementRule>
std::string type_text(const std::vector<T>*, UpTo<ElementRule> rule) {
  const std::string element = type_text(static_cast<const T*>(nullptr), rule.element);
  return fmt::format("list of {}, up to {}", element, rule.count_max);
}

std::string type_text(const std::map<std::string, std::string>*, UpTo<FreeText> rule) {
  return fmt::format("map of name to text, up to {}", rule.count_max);
}

std::string type_text(const std::map<Reason, std::uint64_t>*, Plain) {
  return "map of reason's name to uint64";
}

template <typename T>
std::string otherwise_text(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<int>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return fmt::format("{}", value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return fmt::format("\"{}\"", value);
  } else if constexpr (std::is_same_v<T, Instant>) {
    return std::to_string(value.time_since_epoch().count());
  } else if constexpr (std::is_same_v<T, Duration>) {
    return std::to_string(value.count());
  } else if constexpr (std::is_same_v<T, JobId> || std::is_same_v<T, Incarnation>) {
    return "zeros";
  } else if constexpr (Structured<T>) {
    return "defaults";
  } else if constexpr (requires { value.has_value(); }) {
    return "none";
  } else {
    return "empty";
  }
}

template <typename T>
void add(std::vector<StructLayout>& known, std::optional<std::size_t> kind) {
  const auto same = [](const StructLayout& one) { return one.name == layout<T>.name; };
  if (std::any_of(known.begin(), known.end(), same)) return;
  StructLayout described{std::string(layout<T>.name), kind, {}};
  const T& unfilled_value = unfilled<T>();
  [[maybe_unused]] const auto describe = [&](const auto& field) {
    const auto& value = unfilled_value.*field.member;
    described.fields.push_back(
        {std::string(field.name), type_text(&value, field.rule), otherwise_text(value)});
  };
  layout<T>.visit_fields([&](const auto&... fields) { (describe(fields), ...); });
  known.push_back(std::move(described));
}

template <typename T>
struct Held {
  using type = T;
};
template <typename T>
struct Held<std::vector<T>> {
  using type = T;
};
template <typename T>
struct Held<std::optional<T>> {
  using type = T;
};

template <typename T>
void add_inner(std::vector<StructLayout>& known) {
  const auto add_one =
      [&]<typename Owner, typename Value, typename Rule>(const Field<Owner, Value, Rule>&) {
        using Inner = typename Held<Value>::type;
        if constexpr (Structured<Inner>) {
          add<Inner>(known, std::nullopt);
          add_inner<Inner>(known);
        }
      };
  layout<T>.visit_fields([&](const auto&... fields) { (add_one(fields), ...); });
}

template <std::size_t... kinds>
std::vector<StructLayout> walk(std::index_sequence<kinds...>) {
  std::vector<StructLayout> known;
  (add<std::variant_alternative_t<kinds, AnyMessage>>(known, kinds), ...);
  (add_inner<std::variant_alternative_t<kinds, AnyMessage>>(known), ...);
  return known;
}

std::string_view text_of(Role role) {
  constexpr std::array<std::string_view, 3> names{"agent", "client", "viewer"};
  return names[static_cast<std::size_t>(role)];
}

template <typename Enum>
std::string_view text_of(Enum value) {
  return to_text(value);
}

template <typename Enum>
EnumerationLayout described() {
  EnumerationLayout one{std::string(enumeration<Enum>.name), {}};
  for (int number = 0; number <= static_cast<int>(enumeration<Enum>.last); ++number) {
    one.enumerators.emplace_back(text_of(static_cast<Enum>(number)));
  }
  return one;
}

}  // namespace

std::vector<StructLayout> layouts() {
  return walk(std::make_index_sequence<std::variant_size_v<AnyMessage>>());
}

std::vector<EnumerationLayout> enumerations() {
  return {described<Role>(),         described<WorkKind>(),     described<Precision>(),
          described<Reason>(),       described<ReplicaState>(), described<JobState>(),
          described<SubmitStatus>(), described<Action>(),       described<Health>(),
          described<Severity>(),     described<FaultKind>(),    described<CancelStatus>(),
          described<ClassMetric>(),  described<Pause>(),        described<LinkEnd>(),
          described<PciePath>()};
}

std::vector<Limit> limits() {
  return {
      {"message_bytes_max", message_bytes_max},
      {"name_bytes_max", name_bytes_max},
      {"text_bytes_max", text_bytes_max},
      {"label_bytes_max", label_bytes_max},
      {"spec_bytes_max", spec_bytes_max},
      {"field_name_bytes_max", field_name_bytes_max},
      {"fields_max", fields_max},
      {"skip_depth_max", skip_depth_max},
      {"memory_base", memory_base},
      {"memory_per_byte", memory_per_byte},
      {"devices_per_host_max", devices_per_host_max},
      {"groups_max", groups_max},
      {"replicas_per_host_max", replicas_per_host_max},
      {"tenant_shares_max", tenant_shares_max},
      {"specs_max", specs_max},
      {"labels_max", labels_max},
      {"held_max", held_max},
      {"precisions_max", precisions_max},
      {"versions_max", versions_max},
      {"prefix_blocks_max", prefix_blocks_max},
      {"throughputs_max", throughputs_max},
      {"operations_max", operations_max},
      {"submit_jobs_max", submit_jobs_max},
      {"jobs_reply_max", jobs_reply_max},
      {"decisions_max", decisions_max},
      {"candidates_max", candidates_max},
      {"scores_max", scores_max},
      {"rejections_max", rejections_max},
      {"candidate_statuses_max", candidate_statuses_max},
      {"reasons_max", reasons_max},
      {"nearest_max", nearest_max},
      {"senders_max", senders_max},
      {"classes_max", classes_max},
      {"faults_max", faults_max},
      {"pools_max", pools_max},
      {"further_pools_max", further_pools_max},
      {"alert_rules_max", alert_rules_max},
      {"cancel_jobs_max", cancel_jobs_max},
      {"active_faults_max", active_faults_max},
      {"missing_metrics_max", missing_metrics_max},
      {"device_processes_max", device_processes_max},
      {"device_partitions_max", device_partitions_max},
      {"device_links_max", device_links_max},
      {"device_paths_max", device_paths_max},
      {"bookmark_bytes_max", bookmark_bytes_max},
      {"policy_bytes_max", policy_bytes_max},
      {"batch_rows_max", batch_rows_max},
      {"batch_columns_max", batch_columns_max},
      {"column_bytes_max", column_bytes_max},
      {"part_messages_max", part_messages_max},
      {"bundle_messages_max", bundle_messages_max},
      {"history_series_max", history_series_max},
      {"class_bucket_count", class_bucket_count},
      {"history_values_bytes_max", history_values_bytes_max},
      {"history_bins_max", history_bins_max},
      {"bundle_bytes_max", bundle_bytes_max},
      {"snapshot_part_bytes_max", snapshot_part_bytes_max},
  };
}

}  // namespace drover::codec
