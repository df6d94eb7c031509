import { groupDigits, showAmount } from '../evidence/amounts.ts';
import { assetFacts } from '../evidence/evm/tokens.ts';
import { usdWorth } from '../evidence/evm/usdWorth.ts';
import { isAddressText, showMoment, tokenIn, unitsIn } from '../evidence/memberForms.ts';
import { harmless } from '../lib/harmless.ts';
import { memberOf, type TemplateMember, templateMembersOf } from '../lib/template.ts';
import type {
  ChainFacts,
  ContractFacts,
  Detection,
  EvaluationResult,
  Observation,
  Reader,
} from '../model/detection.ts';
import { isTemplateFormat, type TemplateFormat } from '../model/templateFormats.ts';

type Context = { contract: ContractFacts; chain: ChainFacts; read: Reader };

/** Adds to each finding the members of the templates that have a format, as people read them. Read only once something is found. */
export function showMembers<State>(
  result: EvaluationResult<State>,
  templates: readonly (string | null | undefined)[],
  observation: Observation,
  context: Context,
): EvaluationResult<State> {
  const { detections } = result;
  if (!detections || detections.length === 0) return result;
  const wanted = templates
    .flatMap((template) => (template?.includes('|') ? templateMembersOf(template) : []))
    .filter(({ format }) => format !== undefined && isTemplateFormat(format))
    .slice(0, maxMembers);
  if (wanted.length === 0) return result;
  const at = 'block' in observation ? observation.block.timestamp : undefined;
  return {
    ...result,
    detections: detections.map((detection) => ({
      ...detection,
      shown: Object.fromEntries(
        context.read
          .all(wanted.map((member) => () => [member.text, show(member, detection, at, context)] as const))
          .filter((entry): entry is [string, string] => entry[1] !== undefined),
      ),
    })),
  };
}

/** Bounds the reads of one message. */
const maxMembers = 20;

/** Undefined where the value has no such form, or no one knows: the plain value stands then. */
function show(
  { name, format, argument }: TemplateMember,
  { fields }: Detection,
  at: number | undefined,
  context: Context,
): string | undefined {
  const value = memberOf({ timestamp: at, ...fields }, name);
  switch (format as TemplateFormat) {
    case 'token':
      return showToken(value, tokenIn(fields, argument, context), context);
    case 'usd':
      return showUsd(value, tokenIn(fields, argument, context), at ?? 0, context);
    case 'time':
      return showMoment(value);
    case 'label':
      return showLabel(value, context);
  }
}

/** An alert does not wait for how its amount reads. */
function showToken(value: unknown, token: string, { read, chain }: Context): string | undefined {
  const units = unitsIn(value);
  const facts = units === undefined ? undefined : read.optional(() => assetFacts(read, chain, token));
  return units === undefined || facts === undefined ? undefined : showAmount(units, facts);
}

function showUsd(value: unknown, token: string, at: number, context: Context): string | undefined {
  const { read, chain } = context;
  const units = unitsIn(value);
  if (units === undefined) return undefined;
  const facts = read.optional(() => assetFacts(read, chain, token));
  if (facts === undefined) return undefined;
  const { usd } = usdWorth(read, { token, feed: undefined, chain, at }, units, facts.decimals).fields;
  return usd === undefined ? showAmount(units, facts) : `${groupDigits(usd)} USD`;
}

function showLabel(value: unknown, { contract, chain, read }: Context): string | undefined {
  if (!isAddressText(value)) return undefined;
  const address = chain.canonical(value);
  const known = address === contract.address ? contract.name : contract.own?.[address]?.name;
  if (known !== undefined) return harmless(known, 60);
  // The tenant's own words first.
  const [label] = read
    .labels(address)
    .toSorted((a, b) => Number(a.tenantId === null) - Number(b.tenantId === null));
  const name = label?.name ?? label?.tags.join(', ');
  return name ? `${harmless(name, 60)} (${address})` : address;
}
