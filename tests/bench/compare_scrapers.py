#!/usr/bin/env python3
"""What it costs to scrape 500 hosts of 8 boards every 5 s, with Prometheus beside it in the same run.

    tests/bench/compare_scrapers.py [--hosts 500] [--boards 8] [--seconds 60] DROVER

DROVER is the program (a Release build). A server that this script starts has a page for each host as
dcgm-exporter prints it, whose values change with each request. `drover agent --scrape` reads all pages and
publishes them to a `drover router`; Prometheus (Debian: prometheus) reads the same pages at the same interval and
stores them. Both are measured one after the other, after they have read each page twice: user and system time of
the process and its threads. Nothing is asserted.
"""
import argparse
import http.server
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

EVERY_S = 5
FIELDS = [
    "SM_CLOCK", "MEM_CLOCK", "MEMORY_TEMP", "GPU_TEMP", "POWER_USAGE", "TOTAL_ENERGY_CONSUMPTION",
    "PCIE_REPLAY_COUNTER", "GPU_UTIL", "MEM_COPY_UTIL", "ENC_UTIL", "DEC_UTIL", "FB_FREE", "FB_USED", "FB_RESERVED",
    "XID_ERRORS", "NVLINK_BANDWIDTH_TOTAL", "VGPU_LICENSE_STATUS",
]


def page_parts(host, boards):
    """The page cut where the values stand."""
    text = ""
    for field in FIELDS:
        text += f"# HELP DCGM_FI_DEV_{field} A field of DCGM.\n# TYPE DCGM_FI_DEV_{field} gauge\n"
        for board in range(boards):
            labels = f'gpu="{board}",UUID="GPU-{host:08}-{board}",device="nvidia{board}",' \
                     f'modelName="NVIDIA H100 80GB HBM3",Hostname="node-{host}",DCGM_FI_DRIVER_VERSION="580.105.08"'
            text += f"DCGM_FI_DEV_{field}{{{labels}}} \0\n"
    return text.split("\0")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    parts = []
    requests = 0

    def do_GET(self):
        Handler.requests += 1
        number = int(self.path.split("/")[1])
        body = str(20 + Handler.requests % 70).join(Handler.parts[number]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True

    def handle_error(self, *_):
        """A reader that ends leaves its connections."""


def serve(hosts, boards, pipe):
    Handler.parts = [page_parts(host, boards) for host in range(hosts)]
    server = Server(("127.0.0.1", 0), Handler)
    os.write(pipe, f"{server.server_address[1]}\n".encode())
    server.serve_forever()


def cpu_s(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure(name, process, seconds):
    time.sleep(3 * EVERY_S)
    if process.poll() is not None:
        sys.exit(f"compare_scrapers.py: {name} has ended")
    before, began = cpu_s(process.pid), time.monotonic()
    time.sleep(seconds)
    share = (cpu_s(process.pid) - before) / (time.monotonic() - began)
    print(f"{name:12} {100 * share:6.1f} % of a core  {resident_mib(process.pid):6.0f} MiB", flush=True)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def end(*processes):
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        process.wait(30)


def drover(binary, port, hosts, seconds, folder):
    base = free_port()
    endpoint = f"tcp://127.0.0.1:{base}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": open(f"{folder}/drover.log", "w")}
    router = subprocess.Popen([binary, "router", "--listen", endpoint, "--ledger", f"{folder}/ledger.sqlite"], **quiet)
    time.sleep(2)
    urls = ",".join(f"http://127.0.0.1:{port}/{host}/metrics" for host in range(hosts))
    agent = subprocess.Popen([binary, "agent", "--connect", endpoint, "--scrape", urls, "--every", f"{EVERY_S}s"],
                             **quiet)
    measure("drover agent", agent, seconds)
    end(agent, router)


def prometheus(port, hosts, seconds, folder):
    program = shutil.which("prometheus")
    if program is None:
        print("prometheus is not installed (Debian: apt-get install prometheus): not measured")
        return
    with open(f"{folder}/prometheus.yml", "w") as file:
        file.write(f"global: {{scrape_interval: {EVERY_S}s, scrape_timeout: {EVERY_S}s}}\nscrape_configs:\n")
        for host in range(hosts):
            file.write(f"- {{job_name: node-{host}, metrics_path: /{host}/metrics, "
                       f"static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}\n")
    server = subprocess.Popen(
        [program, f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb",
         f"--web.listen-address=127.0.0.1:{free_port()}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    measure("prometheus", server, seconds)
    end(server)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--hosts", type=int, default=500)
    options.add_argument("--boards", type=int, default=8)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("drover")
    given = options.parse_args()
    folder = tempfile.mkdtemp()
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        threading.stack_size(256 * 1024)
        serve(given.hosts, given.boards, writer)
    try:
        port = int(os.read(reader, 16))
        bytes_a_page = sum(map(len, page_parts(0, given.boards))) + 2 * given.boards * len(FIELDS)
        print(f"{given.hosts} hosts, {given.boards} boards each, {bytes_a_page} bytes a page, every {EVERY_S} s")
        drover(given.drover, port, given.hosts, given.seconds, folder)
        prometheus(port, given.hosts, given.seconds, folder)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
