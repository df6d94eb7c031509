import { isRecord } from '../lib/isRecord.ts';
import { severityOf } from '../model/alert.ts';
import type { BacktestResult } from '../model/backtest.ts';
import type { Recommendation } from './recommendDetectors.ts';

type Past = { readonly fromBlock: number; readonly toBlock: number; readonly result: BacktestResult };

/** Kinds whose limit is a share of what is held, and which is tried on the past before it is proposed. */
export const fittedKinds: readonly string[] = ['drain', 'tvl_drop', 'outflow_rate', 'allowance_drain'];

/** Room above what was usual, and where the limit ends: the loss of half is always reported. */
const room = 1.2;
const mostPercent = 50;

/** The proposal with a limit above what the contract did of late, and with what it would have raised there. */
export function fitToPast(one: Recommendation, { fromBlock, toBlock, result }: Past): Recommendation {
  const severe = result.samples.filter(({ severity }) => severityOf[severity] >= severityOf.MEDIUM);
  const where = `In the blocks ${fromBlock} to ${toBlock} it would have raised`;
  if (result.alerts === 0) return { ...one, reason: `${one.reason} ${where} nothing.` };
  const counts = Object.entries(result.bySeverity)
    .map(([severity, count]) => `${count} ${severity}`)
    .join(', ');
  const shares = severe.flatMap(({ meta: { percent } }) => (typeof percent === 'number' ? [percent] : []));
  const usual = Math.max(0, ...shares);
  const percent = Math.min(mostPercent, Math.ceil(usual * room));
  const config = usual > 0 ? withShare(one, percent) : undefined;
  const raised = `${one.reason} ${where} ${counts}`;
  return config
    ? { ...one, config, reason: `${raised} at the usual limit, so that ${percent} % is proposed.` }
    : { ...one, reason: `${raised}.` };
}

/** Undefined where the limit is no share, or is as high already. */
function withShare(
  { schemaName, config }: Recommendation,
  percent: number,
): Recommendation['config'] | undefined {
  const text = `${percent}%`;
  const isHigher = (before: unknown) => Number.parseFloat(String(before)) < percent;
  switch (schemaName) {
    case 'drain':
      return isHigher(config.share ?? 20) ? { ...config, share: percent } : undefined;
    case 'outflow_rate':
      return isHigher(config.limit ?? '10%') ? { ...config, limit: text } : undefined;
    case 'tvl_drop': {
      const tokens = Array.isArray(config.tokens) ? config.tokens.filter(isRecord) : [];
      const raised = tokens.map((token) =>
        isHigher(token.threshold) ? { ...token, threshold: text } : token,
      );
      return {
        ...config,
        ...(tokens.length > 0 && { tokens: raised }),
        ...(isHigher(config.nativeThreshold ?? text) && { nativeThreshold: text }),
        ...(isHigher(config.foundThreshold ?? text) && { foundThreshold: text }),
      };
    }
    default:
      return undefined;
  }
}
