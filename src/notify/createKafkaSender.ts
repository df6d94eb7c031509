import type { KafkaAccess, KafkaKind, KafkaRecord } from '../destinations/destinationKind.ts';
import { destinationKinds } from '../destinations/destinationKinds.ts';
import { createHostQueues, type HostQueues } from '../lib/createHostQueues.ts';
import { createResolve, type Resolve } from '../lib/createResolve.ts';
import { type Egress, portedEgress } from '../lib/egress.ts';
import { withTimeLimit } from '../lib/withTimeLimit.ts';
import type { Message, SendOutcome, Target } from '../model/notification.ts';
import { connectGuarded } from './connectGuarded.ts';
import { connectionFault } from './connectionFault.ts';
import { notSent, type Sender } from './createNotifier.ts';
import { findLeader, type Leader } from './kafka/findLeader.ts';
import { KafkaFault } from './kafka/kafkaFault.ts';
import { type Broker, openBroker } from './kafka/openBroker.ts';
import { produce } from './kafka/produce.ts';

type Options = {
  egress: Egress;
  hosts?: HostQueues;
  now: () => number;
  resolve?: Resolve;
  /** Limits one broker: to name the leader, and then to take the record. */
  timeLimitMs?: number;
};

/** A broker that could not be asked; others of the cluster may. */
type Failure = { uri: string; outcome: SendOutcome };
type Asked = { isDone: true } | { leader: Leader } | { failure: Failure };

/**
 * Produces each message with connections of its own: asks a broker for the leader of the partition and gives that the record.
 * Addresses that a broker names are checked like those of tenants.
 */
export function createKafkaSender(options: Options): Sender {
  const { egress, now, hosts = createHostQueues(), resolve = createResolve(), timeLimitMs = 9000 } = options;
  let turn = 0;

  async function send(
    target: Target,
    messages: readonly Message[],
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const kind = kindOf(target);
    const record = kind.record(target, onlyOf(messages));
    const access = kind.access(target.settings);

    /** Works with one broker, in a slot of its host. */
    async function withBroker<T>(uri: string, limitMs: number, work: (broker: Broker) => Promise<T>) {
      return hosts.run(uri, target.tenantId, signal, async () => {
        try {
          return await withTimeLimit(signal, limitMs, async (within) => {
            const ported = portedEgress(egress, kind.ports);
            const socket = await connectGuarded({
              uri,
              tenantId: target.tenantId,
              egress: ported,
              resolve,
              ...(access.isTls ? { tls: { trusted: access.trusted } } : {}),
              signal: within,
            });
            try {
              return await work(await openBroker(socket, access.login));
            } finally {
              socket.destroy();
            }
          });
        } catch (error) {
          const outcome: SendOutcome =
            error instanceof KafkaFault
              ? error.toOutcome()
              : { ok: false, error: connectionFault(error, limitMs) };
          return { failure: { uri, outcome } };
        }
      });
    }

    const askedMs = Math.max(1, timeLimitMs / access.brokers.length);
    const failures: Failure[] = [];
    /** Once a broker may have the record, another attempt is for later. */
    let isProduced = false;
    for (const uri of inTurn(access.brokers, turn++)) {
      const asked = await withBroker<Asked>(uri, askedMs, (broker) =>
        ask(broker, uri, record, () => {
          isProduced = true;
        }),
      );
      if (!asked) return notSent;
      if ('isDone' in asked) return { ok: true };
      if ('leader' in asked) {
        const { leader } = asked;
        const done = await withBroker<Asked>(leader.uri, timeLimitMs, async (broker) => {
          await produce(broker, leader.partition, record, now());
          return { isDone: true };
        });
        if (!done) return notSent;
        return 'failure' in done ? toOutcome([done.failure], `${leader.named}, the leader`) : { ok: true };
      }
      if ('failure' in asked) failures.push(asked.failure);
      if (isProduced) break;
    }
    return toOutcome(failures);
  }

  /** The record goes to the same connection where the broker leads the partition itself. */
  async function ask(
    broker: Broker,
    uri: string,
    record: KafkaRecord,
    onProduce: () => void,
  ): Promise<Asked> {
    const leader = await findLeader(broker, record.topic, record.key);
    if (leader.uri !== uri) return { leader };
    onProduce();
    await produce(broker, leader.partition, record, now());
    return { isDone: true };
  }

  return {
    send,
    render(target, messages) {
      const kind = kindOf(target);
      const { topic, value, headers } = kind.record(target, onlyOf(messages));
      const { brokers } = kind.access(target.settings);
      return { type: target.type, uri: `kafka://${hostOf(brokers[0])}/${topic}`, headers, body: value };
    },
    close: async () => {},
  };
}

/** Each attempt begins with the next broker, so that one that is down costs no message all its attempts. */
function inTurn(brokers: KafkaAccess['brokers'], turn: number): readonly string[] {
  const first = turn % Math.max(1, brokers.length);
  return [...brokers.slice(first), ...brokers.slice(0, first)];
}

/** The failures of all brokers, each with its host; a message that one broker never takes is taken by none. */
function toOutcome(failures: readonly Failure[], name?: string): SendOutcome {
  const [first] = failures;
  if (!first) return { ok: false, error: 'The destination names no broker.' };
  const texts = failures.map(({ uri, outcome }) =>
    outcome.ok ? '' : `${name ?? hostOf(uri)}: ${outcome.error}`,
  );
  const permanent = failures.some(({ outcome }) => !outcome.ok && outcome.permanent);
  return { ok: false, error: texts.join(' '), ...(permanent ? { permanent: true as const } : {}) };
}

function hostOf(uri = ''): string {
  return URL.canParse(uri) ? new URL(uri).host : uri;
}

function onlyOf([message]: readonly Message[]): Message {
  if (!message) throw new Error('A record needs a message.');
  return message;
}

function kindOf({ type }: Target): KafkaKind {
  const kind = destinationKinds[type];
  if (kind.transport !== 'kafka') throw new Error(`Destinations of type ${type} take no records.`);
  return kind;
}
