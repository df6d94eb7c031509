// Part of `npm run check`: keeps quaint words out of identifiers, comments, texts, documents and test names, and the measures
// of `measureLanguage.mjs` below their limits.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureLanguage } from './measureLanguage.mjs';

/** What not to write (a word or a phrase, in lower case) and what to write instead. */
const replacements = {
  afresh: 'again',
  amid: 'during, within',
  anew: 'again',
  begun: 'started',
  'came about': 'happened',
  'come about': 'happen',
  'comes about': 'happens',
  forthwith: 'at once',
  heard: 'received, notified',
  henceforth: 'from now on',
  hitherto: 'so far',
  lest: 'otherwise',
  lookout: 'loop, watcher',
  ought: 'must, should',
  sight: 'block context, view',
  'so that it is told': 'to notify',
  tend: 'purge, maintain',
  thereby: 'so',
  therein: 'in it',
  thereof: 'of it',
  thus: 'so',
  told: 'reported, notified',
  'was begun': 'started',
  whatsoever: 'any',
  whereupon: 'then',
  whilst: 'while',
  whoever: 'who, anyone who',
};

/** Members of stored detector states, which keep their names, and the list of common passwords' words. */
const exempt = new Set(
  ['detectors/dnsMonitor', 'detectors/mixerFunding', 'detectors/oracleStaleness', 'lib/commonWords'].map(
    (name) => join('src', `${name}.ts`),
  ),
);

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const phrases = Object.keys(replacements).map((phrase) => ({
  phrase,
  pattern: new RegExp(`\\b${phrase}\\b`),
}));
const folders = ['src', 'docs', 'test', 'testing', 'bench', 'demo', 'scripts', 'sdk', 'web'];
const rootFiles = readdirSync(root).filter((file) => /\.(md|cjs)$/.test(file));
const testName = /\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`].*)/;

const words = [...rootFiles, ...folders.flatMap(filesIn)].flatMap(check);
const sentences = measureLanguage()
  .filter(({ limit, findings }) => findings.length > limit)
  .flatMap(({ name, limit, findings }) => [`${findings.length} ${name}, at most ${limit}:`, ...findings]);
const faults = [...words, ...sentences];
process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
process.exit(faults.length > 0 ? 1 : 0);

function check(file) {
  const isTest = file.endsWith('.test.ts');
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const text = toWords(isTest ? (testName.exec(line)?.[1] ?? '') : line);
      return phrases
        .filter(({ pattern }) => pattern.test(text))
        .map(({ phrase }) => `${file}:${index + 1} says "${phrase}"; write: ${replacements[phrase]}`);
    });
}

/** Identifiers as their words: `toldOf` as `told of`. */
function toWords(line) {
  return line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

/** This file names the words; released migrations never change. */
function filesIn(folder) {
  if (!statSync(join(root, folder), { throwIfNoEntry: false })) return [];
  return readdirSync(join(root, folder), { recursive: true })
    .filter((file) => /\.(ts|mjs|tsx|md|html)$/.test(file) && !/node_modules|^(dist|vectors)/.test(file))
    .map((file) => join(folder, file))
    .filter((file) => file !== join('scripts', 'checkLanguage.mjs') && !exempt.has(file));
}
