import { accessOf } from './access.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * `watched`: run on trial, and held if a guarded wallet would then sign anything else. `always`: held, because it signs
 * or makes a key. `never`: no wallet depends on what it writes.
 */
export type ApprovalRule = 'watched' | 'always' | 'never';

/** Requests that sign by hand or make a key. */
const always = new Set(['POST /action/{id}/execute', 'POST /wallet/{id}/rotate']);

/** The first words of paths below which nothing is written that decides when or what a wallet signs. */
const freePaths = new Set([
  'alert',
  'apikey',
  'approval',
  'auth',
  'backtest',
  'contact',
  'delivery',
  'escalationchain',
  'incident',
  'inhibition',
  'instance',
  'invite',
  'label',
  'license',
  'plannedchange',
  'schedule',
  'route',
  'score',
  'share',
  'silence',
  'telemetry',
  'timeset',
  'tokenomics',
  'user',
  'view',
]);
/** Alerts come in large numbers, and stopping must never wait. */
const free = new Set(['POST /detector/{id}/alert', 'POST /action/resume']);

/**
 * Decides if a request may wait for a second user. Alerts fire actions without asking, and administrators decide alone
 * on their changes of the platform, such as deleting a tenant.
 */
export function approvalRuleOf({
  method,
  path,
  effect,
}: Pick<Endpoint, 'method' | 'path' | 'effect'>): ApprovalRule {
  const key = `${method} ${path}`;
  if (always.has(key)) return 'always';
  // All others change nothing, end what goes on, or write alerts and labels alone.
  if (effect !== 'create' && effect !== 'change') return 'never';
  const isPlatform = accessOf({ method, path }).length === 0;
  return isPlatform || free.has(key) || freePaths.has(path.split('/')[1] ?? '') ? 'never' : 'watched';
}
