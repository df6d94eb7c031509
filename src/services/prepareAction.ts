import { parseAbiItem } from 'abitype';
import { invalid, unprocessable } from '../model/errors.ts';
import { findRecord, type Row } from '../store/records.ts';
import { contractTable } from '../store/tables/contract.ts';
import { walletTable } from '../store/tables/wallet.ts';
import type { Call } from './call.ts';
import { checkBindingFilters } from './checkBindingFilters.ts';
import type { Change } from './recordKind.ts';

type ActionChange = Omit<Change, 'input'> & {
  input: {
    funcSignature?: string | null;
    walletId?: number | null;
    contractId?: number | null;
    destinations?: unknown;
  };
};

export async function prepareAction(call: Call, { input, current, tenantId }: ActionChange): Promise<Row> {
  checkBindingFilters(input.destinations, '/destinations', call.now);
  if (input.walletId != null) {
    await checkChains(call, tenantId!, input.walletId, input.contractId ?? Number(current?.contractId));
  }
  return {
    ...input,
    ...(input.funcSignature == null ? {} : { funcAbi: toFunctionAbi(input.funcSignature) }),
  };
}

const chainOnly = ['chainUid'] as const;

/** A wallet can only sign for its own chain. */
async function checkChains(
  call: Call,
  tenantId: number,
  walletId: number,
  contractId: number,
): Promise<void> {
  const scope = { all: false, tenantIds: [tenantId], organisationIds: [] };
  const wallet = await findRecord(call.db, walletTable, scope, walletId, chainOnly);
  const contract = await findRecord(call.db, contractTable, scope, contractId, chainOnly);
  if (wallet?.chainUid === contract?.chainUid) return;
  throw unprocessable(
    '/walletId',
    'other-chain',
    `The wallet is on ${String(wallet?.chainUid)} and the contract on ${String(contract?.chainUid)}; they must be on the same chain.`,
  );
}

/** `pause()`, `transfer(address to, uint256 amount)` or the same behind the word `function`. */
function toFunctionAbi(signature: string): unknown {
  const text = signature
    .trim()
    .replace(/^function\s+/, '')
    .replace(/;$/, '');
  try {
    return parseAbiItem([`function ${text}`] as readonly string[] as readonly [string]);
  } catch {
    // The parser's own words are long and coloured by its internals; the form that is right says more.
    throw invalid(
      '/funcSignature',
      'signature',
      'must be a function signature such as transfer(address to, uint256 amount).',
    );
  }
}
