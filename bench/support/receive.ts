import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long after its alert each message arrived first, in ms; those not reported yet. */
export type Arrivals = { delays: number[] };

type Body = { data: { uid: string; timestamp: number } };

const seen = new Set<string>();
let delays: number[] = [];
let wanted: number | undefined;

/** `/ok…` is answered at once, anything else never. */
const answer: RequestListener = (request, response) => {
  if (!request.url?.startsWith('/ok')) return;
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const { data } = JSON.parse(Buffer.concat(pieces).toString()) as Body;
    if (!seen.has(data.uid)) delays.push(Date.now() - data.timestamp);
    seen.add(data.uid);
    response.writeHead(204).end();
    sendLags();
  });
};

/** Receivers of webhooks in a process of their own, as many as the command line says; a port each, and so a host. */
const servers = Array.from({ length: Number(process.argv[2]) }, () => createServer(answer));
await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
process.send?.(servers.map((server) => (server.address() as AddressInfo).port));

process.on('message', ({ count }: { count: number }) => {
  wanted = count;
  sendLags();
});

function sendLags(): void {
  if (wanted === undefined || delays.length < wanted) return;
  wanted = undefined;
  process.send?.({ delays } satisfies Arrivals);
  delays = [];
}
