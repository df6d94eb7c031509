import { type Static, Type } from 'typebox';
import { groupDigits } from '../evidence/amounts.ts';
import { assetFacts, decimalsMember, ownDecimals, readSupply } from '../evidence/evm/tokens.ts';
import { Configuration, Flag, Polling, scheduleOf } from '../evidence/parameters.ts';
import { keepState } from '../evidence/samples.ts';
import { compareDecimal, formatDecimal, parseDecimal, toDecimal } from '../lib/decimal.ts';
import { type Detection, defineDetector } from '../model/detection.ts';
import { evmDialect } from '../model/family.ts';

const config = Configuration({
  expectedTotalSupply: Type.Optional(
    Type.String({ format: 'amount', description: 'Greatest number of whole tokens that may ever exist.' }),
  ),
  expectedTotalIssued: Type.Optional(
    Type.String({
      format: 'amount',
      description: 'Greatest number of whole tokens that should be issued by now.',
    }),
  ),
  decimals: decimalsMember,
  trackChanges: Flag('Whether to report every change of the supply, as INFO.', true),
  ...Polling('cron', '10 min'),
});
type Config = Static<typeof config>;

type State = { readonly supply: string; readonly decimals: number; readonly over?: readonly string[] };

export const totalSupply = defineDetector<Config, State>({
  name: 'total_supply',
  title: 'Total supply',
  version: '1.0.0',
  category: 'COMPLIANCE',
  families: [...evmDialect, 'solana', 'stellar', 'icp'],
  severity: 'MEDIUM',
  description:
    'More of the token is issued than expected (MEDIUM, reported once until it is within again), or its supply changes (INFO).',
  faq: 'What is the difference between the two expectations? The supply is the cap that must never be exceeded, the issued amount is what should exist by now.',
  nextStep:
    'Check that the issuer announced the change. If not, someone may mint at will: pause markets that take the token.',
  config,
  fields: ['supply', 'rawSupply', 'previous', 'expectation', 'expected'],
  takesBaseline: true,
  interests: (settings) => [{ on: 'block', ...scheduleOf(settings) }],
  evaluate(observation, { config: settings, contract, chain, state, read }) {
    if (observation.type !== 'block') return {};
    const [units, decimals] = read.all([
      () => readSupply(read, contract.address),
      () => ownDecimals(read, contract.address, settings.decimals ?? state?.decimals),
    ]);
    const supply = toDecimal(units, decimals);
    const over = limitsOf(settings).filter(([, most]) => compareDecimal(supply, parseDecimal(most)) > 0);
    const names = over.map(([name]) => name);
    const newState = keepState(state, {
      supply: units.toString(),
      decimals,
      ...(names.length > 0 && { over: names }),
    });
    const symbol = () => assetFacts(read, chain, contract.address).symbol;
    const shown = formatDecimal(supply);
    const before = state && formatDecimal(toDecimal(BigInt(state.supply), decimals));
    const fields = { supply: shown, rawSupply: units, previous: before };
    const exceeded = over
      .filter(([name]) => !state?.over?.includes(name))
      .map(
        ([name, most]): Detection => ({
          part: name,
          message: `${groupDigits(shown)} ${symbol()} of ${contract.name} are issued, more than the expected ${groupDigits(most)}.`,
          fields: { ...fields, expectation: name, expected: most },
        }),
      );
    const hasChanged = state !== undefined && state.supply !== units.toString();
    if (!settings.trackChanges || !hasChanged || exceeded.length > 0)
      return { ...newState, detections: exceeded };
    const message = `The supply of ${contract.name} changed from ${groupDigits(before!)} to ${groupDigits(shown)} ${symbol()}.`;
    return { ...newState, detections: [{ severity: 'INFO', message, fields }] };
  },
});

function limitsOf({ expectedTotalSupply, expectedTotalIssued }: Config): [string, string][] {
  return Object.entries({ expectedTotalSupply, expectedTotalIssued }).filter(
    (limit): limit is [string, string] => limit[1] !== undefined,
  );
}
