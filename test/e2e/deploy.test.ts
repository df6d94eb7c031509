import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/api/http/createMetrics.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8');
const { version }: { version: string } = JSON.parse(read('package.json'));
const secrets = ['database', 'masterKey', 'adminToken'];

const chain = { chainUid: 'anvil', lag: 1, isFollowed: true };

describe('what deploy/ has', () => {
  it('installs the version that is here', () => {
    const chart = read('deploy', 'helm', 'vigil', 'Chart.yaml');
    expect(chart).toContain(`\nversion: ${version}\n`);
    expect(chart).toContain(`\nappVersion: ${version}\n`);
    const named = read('docs', 'how-to', 'install.md').match(/vigil-\d[\w.-]*\.tgz/g);
    expect(new Set(named)).toEqual(new Set([`vigil-${version}.tgz`]));
  });

  it('assembles the image by the script that the test of the package runs, and needs no root', () => {
    const dockerfile = read('deploy', 'Dockerfile');
    expect(dockerfile).toContain('deploy/assemble.sh /vigil-*.tgz package-lock.json /opt/vigil');
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
  });

  const render = (names: readonly string[], ...more: string[]) =>
    spawnSync(
      'helm',
      [
        'template',
        'vigil',
        join(root, 'deploy', 'helm', 'vigil'),
        // A helm that was built by hand assumes an older one.
        '--kube-version',
        '1.29.0',
        ...more.flatMap((setting) => ['--set', setting]),
        ...names.flatMap((name) => ['--set', `${name}.secretName=${name}`]),
      ],
      { encoding: 'utf8' },
    );
  const hasHelm = spawnSync('helm', ['version']).status === 0;

  it.each([
    [[], 'kubectl create secret generic vigil-database'],
    [['database'], 'openssl rand -base64 32'],
    [['database', 'masterKey'], 'kubectl create secret generic vigil-admin-token'],
  ])('does not render a chart that has only the secrets %j, and says how to make the next', (names, said) => {
    const helpers = read('deploy', 'helm', 'vigil', 'templates', '_helpers.tpl');
    expect(helpers).toContain(said);
    if (!hasHelm) return console.log('helm is not installed: the chart is not rendered');
    const { status, stderr } = render(names);
    expect(status).toBe(1);
    expect(stderr).toContain(said);
  });

  it('renders a chart with two kinds of process, and everything that is optional', ({ skip }) => {
    skip(!hasHelm, 'helm is not installed');
    const { status, stdout, stderr } = render(
      secrets,
      'metrics.serviceMonitor=true',
      'ingress.enabled=true',
      'ingress.host=a.example.com',
      'settings.VIGIL_RATE_LIMIT=50',
      'secretSettings.VIGIL_RPC_ETHEREUM.secretName=nodes',
      'secretSettings.VIGIL_RPC_ETHEREUM.secretKey=ethereum',
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const kinds = Array.from(stdout.matchAll(/^kind: (\w+)$/gm), ([, kind]) => kind);
    const pairs = ['Deployment', 'PodDisruptionBudget', 'Service'];
    const wanted = [...pairs, ...pairs, 'Ingress', 'Job', 'NetworkPolicy', 'ServiceMonitor'];
    expect(kinds).toEqual(expect.arrayContaining(wanted));
    expect(kinds).toHaveLength(wanted.length);
    expect(stdout).toContain('value: "watch,work"');
    expect(stdout).toContain('value: "50"');
    expect(render(secrets, 'settings.VIGIL_moon=1').status).toBe(1);
  });

  it('shows and alarms on metrics that Vigil has', async () => {
    const backlog = {
      queues: [{ queue: 'deliveries', count: 1, since: 0 }],
      chains: [chain],
      unwritten: [{ worker: 1, tenants: 2, bytes: 3 }],
    };
    const metrics = createMetrics(
      () => ({ total: 1, idle: 1, waiting: 0 }),
      () => [5],
      async () => backlog,
      async () => ({
        isOk: true,
        since: 0,
        checkedAt: 0,
        faults: [],
        addresses: 1,
        sentAt: 0,
        sendFault: null,
      }),
    );
    metrics.observeRequest('GET', '/healthz', 200, 0.1);
    const known = (await metrics.read()).text;
    for (const file of ['vigil.json', 'alerts.yaml'])
      for (const [name] of read('deploy', 'grafana', file).matchAll(/\b(vigil|nodejs|process)_\w+/g))
        expect(known).toMatch(new RegExp(`^${name}[ {]`, 'm'));
    const rules = spawnSync('promtool', ['check', 'rules', join(root, 'deploy', 'grafana', 'alerts.yaml')]);
    if (rules.error) console.log('promtool is not installed: the rules are not checked by it');
    else expect([rules.status, String(rules.stderr)]).toEqual([0, '']);
  });

  it('has notes for a release, out of the changelog', () => {
    const notes = (wanted: string) =>
      execFileSync(process.execPath, ['scripts/releaseNotes.mjs', wanted], { cwd: root, encoding: 'utf8' });
    expect(notes(version)).toMatch(/^### /);
    expect(notes(version)).not.toMatch(/^## /m);
    expect(() => notes('0.0.0')).toThrow(/has no part on "0\.0\.0"/);
  });
});
