import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

type Wrapper = (
  exports: unknown,
  require: NodeJS.Require,
  module: NodeJS.Module,
  file: string,
  folder: string,
) => void;

const scripts = new Map<string, Script>();

/** Runs the bundled command line from the code that V8 made of its files before, where that was kept: a third less for a start. */
export function loadCached(url: URL): void {
  setNavigator();
  const main = fileURLToPath(url);
  const folder = dirname(main);
  const require = createRequire(url);
  const load = require.extensions['.js'];
  require.extensions['.cjs'] = (module, file) => {
    if (dirname(file) === folder) run(module, file, folder);
    else load(module, file);
  };
  require(main);
}

/** Keeps the code of what was loaded, with the functions that have run. */
export function writeCaches(): void {
  for (const [file, script] of scripts) {
    // Renamed, because another process may start meanwhile.
    const draft = `${cacheOf(file)}.${process.pid}`;
    writeFileSync(draft, script.createCachedData());
    renameSync(draft, cacheOf(file));
  }
}

function run(module: NodeJS.Module, file: string, folder: string): void {
  const cache = cacheOf(file);
  const text = readFileSync(file, 'utf8');
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    filename: file,
    ...(existsSync(cache) ? { cachedData: readFileSync(cache) } : {}),
  });
  scripts.set(file, script);
  const wrapper: Wrapper = script.runInThisContext();
  wrapper(module.exports, createRequire(file), module, file, folder);
}

/**
 * Code fits one version of V8 and its flags. Beyond these V8 compares only the text's length, so no file may change
 * beside its cache: a build begins with an empty folder.
 */
function cacheOf(file: string): string {
  return `${file}.${cachedDataVersionTag().toString(16)}.cache`;
}

/** As later versions of Node have it. Without it pg asks `Response` where it runs, and Node loads all of `fetch` for the answer. */
function setNavigator(): void {
  if (!('navigator' in globalThis))
    Object.assign(globalThis, { navigator: { userAgent: `Node.js/${process.versions.node.split('.')[0]}` } });
}
