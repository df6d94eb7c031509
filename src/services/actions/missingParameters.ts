import { parameterNames } from '../../actions/fillCall.ts';
import { findClosed } from '../../actions/openParameters.ts';
import type { FunctionItem } from '../../chains/familyActions.ts';
import { type Fault, Problem } from '../../model/errors.ts';

/** An item that binds an action, with scripts for its parameters. */
type ScriptedItem = { id?: number; scriptParams?: Record<string, string> };
type Callable = { funcAbi: FunctionItem; params: readonly { name: string; value: string }[] };

/**
 * Finds bindings that could never fire, because a parameter of the function has neither a value nor a script. An action
 * without bindings may lack values: a manual run supplies them.
 */
export function findMissingParameters<I extends ScriptedItem>(
  actionOf: (item: I) => Callable | undefined,
  items: readonly I[],
  current: readonly I[] | undefined,
  member: string,
): Fault[] {
  const stored = new Map(current?.map((item) => [item.id, item]));
  return items.flatMap((item, index): Fault[] => {
    const storedItem = item.id === undefined ? undefined : stored.get(item.id);
    const action = actionOf({ ...storedItem, ...item });
    if (!action) return [];
    const scripts = Object.keys(item.scriptParams ?? storedItem?.scriptParams ?? {});
    const supplied = new Set([...scripts, ...action.params.map(({ name }) => name)]);
    const missing = parameterNames(action).filter((name) => !supplied.has(name));
    if (missing.length === 0) return [];
    const message = `There is no value for ${missing.join(', ')}, so the action could never fire: give it in the params of the action or in scriptParams.`;
    return [{ pointer: `/${member}/${index}/scriptParams`, code: 'missing-parameter', message }];
  });
}

/** Parameters that the scripts of a binding may not fill, because the approved action does not leave them open. */
export function findClosedParameters(
  action: Callable & Parameters<typeof findClosed>[0],
  scripted: Readonly<Record<string, string>>,
  pointer: string,
): Fault[] {
  return parameterNames(action).flatMap((name): Fault[] => {
    const closed = Object.hasOwn(scripted, name) ? findClosed(action, [name]) : undefined;
    return closed
      ? [{ pointer: `${pointer}/scriptParams/${name}`, code: 'closed-parameter', message: closed.reason }]
      : [];
  });
}

export function throwFaults(faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const detail = faults.map(({ pointer, message }) => `${pointer}: ${message}`).join(' ');
  throw new Problem('unprocessable', detail, { errors: [...faults] });
}
