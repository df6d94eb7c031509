// Generated from the OpenAPI document by `npm run client`; do not edit it by hand.

/** What every detector takes in its `config`. */
export type CommonConfig = {
  /** Severity of its alerts. AUTO leaves it to the detector. */
  severity?: 'AUTO' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
  /** Further findings within this time of an alert are only counted, unless they are worse: of a higher severity, or at least twice as much. */
  cooldown?: string;
  /** Message of its alerts, with {member} for what was found. */
  desc?: string;
  /** Labels of its alerts. */
  tags?: string[];
};

/** The `config` of a detector by its kind. */
export interface DetectorConfigs {
  attack_detector: {
    /** Tags of labels that make an account or contract suspicious. */
    labelTags?: string[];
    /** Sources of labels that count; all when there are none. */
    feeds?: string[];
    /** Labels count whose score fulfils this condition. */
    score?: string;
    /** An account also counts that got its first money from a suspicious source within this time, at most 30 days; 0 switches this off. */
    lookback?: string;
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  ownership_change: {
    /** New owners that are expected; a change to one of them raises nothing. */
    allowedOwners?: string[];
    /** Whether to ask the contract itself as well, whenever a transaction touches it, which also shows a change that emits no event. */
    checkOwner?: boolean;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  proxy_upgrade: {
    /** Implementations, beacons and facets that are expected; an upgrade to them raises nothing. */
    allowedImplementations?: string[];
    /** Whether to look at the proxy itself as well (its storage, what it answers, its beacon), which also shows an upgrade that emits no event or one of the beacon. */
    checkSlot?: boolean;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  contract_hash_verification: {
    /** How the checksum is made. */
    hashType?: 'keccak' | 'sha256';
    /** Hash of the code that is expected at the contract, or at the implementation behind it; without it, the code as first seen. */
    checksum?: string;
    /** Whether the code that is there when the detector starts is held to the checksum already. */
    initialCheck?: boolean;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
  } & CommonConfig;
  access_control_change: {
    /** Roles to watch, by name such as MINTER_ROLE or by their hash; all when there are none. Owners of a Safe are always watched. */
    roles?: string[];
    /** Accounts that are expected; a change of their rights raises nothing. */
    accounts?: string[];
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  pause_state: {
    /** Which of the two to report. */
    notifyOn?: 'both' | 'paused' | 'unpaused';
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  aml: {
    /** Where to look addresses up: ext in the labels of the platform and of the tenant, custom in `addresses` and `csv`. */
    source?: 'ext' | 'custom';
    /** With source custom: addresses that count, each with a score of 100. */
    addresses?: string[];
    /** With source custom: one address a line, followed by score, tags parted by `;` and name as far as known. */
    csv?: string;
    /** Only labels with one of these tags count; any when there are none. */
    labelTags?: string[];
    /** Labels count whose score fulfils this condition. */
    condition?: string;
    /** Whether senders of transactions count. */
    trackFrom?: boolean;
    /** Whether recipients of transactions count. */
    trackTo?: boolean;
    /** Whether senders and recipients of tokens count. */
    trackToken?: boolean;
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
  } & CommonConfig;
  sanctioned_interaction: {
    /** Only labels of this source count, such as one edition of a list; all when left out. */
    listVersion?: string;
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  mixer_funding: {
    /** Over how many accounts the money may have come; 1 is straight from the source. */
    hops?: number;
    /** Only money that arrived within this time counts, at most 30 days. */
    window?: string;
    /** Tags of the sources that count. */
    sources?: Array<'MIXER' | 'BRIDGE' | 'SANCTION' | 'EXPLOIT' | 'SCAM'>;
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  address_poisoning: {
    /** How many blocks a payment is remembered. */
    past?: number;
    /** How many recipients are remembered, the last ones paid. */
    history?: number;
    /** How many bytes at the beginning look-alikes have in common; of addresses that are no hexadecimal numbers two characters count as one. */
    prefix?: number;
    /** The same for the end. */
    suffix?: number;
  } & CommonConfig;
  large_transfer: {
    /** Report transfers of at least this many whole tokens or coins. */
    threshold: string;
    /** native, or the address of the token. Without it: the contract’s own token if it is one, native coins to or from it, and tokens of any kind that leave it. */
    token?: string;
    /** Transfers to the contract, from it, or any; with `any` all transfers of its own token count. */
    direction?: 'in' | 'out' | 'any';
    /** A feed (AggregatorV3) of the asset’s price in USD, in which amounts are then shown as well. Without it: that of Chainlink, for the native coins and main tokens of the large chains. */
    usdFeed?: string;
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  outflow_rate: {
    /** native, or the address of the token whose outflow is summed up. Without it: native coins and, each by itself, the tokens that leave the contract. */
    token?: string;
    /** With `token`: the id whose outflow is summed up, of a token with many (ERC-1155). */
    tokenId?: string;
    /** Over how long outflows are summed up. */
    window?: string;
    /** How much may leave within the window: whole tokens, or a share of the largest balance in it. */
    limit?: string;
    /** Also report when more has left than this many times the median outflow of the last 24 windows, and more than in any of them; needs three. */
    factor?: number;
    /** A feed (AggregatorV3) of the asset’s price in USD, in which amounts are then shown as well. Without it: that of Chainlink, for the native coins and main tokens of the large chains. */
    usdFeed?: string;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  tvl_drop: {
    /** Tokens whose balances are watched. Without any: those that leave the contract, in the block in which they do. */
    tokens?: Array<{
      /** Address of the token. */
      token: string;
      /** A drop of at least this since the last check is reported: whole tokens, or a share of the balance. */
      threshold?: string;
      /** A feed (AggregatorV3) of the asset’s price in USD, in which amounts are then shown as well. Without it: that of Chainlink, for the native coins and main tokens of the large chains. */
      usdFeed?: string;
    }>;
    /** A drop of at least this is reported of a token that is not named: whole tokens, or a share of the balance. */
    foundThreshold?: string;
    /** Whether the balance in native coins is watched. */
    native?: boolean;
    /** A drop of at least this since the last check is reported: whole tokens, or a share of the balance. */
    nativeThreshold?: string;
    /** A feed (AggregatorV3) of the asset’s price in USD, in which amounts are then shown as well. Without it: that of Chainlink, for the native coins and main tokens of the large chains. */
    nativeUsdFeed?: string;
    /** A loss of this many US dollars is HIGH, if it is at least 2 % of what was held. Counts where the price is known. */
    highUsd?: number;
    /** A loss of this many US dollars is CRITICAL, however small its share. Counts where the price is known. */
    criticalUsd?: number;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  wallet_balance: {
    /** native, or the address of the token. */
    token?: string;
    /** What the balance in whole tokens must be for an alert, such as "< 1" or "< -10%" (a fall by more than 10 % since the last look). Without it, and unless every change is reported: < -10%. */
    condition?: string;
    /** Whether to report every change of the balance as well. */
    trackAnyChange?: boolean;
    /** How often alerts are raised while the condition holds: once (when it begins to), again after a length of time such as 1 h, or at every look. Conditions on a change since the last look (++, --, per cent) raise one for each change; >> and << raise one when they begin to hold. */
    repeat?: string;
    /** Whether an alert of INFO is raised once it is over. It fires no action. */
    reportEnd?: boolean;
    /** A feed (AggregatorV3) of the asset’s price in USD, in which amounts are then shown as well. Without it: that of Chainlink, for the native coins and main tokens of the large chains. */
    usdFeed?: string;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
  } & CommonConfig;
  price_monitor: {
    /** oracle asks a feed on chain (AggregatorV3), market an address that answers in JSON. */
    source?: 'oracle' | 'market';
    /** The feed, if it is not the watched contract. */
    feed?: string;
    /** Where the market’s JSON is, for the source market. */
    url?: string;
    /** Path of the price in the JSON, such as data.prices[0].usd. */
    path?: string;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
    /** What the price must be for an alert, such as "< 0.98", or "> 5%" for a change of more than 5 % since the last look. */
    condition?: string;
    /** How often alerts are raised while the condition holds: once (when it begins to), again after a length of time such as 1 h, or at every look. Conditions on a change since the last look (++, --, per cent) raise one for each change; >> and << raise one when they begin to hold. */
    repeat?: string;
    /** Whether an alert of INFO is raised once it is over. It fires no action. */
    reportEnd?: boolean;
    /** In what the price is counted; for the message. */
    currency?: string;
  } & CommonConfig;
  depeg: {
    /** oracle asks a feed on chain (AggregatorV3), market an address that answers in JSON. */
    source?: 'oracle' | 'market';
    /** The feed, if it is not the watched contract. */
    feed?: string;
    /** Where the market’s JSON is, for the source market. */
    url?: string;
    /** Path of the price in the JSON, such as data.prices[0].usd. */
    path?: string;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
    /** What the price should be. */
    peg?: string;
    /** Greatest distance of the price from the peg: an amount, or a share of the peg. */
    band?: string;
    /** How many looks in a row it must be away for an alert. */
    samples?: number;
  } & CommonConfig;
  oracle_staleness: {
    /** The feed (AggregatorV3), if it is not the watched contract. */
    feed?: string;
    /** An answer older than this is stale. */
    heartbeat?: string;
    /** A second feed of the same price to compare with. */
    reference?: string;
    /** How far the answer may be from that of the second feed. */
    maxDeviation?: string;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
  } & CommonConfig;
  total_supply: {
    /** Greatest number of whole tokens that may ever exist. */
    expectedTotalSupply?: string;
    /** Greatest number of whole tokens that should be issued by now. */
    expectedTotalIssued?: string;
    /** Decimals of the token. Without it those that the token reports, or 0 if it reports none. */
    decimals?: number;
    /** Whether to report every change of the supply, as INFO. */
    trackChanges?: boolean;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
  } & CommonConfig;
  circulation_supply: {
    /** Share of the circulating supply that one mint or burn must move: 0.01 is 1 %. */
    threshold?: number;
    /** Addresses whose tokens do not circulate. What leaves or enters them counts like a mint or burn. */
    lockerAddresses?: string[];
    /** The planned circulating supply. */
    schedule?: Array<{
      /** From when on. */
      at: string;
      /** Number of whole tokens that should circulate. */
      supply: string;
    }>;
    /** How far the circulating supply may be from the plan. */
    tolerance?: string;
  } & CommonConfig;
  tokenomics_allocation: {
    /** Decimals of the token. Without it those that the token reports, or 0 if it reports none. */
    decimals?: number;
    /** How far a balance may be from its plan: whole tokens, or a share of the plan. */
    tolerance?: string;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
  } & CommonConfig;
  proof_of_reserves: {
    /** Feed of the reserves in whole tokens (AggregatorV3). */
    feed: string;
    /** The token that is backed, if it is not the watched contract. */
    token?: string;
    /** What reserves divided by supply must be for an alert. */
    condition?: string;
    /** How often alerts are raised while the condition holds: once (when it begins to), again after a length of time such as 1 h, or at every look. Conditions on a change since the last look (++, --, per cent) raise one for each change; >> and << raise one when they begin to hold. */
    repeat?: string;
    /** Whether an alert of INFO is raised once it is over. It fires no action. */
    reportEnd?: boolean;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
  } & CommonConfig;
  holder_concentration: {
    /** How many of the largest holders are taken together. */
    topN?: number;
    /** What their share of the supply in per cent must be for an alert. */
    condition?: string;
    /** How often alerts are raised while the condition holds: once (when it begins to), again after a length of time such as 1 h, or at every look. Conditions on a change since the last look (++, --, per cent) raise one for each change; >> and << raise one when they begin to hold. */
    repeat?: string;
    /** Whether an alert of INFO is raised once it is over. It fires no action. */
    reportEnd?: boolean;
    /** Holders that are known already and looked at from the beginning. */
    holders?: string[];
    /** Addresses that do not count as holders, such as exchanges, pools and lockers. */
    exclude?: string[];
    /** Addresses that belong together and count as one holder. */
    cluster?: string[];
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
  } & CommonConfig;
  unlimited_approval: {
    /** Report approvals of more than this many whole tokens; without it only unlimited ones. */
    threshold?: string;
    /** Spenders that are expected, beside those with a label tagged SPENDER. */
    allowedSpenders?: string[];
  } & CommonConfig;
  block_anomaly: {
    /** Least number of transactions of a block. */
    minTransactions?: number;
    /** Most transactions of a block. */
    maxTransactions?: number;
    /** Least number of logs of a block. */
    minEvents?: number;
    /** Most logs of a block. */
    maxEvents?: number;
    /** Least size of a block in bytes. */
    minSize?: number;
    /** Most bytes of a block. */
    maxSize?: number;
    /** Least gas that a block uses. */
    minGas?: number;
    /** Most gas that a block uses. */
    maxGas?: number;
    /** Least gas that a block uses for each of its transactions. */
    minGasPerTransaction?: number;
    /** Most gas that a block uses for each of its transactions. */
    maxGasPerTransaction?: number;
    /** Least time between two blocks. */
    minInterval?: string;
    /** Most time between two blocks. */
    maxInterval?: string;
    /** Without any limit above: how many robust deviations away from the last blocks a measure is out of the ordinary. */
    deviations?: number;
    /** Without any limit above: for how many blocks in a row. */
    inARow?: number;
    /** Whether to report blocks that reach Vigil late. */
    trackLatency?: boolean;
    /** How long after its time a block may reach Vigil. */
    maxLatency?: string;
  } & CommonConfig;
  block_reorg: {
    /** How many blocks must have been dropped for an alert. */
    minDepth?: number;
  } & CommonConfig;
  chain_halt: {
    /** How many times the usual block time may pass without a new block. */
    factor?: number;
    /** Less than this is never a halt, however short the block time is. */
    atLeast?: string;
  } & CommonConfig;
  failed_tx_spike: {
    /** How many transactions to the contract must fail. */
    atLeast?: number;
    /** Within which time. */
    within?: string;
    /** Which part of all transactions to it must have failed, in per cent; 0 for any. */
    share?: number;
  } & CommonConfig;
  gas_anomaly: {
    /** How many deviations away from the usual is too far. Both are robust: the median, and the median distance from it, of factors. */
    z?: number;
    /** How many transactions must have been seen before anything is judged. */
    minSamples?: number;
  } & CommonConfig;
  flash_loan: {
    /** Kinds of lenders whose loans are reported. */
    providers?: Array<'aave' | 'balancer' | 'uniswap' | 'morpho' | 'erc3156' | 'other'>;
    /** From which loss on it is HIGH, in per cent of what the contract held of an asset. */
    share?: number;
    /** A loss of this many US dollars is HIGH, if it is at least 2 % of what was held. Counts where the price is known. */
    highUsd?: number;
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  safe_multisig: {
    /** Severity of each event; OFF for unwanted ones. */
    events?: {
      ExecutionSuccess?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      ExecutionFailure?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      ExecutionFromModuleSuccess?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      ExecutionFromModuleFailure?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      AddedOwner?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      RemovedOwner?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      ChangedThreshold?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      EnabledModule?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      DisabledModule?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      ChangedGuard?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      ChangedModuleGuard?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      ChangedFallbackHandler?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      ChangedMasterCopy?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      DelegateCall?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      SingletonChanged?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
      NonceGap?: 'OFF' | 'INFO' | 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
    };
    /** Contracts whose code the Safe may run as its own by delegatecall, beside the MultiSend contracts of Safe. */
    allowedDelegates?: string[];
  } & CommonConfig;
  governance: {
    /** Time that must pass at least between announcing a call and its execution; less is reported with severity HIGH. */
    minDelay?: string;
  } & CommonConfig;
  contract_call: {
    /** The reading function with what it gives, such as balanceOf(address)(uint256). On Stellar and the Internet Computer its name in the Soroban spec or Candid interface of the contract that is asked. */
    function: string;
    /** Values of its parameters in order; large numbers as text, lists and structs as JSON. */
    params?: unknown[];
    /** Contract that is asked, if not the watched one. */
    target?: string;
    /** The result to check, if there are several: its name, or its position counted from 0. */
    result?: string;
    /** Decimals of the result: 18 makes 1 of 10^18. */
    decimals?: number;
    /** The condition on the result for an alert, such as ">> 100" or "< -5%". */
    condition?: string;
    /** What must hold for an alert, such as e.value > e.previous * 2n. `e` has value, values (all results by name or position), previous (the value of the last look, or null), address, blockNumber and timestamp. */
    script?: string;
    /** Tell when the call begins to fail. */
    trackErr?: boolean;
    /** Tell at every look at which the call fails. */
    errAlways?: boolean;
    /** How often alerts are raised while the condition holds: once (when it begins to), again after a length of time such as 1 h, or at every look. Conditions on a change since the last look (++, --, per cent) raise one for each change; >> and << raise one when they begin to hold. */
    repeat?: string;
    /** Whether an alert of INFO is raised once it is over. It fires no action. */
    reportEnd?: boolean;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  http_probe: {
    /** The address that is asked. */
    url: string;
    /** How it is asked. */
    method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'OPTIONS';
    /** Body of a POST or PUT. */
    body?: string;
    /** Type of the body. */
    contentType?: string;
    /** Value of the Authorization header, such as Bearer abc, of at most 4000 characters. It is sealed and never shown again. */
    auth?: string;
    /** Statuses that are right; any from 200 to 299 when none is named. */
    statuses?: number[];
    /** Regular expression that the answer must match somewhere in its first 100,000 characters. */
    pattern?: string;
    /** Time limit of the answer in milliseconds. */
    latencyMs?: number;
    /** How long an answer is waited for. */
    timeout?: string;
    /** How many looks in a row must go wrong for an alert. */
    samples?: number;
    /** How often to look, such as "1 min" or "* /5 * * * *". */
    cron?: string;
  } & CommonConfig;
  dns_monitor: {
    /** The name that is watched, such as app.example.com. */
    domain: string;
    /** Kinds of record whose change is reported. */
    records?: Array<'A' | 'NS' | 'CNAME' | 'MX' | 'TXT' | 'AAAA' | 'DS' | 'CAA'>;
    /** Name servers that are expected; any other is reported, also when it was there from the beginning. */
    nameservers?: string[];
    /** A resolver that answers DNS over HTTPS in JSON. */
    resolver?: string;
    /** Registration record (RDAP) of the domain, such as https://rdap.verisign.com/com/v1/domain/example.com; with it the expiry is watched, once a day. */
    rdap?: string;
    /** How long before the registration ends to report it. */
    expiry?: string;
    /** How often to look. */
    cron?: string;
  } & CommonConfig;
  custom_event: {
    /** The event, such as Transfer(address indexed from, address indexed to, uint256 value). Names and what is indexed may be left out: they are then taken from the contract’s ABI. On Solana the name of the event in the contract’s Anchor IDL. */
    signature: string;
    /** What must hold of the event `e`, such as e.args.value > 1000n (integers above 48 bits are BigInt). `e` has args, name, signature, address, logIndex and what custom_tx has of the transaction. Addresses in it may be written in any form of the chain. */
    expression?: string;
    /** Further addresses to watch beside the contract. */
    addresses?: string[];
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  custom_function: {
    /** The function, such as transfer(address to, uint256 amount). Names may be left out: they are then taken from the contract’s ABI. On Solana the name of the instruction in the contract’s Anchor IDL, whose accounts are args.accounts. */
    signature: string;
    /** What must hold of the call `e`, such as e.args.amount > 1000n (integers above 48 bits are BigInt). `e` has args, name, signature, address, and what custom_tx has of the transaction; from, to, value, input and selector are those of the call. Addresses in it may be written in any form of the chain. */
    expression?: string;
    /** Whether the transaction must have succeeded, must have failed, or may have done either. */
    status?: 'any' | 'success' | 'failed';
    /** Further addresses to watch beside the contract. */
    addresses?: string[];
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  custom_tx: {
    /** What must hold of the transaction `e`, such as e.value > 10n ** 18n. `e` has from, to, value, input, selector, nonce, priorityFee, gasLimit, maxFeePerGas, transactionIndex, txHash, blockNumber, timestamp, status (success or failed), gasUsed and gasPrice; on Solana programs, instructions, accounts and logs; on Stellar operations. lower(text) compares without case. Addresses in it may be written in any form of the chain. */
    expression?: string;
    /** Whether the transaction must have succeeded, must have failed, or may have done either. */
    status?: 'any' | 'success' | 'failed';
    /** Further addresses to watch beside the contract. */
    addresses?: string[];
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  invariant: {
    /** The values that are compared: results of functions, or balances. */
    terms: Array<{
      /** Its name in the expression. */
      name: string;
      /** A reading function with what it gives, such as totalAssets()(uint256); on Stellar and the Internet Computer its name. */
      function?: string;
      /** Values of the function’s parameters in order. */
      params?: unknown[];
      /** Contract that is asked, if not the watched one. */
      target?: string;
      /** Whose balance it is, instead of a function. */
      balanceOf?: string;
      /** In what the balance is: native, or the address of a token. */
      token?: string;
    }>;
    /** What must always hold, such as shares * price <= assets. Terms are big integers: write 2n. */
    expression: string;
    /** By how much a single comparison may be missed: an amount in the terms’ own unit, or a share of its right side. */
    tolerance?: string;
    /** Whether an alert of INFO is raised once it is over. It fires no action. */
    reportEnd?: boolean;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
  } & CommonConfig;
  utxo_spend: {
    /** Only spends by which at least this many whole coins leave the address. */
    minAmount?: string;
  } & CommonConfig;
  reentrancy: {
    /** Contracts that may enter it again, such as your own modules. */
    allowedCallers?: string[];
    /** Functions that may be entered again, such as the one by which a flash loan is paid back. */
    allowedFunctions?: string[];
    /** From which loss on an entry is HIGH or CRITICAL, in per cent of what it held of an asset. */
    share?: number;
    /** A loss of this many US dollars is HIGH, if it is at least 2 % of what was held. Counts where the price is known. */
    highUsd?: number;
    /** A loss of this many US dollars is CRITICAL, however small its share. Counts where the price is known. */
    criticalUsd?: number;
    /** Tokens that the contract holds, so that their loss counts no matter who moves them. */
    tokens?: string[];
    /** Report also functions that only read, which can give false values in between. */
    readOnly?: boolean;
    /** Report also what was reverted, as a guard against it does. */
    attempts?: boolean;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  drain: {
    /** Share of the holdings in per cent that one transaction may take. */
    share?: number;
    /** A loss of this many US dollars is HIGH, if it is at least 2 % of what was held. Counts where the price is known. */
    highUsd?: number;
    /** A loss of this many US dollars is CRITICAL, however small its share. Counts where the price is known. */
    criticalUsd?: number;
    /** Tokens that the contract holds. They are always looked at, and count as holdings although the transaction does not move them. */
    tokens?: string[];
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  allowance_drain: {
    /** Tokens that are worth something beside those with a known price: with a feed they count in US dollars, without one by their share of the supply. The contract itself counts where it is a token. */
    tokens?: Array<{
      /** Address of the token. */
      token: string;
      /** A feed (AggregatorV3) of the asset’s price in USD, in which amounts are then shown as well. Without it: that of Chainlink, for the native coins and main tokens of the large chains. */
      usdFeed?: string;
    }>;
    /** A loss of less US dollars is not reported; from this on it is MEDIUM. */
    minUsd?: number;
    /** A loss of this many US dollars is HIGH. */
    highUsd?: number;
    /** A loss of this many US dollars is CRITICAL. */
    criticalUsd?: number;
    /** Of a token without a price: the share of its supply in per cent from which on a loss is reported, as MEDIUM. HIGH from ten times as much, CRITICAL from a hundred times. */
    minSupply?: number;
    /** Spenders and owners that are no concern, such as your own modules and accounts that others may collect from. */
    allowed?: string[];
    /** Contracts that hold the allowances and pull for the contract, such as a conduit. Permit2 is known. */
    transferProxies?: string[];
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  initializer_call: {
    /** Who may initialise it, such as your deployer or timelock. */
    allowedCallers?: string[];
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  illegitimate_transfer: {
    /** Reported when an account sends this share of the supply in per cent more than it had; CRITICAL from ten times as much. */
    share?: number;
    /** Who may move what it does not own, or send what it does not have: bridges, minters and game contracts of your own. */
    allowed?: string[];
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  suspicious_deployment: {
    /** An account that has sent at most this many transactions before is fresh. */
    maxNonce?: number;
    /** Tags of labels and of sources of money that make an account suspicious. */
    labelTags?: string[];
    /** Report every contract that names the watched one, by any creator. */
    anyAccount?: boolean;
    /** Accounts and factories that may create such contracts. */
    allowed?: string[];
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  price_manipulation: {
    /** By how many per cent a price must move away, and for the most part back. */
    limit?: number;
    /** By how many per cent a price must move where it stays; 100: to twice or half of it. */
    stayLimit?: number;
    /** The pools that count, such as those that your contract takes prices from; none: all, as far as something vouches for them. */
    pools?: string[];
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  durable_nonce: {
    /** Nonce accounts that are yours; their use raises nothing. */
    allowedNonceAccounts?: string[];
  } & CommonConfig;
  token_freeze: {
    /** Which of the two to report. */
    notifyOn?: 'both' | 'frozen' | 'thawed';
    /** Only these token accounts count; without any, all of the watched wallet or of the watched token. */
    accounts?: string[];
    /** Whether it looks at pending transactions as well, simulated on the newest block. Such alerts have the finality PENDING until a block has the transaction, and are retracted when it vanishes. An action of the detector with fireAt pending has the same effect. */
    pending?: boolean;
  } & CommonConfig;
  mempool_conflict: {
    /** Only transactions that move at least this many whole coins to or from the address. */
    minAmount?: string;
    /** Whether replacements that only pay another fee, and the address and the recipients no less, are reported as well (as LOW). */
    feeBumps?: boolean;
    /** How often to look at the transactions that wait, such as "5 s". */
    cron?: string;
  } & CommonConfig;
  alert_rate: {
    /** Which alerts count, in the query language of alert searches, such as severity:(HIGH OR CRITICAL). All alerts when it is empty. Alerts of this kind never count. */
    query?: string;
    /** Whose alerts count: those of the contract, of all contracts of its project, or of the whole tenant. */
    scope?: 'CONTRACT' | 'PROJECT' | 'TENANT';
    /** How many alerts within the time make an alert. */
    atLeast?: number;
    /** The time in which they must happen, by their timestamps; at most 7 days. It slides: any span of this length counts. */
    within?: string;
    /** A member of alerts, such as meta.from, contractId or tags: each value is counted by itself. Alerts without it do not count. */
    groupBy?: string;
    /** A member of alerts whose different values are counted instead of the alerts: contractId with atLeast 3 means alerts on three contracts. */
    countDistinct?: string;
  } & CommonConfig;
  absence: {
    /** What is expected: a transaction that touches the contract, an event that it emits, a call of one of its functions, or an alert (also a pushed one). */
    what?: 'TRANSACTION' | 'EVENT' | 'CALL' | 'ALERT';
    /** How long it may stay away: a minute to 90 days. */
    within?: string;
    /** The event or function, as custom_event and custom_function take it, such as AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt). */
    signature?: string;
    /** Senders that count, such as a keeper; any when none is named. */
    from?: string[];
    /** What must hold of it for it to count: `e` is that of custom_tx, custom_event or custom_function. */
    expression?: string;
    /** Whether calls that contracts make within transactions count too, where nodes trace them. */
    innerCalls?: boolean;
    /** Which alerts count, in the query language of alert searches, such as detectorId:12. Alerts of this kind never count. */
    query?: string;
    /** Whose alerts count: those of the contract, of all contracts of its project, or of the whole tenant. */
    scope?: 'CONTRACT' | 'PROJECT' | 'TENANT';
  } & CommonConfig;
}

/** The `params` of a trigger by its kind. */
export interface TriggerParams {
  SUCCESSFUL_TX: Record<string, never>;
  FAILED_TX: Record<string, never>;
  FUNCTION_CALL: {
    /** The function, such as withdraw(uint256 amount); without it, every function. */
    signature?: string;
    /** Whether the transaction must have succeeded, must have failed, or may have done either. */
    status?: 'success' | 'failed' | 'any';
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
  };
  FUNCTION_PARAMETER: {
    /** The function, such as withdraw(uint256 amount). Names may be left out: they are then taken from the contract’s ABI. */
    signature: string;
    /** Conditions that must all hold. Each has a name (a parameter, a member of a struct as order.amount, an element of a list as ids.0), an operator (==, !=, >, <, >=, <=, in, contains, starts_with, ends_with) and a value, for in a list of them. With ignoreCase texts are compared without case. */
    conditions: Array<{
      /** The parameter; a member of a struct as order.amount, an element of a list as ids.0, one without a name by its position. */
      name: string;
      /** The comparison; `in` takes an array. */
      operator: '==' | '!=' | '>' | '<' | '>=' | '<=' | 'in' | 'contains' | 'starts_with' | 'ends_with';
      /** What to compare with. */
      value: string | number | boolean | Array<string | number | boolean>;
      /** Compares texts without case. Addresses and bytes have none. */
      ignoreCase?: boolean;
    }>;
    /** Whether the transaction must have succeeded, must have failed, or may have done either. */
    status?: 'success' | 'failed' | 'any';
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
  };
  EVENT_EMITTED: {
    /** The event, such as Paused(address account); without it, every event of the contract. */
    signature?: string;
  };
  EVENT_PARAMETER: {
    /** The event, such as Transfer(address indexed from, address indexed to, uint256 value). Names and what is indexed may be left out: they are then taken from the contract’s ABI. */
    signature: string;
    /** Conditions that must all hold. Each has a name (a parameter, a member of a struct as order.amount, an element of a list as ids.0), an operator (==, !=, >, <, >=, <=, in, contains, starts_with, ends_with) and a value, for in a list of them. With ignoreCase texts are compared without case. */
    conditions: Array<{
      /** The parameter; a member of a struct as order.amount, an element of a list as ids.0, one without a name by its position. */
      name: string;
      /** The comparison; `in` takes an array. */
      operator: '==' | '!=' | '>' | '<' | '>=' | '<=' | 'in' | 'contains' | 'starts_with' | 'ends_with';
      /** What to compare with. */
      value: string | number | boolean | Array<string | number | boolean>;
      /** Compares texts without case. Addresses and bytes have none. */
      ignoreCase?: boolean;
    }>;
  };
  ERC20_TRANSFER: {
    /** Transfers to the watched address, from it, or any. */
    direction?: 'any' | 'in' | 'out';
    /** Only transfers of at least this many whole tokens. */
    minAmount?: string;
    /** The token: its address, on Tron also the id of a TRC-10 token. Without it: any token that the watched address sends or gets and, if it is a token itself, all transfers of it. */
    token?: string;
  };
  ERC721_TRANSFER: {
    /** Transfers to the watched address, from it, or any. */
    direction?: 'any' | 'in' | 'out';
    /** The token. Without it: any token that the watched address sends or gets and, if it is a token itself, all transfers of it. */
    token?: string;
  };
  NATIVE_TRANSFER: {
    /** Transfers to the watched address, from it, or any. */
    direction?: 'any' | 'in' | 'out';
    /** Only transfers of at least this many whole coins. */
    minAmount?: string;
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
  };
  BALANCE_CHANGE: {
    /** native, or the address of a token. */
    token?: string;
    /** What must hold of the new balance in whole tokens, such as "< 5", ">= 10%" (change) or "--100" (fall); without it, any change. */
    condition?: string;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
  };
  STATE_CHANGE: {
    /** The storage slot, as a number or in hexadecimal. */
    slot: string;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
  };
  VIEW_FUNCTION: {
    /** The function with what it gives, such as balanceOf(address)(uint256); results may be left out where the contract’s ABI has them. On Stellar and the Internet Computer its name in the contract’s Soroban spec or Candid interface. */
    signature: string;
    /** Values to call it with; large numbers as text. */
    params?: unknown[];
    /** Which of several results, by name or position, such as 1 or order.amount; the first one without it. */
    result?: string;
    /** What must hold of the result, a number, such as "> 100" or ">= 10%"; reported when it has changed. */
    condition?: string;
    /** The result to report. */
    equals?: string | number | boolean | Array<string | number | boolean>;
    /** Whether to look after every block, or only as often as `cron` says. */
    when?: 'block' | 'cron';
    /** Interval of looking when `when` is cron: a length of time, or a cron expression. */
    cron?: string;
  };
  WHITELISTED_CALLERS: {
    /** Who may send transactions to the contract; anyone else is reported. */
    callers: string[];
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
  };
  BLACKLISTED_CALLERS: {
    /** Whose transactions to the contract are reported. */
    callers: string[];
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
  };
  CONTRACT_CREATED: {
    /** Whether calls that contracts make within transactions count as well, where nodes of the chain trace them. */
    innerCalls?: boolean;
  };
}

/** A new detector: of a kind of Vigil's by `schemaName`, with the `config` of that kind; of a schema of your own by `schemaId`. */
export type DetectorOf<Body> =
  | (Omit<Body, 'schemaName' | 'config' | 'schemaId'> &
      { [Kind in keyof DetectorConfigs]: { schemaName: Kind; config?: DetectorConfigs[Kind] } }[keyof DetectorConfigs])
  | (Omit<Body, 'schemaName'> & { schemaId: number });

/** A new trigger, with the `params` of its `triggerType`. */
export type TriggerOf<Body> = Omit<Body, 'triggerType' | 'params'> &
  { [Kind in keyof TriggerParams]: { triggerType: Kind; params?: TriggerParams[Kind] } }[keyof TriggerParams];
