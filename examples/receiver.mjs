// A webhook receiver for the tutorial: `node examples/receiver.mjs PORT SECRET` checks the signature of every message
// (Standard Webhooks) and prints one line for each.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const toleranceSeconds = 300;
const [port = '9000', secret = ''] = process.argv.slice(2);
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');

createServer((request, response) => {
  receive(request, response).catch((error) => {
    console.error(error);
    response.writeHead(400).end();
  });
}).listen(Number(port), '127.0.0.1');

async function receive(request, response) {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const isGenuine = isSigned(request.headers, body);
  const { type, data } = JSON.parse(body);
  console.log(isGenuine ? 'signed  ' : 'UNSIGNED', type, data.message ?? '');
  response.writeHead(isGenuine ? 204 : 401).end();
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
