import type { KafkaRecord } from '../../destinations/destinationKind.ts';
import { createWriter } from './createWriter.ts';
import { noKafka, throwError } from './kafkaFault.ts';
import type { Broker } from './openBroker.ts';
import { toRecordBatch } from './toRecordBatch.ts';

const allInSync = -1;
/** The replicas have this long to confirm, less than the attempt takes. */
const replicasMs = 7000;

/** Appends a record to a partition; returns when all replicas that are in sync have it. */
export async function produce(
  broker: Broker,
  partition: number,
  record: KafkaRecord,
  now: number,
): Promise<void> {
  const request = createWriter()
    .nullString() // No transaction.
    .int16(allInSync)
    .int32(replicasMs)
    .int32(1)
    .string(record.topic)
    .int32(1)
    .int32(partition)
    .bytes(toRecordBatch(record, now));
  const answer = await broker.ask('produce', request);
  const topics = answer.list(() => {
    const name = answer.string();
    const partitions = answer.list(() => {
      const result = { index: answer.int32(), error: answer.int16() };
      answer.skip(16); // Offset and time.
      return result;
    });
    return { name, partitions };
  });
  const result = topics
    .find(({ name }) => name === record.topic)
    ?.partitions.find(({ index }) => index === partition);
  if (!result) throw noKafka();
  throwError(result.error);
}
