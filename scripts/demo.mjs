// `npm run demo`: builds Vigil and its demo when a file of theirs is newer, and runs `vigil demo`.
import './requireNode.mjs';

// Imported only now, and waited for by `then`, because old versions of Node cannot read the rest.
void import('./buildIfStale.mjs')
  .then(({ buildIfStale }) => buildIfStale({ withDemo: true }))
  .then(() => {
    process.argv.splice(2, 0, 'demo');
    return import('../dist/bin/vigil.js');
  });
