import { randomBytes, randomInt } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** What one connection sends over and over: `<id>` becomes an id of the range, `<address>` 40 random hex digits. */
export type Shot = { request: string; ids?: { from: number; to: number } };
/** One connection for each shot, all of them busy for the whole time. */
export type Order = { port: number; shots: readonly Shot[]; ms: number };
export type Tally = { count: number; perSecond: number; p50Ms: number; p99Ms: number; refusal?: string };

// A process of its own, so that the client's work does not slow down the server that it measures.
process.on('message', (order: Order) => {
  runLoad(order).then(
    (tally) => process.send?.(tally),
    (error: unknown) => {
      throw error;
    },
  );
});
process.on('disconnect', () => process.exit());

async function runLoad({ port, shots, ms }: Order): Promise<Tally> {
  const began = performance.now();
  const results = await Promise.all(shots.map((shot) => runConnection(port, shot, began + ms)));
  const seconds = (performance.now() - began) / 1000;
  const times = results.flatMap((result) => result.times).sort((a, b) => a - b);
  const refusal = results.find((result) => result.refusal !== undefined)?.refusal;
  return {
    count: times.length,
    perSecond: times.length / seconds,
    p50Ms: times[Math.floor(times.length * 0.5)] ?? 0,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/**
 * One request at a time on a kept connection, through a bare socket: an HTTP client would cost as much as the server.
 */
function runConnection(
  port: number,
  shot: Shot,
  until: number,
): Promise<{ times: number[]; refusal?: string }> {
  return new Promise((resolve, reject) => {
    const times: number[] = [];
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const readAnswer = createAnswerReader((head, body) => {
      times.push(performance.now() - sentAt);
      const isGood = head.startsWith('HTTP/1.1 2');
      if (isGood && performance.now() < until) return send();
      socket.end();
      resolve({ times, ...(isGood ? {} : { refusal: `${head}\r\n\r\n${body.slice(0, 500)}` }) });
    });
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      writeShot(socket, shot);
    };
    socket.on('connect', send).on('data', readAnswer).on('error', reject);
  });
}

function writeShot(socket: Socket, { request, ids }: Shot): void {
  const withId = ids ? request.replace('<id>', String(randomInt(ids.from, ids.to + 1))) : request;
  const text = withId.includes('<address>')
    ? withId.replaceAll('<address>', randomBytes(20).toString('hex'))
    : withId;
  socket.write(text, 'latin1');
}

/** Calls back with each whole answer; both servers name the length of every body. */
function createAnswerReader(onAnswer: (head: string, body: string) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let received = 0;
  let expected = 0;
  let head = '';
  return (chunk) => {
    chunks.push(chunk);
    received += chunk.length;
    if (expected === 0) {
      const text = Buffer.concat(chunks).toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      head = text.slice(0, end);
      expected = end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)![1]);
    }
    if (received < expected) return;
    const body = head.startsWith('HTTP/1.1 2')
      ? ''
      : Buffer.concat(chunks)
          .toString()
          .slice(head.length + 4);
    chunks = [];
    received = 0;
    expected = 0;
    onAnswer(head, body);
  };
}
