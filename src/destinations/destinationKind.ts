import type { TSchema } from 'typebox';
import type { EarlierMessage, Message, SendOutcome, Target } from '../model/notification.ts';

import type { PagerEvent } from './readPagerDutyEvent.ts';

/** One request to the receiver of a destination. */
export type MessageRequest = {
  method: string;
  uri: string;
  headers: Record<string, string>;
  /** As people see it in a preview. */
  body: string;
  /** Sent in its place where it is encrypted. */
  bytes?: Buffer;
};

/**
 * The answer to a request. `text` has its body, empty unless the kind reads it. `shown` is the same text where a tenant may
 * read it: answers of internal services stay hidden.
 */
export type KindResponse = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
  shown: string;
};

/** A setting of one kind. Its value is sealed unless it is public. */
export type Setting = { schema: TSchema; isPublic?: true; isRequired?: true };

/** The members of the record that belong to one kind because the API has always had them. */
export type OwnMember =
  | 'uri'
  | 'method'
  | 'headers'
  | 'messengerAUserId'
  | 'messengerAUsername'
  | 'messengerAChatId'
  | 'messengerAChatTitle'
  | 'messengerAChatType'
  | 'messengerBUri'
  | 'messengerBChannelId'
  | 'messengerBChannelName';

/**
 * The address of a destination. `mail` is in `value`. `member` is a member of the record, with `value` as a second name.
 * `settings` derives it; `named` is the setting that a fault names.
 */
type KindAddress =
  | { type: 'mail' }
  | { type: 'chat' }
  | { type: 'member'; member: 'uri' | 'messengerBUri' }
  | {
      type: 'settings';
      named: string;
      uriOf: (settings: KindSettings) => string;
      /** Further addresses that messages may go to. */
      moreUrisOf?: (settings: KindSettings) => readonly string[];
    };

export type KindSettings = Readonly<Record<string, unknown>>;

type SendContext = { now: number; earlier?: EarlierMessage | undefined };

/** Posts each message, or all that are due, as an HTTP request. */
type RequestTransport = {
  transport: 'request';
  /** Undefined where the receiver need not know of the message. */
  request(target: Target, messages: readonly Message[], context: SendContext): MessageRequest | undefined;
  /** Reads what the receiver answered; without it the status alone decides. */
  outcome(response: KindResponse, now: number): SendOutcome;
  /** The outcome depends on the body of the answer. */
  readsBody?: true;
  /** The identifier by which a later message about the same incident refers to this one. */
  refOf?(response: KindResponse): string | undefined;
  /** The request by which an earlier message says more; undefined where it cannot be edited. */
  edit?(target: Target, earlier: EarlierMessage): MessageRequest | undefined;
  /** The request that ends what a test message began. */
  endTest?(target: Target, message: Message): MessageRequest | undefined;
};

/** Writes each message as a frame to a TLS connection. */
type StreamTransport = {
  transport: 'stream';
  frame(target: Target, message: Message): Buffer;
  /** Certificates that the server must be signed by, in PEM, in place of the public authorities. */
  trusted(settings: KindSettings): string | undefined;
};

/** A record of a topic. Records with the same key are in one partition, in their order. */
export type KafkaRecord = {
  topic: string;
  key: string;
  value: string;
  headers: Readonly<Record<string, string>>;
};

export type KafkaLogin = {
  mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  username: string;
  password: string;
};

/** The brokers of a cluster, and the ways to reach them. */
export type KafkaAccess = {
  /** Addresses of the brokers that name the others. */
  brokers: readonly string[];
  isTls: boolean;
  trusted: string | undefined;
  login: KafkaLogin | undefined;
};

/** Produces each message to a topic of Kafka. */
type KafkaTransport = {
  transport: 'kafka';
  record(target: Target, message: Message): KafkaRecord;
  access(settings: KindSettings): KafkaAccess;
};

/** Ways to send that need a connection of the operator. */
type OperatorTransport = { transport: 'mail' | 'bot' };

/** All that Vigil knows of one kind of destination. A new kind is one such record, and everything else derives from it. */
export type DestinationKind = {
  /** The name in menus. */
  title: string;
  /** Steps for a person who adds one; the console's form shows them. */
  about: string;
  /** Its way of working, in a line of the documents. */
  works: string;
  /** Environment variables that the operator sets before anything can be sent. */
  operator: readonly string[];
  /**
   * `people` get one message about an incident, and what comes within the group window together. `programs` get each
   * message by itself and at once.
   */
  readers: 'people' | 'programs';
  address: KindAddress;
  /** Members of the record that only this kind has. Stored sealed unless public. */
  members: Partial<Record<OwnMember, { isPublic?: true; isSetByChat?: true }>>;
  /** Members of `settings`, in the order of the form. */
  settings: Readonly<Record<string, Setting>>;
  /** The fault of settings that are each valid by themselves. */
  check?(settings: KindSettings): { member: string; message: string } | undefined;
  /** Earlier messages about an incident are edited when it grows. */
  edits?: true;
  /** Changes of scores are sent to it. */
  getsScores?: true;
  /** Vigil signs what it sends with a secret that it makes. */
  isSigned?: true;
  /**
   * The receiver keeps a state for each alert or incident. Messages go one at a time with the state of the moment, so a late
   * one contradicts nothing.
   */
  keepsStateOf?: 'incident' | 'alert';
  /** The platform tells Vigil what people do there. Changes of acknowledgements are sent to it. */
  callback?: {
    isSigned(settings: KindSettings, signature: string, body: Uint8Array): boolean;
    /** Undefined for what does not concern Vigil. */
    read(body: Uint8Array): PagerEvent | undefined;
  };
  /** It keeps messages for many readers. None has a link that acts, which would be a right for anyone who reads the log. */
  isArchive?: true;
  /** TCP ports beside the usual ones on which the protocol is spoken. */
  ports?: readonly number[];
} & (RequestTransport | StreamTransport | KafkaTransport | OperatorTransport);

export type Transport = DestinationKind['transport'];
export type StreamKind = Extract<DestinationKind, { transport: 'stream' }>;
export type KafkaKind = Extract<DestinationKind, { transport: 'kafka' }>;
export type RequestKind = Extract<DestinationKind, { transport: 'request' }>;

/** Gives a kind its type without widening it. */
export function defineKind<const K extends DestinationKind>(kind: K): K {
  return kind;
}
