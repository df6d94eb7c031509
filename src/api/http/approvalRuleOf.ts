import type { TouchedRecords } from '../../store/actions/approvals.ts';
import type { Endpoint } from './endpoint.ts';

export type ApprovalRule = {
  /** The wallets, actions and detectors whose wallets have a say. */
  touches(id: number, body: Readonly<Record<string, unknown>>): TouchedRecords;
  /** What the approver sees of a body that may carry secrets; the whole body if left out. */
  shows?: string;
  /** Not tried out when it is asked for, because trying leaves something behind. */
  isNotTried?: true;
};

/** Requests that wait for a second user when the wallet behind them says so. Alerts fire actions without asking. */
const rules: Readonly<Record<string, ApprovalRule>> = {
  'PUT /wallet/{id}': { touches: (id) => ({ walletIds: [id] }) },
  'DELETE /wallet/{id}': { touches: (id) => ({ walletIds: [id] }) },
  'POST /wallet/{id}/rotate': { touches: (id) => ({ walletIds: [id] }), isNotTried: true },
  'POST /action': { touches: (_id, { walletId }) => ({ walletIds: numbers([walletId]) }) },
  'PUT /action/{id}': {
    touches: (id, { walletId }) => ({ actionIds: [id], walletIds: numbers([walletId]) }),
  },
  'DELETE /action/{id}': { touches: (id) => ({ actionIds: [id] }) },
  'POST /action/{id}/execute': { touches: (id) => ({ actionIds: [id] }) },
  // A detector can bind actions from its side as well.
  'POST /detector': {
    touches: (_id, { actions }) => ({ actionIds: boundActions(actions) }),
    shows: 'actions',
  },
  'PUT /detector/{id}': {
    touches: (id, { actions }) =>
      actions === undefined ? {} : { actionIds: boundActions(actions), detectorIds: [id] },
    shows: 'actions',
  },
};

export function approvalRuleOf({
  method,
  path,
}: Pick<Endpoint, 'method' | 'path'>): ApprovalRule | undefined {
  return rules[`${method} ${path}`];
}

function boundActions(items: unknown): number[] {
  return Array.isArray(items) ? numbers(items.map((item: { actionId?: unknown }) => item?.actionId)) : [];
}

function numbers(values: readonly unknown[]): number[] {
  return values.filter((value) => typeof value === 'number');
}
