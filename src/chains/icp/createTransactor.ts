import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { accountIdentifier, readAccount } from '../../codecs/icp/accounts.ts';
import { createBoundedMap } from '../../lib/createBoundedMap.ts';
import { createBroadcast } from '../createBroadcast.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import type { RpcReply } from '../net/createRpc.ts';
import { resultOf } from '../net/replies.ts';
import type {
  Broadcast,
  Expiry,
  Failure,
  Mined,
  Offer,
  Order,
  Refusal,
  SentTransaction,
  Signature,
  Transactor,
  Unsigned,
} from '../transactor.ts';
import { type Certified, queryCall, readStateCall, signedReadCall, submitCall } from './createIcpRpc.ts';
import { icpLedgerId, type Ledger } from './createLedger.ts';
import { toArgument } from './createStateReader.ts';
import { encodeCandid } from './encodeCandid.ts';
import { type IcpCall, isManagement } from './icpActions.ts';
import { toDer } from './icpRules.ts';
import { type LedgerMethod, ledgerTypes } from './ledgerTypes.ts';
import { type Icp, loadIcp } from './loadIcp.ts';

/** For how long a call may be taken; nodes take none that are valid for more than five minutes. */
const validMs = 120_000;
/** Until when what became of it may be asked, with the signature that was made with the call. */
const readableMs = 285_000;
/** The network keeps what became of a call for this long at least. Later that it knows nothing of it says nothing. */
const keptMs = 300_000;

const maxKnown = 10_000;
const forgotten =
  'what became of it is not known, because the network keeps that for five minutes only and was not asked in that time; look at the canister';

/** A signed call, the signed question what became of it, how the entry of a transfer is found in its ledger, and what it takes. */
type Raw = { canister: string; call: string; read: string; memo: string | null; cost: string; until: number };

/**
 * Sends calls to canisters. A call missing from a certificate after its expiry can never run, because time and calls
 * are of one state. Only the caller may ask, so the question is signed, too.
 */
export function createTransactor(
  endpoints: Pick<Endpoints, 'request' | 'sendToAll'>,
  now: () => number,
  ledgerOf: (id: string) => Ledger,
): Transactor {
  const { request } = endpoints;
  let loaded: Icp | undefined;
  const firstSeen = createBoundedMap<string, number>(maxKnown);
  const failures = createBoundedMap<string, Failure>(maxKnown);

  async function ask(
    icp: Icp,
    canister: string,
    method: LedgerMethod,
    args: unknown[],
  ): Promise<bigint | undefined> {
    const { args: types, results } = ledgerTypes(icp.IDL)[method];
    const call = queryCall(canister, method, icp.IDL.encode(types, args));
    return request([call], ([reply]) =>
      reply && 'error' in reply
        ? undefined
        : (icp.IDL.decode(results, resultOf(reply) as Uint8Array)[0] as bigint),
    );
  }

  const balanceOf = (icp: Icp, ledger: string, account: string) =>
    ask(icp, ledger, 'icrc1_balance_of', [
      toArgument(icp, readAccount(account) ?? { owner: new Uint8Array() }),
    ]);

  async function offer(
    icp: Icp,
    from: string,
    to: string,
    { method, values }: IcpCall,
    anchor: string,
  ): Promise<Offer | Refusal> {
    const free: Offer = { units: 1n, price: { maxFee: 0n, tip: null }, cost: 0n, place: { anchor } };
    if (method === 'icrc1_transfer') {
      const [held, fee] = await Promise.all([balanceOf(icp, to, from), ask(icp, to, 'icrc1_fee', [])]);
      if (held === undefined || fee === undefined)
        return { reason: `${to} is no ledger of ICRC-1 that answers`, isFinal: false };
      const total = BigInt(String(values[1])) + fee;
      if (held < total)
        return {
          reason: `the wallet has ${held} of the ${total} smallest units that the transfer takes`,
          isFinal: false,
          needsFunds: true,
        };
      return to === icpLedgerId ? { ...free, price: { maxFee: fee, tip: null }, cost: total } : free;
    }
    if (!isManagement(method)) return free;
    const owner = readAccount(to)?.owner ?? new Uint8Array();
    const controllers = await request([readStateCall(to, [['canister', owner, 'controllers']])], ([reply]) =>
      reply && 'error' in reply ? null : (resultOf(reply) as Certified).values[0],
    );
    const ownerHex = bytesToHex(readAccount(from)?.owner ?? new Uint8Array());
    const isController =
      controllers &&
      icp.agent.Cbor.decode<Uint8Array[]>(controllers).some(
        (controller) => bytesToHex(controller) === ownerHex,
      );
    return isController ? free : { failure: { reason: `${from} is no controller of ${to}`, data: '' } };
  }

  function build({ from, call: { to, data }, price, place: slot, unique }: Order): Unsigned {
    const icp = loaded;
    if (!icp || !('anchor' in slot))
      throw new Error('A call on the Internet Computer is prepared before it is built.');
    const call = JSON.parse(data) as IcpCall;
    const time = Number(slot.anchor);
    // Equal for all attempts of one call, by which its entry is found in the ledger.
    const memo = call.method === 'icrc1_transfer' ? memoOf(unique / 10_000n) : null;
    const sender = icp.Principal.fromText(from);
    const content = {
      request_type: 'call',
      canister_id: icp.Principal.fromText(isManagement(call.method) ? 'aaaaa-aa' : to),
      method_name: call.method,
      arg: argumentOf(icp, to, call, memo, time),
      sender,
      ingress_expiry: BigInt(time + validMs) * 1_000_000n,
      nonce: hexToBytes(unique.toString(16).padStart(32, '0')),
    };
    const id = icp.agent.requestIdOf(content);
    const question = {
      request_type: 'read_state',
      paths: [[utf8ToBytes('request_status'), id]],
      sender,
      ingress_expiry: BigInt(time + readableMs) * 1_000_000n,
    };
    const domain = icp.agent.IC_REQUEST_DOMAIN_SEPARATOR;
    const toPayload = (hash: Uint8Array) => Uint8Array.from([...domain, ...hash]);
    const seal = (signed: object, signature: Signature) =>
      bytesToHex(
        icp.agent.Cbor.encode({
          content: signed,
          sender_pubkey: toDer(signature.publicKey),
          sender_sig: signature.bytes,
        }),
      );
    return {
      payloads: [toPayload(id), toPayload(icp.agent.requestIdOf(question))],
      finish([first, second]) {
        if (!first || !second) throw new Error('A signature is missing.');
        const raw: Raw = {
          canister: to,
          call: seal(content, first),
          read: seal(question, second),
          memo,
          cost: String(
            memo === null || to !== icpLedgerId ? 0n : BigInt(String(call.values[1])) + price.maxFee,
          ),
          until: time + readableMs,
        };
        return { hash: bytesToHex(id), raw: JSON.stringify(raw), validUntil: time + validMs };
      },
    };
  }

  type Outcome = { mined: Mined | null; time: number; isCertain: boolean };

  /** Outcome of a call in a certified state; `isCertain`: the state would have it, had it run. */
  async function outcomeOf(icp: Icp, sent: SentTransaction): Promise<Outcome> {
    const raw = JSON.parse(sent.raw) as Raw;
    if (now() > raw.until) return onLedger(sent, raw);
    const path = ['request_status', hexToBytes(sent.hash)];
    const read = await request(
      [
        signedReadCall(
          raw.canister,
          ['status', 'reply', 'reject_message'].map((name) => [...path, name]),
          hexToBytes(raw.read),
        ),
      ],
      // The network may not have the canister any more.
      ([answer]) => (answer && 'error' in answer ? undefined : (resultOf(answer) as Certified)),
    );
    if (!read) return { mined: null, time: now(), isCertain: false };
    const { time: nanos, values } = read;
    const [status, reply, message] = values;
    const time = Number(nanos / 1_000_000n);
    const isCertain = time < sent.signedAt + keptMs;
    const state = status && Buffer.from(status).toString();
    if (state !== 'replied' && state !== 'rejected')
      return { mined: null, time, isCertain: isCertain && !state };
    const second = Math.floor(time / 1000);
    if (!firstSeen.has(sent.hash)) firstSeen.set(sent.hash, second);
    const failure =
      state === 'rejected' ? Buffer.from(message ?? []).toString() : replyFailure(icp, raw, reply);
    if (failure !== undefined)
      failures.set(`${sent.from} ${firstSeen.get(sent.hash)}`, { reason: failure, data: '' });
    return {
      mined: toMined(failure === undefined, firstSeen.get(sent.hash) ?? second, BigInt(raw.cost)),
      time,
      isCertain: true,
    };
  }

  /** Long after, only a ledger tells whether its entry was made. */
  async function onLedger(
    { from, signedAt, validUntil }: SentTransaction,
    { canister, memo, until }: Raw,
  ): Promise<Outcome> {
    const account = readAccount(from);
    if (memo === null || !account || validUntil === null) {
      // It ends as failed, because it must not be made twice, and must not hold up others.
      const second = Math.floor(until / 1000);
      failures.set(`${from} ${second}`, { reason: forgotten, data: '' });
      return { mined: toMined(false, second, 0n), time: now(), isCertain: true };
    }
    const ledger = ledgerOf(canister);
    const sender = canister === icpLedgerId ? accountIdentifier(account) : from;
    const last = Math.floor(validUntil / 1000) + 1;
    await ledger.refresh();
    if (ledger.completeUntil() < last) return { mined: null, time: now(), isCertain: false };
    for (let second = Math.floor((signedAt - validMs) / 1000); second <= last; second++)
      for (const entry of await ledger.slice(second))
        if (entry.memo === memo && entry.from === sender)
          return {
            mined: toMined(true, second, canister === icpLedgerId ? entry.amount + entry.fee : 0n),
            time: now(),
            isCertain: true,
          };
    return { mined: null, time: ledger.completeUntil() * 1000, isCertain: true };
  }

  return {
    replaces: 'afterExpiry',
    async prepare(from, requests) {
      loaded = await loadIcp();
      const icp = loaded;
      const anchor = String(now());
      const [balance, ...offers] = await Promise.all([
        balanceOf(icp, icpLedgerId, from),
        ...requests.map(({ to, data }) => offer(icp, from, to, JSON.parse(data) as IcpCall, anchor)),
      ]);
      return { balance: balance ?? 0n, offers };
    },
    build,
    broadcast: createBroadcast(
      endpoints,
      (text) => {
        const { canister, call } = JSON.parse(text) as Raw;
        return submitCall(canister, hexToBytes(call));
      },
      toBroadcast,
    ),
    async progress(sent) {
      const icp = await loadIcp();
      const outcomes = await Promise.all(sent.map((transaction) => outcomeOf(icp, transaction)));
      const time = Math.min(...outcomes.map((outcome) => outcome.time));
      return { head: Math.floor(time / 1000), final: time, mined: outcomes.map(({ mined }) => mined) };
    },
    async findExpired(sent) {
      const icp = await loadIcp();
      const outcomes = await Promise.all(sent.map((transaction) => outcomeOf(icp, transaction)));
      // One state proves both that it is missing and that it is too late, whichever node sends it.
      return outcomes.map(({ mined, isCertain, time }, index): Expiry => {
        if (mined) return { mined, head: Math.floor(time / 1000) };
        const until = sent[index]?.validUntil ?? Number.POSITIVE_INFINITY;
        return isCertain && time > until ? 'expired' : 'open';
      });
    },
    // The canister pays.
    checkTerms: async () => undefined,
    findFailure: async (from, _call, block) => failures.get(`${from} ${block}`),
  };
}

const toMined = (isSuccess: boolean, second: number, cost: bigint): Mined => ({
  isSuccess,
  blockNumber: second,
  blockHash: `icp-${second}`,
  cost: isSuccess ? cost : 0n,
});

function memoOf(intent: bigint): string {
  return intent.toString(16).padStart(16, '0');
}

function argumentOf(
  icp: Icp,
  to: string,
  { method, types, values }: IcpCall,
  memo: string | null,
  time: number,
): Uint8Array {
  if (isManagement(method))
    return icp.IDL.encode(
      [icp.IDL.Record({ canister_id: icp.IDL.Principal })],
      [{ canister_id: icp.Principal.fromText(to) }],
    );
  if (memo === null) return encodeCandid(icp, types, values);
  const account = readAccount(String(values[0]));
  if (!account) throw new Error('The recipient is no account.');
  return icp.IDL.encode(ledgerTypes(icp.IDL).icrc1_transfer.args, [
    {
      to: toArgument(icp, account),
      amount: BigInt(String(values[1])),
      fee: [],
      memo: [hexToBytes(memo)],
      from_subaccount: [],
      created_at_time: [BigInt(time) * 1_000_000n],
    },
  ]);
}

/** A ledger replies with why it made no entry; that it has made it before is no failure. */
function replyFailure(icp: Icp, { memo }: Raw, reply: Uint8Array | null | undefined): string | undefined {
  if (memo === null || !reply) return undefined;
  const [outcome] = icp.IDL.decode(ledgerTypes(icp.IDL).icrc1_transfer.results, reply) as unknown as [
    { Err?: Record<string, unknown> },
  ];
  if (!outcome.Err || 'Duplicate' in outcome.Err) return undefined;
  return JSON.stringify(outcome.Err, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

function toBroadcast(reply: RpcReply): Broadcast {
  if ('result' in reply) return { outcome: 'accepted' };
  const { message } = reply.error;
  return /expir/i.test(message) ? { outcome: 'stale' } : { outcome: 'refused', reason: message };
}
