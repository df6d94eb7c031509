import { describe, expect, it } from 'vitest';
import { readLicenseTerms } from './licenseTerms.ts';

describe('the params of a license', () => {
  it('give the bounds under either name, and where a score starts', () => {
    expect(readLicenseTerms(null)).toMatchObject({ min: 0, max: 100, start: 100 });
    expect(readLicenseTerms('{"min":-5,"max":5,"start":0}')).toMatchObject({ min: -5, max: 5, start: 0 });
    expect(readLicenseTerms('{"minScore":1,"maxScore":10}')).toMatchObject({ min: 1, max: 10, start: 10 });
  });

  it.each([
    ['[]', 'must be a JSON object'],
    ['{', 'must be JSON written as text'],
    ['{"min":5,"max":5}', 'min must be the smaller one'],
    ['{"maxScore":"ten"}', 'maxScore must be a number'],
    ['{"start":101}', 'lies outside min and max'],
    ['{"tick":"10 seconds"}', 'tick comes too often'],
  ])('%s is refused with the reason', (params, reason) => {
    expect(() => readLicenseTerms(params)).toThrow(reason);
  });
});
