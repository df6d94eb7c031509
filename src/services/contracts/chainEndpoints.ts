import { randomUUID } from 'node:crypto';
import type { EndpointReport, FamilyNodes } from '../../chains/chainFamily.ts';
import { type Chain, type ChainUid, chainUids, getChain, isSeedUid } from '../../chains/chains.ts';
import { families } from '../../chains/families.ts';
import { isPlatformHost } from '../../lib/egress.ts';
import { maskEndpoint } from '../../lib/maskEndpoint.ts';
import { sealedText } from '../../lib/secret.ts';
import { invalid, Problem, unprocessable } from '../../model/errors.ts';
import {
  type ChainEndpoint,
  deleteEndpoint,
  findEndpoint,
  findEndpoints,
  insertEndpoint,
  lockEndpoints,
  openUrl,
  sealUrl,
  updateEndpoint,
} from '../../store/contracts/chainEndpoints.ts';
import { holdOwnChain } from '../../store/contracts/ownChains.ts';
import type { Call } from '../call.ts';
import { audit } from '../records/audit.ts';

/** An endpoint as administrators see it. */
export type ShownEndpoint = Pick<ChainEndpoint, 'uid' | 'name' | 'status'> & {
  url: string;
  /** Set by the environment, and changed only there. */
  isFixed: boolean;
  createdAt: number | null;
  updatedAt: number | null;
};

type Changes = { url?: string; name?: string | null; status?: ChainEndpoint['status'] };

const maxEndpoints = 20;
const fixedUid = /^fixed-(\d{1,3})$/;

/** Those of the environment first, then the stored ones, oldest first. */
export async function listChainEndpoints(call: Call, uid: string): Promise<ShownEndpoint[]> {
  const chain = chainOf(call, uid);
  const fixed = call.services.fixedEndpoints(chain.uid).map(
    (url, index): ShownEndpoint => ({
      uid: `fixed-${index + 1}`,
      name: variableOf(call, chain),
      url: maskEndpoint(url),
      isFixed: true,
      status: 'ACTIVE',
      createdAt: null,
      updatedAt: null,
    }),
  );
  return [...fixed, ...(await findEndpoints(call.db, chain.uid)).map(toShown)];
}

/** Every process uses the endpoint as soon as the change is committed. */
export async function createChainEndpoint(
  call: Call,
  chainUid: string,
  input: Changes & { url: string },
): Promise<ShownEndpoint> {
  const chain = followedChain(call, chainUid);
  if (!isSeedUid(chain.uid) && !(await holdOwnChain(call.db, chain.uid))) throw noChain();
  return addEndpoint(call, chain, input, '/url');
}

/** The same on a chain that may be added by this very request; `pointer` names the address in it. */
export async function addEndpoint(
  call: Call,
  chain: Chain,
  { url, name = null, status = 'ACTIVE' }: Changes & { url: string },
  pointer: string,
): Promise<ShownEndpoint> {
  const address = await checkUrl(chain, url, pointer);
  await lockEndpoints(call.db);
  const rest = await refuseDuplicate(call, chain.uid, address, pointer);
  if (rest >= maxEndpoints)
    throw new Problem('conflict', `A chain can have ${maxEndpoints} endpoints; delete one of them first.`);
  const uid = randomUUID();
  const row = { uid, chainUid: chain.uid, name, status, ...sealed(call, uid, address) };
  const created = await insertEndpoint(call.db, row, call.now);
  await audit(call, 'endpoint', 'create', recordOf(created), undefined, auditedOf(created));
  return toShown(created);
}

export async function updateChainEndpoint(
  call: Call,
  chainUid: string,
  uid: string,
  { url, name, status }: Changes,
): Promise<ShownEndpoint> {
  const chain = followedChain(call, chainUid);
  refuseFixed(call, chain, uid);
  const { shownUrl } = await findStored(call, chain, uid);
  // The masked address, sent back as it was read, means the stored one.
  const address = url === undefined || url === shownUrl ? undefined : await checkUrl(chain, url, '/url');
  await lockEndpoints(call.db);
  const current = await findStored(call, chain, uid);
  const isMoved = address !== undefined && address !== (await openUrl(call.services.keyring, current));
  if (isMoved) await refuseDuplicate(call, chain.uid, address, '/url');
  const next = {
    ...current,
    name: name === undefined ? current.name : name,
    status: status ?? current.status,
    ...(isMoved ? sealed(call, uid, address) : {}),
  };
  if (!isMoved && next.name === current.name && next.status === current.status) return toShown(current);
  const updated = await updateEndpoint(call.db, next, call.now);
  const extra = isMoved ? { url: { before: current.shownUrl, after: updated.shownUrl } } : {};
  await audit(call, 'endpoint', 'update', recordOf(current), auditedOf(current), auditedOf(updated), extra);
  return toShown(updated);
}

export async function deleteChainEndpoint(call: Call, chainUid: string, uid: string): Promise<void> {
  const chain = chainOf(call, chainUid);
  refuseFixed(call, chain, uid);
  await lockEndpoints(call.db);
  const current = await findStored(call, chain, uid);
  await deleteEndpoint(call.db, uid);
  await audit(call, 'endpoint', 'delete', recordOf(current), auditedOf(current), undefined);
}

/** Abilities of an endpoint that is not stored. */
export async function tryUrl(call: Call, chainUid: string, url: string): Promise<EndpointReport> {
  const chain = followedChain(call, chainUid);
  return nodesOf(chain).probeEndpoint(readUrl(url, '/url'), chain);
}

/** Abilities of a stored endpoint, or of one of the environment. */
export async function tryChainEndpoint(call: Call, chainUid: string, uid: string): Promise<EndpointReport> {
  const chain = followedChain(call, chainUid);
  const fixed = fixedUrl(call, chain, uid);
  const url = fixed ?? (await openUrl(call.services.keyring, await findStored(call, chain, uid)));
  return nodesOf(chain).probeEndpoint(url, chain);
}

export function chainOf({ services }: Call, text: string): Chain {
  const uid = chainUids.find((candidate) => candidate === text);
  if (!uid) throw noChain();
  return services.chains.chain?.(uid) ?? getChain(uid);
}

export function noChain(): Problem {
  return new Problem('not-found', 'There is no such chain; GET /chain lists them.');
}

function followedChain(call: Call, text: string): Chain {
  const chain = chainOf(call, text);
  nodesOf(chain);
  return chain;
}

function nodesOf({ family, name }: Chain): FamilyNodes {
  const { nodes } = families[family];
  if (nodes) return nodes;
  throw new Problem(
    'conflict',
    `Vigil cannot follow chains of the family ${family} yet, so that ${name} needs no endpoint.`,
  );
}

function variableOf({ services }: Call, { uid }: Chain): string {
  const variable = `VIGIL_RPC_${uid.toUpperCase()}`;
  return services.fixedChains.has(uid) ? `VIGIL_CHAINS or ${variable}` : variable;
}

function fixedUrl({ services }: Call, { uid: chainUid }: Chain, uid: string): string | undefined {
  const position = fixedUid.exec(uid)?.[1];
  return position === undefined ? undefined : services.fixedEndpoints(chainUid)[Number(position) - 1];
}

function refuseFixed(call: Call, chain: Chain, uid: string): void {
  if (fixedUrl(call, chain, uid) === undefined) return;
  throw new Problem(
    'conflict',
    `This endpoint is fixed: it stands in ${variableOf(call, chain)}. Change the variable and restart Vigil, or add another endpoint here.`,
  );
}

async function findStored(call: Call, chain: Chain, uid: string) {
  const endpoint = await findEndpoint(call.db, chain.uid, uid);
  if (!endpoint) throw new Problem('not-found', `${chain.name} has no such endpoint.`);
  return endpoint;
}

/** The address in its normal form; it must lead to a node of the chain. */
async function checkUrl(chain: Chain, text: string, pointer: string): Promise<string> {
  const url = readUrl(text, pointer);
  const fault = await nodesOf(chain).endpointFault(url, chain);
  const id = chain.chainId === undefined ? '' : ` (chain id ${chain.chainId})`;
  if (fault !== undefined)
    throw unprocessable(
      pointer,
      'unusable-endpoint',
      `The endpoint cannot be used for ${chain.name}${id}: ${fault}.`,
    );
  return url;
}

/** Nodes of one's own are in private networks, so these are allowed, as in the environment. */
function readUrl(text: string, pointer: string): string {
  if (text.includes(sealedText))
    throw invalid(pointer, 'sealed', `${sealedText} stands for a stored value; give the whole address.`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(https?|wss?):$/.test(url.protocol))
    throw invalid(
      pointer,
      'format',
      'must be an address that begins with http://, https://, ws:// or wss://, such as https://rpc.example.com.',
    );
  if (isPlatformHost(url.hostname))
    throw invalid(
      pointer,
      'format',
      'leads to a service of the platform that hands out credentials; give the address of a node.',
    );
  url.hash = '';
  return url.href;
}

/** Returns how many endpoints are stored for the chain. */
async function refuseDuplicate(
  call: Call,
  chainUid: ChainUid,
  url: string,
  pointer: string,
): Promise<number> {
  const stored = await findEndpoints(call.db, chainUid);
  const urls = await Promise.all(stored.map((endpoint) => openUrl(call.services.keyring, endpoint)));
  const fixed = call.services.fixedEndpoints(chainUid).map((address) => new URL(address).href);
  if ([...urls, ...fixed].includes(url)) {
    const message = 'The chain has an endpoint with this address already.';
    throw new Problem('conflict', message, { errors: [{ pointer, code: 'not-unique', message }] });
  }
  return stored.length;
}

function sealed({ services }: Call, uid: string, url: string) {
  return { shownUrl: maskEndpoint(url), sealedUrl: sealUrl(services.keyring, uid, url) };
}

function toShown({ uid, name, shownUrl, status, createdAt, updatedAt }: ChainEndpoint): ShownEndpoint {
  return { uid, name, url: shownUrl, isFixed: false, status, createdAt, updatedAt };
}

function recordOf({ id }: ChainEndpoint) {
  return { id, tenantId: null };
}

function auditedOf({ uid, chainUid, name, shownUrl, status }: ChainEndpoint) {
  return { uid, chainUid, name, url: shownUrl, status };
}
