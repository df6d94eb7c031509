// Keeps what V8 compiles of the command line, for starts with the settings of this process: all that is loaded, and what listing the
// endpoints runs, which builds the whole server as a start does.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { loadCached, writeCaches } from '../dist/bin/codeCache.js';

const bin = new URL('../dist/bin/', import.meta.url);
process.argv.splice(2, Number.POSITIVE_INFINITY, 'endpoints');
process.stdout.write = () => true;
process.on('exit', writeCaches);
loadCached(new URL('vigil.cjs', bin));
const require = createRequire(bin);
for (const file of readdirSync(bin).filter((name) => name.endsWith('.cjs'))) require(`./${file}`);
