#!/usr/bin/env python3
"""CPU and terminal bytes of the dashboard beside htop and btop, each in a pseudo-terminal, in the same run.

    tests/bench/compare_monitors.py [DROVER [SECONDS]]

All three are asked for one update a second on 120x40. They do not watch the same: htop and btop read this
machine, the dashboard is told by a router (a quiet demo fleet of 40 devices, in processes of its own that are
not counted). Wants htop and btop (Debian: apt-get install htop btop).
"""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

DROVER = sys.argv[1] if len(sys.argv) > 1 else "build/release/drover"
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
WARM_S = 5.0


class Terminal:
    """A program in a pseudo-terminal of 120x40, whose output is counted and thrown away."""

    def __init__(self, words, variables):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", **variables})
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            os.execvp(words[0], words)
        self.bytes = 0
        self.text = b""

    def read(self):
        try:
            piece = os.read(self.master, 65536)
        except OSError:
            return False
        self.bytes += len(piece)
        if len(self.text) < 200000:
            self.text += piece
        return bool(piece)

    def cpu_s(self):
        """Of the process and its threads."""
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.master)


def pump(terminals, seconds, until=lambda: False):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not until():
        ready, _, _ = select.select([one.master for one in terminals], [], [], 0.2)
        for one in terminals:
            if one.master in ready and not one.read():
                sys.exit("compare_monitors.py: one of the programs ended: " + repr(one.text[-300:]))


def main():
    for program in ("htop", "btop"):
        if not shutil.which(program):
            sys.exit(f"compare_monitors.py: {program} is not installed (Debian: {program})")
    with tempfile.TemporaryDirectory() as home:
        os.makedirs(home + "/btop")
        with open(home + "/btop/btop.conf", "w") as file:
            file.write("update_ms = 1000\n")
        demo = Terminal([DROVER, "demo", "--story", "off"], {"HOME": home})
        endpoint = lambda: re.search(rb"tcp://127\.0\.0\.1:\d+", demo.text)
        pump([demo], 40, until=endpoint)
        if not endpoint():
            sys.exit("compare_monitors.py: the demo did not start")
        connect = endpoint().group().decode()
        watched = {
            "drover top, fleet": Terminal([DROVER, "top", "--connect", connect], {"HOME": home}),
            "drover top, devices": Terminal([DROVER, "top", "--connect", connect, "--view", "devices"], {"HOME": home}),
            "htop": Terminal(["htop", "-d", "10"], {"HOME": home, "HTOPRC": home + "/htoprc"}),
            "btop": Terminal(["btop"], {"HOME": home, "XDG_CONFIG_HOME": home}),
        }
        everything = [demo, *watched.values()]
        pump(everything, WARM_S)
        before = {name: (one.cpu_s(), one.bytes) for name, one in watched.items()}
        began = time.monotonic()
        pump(everything, SECONDS)
        took = time.monotonic() - began
        print(f"{'':20} {'CPU of one core':>16} {'bytes/s':>10}")
        for name, one in watched.items():
            cpu, sent = one.cpu_s() - before[name][0], one.bytes - before[name][1]
            print(f"{name:20} {100 * cpu / took:14.2f} % {sent / took:10.0f}")
        for one in everything[1:]:
            one.end()
        os.write(demo.master, b"q")  # in order, so that it ends its processes
        while demo.read():
            pass
        demo.end()


main()
