#!/usr/bin/env python3
"""What the dashboard costs on a large fleet, view by view, with htop and btop beside it in the same run.

    tests/bench/compare_monitors.py [--install] [--devices 10000] [--per-host 8] [--seconds 30]
        [--size 120x40] [--link-kbit-s 1000 --link-delay-ms 100] DROVER EMULATED_FLEET

DROVER is the program (a Release build: `cmake --build build/bench --target drover drover_emulated_fleet`),
EMULATED_FLEET the program of tests/bench that reports for so many devices, once a second each, to a router that
this script starts. htop and btop watch this machine, once a second. Each runs in a pseudo-terminal of 120x40
whose output is counted and read by a small terminal. With --link-kbit-s and --link-delay-ms the terminal is at the
far end of a link, as over ssh: it reads no faster, and every key and every byte takes the delay to arrive.

  CPU        of one core, user and system time of the process and its threads
  bytes/s    to the terminal; the first screen is not counted
  RSS        memory resident at the end
  key        from a press of a key that moves the cursor, ten a second, until the first bytes of the cursor in its
             new place; none is given for views without one
All are measured one after the other, so none takes the processor from another. Nothing is asserted.
"""
import argparse
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

KEY_EVERY_S = 0.1
START_MAX_S = 300.0
ANSWER_MAX_S = 2.0  # a key that is not answered by then counts as lost


class Link:
    """Between a program and its terminal."""

    def __init__(self, kbit_s, delay_ms):
        self.bytes_s = kbit_s * 1000 / 8
        self.delay_s = delay_ms / 1000
        self.free_at = 0.0

    def wait(self):
        """Until it has carried what was read before."""
        time.sleep(max(0.0, self.free_at - time.monotonic()))

    def carry(self, count):
        self.free_at = max(self.free_at, time.monotonic()) + (count / self.bytes_s if self.bytes_s else 0)


class Monitor:
    """A program in a pseudo-terminal."""

    def __init__(self, words, variables, options):
        self.link = Link(options.link_kbit_s, options.link_delay_ms)
        columns, rows = (int(part) for part in options.size.split("x"))
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.environ.pop("SSH_CONNECTION", None)
            if self.link.bytes_s:
                os.environ["SSH_CONNECTION"] = "192.0.2.1 50000 192.0.2.2 22"  # as sshd says it
            os.environ.update({"TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", **variables})
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvp(words[0], words)
        self.bytes = 0
        self.seen = b""

    def read(self):
        """What there is, as fast as the link; the program must not have ended."""
        self.link.wait()
        try:
            piece = os.read(self.master, 2048 if self.link.bytes_s else 65536)
        except OSError:
            piece = b""
        if not piece:
            sys.exit("compare_monitors.py: a program ended: " + repr(self.seen[-300:]))
        self.link.carry(len(piece))
        self.bytes += len(piece)
        self.seen = (self.seen + piece)[-4000:]
        return piece

    def pump(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.master], [], [], left)[0]:
                self.read()

    def cpu_s(self):
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rss_mib(self):
        with open(f"/proc/{self.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) / 1024

    def key_s(self, key, answers):
        """Seconds until output that `answers` matches arrives; None when none comes."""
        while select.select([self.master], [], [], 0)[0]:
            self.read()
        came = b""
        began = time.monotonic()
        time.sleep(self.link.delay_s)
        os.write(self.master, key)
        while (left := began + ANSWER_MAX_S - time.monotonic()) > 0:
            if not select.select([self.master], [], [], left)[0]:
                break
            came += self.read()
            if answers.search(came):
                return time.monotonic() - began + self.link.delay_s
        return None

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.master)


# How a row that has become the selected one shows in the output: its colours. The first such bytes after a key
# are the cursor in its new row.
DROVER_CURSOR = re.compile(rb"48;5;24m")
HTOP_CURSOR = re.compile(rb"46m")

# Views, and the keys that move a cursor there and back, where there is one.
VIEWS = {"fleet": (b"l", b"h"), "devices": (b"j", b"k"), "device": None, "jobs": None, "routing": None, "power": None}


def measure(name, monitor, options, cursor=None, keys=None):
    """`keys` there and back; `cursor` matches what the cursor's new place begins with."""
    seconds = options.seconds
    monitor.pump(options.warm)
    cpu, sent, began = monitor.cpu_s(), monitor.bytes, time.monotonic()
    monitor.pump(seconds)
    took = time.monotonic() - began
    row = [name, 100 * (monitor.cpu_s() - cpu) / took, (monitor.bytes - sent) / took, monitor.rss_mib()]
    times, lost = [], 0
    if keys is not None:
        monitor.key_s(keys[0], cursor)  # the first takes up the cursor
        for i in range(int(seconds / KEY_EVERY_S)):
            begun = time.monotonic()
            took = monitor.key_s(keys[i // 20 % 2], cursor)
            times.append(took) if took is not None else None
            lost += took is None
            monitor.pump(max(0, KEY_EVERY_S - (time.monotonic() - begun)))
    monitor.end()
    return row + [times, lost]


def print_row(row):
    name, cpu, sent, rss, times, lost = row
    keys = "             -"
    if len(times) >= 2:
        p99 = statistics.quantiles(times, n=100)[98]
        keys = f"{1e3 * statistics.median(times):6.1f} {1e3 * p99:6.1f} ms"
    print(f"{name:22} {cpu:6.2f} % {sent:10.0f} {rss:6.1f} MiB  {keys}" + (f"  ({lost} lost)" if lost else ""), flush=True)


def free_port():
    """The first of three, of which the router takes all."""
    for port in range(18000, 30000, 3):
        try:
            for one in range(port, port + 3):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", one))
            return port
        except OSError:
            continue
    sys.exit("compare_monitors.py: no free ports")


def start_fleet(options, folder, processes):
    """A router, and the hosts that report to it; answers its endpoint."""
    endpoint = f"tcp://127.0.0.1:{free_port()}"
    router = subprocess.Popen([options.drover, "router", "--listen", endpoint, "--ledger", folder + "/ledger.sqlite"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    processes.append(router)
    if b"router ready" not in router.stdout.readline():
        sys.exit("compare_monitors.py: the router did not start")
    hosts = subprocess.Popen([options.emulated_fleet, endpoint, str(options.devices), str(options.per_host)])
    processes.append(hosts)
    end = time.monotonic() + START_MAX_S
    while time.monotonic() < end and hosts.poll() is None:
        time.sleep(2)
        rows = subprocess.run([options.drover, "devices", "--connect", endpoint], capture_output=True).stdout
        if rows.count(b" h100-sxm ") >= options.devices:
            return endpoint
    sys.exit(f"compare_monitors.py: the {options.devices} devices did not all report")


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("drover")
    reader.add_argument("emulated_fleet")
    reader.add_argument("--devices", type=int, default=10_000)
    reader.add_argument("--per-host", type=int, default=8, help="devices; with many a small machine keeps up")
    reader.add_argument("--seconds", type=float, default=30.0)
    reader.add_argument("--warm", type=float, default=10.0)
    reader.add_argument("--views", default=",".join(VIEWS), help="of the dashboard (default %(default)s)")
    reader.add_argument("--size", default="120x40", help="of the terminals (default %(default)s)")
    reader.add_argument("--link-kbit-s", type=float, default=0, help="of a link to the terminal; 0: no limit")
    reader.add_argument("--link-delay-ms", type=float, default=0, help="of the link, each way")
    reader.add_argument("--drover-only", action="store_true", help="without htop and btop")
    reader.add_argument("--install", action="store_true", help="install htop and btop first (Debian)")
    options = reader.parse_args()
    if options.install:
        subprocess.run(["apt-get", "install", "-y", "-qq", "htop", "btop"], check=True)
    for program in () if options.drover_only else ("htop", "btop"):
        if not shutil.which(program):
            sys.exit(f"compare_monitors.py: {program} is not installed: give --install")
    with tempfile.TemporaryDirectory() as home:
        os.makedirs(home + "/btop")
        with open(home + "/btop/btop.conf", "w") as file:
            file.write("update_ms = 1000\n")
        processes = []
        try:
            endpoint = start_fleet(options, home, processes)
            print(f"{options.devices} devices, {options.per_host} a host, at 1 Hz, {options.size}, {options.seconds:.0f} s each")
            print(f"{'':22} {'CPU':>8} {'bytes/s':>10} {'RSS':>10}  {'key p50    p99':>14}")
            for view in options.views.split(","):
                words = [options.drover, "top", "--connect", endpoint, "--view", view]
                print_row(measure("drover top " + view, Monitor(words, {"HOME": home}, options), options, DROVER_CURSOR, VIEWS.get(view)))
            if options.drover_only:
                return
            htop = Monitor(["htop", "-d", "10"], {"HOME": home, "HTOPRC": home + "/htoprc"}, options)
            print_row(measure("htop", htop, options, HTOP_CURSOR, (b"\x1b[B", b"\x1b[A")))
            btop = Monitor(["btop"], {"HOME": home, "XDG_CONFIG_HOME": home}, options)
            print_row(measure("btop", btop, options))
        finally:
            for process in reversed(processes):
                process.terminate()
                process.wait()


main()
