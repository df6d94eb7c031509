import { nearest } from '../../lib/nearest.ts';
import { templateFields } from '../../lib/template.ts';
import type { Fault } from '../../model/errors.ts';

/**
 * Unknown members in a message template. Only the first step of a name is checked, because deeper ones, such as the
 * values of an event, are known only at run time.
 */
export function templateFaults(template: string, memberNames: readonly string[], pointer: string): Fault[] {
  return templateFields(template)
    .filter((name) => !memberNames.some((one) => name === one || name.startsWith(`${one}.`)))
    .map((name) => {
      const guess = nearest(name, memberNames);
      const hint = guess ? `did you mean {${guess}}? It has` : 'it has';
      const names = [...new Set(memberNames)].join(', ') || 'none';
      return {
        pointer,
        code: 'unknown-member',
        message: `{${name}} is not a member of this alert; ${hint} ${names}. Write {{ for a plain brace.`,
      };
    });
}
