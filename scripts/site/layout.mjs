import { posix } from 'node:path';

const groups = {
  Learn: ['index.html', 'docs/tutorial.html', 'docs/chains.html', 'docs/architecture.html', 'GLOSSARY.html'],
  Do: /^docs\/how-to\//,
  'Look up': /^(docs\/reference\/|docs\/api-spec|docs\/performance|docs\/sizing|sdk\/)/,
  'The project': /^[A-Z_]+\.html$/,
};

/** A whole page: the list of all pages, a search, and what it has to say. */
export function layout({ page, title, html, pages }) {
  const up = '../'.repeat(page.split('/').length - 1);
  const seen = new Set();
  const lists = Object.entries(groups).map(([name, which]) => {
    const own = pages.filter(
      (each) =>
        !seen.has(each.page) && (Array.isArray(which) ? which.includes(each.page) : which.test(each.page)),
    );
    const ordered = Array.isArray(which)
      ? which.map((one) => own.find((each) => each.page === one)).filter(Boolean)
      : own;
    for (const each of ordered) seen.add(each.page);
    const items = ordered.map(
      (each) =>
        `<li><a href="${posix.relative(posix.dirname(page), each.page)}"${each.page === page ? ' aria-current="page"' : ''}>${each.title}</a></li>`,
    );
    return `<h2>${name}</h2><ul>${items.join('')}</ul>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}${page === 'index.html' ? '' : ' – Vigil'}</title>
<link rel="stylesheet" href="${up}style.css">
<script type="module" src="${up}search.js" data-up="${up}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="${up}index.html">Vigil</a>
<search><input type="search" placeholder="Search (press /)" aria-label="Search the documents" aria-controls="found" autocomplete="off"><ol id="found" hidden></ol></search>
</header>
<nav aria-label="Pages">${lists.join('\n')}</nav>
<main id="content">
${html}</main>
</body>
</html>
`;
}
