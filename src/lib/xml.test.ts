import { describe, expect, it } from 'vitest';
import { readXml, type XmlElement } from './xml.ts';

async function read(text: string, wanted: readonly string[], size = text.length): Promise<XmlElement[]> {
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
    text.slice(n * size, (n + 1) * size),
  );
  const found: XmlElement[] = [];
  let root = '';
  const elements = readXml(
    pieces,
    (name) => wanted.includes(name),
    ({ name }) => {
      root = name;
    },
  );
  for await (const group of elements) found.push(...group);
  expect(root).toBe('list');
  return found;
}

const text = `\ufeff<?xml version="1.0" encoding="utf-8"?>
<!-- a comment with <entry> in it -->
<x:list xmlns:x='urn:x'>
  <other><entry n="1"/></other>
  <x:entry n="2" note="a &quot;b&quot; > c">
    <name>Smith &amp; Sons &#233;&#xE9;</name><![CDATA[<raw>&amp;]]>
  </x:entry>
  <skipped>text<deep/></skipped>
</x:list>
`;

describe('readXml', () => {
  it.each([1, 2, 3, 7, 64, text.length])('reads the same in pieces of %i characters', async (size) => {
    const [first, second, ...more] = await read(text, ['entry'], size);
    expect(more).toEqual([]);
    expect(first).toEqual({ name: 'entry', line: 4, attributes: { n: '1' }, children: [], text: '' });
    expect(second).toMatchObject({ line: 5, attributes: { n: '2', note: 'a "b" > c' } });
    expect(second?.text.trim()).toBe('<raw>&amp;');
    expect(second?.children).toMatchObject([{ name: 'name', line: 6, text: 'Smith & Sons éé' }]);
  });

  it.each([
    ['<list>\n<entry>\n</list>', 'Line 3: not well-formed XML: Unexpected close tag.'],
    ['<list><entry/>', 'the text ends in the middle; it is not whole.'],
    ['<list><entry', 'the text ends in the middle; it is not whole.'],
    ['<list/><list/>', 'a second element follows the first one.'],
    ['<list>\n<entry n=1/></list>', 'Line 2: not well-formed XML: Unquoted attribute value.'],
    ['<list><entry>&nbsp;</entry></list>', 'Invalid character entity.'],
    ['<list><entry>a & b</entry></list>', 'Invalid character in entity name.'],
    ['<!DOCTYPE list [<!ENTITY a "b">]><list/>', 'a document type or entity is not accepted.'],
    [`<list>${'<entry>'.repeat(100)}`, 'elements are nested deeper than 64 levels.'],
    [
      `<list>\n<entry ${'a="" '.repeat(20_000)}/></list>`,
      'Line 2: an element has more than 64 KiB of attributes.',
    ],
    [
      `<list>\n<entry ${Array.from({ length: 65 }, (_, n) => `a${n}=""`).join(' ')}/></list>`,
      'Line 2: an element has more than 64 attributes.',
    ],
    [
      `<list><entry>${`<a b="${'x'.repeat(1000)}"/>`.repeat(1100)}</entry></list>`,
      'one entry has more than 1 MiB of text and attributes.',
    ],
    [`<list><entry>${'<a/>'.repeat(50_001)}</entry></list>`, 'one entry has more than 50000 elements.'],
    ['  ', 'there is no element in the text.'],
    ['</list>', 'Unmatched closing tag: list.'],
  ])('refuses %j and names the line', async (bad, words) => {
    const reading = async () => {
      for await (const _ of readXml(
        [bad],
        () => true,
        () => {},
      ));
    };
    await expect(reading()).rejects.toThrow(words);
    await expect(reading()).rejects.toThrow(/^Line \d+: /);
  });
});
