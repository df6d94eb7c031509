import { isDuration, parseDuration } from '../lib/duration.ts';
import { followedFunding } from '../model/followedFunding.ts';

/** A configuration that was saved when more was allowed, as what it can mean today: it goes on running instead of failing. */
export function upgradeConfig(detector: string, config: unknown): unknown {
  const upgrade = upgrades.get(detector);
  return upgrade && typeof config === 'object' && config !== null
    ? { ...config, ...upgrade(config) }
    : config;
}

type Config = Readonly<{ hops?: unknown; window?: unknown; sources?: unknown; lookback?: unknown }>;
const { tags, maxHops, windowMs } = followedFunding;

/** Money was never followed further than the schemas allow by now. */
const upgrades: ReadonlyMap<string, (config: Config) => Config> = new Map<string, (config: Config) => Config>(
  [
    ['attack_detector', ({ lookback }) => (isTooLong(lookback) ? { lookback: longest } : {})],
    [
      'mixer_funding',
      ({ hops, window, sources }) => ({
        ...(Number(hops) > maxHops ? { hops: maxHops } : {}),
        ...(isTooLong(window) ? { window: longest } : {}),
        ...(Array.isArray(sources) ? { sources: sources.filter((tag) => isFollowed(tag)) } : {}),
      }),
    ],
  ],
);

const longest = `${windowMs}`;

function isTooLong(value: unknown): boolean {
  return typeof value === 'string' && isDuration(value) && parseDuration(value) > windowMs;
}

function isFollowed(tag: unknown): boolean {
  return tags.some((followed) => followed === tag);
}
