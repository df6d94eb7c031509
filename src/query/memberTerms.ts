import { numberTerms } from './numberTerms.ts';
import { isPlainDecimal } from './plainDecimal.ts';

type AddTerm = (field: string, term: string) => void;

/**
 * Terms of a dynamic object beside its words: numbers, booleans and short texts by member name, numbers and booleans
 * also by the object. Decimal texts count as numbers. Stored, so it must not change.
 */
export function addMemberTerms(root: string, value: unknown, add: AddTerm): void {
  addBelow(root, value);

  function addBelow(name: string, node: unknown): void {
    if (typeof node === 'number') {
      addNumber(name, node);
    } else if (typeof node === 'boolean') {
      add(name, booleanTerm(node));
      add(root, booleanTerm(node));
    } else if (typeof node === 'string') {
      const term = wholeTerm(node);
      add(name, textTerm);
      if (term !== undefined) add(name, term);
      if (isPlainDecimal(node)) addNumber(name, Number(node));
    } else if (Array.isArray(node)) {
      for (const item of node) addBelow(name, item);
    } else if (typeof node === 'object' && node !== null) {
      for (const [member, item] of Object.entries(node)) addBelow(`${name}.${member}`, item);
    }
  }

  function addNumber(name: string, value: number): void {
    const { member, any } = numberTerms(value);
    for (const term of member) add(name, term);
    add(root, any);
  }
}

export function booleanTerm(value: boolean): string {
  return `b ${value}`;
}

/** A member that has a text at all. */
export const textTerm = 't';

const maxWholeLength = 32;

/** The term of a whole text, if it is short. */
export function wholeTerm(text: string): string | undefined {
  return text.length > maxWholeLength ? undefined : `t ${text}`;
}
