import { type Static, Type } from 'typebox';
import { eventTopic } from '../codecs/evm/abi.ts';
import { decodeTransfer } from '../codecs/evm/erc20Transfer.ts';
import { approvalEvent } from '../codecs/evm/eventSignatures.ts';
import { logWords, topicAddress } from '../codecs/evm/words.ts';
import { isListed } from '../evidence/addressList.ts';
import { compareToAmount, formatUnits, showAmount } from '../evidence/amounts.ts';
import { findKnownFeed } from '../evidence/evm/knownFeeds.ts';
import { assetDecimalsIfKnown, assetFacts, tryHolding } from '../evidence/evm/tokens.ts';
import { severityByTrust, type Trust, vouchedBy } from '../evidence/evm/vouchedBy.ts';
import { badTags } from '../evidence/labels.ts';
import { Addresses, Amount, Configuration } from '../evidence/parameters.ts';
import type { Log, Transaction } from '../model/block.ts';
import {
  defineDetector,
  type EvaluationContext,
  type EvaluationResult,
  type Observation,
} from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  threshold: Type.Optional(
    Amount('Report approvals of more than this many whole tokens; without it only unlimited ones.'),
  ),
  allowedSpenders: Addresses('Spenders that are expected, beside those with a label tagged SPENDER.'),
});

type Config = Static<typeof config>;
/** Decimals of the contract's own token, which a threshold needs for every approval. */
type State = { decimals: number };
type Approval = { token: string; owner: string; spender: string; value: bigint; isForAll: boolean };

const approval = eventTopic(approvalEvent);
const approvalForAll = eventTopic('ApprovalForAll(address,address,bool)');
/** Permit2 keeps approvals for tokens that have approved it once; its events name the token second. */
const permit2 = '0x000000000022d473030f116ddee9f6b43ac78ba3';
const permit2Topics = [
  'Approval(address,address,address,uint160,uint48)',
  'Permit(address,address,address,uint160,uint48,uint48)',
].map(eventTopic);

export const unlimitedApproval = defineDetector<Config, State>({
  name: 'unlimited_approval',
  title: 'Unlimited approval',
  version: '1.1.0',
  category: 'SECURITY',
  families: evmDialect,
  recommendedFor: {
    SAFE: () => ({ reason: 'An approval lets a spender take what the Safe holds.' }),
    ACCOUNT: () => ({ reason: 'An approval lets a spender take what the account holds.' }),
  },
  severity: 'MEDIUM',
  description:
    'A holder of the token, or the watched wallet, lets an unknown spender take any amount, at the token or through Permit2. MEDIUM, and CRITICAL when the spender has a bad label; LOW when the owner has nothing of the token, or nothing but a token without a price says so.',
  faq: 'Which spenders are known? Those under allowedSpenders, those with a label tagged SPENDER, and the watched contract itself.',
  nextStep: 'Revoke the approval unless the owner meant it and the spender is a contract that you trust.',
  config,
  fields: [
    'token',
    'symbol',
    'owner',
    'spender',
    'spenderIsContract',
    'spenderTags',
    'isUnlimited',
    'value',
    'amount',
  ],
  interests: (_config, { address }) => [
    { on: 'log', address, keys: [approval, approvalForAll] },
    { on: 'party', address, keys: [approval, approvalForAll, ...permit2Topics] },
  ],
  evaluate(observation, context) {
    if (observation.type !== 'log') return {};
    const approved = toApproval(observation.log);
    if (!approved || approved.value === 0n) return {};
    if (
      approved.spender === context.contract.address ||
      isListed(context.config.allowedSpenders, approved.spender)
    )
      return {};
    const isUnlimited = approved.isForAll || isEndless(approved, observation.transaction);
    if (isUnlimited) return report(observation, approved, isUnlimited, context);
    const { threshold } = context.config;
    if (threshold === undefined) return {};
    const isOwn = approved.token === context.contract.address;
    const decimals =
      (isOwn ? context.state?.decimals : undefined) ??
      assetDecimalsIfKnown(context.read, context.chain, approved.token);
    const outcome =
      isOwn && context.state === undefined && decimals !== undefined ? { state: { decimals } } : {};
    if (compareToAmount(threshold, approved.value, () => decimals) <= 0) return outcome;
    return { ...outcome, ...report(observation, approved, isUnlimited, context) };
  },
});

/** Undefined when the log is no such approval: that of one ERC-721 token has a fourth topic. */
function toApproval(log: Log): Approval | undefined {
  const isPermit2 = permit2Topics.includes(log.key);
  if (isPermit2 ? log.address !== permit2 : log.indexed.length === 3) return undefined;
  const words = logWords(log);
  const [owner, token] = words;
  const [spender, value] = words.slice(isPermit2 ? 2 : 1);
  if (owner === undefined || token === undefined || spender === undefined || value === undefined)
    return undefined;
  return {
    token: isPermit2 ? topicAddress(token) : log.address,
    owner: topicAddress(owner),
    spender: topicAddress(spender),
    value: BigInt(value),
    isForAll: log.key === approvalForAll,
  };
}

const max256 = 2n ** 256n - 1n;
/** Some tokens keep allowances in fewer bits. */
const maxima = [2n ** 96n - 1n, 2n ** 128n - 1n, 2n ** 160n - 1n];

function isEndless({ token, owner, value }: Approval, { logs }: Transaction): boolean {
  if (value === max256 || maxima.includes(value)) return true;
  if (value < 2n ** 255n) return false;
  // Older tokens emit what is left of an endless approval whenever it is spent from.
  return !logs.some((log) => log.address === token && decodeTransfer(log)?.from === owner);
}

/** Highest severity of an approval that only the token reports, or by an owner without any of it. */
function trustIn(
  { block, transaction }: Extract<Observation, { type: 'log' }>,
  { token, owner }: Approval,
  { contract, chain, read }: EvaluationContext<Config, State>,
): Trust {
  if (token === contract.address) return tryHolding(read, token, owner) === 0n ? 'claimed' : 'known';
  if (findKnownFeed(chain.uid, token) !== undefined) return 'known';
  return vouchedBy(read, block, token, owner, [transaction.hash]);
}

function report(
  observation: Extract<Observation, { type: 'log' }>,
  given: Approval,
  isUnlimited: boolean,
  context: EvaluationContext<Config, State>,
): EvaluationResult<State> {
  const { read, chain, contract } = context;
  const labels = read.labels(given.spender);
  if (labels.some(({ tags }) => tags.includes('SPENDER'))) return {};
  const [facts, code] = read.all([
    () => assetFacts(read, chain, given.token),
    () => read.code(given.spender),
  ]);
  const isContract = code !== '0x';
  const trust = trustIn(observation, given, context);
  const tags = [...new Set(labels.flatMap((label) => label.tags))];
  const isBad = tags.some((tag) => badTags.includes(tag));
  const amount = given.isForAll
    ? `all of ${facts.symbol}`
    : isUnlimited
      ? `any amount of ${facts.symbol}`
      : showAmount(given.value, facts);
  const spender = `the ${isBad ? tags.join(', ') : 'unknown'} ${isContract ? 'contract' : 'account'} ${given.spender}`;
  return {
    detections: [
      {
        severity: severityByTrust(isBad ? 'CRITICAL' : 'MEDIUM', trust),
        message: `${given.owner} lets ${spender} take ${amount}, seen at ${contract.name}.${trust === 'claimed' ? ` ${given.owner} has nothing of it, or nothing but the token says so.` : ''}`,
        fields: {
          token: given.token,
          symbol: facts.symbol,
          owner: given.owner,
          spender: given.spender,
          spenderIsContract: isContract,
          spenderTags: tags,
          isUnlimited,
          value: given.isForAll ? undefined : given.value,
          amount: given.isForAll ? undefined : formatUnits(given.value, facts.decimals),
        },
      },
    ],
  };
}
