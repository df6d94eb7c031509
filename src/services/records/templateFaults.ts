import { nearest } from '../../lib/nearest.ts';
import { templateMembersOf } from '../../lib/template.ts';
import type { Fault } from '../../model/errors.ts';
import { isTemplateFormat, templateFormats } from '../../model/templateFormats.ts';

/**
 * Unknown members and formats in a message template. Of the arguments of an event or call only those of `parameters` are known,
 * where they are given; other deeper steps are known only at run time.
 */
export function templateFaults(
  template: string,
  memberNames: readonly string[],
  pointer: string,
  parameters?: readonly string[],
): Fault[] {
  const known = new Set(memberNames);
  const faults: Fault[] = [];
  for (const { name, format, argument } of templateMembersOf(template)) {
    for (const one of [name, ...(argument === undefined || argument === 'native' ? [] : [argument])])
      faults.push(...memberFaults(one, known, pointer, parameters));
    if (format !== undefined && !isTemplateFormat(format)) faults.push(formatFault(format, pointer));
    if (faults.length >= maxFaults) break;
  }
  return faults.slice(0, maxFaults);
}

/** Faults of one template; each is explained with the nearest name, which takes time. */
const maxFaults = 10;
/** Names that are compared and listed; pushed findings have any number of members. */
const maxNames = 300;
/** Steps of a name of which each may be the end of a known one. */
const maxSteps = 20;

function memberFaults(
  name: string,
  known: ReadonlySet<string>,
  pointer: string,
  parameters: readonly string[] | undefined,
): Fault[] {
  const steps = name.split('.', maxSteps);
  if (!known.has(name) && !steps.some((_, index) => known.has(steps.slice(0, index + 1).join('.'))))
    return [unknownMember(name, [...known], pointer)];
  const [first, argument] = name.split('.');
  if (first !== 'args' || argument === undefined || !parameters || parameters.includes(argument)) return [];
  return [
    unknownMember(
      name,
      parameters.map((parameter) => `args.${parameter}`),
      pointer,
    ),
  ];
}

function unknownMember(name: string, memberNames: readonly string[], pointer: string): Fault {
  const compared = memberNames.slice(0, maxNames);
  const guess = nearest(name, compared);
  const hint = guess ? `did you mean {${guess}}? It has` : 'it has';
  const more = memberNames.length - compared.length;
  const names = `${compared.join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
  return {
    pointer,
    code: 'unknown-member',
    message: `{${name}} is not a member of this alert; ${hint} ${names}. Write {{ for a plain brace.`,
  };
}

function formatFault(format: string, pointer: string): Fault {
  const formats = Object.keys(templateFormats);
  const guess = nearest(format, formats);
  const hint = guess ? `did you mean ${guess}? There are` : 'there are';
  return {
    pointer,
    code: 'unknown-format',
    message: `${format} is no format; ${hint} ${formats.join(', ')}.`,
  };
}
