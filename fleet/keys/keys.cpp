#include "fleet/keys/keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"
#include "fleet/text/nodeset.h"
#include "fleet/text/toml.h"

namespace drover {
namespace {

constexpr std::size_t key_characters = 40;
constexpr std::array<std::string_view, 5> role_names{"agent", "submit", "view", "admin", "router"};

// Z85's alphabet in the order of values (ZeroMQ RFC 32).
constexpr std::string_view z85 =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

// Both example pairs of zmq_curve(7), whose secret keys are public.
constexpr std::array<std::string_view, 2> keys_of_the_manual{
    "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID", "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"};

using toml_file::Table;

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }

std::string header_of(const PublicKey& key, std::string_view kind) {
  std::string text = fmt::format("kind = \"{}\"\nname = \"{}\"\nrole = \"{}\"\n", kind, key.name,
                                 to_text(key.role));
  std::vector<std::string> ids;
  for (const std::string& id : key.ids) ids.push_back(quoted(id));
  if (!ids.empty()) text += fmt::format("ids = [{}]\n", joined(ids, ", "));
  return text + fmt::format("public = \"{}\"\n", key.key);
}

/// Checks that the parts of a key are consistent; returns the key in the file and the problem.
std::optional<std::pair<const char*, std::string>> mismatch(const PublicKey& key) {
  if (!is_name(key.name)) {
    return {{"name", fmt::format("found \"{}\", expected 1 to 64 characters of A-Z a-z 0-9 . _ : -",
                                 excerpt(key.name))}};
  }
  if ((key.role == KeyRole::router) != (key.name == "router")) {
    return {{"role", "expected \"router\" for the key named router, and for no other"}};
  }
  if ((key.role == KeyRole::agent) == key.ids.empty()) {
    return {{"ids", "expected the hosts of an agent's key, and none for other roles"}};
  }
  if (key.ids.size() > key_ids_max) {
    return {
        {"ids", fmt::format("found {} names, expected at most {}", key.ids.size(), key_ids_max)}};
  }
  for (const std::string& id : key.ids) {
    if (!is_name(id)) {
      return {{"ids", fmt::format("found \"{}\", expected names of hosts", excerpt(id))}};
    }
  }
  return std::nullopt;
}

PublicKey read_fields(Table& table, std::string_view kind) {
  PublicKey key;
  if (const std::string found = table.text("kind"); found != kind) {
    table.add_problem("kind", fmt::format("found \"{}\", expected \"{}\"", excerpt(found), kind));
  }
  key.name = table.text("name");
  const auto role = parse_key_role(table.text("role"), "");
  if (!role) table.add_problem("role", role.error().message);
  key.role = role ? *role : KeyRole::view;
  key.ids = table.texts("ids");
  key.key = table.text("public");
  if (!key_bytes(key.key)) {
    // The value may be a misplaced secret, so it is not shown.
    table.add_problem("public", fmt::format("found {} bytes, expected {} characters of Z85",
                                            key.key.size(), key_characters));
  }
  if (std::find(keys_of_the_manual.begin(), keys_of_the_manual.end(), key.key) !=
      keys_of_the_manual.end()) {
    table.add_problem("public",
                      "found an example key of ZeroMQ's manual, whose secret is public; "
                      "make a new one with: drover keys new");
  }
  if (const auto wrong = mismatch(key)) table.add_problem(wrong->first, wrong->second);
  return key;
}

}  // namespace

std::string_view to_text(KeyRole role) { return row_at(role_names, role); }

Result<KeyRole> parse_key_role(std::string_view text, std::string_view place) {
  if (const auto role = enumerator_named<KeyRole>(role_names, text)) return *role;
  return error("{}{}found \"{}\", expected one of {}", place, place.empty() ? "" : ": ",
               excerpt(text), joined(role_names, ", "));
}

std::string to_toml(const PublicKey& key) { return header_of(key, "public"); }

std::string to_toml(const SecretKey& key) {
  return header_of(key.known, "secret") + fmt::format("secret = \"{}\"\n", key.secret);
}

Result<PublicKey> parse_public_key(std::string_view text, const std::string& place) {
  DROVER_ASSIGN(auto table, Table::parse(text, place));
  PublicKey key = read_fields(table, "public");
  DROVER_TRY(table.finish());
  return key;
}

Result<SecretKey> parse_secret_key(std::string_view text, const std::string& place) {
  DROVER_ASSIGN(auto table, Table::parse(text, place));
  SecretKey key;
  key.known = read_fields(table, "secret");
  key.secret = table.text("secret");
  if (!key_bytes(key.secret)) {
    table.add_problem("secret", fmt::format("found {} bytes, expected {} characters of Z85",
                                            key.secret.size(), key_characters));
  }
  DROVER_TRY(table.finish());
  return key;
}

std::optional<std::string> key_bytes(std::string_view text) {
  if (text.size() != key_characters) return std::nullopt;
  std::string bytes;
  for (std::size_t start = 0; start < text.size(); start += 5) {
    std::uint64_t value = 0;
    for (const char letter : text.substr(start, 5)) {
      const std::size_t digit = z85.find(letter);
      if (digit == std::string_view::npos) return std::nullopt;
      value = value * 85 + digit;
    }
    if (value > UINT32_MAX) return std::nullopt;
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(value >> shift & 0xff);
    }
  }
  return bytes;
}

std::string ids_text(const PublicKey& key) {
  constexpr std::size_t text_max = 80;
  return key.ids.empty() ? "-" : excerpt(fold_nodeset(key.ids), text_max);
}

std::string fingerprint(std::string_view key) {
  const auto bytes = key_bytes(key);
  if (!bytes) return "no key";
  std::string text;
  for (std::size_t index = 0; index < 8; ++index) {
    if (index != 0 && index % 2 == 0) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>((*bytes)[index]));
  }
  return text;
}

}  // namespace drover
