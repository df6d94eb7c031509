import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error a script without types
import { defaults, describeSize, limitsOf } from '../../scripts/sizeOf.mjs';

const root = join(import.meta.dirname, '..', '..');
const size = (...args: string[]) =>
  spawnSync(process.execPath, ['scripts/size.mjs', ...args], { cwd: root, encoding: 'utf8' });
type Limits = Record<'single' | 'coordinator' | 'worker', [name: string, alerts: number][]>;
const rates = Object.fromEntries(
  Object.entries(defaults as Record<string, { value: number }>).map(([name, { value }]) => [name, value]),
);
const limits = (changed: Record<string, number>): Limits => limitsOf({ ...rates, ...changed });
const diskOf = (list: Limits['single']) => list.find(([name]) => name.startsWith('disk'))![1];

describe('npm run size', () => {
  it('prints what docs/sizing.md says for each of its commands', () => {
    const page = readFileSync(join(root, 'docs', 'sizing.md'), 'utf8');
    const commands = [...page.matchAll(/^npm run size -- (.+)\n```\n\n([\s\S]*?)\n\n<!-- end of size -->/gm)];
    expect(commands.length).toBeGreaterThan(1);
    for (const [, options, text] of commands) {
      const { status, stdout } = size(...options!.split(' '));
      expect(status).toBe(0);
      expect(text).toBe(stdout.trimEnd());
    }
  });

  it('counts what is stored by days, of alerts with the month that is dropped with the last of them', () => {
    const bytesOfAlert = 1300 * (30 + 1) * 86_400;
    const bytesOfDelivery = 2700 * 90 * 86_400;
    expect(diskOf(limits({}).single)).toBeCloseTo(8e12 / (bytesOfAlert + bytesOfDelivery), 6);
    expect(diskOf(limits({ deliveries: 0 }).single)).toBeCloseTo(8e12 / bytesOfAlert, 6);
    expect(diskOf(limits({ deliveries: 0, days: 32 }).single)).toBeCloseTo(
      8e12 / (1300 * (32 + 31) * 86_400),
      6,
    );
    // What was said is on the workers after a week, the rest stays.
    const here = (700 * 90 + 2000 * 7) * 86_400;
    expect(diskOf(limits({}).coordinator)).toBeCloseTo(8e12 / here, 6);
    expect(diskOf(limits({ 'delivery-days': 8 }).coordinator)).toBeGreaterThan(
      3.5 * diskOf(limits({}).coordinator),
    );
    expect(diskOf(limits({ disk: 20 }).worker)).toBeCloseTo(2 * diskOf(limits({}).worker), 6);
  });

  it('puts first what ends first', () => {
    for (const list of Object.values(limits({})))
      expect(list.map(([, alerts]) => alerts)).toEqual(
        list.map(([, alerts]) => alerts).toSorted((a, b) => a - b),
      );
    expect(limits({ deliveries: 0 }).coordinator.at(-1)).toEqual([
      'disk of the coordinator (deliveries)',
      Infinity,
    ]);
    expect(limits({ share: 1, disk: 1000 }).single[0]).toEqual([
      'one chain, a sequence of transactions',
      5000,
    ]);
  });

  it('says where one chain has more than one process can store', () => {
    expect(describeSize({ ...rates, alerts: 20_001 })).toContain('The busiest chain has');
    expect(describeSize({ ...rates, alerts: 19_999 })).not.toContain('The busiest chain has');
  });

  it.each([
    [['--alerts', '0'], '--alerts has to be a number above 0'],
    [['--alerts', 'many'], 'not "many"'],
    [['--share', '2'], 'up to 1'],
    [['--nothing'], '--nothing'],
  ])('refuses %s', (args, message) => {
    const { status, stderr } = size(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});
