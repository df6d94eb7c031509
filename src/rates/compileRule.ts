import { createHash } from 'node:crypto';
import { getChain } from '../chains/chains.ts';
import { toChainFacts } from '../chains/toChainFacts.ts';
import { type AlertRateConfig, alertRate } from '../detectors/alertRate.ts';
import { configSchema } from '../detectors/configSchema.ts';
import { parseDuration } from '../lib/duration.ts';
import { isRecord } from '../lib/isRecord.ts';
import { compileDetector } from '../matching/compileDetector.ts';
import type { Subscriber } from '../matching/subscriber.ts';
import { withDefaults } from '../model/validate.ts';
import type { RateDetector } from '../store/alerts/rateRules.ts';
import { type AlertMatcher, createAlertMatcher } from '../store/search/createAlertMatcher.ts';

/** A detector that counts alerts, ready to count. */
export type Rule = {
  readonly detector: RateDetector;
  readonly config: AlertRateConfig;
  readonly windowMs: number;
  readonly matcher: AlertMatcher;
  readonly subscriber: Subscriber;
  /** Identifies what it counts. */
  readonly settings: string;
};

/** The fault says why it cannot count. */
export function compileRule(detector: RateDetector, now: number): Rule | { fault: string } {
  const { contract } = detector;
  const checked = withDefaults(configSchema(alertRate), detector.config);
  if ('faults' in checked) return { fault: 'Its configuration is not valid.' };
  const config = checked.value as AlertRateConfig;
  const subscriber = compileDetector(detector, contract, toChainFacts(getChain(contract.chainUid)));
  if ('fault' in subscriber) return subscriber;
  const { query, scope, atLeast, within, groupBy, countDistinct } = config;
  const windowMs = parseDuration(within);
  const counted = [query, scope, atLeast, windowMs, groupBy, countDistinct, contract.id, contract.projectId];
  return {
    detector,
    config,
    windowMs,
    matcher: createAlertMatcher(query, now),
    subscriber,
    settings: createHash('sha256').update(JSON.stringify(counted)).digest('base64url').slice(0, 22),
  };
}

/** True if the rule may count the alert, before its query is evaluated. */
export function isInScope({ config, detector }: Rule, alert: Readonly<Record<string, unknown>>): boolean {
  if (config.scope === 'CONTRACT') return alert.contractId === detector.contract.id;
  return config.scope === 'TENANT' || alert.projectId === detector.contract.projectId;
}

/** An alert could name thousands. */
const maxValues = 10;
const shownLength = 200;

/** The values of a member of an alert as texts; those of lists one by one. Addresses of the EVM are the same in any case. */
export function readMember(alert: unknown, path: string): string[] {
  const steps = path.replace(/\.keyword$/, '').split('.');
  let values: unknown[] = [alert];
  for (const step of steps)
    values = values
      .flatMap((value) => (Array.isArray(value) ? value.slice(0, maxValues) : [value]))
      .flatMap((value) => (isRecord(value) && Object.hasOwn(value, step) ? [value[step]] : []));
  const texts = values
    .flatMap((value) => (Array.isArray(value) ? value.slice(0, maxValues) : [value]))
    .flatMap((value) =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? [String(value)]
        : [],
    )
    .map((text) => (/^0x[0-9a-fA-F]{40}$/.test(text) ? text.toLowerCase() : text));
  return [...new Set(texts)].slice(0, maxValues);
}

export function shownValue(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}

/** A key of fixed length for a text of any. */
export function toKey(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
