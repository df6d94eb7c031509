import { parseFunction, selectorOf } from './abi.ts';
import { functionBySelector } from './abiItems.ts';

/** The function behind a selector: by the contract's ABI, or as one by which funds and rights usually move. */
export function functionNamed(selector: string, abi: readonly unknown[]) {
  return functionBySelector(selector, abi) ?? usual.get(selector);
}

const usual = new Map(
  [
    'transfer(address to, uint256 amount)',
    'transferFrom(address from, address to, uint256 amount)',
    'approve(address spender, uint256 amount)',
    'increaseAllowance(address spender, uint256 amount)',
    'setApprovalForAll(address operator, bool approved)',
    'safeTransferFrom(address from, address to, uint256 tokenId)',
    'mint(address to, uint256 amount)',
    'burn(address from, uint256 amount)',
    'deposit()',
    'withdraw(uint256 amount)',
    'pause()',
    'unpause()',
    'transferOwnership(address newOwner)',
    'acceptOwnership()',
    'renounceOwnership()',
    'setOwner(address owner)',
    'changeAdmin(address newAdmin)',
    'setPendingAdmin(address newPendingAdmin)',
    'acceptAdmin()',
    'upgrade(address proxy, address implementation)',
    'upgradeTo(address implementation)',
    'upgradeToAndCall(address implementation, bytes data)',
    'upgradeAndCall(address proxy, address implementation, bytes data)',
    'setImplementation(address implementation)',
    'grantRole(bytes32 role, address account)',
    'revokeRole(bytes32 role, address account)',
    'renounceRole(bytes32 role, address account)',
    'rely(address account)',
    'deny(address account)',
    'addOwnerWithThreshold(address owner, uint256 threshold)',
    'removeOwner(address previousOwner, address owner, uint256 threshold)',
    'swapOwner(address previousOwner, address oldOwner, address newOwner)',
    'changeThreshold(uint256 threshold)',
    'enableModule(address module)',
    'disableModule(address previousModule, address module)',
    'setGuard(address guard)',
    'setModuleGuard(address guard)',
    'setFallbackHandler(address handler)',
    'execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
    'schedule(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)',
    'execute(address target, uint256 value, bytes payload, bytes32 predecessor, bytes32 salt)',
    'cancel(bytes32 id)',
    'updateDelay(uint256 newDelay)',
    'setDelay(uint256 delay)',
    'setMinter(address minter)',
    'setOracle(address oracle)',
    'setPrice(uint256 price)',
    'setFee(uint256 fee)',
    'setVotingDelay(uint256 delay)',
    'setVotingPeriod(uint256 period)',
    'setProposalThreshold(uint256 threshold)',
    'updateQuorumNumerator(uint256 numerator)',
    'diamondCut((address facet, uint8 action, bytes4[] selectors)[] cuts, address init, bytes data)',
  ].map((signature) => {
    const item = parseFunction(signature);
    return [selectorOf(item), item];
  }),
);
