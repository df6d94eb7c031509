// Binds a guardian to the detectors of a contract: `TOKEN=… node examples/guardian/bind.mjs CONTRACT WALLET POLICY.json`.
// A policy names the call, from which severity on and when it is made, and the kinds of detectors whose alerts make it.
// Run again, it binds detectors that were added since, and leaves what others bound.
import { readFile } from 'node:fs/promises';

const { API = 'http://127.0.0.1:8080/api/v1', TOKEN } = process.env;
const numericSeverity = { INFO: 10, LOW: 30, MEDIUM: 50, HIGH: 70, CRITICAL: 90 };
const [contractId, walletId, policyFile] = process.argv.slice(2);
if (!TOKEN || !policyFile) throw new Error('Usage: TOKEN=… node bind.mjs CONTRACT WALLET POLICY.json');

const { severity, kinds, ...action } = JSON.parse(await readFile(policyFile, 'utf8'));
if (!(severity in numericSeverity))
  throw new Error(`severity must be one of ${Object.keys(numericSeverity).join(', ')}.`);

const schemas = await search('detector/schema', "status = 'ACTIVE'");
const wanted = new Set(schemas.filter(({ name }) => kinds.includes(name)).map(({ id }) => id));
const detectors = await search('detector', `contractId = ${Number(contractId)} and status = 'ACTIVE'`);
const sources = detectors.filter(({ schema, schemaId = schema?.id }) => wanted.has(schemaId));
if (sources.length === 0)
  throw new Error(`The contract has no active detector of the kinds ${kinds.join(', ')}.`);

const scriptFilter = `e.numericSeverity >= ${numericSeverity[severity]}`;
const [found] = await search('action', `contractId = ${Number(contractId)} and name = '${action.name}'`);
const bound = found?.detectors ?? [];
const added = sources
  .filter(({ id }) => !bound.some(({ detectorId }) => detectorId === id))
  .map(({ id }) => ({ detectorId: id, scriptFilter }));
const kept = bound.map(({ id, detectorId }) => ({ id, detectorId }));
const members = { ...action, walletId: Number(walletId), detectors: [...kept, ...added] };
const saved = found
  ? await request('PUT', `action/${found.id}`, members)
  : await request('POST', 'action', { ...members, contractId: Number(contractId) });
console.log(JSON.stringify({ id: saved.id, name: saved.name, bound: sources.map(({ name }) => name) }));

async function search(kind, where) {
  return (await request('POST', `${kind}/search`, { where, size: 1000 })).data;
}

async function request(method, path, body) {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const reply = await fetch(`${API}/${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path} answers ${reply.status}: ${text}`);
  return JSON.parse(text);
}
