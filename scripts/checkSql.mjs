// Part of `npm run check`: SQL in src/store and src/query has one alias per table and lines that fit a screen.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const maxColumns = 120;
// The row that a condition handed in from elsewhere (a scope, a compiled query) is about, whatever its table.
const conditionAlias = 't';
// A second row of the same table has a word instead of an alias.
const isAlias = (name) => name.length < 3;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const migrations = filesIn('src/store/migrations', '.sql').map(read).join('\n');
const tables = new Set(
  [...migrations.matchAll(/create table (?:if not exists )?"?(\w+)/g)].map(([, name]) => name),
);
const use = /\b(?:from|join|update|into|using)\s+"?(\w+)"?\s+(?:as\s+)?([a-z]\w*)\b/g;
const keywords = new Set(['as', 'do', 'on']);

const firstUses = new Map();
const faults = [];
for (const file of [...filesIn('src/store', '.ts'), ...filesIn('src/query', '.ts')]) {
  if (file.endsWith('.test.ts')) continue;
  for (const [index, line] of read(file).split('\n').entries()) checkLine(line, `${file}:${index + 1}`);
}
const numbers = new Map();
for (const file of filesIn('src/store/migrations', '.sql')) {
  const number = /(\d{4})_/.exec(file)?.[1];
  if (numbers.has(number))
    faults.push(`${file} has the number of ${numbers.get(number)}: take the next free one`);
  numbers.set(number, file);
}
process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
process.exit(faults.length > 0 ? 1 : 0);

function checkLine(line, place) {
  if (line.length > maxColumns && !cannotBreak(line))
    faults.push(`${place} has ${line.length} columns; ${maxColumns} fit a screen`);
  for (const [, table, alias] of line.matchAll(use)) {
    if (!tables.has(table) || !isAlias(alias) || keywords.has(alias) || alias === conditionAlias) continue;
    const first = firstUses.get(table) ?? { alias, place };
    firstUses.set(table, first);
    if (first.alias !== alias)
      faults.push(`${place} calls ${table} ${alias}, ${first.place} calls it ${first.alias}: use one alias`);
  }
}

/** Comments and regular expressions. */
function cannotBreak(line) {
  return /^\s*(\/\/|\/?\*|\/.*\/[a-z]*[,;]?$)/.test(line);
}

function filesIn(folder, ending) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((file) => file.endsWith(ending))
    .sort((a, b) => a.localeCompare(b))
    .map((file) => join(folder, file));
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}
