import { expect, it } from 'vitest';
import { createScriptBudget } from './createScriptBudget.ts';

it('gives a tenant time by block and by the clock, and lets it pay off what it used beyond that', () => {
  let at = 0;
  const bank = createScriptBudget(() => at);
  const first = bank.openBlock();
  expect(first(1).remainingMs).toBe(50);
  first(1).remainingMs -= 110;
  expect(first(1).remainingMs).toBe(-60);
  expect(first(2).remainingMs).toBe(50);
  // Asked for twice within a block it is filled up once.
  const second = bank.openBlock();
  expect([second(1).remainingMs, second(1).remainingMs]).toEqual([-55, -55]);
  at += 1000;
  expect(bank.openBlock()(1).remainingMs).toBe(50);
  first(1).remainingMs -= 20;
  at += 60_000;
  expect(bank.openBlock()(1).remainingMs).toBe(50);
});
