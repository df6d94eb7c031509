import { readFileSync } from 'node:fs';
import { codeFile } from '../lib/codeFile.ts';

export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(codeFile('../package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown';
}
