import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConditionError, evaluateCondition, parseCondition } from './condition.ts';
import { toDecimal } from './decimal.ts';

const holds = (text: string, value: number | bigint, previous?: number | bigint) =>
  evaluateCondition(parseCondition(text), { value, previous }).holds;

describe('a condition', () => {
  it.each<[string, number, boolean]>([
    ['= 5', 5, true],
    ['= 5', -5, false],
    ['= -5', -5, true],
    ['!= 5', 5, false],
    ['!= 5', -5, true],
    ['>0', 1, true],
    ['>0', 0, false],
    [' >=  1_000 ', 1000, true],
    ['<= 0.5', 0.5, true],
    ['<= 0.5', 0.51, false],
    // Without a sign the size counts, with one the value.
    ['> 10', -11, true],
    ['> +10', -11, false],
    ['> +10', 11, true],
    ['< 20', -21, false],
    ['< 20', -19, true],
    ['< -20', -21, true],
    ['< -20', 21, false],
    ['> -10', -9, true],
    ['>= +0', -1, false],
  ])('%s with the value %d: %s', (text, value, expected) => {
    expect(holds(text, value)).toBe(expected);
  });

  it.each<[string, number, number | undefined, boolean]>([
    ['> 10%', 111, 100, true],
    ['> 10%', 110, 100, false],
    ['>= 10 %', 110, 100, true],
    ['> 10%', 89, 100, true],
    ['> +10%', 89, 100, false],
    ['< -10%', 89, 100, true],
    ['< -10%', 111, 100, false],
    ['< 10%', 105, 100, true],
    ['= 0%', 100, 100, true],
    ['= 50%', 0, 0, false],
    ['!= 0%', 101, 100, true],
    ['> 10%', 500, undefined, false],
    ['!= 0%', 500, undefined, false],
    // The change is measured by the size of what was there.
    ['> +10%', -80, -100, true],
    // From nothing it is more than any per cent.
    ['> 1e9%', 1, 0, true],
    ['> +1e9%', -1, 0, false],
    ['< -1e9%', -1, 0, true],
    ['< 10%', 1, 0, false],
    ['= 10%', 1, 0, false],
    ['++10', 110, 100, true],
    ['++ 10', 109, 100, false],
    ['++10', 90, 100, false],
    ['++0', 100, 100, false],
    ['++10', 110, undefined, false],
    ['--10', 90, 100, true],
    ['--10', 91, 100, false],
    ['--10', 110, 100, false],
  ])('%s with %d after %s: %s', (text, value, previous, expected) => {
    expect(holds(text, value, previous)).toBe(expected);
  });

  it.each([
    ['>> 10', [5, 11, 12, 10, 11, -11, 0], [11, 11]],
    ['<< 10', [5, 4, 10, 9], [5, 9]],
    ['>> +10', [-11, 11, -11, 11], [11, 11]],
    ['> 10', [5, 11, 12], [11, 12]],
  ])('%s over %j fires at %j', (text, values, expected) => {
    const condition = parseCondition(text);
    let armed: boolean | undefined;
    const fired = values.filter((value) => {
      const result = evaluateCondition(condition, { value, armed });
      armed = result.armed;
      return result.fires;
    });
    expect(fired).toEqual(expected);
  });

  it('distinguishes amounts to the last chain unit', () => {
    const whale = 10n ** 30n;
    expect(holds('> 1e30', whale)).toBe(false);
    expect(holds('> 1e30', whale + 1n)).toBe(true);
    expect(holds('>= 1%', whale + whale / 100n - 1n, whale)).toBe(false);
    expect(holds('>= 1%', whale + whale / 100n, whale)).toBe(true);
    const condition = parseCondition('> 1.000000000000000001');
    expect(evaluateCondition(condition, { value: toDecimal(10n ** 18n + 1n, 18) }).holds).toBe(false);
    expect(evaluateCondition(condition, { value: toDecimal(10n ** 18n + 2n, 18) }).holds).toBe(true);
  });

  it('agrees with whole numbers for every operator and sign', () => {
    const plain: Record<string, (value: bigint, limit: bigint) => boolean> = {
      '>': (value, limit) => value > limit,
      '<': (value, limit) => value < limit,
      '>=': (value, limit) => value >= limit,
      '<=': (value, limit) => value <= limit,
    };
    const amount = fc.bigInt(-(10n ** 20n), 10n ** 20n);
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(plain)), amount, amount, (operator, value, limit) => {
        const size = limit < 0n ? -limit : limit;
        const signed = limit < 0n ? `${limit}` : `+${limit}`;
        expect(holds(`${operator} ${signed}`, value)).toBe(plain[operator]!(value, limit));
        expect(holds(`${operator}${size}`, value)).toBe(plain[operator]!(value < 0n ? -value : value, size));
      }),
    );
  });

  it.each([
    ['', 0, 'begins with one of'],
    ['10', 0, 'begins with one of'],
    ['  ~5', 2, 'begins with one of'],
    ['>', 1, 'found nothing'],
    ['>  ', 3, 'found nothing'],
    ['== 5', 1, "found '= 5'"],
    ['> 1,000', 2, "found '1,000'"],
    ['> ten', 2, "found 'ten'"],
    ['> 5 6', 2, "found '5 6'"],
    ['> 5%%', 2, "found '5%'"],
    ['>>> 5', 2, "found '> 5'"],
    ['++-5', 2, 'has no sign'],
    ['--5%', 3, 'write <= -5%'],
    ['++ 5 %', 5, 'write >= +5 %'],
  ])('%j is refused at position %d', (text, position, message) => {
    const fault = faultOf(text);
    expect(fault).toBeInstanceOf(ConditionError);
    expect(fault).toMatchObject({ position });
    expect(String(fault)).toContain(message);
  });

  it('a condition of any text is either read or refused with a position inside it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'=!<>+-%0123456789.e_ x') }), (text) => {
        const fault = faultOf(text);
        if (fault === undefined) return;
        expect(fault).toBeInstanceOf(ConditionError);
        expect(fault instanceof ConditionError && fault.position <= text.length).toBe(true);
      }),
    );
  });
});

function faultOf(text: string): unknown {
  try {
    parseCondition(text);
    return undefined;
  } catch (error) {
    return error;
  }
}
