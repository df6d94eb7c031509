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
  return templateMembersOf(template).flatMap(({ name, format, argument }) => [
    ...[name, ...(argument === undefined || argument === 'native' ? [] : [argument])].flatMap((one) =>
      memberFaults(one, memberNames, pointer, parameters),
    ),
    ...(format === undefined || isTemplateFormat(format) ? [] : [formatFault(format, pointer)]),
  ]);
}

function memberFaults(
  name: string,
  memberNames: readonly string[],
  pointer: string,
  parameters: readonly string[] | undefined,
): Fault[] {
  if (!memberNames.some((one) => name === one || name.startsWith(`${one}.`)))
    return [unknownMember(name, memberNames, pointer)];
  const [first, argument] = name.split('.');
  if (first !== 'args' || argument === undefined || !parameters || parameters.includes(argument)) return [];
  const known = parameters.map((parameter) => `args.${parameter}`);
  return [unknownMember(name, known, pointer)];
}

function unknownMember(name: string, memberNames: readonly string[], pointer: string): Fault {
  const guess = nearest(name, memberNames);
  const hint = guess ? `did you mean {${guess}}? It has` : 'it has';
  const names = [...new Set(memberNames)].join(', ') || 'none';
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
