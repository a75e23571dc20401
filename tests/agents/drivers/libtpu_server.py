#!/usr/bin/python3
"""A server of gRPC in the place of libtpu's metric service, made with Python's grpcio.

libtpu_server.py NAME=DEVICE:VALUE[,DEVICE:VALUE..]..

NAME is a metric's name without "tpu.runtime."; a VALUE with a point is sent as a double, others as
an int64. DEVICE:VALUE may be a word instead: refuse (NOT_FOUND), hang, garbage (no message), huge
(100 MiB). Other metrics are refused. Prints its port; ends when its standard input ends.

The messages are packed by hand, with the field numbers of Google's
tpu_info/proto/tpu_metric_service.proto.
"""
import struct
import sys
import time
from concurrent import futures

import grpc


def varint(number):
    number &= (1 << 64) - 1
    text = b""
    while number > 0x7F:
        text += bytes([number & 0x7F | 0x80])
        number >>= 7
    return text + bytes([number])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def metric(device, value):
    if "." in value:
        gauge = varint(1 << 3 | 1) + struct.pack("<d", float(value))
    else:
        gauge = varint(2 << 3 | 0) + varint(int(value))
    attribute = field(1, b"device-id") + field(2, varint(3 << 3) + varint(int(device)))
    timestamp = varint(1 << 3) + varint(1700000000)
    return field(1, attribute) + field(2, timestamp) + field(3, gauge)


def response(name, values):
    metrics = b"".join(field(3, metric(*each.split(":"))) for each in values.split(","))
    return field(1, field(1, name.encode()) + field(2, b"a description") + metrics)


def main():
    served = dict(word.split("=") for word in sys.argv[1:])

    def answer(request, context):
        length = request[1] if request[:1] == b"\x0a" else 0
        name = request[2:2 + length].decode()
        values = served.get(name.removeprefix("tpu.runtime."), "refuse")
        if values == "refuse":
            context.abort(grpc.StatusCode.NOT_FOUND, f"no metric {name}")
        if values == "hang":
            time.sleep(60)
        if values == "garbage":
            return b"\x0a\xff\xff\xff\xff\xffgarbage"
        if values == "huge":
            return bytes(100 << 20)
        return response(name, values)

    handler = grpc.unary_unary_rpc_method_handler(answer)  # bytes in, bytes out
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=16))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(
        "tpu.monitoring.runtime.RuntimeMetricService", {"GetRuntimeMetric": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    sys.stdin.read()
    server.stop(None)
    # Threads that still answer do not matter.
    import os
    os._exit(0)


main()
