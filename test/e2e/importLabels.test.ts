import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspace, type Vigil } from '../../testing/createWorkspace.ts';

describe('vigil import labels', () => {
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let vigil: Vigil;
  beforeAll(async () => {
    workspace = await createWorkspace();
    vigil = await workspace.serve(workspace.folder('data'));
  });
  afterAll(async () => {
    await vigil.stop();
    await workspace.remove();
  });

  const run = (...args: string[]) => workspace.run(['import', 'labels', ...args], vigil.dataDir);
  const fileOf = async (name: string, text: string | Uint8Array) => {
    const file = workspace.folder(name);
    await writeFile(file, text);
    return file;
  };
  const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`;

  it('imports for the whole platform beside a Vigil that runs, and reports the result', async () => {
    const lines = Array.from({ length: 12_000 }, (_, n) => `${addressOf(n + 1)},"Name, ${n}"`);
    const file = await fileOf('good.csv', `address,name\n${lines.join('\n')}\n`);
    const options = ['--tags', 'mixer,own', '--source', 'file', '--chain', 'base'];
    expect(await run(file, ...options)).toMatchObject({
      code: 0,
      stdout: '12000 created, 0 updated, 0 unchanged, 0 with faults.\n',
    });
    expect(await run(file, ...options)).toMatchObject({
      code: 0,
      stdout: '0 created, 0 updated, 12000 unchanged, 0 with faults.\n',
    });
    const where = `address = '${addressOf(12_000)}'`;
    const { data } = await vigil.post('/label/search', { body: { where } });
    expect(data).toMatchObject([
      { tenantId: null, chainUid: 'base', name: 'Name, 11999', tags: ['MIXER', 'OWN'], source: 'file' },
    ]);
    const { data: entries } = await vigil.get('/audit', { query: { kind: 'label', size: 1 } });
    expect(entries).toMatchObject([{ action: 'label.import', actor: { tokenKind: 'COMMAND_LINE' } }]);
  });

  it('refuses a file with faults as a whole, or takes its good lines when asked to', async () => {
    const file = await fileOf('faulty.csv', `address\n${addressOf(50_000)}\nnonsense\n`);
    const refused = await run(file);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/\nLine 3: address: .*\n1 line has a fault, so nothing was imported\.\n$/);
    const partial = await run(file, '--partial');
    expect(partial).toMatchObject({ code: 1, stdout: '1 created, 0 updated, 0 unchanged, 1 with faults.\n' });
    expect(partial.stderr).toMatch(/\nLine 3: address: /);
    const twice = await run(await fileOf('header.csv', `address,colour\n${addressOf(1)},red\n`));
    const [place, ...told] = twice.stderr.trimEnd().split('\n');
    expect(place).toMatch(/^Working on /);
    expect(told).toEqual([expect.stringMatching(/^(?!\/csv).*colour/)]);
  });

  it.each([
    [[], 'Usage: vigil import labels <file> [options].\n'],
    [['../'], '/ is a folder; name a file in it.\n'],
    [['missing.csv'], 'There is no file missing.csv.\n'],
    [['good.csv', '--chain', 'mars'], 'There is no chain mars.\n'],
    [['good.csv', '--tenant', 'mine'], '--tenant takes a whole number above 0.\n'],
    [['good.csv', '--tenant', '999'], 'There is no tenant 999.\n'],
    [['latin.csv'], 'is not UTF-8 text.\n'],
  ])('vigil import labels with %j is refused with a sentence that helps', async (args, words) => {
    await fileOf('latin.csv', Buffer.from('address,name\n0x1,caf\u00e9\n', 'latin1'));
    const [file, ...options] = args;
    const known = file === undefined || file.startsWith('missing') ? file : workspace.folder(file);
    const { code, stderr } = await run(...(known === undefined ? [] : [known]), ...options);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  it('imports a sanctions list, first without changing anything', async () => {
    const file = await fileOf('list.json', JSON.stringify([addressOf(60_000), addressOf(60_001)]));
    const sanctions = (...args: string[]) => workspace.run(['import', 'sanctions', ...args], vigil.dataDir);
    const list = 'addresses (JSON), source Sanctioned addresses:';
    expect(await sanctions(file, '--dry-run')).toMatchObject({
      code: 0,
      stdout: `${list} 2 created, 0 updated, 0 unchanged, 0 removed, 0 with faults. Nothing was changed (dry run).\n`,
    });
    expect(await sanctions(file)).toMatchObject({
      code: 0,
      stdout: `${list} 2 created, 0 updated, 0 unchanged, 0 removed, 0 with faults.\n`,
    });
    const broken = await fileOf('list.xml', '<sdnList>\n<sdnEntry>');
    const refused = await sanctions(broken);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'Line 2: the text ends in the middle; it is not whole.\n',
    ]);
  });
});
