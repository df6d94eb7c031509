import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSource } from '../../testing/addSource.ts';
import { postgresProcesses } from '../../testing/bundledPostgres.ts';
import { createWorkspace } from '../../testing/createWorkspace.ts';
import { until } from '../../testing/until.ts';

describe('stopping', () => {
  let workspace: Awaited<ReturnType<typeof createWorkspace>>;
  let dataDir: string;
  beforeAll(async () => {
    workspace = await createWorkspace({ isBundled: true });
    dataDir = workspace.folder('data');
  });
  afterAll(() => workspace.remove());

  it('takes one Ctrl-C that comes twice, from the terminal and from npm, for one', async () => {
    const vigil = await workspace.serve(dataDir);
    process.kill(vigil.pid, 'SIGINT');
    expect((await vigil.stop('SIGINT')).code).toBe(0);
    expect(await postgresProcesses(dataDir)).toEqual([]);
  });

  it('ends with `npm start` when only npm gets the signal', async () => {
    const npm = spawn('npm', ['start', '--silent'], {
      cwd: join(import.meta.dirname, '..', '..'),
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        VIGIL_DATA_DIR: dataDir,
        VIGIL_RUN_DIR: workspace.folder('run'),
        VIGIL_PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(npm, 'close');
    let stdout = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    await until(() => stdout.includes('Vigil listens on'));
    expect(await postgresProcesses(dataDir)).not.toEqual([]);
    npm.kill('SIGTERM');
    await ended;
    await until(async () => (await postgresProcesses(dataDir)).length === 0);
  });

  it('ends within 20 s, with a sentence, although its database hangs', async () => {
    const vigil = await workspace.serve(dataDir, { VIGIL_LOG_FORMAT: 'text' });
    const pids = await postgresProcesses(dataDir);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const { code, stderr } = await vigil.stop();
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^\d\d:\d\d:\d\d Signal received; .* \(signal: SIGTERM\)$/m);
    expect(stderr).toContain('Vigil did not stop within 20 s, so it ends at once.\n');
    const next = await workspace.serve(dataDir);
    expect((await next.stop()).code).toBe(0);
    expect(await postgresProcesses(dataDir)).toEqual([]);
  });

  it('does not wait for a reader of the live stream who has stopped reading', async () => {
    const vigil = await workspace.serve(dataDir);
    const tenant = await vigil.post('/tenant', { body: { name: 'Acme' } });
    const { detectorId } = await addSource(vigil, tenant.id);
    const { hostname, port } = new URL(vigil.url);
    const client = connect(Number(port), hostname).pause();
    client.on('error', () => {});
    await once(client, 'connect');
    client.write(
      `GET /api/v1/alert/stream HTTP/1.1\r\nHost: vigil\r\nAuthorization: Bearer ${vigil.token}\r\n\r\n`,
    );
    await sleep(500);
    // More than the buffers between the two can hold.
    for (let n = 0; n < 15; n++) {
      const alerts = Array.from({ length: 40 }, (_, k) => ({
        eid: `e-${n}-${k}`,
        message: 'Something happened.',
        meta: { text: 'x'.repeat(20_000) },
      }));
      await vigil.post('/detector/{id}/alert', { path: { id: detectorId }, body: { alerts } });
    }
    await sleep(1000);
    const begun = performance.now();
    expect((await vigil.stop()).code).toBe(0);
    // Whether the reader was cut off before, for what it left unread, or is cut off now.
    expect(performance.now() - begun).toBeLessThan(60_000);
    client.destroy();
  });
});
