import { readFileSync } from 'node:fs';
import { messageOf } from '../../lib/messageOf.ts';
import { Secret } from '../../lib/secret.ts';
import { splitHosts } from '../../lib/splitHosts.ts';

export type EnvReader = ReturnType<typeof createEnvReader>;

/** Settings whose `…_FILE` is a setting of another meaning. */
const withoutFile = new Set(['VIGIL_MASTER_KEY']);

/**
 * Reads variables of the environment by type and collects their faults; blank counts as unset. `NAME_FILE` names a file with the value
 * of `NAME`, as container platforms hand out secrets.
 */
export function createEnvReader(env: NodeJS.ProcessEnv) {
  const faults: string[] = [];
  /** Every variable that was read, set or not: all that Vigil knows. */
  const names = new Set<string>();
  /** Contents of files, read once: '' after a fault. */
  const files = new Map<string, string>();

  function text(name: string): string | undefined {
    names.add(name);
    const value = env[name]?.trim() || undefined;
    return withoutFile.has(name) || name.endsWith('_FILE') ? value : (fromFile(name, value) ?? value);
  }

  /** An empty file is a fault: with no address of a database Vigil would begin an empty one. */
  function fromFile(name: string, value: string | undefined): string | undefined {
    names.add(`${name}_FILE`);
    const file = env[`${name}_FILE`]?.trim();
    if (!file) return undefined;
    const cached = files.get(name);
    if (cached !== undefined) return cached || undefined;
    files.set(name, '');
    if (value !== undefined) {
      faults.push(`${name} and ${name}_FILE are both set; only one of them can be.`);
      return undefined;
    }
    try {
      files.set(name, readFileSync(file, 'utf8').trim());
    } catch (error) {
      faults.push(`${name}_FILE cannot be read: ${messageOf(error)}.`);
      return undefined;
    }
    if (files.get(name) === '') faults.push(`${name}_FILE names ${file}, which is empty.`);
    return files.get(name) || undefined;
  }

  function items(name: string): string[] | undefined {
    return text(name)
      ?.split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  }

  function oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const value = text(name);
    if (value === undefined) return fallback;
    const found = allowed.find((word) => word === value);
    if (!found) faults.push(`${name} is "${value}" but must be one of ${allowed.join(', ')}.`);
    return found ?? fallback;
  }

  function someOf<T extends string>(name: string, allowed: readonly T[]): T[] | undefined {
    const words = items(name);
    const unknown = words?.filter((word) => !allowed.some((role) => role === word)) ?? [];
    if (unknown.length > 0)
      faults.push(`${name} has "${unknown.join(', ')}" but takes only ${allowed.join(', ')}.`);
    if (words?.length === 0) faults.push(`${name} names nothing but takes ${allowed.join(', ')}.`);
    return words && allowed.filter((role) => words.includes(role));
  }

  function optionalInteger(name: string, low: number, high: number): number | undefined {
    const value = text(name);
    if (value === undefined) return undefined;
    const number = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= low && number <= high) return number;
    faults.push(`${name} is "${value}" but must be a whole number from ${low} to ${high}.`);
    return undefined;
  }

  function integer(name: string, fallback: number, low: number, high: number): number {
    return optionalInteger(name, low, high) ?? fallback;
  }

  function url(name: string, protocols: readonly string[]): string | undefined {
    const value = text(name);
    return value === undefined ? undefined : checkUrl(name, value, protocols);
  }

  function urls(name: string, protocols: readonly string[]): string[] | undefined {
    return items(name)?.flatMap((item) => checkUrl(name, item, protocols) ?? []);
  }

  /** The address of a database, which may name several servers. */
  function databaseUrl(name: string): string | undefined {
    const value = text(name);
    const single = value === undefined ? [] : splitHosts(value);
    const isGood = single.every(
      (address) => checkUrl(name, address, ['postgres:', 'postgresql:']) !== undefined,
    );
    return isGood ? value : undefined;
  }

  function checkUrl(name: string, value: string, protocols: readonly string[]): string | undefined {
    // PostgreSQL's addresses may leave out the host when a parameter names its socket: postgres://user@/name?host=/run
    const whole = value.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=\/)/, '$1localhost');
    if (URL.canParse(whole) && protocols.includes(new URL(whole).protocol)) return value;
    const allowed = protocols.map((protocol) => `${protocol}//`).join(', ');
    faults.push(`${name} must be an address that begins with ${allowed}.`);
    return undefined;
  }

  function secret(name: string): Secret | undefined {
    return toSecret(text(name));
  }

  function secretUrl(name: string, protocols: readonly string[]): Secret | undefined {
    return toSecret(url(name, protocols));
  }

  return {
    text,
    items,
    oneOf,
    someOf,
    optionalInteger,
    integer,
    url,
    urls,
    databaseUrl,
    secret,
    secretUrl,
    fault: (message: string) => void faults.push(message),
    faults: (): readonly string[] => faults,
    names: (): ReadonlySet<string> => names,
  };
}

function toSecret(value: string | undefined): Secret | undefined {
  return value === undefined ? undefined : new Secret(value);
}
