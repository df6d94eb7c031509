import { expect, it } from 'vitest';
import type { Principal } from '../../model/principal.ts';
import { createPasswordGuard } from './createPasswordGuard.ts';

const anonymous: Principal = {
  tokenId: 0,
  tokenKind: 'SESSION',
  userId: null,
  tenantId: null,
  organisationId: null,
  roles: [],
  readOnly: null,
};

function openGuard() {
  let time = 0;
  const guard = createPasswordGuard(() => time);
  /** Whether an attempt is let through; the password is wrong unless it is said to be right. */
  async function attempt(ip: string, email: string, isRight = false): Promise<boolean> {
    let isTried = false;
    const work = async () => {
      isTried = true;
      if (!isRight) throw new Error('wrong');
    };
    await guard.run('check', { ip, principal: anonymous }, { email, password: 'p' }, work).catch(() => {});
    return isTried;
  }
  const count = async (times: number, ip: (n: number) => string, email: (n: number) => string) => {
    let tried = 0;
    for (let n = 0; n < times; n++) if (await attempt(ip(n), email(n))) tried++;
    return tried;
  };
  return { attempt, count, advance: (ms: number) => (time += ms) };
}

it('leaves every address a share for an account that others guess, and those little', async () => {
  const { attempt, count, advance } = openGuard();
  const victim = () => 'victim@example.com';
  expect(await count(2000, (n) => `10.0.0.${n % 50}`, victim)).toBe(50 * 5 + 30);
  for (let n = 0; n < 5; n++) expect(await attempt('10.1.0.1', 'Victim@Example.com')).toBe(true);
  expect(await attempt('10.1.0.1', 'victim@example.com')).toBe(false);
  advance(60_000);
  expect(await count(2000, (n) => `10.0.0.${n % 50}`, victim)).toBe(50 + 30);
});

it('lets one address try a hundred accounts, then ten a second, and a user of that address log in all the same', async () => {
  const { attempt, count, advance } = openGuard();
  expect(await attempt('10.0.0.1', 'honest@example.com', true)).toBe(true);
  expect(
    await count(
      500,
      () => '10.0.0.1',
      (n) => `random${n}@example.com`,
    ),
  ).toBe(99);
  expect(await attempt('10.0.0.1', 'honest@example.com', true)).toBe(true);
  advance(1000);
  expect(
    await count(
      50,
      () => '10.0.0.1',
      (n) => `other${n}@example.com`,
    ),
  ).toBe(10);
});
