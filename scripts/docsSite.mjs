// `npm run docs:site [-- folder]`: the documents as a static site with search, for any server of files; dist-site/ if no folder is named.
// A few lines on two small packages, because a framework for sites would bring more packages than Vigil itself has.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import MiniSearch from 'minisearch';
import { layout } from './site/layout.mjs';
import { slugger } from './site/slugger.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = process.argv[2] ?? join(root, 'dist-site');
const top = readdirSync(root).filter((name) => name.endsWith('.md'));
const inDocs = readdirSync(join(root, 'docs'), { recursive: true })
  .filter((name) => name.endsWith('.md'))
  .map((name) => posix.join('docs', name));
const files = [...top, ...inDocs, 'sdk/README.md'].map((file) => ({ file, page: pageOf(file) }));
const copied = new Set();
const sections = [];

rmSync(out, { recursive: true, force: true });
const pages = files.map(({ file, page }) => ({ page, ...render(file, page) }));
for (const { page, title, html } of pages) write(page, layout({ page, title, html, pages }));
for (const file of copied) copy(join(root, file), file);
for (const name of ['style.css', 'search.js']) copy(join(root, 'scripts', 'site', name), name);
const require = createRequire(import.meta.url);
copy(join(dirname(require.resolve('minisearch')), '..', 'es', 'index.js'), 'minisearch.js');
const search = new MiniSearch({ fields: ['title', 'text'], storeFields: ['title', 'page', 'url', 'text'] });
search.addAll(sections.map((section, id) => ({ id, ...section })));
write('search.json', JSON.stringify(search));
console.log(`${pages.length} pages, ${sections.length} sections: ${out}`);

/** README.md is the first page. */
function pageOf(file) {
  return file === 'README.md' ? 'index.html' : file.replace(/\.md$/, '.html');
}

function render(file, page) {
  const slug = slugger();
  const marked = new Marked();
  let title;
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const id = slug(text);
        const words = plain(text);
        if (depth === 1) title ??= words;
        sections.push({ title: words, page: title, url: depth === 1 ? page : `${page}#${id}`, text: '' });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, title, tokens }) {
        const to = target(file, href);
        return `<a href="${quote(to)}"${title ? ` title="${quote(title)}"` : ''}>${this.parser.parseInline(tokens)}</a>`;
      },
      image({ href, text }) {
        return `<img src="${quote(target(file, href))}" alt="${quote(text)}">`;
      },
      html({ text }) {
        return text
          .replaceAll(/<!--.*?-->/gs, '')
          .replaceAll(/(src|srcset)="([^"]+)"/g, (_, name, href) => `${name}="${target(file, href)}"`);
      },
      table(token) {
        const cells = (row, tag) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        return `<div class="wide" tabindex="0"><table><thead><tr>${cells(token.header, 'th')}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
      },
    },
  });
  const text = readFileSync(join(root, file), 'utf8');
  const html = marked.parse(text);
  fillSections(text, page);
  return { title, html };
}

/** What stands under each heading, without its marks. */
function fillSections(text, page) {
  const own = sections.filter(({ url }) => url.split('#')[0] === page);
  const parts = text.replaceAll(/^```.*?^```$/gms, (code) => code.replaceAll(/^#/gm, ' #')).split(/^#+ .+$/m);
  for (const [n, section] of own.entries()) section.text = plain(parts[n + 1] ?? '').slice(0, 4000);
}

function plain(text) {
  return text
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/[`*|[\]]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Where a link of a document leads on the site; other files of the project come along. */
function target(file, href) {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
  const [path, heading] = href.split('#');
  const aim = posix.join(posix.dirname(file), path);
  const isFolder = aim.endsWith('/');
  if (!isFolder && !aim.endsWith('.md')) copied.add(aim);
  const page = isFolder ? 'index.html' : pageOf(aim);
  const to = posix.relative(posix.dirname(pageOf(file)), page);
  return heading === undefined ? to : `${to}#${heading}`;
}

function quote(text) {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function write(name, text) {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  writeFileSync(join(out, name), text);
}

function copy(from, name) {
  mkdirSync(dirname(join(out, name)), { recursive: true });
  copyFileSync(from, join(out, name));
}
