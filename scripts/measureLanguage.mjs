// Measures of the sentences in src, each with a limit that only falls: `npm run check:language` fails above it.
// `node scripts/measureLanguage.mjs` prints the measures, and with a name what they count.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bareQuestion = /^(what|whether|who|whom|whose|where|which|how|why|when)\b/i;
const hanging =
  /^(of|that|with|what|and|by|without|when|on|because|as|but|over|whose|in|under|beside|behind|at|for|about|after|who|whatever)\b/;
const testCall =
  /\b(?:it|test)(?:\.\w+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?)*\(\s*(?:'((?:\\.|[^'\\])*)'|`([^`]*)`)/g;
const exportedType = /^export (?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

/** The table of the ratchet: lower a limit when its count has fallen, and never raise it. */
const limits = {
  'comments that begin with What, Whether, Who, Where, Which, How, Why or When': 10,
  'comments of more than 35 words': 30,
  'parameters and locals called place or other': 0,
  'parameters and locals called at': 36,
  'exported types whose name means two things': 0,
  'tests whose name hangs on its describe': 0,
};

/** Every measure with its limit and its findings, as `file:line text`. */
export function measureLanguage() {
  const sources = filesIn('src').filter((file) => !file.endsWith('.test.ts'));
  const read = sources.map((file) => ({ file, ...split(readFileSync(join(root, file), 'utf8')) }));
  const comments = read.flatMap(({ file, comments: list }) => list.map((comment) => ({ file, ...comment })));
  const show = ({ file, line, text }) => `${file}:${line} ${text}`;
  const tests = ['src', 'test', 'testing', 'sdk', 'web']
    .flatMap(filesIn)
    .filter((file) => /\.test\.tsx?$/.test(file));
  const findings = [
    comments.filter(({ text }) => bareQuestion.test(text)).map(show),
    comments.filter(({ text }) => text.split(/\s+/).length > 35).map(show),
    read.flatMap(({ file, code }) => findAll(file, code, /(?<![.\w$])(?:place|other)\b(?!\??:|\()/g)),
    read.flatMap(({ file, code }) =>
      findAll(file, code, /\b(?:const|let) at\b|[(,]\s*at\??: (?:number|string|Block|Moment)/g),
    ),
    doubleTypes(read),
    tests.flatMap((file) => hangingNames(file)),
  ];
  return Object.entries(limits).map(([name, limit], index) => ({ name, limit, findings: findings[index] }));
}

function hangingNames(file) {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(testCall)]
    .filter(([, quoted, template]) => hanging.test(quoted ?? template))
    .map((match) => `${file}:${lineOf(text, match.index)} ${match[1] ?? match[2]}`);
}

function findAll(file, code, pattern) {
  return [...code.matchAll(pattern)].map((match) => `${file}:${lineOf(code, match.index)} ${match[0]}`);
}

function doubleTypes(read) {
  const filesOf = new Map();
  for (const { file, code } of read)
    for (const [, name] of code.matchAll(exportedType))
      filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
  return [...filesOf]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name}: ${[...files].join(', ')}`);
}

/** The comments of a source, lines of `//` as one, and its code with comments, texts and patterns blanked. */
function split(source) {
  const comments = [];
  let code = '';
  let last = '';
  const depths = [];
  const blank = (length) => {
    code += source.slice(code.length, code.length + length).replace(/[^\n]/g, ' ');
  };
  while (code.length < source.length) {
    const rest = source.slice(code.length, code.length + 2);
    const found = tokenAt(source, code.length, rest, last);
    if (found?.isComment) {
      addComment(comments, source, code.length, found.text);
      blank(found.text.length);
    } else if (found) {
      blank(found.text.length);
      if (found.text.endsWith('${')) depths.push(0);
      last = 'x';
    } else {
      const [letter] = rest;
      if (depths.length > 0 && letter === '{') depths[depths.length - 1]++;
      if (depths.length > 0 && letter === '}' && depths[depths.length - 1]-- === 0) {
        depths.pop();
        blank(1);
        const tail = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;
        tail.lastIndex = code.length;
        const [text = ''] = tail.exec(source) ?? [];
        blank(text.length);
        if (text.endsWith('${')) depths.push(0);
        last = 'x';
        continue;
      }
      code += letter;
      if (/\S/.test(letter)) last = letter;
    }
  }
  return { comments, code };
}

const tokens = [
  { isComment: true, starts: '/*', pattern: /\/\*[\s\S]*?\*\//y },
  { isComment: true, starts: '//', pattern: /\/\/[^\n]*/y },
  { starts: "'", pattern: /'(?:\\.|[^'\\\n])*'/y },
  { starts: '"', pattern: /"(?:\\.|[^"\\\n])*"/y },
  { starts: '`', pattern: /`(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y },
  {
    starts: '/',
    after: /^[(,=:[!&|?{};>+]?$/,
    pattern: /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y,
  },
];

function tokenAt(source, start, rest, last) {
  for (const { isComment, starts, after, pattern } of tokens) {
    if (!rest.startsWith(starts) || (after && !after.test(last))) continue;
    pattern.lastIndex = start;
    const text = pattern.exec(source)?.[0];
    if (text !== undefined) return { isComment, text };
  }
  return undefined;
}

function addComment(comments, source, start, raw) {
  const line = lineOf(source, start);
  const text = raw
    .replace(/^\/\*+|\*+\/$|^\/\//g, '')
    .split('\n')
    .map((part) => part.trim().replace(/^\* ?/, ''))
    .join(' ')
    .trim();
  const before = comments.at(-1);
  const isAlone = source.slice(source.lastIndexOf('\n', start - 1) + 1, start).trim() === '';
  if (raw.startsWith('//') && before?.isLine && isAlone && before.end === line - 1) {
    before.text += ` ${text}`;
    before.end = line;
  } else {
    comments.push({ line, end: line, text, isLine: raw.startsWith('//') });
  }
}

function lineOf(text, offset) {
  return text.slice(0, offset).split('\n').length;
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((file) => /\.tsx?$/.test(file) && !/node_modules|^dist/.test(file))
    .map((file) => join(folder, file));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = process.argv[2];
  for (const { name, limit, findings } of measureLanguage()) {
    console.log(`${findings.length} of at most ${limit}: ${name}`);
    if (wanted !== undefined && name.includes(wanted))
      console.log(findings.map((text) => `  ${text}\n`).join(''));
  }
}
