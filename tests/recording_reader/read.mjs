// Reads each of the files with the public MCAP library: by its index forwards and backwards, every
// channel alone, and as a stream. Prints the same facts of all of them; the library checks CRCs.
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { decompress } from "fzstd";
import { open, readFile } from "node:fs/promises";

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
  console.log([kind, ...names].join(" ") + extra);
}

async function counted(reader, how) {
  const counts = {};
  let before;
  for await (const message of reader.readMessages({ validateCrcs: true, ...how })) {
    const { topic } = reader.channelsById.get(message.channelId);
    counts[topic] = (counts[topic] ?? 0) + 1;
    const ordered =
      before === undefined || (how.reverse ? message.logTime <= before : message.logTime >= before);
    if (!ordered) throw new Error(`${message.logTime} stands behind ${before}`);
    before = message.logTime;
  }
  return counts;
}

async function readIndexed(path) {
  const handle = await open(path);
  const reader = await McapIndexedReader.Initialize({
    readable: new File(handle, (await handle.stat()).size),
    decompressHandlers,
  });
  const forwards = await counted(reader, {});
  for (const [id, count] of reader.statistics.channelMessageCounts) {
    const { topic } = reader.channelsById.get(id);
    if (BigInt(forwards[topic] ?? 0) !== count) throw new Error(`${topic}: statistics say ${count}`);
  }
  const chunks = ` chunks=${reader.chunkIndexes.length}`;
  report("indexed", forwards, chunks);
  report("backwards", await counted(reader, { reverse: true }), chunks);
  const alone = {};
  for (const topic of Object.keys(forwards)) {
    Object.assign(alone, await counted(reader, { topics: [topic] }));
  }
  report("alone", alone, chunks);
  const metadata = [];
  for await (const record of reader.readMetadata()) metadata.push(record.name);
  report("metadata", {}, " " + metadata.join(" "));
  await handle.close();
}

async function readStreamed(path) {
  const stream = new McapStreamReader({
    decompressHandlers, validateCrcs: true, includeChunks: false,
  });
  stream.append(await readFile(path));
  const channels = {};
  const counts = {};
  for (let record; (record = stream.nextRecord()); ) {
    if (record.type === "Channel") channels[record.id] = record.topic;
    if (record.type === "Message") {
      const topic = channels[record.channelId];
      counts[topic] = (counts[topic] ?? 0) + 1;
    }
  }
  if (!stream.done()) throw new Error("the stream did not come to its end");
  report("streamed", counts, "");
}

for (const path of process.argv.slice(2)) {
  await readIndexed(path);
  await readStreamed(path);
}
