import type { Socket } from 'node:net';
import type { KafkaLogin } from '../../destinations/destinationKind.ts';
import { createReader, type FrameReader } from './createReader.ts';
import { createWriter, type Writer } from './createWriter.ts';
import { KafkaFault, noKafka, throwError } from './kafkaFault.ts';
import { scram } from './scram.ts';

/** The requests that Vigil makes, each in the oldest version that has what is needed: brokers since 0.11 take them. */
const requests = {
  produce: { key: 0, version: 3 },
  metadata: { key: 3, version: 4 },
  handshake: { key: 17, version: 1 },
  versions: { key: 18, version: 0 },
  authenticate: { key: 36, version: 0 },
} as const;

/** The answer about one topic of a very large cluster has some 500 KB. */
const maxAnswerBytes = 1024 * 1024;

export type Broker = {
  ask(name: keyof typeof requests, body: Writer): Promise<FrameReader>;
};

/** Makes a connection ready for requests: checks that a broker is there that understands them, and logs in. */
export async function openBroker(socket: Socket, login: KafkaLogin | undefined): Promise<Broker> {
  const frames = framesOf(socket);
  let correlation = 0;

  async function ask(name: keyof typeof requests, body: Writer): Promise<FrameReader> {
    const { key, version } = requests[name];
    correlation += 1;
    const head = createWriter().int16(key).int16(version).int32(correlation).string('vigil');
    const request = Buffer.concat([head.finish(), body.finish()]);
    socket.write(createWriter().bytes(request).finish());
    const { value } = await frames.next();
    if (!value) throw Object.assign(new Error('The broker closed the connection.'), { code: 'ECONNRESET' });
    const reader = createReader(value);
    if (reader.int32() !== correlation) throw noKafka();
    return reader;
  }

  await checkVersions(ask, login !== undefined);
  if (login) await logIn(ask, login);
  return { ask };
}

/** One request is under way at a time; what comes without one is no answer. */
async function* framesOf(socket: Socket): AsyncGenerator<Buffer, undefined> {
  const size = Buffer.alloc(4);
  let read = 0;
  let frame: Buffer | undefined;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    let rest = chunk;
    while (rest.length > 0) {
      if (!frame) {
        const used = rest.copy(size, read, 0, 4 - read);
        read += used;
        rest = rest.subarray(used);
        if (read < 4) continue;
        const length = size.readInt32BE();
        if (length < 4 || length > maxAnswerBytes) throw noKafka();
        frame = Buffer.alloc(length);
        read = 0;
      }
      const used = rest.copy(frame, read);
      read += used;
      rest = rest.subarray(used);
      if (read < frame.length) continue;
      if (rest.length > 0) throw noKafka();
      yield frame;
      frame = undefined;
      read = 0;
    }
  }
  return undefined;
}

async function checkVersions(ask: Broker['ask'], hasLogin: boolean): Promise<void> {
  const answer = await ask('versions', createWriter());
  throwError(answer.int16());
  const offered = new Map(
    answer.list(() => [answer.int16(), { min: answer.int16(), max: answer.int16() }] as const),
  );
  for (const [name, { key, version }] of Object.entries(requests)) {
    if (!hasLogin && (name === 'handshake' || name === 'authenticate')) continue;
    const range = offered.get(key);
    if (!range || range.min > version || range.max < version)
      throw new KafkaFault(
        `The broker does not take version ${version} of the request ${name}; Vigil needs Kafka 0.11 or newer, with a login 1.0.`,
      );
  }
}

async function logIn(ask: Broker['ask'], { mechanism, username, password }: KafkaLogin): Promise<void> {
  const handshake = await ask('handshake', createWriter().string(mechanism));
  throwError(handshake.int16());
  const exchange = async (message: string): Promise<string> => {
    const answer = await ask('authenticate', createWriter().bytes(Buffer.from(message)));
    throwError(answer.int16());
    answer.nullableString();
    return answer.bytes().toString('utf8');
  };
  if (mechanism === 'PLAIN') await exchange(`\0${username}\0${password}`);
  else
    await scram({ hash: mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha512', username, password }, exchange);
}
