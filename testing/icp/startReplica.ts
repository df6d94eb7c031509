import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Cbor, requestIdOf } from '@icp-sdk/core/agent';
import { IDL } from '@icp-sdk/core/candid';
import { Principal } from '@icp-sdk/core/principal';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Canister } from './canister.ts';
import { type Branches, createHashTree, leb, rootHash } from './hashTree.ts';
import { manageCanister } from './manageCanister.ts';

export type Replica = Awaited<ReturnType<typeof startReplica>>;

type Status = {
  status: 'received' | 'replied' | 'rejected';
  caller: string;
  reply?: Uint8Array;
  message?: string;
};
type Content = {
  request_type: string;
  sender: Uint8Array;
  ingress_expiry: bigint | number;
  canister_id?: Uint8Array;
  method_name?: string;
  arg?: Uint8Array;
  paths?: Uint8Array[][];
};
type Envelope = { content: Content; sender_pubkey?: Uint8Array; sender_sig?: Uint8Array };

/** Its state is one of every so often, as if blocks were made at that pace. */
const roundMs = 500;
const maxExpiryNs = 5n * 60n * 10n ** 9n + 30n * 10n ** 9n;
const rootPrefix = hexToBytes('308182301d060d2b0601040182dc7c0503010201060c2b0601040182dc7c05030201036100');
const ed25519Prefix = hexToBytes('302a300506032b6570032100');

/**
 * A replica of the Internet Computer as far as its HTTP interface goes: status, query, call (v2, v3, v4) and read_state, with
 * certificates signed by its own root key and queries signed by its node, strict about signatures and expiries. Where it
 * deviates from a real one: one subnet that is the root itself (no delegation), a call is executed at once and its effects are
 * certified with the next answer, canisters are functions (or Wasm with two calls of the system), no cycles, no inspect_message, statuses are kept for
 * ever unless `forget` is called.
 */
export async function startReplica() {
  const secret = bls12_381.utils.randomSecretKey();
  const rootKey = concatBytes(rootPrefix, bls12_381.shortSignatures.getPublicKey(secret).toBytes());
  const subnet = Principal.selfAuthenticating(rootKey);
  const nodeSecret = ed25519.utils.randomSecretKey();
  const nodeKey = concatBytes(ed25519Prefix, ed25519.getPublicKey(nodeSecret));
  const nodeId = Principal.selfAuthenticating(nodeKey);
  const canisters = new Map<string, Canister>();
  const statuses = new Map<string, Status>();
  const signatures = new Map<string, Uint8Array>();
  const held: (() => Promise<void>)[] = [];
  const seen = new Map<string, number>();
  let lost = 0;
  const replica = {
    url: '',
    rootKey: bytesToHex(rootKey),
    canisters,
    /** Requests so far by their kind. */
    seen,
    /** What it does wrong. */
    fault: undefined as 'down' | 'certificate' | 'signature' | undefined,
    /** The root key that it claims to have in its status. */
    claimedKey: undefined as string | undefined,
    /** How far its certified state is behind the clock. */
    lagMs: 0,
    /** Calls are taken and not executed until `release`. */
    isHolding: false,
    /** Calls are answered as if taken, and lost. */
    isLosing: false,
    /** How many were lost so far. */
    lost: () => lost,
    now: () => BigInt(Math.floor((Date.now() - replica.lagMs) / roundMs) * roundMs) * 1_000_000n,
    certificate,
    release: async () => {
      for (const run of held.splice(0)) await run();
    },
    forget: () => statuses.clear(),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function certificate(): Uint8Array {
    const ranges = Cbor.encode([
      [Principal.fromHex('00'.repeat(10)).toUint8Array(), Principal.fromHex('ff'.repeat(10)).toUint8Array()],
    ]);
    const tree: Branches = {
      time: leb(replica.now()),
      subnet: new Map([
        [
          subnet.toUint8Array(),
          {
            canister_ranges: ranges,
            public_key: rootKey,
            node: new Map([[nodeId.toUint8Array(), { public_key: nodeKey }]]),
          },
        ],
      ]),
      canister: new Map(
        [...canisters].map(([id, { controllers, moduleHash, certifiedData, candid }]) => [
          Principal.fromText(id).toUint8Array(),
          {
            ...(certifiedData && { certified_data: certifiedData() }),
            controllers: Cbor.encode(controllers.map((each) => Principal.fromText(each).toUint8Array())),
            ...(moduleHash && { module_hash: moduleHash }),
            ...(typeof candid === 'string' && { metadata: { 'candid:service': utf8ToBytes(candid) } }),
          },
        ]),
      ),
      request_status: new Map(
        [...statuses].map(([id, { status, reply, message }]) => [
          hexToBytes(id),
          {
            status: utf8ToBytes(status),
            ...(reply && { reply }),
            ...(message !== undefined && {
              reject_code: leb(5n),
              reject_message: utf8ToBytes(message),
              error_code: utf8ToBytes('IC0503'),
            }),
          },
        ]),
      ),
    };
    const hashTree = createHashTree(tree);
    const message = concatBytes(Uint8Array.of(13), utf8ToBytes('ic-state-root'), rootHash(hashTree));
    const blss = bls12_381.shortSignatures;
    if (replica.fault === 'certificate')
      return Cbor.encode({ tree: hashTree, signature: new Uint8Array(48).fill(1) });
    // Signing takes long, and the state is often the same.
    const id = bytesToHex(message);
    const signature = signatures.get(id) ?? blss.sign(blss.hash(message), secret).toBytes();
    signatures.set(id, signature);
    return Cbor.encode({ tree: hashTree, signature });
  }

  async function answerQuery({ content }: Envelope) {
    const id = requestIdOf(content);
    const timestamp = BigInt(Date.now()) * 1_000_000n;
    const outcome = await execute(content, true);
    const answer =
      'reply' in outcome
        ? { status: 'replied', reply: { arg: outcome.reply } }
        : { status: 'rejected', reject_code: 5, reject_message: outcome.message, error_code: 'IC0536' };
    const hash = requestIdOf({ ...answer, timestamp, request_id: id });
    const signed = concatBytes(Uint8Array.of(11), utf8ToBytes('ic-response'), hash);
    const key = replica.fault === 'signature' ? ed25519.utils.randomSecretKey() : nodeSecret;
    return {
      ...answer,
      signatures: [{ timestamp, signature: ed25519.sign(signed, key), identity: nodeId.toUint8Array() }],
    };
  }

  async function execute(
    content: Content,
    isQuery: boolean,
  ): Promise<{ reply: Uint8Array } | { message: string }> {
    const id = Principal.fromUint8Array(content.canister_id ?? new Uint8Array()).toText();
    const caller = Principal.fromUint8Array(content.sender).toText();
    const name = content.method_name ?? '';
    const arg = content.arg ?? new Uint8Array();
    try {
      if (id === 'aaaaa-aa') return { reply: await manageCanister(canisters, name, arg, caller) };
      const canister = canisters.get(id);
      if (!canister) throw new Error(`Canister ${id} not found`);
      if (canister.isStopped) throw new Error(`Canister ${id} is stopped`);
      const own = canister.code?.run(name, isQuery);
      if (own) return { reply: own };
      const method = canister.methods[name];
      if (!method || (isQuery && !method.isQuery))
        throw new Error(`Canister ${id} has no ${isQuery ? 'query' : 'update'} method '${name}'`);
      const args = IDL.decode(method.args, arg) as unknown as [never];
      return { reply: IDL.encode(method.results, method.run(args, { caller, replica, canister: id })) };
    } catch (error) {
      return { message: String(error instanceof Error ? error.message : error) };
    }
  }

  async function submit({ content }: Envelope, isSync: boolean): Promise<{ status: number; body?: unknown }> {
    const id = bytesToHex(requestIdOf(content));
    const caller = Principal.fromUint8Array(content.sender).toText();
    if (replica.isLosing) {
      lost++;
      return { status: 202 };
    }
    if (!statuses.has(id)) {
      statuses.set(id, { status: 'received', caller });
      const run = async () => {
        const outcome = await execute(content, false);
        statuses.set(id, { status: 'reply' in outcome ? 'replied' : 'rejected', caller, ...outcome });
      };
      if (replica.isHolding) held.push(run);
      else await run();
    }
    if (!isSync || statuses.get(id)?.status === 'received') return { status: 202 };
    return { status: 200, body: { status: 'replied', certificate: certificate() } };
  }

  function readState({ content }: Envelope): { status: number; body?: unknown } {
    for (const [top, second, third] of content.paths ?? []) {
      if (Buffer.from(third ?? []).toString() === 'metadata') {
        const { candid } = canisters.get(Principal.fromUint8Array(second!).toText()) ?? {};
        if (typeof candid === 'object') return { status: 403 };
      }
      if (Buffer.from(top ?? []).toString() !== 'request_status') continue;
      const caller = statuses.get(bytesToHex(second ?? new Uint8Array()))?.caller;
      if (caller !== undefined && caller !== Principal.fromUint8Array(content.sender).toText())
        return { status: 403 };
    }
    return { status: 200, body: { certificate: certificate() } };
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      void answer(request.url ?? '', Buffer.concat(chunks)).then(({ status, body }) => {
        response.writeHead(status, {
          'content-type':
            body instanceof Uint8Array || typeof body === 'object' ? 'application/cbor' : 'text/plain',
        });
        response.end(typeof body === 'string' || body === undefined ? body : Buffer.from(Cbor.encode(body)));
      });
    });
  });

  async function answer(url: string, raw: Buffer): Promise<{ status: number; body?: unknown }> {
    const [, version = '', kind = ''] = /^\/api\/(v\d)\/(?:canister\/[^/]+\/)?(\w+)$/.exec(url) ?? [];
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    if (replica.fault === 'down') return { status: 503, body: 'The replica is down.' };
    if (kind === 'status')
      return {
        status: 200,
        body: {
          root_key: replica.claimedKey ? hexToBytes(replica.claimedKey) : rootKey,
          replica_health_status: 'healthy',
        },
      };
    try {
      const envelope = Cbor.decode<Envelope>(new Uint8Array(raw));
      const fault = envelopeFault(envelope);
      if (fault !== undefined) return { status: 400, body: fault };
      if (kind === 'query') return { status: 200, body: await answerQuery(envelope) };
      if (kind === 'read_state') return readState(envelope);
      if (kind === 'call') return await submit(envelope, version !== 'v2');
      return { status: 404, body: 'unknown path' };
    } catch (error) {
      return { status: 400, body: String(error) };
    }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  replica.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return replica;
}

function envelopeFault({ content, sender_pubkey, sender_sig }: Envelope): string | undefined {
  const now = BigInt(Date.now()) * 1_000_000n;
  const expiry = BigInt(content.ingress_expiry);
  if (expiry < now || expiry > now + maxExpiryNs)
    return `Invalid request expiry: Specified ingress_expiry not within expected range: ${expiry}`;
  const sender = Principal.fromUint8Array(content.sender);
  if (sender.isAnonymous()) return undefined;
  if (!sender_pubkey || !sender_sig) return 'the signature is missing';
  if (Principal.selfAuthenticating(sender_pubkey).toText() !== sender.toText())
    return 'the sender does not belong to the public key';
  const message = concatBytes(Uint8Array.of(10), utf8ToBytes('ic-request'), requestIdOf(content));
  const isEd25519 = sender_pubkey.length === 44;
  const isValid = isEd25519
    ? ed25519.verify(sender_sig, message, sender_pubkey.slice(12))
    : secp256k1.verify(sender_sig, sha256(message), sender_pubkey.slice(-65), { prehash: false });
  return isValid ? undefined : 'Invalid signature';
}
