import type { Static } from 'typebox';
import { eventTopic, parseFunction } from '../codecs/evm/abi.ts';
import { decodeTransfer, transferTopic } from '../codecs/evm/erc20Transfer.ts';
import { approvalEvent } from '../codecs/evm/eventSignatures.ts';
import { topicAddress, zeroAddress } from '../codecs/evm/words.ts';
import { formatUnits, percentOf, showAmount } from '../evidence/amounts.ts';
import { decodeMultiTransfers } from '../evidence/evm/multiTokens.ts';
import { changesIn } from '../evidence/evm/pulls.ts';
import { tryCall } from '../evidence/evm/readCall.ts';
import { assetFacts, readSupply, tryHolding } from '../evidence/evm/tokens.ts';
import { Addresses, Configuration, Percent } from '../evidence/parameters.ts';
import { groupBy } from '../lib/groupBy.ts';
import { zip } from '../lib/zip.ts';
import type { Block, Frame, Log, Transaction } from '../model/block.ts';
import {
  type Detection,
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
} from '../model/detection.ts';

const config = Configuration({
  share: Percent(
    'Reported when an account sends this share of the supply in per cent more than it had; CRITICAL from ten times as much.',
    1,
    0.0001,
  ),
  allowed: Addresses(
    'Who may move what it does not own, or send what it does not have: bridges, minters and game contracts of your own.',
    1000,
  ),
});
type Config = Static<typeof config>;
type Context = EvaluationContext<Config, never>;

export const illegitimateTransfer = defineDetector<Config, never>({
  name: 'illegitimate_transfer',
  title: 'Illegitimate transfer',
  version: '1.0.0',
  category: 'SECURITY',
  families: ['evm'],
  recommendedFor: {
    ERC20: () => ({
      reason: 'It is a token: what is sent beyond what was there is made of nothing.',
    }),
    ERC721: () => ({
      reason: 'It is a collection (ERC-721): a piece that leaves without its owner was stolen.',
    }),
    ERC1155: () => ({
      reason: 'It is a collection (ERC-1155): a piece that leaves without its owner was stolen.',
    }),
  },
  severity: 'AUTO',
  description:
    'The watched token moves as its own rules forbid: an NFT leaves an owner who neither sent the transaction nor takes part in it and has approved no one who does, or an account sends more of a token than it had. NFTs: HIGH, CRITICAL from ten pieces on. Tokens: HIGH, CRITICAL from ten times the share on. Needs nodes that trace.',
  faq: 'Who may move an NFT? Its owner, those whom the owner had approved before the block, and contracts that the owner calls. Approvals that are given in the same transaction count when the owner takes part in it or the collection reports them. What is sent beyond what was there is value made of nothing: an overflow, or a mint without its event.',
  nextStep: 'Pause the token and the markets that trade it: who can do it once can do it with everything.',
  config,
  pending: true,
  fields: [
    'sender',
    'kind',
    'owners',
    'recipients',
    'tokenIds',
    'pieces',
    'amount',
    'held',
    'percent',
    'notRead',
  ],
  interests: (_config, { address }) => [{ on: 'trace', address }],
  evaluate(observation, context) {
    if (observation.type !== 'trace') return {};
    const { block, transaction, frames } = observation;
    const ownLogs = transaction.logs.filter(({ address }) => address === context.contract.address);
    const pieces = ownLogs.flatMap(piecesOf);
    if (pieces.length > 0) return judgePieces(context, transaction, frames, ownLogs, pieces);
    return judgeSums(context, block, transaction, ownLogs);
  },
});

type Piece = { from: string; to: string; tokenId: bigint; isUnique: boolean };

function piecesOf(log: Log): Piece[] {
  const [from, to, id] = log.indexed;
  if (log.key === transferTopic && from !== undefined && to !== undefined && id !== undefined)
    return [{ from: topicAddress(from), to: topicAddress(to), tokenId: BigInt(id), isUnique: true }];
  // Anyone may move nothing of anyone's.
  return decodeMultiTransfers(log)
    .filter(({ amount }) => amount > 0n)
    .map(({ from: owner, to: recipient, tokenId }) => ({
      from: owner,
      to: recipient,
      tokenId,
      isUnique: false,
    }));
}

const approvals = new Set([approvalEvent, 'ApprovalForAll(address,address,bool)'].map(eventTopic));
const ownerOf = parseFunction('ownerOf(uint256)(address)');
const getApproved = parseFunction('getApproved(uint256)(address)');
const isApprovedForAll = parseFunction('isApprovedForAll(address,address)(bool)');
const balanceOfId = parseFunction('balanceOf(address,uint256)(uint256)');

/** Bounds the reads. Owners who take part cost none, so that only those of others are counted. */
const maxPieces = 200;
const maxCallers = 5;
const many = 10;
const maxShown = 10;

function judgePieces(
  { config: { allowed }, contract, read }: Context,
  { from: sender }: Transaction,
  frames: readonly Frame[],
  ownLogs: readonly Log[],
  pieces: readonly Piece[],
): EvaluationResult<never> {
  const { address } = contract;
  const done = frames.filter(({ isReverted }) => !isReverted);
  const parts = new Set([sender, ...done.flatMap(({ from }) => (from === address ? [] : [from]))]);
  const callers = [
    ...new Set(done.flatMap(({ from, to, type }) => (to === address && type === 'CALL' ? [from] : []))),
  ];
  if (callers.some((caller) => allowed.includes(caller)) || allowed.includes(sender)) return {};
  const givers = new Set(
    ownLogs.flatMap(({ key, indexed: [owner] }) =>
      approvals.has(key) && owner ? [topicAddress(owner)] : [],
    ),
  );
  const strange = pieces.filter(
    ({ from }) =>
      from !== zeroAddress &&
      from !== address &&
      !parts.has(from) &&
      !givers.has(from) &&
      !allowed.includes(from),
  );
  const looked = strange.slice(0, maxPieces);
  const asked = callers.slice(0, maxCallers);
  const verdicts = read.all(looked.map((piece) => () => isTaken(piece)));
  const taken = zip(looked, verdicts).flatMap(([piece, is]) => (is ? [piece] : []));
  const notRead = strange.length - looked.length;
  if (taken.length === 0 && notRead === 0) return {};
  const owners = [...new Set((taken.length > 0 ? taken : strange).map(({ from }) => from))];
  const recipients = [...new Set(taken.map(({ to }) => to))];
  const count = taken.length === 1 ? `token ${taken[0]!.tokenId}` : `${taken.length} tokens`;
  const whose = owners.length === 1 ? owners[0]! : `${owners.length} owners`;
  const rest = notRead === 0 ? '' : ` ${notRead} more moved, which were not looked at.`;
  return {
    detections: [
      {
        severity: taken.length === 0 ? 'MEDIUM' : taken.length >= many ? 'CRITICAL' : 'HIGH',
        magnitude: taken.length,
        message: `A transaction of ${sender} moved ${count} of ${contract.name} away from ${whose}, who took no part in it and had approved no one who did.${rest}`,
        fields: {
          sender,
          kind: 'nft',
          owners: owners.slice(0, maxShown),
          recipients: recipients.slice(0, maxShown),
          tokenIds: taken.slice(0, maxShown).map(({ tokenId }) => String(tokenId)),
          pieces: taken.length,
          notRead: notRead === 0 ? undefined : notRead,
        },
      },
    ],
  };

  function isTaken({ from: owner, tokenId, isUnique }: Piece): boolean {
    const ask = (item: Parameters<typeof tryCall>[2], values: unknown[]) => {
      const answer = tryCall(read, address, item, values, 'parent');
      return 'results' in answer ? answer.results[0] : undefined;
    };
    const [holds, approved, ...operators] = read.all([
      () =>
        isUnique
          ? String(ask(ownerOf, [tokenId])).toLowerCase() === owner
          : Number(ask(balanceOfId, [owner, tokenId]) ?? 0) > 0,
      () => (isUnique ? String(ask(getApproved, [tokenId])).toLowerCase() : undefined),
      ...asked.map((caller) => () => ask(isApprovedForAll, [owner, caller]) === true),
    ]);
    return holds && !operators.includes(true) && !(approved !== undefined && callers.includes(approved));
  }
}

/** Senders of one transaction that are looked at: those who sent most. */
const maxSenders = 20;

/** Amounts that accounts sent beyond what they had before, and got in the same block. */
function judgeSums(
  { config: { share, allowed }, contract, chain, read }: Context,
  { logs }: Block,
  { from: sender, index, hash }: Transaction,
  ownLogs: readonly Log[],
): EvaluationResult<never> {
  const { address } = contract;
  const transfers = ownLogs.flatMap((log) => decodeTransfer(log) ?? []);
  const sent = Array.from(
    groupBy(
      transfers.filter(({ from, to }) => from !== to && from !== zeroAddress && from !== address),
      ({ from }) => from,
    ),
    ([from, sent]) => ({ from, amount: sent.reduce((sum, { amount }) => sum + amount, 0n) }),
  )
    .filter(({ from }) => !allowed.includes(from))
    .sort((a, b) => (a.amount < b.amount ? 1 : -1))
    .slice(0, maxSenders);
  const [largest] = sent;
  if (!largest) return {};
  const supply = read.optional(() => readSupply(read, address, 'parent')) ?? 0n;
  const isLarge = (amount: bigint) => supply > 0n && percentOf(amount, supply) >= share;
  const suspects = sent.filter(({ amount }) => isLarge(amount));
  const held = read.all(
    suspects.map(
      ({ from }) =>
        () =>
          tryHolding(read, address, from, 'parent') ?? 0n,
    ),
  );
  const before = logs.filter(
    (log) => log.address === address && log.transactionIndex < index && log.transactionHash !== hash,
  );
  const senders = new Set(suspects.map(({ from }) => from));
  const [earlier, within] = [changesIn(before, senders), incoming(ownLogs, senders)];
  const detections = zip(suspects, held).flatMap(([{ from, amount }, had]): Detection[] => {
    const available = had + (earlier.get(from)?.get(address) ?? 0n) + (within.get(from) ?? 0n);
    const excess = amount - (available > 0n ? available : 0n);
    if (excess <= 0n || !isLarge(excess)) return [];
    const percent = percentOf(excess, supply);
    const facts = assetFacts(read, chain, address);
    return [
      {
        severity: percent >= 10 * share ? 'CRITICAL' : 'HIGH',
        magnitude: percent,
        part: from,
        message: `${from} sent ${showAmount(amount, facts)} in a transaction of ${sender}, but had only ${showAmount(available, facts)}: ${percent} % of the supply was made of nothing.`,
        fields: {
          sender,
          kind: 'sum',
          owners: [from],
          recipients: [
            ...new Set(transfers.filter((transfer) => transfer.from === from).map(({ to }) => to)),
          ].slice(0, maxShown),
          amount: formatUnits(amount, facts.decimals),
          held: formatUnits(available, facts.decimals),
          percent,
        },
      },
    ];
  });
  return { detections };
}

function incoming(logs: readonly Log[], accounts: ReadonlySet<string>): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const log of logs) {
    const transfer = decodeTransfer(log);
    if (transfer && transfer.from !== transfer.to && accounts.has(transfer.to))
      sums.set(transfer.to, (sums.get(transfer.to) ?? 0n) + transfer.amount);
  }
  return sums;
}
