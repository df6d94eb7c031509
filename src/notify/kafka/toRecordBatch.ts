import type { KafkaRecord } from '../../destinations/destinationKind.ts';
import { crc32c } from './crc32c.ts';
import { createWriter } from './createWriter.ts';

const noProducer = -1;

/** A batch of one record in the format of version 2, without compression. */
export function toRecordBatch({ key, value, headers }: KafkaRecord, now: number): Buffer {
  const checked = createWriter()
    .int16(0) // Attributes: no compression, time of creation, no transaction.
    .int32(0) // Offset of the last record in the batch.
    .int64(BigInt(now))
    .int64(BigInt(now))
    .int64(BigInt(noProducer))
    .int16(noProducer)
    .int32(noProducer)
    .int32(1)
    .varBytes(toRecord(key, value, headers))
    .finish();
  const epochMagicAndSum = 4 + 1 + 4;
  return createWriter()
    .int64(0n)
    .int32(epochMagicAndSum + checked.length)
    .int32(-1) // The broker sets the epoch of the leader.
    .int8(2)
    .uint32(crc32c(checked))
    .raw(checked)
    .finish();
}

function toRecord(key: string, value: string, headers: KafkaRecord['headers']): Buffer {
  const entries = Object.entries(headers);
  const writer = createWriter()
    .int8(0)
    .varint(0)
    .varint(0)
    .varBytes(Buffer.from(key))
    .varBytes(Buffer.from(value))
    .varint(entries.length);
  for (const [name, text] of entries) writer.varBytes(Buffer.from(name)).varBytes(Buffer.from(text));
  return writer.finish();
}
