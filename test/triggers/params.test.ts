import { describe, expect, it } from 'vitest';
import { triggerTypes } from '../../src/model/enumerations.ts';
import { withDefaults } from '../../src/model/validate.ts';
import { triggers } from '../../src/triggers/triggers.ts';

const condition = { name: 'a', operator: '==', value: 1 };

describe('parameters of triggers', () => {
  it('are defined for every type of trigger', () => {
    expect([...triggers.keys()].sort()).toEqual(Object.keys(triggerTypes).sort());
  });

  it.each<[string, object, string]>([
    ['SUCCESSFUL_TX', { signature: 'f()' }, '/signature'],
    ['FUNCTION_CALL', { signature: 'no signature' }, '/signature'],
    ['FUNCTION_CALL', { status: 'maybe' }, '/status'],
    ['FUNCTION_PARAMETER', { conditions: [condition] }, '/signature'],
    ['FUNCTION_PARAMETER', { signature: 'f(uint256 a)' }, '/conditions'],
    ['FUNCTION_PARAMETER', { signature: 'f(uint256 a)', conditions: [] }, '/conditions'],
    [
      'FUNCTION_PARAMETER',
      { signature: 'f(uint256 a)', conditions: [{ ...condition, operator: '~' }] },
      '/conditions/0/operator',
    ],
    [
      'EVENT_PARAMETER',
      { signature: 'F(uint256 a)', conditions: [{ ...condition, value: null }] },
      '/conditions/0/value',
    ],
    ['EVENT_EMITTED', { signature: 'F(' }, '/signature'],
    ['ERC20_TRANSFER', { direction: 'up' }, '/direction'],
    ['ERC20_TRANSFER', { minAmount: 5 }, '/minAmount'],
    ['ERC721_TRANSFER', { token: '0x12' }, '/token'],
    ['NATIVE_TRANSFER', { minAmount: '-1' }, '/minAmount'],
    ['BALANCE_CHANGE', { condition: 'below 5' }, '/condition'],
    ['STATE_CHANGE', {}, '/slot'],
    ['STATE_CHANGE', { slot: 'first' }, '/slot'],
    ['STATE_CHANGE', { slot: '0', cron: 'often' }, '/cron'],
    ['VIEW_FUNCTION', {}, '/signature'],
    ['WHITELISTED_CALLERS', {}, '/callers'],
    ['WHITELISTED_CALLERS', { callers: [] }, '/callers'],
    ['BLACKLISTED_CALLERS', { callers: ['0x1'] }, '/callers/0'],
    ['CONTRACT_CREATED', { from: 'x' }, '/from'],
  ])('of %s refuse %o', (type, params, pointer) => {
    expect(withDefaults(triggers.get(type)!.params, params)).toMatchObject({ faults: [{ pointer }] });
  });

  const abi = [
    { type: 'function', name: 'set', inputs: [{ name: 'limit', type: 'uint256' }], outputs: [] },
    { type: 'function', name: 'limit', inputs: [], outputs: [{ name: '', type: 'uint256' }] },
    'not an item',
  ];

  it.each<[string, object, string[]]>([
    ['FUNCTION_PARAMETER', { signature: 'f(uint256 a)', conditions: [condition] }, []],
    ['FUNCTION_PARAMETER', { signature: 'set(uint256)', conditions: [{ ...condition, name: 'limit' }] }, []],
    [
      'FUNCTION_PARAMETER',
      { signature: 'f(uint256 b, address a)', conditions: [condition, { ...condition, name: 'c' }] },
      ['/conditions/0/value', '/conditions/1/name'],
    ],
    [
      'FUNCTION_PARAMETER',
      { signature: 'f(address a)', conditions: [{ name: 'a', operator: '>', value: '1' }] },
      ['/conditions/0/value'],
    ],
    [
      'EVENT_PARAMETER',
      { signature: 'F(string indexed a)', conditions: [{ name: 'a', operator: 'contains', value: 'x' }] },
      ['/conditions/0/name'],
    ],
    [
      'EVENT_PARAMETER',
      { signature: 'F(string indexed a)', conditions: [{ name: 'a', operator: 'in', value: ['x'] }] },
      [],
    ],
    [
      'EVENT_PARAMETER',
      {
        signature: 'F(string indexed a)',
        conditions: [{ name: 'a', operator: '==', value: 'x', ignoreCase: true }],
      },
      ['/conditions/0/name'],
    ],
    [
      'FUNCTION_PARAMETER',
      { signature: 'f(uint a)', conditions: [{ ...condition, ignoreCase: true }] },
      ['/conditions/0/value'],
    ],
    [
      'EVENT_PARAMETER',
      { signature: 'F(uint256[] indexed a)', conditions: [{ name: 'a', operator: 'contains', value: 1 }] },
      ['/conditions/0/name'],
    ],
    ['VIEW_FUNCTION', { signature: 'limit()' }, []],
    ['VIEW_FUNCTION', { signature: 'other()' }, ['/signature']],
    ['VIEW_FUNCTION', { signature: 'limit()(uint256)', params: [1] }, ['/params']],
    ['VIEW_FUNCTION', { signature: 'limit(address)(uint256)', params: ['0x1'] }, ['/params']],
    ['VIEW_FUNCTION', { signature: 'limit()', result: 'x' }, ['/result']],
    ['VIEW_FUNCTION', { signature: 'paused()(bool)', condition: '> 1' }, ['/condition']],
    ['VIEW_FUNCTION', { signature: 'paused()(bool)', equals: 5 }, ['/equals']],
    ['VIEW_FUNCTION', { signature: 'limit()', equals: 5, condition: '= 5' }, ['/equals']],
  ])('of %s are checked against the signature and the ABI: %o', (type, params, pointers) => {
    const definition = triggers.get(type)!;
    const checked = withDefaults(definition.params, params);
    expect(checked).toHaveProperty('value');
    const faults = 'value' in checked ? definition.check!(checked.value, abi, 'evm') : [];
    expect(faults.map(({ pointer }) => pointer)).toEqual(pointers);
  });
});
