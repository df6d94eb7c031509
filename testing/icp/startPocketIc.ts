import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cbor } from '@icp-sdk/core/agent';
import { Principal } from '@icp-sdk/core/principal';
import { bytesToHex } from '@noble/hashes/utils.js';
import { until } from '../until.ts';

const subnet = {
  state_config: 'New',
  instruction_config: 'Production',
  dts_flag: 'Enabled',
  cost_schedule: 'Normal',
};

/** A real network of one machine, with the ledger of ICP at its usual place; `program` is the binary of the PocketIC server. */
export async function startPocketIc(program: string) {
  const folder = await mkdtemp(join(tmpdir(), 'vigil-pocket-ic-'));
  const portFile = join(folder, 'port');
  const server = spawn(program, ['--port-file', portFile, '--ttl', '600'], { stdio: 'ignore' });
  const ended = once(server, 'exit');
  const stop = async (): Promise<void> => {
    server.kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const port = await until(async () => {
      if (server.exitCode !== null) throw new Error(`${program} ended with ${server.exitCode}.`);
      return Number(await readFile(portFile, 'utf8').catch(() => '')) || undefined;
    });
    const origin = `http://127.0.0.1:${port}`;
    const made = await post(`${origin}/instances`, {
      subnet_config_set: {
        nns: subnet,
        sns: null,
        ii: null,
        fiduciary: null,
        bitcoin: null,
        system: [],
        // Canisters are made there, so that certificates come with the delegation of a subnet, as on the main network.
        application: [subnet],
        cloud_engine: [],
        verified_application: [],
      },
      icp_features: { icp_token: 'DefaultConfig' },
    });
    const url = `${origin}/instances/${made.Created.instance_id}`;
    await post(`${url}/auto_progress`, { artificial_delay_ms: 0 });
    const status = await fetch(`${url}/api/v2/status`);
    const { root_key: rootKey } = Cbor.decode<{ root_key: Uint8Array }>(
      new Uint8Array(await status.arrayBuffer()),
    );
    const { canister_id: home } = made.Created.topology.default_effective_canister_id;
    return {
      url,
      rootKey: bytesToHex(rootKey),
      home: Principal.fromUint8Array(Uint8Array.from(Buffer.from(home, 'base64'))).toText(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Created = {
  instance_id: number;
  topology: { default_effective_canister_id: { canister_id: string } };
};

async function post(url: string, body: unknown): Promise<{ Created: Created }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`PocketIC answered ${answer.status}: ${text}`);
  return JSON.parse(text || '{}');
}
