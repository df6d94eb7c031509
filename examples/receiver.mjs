// A webhook receiver for the tutorial: `node examples/receiver.mjs PORT SECRET` checks the signature of every message
// (Standard Webhooks), drops what it has seen before, and prints one line for each.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const toleranceSeconds = 300;
const maxBodyBytes = 64 * 1024;
const maxSeen = 10_000;
const [port = '9000', secret = ''] = process.argv.slice(2);
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
// A real receiver keeps the ids where it keeps what it did, in one transaction.
const seen = new Set();

createServer((request, response) => {
  receive(request, response).catch((error) => {
    console.error(error);
    response.writeHead(400).end();
  });
}).listen(Number(port), '127.0.0.1');

async function receive(request, response) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > maxBodyBytes) return response.writeHead(413, { connection: 'close' }).end();
  }
  if (!isSigned(request.headers, body)) {
    console.log('UNSIGNED');
    return response.writeHead(401).end();
  }
  const id = request.headers['webhook-id'];
  if (!seen.has(id)) {
    const { type, data } = JSON.parse(body);
    console.log('signed  ', type, data.message ?? '');
    seen.add(id);
    if (seen.size > maxSeen) seen.delete(seen.values().next().value);
  }
  return response.writeHead(204).end();
}

/** A header may carry several signatures: while a secret is rotated, the old one signs too. */
function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
