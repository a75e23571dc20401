#!/usr/bin/python3
"""Floods a router as a peer that is let in could, and measures what others feel of it.

    tests/bench/floods.py build/release/drover [--jobs 5000] [--keys]

With --keys everything is encrypted; questions are asked with a view key, work is sent with a submit key.

Each flood runs against a fresh router with one agent. Beside it another client asks for the sums ten
times a second. A line for each flood: how long that client waited, the router's memory before, at most
and ten seconds after, whether the agent's host was ever suspect, and how the flood itself was answered.
"""
import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

import msgpack
import zmq

MIB = 1 << 20


def envelope(kind, body, sequence=1):
    return msgpack.packb([1, kind, "flood", sequence, 0, body])


def kinds(folder):
    """Numbers of messages by name, as docs/protocol.md has them."""
    found, name = {}, None
    with open(os.path.join(folder, "docs/protocol.md")) as text:
        for line in text:
            if line.startswith("### "):
                name = line[4:].strip()
            elif line.startswith("Kind ") and name:
                found[name] = int(line.split()[1].rstrip("."))
    return found


def free_port():
    while True:
        with socket.socket() as first:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
        if port > 65000:
            continue
        try:
            for offset in range(3):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port + offset))
            return port
        except OSError:
            continue


def memory(pid, name="VmRSS"):
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith(name + ":"):
                return int(line.split()[1]) / 1024
    return 0


class Keys:
    """A key for each role, made and allowed by the program itself; none where everything is open."""

    def __init__(self, drover, folder, wanted):
        self.folder = folder + "/keys" if wanted else None
        if not wanted:
            return
        run = lambda *words: subprocess.run([drover, "keys", *words, "--dir", self.folder], check=True,
                                            stdout=subprocess.DEVNULL)
        run("new", "router")
        for name, role in (("h1", "agent"), ("eve", "view"), ("sue", "submit"), ("ada", "admin")):
            run("new", name, "--role", role)
            run("allow", name)

    def words(self, name=None):
        return ["--keys", self.folder, *(["--key", name] if name else [])] if self.folder else []

    def use(self, dealer, name):
        if not self.folder:
            return
        read = lambda file, word: re.search(word + r' *= *["\'](.{40})["\']', open(f"{self.folder}/{file}").read())[1].encode()
        dealer.curve_serverkey = read("router.pub", "public")
        dealer.curve_publickey = read(f"{name}.key", "public")
        dealer.curve_secretkey = read(f"{name}.key", "secret")


class Fleet:
    def __init__(self, drover, folder, jobs, keyed):
        self.keys = Keys(drover, folder, keyed)
        port = free_port()
        self.endpoint = f"tcp://127.0.0.1:{port}"
        self.drover = drover
        quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        self.router = subprocess.Popen(
            [drover, "router", "--listen", self.endpoint, "--ledger", folder + "/ledger.sqlite",
             *self.keys.words()], **quiet)
        self.router.stdout.readline()
        self.agent = subprocess.Popen(
            [drover, "agent", "--connect", self.endpoint, "--name", "h1", "--devices", "h100-sxm:8",
             *self.keys.words("h1")], **quiet)
        self.context = zmq.Context()
        self.bystander = self.connect("ada")
        time.sleep(1)
        self.fill(jobs)

    def connect(self, key, role=1, name="flood", **options):
        dealer = self.context.socket(zmq.DEALER)
        self.keys.use(dealer, key)
        dealer.linger = 0
        for option, value in options.items():
            setattr(dealer, option, value)
        dealer.connect(self.endpoint)
        dealer.send(envelope(KINDS["Join"], {"role": role, "name": name}))
        assert dealer.poll(5000), "no JoinAccepted"
        self.samples_endpoint = msgpack.unpackb(dealer.recv())[5]["samples_endpoint"]
        return dealer

    def fill(self, jobs):
        for first in range(0, jobs, 250):
            batch = [{"id": os.urandom(16), "work": {"kind": 1, "model": "llama-3.1-70b", "steps": 1000,
                      "batch": 4096, "sequence": 1, "devices": 4096}} for _ in range(min(250, jobs - first))]
            self.bystander.send(envelope(KINDS["Submit"], {"jobs": batch}))
            assert self.bystander.poll(10000), "no SubmitReply"
            reply = msgpack.unpackb(self.bystander.recv())[5]
            assert all(one.get("status", 0) == 0 for one in reply["results"]), reply["results"][0]

    def suspect(self):
        out = subprocess.run([self.drover, "frame", "--connect", self.endpoint, "--table", "events",
                              *self.keys.words("eve")], capture_output=True, text=True).stdout
        return "suspect" in out

    def end(self):
        for process in (self.agent, self.router):
            process.terminate()
        for process in (self.agent, self.router):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                print("  did not end within 10 s of SIGTERM")
        self.context.destroy(linger=0)


def questions(fleet, kind, count, body):
    dealer = fleet.connect("eve", rcvhwm=1)
    for _ in range(count):
        dealer.send(envelope(KINDS[kind], body))
    return [dealer]


def large(fleet, count, size, connections=1):
    job = {"id": os.urandom(16), "work": {"kind": 1, "model": "llama-3.1-70b", "steps": 1, "batch": 1, "sequence": 1}}
    message = envelope(KINDS["Submit"], {"jobs": [job], "pad": b"x" * size})
    dealers = [fleet.connect("sue", rcvhwm=1, sndhwm=count) for _ in range(connections)]
    for _ in range(count // connections):
        for dealer in dealers:
            dealer.send(message)
    return dealers


def as_agent(fleet, count, size, connections):
    """What an agent's key may send, with more in it than anybody reads."""
    message = envelope(KINDS["Heartbeat"], {"pad": b"x" * size})
    dealers = [fleet.connect("h1", 0, "h1", rcvhwm=1, sndhwm=count) for _ in range(connections)]
    for _ in range(count // connections):
        for dealer in dealers:
            dealer.send(message)
    return dealers


def samples(fleet, count, body):
    """Through the door that has no answers: what an agent's key may publish."""
    publisher = fleet.context.socket(zmq.PUB)
    fleet.keys.use(publisher, "h1")
    publisher.linger, publisher.sndhwm = 0, count
    publisher.connect(fleet.samples_endpoint)
    time.sleep(0.5)
    message = envelope(KINDS["SampleBatch"], body)
    for _ in range(count):
        publisher.send_multipart([b"samples", message])
    return [publisher]


def unknown_models(fleet, count):
    dealer = fleet.connect("sue", rcvhwm=1)
    for _ in range(count):
        jobs = [{"id": os.urandom(16), "work": {"kind": 0, "model": os.urandom(8).hex(), "input_tokens": 8,
                 "output_tokens": 8}} for _ in range(256)]
        dealer.send(envelope(KINDS["Submit"], {"jobs": jobs}))
    return [dealer]


def laden(fleet, count):
    """Jobs that may be taken, each of a class of its own, with as much in their lists as fits."""
    dealer = fleet.connect("sue", sndhwm=count)
    throughputs = [{"device": f"d{at:02d}" + "x" * 60, "devices": 4096, "steps_per_s": 1.5} for at in range(60)]
    for _ in range(count):
        jobs = [{"id": os.urandom(16), "work": {"kind": 1, "model": "llama-3.1-70b", "steps": 1000, "batch": 4096,
                 "sequence": 1, "devices": 4096, "throughputs": throughputs,
                 "ops": [os.urandom(30).hex()] + [f"{at:02d}" + "o" * 60 for at in range(30)]}} for _ in range(80)]
        dealer.send(envelope(KINDS["Submit"], {"jobs": jobs}))
    return [dealer]


FLOODS = {
    "3,000 JobsRequests": lambda f: questions(f, "JobsRequest", 3000, {}),
    "3,000 WhyRequests": lambda f: questions(f, "WhyRequest", 3000, {"job_prefix": ""}),
    "3,000 SnapshotRequests": lambda f: questions(f, "SnapshotRequest", 3000, {}),
    "3,000 jobs of 1 MB": lambda f: large(f, 3000, 1_000_000),
    "4,000 of 1 MB, 8 connections": lambda f: large(f, 4000, 1_000_000, 8),
    "6,400 of 1 MB, 64 connections": lambda f: large(f, 6400, 1_000_000, 64),
    "6,400 of 1 MB, 64 agents": lambda f: as_agent(f, 6400, 1_000_000, 64),
    "3,000 samples of 1 MB": lambda f: samples(f, 3000, {"host": "h1", "pad": b"x" * 1_000_000}),
    "10,000 samples of 1,000 rows": lambda f: samples(f, 10_000, {
        "host": "h1", "devices": b"".join(row.to_bytes(2, "little") for row in range(1000)),
        "columns": [{"metric": metric, "width": 8, "scale": -1, "bytes": os.urandom(8000)} for metric in range(17)]}),
    "100 x 256 unknown models": lambda f: unknown_models(f, 100),
    "500 x 80 jobs with full lists": lambda f: laden(f, 500),
}


def measure(drover, jobs, keyed, name, flood):
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(drover, folder, jobs, keyed)
        pid = fleet.router.pid
        before, waits, stop = memory(pid), [], threading.Event()
        peak = [before]

        def watch():
            while not stop.is_set():
                peak[0] = max(peak[0], memory(pid))
                time.sleep(0.005)

        def ask():
            while not stop.is_set():
                begun = time.monotonic()
                fleet.bystander.send(envelope(KINDS["SummaryRequest"], {}))
                if fleet.bystander.poll(120_000):
                    fleet.bystander.recv()
                waits.append(time.monotonic() - begun)
                time.sleep(0.1)

        threads = [threading.Thread(target=watch), threading.Thread(target=ask)]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        begun = time.monotonic()
        dealers = flood(fleet)
        time.sleep(10)
        held = memory(pid)
        answers = {}
        poller = zmq.Poller()
        for dealer in dealers:
            if dealer.socket_type == zmq.DEALER:
                poller.register(dealer, zmq.POLLIN)
        names = {number: kind for kind, number in KINDS.items()}
        while poller.poll(1000):
            for dealer, _ in poller.poll(0):
                kind = names[msgpack.unpackb(dealer.recv())[1]]
                answers[kind] = answers.get(kind, 0) + 1
        took = time.monotonic() - begun
        stop.set()
        for thread in threads:
            thread.join()
        suspect = fleet.suspect()
        for dealer in dealers:
            dealer.close()
        time.sleep(3)
        after = memory(pid)
        waits.sort()
        print(f"{name:30} bystander p50 {waits[len(waits) // 2] * 1e3:7.1f} ms, longest {waits[-1] * 1e3:8.1f} ms; "
              f"memory {before:.0f} MiB, at most {peak[0]:.0f}, while unread {held:.0f}, after {after:.0f}; "
              f"{'SUSPECT' if suspect else 'lease held'}; {took:.0f} s, answers {answers}", flush=True)
        fleet.end()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("drover")
    parser.add_argument("--jobs", type=int, default=5000, help="that wait")
    parser.add_argument("--keys", action="store_true", help="encrypt everything")
    parser.add_argument("--only", help="floods whose names contain this")
    arguments = parser.parse_args()
    KINDS = kinds(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
    for name, flood in FLOODS.items():
        if arguments.only is None or arguments.only in name:
            measure(arguments.drover, arguments.jobs, arguments.keys, name, flood)
