import { describe, expect, it } from 'vitest';
import { evidenceReadings } from '../model/evidenceReadings.ts';
import { withDefaults } from '../model/validate.ts';
import { configSchema } from './configSchema.ts';
import { detectors } from './detectors.ts';

const common = ['severity', 'cooldown', 'desc', 'tags'];

describe.each([...detectors.values()])('$name', (definition) => {
  const { properties, required } = definition.config as unknown as {
    properties: Record<string, { description?: string; default?: unknown }>;
    required: string[];
  };

  it('has only members that are described and do not hide those of every detector', () => {
    for (const [name, member] of Object.entries(properties)) {
      expect(common).not.toContain(name);
      expect(member.description, name).toMatch(/\S.*[.…]$/);
    }
  });

  it('has defaults that fulfil its own schema', () => {
    const checked = withDefaults(configSchema(definition), {});
    const missing = 'faults' in checked ? checked.faults.filter(({ code }) => code !== 'required') : [];
    expect(missing).toEqual([]);
    for (const name of required) expect(properties[name]?.default, name).toBeUndefined();
  });

  it('says which of its evidence comes first, and names only what it has', () => {
    const { first, series = [] } = evidenceReadings[definition.name]!;
    expect(first.length).toBeGreaterThan(1);
    const all: readonly string[] = definition.fields;
    expect([...first, ...series].filter((name) => !all.includes(name))).toEqual([]);
  });

  it('says what it is in whole sentences', () => {
    expect(definition.description).toMatch(/^[A-Z].*\.$/);
    expect(definition.faq).toMatch(/^[A-Z].*\? .*\.$/);
    expect(definition.nextStep).toMatch(/^[A-Z].{20,220}\.$/);
    expect(definition.name).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/);
  });
});
