#include "commands/launch/launch_crew.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#include "agents/launch/order.h"
#include "fleet/base/result.h"

namespace drover::commands {

namespace {

constexpr std::size_t out_bytes_max = 1 << 20;
constexpr std::size_t err_bytes_max = 16 << 10;
constexpr Wall grace = std::chrono::seconds(1);

void close_once(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() { DROVER_REQUIRE(pipe2(ends, O_CLOEXEC) == 0); }
  ~Pipe() {
    close_once(ends[0]);
    close_once(ends[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  /// Takes one end for good.
  int take(int end) {
    fcntl(ends[end], F_SETFL, O_NONBLOCK);
    return std::exchange(ends[end], -1);
  }
};

/// After the fork: only calls that are safe there.
[[noreturn]] void become(char* const* words, const Pipe& in, const Pipe& out, const Pipe& err,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  dup2(in.ends[0], STDIN_FILENO);
  dup2(out.ends[1], STDOUT_FILENO);
  dup2(err.ends[1], STDERR_FILENO);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  execvp(words[0], words);
  const char* why = strerrordesc_np(errno);
  (void)!write(STDERR_FILENO, words[0], strlen(words[0]));
  (void)!write(STDERR_FILENO, ": ", 2);
  (void)!write(STDERR_FILENO, why, strlen(why));
  _exit(127);
}

/// One errand under way.
class Courier {
 public:
  Courier(std::size_t number, const Errand& errand, const CrewPlan& plan)
      : number_(number), errand_(errand), plan_(plan), started_(wall_now()) {
    std::vector<char*> words;
    for (const std::string& word : errand.command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    Pipe in;
    Pipe out;
    Pipe err;
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) become(words.data(), in, out, err, parent);
    DROVER_REQUIRE(pid_ > 0);
    ended_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    in_ = in.take(1);
    out_ = out.take(0);
    err_ = err.take(0);
    deadline_ = started_ + plan.limit;
    returned_.fate = Fate::under_way;
  }
  ~Courier() {
    if (!done_) {
      kill(-pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    for (int* descriptor : {&in_, &out_, &err_, &ended_}) close_once(*descriptor);
  }
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  std::size_t number() const { return number_; }
  bool done() const { return done_; }
  Returned& returned() { return returned_; }

  void watch(std::vector<pollfd>& watched) const {
    if (has_more_to_write()) watched.push_back({in_, POLLOUT, 0});
    if (out_ >= 0) watched.push_back({out_, POLLIN, 0});
    if (err_ >= 0) watched.push_back({err_, POLLIN, 0});
    watched.push_back({ended_, POLLIN, 0});
  }
  Wall deadline() const { return deadline_; }

  /// Moves what can be moved; true when something happened that others want to know.
  bool turn() {
    write_on();
    read_on(out_, returned_.out, out_bytes_max);
    read_on(err_, returned_.err, err_bytes_max);
    const bool asked = !returned_.cargo && plan_.cargo != nullptr && asks_for_cargo();
    returned_.cargo = returned_.cargo || asked;
    if (asked) write_on();
    if (wall_now() >= deadline_) end(Fate::overdue);
    return reap() || asked;
  }

  /// In order, and by force when the grace is over.
  void end(Fate fate) {
    const bool again = returned_.fate != Fate::under_way;
    if (!again) returned_.fate = fate;
    kill(-pid_, again ? SIGKILL : SIGTERM);
    deadline_ = wall_now() + grace;
  }

 private:
  bool asks_for_cargo() const {
    const auto at = returned_.out.find(std::string(launch::cargo_wanted) + "\n");
    return at != std::string::npos && (at == 0 || returned_.out[at - 1] == '\n');
  }
  const std::string& load() const { return script_sent_ ? *plan_.cargo : errand_.script; }
  bool has_more_to_write() const { return in_ >= 0 && (!script_sent_ || returned_.cargo); }

  /// The script; then, if wanted, the cargo, and the end of it. Otherwise the other side sees no
  /// end of input until it has ended itself.
  void write_on() {
    while (has_more_to_write()) {
      const std::string& text = load();
      const ssize_t count = write(in_, text.data() + written_, text.size() - written_);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count < 0) return close_once(in_);
      written_ += static_cast<std::size_t>(count);
      if (written_ < text.size()) continue;
      written_ = 0;
      if (std::exchange(script_sent_, true)) return close_once(in_);
    }
  }

  static void read_on(int& descriptor, std::string& text, std::size_t bytes_max) {
    char block[16 << 10];
    while (descriptor >= 0) {
      const ssize_t count = read(descriptor, block, sizeof block);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) return close_once(descriptor);
      text.append(block, std::min(static_cast<std::size_t>(count), bytes_max - text.size()));
    }
  }

  /// The process counts, not the pipes: an ssh that shares its connection leaves them open.
  bool reap() {
    if (done_ || waitpid(pid_, &returned_.status, WNOHANG) != pid_) return false;
    done_ = true;
    read_on(out_, returned_.out, out_bytes_max);
    read_on(err_, returned_.err, err_bytes_max);
    if (returned_.fate == Fate::under_way) returned_.fate = Fate::ended;
    returned_.took_s = to_seconds(wall_now() - started_);
    return true;
  }

  std::size_t number_;
  const Errand& errand_;
  const CrewPlan& plan_;
  Wall started_;
  Wall deadline_{0};
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  int err_ = -1;
  int ended_ = -1;
  bool script_sent_ = false;
  bool done_ = false;
  std::size_t written_ = 0;
  Returned returned_;
};

/// Until something can be read or written, or the next limit is reached.
void wait_for(const std::vector<std::unique_ptr<Courier>>& couriers, const StopSignals& signals) {
  std::vector<pollfd> watched = {{signals.descriptor(), POLLIN, 0}};
  Wall next = wall_now() + std::chrono::seconds(1);
  for (const auto& courier : couriers) {
    courier->watch(watched);
    next = std::min(next, courier->deadline());
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - wall_now());
  poll(watched.data(), watched.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
}

}  // namespace

std::vector<Returned> run_errands(const std::vector<Errand>& errands, const CrewPlan& plan,
                                  StopSignals& signals) {
  std::vector<Returned> returned(errands.size());
  std::vector<std::unique_ptr<Courier>> couriers;
  std::size_t next = 0;
  bool interrupted = false;
  while (next < errands.size() || !couriers.empty()) {
    if (signals.stopped() && !std::exchange(interrupted, true)) {
      for (auto& courier : couriers) courier->end(Fate::interrupted);
      next = errands.size();
    }
    while (next < errands.size() && couriers.size() < plan.fanout) {
      couriers.push_back(std::make_unique<Courier>(next, errands[next], plan));
      plan.changed(next, couriers.back()->returned());
      ++next;
    }
    if (couriers.empty()) break;
    wait_for(couriers, signals);
    for (auto& courier : couriers) {
      if (courier->turn()) plan.changed(courier->number(), courier->returned());
      if (courier->done()) returned[courier->number()] = std::move(courier->returned());
    }
    std::erase_if(couriers, [](const auto& courier) { return courier->done(); });
  }
  return returned;
}

}  // namespace drover::commands
