#!/usr/bin/python3
"""Prints every device's temperature as a router publishes it (docs/protocol.md)."""
import argparse, datetime, struct
import msgpack, zmq
TEMPERATURE = 7  # its place in the protocol's list of metrics

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("endpoint", nargs="?", default="tcp://127.0.0.1:7702", help="the publish endpoint")
arguments.add_argument("--count", type=int, default=0, help="end after so many lines")
options = arguments.parse_args()
socket = zmq.Context().socket(zmq.SUB)
socket.connect(options.endpoint)
socket.setsockopt(zmq.SUBSCRIBE, b"samples")
printed = 0
while True:
    topic, envelope = socket.recv_multipart()
    version, kind, sender, sequence, at_ns, body = msgpack.unpackb(envelope)
    at = datetime.datetime.fromtimestamp(at_ns / 1e9, datetime.timezone.utc)
    devices = [number for number, in struct.iter_unpack("<H", body.get("devices", b""))]
    for column in body.get("columns", []):
        if column.get("metric", 0) != TEMPERATURE:
            continue
        width, scale = column.get("width", 4), 10.0 ** column.get("scale", 0)
        values = struct.iter_unpack("<" + {2: "h", 4: "i", 8: "q"}[width], column["bytes"])
        for device, (value,) in zip(devices, values):
            if value != -(1 << (8 * width - 1)):  # that would be: absent
                print(f"{at:%H:%M:%S} {body['host']}/{device} {value * scale:.0f} C", flush=True)
                printed += 1
                if printed == options.count:
                    raise SystemExit
