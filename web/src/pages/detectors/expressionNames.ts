import { expressionMembers } from '../../../../src/model/expressionMembers.ts';
import { parametersOf } from '../../parts/parametersOf.ts';

type Name = { name: string; detail?: string };

/** What the expression of a kind can name, for completion: members of `e`, and the parameters of the signature. */
export function expressionNames(
  kind: string,
  config: Readonly<Record<string, unknown>>,
  known: readonly string[],
): readonly Name[] {
  if (kind === 'invariant') return termNames(config.terms);
  const members = expressionMembers[kind];
  if (!members) return [];
  const signature = typeof config.signature === 'string' ? withNames(config.signature, known) : '';
  return [
    ...(members.includes('args')
      ? parametersOf(signature).map(({ name, type }) => ({
          name: /^\d+$/.test(name) ? `e.args[${name}]` : `e.args.${name}`,
          detail: type,
        }))
      : []),
    ...members.map((member) => ({ name: `e.${member}` })),
  ];
}

/** The signature as the contract's ABI has it, which names what a person may leave out. */
function withNames(signature: string, known: readonly string[]): string {
  const wanted = typesOf(signature);
  return known.find((one) => typesOf(one) === wanted) ?? signature;
}

function typesOf(signature: string): string {
  const name = signature.slice(0, signature.indexOf('(')).trim();
  return `${name}(${parametersOf(signature)
    .map(({ type }) => type)
    .join()})`;
}

function termNames(terms: unknown): Name[] {
  if (!Array.isArray(terms)) return [];
  return terms.flatMap((term: { name?: unknown } | null) =>
    typeof term?.name === 'string' ? [{ name: term.name, detail: 'term' }] : [],
  );
}
