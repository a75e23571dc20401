#!/usr/bin/env python3
"""Reads a recording: counts of every channel, and the samples of one metric as CSV.

  examples/read_recording.py FILE              what is in it
  examples/read_recording.py FILE METRIC       arrival_ns,host,device,value of that metric's number

Needs python3-msgpack and python3-zstandard. docs/recording.md describes the layout."""
import struct
import sys
import zlib

import msgpack
import zstandard

MAGIC = b"\x89MCAP0\r\n"


def chunks(file):
    """The checked records of every whole chunk."""
    if file.read(8) != MAGIC:
        sys.exit("no MCAP file")
    while len(head := file.read(9)) == 9:
        kind, length = struct.unpack("<BQ", head)
        if kind == 15:  # the data ends, its summary follows
            return
        if kind != 6:
            file.seek(length, 1)
            continue
        content = file.read(length)
        if len(content) < length:
            sys.exit(f"the last chunk is cut short: {len(content)} of {length} bytes")
        size, crc, name = struct.unpack_from("<16xQII", content)
        records = content[32 + name + 8:]
        if content[32:32 + name] == b"zstd":
            records = zstandard.decompress(records, max_output_size=size)
        if zlib.crc32(records) != crc:
            sys.exit("a chunk's CRC-32 differs")
        yield records


def messages(records):
    at = 0
    while at < len(records):
        kind, length = struct.unpack_from("<BQ", records, at)
        if kind == 5:
            channel, place, arrived = struct.unpack_from("<HIq", records, at + 9)
            yield channel, place, arrived, records[at + 31:at + 9 + length]
        at += 9 + length


def signed(number):
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def unpacked(column, lengths):
    """The integers of a packed column, a list for each series."""
    data, planes, at = column.get("bytes", b""), [], 0
    for size in column.get("planes", []):
        planes.append(zstandard.decompress(data[at:at + size]))
        at += size
    if zlib.crc32(data) != column.get("crc", 0):
        sys.exit("a column's CRC-32 differs")
    order, first, at, series = column.get("order", 0), 0, 0, []
    for length in lengths:
        value, step, values = first if order else 0, 0, []
        for i in range(length):
            coded = sum(plane[at] << (8 * n) for n, plane in enumerate(planes))
            coded = -(coded >> 1) - 1 if coded & 1 else coded >> 1
            at += 1
            if order == 0:
                value = coded
            elif order == 1 or i == 0:
                value += coded
            else:
                step += coded
                value += step
            values.append(signed(value))
        first = values[0] if values else first
        series.append(values)
    return series


def samples(block, metric):
    """(arrival, host, device, value) of one metric, source by source."""
    sources = block.get("sources", [])
    facts = [unpacked(one, [s["batches"] for s in sources]) for one in block["facts"]]
    forms = [{c.get("metric", 0): c for c in form.get("columns", [])} for form in block["forms"]]
    with_metric = [s for s in sources if metric in forms[s.get("form", 0)]]
    lengths = [s["batches"] for s in with_metric for _ in range(len(s.get("devices", b"")) // 2)]
    column = next((c for c in block.get("columns", []) if c.get("metric", 0) == metric), None)
    series = iter(unpacked(column, lengths) if column else [])
    for number, source in enumerate(sources):
        form = forms[source.get("form", 0)].get(metric)
        if form is None:
            continue
        missing = -(1 << (8 * form.get("width", 4) - 1))
        for (device,) in struct.iter_unpack("<H", source.get("devices", b"")):
            for tick, value in enumerate(next(series)):
                arrived = facts[2][number][tick] + facts[3][number][tick]
                if value != missing:
                    yield arrived, source["host"], device, value * 10.0 ** form.get("scale", 0)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    names = ["samples", "state", "jobs", "decisions", "events", "audit", "alerts", "bookmarks",
             "keyframes", "dictionary", "drops"]
    counts, batches, size = {}, 0, 0
    with open(sys.argv[1], "rb") as file:
        for records in chunks(file):
            for channel, _, _, data in messages(records):
                counts[channel] = counts.get(channel, 0) + 1
                if channel != 1:
                    continue
                block = msgpack.unpackb(data)
                batches += block["batches"]
                size += len(data)
                if len(sys.argv) == 3:
                    for arrived, host, device, value in samples(block, int(sys.argv[2])):
                        print(f"{arrived},{host},{device},{value:.10g}")
    if len(sys.argv) == 2:
        for channel, count in sorted(counts.items()):
            print(f"{names[channel - 1]} {count}")
        print(f"sample batches {batches}")
        print(f"sample bytes {size}")


if __name__ == "__main__":
    main()
