// Asks for /healthz every 10 ms from a thread of its own, which no attack that the test runs can hold up.
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { url, pid } = workerData;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const tickMs = 10;
let worst = { blockMs: 0, latencyMs: 0, samples: 0 };

parentPort.on('message', () => {
  parentPort.postMessage(worst, []);
  worst = { blockMs: 0, latencyMs: 0, samples: 0 };
});

for (;;) {
  const cpuBefore = threadCpuMs();
  const startedAt = performance.now();
  const isAnswered = await ask();
  const latencyMs = performance.now() - startedAt;
  // What the server's own thread did not work in that time, it waited for a core: another program's doing, not a block.
  const blockMs = Math.min(latencyMs, threadCpuMs() - cpuBefore + tickMs);
  if (isAnswered) {
    worst.blockMs = Math.max(worst.blockMs, blockMs);
    worst.latencyMs = Math.max(worst.latencyMs, latencyMs);
    worst.samples += 1;
  }
  await sleep(10);
}

function ask() {
  return new Promise((resolve) => {
    get(`${url}/healthz`, { agent }, (response) => {
      response.resume().on('end', () => resolve(true));
    }).on('error', () => resolve(false));
  });
}

/** Processor time of the thread that runs the server's event loop, whose id is that of the process. */
function threadCpuMs() {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
