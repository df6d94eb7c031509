import type { Alert, Client } from '../sdk/src/index.ts';
import type { Other } from './others.ts';
import type { Tenant } from './setUp.ts';

/** What to know and to try, before the alerts begin. */
export function greeting(url: string, { token, poolId, actionId }: Tenant, others: readonly Other[]): string {
  const hour = 3_600_000;
  const from = Math.floor(Date.now() / hour) * hour;
  const post = (path: string, body: object) =>
    `curl -s ${url}/api/v1/${path} -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return `
Vigil watches a small chain on this machine.
${others.map(({ uid, runs }) => `It watches ${uid} as well: ${runs}.\n`).join('')}
  console  ${url}/#key=${token}    (asks, then opens signed in)
  address  ${url}    (documents of the API: ${url}/docs)
  token    ${token}    (a manager of the tenant "Demo")

Four things to try in another terminal: the gravest of the newest alerts, what the lending pool has raised
hour by hour, how many alerts there were in each minute, and how the pool was paused when it was drained.

${post('alert/search', { query: 'severity:(HIGH OR CRITICAL)', size: 5 })}

${post(`contract/${poolId}/histogram`, { from, to: from + 24 * hour - 1, interval: '1h' })}

${post('tenant/telemetry', { metric: 'alerts', start: '-1h', end: 'now', step: '1m' })}

curl -s ${url}/api/v1/action/${actionId}/intent -H 'Authorization: Bearer ${token}'

Alerts as they come; Ctrl-C stops the demo.

`;
}

/** Prints every alert and every retraction, until it is stopped. */
export async function printAlerts(client: Client, signal: AbortSignal): Promise<void> {
  for await (const { type, alert } of client.follow({ signal })) {
    if (type === 'raised') write(alert.timestamp, alert.severity, alert);
    if (type === 'retracted') write(alert.retractedAt ?? alert.timestamp, 'RETRACTED', alert);
  }
}

const colours: Readonly<Record<string, string>> = {
  CRITICAL: '\x1b[1;31m',
  HIGH: '\x1b[31m',
  MEDIUM: '\x1b[33m',
  LOW: '\x1b[36m',
  RETRACTED: '\x1b[35m',
  STOPPED: '\x1b[1;32m',
};

function write(at: number, word: string, { name, message, finality }: Alert): void {
  printLine(at, word, name, finality === 'PENDING' ? `No block has it yet: ${message}` : message);
}

export function printLine(at: number, word: string, name: string, message: string): void {
  const time = new Date(at).toTimeString().slice(0, 8);
  const colour = process.stdout.isTTY && process.stdout.hasColors() ? colours[word] : undefined;
  const shownWord = colour ? `${colour}${word.padEnd(9)}\x1b[0m` : word.padEnd(9);
  process.stdout.write(`${time}  ${shownWord}  ${name.padEnd(22)}  ${shorten(message)}\n`);
}

/** Hashes and addresses by their ends, so that a line stays one line. */
function shorten(message: string): string {
  return message.replace(/0x([0-9a-fA-F]{4})[0-9a-fA-F]{32,}([0-9a-fA-F]{4})\b/g, '0x$1…$2');
}
