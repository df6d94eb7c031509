import { isDeepStrictEqual } from 'node:util';
import type { Fault } from '../../model/errors.ts';
import { invalidInput } from '../../model/validate.ts';
import { isItems } from '../../store/records/bindings.ts';
import type { Row } from '../../store/records/records.ts';
import type { Binding, Table } from '../../store/tables/table.ts';

/** The changes of an update; refuses members that only Vigil sets if their value differs. */
export function readUpdate({ fields, bindings }: Table, body: Row, current: Row): Row {
  const input: Row = {};
  const faults: Fault[] = [];
  for (const [name, value] of Object.entries(body)) {
    const usage = fields[name]?.usage;
    if (usage === 'editable' || usage === 'writeOnly') input[name] = value;
    else if (!isDeepStrictEqual(value, current[name])) faults.push(readOnlyFault(`/${name}`));
  }
  for (const binding of bindings) {
    faults.push(...echoFaults(binding, input[binding.member], current[binding.member], `/${binding.member}`));
  }
  if (faults.length > 0) throw invalidInput(faults);
  return input;
}

/** Members of a binding that Vigil sets may only come back as they were read. */
export function echoFaults(binding: Binding, items: unknown, current: unknown, pointer: string): Fault[] {
  if (!isItems(items)) return [];
  const stored = new Map(isItems(current) ? current.map((item) => [item.id, item]) : []);
  return items.flatMap((item, index) => {
    const before = item.id === undefined ? undefined : stored.get(item.id);
    return Object.entries(item).flatMap(([name, value]): Fault[] => {
      if (name === 'id' || Object.hasOwn(binding.items, name)) return [];
      const member = `${pointer}/${index}/${name}`;
      const child = binding.bindings.find((inner) => inner.member === name);
      if (child) return echoFaults(child, value, before?.[name], member);
      return isDeepStrictEqual(value, before?.[name]) ? [] : [readOnlyFault(member)];
    });
  });
}

export function readOnlyFault(pointer: string): Fault {
  return {
    pointer,
    code: 'read-only',
    message: 'is set by Vigil; leave it out or send it back as it was read.',
  };
}
