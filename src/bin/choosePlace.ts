import { join } from 'node:path';
import { type Config, loadConfig } from '../runtime/config/loadConfig.ts';
import { placeOf } from '../runtime/database.ts';
import { canonicalPlace, findRunning, type Running } from '../runtime/runFile.ts';

/**
 * The settings of a command: those of the environment, and where they name no database, that of the Vigil that runs here. A command
 * that changes or attests something says which one it works on.
 */
export async function choosePlace({ isNamed }: { isNamed: boolean }): Promise<Config> {
  const config = loadConfig();
  const running = await findRunning(config.runDir);
  const here = running.find(({ place: location }) => location === canonicalPlace(config));
  const used = config.isPlaced ? here : theOnly(running);
  const chosen = used ? adopt(config, used) : config;
  if (isNamed || (used && !config.isPlaced))
    print(`Working on ${placeOf(chosen)}${used ? `, where Vigil runs (process ${used.pid})` : ''}.`);
  for (const { pid, place: location } of used ? [] : running)
    print(`Note: the Vigil that runs here (process ${pid}) works on another place: ${location}.`);
  return chosen;
}

function theOnly(running: readonly Running[]): Running | undefined {
  if (running.length < 2) return running[0];
  const list = running.map(({ pid, place: location }) => `process ${pid} on ${location}`).join('; ');
  throw new Error(`Several Vigils run here: ${list}. Set VIGIL_DATA_DIR or DATABASE_URL to that of one.`);
}

/** Settings that the environment lacks are those of the running Vigil. */
function adopt(config: Config, { pid, place: location, dataDir, masterKeyFile }: Running): Config {
  if (!config.isPlaced && dataDir === undefined)
    throw new Error(
      `The Vigil that runs here (process ${pid}) works on ${location}; set DATABASE_URL here as it has it.`,
    );
  const isKeyNamed = config.masterKey || config.masterKeyFile !== join(config.dataDir, 'master.key');
  const folder = config.isPlaced ? config.dataDir : (dataDir ?? config.dataDir);
  const keyFile = isKeyNamed ? config.masterKeyFile : (masterKeyFile ?? join(folder, 'master.key'));
  return { ...config, dataDir: folder, masterKeyFile: keyFile };
}

function print(line: string): void {
  process.stderr.write(`${line}\n`);
}
