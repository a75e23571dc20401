#include "commands/readings/ssh_connection.h"

#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <fmt/format.h>

#include "agents/launch/ssh.h"
#include "agents/scrape/smi_output.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

constexpr std::string_view mark = "@drover ";
constexpr std::size_t ssh_error_bytes_max = 16 << 10;
/// Of a line, and of all that nvidia-smi or amd-smi say at a reading.
constexpr std::size_t line_bytes_max = 64 << 10;
constexpr std::size_t smi_bytes_max = 4 << 20;
constexpr std::size_t text_max = 400;
/// A host that has not answered for so long is not asked again, but connected anew. The program is
/// large, and the first search for devices may take long.
constexpr WallSpan answer_within = std::chrono::seconds(30);
constexpr WallSpan ready_within = std::chrono::seconds(120);
constexpr WallSpan pause_min = std::chrono::seconds(1);
constexpr WallSpan pause_max = std::chrono::seconds(30);

}  // namespace

SshConnection::SshConnection(std::string host, const SshSetup& setup, int epoll,
                             std::uint32_t number)
    : host_(std::move(host)), setup_(setup), epoll_(epoll), number_(number) {}

SshConnection::~SshConnection() { stop(); }

void SshConnection::request(WallTime now) {
  if (child_.pid < 0) {
    if (now >= next_start_) return start(now);
    news_.push_back({host_, {}, failure_});
  } else if (waiting_) {
    const WallSpan allowed = ready_ ? answer_within : ready_within;
    if (now - asked_ >= allowed)
      fail(now, fmt::format("no answer for {} s", allowed / std::chrono::seconds(1)));
  } else {
    waiting_ = true;
    unasked_ = 0;
    asked_ = now;
    send("\n");
  }
}

void SshConnection::start(WallTime now) {
  script_ = launch::watch_script(setup_.needs, setup_.tar.size(), agents::nvidia_smi_query());
  launch::LaunchHost host;
  host.address = host_;
  host.ssh_options = setup_.options;
  auto child = start_child(
      launch::ssh_words(host, setup_.program, launch::reading_command(script_.size(), 0)));
  if (!child) return fail(now, child.error().message);
  child_ = std::move(*child);
  for (const FileDescriptor* end : {&child_.out, &child_.err, &child_.ended})
    watch(end->get(), EPOLLIN);
  output_ = Output::lines;
  ready_ = noted_ = false;
  waiting_ = true;
  asked_ = now;
  send(script_);
}

void SshConnection::watch(int descriptor, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.u32 = number_;
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event) != 0)
    (void)epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
}

void SshConnection::send(std::string_view text) {
  sending_ = text;
  write_ready();
}

void SshConnection::write_ready() {
  while (child_.in.is_open() && !sending_.empty()) {
    const ssize_t count = ::write(child_.in.get(), sending_.data(), sending_.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return watch(child_.in.get(), EPOLLOUT);
    // Why nobody reads, its end will tell.
    if (count < 0) return child_.in.reset();
    sending_.remove_prefix(static_cast<std::size_t>(count));
  }
  if (child_.in.is_open()) (void)epoll_ctl(epoll_, EPOLL_CTL_DEL, child_.in.get(), nullptr);
}

void SshConnection::turn(WallTime now) {
  if (child_.pid < 0) return;
  int status = 0;
  const bool ended = waitpid(child_.pid, &status, WNOHANG) == child_.pid;
  if (ended) child_.pid = -1;
  write_ready();
  read_available(child_.err, err_, ssh_error_bytes_max);
  const Status good = read_ready();
  if (!good || ended) fail(now, good ? why_ended(status) : good.error().message);
}

/// At most so much in a turn that other hosts get theirs.
Status SshConnection::read_ready() {
  constexpr int blocks_max = 16;
  char block[64 << 10];
  for (int blocks = 0; blocks < blocks_max && child_.out.is_open(); ++blocks) {
    const ssize_t count = ::read(child_.out.get(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count > 0) {
      DROVER_TRY(take_output({block, static_cast<std::size_t>(count)}));
    } else {
      child_.out.reset();
    }
  }
  return {};
}

Status SshConnection::take_output(std::string_view bytes) {
  while (output_ != Output::frames && !bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    unread_ += bytes.substr(0, end);
    if (unread_.size() > line_bytes_max) {
      return error("a line of more than {} bytes came, expected readings", line_bytes_max);
    }
    if (end == std::string_view::npos) return {};
    bytes.remove_prefix(end + 1);
    DROVER_TRY(take_line(std::exchange(unread_, {})));
  }
  if (bytes.empty()) return {};
  DROVER_ASSIGN(auto all, frames_.take(bytes));
  for (agents::TargetNews& news : all) add(std::move(news));
  return {};
}

Status SshConnection::take_line(const std::string& line) {
  const bool order = line.starts_with(mark);
  if (order && output_ == Output::lines) {
    take_order(line.substr(mark.size()));
  } else if (order) {
    take_smi_output(line.substr(mark.size()));
  } else if (output_ != Output::lines) {
    smi_ += line + "\n";
    if (smi_.size() > smi_bytes_max) {
      return error("a reading of more than {} bytes came", smi_bytes_max);
    }
  }
  return {};
}

void SshConnection::take_order(const std::string& order) {
  const std::size_t blank = std::min(order.find(' '), order.size());
  const std::string key = order.substr(0, blank);
  const std::string text = excerpt(trimmed(std::string_view(order).substr(blank)), text_max);
  if (key == "payload") send(setup_.tar);
  if (key == "failed") refusal_ = text;
  if (key == "note" && !std::exchange(noted_, true))
    notes_.push_back(fmt::format("{}: no agent there: {}", host_, text));
  if (key != "ready") return;
  output_ = text == "agent"        ? Output::frames
            : text == "nvidia-smi" ? Output::nvidia_smi
                                   : Output::amd_smi;
  if (output_ != Output::frames) notes_.push_back(fmt::format("{}: read by {}", host_, text));
  ready_ = true;
  waiting_ = true;
  asked_ = wall_now();
  send("\n");
}

void SshConnection::take_smi_output(const std::string& order) {
  if (order == "part") statics_ = std::exchange(smi_, {});
  if (order != "end") return;
  auto reading = output_ == Output::nvidia_smi ? agents::read_nvidia_smi(smi_)
                                               : agents::read_amd_smi(statics_, smi_);
  smi_.clear();
  if (reading) {
    add({"", {std::move(*reading)}, ""});
  } else {
    add({"", {}, reading.error().message});
  }
}

/// A device that answers late comes in a reading that nobody has asked for. A host may not send
/// many of them.
void SshConnection::add(agents::TargetNews news) {
  constexpr int unasked_max = 4;
  if (!std::exchange(waiting_, false) && ++unasked_ > unasked_max) return;
  pause_ = {};
  news.target = host_;
  news.failure = excerpt(news.failure, text_max);
  for (agents::HostReading& reading : news.hosts) reading.host = host_;
  news_.push_back(std::move(news));
}

std::string SshConnection::why_ended(int status) const {
  if (!refusal_.empty()) return refusal_;
  if (WIFEXITED(status) && WEXITSTATUS(status) == launch::ssh_failed)
    return launch::ssh_failure(err_);
  std::string line = launch::last_line(err_);
  if (!line.empty()) return line;
  return WIFSIGNALED(status) ? fmt::format("ssh was ended by signal {}", WTERMSIG(status))
                             : fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

void SshConnection::fail(WallTime now, const std::string& why) {
  stop();
  failure_ = why;
  pause_ = std::clamp(pause_ * 2, pause_min, pause_max);
  next_start_ = now + pause_;
  news_.push_back({host_, {}, failure_});
}

void SshConnection::stop() {
  if (child_.pid >= 0) {
    kill(-child_.pid, SIGKILL);
    waitpid(child_.pid, nullptr, 0);
  }
  child_ = {};
  sending_ = {};
  frames_ = {};
  for (std::string* text : {&unread_, &smi_, &statics_, &refusal_, &err_}) text->clear();
}

bool SshConnection::ended() {
  if (child_.pid < 0) return true;
  if (waitpid(child_.pid, nullptr, WNOHANG) != child_.pid) return false;
  child_.pid = -1;
  return true;
}

}  // namespace drover::commands
