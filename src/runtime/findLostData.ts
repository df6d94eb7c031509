import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config/loadConfig.ts';

/** A warning of the data that is lost when the container is removed; undefined where all is kept elsewhere. */
export function findLostData({ dataDir, databaseUrl, masterKey, masterKeyFile }: Config): string | undefined {
  const isKeyHere = masterKey === undefined && masterKeyFile === join(dataDir, 'master.key');
  const lost = [...(databaseUrl ? [] : ['the database']), ...(isKeyHere ? ['the master key'] : [])];
  if (lost.length === 0 || !isInContainer(dataDir, readMounts())) return undefined;
  return `The data folder ${dataDir} lies in the container, and ${lost.join(' and ')} will go with it: mount a volume there.`;
}

/** True if a folder lies in the file layer that ends with a container, by the mounts as Linux lists them. */
export function isInContainer(folder: string, mounts: string): boolean {
  const list = mounts.split('\n').flatMap((line) => {
    const [, point, type] = /^(?:\S+ ){4}(\S+) .* - (\S+) /.exec(line) ?? [];
    return point === undefined ? [] : [{ point: decode(point), type }];
  });
  const isBelow = ({ point }: { point: string }) =>
    point === '/' || folder === point || folder.startsWith(`${point}/`);
  // A later mount covers an earlier one of the same folder.
  const nearest = list
    .filter(isBelow)
    .reduce((best, mount) => (mount.point.length >= best.point.length ? mount : best), {
      point: '',
      type: '',
    });
  return nearest.point === '/' && nearest.type === 'overlay';
}

/** Linux writes spaces and the like as three octal digits. */
function decode(point: string): string {
  return point.replaceAll(/\\(\d{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function readMounts(): string {
  const file = '/proc/self/mountinfo';
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
