import { describe, expect, it } from 'vitest';
import { withDefaults } from '../model/validate.ts';
import { configSchema } from './configSchema.ts';
import { detectors } from './detectors.ts';
import { upgradeConfig } from './upgradeConfig.ts';

const check = (name: string, config: unknown) => withDefaults(configSchema(detectors.get(name)!), config);
const upgraded = (name: string, config: unknown) => check(name, upgradeConfig(name, config));

describe('a configuration', () => {
  it.each([
    ['mixer_funding', { hops: 4 }, '/hops', 'must be at most 3.'],
    ['mixer_funding', { window: '31 days' }, '/window', 'must be a length of time up to 30 days'],
    ['mixer_funding', { window: 'soon' }, '/window', 'must be a length of time up to 30 days'],
    ['mixer_funding', { sources: ['EXCHANGE'] }, '/sources/0', 'must be one of MIXER, BRIDGE, SANCTION'],
    ['attack_detector', { lookback: '721 h' }, '/lookback', 'must be a length of time up to 30 days'],
  ])(
    'a configuration of %s cannot ask for funding that is not followed: %j',
    (name, config, pointer, message) => {
      expect(check(name, config)).toMatchObject({
        faults: [{ pointer, message: expect.stringContaining(message) }],
      });
    },
  );

  it('a configuration that was saved when more was allowed goes on as far as funding is followed', () => {
    const saved = { hops: 5, window: '60 days', sources: ['MIXER', 'EXCHANGE'], cooldown: '1 h' };
    const window = String(30 * 86_400_000);
    expect(upgraded('mixer_funding', saved)).toMatchObject({
      value: { hops: 3, window, sources: ['MIXER'], cooldown: '1 h' },
    });
    expect(upgraded('attack_detector', { lookback: '90d' })).toMatchObject({ value: { lookback: window } });
  });

  it('a configuration within the bounds stays as it is, and one that never was valid stays invalid', () => {
    const config = { hops: 2, window: '30 days', sources: ['SCAM'] };
    expect(upgradeConfig('mixer_funding', config)).toEqual(config);
    expect(upgradeConfig('mixer_funding', {})).toEqual({});
    expect(upgraded('attack_detector', { lookback: '0' })).toMatchObject({ value: { lookback: '0' } });
    expect(upgraded('mixer_funding', { hops: 0 })).toMatchObject({ faults: [{ pointer: '/hops' }] });
    expect(upgraded('mixer_funding', { hops: 'many' })).toMatchObject({ faults: [{ pointer: '/hops' }] });
    expect(upgraded('mixer_funding', { window: 'soon' })).toMatchObject({ faults: [{ pointer: '/window' }] });
    expect(upgraded('mixer_funding', 'x')).toHaveProperty('faults');
  });
});
