import type { SendOutcome } from '../../model/notification.ts';

/** A failure with a text of Vigil's own: what a broker says could reveal too much. `permanent`: the message is never taken. */
export class KafkaFault extends Error {
  override readonly name = 'KafkaFault';
  readonly permanent: boolean;

  constructor(message: string, permanent = false) {
    super(message);
    this.permanent = permanent;
  }

  toOutcome(): SendOutcome {
    return { ok: false, error: this.message, ...(this.permanent ? { permanent: true as const } : {}) };
  }
}

export const noKafka = () => new KafkaFault('The receiver does not answer as a broker of Kafka does.');

type KnownError = { name: string; advice: string; permanent?: true };

/** The errors of the protocol that a producer meets. Those that pass, or that a person can mend, are tried again. */
const knownErrors: Readonly<Record<number, KnownError>> = {
  2: { name: 'CORRUPT_MESSAGE', advice: 'the record arrived damaged' },
  3: { name: 'UNKNOWN_TOPIC_OR_PARTITION', advice: 'the topic does not exist, or the user may not see it' },
  5: { name: 'LEADER_NOT_AVAILABLE', advice: 'the partition has no leader at present' },
  6: { name: 'NOT_LEADER_OR_FOLLOWER', advice: 'the leader of the partition has changed' },
  7: { name: 'REQUEST_TIMED_OUT', advice: 'the replicas did not confirm in time' },
  10: { name: 'MESSAGE_TOO_LARGE', advice: 'raise `max.message.bytes` of the topic', permanent: true },
  17: { name: 'INVALID_TOPIC_EXCEPTION', advice: 'the topic takes no records of producers' },
  18: { name: 'RECORD_LIST_TOO_LARGE', advice: 'raise `segment.bytes` of the topic', permanent: true },
  19: { name: 'NOT_ENOUGH_REPLICAS', advice: 'fewer replicas are in sync than the topic asks for' },
  20: {
    name: 'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
    advice: 'fewer replicas are in sync than the topic asks for',
  },
  29: { name: 'TOPIC_AUTHORIZATION_FAILED', advice: 'the user may not write to the topic' },
  31: { name: 'CLUSTER_AUTHORIZATION_FAILED', advice: 'the user may not use the cluster' },
  32: { name: 'INVALID_TIMESTAMP', advice: 'the clocks of Vigil and the broker differ' },
  33: { name: 'UNSUPPORTED_SASL_MECHANISM', advice: 'the broker takes another `mechanism`' },
  34: { name: 'ILLEGAL_SASL_STATE', advice: 'this listener takes no login; leave out the user' },
  35: { name: 'UNSUPPORTED_VERSION', advice: 'Vigil needs Kafka 0.11 or newer' },
  43: { name: 'UNSUPPORTED_FOR_MESSAGE_FORMAT', advice: 'Vigil needs Kafka 0.11 or newer' },
  56: { name: 'KAFKA_STORAGE_ERROR', advice: 'a disk of the broker failed' },
  58: { name: 'SASL_AUTHENTICATION_FAILED', advice: 'check the user and the password' },
  87: {
    name: 'INVALID_RECORD',
    advice: 'the topic takes other records, such as those of a schema',
    permanent: true,
  },
  89: { name: 'THROTTLING_QUOTA_EXCEEDED', advice: 'the quota of the user is used up' },
};

/** Throws the error that a broker answered; 0 is none. */
export function throwError(code: number): void {
  if (code === 0) return;
  const error = knownErrors[code];
  throw error
    ? new KafkaFault(`Kafka responded with ${error.name} (${code}): ${error.advice}.`, error.permanent)
    : new KafkaFault(`Kafka responded with the error ${code}.`);
}
