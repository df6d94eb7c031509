import { beforeAll, describe, expect, it } from 'vitest';
import { eventTopic } from '../../src/codecs/evm/abi.ts';
import { artifacts } from '../../testing/contracts/artifacts.ts';
import type { Contract } from '../../testing/createContract.ts';
import { useChain } from '../../testing/useChain.ts';

const chain = useChain();
const signatures = [
  'Transfer(address,address,uint256)',
  'TransferSingle(address,address,address,uint256,uint256)',
  'Approval(address,address,uint256)',
  'ApprovalForAll(address,address,bool)',
  'FlashLoan(address,address,address,uint256,uint8,uint256,uint16)',
  'FlashLoan(address,address,uint256,uint256)',
  'Flash(address,address,uint256,uint256,uint256,uint256)',
  'OwnershipTransferred(address,address)',
  'AdminChanged(address,address)',
  'Upgraded(address)',
  'RoleGranted(bytes32,address,address)',
  'ChangedThreshold(uint256)',
  'ExecutionSuccess(bytes32,uint256)',
];

let forger: Contract;
beforeAll(async () => {
  const { anvil } = chain;
  const [, wallet] = anvil.accounts;
  forger = await anvil.deploy(artifacts.Forger);
  const calls = signatures
    .map(eventTopic)
    .flatMap((topic) => [forger.encode('forge', topic), forger.encode('forgeFor', topic, wallet)]);
  await anvil.sendTogether(calls.map((data) => ({ to: forger.address, data, gas: 100_000n })));
});

/** Anybody can emit anything, and a detector that stumbles over it would miss what else happens in the block. */
describe('logs with the topic of an event and without its values', () => {
  it.each([
    'attack_detector',
    'ownership_change',
    'proxy_upgrade',
    'contract_hash_verification',
    'access_control_change',
    'aml',
    'sanctioned_interaction',
    'mixer_funding',
    'address_poisoning',
    'unlimited_approval',
    'flash_loan',
    'safe_multisig',
  ])('neither stop nor deceive %s', async (detector) => {
    const [, wallet] = chain.anvil.accounts;
    const ofEmitter = await chain.replay(detector, {}, forger);
    const ofParty = await chain.replay(detector, {}, { address: wallet });
    // With one value these are complete events.
    const isComplete = ({ meta }: { meta: Record<string, unknown> }) =>
      ['Upgraded', 'ChangedThreshold', 'ExecutionSuccess'].includes(String(meta.event)) || 'hash' in meta;
    expect([...ofEmitter, ...ofParty].filter((finding) => !isComplete(finding))).toEqual([]);
  });
});
