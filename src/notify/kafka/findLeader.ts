import { createWriter } from './createWriter.ts';
import { KafkaFault, noKafka, throwError } from './kafkaFault.ts';
import type { Broker } from './openBroker.ts';
import { partitionOf } from './partitionOf.ts';

export type Leader = { partition: number; uri: string; named: string };

const leaderNotAvailable = 5;

/** The partition of a key, and the broker that leads it. The topic is not created where it is missing. */
export async function findLeader(broker: Broker, topic: string, key: string): Promise<Leader> {
  const request = createWriter().int32(1).string(topic).int8(0);
  const answer = await broker.ask('metadata', request);
  answer.int32(); // Time of throttling.
  const brokers = answer.list(() => {
    const node = answer.int32();
    const address = { host: answer.string(), port: answer.int32() };
    answer.nullableString(); // Rack.
    return [node, address] as const;
  });
  answer.nullableString(); // Id of the cluster.
  answer.int32(); // Controller.
  const topics = answer.list(() => {
    const error = answer.int16();
    const name = answer.string();
    answer.int8(); // Internal.
    const partitions = answer.list(() => {
      answer.int16(); // Its error is about a replica, or the leader is missing.
      const partition = { index: answer.int32(), leader: answer.int32() };
      answer.list(() => answer.int32());
      answer.list(() => answer.int32());
      return partition;
    });
    return { error, name, partitions };
  });
  const wanted = topics.find(({ name }) => name === topic);
  if (!wanted) throw noKafka();
  throwError(wanted.error);
  const { partitions } = wanted;
  if (partitions.length === 0) throw noKafka();
  const partition = partitionOf(Buffer.from(key), partitions.length);
  const node = partitions.find(({ index }) => index === partition)?.leader ?? -1;
  const leader = new Map(brokers).get(node);
  if (!leader) {
    throwError(leaderNotAvailable);
    throw noKafka();
  }
  return { partition, ...addressOf(leader) };
}

/** The address that a broker names is a stranger's text; where it leads is checked as for one of the tenant. */
function addressOf({ host, port }: { host: string; port: number }) {
  const bracketed = host.includes(':') ? `[${host}]` : host;
  const uri = `https://${bracketed}:${port}/`;
  if (!/^[0-9A-Za-z.:_-]{1,255}$/.test(host) || port < 1 || port > 65_535 || !URL.canParse(uri))
    throw new KafkaFault(
      'The broker names another one without a valid address; check its `advertised.listeners`.',
    );
  return { uri, named: `${bracketed}:${port}` };
}
