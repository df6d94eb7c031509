import { encodePrincipal, type IcpAccount, isCanister, readAccount } from '../../codecs/icp/accounts.ts';
import type { CandidQuery } from '../../codecs/icp/candidView.ts';
import { harmless } from '../../lib/harmless.ts';
import { messageOf } from '../../lib/messageOf.ts';
import type { StateRead, StateResult } from '../../model/stateRead.ts';
import type { ChainClient } from '../chainClient.ts';
import type { Endpoints } from '../net/createEndpoints.ts';
import type { RpcCall, RpcError, RpcReply } from '../net/createRpc.ts';
import { resultOf } from '../net/replies.ts';
import { type Certified, queryCall, readStateCall } from './createIcpRpc.ts';
import { icpLedgerId } from './createLedger.ts';
import { decodeCandid, encodeCandid } from './encodeCandid.ts';
import { type LedgerMethod, ledgerTypes } from './ledgerTypes.ts';
import { type Icp, loadIcp } from './loadIcp.ts';

const maxSymbolLength = 32;

type Asked = { call: RpcCall; read(result: unknown): StateResult; refused?(error: RpcError): StateResult };

/** Answers of the newest state: nodes keep no other. What ledgers say is signed by a node, what the network keeps by its subnet. */
export function createStateReader(endpoints: Pick<Endpoints, 'request'>): ChainClient['readState'] {
  const { request } = endpoints;
  return async (_block, questions) => {
    const icp = await loadIcp();
    const certified = readCertified(questions);
    return Promise.all(
      questions.map(async (question) => {
        if (question.type === 'storage' && question.key === 'interface')
          return readInterface(question.address);
        if (question.type === 'storage') return certified(icp, question);
        const asked = toCall(icp, question);
        return 'call' in asked ? request([asked.call], ([reply]) => toResult(asked, reply)) : asked;
      }),
    );
  };

  /** On its own, because one that is not for everyone is refused together with all that is asked beside it. */
  async function readInterface(canister: string): Promise<StateResult> {
    const abi = await readCandid(endpoints, canister);
    return abi
      ? { value: JSON.stringify(abi) }
      : gone(`${canister} carries no Candid interface for everyone`);
  }

  /** State of canisters that the network itself keeps; one certificate answers all questions about a canister. */
  function readCertified(questions: readonly StateRead[]) {
    const stored = questions
      .filter((question) => question.type === 'storage')
      .filter(({ key }) => key !== 'interface');
    const made = new Map<string, Promise<RpcReply>>();
    return async (
      icp: Icp,
      { address, key }: Extract<StateRead, { type: 'storage' }>,
    ): Promise<StateResult> => {
      const owner = isCanister(address) ? readAccount(address)?.owner : undefined;
      const read = certifiedReads[key];
      if (!owner || !read)
        return gone(owner ? `the network keeps no ${key} of canisters` : `${address} is no canister`);
      const keys = [
        ...new Set(stored.filter((question) => question.address === address).map((question) => question.key)),
      ];
      const call = readStateCall(
        address,
        keys.map((key) => ['canister', owner, key]),
      );
      const reply = made.get(address) ?? request([call], ([answer]) => answer ?? { result: null });
      made.set(address, reply);
      const found = await reply;
      if ('error' in found) return gone(found.error.message);
      const { values } = resultOf(found) as Certified;
      return { value: read(icp, values[keys.indexOf(key)] ?? null) };
    };
  }
}

const certifiedReads: Readonly<Record<string, ((icp: Icp, value: Uint8Array | null) => string) | undefined>> =
  {
    controllers: toControllers,
    module_hash: (_icp, value) => (value ? `0x${Buffer.from(value).toString('hex')}` : '0x'),
  };

function toResult({ read, refused }: Asked, reply: RpcReply | undefined): StateResult {
  // The canister itself refuses, or there is none.
  if (reply && 'error' in reply) return refused?.(reply.error) ?? gone(reply.error.message);
  return read(resultOf(reply));
}

function toCall(icp: Icp, question: StateRead): Asked | StateResult {
  const ledger = (
    method: LedgerMethod,
    canister: string,
    args: unknown[],
    read: (value: never) => bigint | number | string,
  ): Asked => {
    const { args: types, results } = ledgerTypes(icp.IDL)[method];
    return {
      call: queryCall(canister, method, icp.IDL.encode(types, args)),
      read: (result) => ({ value: read(icp.IDL.decode(results, result as Uint8Array)[0] as never) }),
    };
  };
  const balanceOf = (asset: string, holder: string): Asked => {
    const account = readAccount(holder);
    return account
      ? ledger('icrc1_balance_of', asset, [toArgument(icp, account)], (value: bigint) => value)
      : ledger(
          'account_balance',
          icpLedgerId,
          [{ account: Buffer.from(holder, 'hex') }],
          (value: { e8s: bigint }) => value.e8s,
        );
  };
  switch (question.type) {
    case 'balance':
      return balanceOf(icpLedgerId, question.address);
    case 'holding':
      if (!readAccount(question.holder) && question.asset !== icpLedgerId)
        return gone('an account identifier is known to the ledger of ICP alone');
      return balanceOf(question.asset, question.holder);
    case 'supply':
      return ledger('icrc1_total_supply', question.asset, [], (value: bigint) => value);
    case 'decimals':
      return ledger('icrc1_decimals', question.asset, [], Number);
    case 'symbol':
      return ledger('icrc1_symbol', question.asset, [], (value: string) => harmless(value, maxSymbolLength));
    case 'call':
      return toQuery(icp, question);
    case 'code':
    case 'storage':
    case 'receipt':
    case 'trace':
    case 'replay':
      return gone(`the Internet Computer has no ${question.type} to read`);
  }
}

/** Any query of a canister; what fails is the answer, because people choose what is asked and with which values. */
function toQuery(icp: Icp, { to, data }: Extract<StateRead, { type: 'call' }>): Asked | StateResult {
  const failed = (failure: string): StateResult => ({ value: { failure } });
  if (!isCanister(to)) return failed(`${to} is no canister`);
  const { method, types, values, results } = JSON.parse(data) as CandidQuery;
  return {
    call: queryCall(to, method, encodeCandid(icp, types, values)),
    read(result) {
      try {
        return { value: { data: JSON.stringify(decodeCandid(icp, results, result as Uint8Array)) } };
      } catch (error) {
        return failed(`the answer is not of the types that the method gives: ${messageOf(error)}`);
      }
    },
    // The network itself is busy or broken, which passes.
    refused: ({ code, message }) => (code <= transientCode ? { missing: message } : failed(message)),
  };
}

/** Reject codes from there on are about the canister, those before about the network. */
const transientCode = 2;

/** The Candid interface that a canister carries with its code, as the network certifies it; undefined where it has none for all. */
export async function readCandid(
  { request }: Pick<Endpoints, 'request'>,
  canister: string,
): Promise<readonly unknown[] | undefined> {
  const owner = isCanister(canister) ? readAccount(canister)?.owner : undefined;
  if (!owner) return undefined;
  const call = readStateCall(canister, [['canister', owner, 'metadata', 'candid:service']]);
  return request([call], ([reply]) => {
    if (reply && 'error' in reply) return undefined;
    const [text] = (resultOf(reply) as Certified).values;
    return text ? [{ candid: Buffer.from(text).toString() }] : undefined;
  });
}

/** Controllers of the canister, sorted, whatever the network's order. */
function toControllers(icp: Icp, value: Uint8Array | null): string {
  if (!value) return '';
  const controllers = icp.agent.Cbor.decode<Uint8Array[]>(value).map((principal) =>
    encodePrincipal(principal),
  );
  return controllers.sort().join(', ');
}

const gone = (missing: string) => ({ missing, isGone: true }) as const;

export function toArgument({ Principal }: Icp, { owner, subaccount }: IcpAccount) {
  return { owner: Principal.fromUint8Array(owner), subaccount: subaccount ? [subaccount] : [] };
}
