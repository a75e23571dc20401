// Reads a recording twice with the public MCAP library, by its index and as a stream, and prints
// the same facts of both: CRCs are checked by the library.
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { decompress } from "fzstd";
import { open, readFile } from "node:fs/promises";

const path = process.argv[2];
const decompressHandlers = {
  zstd: (bytes, size) => decompress(bytes, new Uint8Array(Number(size))),
};

class File {
  constructor(handle, size) { this.handle = handle; this.bytes = BigInt(size); }
  async size() { return this.bytes; }
  async read(offset, length) {
    const out = new Uint8Array(Number(length));
    await this.handle.read(out, 0, out.length, Number(offset));
    return out;
  }
}

function report(kind, counts, extra) {
  const names = Object.keys(counts).sort().map((topic) => `${topic}=${counts[topic]}`);
  console.log(`${kind} ${names.join(" ")}${extra}`);
}

const handle = await open(path);
const reader = await McapIndexedReader.Initialize({
  readable: new File(handle, (await handle.stat()).size),
  decompressHandlers,
});
const indexed = {};
let before = 0n;
for await (const message of reader.readMessages()) {
  const { topic } = reader.channelsById.get(message.channelId);
  indexed[topic] = (indexed[topic] ?? 0) + 1;
  if (message.logTime < before) throw new Error(`${message.logTime} stands behind ${before}`);
  before = message.logTime;
}
for (const [id, count] of reader.statistics.channelMessageCounts) {
  const { topic } = reader.channelsById.get(id);
  if (BigInt(indexed[topic] ?? 0) !== count) throw new Error(`${topic}: statistics say ${count}`);
}
await handle.close();
report("indexed", indexed, ` chunks=${reader.chunkIndexes.length}`);

const stream = new McapStreamReader({ decompressHandlers, validateCrcs: true, includeChunks: false });
stream.append(await readFile(path));
const channels = {};
const streamed = {};
for (let record; (record = stream.nextRecord()); ) {
  if (record.type === "Channel") channels[record.id] = record.topic;
  if (record.type === "Message") {
    const topic = channels[record.channelId];
    streamed[topic] = (streamed[topic] ?? 0) + 1;
  }
}
if (!stream.done()) throw new Error("the stream did not come to its end");
report("streamed", streamed, "");
