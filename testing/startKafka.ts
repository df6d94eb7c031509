import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createCertificate } from './createCertificate.ts';

type TakenRecord = { partition: number; key: string; value: string; headers: Record<string, string> };
type Name = 'produce' | 'metadata' | 'handshake' | 'versions' | 'authenticate';
/** What the broker does in place of the next answer of this name: an error, or bytes of its own. */
type Override = { error: number } | { raw: (correlation: number) => Buffer } | { silent: true };
type Options = {
  address?: string;
  isTls?: boolean;
  login?: { username: string; password: string };
  iterations?: number;
  /** Lets everyone in, as a broker does that does not know the passwords. */
  knowsNothing?: true;
  partitions?: number;
};

export type Kafka = {
  port: number;
  certificate: string;
  records: TakenRecord[];
  /** What a client sent that the protocol does not allow. */
  faults: string[];
  connections: () => number;
  /** The broker that leads every partition, as the metadata name it; undefined is this one, null none. */
  leader: { host: string; port: number } | null | undefined;
  override(name: Name, ...next: Override[]): void;
  stop(): Promise<void>;
};

const keys: Readonly<Record<number, { name: Name; version: number }>> = {
  0: { name: 'produce', version: 3 },
  3: { name: 'metadata', version: 4 },
  17: { name: 'handshake', version: 1 },
  18: { name: 'versions', version: 0 },
  36: { name: 'authenticate', version: 0 },
};
const topic = 'alerts';
const int = (bytes: 1 | 2 | 4 | 8, value: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeIntBE(value, Math.max(0, bytes - 6), Math.min(bytes, 6));
  return buffer;
};
const text = (value: string) => Buffer.concat([int(2, Buffer.byteLength(value)), Buffer.from(value)]);
const list = (...items: Buffer[]) => Buffer.concat([int(4, items.length), ...items]);

/**
 * A stand-in for a broker of Kafka, written from the protocol: it parses every byte of a request, checks the sum of a batch, and
 * ends the connection of a client that sends anything else.
 */
export async function startKafka(options: Options = {}): Promise<Kafka> {
  const { key, cert } = createCertificate();
  const overrides = new Map<Name, Override[]>();
  const open = new Set<Socket>();
  let connections = 0;
  const serve = (socket: Socket) => {
    socket.on('error', () => {});
    readRequests(socket, options, kafka, (name) => overrides.get(name)?.shift());
  };
  const server: Server = options.isTls ? createTlsServer({ key, cert }, serve) : createServer(serve);
  server.on('tlsClientError', () => {});
  server.on('connection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, options.address ?? '127.0.0.1', resolve));
  const kafka: Kafka = {
    port: (server.address() as AddressInfo).port,
    certificate: cert,
    records: [],
    faults: [],
    connections: () => connections,
    leader: undefined,
    override: (name, ...next) => void overrides.set(name, next),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
  return kafka;
}

function readRequests(
  socket: Socket,
  options: Options,
  kafka: Kafka,
  nextOverride: (name: Name) => Override | undefined,
) {
  const session = createSession(options);
  let bytes: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE()) {
      const end = 4 + bytes.readInt32BE();
      const request = bytes.subarray(4, end);
      bytes = bytes.subarray(end);
      try {
        const { name, correlation, body } = readHead(request);
        const override = nextOverride(name);
        if (override && 'silent' in override) return;
        if (override && 'raw' in override) return void socket.write(override.raw(correlation));
        const answer = session(name, body, kafka, override?.error ?? 0);
        body.end();
        socket.write(Buffer.concat([int(4, 4 + answer.length), int(4, correlation), answer]));
      } catch (error) {
        kafka.faults.push(error instanceof Error ? error.message : 'unknown');
        socket.destroy();
      }
    }
  });
}

function readHead(request: Buffer) {
  const body = readerOf(request);
  const known = keys[body.int(2)];
  const version = body.int(2);
  if (!known || known.version !== version) throw new Error('a request that is not offered');
  const correlation = body.int(4);
  if (body.text() === '') throw new Error('a client without a name');
  return { name: known.name, correlation, body };
}

type Body = ReturnType<typeof readerOf>;

function readerOf(buffer: Buffer) {
  let at = 0;
  const take = (length: number) => {
    if (length < 0 || at + length > buffer.length) throw new Error('a length that leads past the end');
    at += length;
    return buffer.subarray(at - length, at);
  };
  const body = {
    take,
    int: (bytes: 1 | 2 | 4) => take(bytes).readIntBE(0, bytes),
    long: () => take(8).readBigInt64BE(),
    text: () => take(body.int(2)).toString(),
    bytes: () => take(body.int(4)),
    varint: () => {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = take(1)[0]!;
        value += (byte & 0x7f) * 2 ** shift;
        if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      }
    },
    varText: () => take(body.varint()).toString(),
    same: (what: string, value: string | number | bigint, expected: string | number | bigint) => {
      if (value !== expected) throw new Error(`${what} is ${value}, not ${expected}`);
    },
    end: () => body.same('the rest of the request', buffer.length - at, 0),
  };
  return body;
}

/** One connection: what it may ask, and in which order. */
function createSession({
  knowsNothing,
  address = '127.0.0.1',
  login,
  iterations = 4096,
  partitions = 3,
}: Options) {
  let mechanism: string | undefined;
  let isIn = login === undefined;
  let scram: ReturnType<typeof createScram> | undefined;
  return (name: Name, body: Body, kafka: Kafka, error: number): Buffer => {
    if (!isIn && (name === 'metadata' || name === 'produce')) throw new Error(`${name} before the login`);
    if (name === 'versions')
      return Buffer.concat([
        int(2, error),
        list(
          ...Object.entries(keys).map(([key, { version }]) =>
            Buffer.concat([int(2, Number(key)), int(2, 0), int(2, version + 1)]),
          ),
        ),
      ]);
    if (name === 'handshake') {
      mechanism = body.text();
      return Buffer.concat([int(2, error || (login ? 0 : 34)), list(text(mechanism))]);
    }
    if (name === 'authenticate') {
      const sent = body.bytes().toString();
      if (!mechanism || !login || isIn) throw new Error('a login that was not announced');
      let reply: string | undefined;
      if (mechanism === 'PLAIN') reply = sent === `\0${login.username}\0${login.password}` ? '' : undefined;
      else {
        scram ??= createScram(
          mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha512',
          login,
          iterations,
          knowsNothing,
        );
        reply = scram.answer(sent);
      }
      isIn = reply !== undefined && (mechanism === 'PLAIN' || scram?.isDone() === true);
      const refused = error || (reply === undefined ? 58 : 0);
      return Buffer.concat([
        int(2, refused),
        int(2, -1),
        int(4, reply?.length ?? 0),
        Buffer.from(reply ?? ''),
      ]);
    }
    if (name === 'metadata') {
      body.same('the count of topics', body.int(4), 1);
      const asked = body.text();
      body.same('auto-creation', body.int(1), 0);
      const leader = kafka.leader === undefined ? { host: address, port: kafka.port } : kafka.leader;
      const described = Array.from({ length: partitions }, (_, index) =>
        Buffer.concat([int(2, 0), int(4, index), int(4, leader ? 7 : -1), list(int(4, 7)), list(int(4, 7))]),
      );
      return Buffer.concat([
        int(4, 0),
        list(
          ...(leader ? [Buffer.concat([int(4, 7), text(leader.host), int(4, leader.port), int(2, -1)])] : []),
        ),
        text('cluster'),
        int(4, 7),
        list(
          Buffer.concat([
            int(2, error || (asked === topic ? 0 : 3)),
            text(asked),
            int(1, 0),
            asked === topic ? list(...described) : list(),
          ]),
        ),
      ]);
    }
    body.same('the transaction', body.int(2), -1);
    body.same('acks', body.int(2), -1);
    if (body.int(4) < 1000) throw new Error('no time for the replicas');
    body.same('the count of topics', body.int(4), 1);
    body.same('the topic', body.text(), topic);
    body.same('the count of partitions', body.int(4), 1);
    const partition = body.int(4);
    if (partition < 0 || partition >= partitions) throw new Error(`the partition ${partition}`);
    const record = readBatch(body.bytes());
    if (error === 0) kafka.records.push({ partition, ...record });
    return Buffer.concat([
      list(
        Buffer.concat([
          text(topic),
          list(Buffer.concat([int(4, partition), int(2, error), int(8, 41), int(8, -1)])),
        ]),
      ),
      int(4, 0),
    ]);
  };
}

function readBatch(bytes: Buffer) {
  const batch = readerOf(bytes);
  batch.same('the offset', batch.long(), 0n);
  batch.same('the length of the batch', batch.int(4), bytes.length - 12);
  batch.int(4);
  batch.same('the format', batch.int(1), 2);
  const sum = batch.take(4).readUInt32BE();
  batch.same('the sum of the batch', sum, castagnoli(bytes.subarray(21)));
  batch.same('the attributes', batch.int(2), 0);
  batch.same('the last offset', batch.int(4), 0);
  const first = batch.long();
  batch.same('the last time', batch.long(), first);
  if (Math.abs(Number(first) - Date.now()) > 60_000) throw new Error(`the time ${first}`);
  batch.same('the producer', batch.long(), -1n);
  batch.same('its epoch', batch.int(2), -1);
  batch.same('its sequence', batch.int(4), -1);
  batch.same('the count of records', batch.int(4), 1);
  const record = readerOf(batch.take(batch.varint()));
  batch.end();
  record.same('the attributes of the record', record.int(1), 0);
  record.same('its time', record.varint(), 0);
  record.same('its offset', record.varint(), 0);
  const key = record.varText();
  const value = record.varText();
  const headers: Record<string, string> = {};
  for (let left = record.varint(); left > 0; left--) {
    const name = record.varText();
    headers[name] = record.varText();
  }
  record.end();
  return { key, value, headers };
}

/** CRC-32C bit by bit, apart from the code under test. */
function castagnoli(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes)
    for (let bit = 0; bit < 8; bit++) {
      const isSet = ((value ^ (byte >> bit)) & 1) === 1;
      value = isSet ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
    }
  return ~value >>> 0;
}

function createScram(
  hash: 'sha256' | 'sha512',
  login: NonNullable<Options['login']>,
  iterations: number,
  knowsNothing?: true,
) {
  const salt = randomBytes(16);
  const hmac = (key: Buffer, message: string) => createHmac(hash, key).update(message).digest();
  let spoken: string[] = [];
  let isDone = false;
  return {
    isDone: () => isDone,
    answer(message: string): string | undefined {
      if (spoken.length === 0) {
        const [, name, nonce] = /^n,,n=([^,]+),r=([\x21-\x2b\x2d-\x7e]+)$/.exec(message) ?? [];
        if (!name || !nonce) throw new Error('a first message that is no SCRAM');
        if (name.replaceAll('=2C', ',').replaceAll('=3D', '=') !== login.username) return undefined;
        const reply = `r=${nonce}${randomBytes(9).toString('hex')},s=${salt.toString('base64')},i=${iterations}`;
        spoken = [message.slice(3), reply];
        return reply;
      }
      const [, bare, proof] = /^(c=biws,r=[^,]+),p=([^,]+)$/.exec(message) ?? [];
      if (!bare || !proof || !spoken[1]!.startsWith(`${bare.slice(7)},`))
        throw new Error('a last message that is no SCRAM');
      const salted = pbkdf2Sync(login.password, salt, iterations, hash === 'sha256' ? 32 : 64, hash);
      const all = [...spoken, bare].join(',');
      const stored = createHash(hash).update(hmac(salted, 'Client Key')).digest();
      const signature = hmac(stored, all);
      const clientKey = Buffer.from(proof, 'base64').map((byte, index) => byte ^ signature[index]!);
      const isRight = createHash(hash).update(clientKey).digest().equals(stored);
      if (!isRight && !knowsNothing) return undefined;
      isDone = true;
      return `v=${hmac(hmac(salted, 'Server Key'), all).toString('base64')}`;
    },
  };
}
