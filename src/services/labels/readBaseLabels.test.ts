import { readFile } from 'node:fs/promises';
import * as Address from 'ox/Address';
import { expect, it } from 'vitest';
import { codeFile } from '../../lib/codeFile.ts';
import { readBaseLabels } from './readBaseLabels.ts';

it('the list that ships is dated, every address has its checksum and one label a chain, and says where it comes from', async () => {
  const text = await readFile(codeFile('services/labels/data/baseLabels.csv'), 'utf8');
  expect(text).toMatch(/^# Base labels of Vigil, \d{4}-\d\d-\d\d\./);
  const labels = await readBaseLabels(text);
  expect(labels.length).toBeGreaterThan(500);
  expect(new Set(labels.map(({ chainUid, address }) => `${chainUid} ${address}`)).size).toBe(labels.length);
  for (const { name, note, source } of labels) {
    expect(name).toBeTruthy();
    expect(note).toMatch(/^From \S+ \(\S+\), \d{4}-\d\d-\d\d\.$/);
    expect(source).toBe('Vigil');
  }
  // What is only well known suspects no one; mixers do.
  expect(new Set(labels.filter(({ score }) => score > 0).flatMap(({ tags }) => tags))).toEqual(
    new Set(['MIXER']),
  );
  const listed = text.split('\n').flatMap((line) => /^0x\w+/.exec(line) ?? []);
  expect(listed).toEqual(listed.map((address) => Address.checksum(address as Address.Address)));
});

it.each([
  ['address,origin\n0xdAC17F958D2ee523a2206206994597C13D831eC7,here\n', 'address'],
  ['address,origin\n0xdAC17F958D2ee523a2206206994597C13D831ec7,elsewhere\n', 'no such origin.'],
])('a list with a fault is not published at all: %j', async (text, words) => {
  await expect(readBaseLabels(`# here = a place\n${text}`)).rejects.toThrow(words);
});
