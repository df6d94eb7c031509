// A webhook receiver for the tutorial: `node examples/receiver.mjs 9000` checks the signature of every message
// (Standard Webhooks) and prints one line for each. POST /secret sets the secret of the destination.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const toleranceSeconds = 300;
let secret;

createServer((request, response) => {
  receive(request, response).catch((error) => {
    console.error(error);
    response.writeHead(400).end();
  });
}).listen(Number(process.argv[2] ?? 9000), '127.0.0.1');

async function receive(request, response) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  if (request.url === '/secret') {
    secret = Buffer.from(body.replace('whsec_', ''), 'base64');
    response.writeHead(204).end();
    return;
  }
  const isGenuine = isSigned(request.headers, body);
  const { type, data } = JSON.parse(body);
  console.log(isGenuine ? 'signed  ' : 'UNSIGNED', type, data.message ?? '');
  response.writeHead(isGenuine ? 204 : 401).end();
}

/** A header may carry several signatures: while a secret is rotated, the old one signs too. */
function isSigned(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!secret || Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest();
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
