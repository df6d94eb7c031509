// Searches the index of all documents, which is fetched when someone first searches.
import MiniSearch from './minisearch.js';

const up = document.querySelector('script[data-up]').dataset.up;
const field = document.querySelector('input[type=search]');
const list = document.getElementById('found');
let index;

async function load() {
  const response = await fetch(`${up}search.json`);
  const options = { fields: ['title', 'text'], storeFields: ['title', 'page', 'url', 'text'] };
  return MiniSearch.loadJSON(await response.text(), options);
}

async function show() {
  const words = field.value.trim();
  index ??= load();
  const found =
    words === '' ? [] : (await index).search(words, { prefix: true, fuzzy: 0.15, boost: { title: 3 } });
  // Someone may have typed on meanwhile.
  if (words !== field.value.trim()) return;
  list.replaceChildren(...found.slice(0, 12).map(toItem));
  if (words !== '' && found.length === 0) list.append(text('li', `Nothing has “${words}”.`));
  list.hidden = words === '';
}

function toItem({ title, page, url, text: content, terms }) {
  const at = Math.max(0, Math.min(...terms.map((term) => position(content, term))) - 40);
  const link = text('a', title);
  link.href = up + url;
  const item = document.createElement('li');
  item.append(link, text('small', `${page === title ? '' : `${page}: `}${content.slice(at, at + 140)}`));
  return item;
}

function position(content, term) {
  const at = content.toLowerCase().indexOf(term);
  return at < 0 ? content.length : at;
}

function text(name, words) {
  const element = document.createElement(name);
  element.textContent = words;
  return element;
}

field.addEventListener('input', () => void show());
document.addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a')];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === '/' && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  } else if (event.key === 'Escape') {
    list.hidden = true;
  } else if (step && !list.hidden && links.length > 0) {
    event.preventDefault();
    const next = links.indexOf(document.activeElement) + step;
    (next < 0 ? field : links[Math.min(next, links.length - 1)]).focus();
  }
});
document.addEventListener('click', ({ target }) => {
  if (!target.closest('search')) list.hidden = true;
});
