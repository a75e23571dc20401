// The fields of what only viewers send and receive.
#pragma once

#include "fleet/codec/fields.h"
#include "fleet/summary.h"

namespace drover::codec {

template <>
inline constexpr auto layout<Bundle> = structure("Bundle", field("messages", &Bundle::messages,
                                                                 up_to(bundle_messages_max,
                                                                       Bytes{message_bytes_max})));

template <>
inline constexpr auto layout<HistoryRequest> = structure("HistoryRequest",
                                                         field("host", &HistoryRequest::host,
                                                               as_name),
                                                         field("device", &HistoryRequest::device));

template <>
inline constexpr auto layout<HistorySeries> =
    structure("HistorySeries", field("name", &HistorySeries::name, as_name),
              field("pool", &HistorySeries::pool, as_line),
              field("values", &HistorySeries::values, Bytes{history_values_bytes_max}));

template <>
inline constexpr auto layout<HistoryReply> =
    structure("HistoryReply", field("host", &HistoryReply::host, as_name),
              field("device", &HistoryReply::device), field("begin", &HistoryReply::begin),
              field("bin", &HistoryReply::bin, non_negative),
              field("series", &HistoryReply::series, up_to(history_series_max)));

}  // namespace drover::codec
