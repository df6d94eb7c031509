import { expect, it } from 'vitest';
import { withDefaults } from '../model/validate.ts';
import { triggerGuides } from './triggerGuides.ts';
import { triggers } from './triggers.ts';

it('every kind of trigger has a title and examples that can be saved', () => {
  expect(Object.keys(triggerGuides).sort()).toEqual([...triggers.keys()].sort());
  for (const { type, params, check } of triggers.values()) {
    const { title, examples } = triggerGuides[type];
    expect(title).not.toBe('');
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const checked = withDefaults(params, example.params, type);
      expect('faults' in checked ? checked.faults : []).toEqual([]);
      if ('value' in checked) expect(check?.(checked.value, [], 'evm') ?? []).toEqual([]);
    }
  }
});
