import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { alertShape, detectorEvidence, scoreEventShape, triggerEvidence } from './alertShape.ts';

const guide = readFileSync(new URL('../../../docs/how-to/actions.md', import.meta.url), 'utf8');

it('the guide documents every member of an alert that scripts see, and no other', () => {
  const table = guide.slice(guide.indexOf('| member |'), guide.indexOf('`a` has'));
  const rows = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names]) => names!.match(/\w+/g) ?? []);
  expect(rows.sort()).toEqual(Object.keys(alertShape(undefined).members).sort());
});

it('the evidence of an alert is that of its detector or trigger, and unknown for findings from outside', () => {
  expect(detectorEvidence('pause_state', false)).toContain('isPaused');
  expect(detectorEvidence('pause_state', true)).toBeUndefined();
  expect(detectorEvidence('of an administrator', false)).toBeUndefined();
  expect(triggerEvidence('ERC20_TRANSFER')).toEqual(expect.arrayContaining(['rawAmount', 'triggerAlertId']));
});

it('license scripts do not see what may still change', () => {
  expect(Object.keys(scoreEventShape.members)).not.toContain('status');
  expect(Object.keys(scoreEventShape.members)).toEqual(
    expect.arrayContaining(['type', 'severity', 'blockHash']),
  );
});
