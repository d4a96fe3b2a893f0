// Frames: a length in 4 bytes, big-endian, and so many bytes of msgpack.

import { decode, encode } from "@msgpack/msgpack";

const HEADER_BYTES = 4;
const MOST_BYTES = 65536;

/** Return the frame of a message. */
export function pack(message) {
  const payload = encode(message);
  const frame = Buffer.alloc(HEADER_BYTES + payload.length);
  frame.writeUInt32BE(payload.length);
  frame.set(payload, HEADER_BYTES);
  return frame;
}

/** Yield the messages of a stream of bytes, however the network tore or joined them. */
export async function* messages(chunks) {
  let waiting = Buffer.alloc(0);
  for await (const chunk of chunks) {
    waiting = Buffer.concat([waiting, chunk]);
    while (waiting.length >= HEADER_BYTES) {
      const length = waiting.readUInt32BE();
      if (length > MOST_BYTES) throw new RangeError(`a frame of ${length} bytes is none of a referee`);
      const end = HEADER_BYTES + length;
      if (waiting.length < end) break;
      yield asMessage(decode(waiting.subarray(HEADER_BYTES, end)));
      waiting = waiting.subarray(end);
    }
  }
}

function asMessage(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new TypeError("no map came");
  return value;
}
