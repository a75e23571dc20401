// What connects each two devices of a host, as `nvidia-smi topo -m` prints it, and the state of the
// links of each device.
#pragma once

#include <string>
#include <vector>

#include "tui/canvas/draw_region.h"
#include "tui/diagrams/host_topology.h"

namespace drover::tui {

struct MatrixLine {
  std::string text;
  CellStyle style = CellStyle::plain;
};

/// "NV18", "PIX", "ICI2", "SYS": at most four columns.
std::string pair_text(const FabricGroup* group, const DevicePair& pair);

/// A line of titles, one for each device, and the legend of the words in them. Columns beyond the
/// width are left out, and the last line says of how many devices.
std::vector<MatrixLine> matrix_lines(const HostTopology& host, int columns);

/// A line for each device whose links, or the traffic over them, are known, or one that says that
/// they are not.
std::vector<MatrixLine> link_lines(const HostTopology& host);

}  // namespace drover::tui
