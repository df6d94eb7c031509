import type { ContractKind, ContractTraits, Inspection } from '../model/contractKinds.ts';
import { detectors } from './detectors.ts';

/** A detector that fits a contract, with its configuration and the reason. */
export type Recommendation = {
  readonly schemaName: string;
  readonly title: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly reason: string;
};

type Suggested = Omit<Recommendation, 'title'>;

/** The detectors that fit what stands at an address; at most one of each kind of detector. */
export function recommendDetectors({ hasCode, kinds, facts, proxyKind }: Inspection): Recommendation[] {
  const suggested = hasCode
    ? [
        ...kinds.flatMap((kind) => (isShare(kinds, kind) ? [] : setOf(kind, facts))),
        ...losses('It may hold coins and tokens'),
        ...everyContract(proxyKind !== null, kinds.includes('UPGRADABLE')),
      ]
    : account;
  const names = new Set<string>();
  return suggested.flatMap((one) => {
    if (names.has(one.schemaName)) return [];
    names.add(one.schemaName);
    return [{ ...one, title: detectors.get(one.schemaName)!.title }];
  });
}

/** The shares of vaults and pools are minted, burned and moved by everyone who enters or leaves. */
function isShare(kinds: readonly ContractKind[], kind: ContractKind): boolean {
  return kind === 'ERC20' && (kinds.includes('ERC4626') || kinds.includes('POOL'));
}

function setOf(kind: ContractKind, facts: ContractTraits): Suggested[] {
  switch (kind) {
    case 'PROXY':
      return [
        {
          schemaName: 'proxy_upgrade',
          config: { checkSlot: true },
          reason: 'It is a proxy: who replaces the code behind it controls everything that it holds.',
        },
      ];
    case 'OWNABLE':
      return [
        {
          schemaName: 'ownership_change',
          config: {},
          reason: facts.owner ? `It has an owner, ${facts.owner}.` : 'It can have an owner.',
        },
      ];
    case 'ACCESS_CONTROL':
      return [
        {
          schemaName: 'access_control_change',
          config: {},
          reason: 'Roles decide who may call its functions.',
        },
      ];
    case 'PAUSABLE':
      return [{ schemaName: 'pause_state', config: {}, reason: 'It can be paused.' }];
    case 'ERC20':
      return [
        ...token(facts),
        illegitimate('It is a token: what is sent beyond what was there is made of nothing.'),
      ];
    case 'TOKEN':
      return token(facts);
    case 'UPGRADABLE':
      return [
        {
          schemaName: 'proxy_upgrade',
          config: {},
          reason: 'Its code can be replaced: who does so controls everything that it holds.',
        },
      ];
    case 'ERC721':
      return [
        {
          schemaName: 'custom_event',
          config: {
            signature: 'BatchMetadataUpdate(uint256 fromTokenId, uint256 toTokenId)',
            severity: 'MEDIUM',
          },
          reason:
            'It is a collection (ERC-721): a change of the metadata of many tokens replaces what holders own.',
        },
        illegitimate('It is a collection (ERC-721): a piece that leaves without its owner was stolen.'),
      ];
    case 'ERC1155':
      return [
        {
          schemaName: 'custom_event',
          config: { signature: 'URI(string value, uint256 indexed id)', severity: 'MEDIUM' },
          reason:
            'It is a collection (ERC-1155): a change of the metadata of a token replaces what holders own.',
        },
        illegitimate('It is a collection (ERC-1155): a piece that leaves without its owner was stolen.'),
      ];
    case 'ERC4626':
      return vault(facts);
    case 'SAFE':
      return [
        {
          schemaName: 'safe_multisig',
          config: {},
          reason: `It is a Safe${facts.threshold && facts.owners ? ` with ${facts.threshold} of ${facts.owners.length} owners` : ''}: changes of owners, modules, guard and code are how one is taken over.`,
        },
        {
          schemaName: 'unlimited_approval',
          config: {},
          reason: 'An approval lets a spender take what the Safe holds.',
        },
      ];
    case 'TIMELOCK':
      return [
        {
          schemaName: 'governance',
          config: facts.minDelay ? { minDelay: `${facts.minDelay} s` } : {},
          reason: facts.minDelay
            ? `It delays calls by ${facts.minDelay} s; a shorter delay is reported as HIGH.`
            : 'It delays calls, but its delay is 0 at present.',
        },
      ];
    case 'GOVERNOR':
      return [{ schemaName: 'governance', config: {}, reason: 'Proposals decide what it executes.' }];
    case 'PRICE_FEED':
      return feed(facts);
    case 'POOL':
      return pool(facts);
    case 'SPENDER':
      return [
        {
          schemaName: 'allowance_drain',
          config: {},
          reason:
            'It pulls tokens by allowances: a call that it can be talked into empties everyone who has approved it.',
        },
      ];
  }
}

function illegitimate(reason: string): Suggested {
  return { schemaName: 'illegitimate_transfer', config: {}, reason };
}

function token({ totalSupply, decimals = 0, symbol = 'tokens' }: ContractTraits): Suggested[] {
  const share = totalSupply === undefined ? 0n : BigInt(totalSupply) / 100n / 10n ** BigInt(decimals);
  return [
    {
      schemaName: 'circulation_supply',
      config: { threshold: 0.01 },
      reason: 'It is a token: a mint or burn of 1 % of the supply at once is rarely meant.',
    },
    ...(share > 0n
      ? [
          {
            schemaName: 'large_transfer',
            config: { threshold: share.toString() },
            reason: `It is a token: a transfer of 1 % of the supply (${share} ${symbol}) is worth a look, though exchanges and pools move as much.`,
          },
        ]
      : []),
  ];
}

function vault({ asset, decimals = 18 }: ContractTraits): Suggested[] {
  const price: Suggested = {
    schemaName: 'contract_call',
    config: {
      function: 'convertToAssets(uint256)(uint256)',
      params: [(10n ** BigInt(decimals)).toString()],
      condition: '> 1%',
      when: 'block',
      severity: 'HIGH',
    },
    reason:
      'It is a vault (ERC-4626): what a share is worth moves by 1 % from block to block, down by a loss or up by a donation that bends its price.',
  };
  const seen = asset ? [...holdings([asset], '5%', 'It is a vault (ERC-4626)'), ...outflow(asset)] : [];
  return [
    ...seen,
    price,
    ...within('It is a vault (ERC-4626)'),
    {
      schemaName: 'price_manipulation',
      config: {},
      reason: 'What its shares are worth may hang on the price of a pool that moves within one transaction.',
    },
  ];
}

/** Detectors that need traces. */
function within(what: string): Suggested[] {
  return [
    {
      schemaName: 'reentrancy',
      config: {},
      reason: `${what}: being entered again halfway is how many were emptied.`,
    },
    {
      schemaName: 'suspicious_deployment',
      config: {},
      reason: 'The contract of an attacker names its target in its code, and is seen before it is used.',
    },
  ];
}

/** For every address, because everything that holds something can be robbed. */
function losses(what: string): Suggested[] {
  return [
    {
      schemaName: 'drain',
      config: {},
      reason: `${what}: a transaction that takes a fifth of all it holds is reported, also without an event.`,
    },
    {
      schemaName: 'tvl_drop',
      config: { nativeThreshold: '20%', foundThreshold: '20%' },
      reason: `${what}: a drop of a coin or token that it holds by 20 % within a block, or by a million US dollars, is reported.`,
    },
  ];
}

function pool({ tokens }: ContractTraits): Suggested[] {
  const loan = {
    schemaName: 'flash_loan',
    config: {},
    reason: 'It is a pool: attacks on its price begin with a loan.',
  };
  const seen = tokens ? holdings(tokens, '10%', 'It is a pool') : [];
  return [...seen, loan, ...within('It is a pool')];
}

function holdings(tokens: readonly string[], threshold: string, what: string): Suggested[] {
  return [
    {
      schemaName: 'tvl_drop',
      config: { native: false, tokens: tokens.map((address) => ({ token: address, threshold })) },
      reason: `${what}: a drop of what it holds by ${threshold.replace('%', ' %')} within a block is reported, more severely the larger it is.`,
    },
  ];
}

function outflow(asset: string): Suggested[] {
  return [
    {
      schemaName: 'outflow_rate',
      config: { token: asset, limit: '20%', window: '1h' },
      reason: 'A drain in many small steps shows only in their sum: 20 % within an hour is reported.',
    },
  ];
}

function feed({ description }: ContractTraits): Suggested[] {
  const what = description ? `the price feed ${description}` : 'a price feed';
  return [
    {
      schemaName: 'oracle_staleness',
      config: { heartbeat: '90000 s' },
      reason: `It is ${what}: an answer older than 25 hours is stale for every usual feed; set the feed's own heartbeat for more.`,
    },
    {
      schemaName: 'price_monitor',
      config: { condition: '> 10%', when: 'block', severity: 'HIGH' },
      reason: `It is ${what}: a move by 10 % from block to block, either way, is a crash or a manipulated price.`,
    },
  ];
}

function everyContract(isProxy: boolean, isUpgradable: boolean): Suggested[] {
  return [
    {
      schemaName: 'contract_hash_verification',
      config: {},
      reason: isUpgradable
        ? 'The code that you reviewed is known by its hash.'
        : isProxy
          ? 'The code behind a proxy can be replaced without an event.'
          : 'Code that was destroyed can be created again with other content.',
    },
    {
      schemaName: 'initializer_call',
      config: {},
      reason: 'Who can set up a contract again that is in use can take it over.',
    },
    {
      schemaName: 'mixer_funding',
      config: {},
      reason: 'A caller whose first money came from a mixer is the usual preparation of an attack.',
    },
    {
      schemaName: 'failed_tx_spike',
      config: { atLeast: 20, within: '5 min', share: 50 },
      reason: 'Most transactions failing at once is an outage, or someone trying.',
    },
  ];
}

const account: Suggested[] = [
  ...losses('It is an account without code'),
  {
    schemaName: 'wallet_balance',
    config: { condition: '< -50%', when: 'block', severity: 'HIGH' },
    reason:
      'It is an account without code: losing half of its coins in a block is a theft or a large payment.',
  },
  {
    schemaName: 'unlimited_approval',
    config: {},
    reason: 'An approval lets a spender take what the account holds.',
  },
  {
    schemaName: 'address_poisoning',
    config: {},
    reason: 'Look-alike addresses are put into the history of accounts that pay.',
  },
  { schemaName: 'sanctioned_interaction', config: {}, reason: 'Payments from or to sanctioned addresses.' },
];
