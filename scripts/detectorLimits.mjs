/**
 * What each detector cannot see, and, where no test can measure it on a chain of its own, what a stranger can cause who deploys
 * anything and pays nothing but gas. What tests measure is in testing/recorded/strangers.json.
 */
export const detectorLimits = {
  attack_detector: {
    unseen:
      'An attacker whose address has no label yet and whose money came from no labelled place, or over more accounts or days than are followed.',
    cost: 'HIGH costs the key of a labelled account, or a labelled contract that calls yours for anyone; one that is only called beside yours is LOW. An attacker evades it with an account that an exchange has paid.',
  },
  ownership_change: {
    unseen:
      'Rights that are kept under other names than those of the known patterns, and a key that changes hands.',
  },
  proxy_upgrade: { unseen: 'Code that is replaced in a proxy with a slot of its own and without an event.' },
  contract_hash_verification: { unseen: 'What is changed in storage while the code stays the same.' },
  access_control_change: { unseen: 'Rights that are given without one of the known events.' },
  pause_state: { unseen: 'A pause without an event, and one that only some functions look at.' },
  aml: { unseen: 'Addresses without a label, and money that passes through others before it comes.' },
  sanctioned_interaction: { unseen: 'Addresses that are not in the lists that were imported.' },
  mixer_funding: {
    unseen:
      'Accounts whose first money came from an exchange, from an account of more than three steps away, or long ago.',
    cost: 'To set it off costs a payment by a mixer or a bridge; to evade it, one more account than is followed.',
  },
  address_poisoning: {
    unseen: 'Look-alikes of recipients that the wallet paid before the detector began.',
    cost: 'It reports the very thing that a stranger does for gas.',
  },
  alert_rate: {
    unseen: 'What no detector or trigger reports, and alerts that its query leaves out.',
    cost: 'As much as it costs to set off what it counts, as often as its limit says.',
  },
  allowance_drain: {
    unseen:
      'Tokens without a price that are no large part of their supply, and pulls that look like the ordinary ones of this spender.',
    cost: 'HIGH costs what the robbed accounts lose of tokens that have a price or are named; own accounts can be robbed, too.',
  },
  illegitimate_transfer: {
    unseen: 'What a token moves without its event, and what an owner was made to approve before.',
    cost: 'HIGH costs a fault in the watched token itself, or a piece of one’s own that it lets another account take.',
  },
  initializer_call: {
    unseen: 'Functions with other names that set a contract up.',
    cost: 'A call that the contract lets succeed: gas, where a function of such a name is open to anyone and fewer than three have called it.',
  },
  absence: {
    unseen: 'An event, call or alert that comes and does not do what it should.',
    cost: 'As much as it costs to keep the event or call away; where anyone may cause it, a call of its own hides that the keeper stays away: name the keeper.',
  },
  large_transfer: { unseen: 'Many transfers below the threshold; outflow_rate sums them up.' },
  outflow_rate: {
    unseen:
      'What stays below the limit of its window. A token without a price that others move by an approval is only claimed: name it. From the seventh token on that the contract itself called and that is not named, three sums of a window are kept in place of thirty, so that a third of a window may be forgotten early.',
  },
  tvl_drop: {
    unseen:
      'Losses that are made up for in the same block by something of the same worth, and slow ones below its limits.',
  },
  wallet_balance: { unseen: 'What comes and goes between two looks.' },
  price_monitor: {
    unseen:
      'A price that is false for everyone alike, and one that is bent within a transaction of a pool that no feed shows.',
    cost: 'As much as it costs to move the feed itself.',
  },
  depeg: {
    unseen: 'A token whose feed does not follow.',
    cost: 'As much as it costs to move the feed itself.',
  },
  oracle_staleness: {
    unseen: 'A false answer that comes in time.',
    cost: 'Nothing can be caused without the feed’s reporters.',
  },
  total_supply: { unseen: 'Tokens that are made and burned between two looks.' },
  circulation_supply: {
    unseen: 'Balances that are changed without an event while the supply stays the same.',
  },
  tokenomics_allocation: {
    unseen: 'Who holds the keys of an allocation.',
    cost: 'Tokens that someone gives away to the address are INFO.',
  },
  proof_of_reserves: {
    unseen: 'Reserves that are reported and not there.',
    cost: 'Nothing can be caused without the feed’s reporters.',
  },
  holder_concentration: {
    unseen: 'One owner behind several addresses.',
    cost: 'As many tokens as the condition asks for, held at the end of a block.',
  },
  unlimited_approval: { unseen: 'Approvals that are signed and not used yet.' },
  block_anomaly: {
    unseen: 'Anything within the limits.',
    cost: 'The gas of a full block for each block that is to look odd.',
  },
  block_reorg: {
    unseen: 'Forks that Vigil’s nodes never followed.',
    cost: 'Control over the order of blocks, or over the nodes that are asked.',
  },
  chain_halt: {
    unseen: 'A chain that goes on without being final.',
    cost: 'Control over the nodes that are asked.',
  },
  failed_tx_spike: { unseen: 'Failures within transactions that succeed.' },
  gas_anomaly: {
    unseen: 'Functions that were called only a few times before.',
    cost: 'A transaction with a priority fee ten times as high as any before is LOW, and costs that fee.',
  },
  flash_loan: {
    unseen:
      'Loans without an event whose parts go back to another address, and coins that are lent by calls alone.',
    cost: 'HIGH costs what the contract must lose; the loan itself costs gas and its fee.',
  },
  safe_multisig: { unseen: 'What owners sign before it is executed, and a module’s own rules.' },
  governance: {
    unseen: 'Votes that were bought or borrowed.',
    cost: 'A proposal costs what the governor asks for; where it asks for nothing, gas.',
  },
  contract_call: {
    unseen: 'What the function says between two looks.',
    cost: 'Whatever it costs to change what the function answers: a gift is enough where it reads a balance.',
  },
  http_probe: {
    unseen: 'A page that answers and was changed beside the text that is looked for.',
    cost: 'An attack on the web server.',
  },
  dns_monitor: {
    unseen: 'False answers that only others get.',
    cost: 'Control over the domain or its servers.',
  },
  custom_event: {
    unseen: 'What the contract does without the event.',
    cost: 'Whatever a call costs that emits the event.',
  },
  custom_function: {
    unseen: 'Inner calls where nodes do not trace.',
    cost: 'A call of the function; anyone may make one that fails unless the status is asked for.',
  },
  custom_tx: { unseen: 'Inner calls where nodes do not trace.' },
  invariant: {
    unseen: 'What breaks and is mended between two looks.',
    cost: 'Whatever it costs to change what the functions answer: a gift is enough where they read a balance.',
  },
  utxo_spend: {
    unseen: 'A key that is stolen and not used yet.',
    cost: 'Nothing can be caused without the key.',
  },
  reentrancy: {
    unseen:
      'A false value that another contract reads in between (unless `readOnly`), a loss at a contract that is not watched, and one below `share` and `highUsd`.',
    cost: 'HIGH or CRITICAL costs what is missing afterwards: own money of at least `share` of what the contract holds, paid out in calls within each other. Of tokens without a price see drain.',
  },
  drain: {
    unseen:
      'What is taken in many transactions below its share; tokens without a price that others move by an approval, unless they are named; pieces of an ERC-1155, which no contract can be asked for altogether: watch the collection by illegitimate_transfer, or one id by outflow_rate. Beyond 100 tokens without a price in one transaction the rest is counted (`notRead`, MEDIUM), and so is a token without a price that only its thief or its maker ever gave (LOW).',
    cost: 'HIGH or CRITICAL costs own money in the contract of that share, or, at a contract that pays out any token it is given, a token that looks like one of others: it counts when the contract names it, or when someone gave it there who is of its own people, or who neither made nor takes it and had coins before. A stranger forges that with three accounts that have lain for a day, or with a token that has. Name the tokens that count, under `tokens`, where a guardian rests on it.',
  },
  suspicious_deployment: {
    unseen: 'Contracts that get the address of their target only when they are called.',
    cost: 'HIGH also for gas, when the code looks as if it took flash loans: it warns before an attack, and proves none.',
  },
  price_manipulation: {
    unseen:
      'Pools with other events than those of Uniswap V2 and V3, and a price that is bent in one transaction and used in the next.',
    cost: 'Above LOW it costs what it costs to bend a pool that the contract reads or that holds its token: fees and what others take of the difference.',
  },
  durable_nonce: {
    unseen: 'Transactions that are signed and not sent.',
    cost: 'Nothing can be caused without the wallet’s signature, beyond giving it a nonce account.',
  },
  token_freeze: {
    unseen: 'A freeze that is announced and not done.',
    cost: 'Nothing can be caused without the authority of the token.',
  },
  mempool_conflict: {
    unseen: 'Conflicts that no node of Vigil saw waiting.',
    cost: 'Who pays the address a small amount and spends it elsewhere sets it off for two fees.',
  },
};
