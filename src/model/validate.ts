import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { itemAt } from '../lib/itemAt.ts';
import { seedChainUids } from './chainUid.ts';
import { type Fault, Problem } from './errors.ts';
import { allFormats } from './formats.ts';
import { toFaults } from './schemaFaults.ts';

/** Faults that one answer lists. */
export const faultLimit = 100;

/**
 * Ajv either stops at the first fault or collects all of them, however many there are: its generated code is changed to
 * stop after some more than are listed, by throwing what it has.
 */
const stopAfterMany = (code: string) =>
  code.replaceAll('errors++;', `if (++errors > ${4 * faultLimit}) throw vErrors;`);

/** The schemas are our own, and the tests hold them to JSON Schema; compiling that would cost the first request a tenth of a second. */
const base = {
  verbose: true,
  strict: false,
  ownProperties: true,
  meta: false,
  validateSchema: false,
  // The list of chains is read where it stands, since it grows; shorter ones are compiled.
  loopEnum: seedChainUids.length,
};
const options = { ...base, allErrors: true, code: { process: stopAfterMany } };
const ajv = new Ajv2020(options);
/** Writes defaults into what it checks. */
const fillingAjv = new Ajv2020({ ...options, useDefaults: true });
/** Says only whether a value is valid, and stops at the first fault. */
const quickAjv = new Ajv2020(base);

type Compiled = WeakMap<TSchema, ValidateFunction>;
const compiled: Compiled = new WeakMap();
const compiledFilling: Compiled = new WeakMap();
const compiledQuick: Compiled = new WeakMap();
const noneReserved: ReadonlySet<string> = new Set();

/** Throws one problem that lists every fault of the value; `reserved` are known members that may not be given here. */
export function validate(
  schema: TSchema,
  value: unknown,
  root = '',
  reserved: ReadonlySet<string> = noneReserved,
): void {
  const faults = faultsOf(schema, value, root, reserved);
  if (faults.length > 0) throw invalidInput(faults);
}

export function invalidInput(faults: Fault[]): Problem {
  const first = itemAt(faults, 0);
  const rest = faults.length - 1;
  const more = rest > 0 ? ` (and ${faults.length < faultLimit ? '' : 'at least '}${rest} more)` : '';
  return new Problem('invalid-input', `${first.pointer || 'The request'}: ${first.message}${more}`, {
    errors: faults,
  });
}

/** A copy of the value with the schema's defaults filled in, or what is wrong with it. */
export function withDefaults(
  schema: TSchema,
  value: unknown,
  root = '',
): { value: unknown } | { faults: Fault[] } {
  const copy: unknown = structuredClone(value);
  const faults = toFaults(check(fillingAjv, compiledFilling, schema, copy), root, noneReserved);
  return faults.length > 0 ? { faults } : { value: copy };
}

function faultsOf(schema: TSchema, value: unknown, root: string, reserved: ReadonlySet<string>): Fault[] {
  return toFaults(check(ajv, compiled, schema, value), root, reserved);
}

function check(by: Ajv2020, cache: Compiled, schema: TSchema, value: unknown): ErrorObject[] {
  const run = validatorOf(by, cache, schema);
  try {
    if (run(value)) return [];
  } catch (thrown) {
    if (!Array.isArray(thrown)) throw thrown;
    // The faults may be those of one alternative only, where another takes the value.
    return validatorOf(quickAjv, compiledQuick, schema)(value) ? [] : listed(thrown);
  }
  return listed(run.errors ?? []);
}

function validatorOf(by: Ajv2020, compiled: Compiled, schema: TSchema): ValidateFunction {
  let run = compiled.get(schema);
  if (!run) {
    for (const [name, { test }] of Object.entries(allFormats())) by.addFormat(name, test);
    run = by.compile(schema);
    compiled.set(schema, run);
  }
  return run;
}

/** `if` only repeats that one of its branches has the faults listed beside it. */
function listed(errors: readonly ErrorObject[]): ErrorObject[] {
  return errors.filter(({ keyword }) => keyword !== 'if').slice(0, faultLimit);
}
