import { noKafka } from './kafkaFault.ts';

export type FrameReader = {
  int8(): number;
  int16(): number;
  int32(): number;
  skip(length: number): void;
  string(): string;
  nullableString(): string | null;
  bytes(): Buffer;
  /** Ends at the end of the frame whatever length is claimed, because every item takes bytes. */
  list<T>(readItem: () => T): T[];
};

/** Reads the primitive types of the protocol. Every length comes from a stranger: what leads past the end throws. */
export function createReader(frame: Buffer): FrameReader {
  let position = 0;
  const take = (length: number): Buffer => {
    if (length < 0 || position + length > frame.length) throw noKafka();
    position += length;
    return frame.subarray(position - length, position);
  };
  const reader: FrameReader = {
    int8: () => take(1).readInt8(),
    int16: () => take(2).readInt16BE(),
    int32: () => take(4).readInt32BE(),
    skip: (length: number) => {
      take(length);
    },
    string: () => take(reader.int16()).toString('utf8'),
    nullableString: () => {
      const length = reader.int16();
      return length === -1 ? null : take(length).toString('utf8');
    },
    bytes: () => take(reader.int32()),
    list: <T>(readItem: () => T): T[] => {
      const items: T[] = [];
      const count = reader.int32();
      if (count < -1 || count > frame.length - position) throw noKafka();
      for (let index = 0; index < count; index++) items.push(readItem());
      return items;
    },
  };
  return reader;
}
