import type { Fault } from '../../model/errors.ts';
import type { Call } from '../call.ts';
import { scriptOwner } from './scriptOwner.ts';

type Script = { pointer: string; source: unknown };

/** Scripts are compiled now, so a fault is reported to its author and not during an attack. */
export async function scriptFaults(call: Call, scripts: readonly Script[]): Promise<Fault[]> {
  const faults = await Promise.all(
    scripts.map(async ({ pointer, source }): Promise<Fault[]> => {
      if (typeof source !== 'string') return [];
      const fault = await call.services.checkScript(scriptOwner(call), source);
      return fault ? [{ pointer, code: 'script', message: fault.message }] : [];
    }),
  );
  return faults.flat();
}

/** The scripts of a list of bindings. */
export function bindingScripts(
  items: readonly { scriptFilter?: string | null; scriptParams?: Record<string, string> }[] | undefined,
  pointer: string,
): Script[] {
  return (items ?? []).flatMap(({ scriptFilter, scriptParams }, index) => [
    { pointer: `${pointer}/${index}/scriptFilter`, source: scriptFilter || undefined },
    ...Object.entries(scriptParams ?? {}).map(([name, source]) => ({
      pointer: `${pointer}/${index}/scriptParams/${name}`,
      source,
    })),
  ]);
}
