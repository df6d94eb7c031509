import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { createJsonIntake } from '../../lib/createJsonIntake.ts';
import { yieldToEventLoop } from '../../lib/eventLoop.ts';
import { answerKinds } from '../net/answerLimits.ts';
import { InvalidResponse } from '../net/replies.ts';
import { RpcFailure } from '../net/rpcFailure.ts';
import { decodeXdr } from './xdr.ts';

/** Shorter ones take a few milliseconds at most. */
const shortLength = 32_768;
const timeLimitMs = 10_000;
const pieceBytes = 65_536;

type Answer = { id: number; json?: Uint8Array; fault?: string };
type Job = { settle: (answer: Answer) => void; timer: NodeJS.Timeout };

const jobs = new Map<number, Job>();
let worker: Worker | undefined;
let nextId = 0;

/** As `decodeXdr`, in a thread of its own where it takes long: a ledger takes a quarter of a second and more. */
export async function decodeLongXdr(type: string, base64: string): Promise<unknown> {
  if (base64.length <= shortLength) return decodeXdr(type, base64);
  const { json, fault } = await decodeElsewhere(type, base64);
  if (!json) throw new InvalidResponse(`it sent no valid ${type}: ${fault}`);
  const intake = createJsonIntake({ ...answerKinds.large, maxDepth: answerKinds.trace.maxDepth });
  for (let index = 0; index < json.length; index += pieceBytes) {
    intake.write(
      Buffer.from(json.buffer, json.byteOffset + index, Math.min(pieceBytes, json.length - index)),
    );
    await yieldToEventLoop();
  }
  return intake.endInParts();
}

function decodeElsewhere(type: string, base64: string): Promise<Answer> {
  worker ??= start();
  const current = worker;
  const id = nextId++;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop(current);
      reject(new RpcFailure(`what it sent takes longer than ${timeLimitMs} ms to read`));
    }, timeLimitMs);
    jobs.set(id, { settle: resolve, timer });
    current.postMessage({ id, type, base64 }, []);
  });
}

function start(): Worker {
  const require = createRequire(import.meta.url);
  const wasm = '@stellar/stellar-xdr-json/stellar_xdr_json_bg.wasm';
  const started = new Worker(code, {
    eval: true,
    workerData: { library: require.resolve('@stellar/stellar-xdr-json'), wasm: require.resolve(wasm) },
    env: {},
    execArgv: [],
  });
  started.on('message', (answer: Answer) => finish(answer));
  started.on('error', () => stop(started));
  started.unref();
  return started;
}

/** The next ledger starts another one. */
function stop(current: Worker): void {
  if (worker !== current) return;
  worker = undefined;
  void current.terminate();
  for (const id of jobs.keys()) finish({ id, fault: 'its reading was ended' });
}

function finish(answer: Answer): void {
  const job = jobs.get(answer.id);
  if (!job) return;
  jobs.delete(answer.id);
  clearTimeout(job.timer);
  job.settle(answer);
}

const code = `
const { readFileSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { pathToFileURL } = require('node:url');
const library = import(pathToFileURL(workerData.library).href).then((loaded) => {
  loaded.initSync(readFileSync(workerData.wasm));
  return loaded;
});
parentPort.on('message', async ({ id, type, base64 }) => {
  try {
    const json = new TextEncoder().encode((await library).decode(type, base64));
    parentPort.postMessage({ id, json }, [json.buffer]);
  } catch (error) {
    parentPort.postMessage({ id, fault: String(error?.message ?? error) });
  }
});
`;
