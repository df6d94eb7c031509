/** Signatures of events that several files read. */
export const transferEvent = 'Transfer(address,address,uint256)';
export const approvalEvent = 'Approval(address,address,uint256)';
export const safeExecutionEvents = {
  ExecutionSuccess: 'ExecutionSuccess(bytes32,uint256)',
  ExecutionFailure: 'ExecutionFailure(bytes32,uint256)',
  ExecutionFromModuleSuccess: 'ExecutionFromModuleSuccess(address)',
  ExecutionFromModuleFailure: 'ExecutionFromModuleFailure(address)',
} as const;
