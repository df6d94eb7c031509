import { describe, expect, it } from 'vitest';
import { fillTemplate, maxFilled, templateFields, templateMembersOf } from './template.ts';

const fields = {
  token: 'DAI',
  amount: 123456789012345678901234567890n,
  ratio: 0.25,
  isNew: false,
  note: null,
  missing: undefined,
  from: { address: '0xab', label: { name: 'Mixer' } },
  tags: ['MIXER', 'SCAM'],
  steps: [{ depth: 1n }, [2, 3]],
  at: new Date(0),
  'block-number': 7,
};

describe('a filled template', () => {
  it.each([
    ['{amount} {token} left {from.address}', '123456789012345678901234567890 DAI left 0xab'],
    ['{from.label.name}: {ratio}, {isNew}, {note}', 'Mixer: 0.25, false, null'],
    ['{tags}', 'MIXER, SCAM'],
    ['{tags.1}', 'SCAM'],
    ['{from}', 'address: 0xab, label: {name: Mixer}'],
    ['{steps}', '{depth: 1}, [2, 3]'],
    ['{at} {block-number}', '1970-01-01T00:00:00.000Z 7'],
    // What is not there stays visible.
    ['{nope} {from.nope} {token.nope} {missing}', '{nope} {from.nope} {token.nope} {missing}'],
    [
      '{constructor} {__proto__} {tags.length.x} {from.toString}',
      '{constructor} {__proto__} {tags.length.x} {from.toString}',
    ],
    // Braces that are no field.
    ['{{token}} {{{token}}}', '{token} {DAI}'],
    ['{', '{'],
    ['{}', '{}'],
    ['{token', '{token'],
    ['token}', 'token}'],
    ['{ token }', '{ token }'],
    ['{to{token}', '{toDAI'],
    ['', ''],
  ])('a filled template of %j is %j', (text, filled) => {
    expect(fillTemplate(text, fields)).toBe(filled);
  });

  it('never fills what a value brought in', () => {
    expect(fillTemplate('{a}{b}', { a: '{b}', b: 'x' })).toBe('{b}x');
  });

  it('ends for a value that contains itself', () => {
    const loop: { self?: unknown } = {};
    loop.self = loop;
    expect(fillTemplate('{loop}', { loop })).toContain('…');
  });

  it('takes time in proportion to its length', () => {
    for (const piece of ['{', '{a', '{a.', '}', '{{}']) {
      const started = process.cpuUsage();
      fillTemplate(piece.repeat(500_000), { a: 1 });
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
    }
  });

  it('is cut at a bounded length however often it repeats a large value', () => {
    const started = process.cpuUsage();
    const list = Array.from({ length: 20_000 }, () => 'x'.repeat(50));
    const filled = fillTemplate('{list}'.repeat(3_000), { list });
    expect(filled.length).toBeLessThanOrEqual(maxFilled);
    expect(filled.endsWith('…')).toBe(true);
    expect(fillTemplate('{list}{list}', { list: ['abc'] }, undefined, 4)).toBe('abc…');
    expect(fillTemplate('abcd', {}, undefined, 4)).toBe('abcd');
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
  });

  it('lists the names it uses, each once', () => {
    expect(templateFields('{b} {{c}} {a.x} {b} { d } {e')).toEqual(['b', 'a.x']);
  });

  it('writes a member with a format as it is shown, and as a plain value where nothing shows it', () => {
    const show = ({ name, format, argument }: { name: string; format?: string; argument?: string }) =>
      format === 'token' ? `<${name} of ${argument}>` : undefined;
    expect(fillTemplate('{amount | token from.address}, {amount|token}', fields, show)).toBe(
      '<amount of from.address>, <amount of undefined>',
    );
    expect(fillTemplate('{token | time} {nope | time} {amount |}', fields, show)).toBe(
      'DAI {nope | time} {amount |}',
    );
    expect(fillTemplate('{token | token}', fields)).toBe('{token | token}');
  });

  it('lists members with their formats', () => {
    expect(templateMembersOf('{a.b | token c.d} {e} {{f | g}}')).toEqual([
      { text: '{a.b | token c.d}', name: 'a.b', format: 'token', argument: 'c.d' },
      { text: '{e}', name: 'e' },
    ]);
  });
});
