export type Writer = {
  int8(value: number): Writer;
  int16(value: number): Writer;
  int32(value: number): Writer;
  uint32(value: number): Writer;
  int64(value: bigint): Writer;
  /** A signed number of variable length, zigzag. */
  varint(value: number): Writer;
  string(text: string): Writer;
  nullString(): Writer;
  bytes(bytes: Buffer): Writer;
  /** Bytes whose length is of variable length itself, as in records. */
  varBytes(bytes: Buffer): Writer;
  raw(bytes: Buffer): Writer;
  finish(): Buffer;
};

/** Writes the primitive types of the protocol, most significant byte first. */
export function createWriter(): Writer {
  const parts: Buffer[] = [];
  const fixed = (size: number, write: (buffer: Buffer) => void) => {
    const buffer = Buffer.alloc(size);
    write(buffer);
    parts.push(buffer);
    return writer;
  };
  const writer: Writer = {
    int8: (value: number) => fixed(1, (buffer) => buffer.writeInt8(value)),
    int16: (value: number) => fixed(2, (buffer) => buffer.writeInt16BE(value)),
    int32: (value: number) => fixed(4, (buffer) => buffer.writeInt32BE(value)),
    uint32: (value: number) => fixed(4, (buffer) => buffer.writeUInt32BE(value)),
    int64: (value: bigint) => fixed(8, (buffer) => buffer.writeBigInt64BE(value)),
    varint: (value: number) => writer.raw(toVarint(value)),
    string: (text: string) => {
      const bytes = Buffer.from(text);
      return writer.int16(bytes.length).raw(bytes);
    },
    nullString: () => writer.int16(-1),
    bytes: (bytes: Buffer) => writer.int32(bytes.length).raw(bytes),
    varBytes: (bytes: Buffer) => writer.varint(bytes.length).raw(bytes),
    raw: (bytes: Buffer) => {
      parts.push(bytes);
      return writer;
    },
    finish: () => Buffer.concat(parts),
  };
  return writer;
}

function toVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
