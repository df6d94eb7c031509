// `npm start`: builds when a source file is newer than the last build, then runs the command line.
import './requireNode.mjs';

// Imported only now, and waited for by `then`, because old versions of Node cannot read the rest.
void import('./buildIfStale.mjs')
  .then(({ buildIfStale }) => buildIfStale())
  .then(() => {
    if (process.argv.length === 2) process.argv.push('serve');
    return import('../dist/bin/vigil.js');
  });
