/** Units of evidence, by which every reader formats it. */
type EvidenceFormat =
  | 'percent'
  | 'usd'
  | 'amount'
  | 'seconds'
  | 'minutes'
  | 'milliseconds'
  | 'time'
  | 'plain';

/** Presentation of a detector's evidence: the members to show first, and a small chart where one explains them. */
export type EvidenceReading = {
  readonly first: readonly string[];
  /** Members whose values are compared, in their order: before and after, usual and now. */
  readonly series?: readonly string[];
};

/** One row for each kind of detector; mails, messengers and the console read it. */
export const evidenceReadings: Readonly<Record<string, EvidenceReading>> = {
  absence: { first: ['what', 'within', 'lastAt', 'silentSeconds', 'lastTxHash', 'query'] },
  access_control_change: { first: ['event', 'roleName', 'role', 'account', 'threshold', 'peer', 'sender'] },
  address_poisoning: { first: ['lookAlike', 'genuine', 'label', 'amount', 'token'] },
  alert_rate: { first: ['count', 'atLeast', 'within', 'query', 'group', 'values', 'firstAt', 'lastAt'] },
  allowance_drain: {
    first: ['assets', 'usd', 'supplyPercent', 'sender', 'spender', 'owners', 'ownerCount', 'recipients'],
    series: ['usual', 'inHour'],
  },
  aml: { first: ['address', 'label', 'tags', 'score', 'source'] },
  attack_detector: {
    first: ['suspect', 'role', 'label', 'tags', 'score', 'fundedBy', 'fundingTransaction', 'sender'],
  },
  block_anomaly: { first: ['measures', 'blockNumber', 'intervalMs', 'latencyMs'] },
  block_reorg: { first: ['depth', 'firstBlock', 'lastBlock'] },
  chain_halt: { first: ['silentSeconds', 'newestBlock', 'newestAt', 'blockTimeSeconds'] },
  circulation_supply: {
    first: ['amount', 'percent', 'from', 'to', 'side', 'isSilent'],
    series: ['circulationBefore', 'circulation', 'planned'],
  },
  contract_call: {
    first: ['function', 'value', 'values', 'condition', 'ended', 'error'],
    series: ['previous', 'value'],
  },
  contract_hash_verification: { first: ['address', 'hash', 'expected', 'previousHash', 'codeBytes'] },
  custom_event: { first: ['name', 'args', 'from', 'to'] },
  custom_function: { first: ['name', 'args', 'from', 'to'] },
  custom_tx: { first: ['from', 'to', 'value', 'selector'] },
  depeg: { first: ['price', 'peg', 'percent', 'side', 'samples', 'origin'], series: ['peg', 'price'] },
  dns_monitor: { first: ['domain', 'reason', 'before', 'after', 'added', 'removed', 'failure', 'days'] },
  drain: { first: ['assets', 'percent', 'usd', 'sender', 'recipients'] },
  durable_nonce: { first: ['authority', 'nonceAccount', 'instruction', 'sender'] },
  failed_tx_spike: { first: ['failed', 'total', 'within', 'sender'], series: ['usual', 'failed'] },
  flash_loan: { first: ['amount', 'lender', 'borrower', 'percent', 'lostUsd', 'sender', 'provider'] },
  gas_anomaly: { first: ['measure', 'value', 'zScore', 'sender'], series: ['mean', 'value'] },
  governance: { first: ['event', 'delaySeconds', 'isShort', 'sender'] },
  holder_concentration: { first: ['share', 'topN', 'clusterShare', 'condition', 'ended'] },
  http_probe: { first: ['url', 'reason', 'status', 'failure', 'durationMs'] },
  illegitimate_transfer: { first: ['amount', 'percent', 'owners', 'recipients', 'tokenIds', 'sender'] },
  initializer_call: { first: ['function', 'newOwner', 'previousOwner', 'caller', 'sender'] },
  invariant: { first: ['expression', 'gap', 'ended'], series: ['left', 'right'] },
  large_transfer: { first: ['amount', 'usd', 'from', 'to', 'token'] },
  mempool_conflict: {
    first: ['kind', 'replaced', 'replacement', 'isMined', 'recipients'],
    series: ['changeBefore', 'changeAfter'],
  },
  mixer_funding: {
    first: ['caller', 'fundedBy', 'tags', 'hops', 'fundedAt', 'ageMinutes', 'fundingTransaction'],
  },
  oracle_staleness: {
    first: ['ailment', 'answer', 'updatedAt', 'ageSeconds', 'feed'],
    series: ['referenceAnswer', 'answer'],
  },
  outflow_rate: {
    first: ['outflow', 'percent', 'usd', 'window', 'reason', 'transactions'],
    series: ['baseline', 'outflow', 'balanceBefore'],
  },
  ownership_change: { first: ['newOwner', 'previousOwner', 'account', 'event', 'isPending', 'sender'] },
  pause_state: { first: ['isPaused', 'account', 'asset', 'sender'] },
  price_manipulation: {
    first: ['movePercent', 'restPercent', 'pool', 'stays', 'sender'],
    series: ['priceBefore', 'priceExtreme', 'priceAfter'],
  },
  price_monitor: {
    first: ['price', 'currency', 'condition', 'ended', 'origin'],
    series: ['previous', 'price'],
  },
  project_reentrancy: { first: ['assets', 'percent', 'function', 'entered', 'caller', 'sender'] },
  proof_of_reserves: {
    first: ['ratio', 'reserves', 'supply', 'updatedAt', 'ended'],
    series: ['reserves', 'supply'],
  },
  proxy_upgrade: {
    first: ['implementation', 'previousImplementation', 'beacon', 'added', 'replaced', 'removed', 'sender'],
  },
  reentrancy: {
    first: ['assets', 'percent', 'usd', 'function', 'outerFunction', 'entries', 'caller', 'sender'],
  },
  safe_multisig: { first: ['event', 'account', 'threshold', 'calls', 'delegates', 'singleton', 'sender'] },
  sanctioned_interaction: { first: ['address', 'label', 'list'] },
  suspicious_deployment: {
    first: ['reasons', 'contractAddress', 'creator', 'sender', 'label', 'fundedBy', 'flashLoan'],
  },
  token_freeze: { first: ['isFrozen', 'account', 'sender'] },
  tokenomics_allocation: {
    first: ['allocation', 'address', 'balance', 'side'],
    series: ['planned', 'balance'],
  },
  total_supply: { first: ['supply', 'expectation', 'expected'], series: ['previous', 'supply'] },
  tvl_drop: { first: ['drop', 'percent', 'usd', 'transactions'], series: ['before', 'after'] },
  unlimited_approval: {
    first: ['owner', 'spender', 'amount', 'isUnlimited', 'spenderIsContract', 'spenderTags', 'token'],
  },
  utxo_spend: { first: ['amount', 'from', 'to', 'recipients', 'feeRate'] },
  wallet_balance: {
    first: ['balance', 'usd', 'condition', 'ended', 'transactions'],
    series: ['previous', 'balance'],
  },
};

export type EvidenceMember = { name: string; title: string; format: EvidenceFormat; value: unknown };
export type ReadEvidence = {
  first: EvidenceMember[];
  folded: EvidenceMember[];
  /** Numbers to compare; fewer than two are no chart. */
  series: { title: string; value: number; text: string }[];
};

/** The evidence of an alert in the order in which a person needs it; without a kind, all but settings and raw amounts come first. */
export function readEvidence(kind: string | null, meta: Readonly<Record<string, unknown>>): ReadEvidence {
  const reading = kind !== null && Object.hasOwn(evidenceReadings, kind) ? evidenceReadings[kind] : undefined;
  const toMember = ([name, value]: [string, unknown]): EvidenceMember => ({
    name,
    title: titleOf(name),
    format: formatOf(name),
    value,
  });
  const members = Object.entries(meta).filter(([, value]) => value !== null && value !== undefined);
  // A pushed finding of the kind may have other members.
  const order = reading?.first.some((name) => meta[name] != null) ? reading.first : undefined;
  const isFirst = ([name]: [string, unknown]) =>
    order ? order.includes(name) : !isSetting.test(name) && !isRaw.test(name);
  const first = members.filter(isFirst);
  if (order) first.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const series = (reading?.series ?? []).flatMap((name) => {
    const text = meta[name];
    const value =
      typeof text === 'number' || (typeof text === 'string' && isNumber.test(text)) ? Number(text) : NaN;
    return Number.isFinite(value) ? [{ title: titleOf(name), value, text: String(text) }] : [];
  });
  return {
    first: first.map(toMember),
    folded: members.filter((member) => !isFirst(member)).map(toMember),
    series: series.length > 1 ? series : [],
  };
}

const isNumber = /^-?\d{1,60}(\.\d{1,60})?$/;
const isRaw = /^raw[A-Z]/;
/** The configuration, and the number of items that were left out. */
const isSetting = /^(threshold|limit|tolerance|condition|notRead|band|heartbeat|expression|tracesLateMs)$/;

const titles: Readonly<Record<string, string>> = {
  percent: 'Share',
  usd: 'Worth',
  lostUsd: 'Lost, in US dollars',
  drop: 'Lost',
  before: 'Held before',
  after: 'Holds now',
  sender: 'Sent by',
  args: 'Arguments',
  share: 'Limit of the share',
  outflow: 'Paid out',
  balanceBefore: 'Held before',
  baseline: 'Usual',
  inHour: 'In this hour',
  mean: 'Usual',
  zScore: 'Deviations from the usual',
  silentSeconds: 'Silent for',
  ageSeconds: 'Age',
  ageMinutes: 'Age',
  movePercent: 'Moved by',
  restPercent: 'Still away by',
  supplyPercent: 'Of the supply',
  priceExtreme: 'Price at its extreme',
  notRead: 'Not looked at',
  ownerCount: 'Owners in all',
};

/** `fundedBy` becomes `Funded by`. */
function titleOf(name: string): string {
  if (Object.hasOwn(titles, name)) return titles[name]!;
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function formatOf(name: string): EvidenceFormat {
  if (/percent$/i.test(name) || name === 'share' || name === 'clusterShare') return 'percent';
  if (/usd$/i.test(name)) return 'usd';
  if (/seconds$/i.test(name)) return 'seconds';
  if (/minutes$/i.test(name)) return 'minutes';
  if (name.endsWith('Ms')) return 'milliseconds';
  if (name.endsWith('At')) return 'time';
  if (amounts.has(name)) return 'amount';
  return 'plain';
}

/** Amounts of the token that `symbol` names. */
const amounts: ReadonlySet<string> = new Set([
  'amount',
  'balance',
  'previous',
  'drop',
  'before',
  'after',
  'outflow',
  'balanceBefore',
  'baseline',
  'supply',
  'circulation',
  'circulationBefore',
  'planned',
  'held',
  'reserves',
  'expected',
]);
