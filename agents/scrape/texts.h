// Texts of URLs and labels as the fleet writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace drover::agents {

/// The URL without user and password, which nobody should see.
std::string without_credentials(std::string_view url);

/// The host of a URL or of an address with a port: "node-7" of "http://user@node-7:9400/metrics".
std::string_view host_of(std::string_view url_or_address);

/// The text as a valid name of a host or tenant: other characters become '-', and it is cut.
std::string as_name(std::string_view text);

/// A label's text to be shown: printable and not too long.
std::string as_label(std::string_view text);

/// "0000:31:00.0" of "00000000:31:00.0".
std::string as_pci_address(std::string_view text);

std::optional<std::uint64_t> as_number(std::string_view text);

}  // namespace drover::agents
