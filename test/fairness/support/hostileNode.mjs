// A node that answers each call with the next kind of nonsense, from a thread of its own: HTTP and WebSocket on one port.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';

const megabyte = 1_000_000;
const nested = Buffer.from('['.repeat(3 * megabyte) + ']'.repeat(3 * megabyte));
const members = Buffer.from(reply(`{${list(400_000, (n) => `"m${n}":${n}`)}}`));
const records = Buffer.from(reply(`[${list(700_000, (n) => `{"k${n % 3000}":[]}`)}]`));
/** Good JSON in which nothing has the form that any call has. */
const hashes = list(30_000, (n) => `"0x${String(n).padStart(64, '0')}"`);
const formless = Buffer.from(`[${list(4, (id) => reply(`{"transactions":[${hashes}]}`, id))}]`);
const text = Buffer.alloc(megabyte, 'a');
const bomb = gzipSync(Buffer.alloc(100 * megabyte, ' '));
const counts = {};

const answers = {
  nested: (response) => response.end(nested),
  members: (response) => response.end(members),
  records: (response) => response.end(records),
  formless: (response) => response.end(formless),
  async longText(response) {
    response.write('{"jsonrpc":"2.0","id":0,"result":"');
    for (let n = 0; n < 200 && !response.destroyed; n++) await write(response, text);
    response.end('"}');
  },
  bomb(response) {
    response.setHeader('content-encoding', 'gzip');
    response.end(bomb);
  },
  packed(response) {
    response.setHeader('content-encoding', 'br');
    response.end(bomb);
  },
  async endless(response) {
    for (response.write('['); !response.destroyed; await sleep(50)) response.write('1,');
  },
  async headers(response) {
    const { socket } = response;
    socket.write('HTTP/1.1 200 OK\r\n');
    for (let n = 0; n < 10_000 && !socket.destroyed; n++)
      await write(socket, `x-${n}: ${'h'.repeat(100)}\r\n`);
    socket.destroy();
  },
  async hints(response) {
    const { socket } = response;
    const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100);
    for (let n = 0; n < 1000 && !socket.destroyed; n++) await write(socket, hint);
    socket.destroy();
  },
  redirect(response) {
    response.writeHead(302, { location: '/elsewhere' });
    response.end();
  },
};

const sockets = {
  nested: async (stream) => {
    for await (const _ of stream) await write(stream, frame(1, nested));
  },
  members: async (stream) => {
    for await (const _ of stream) await write(stream, frame(1, members));
  },
  heads: async (stream) => {
    for (let n = 1; !stream.destroyed; n += 1000)
      await write(stream, Buffer.concat(Array.from({ length: 1000 }, (_, k) => frame(1, head(n + k)))));
  },
  pings: (stream) =>
    endlessly(stream, Buffer.concat(Array.from({ length: 10_000 }, () => frame(9, text.subarray(0, 5))))),
  fragments: (stream) =>
    endlessly(stream, Buffer.concat(Array.from({ length: 10_000 }, () => frame(1, text.subarray(0, 1), 0)))),
  unasked: (stream) => endlessly(stream, frame(1, Buffer.from(reply(`"${'b'.repeat(60_000)}"`, 987_654)))),
  huge: (stream) =>
    endlessly(stream, Buffer.concat([Buffer.from([0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0]), text])),
};

const head = (n) =>
  Buffer.from(
    `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{"number":"0x${n.toString(16)}"}}}`,
  );
const httpKinds = Object.keys(answers);
const socketKinds = Object.keys(sockets);
let requests = 0;
let opened = 0;

const server = createServer((request, response) => {
  const kind = httpKinds[requests++ % httpKinds.length];
  count(kind);
  response.on('error', () => {});
  request.resume().on('end', () => {
    Promise.resolve(answers[kind](response)).catch(() => response.destroy());
  });
});
server.on('upgrade', (request, stream) => {
  const kind = socketKinds[opened++ % socketKinds.length];
  count(`ws ${kind}`);
  stream.on('error', () => {});
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  stream.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  Promise.resolve(sockets[kind](stream)).catch(() => stream.destroy());
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
parentPort.postMessage(server.address().port, []);
parentPort.on('message', () => parentPort.postMessage(counts, []));

function count(kind) {
  counts[kind] = (counts[kind] ?? 0) + 1;
}

function reply(result, id = 0) {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

function list(length, item) {
  return Array.from({ length }, (_, n) => item(n)).join(',');
}

function frame(opcode, payload, last = 0x80) {
  const { length } = payload;
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  header[0] = last | opcode;
  header[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, payload]);
}

async function endlessly(stream, bytes) {
  while (!stream.destroyed) await write(stream, bytes);
}

/** At the pace of the one who reads. */
async function write(stream, bytes) {
  if (stream.destroyed) throw new Error('It was closed.');
  if (stream.write(bytes)) return sleep(0);
  return Promise.race([once(stream, 'drain'), once(stream, 'close')]);
}
