// Prints the machines for given rates: `npm run size -- --alerts 20000 --tenants 10000`.
import { parseArgs } from 'node:util';
import { defaults, describeSize } from './sizeOf.mjs';

const names = Object.keys(defaults);
const help = names
  .map((name) => `  --${name.padEnd(14)} ${defaults[name].help} (${defaults[name].value})`)
  .join('\n');

function readRates() {
  const options = Object.fromEntries(
    [...names, 'help'].map((name) => [name, { type: name === 'help' ? 'boolean' : 'string' }]),
  );
  const { values } = parseArgs({ options });
  if (values.help) return undefined;
  return Object.fromEntries(
    names.map((name) => {
      const value = Number(values[name] ?? defaults[name].value);
      const most = name === 'share' ? 1 : 1e9;
      const mayBeZero = name === 'deliveries';
      if (!(value > 0 || (mayBeZero && value === 0)) || value > most)
        throw new Error(
          `--${name} has to be a number ${mayBeZero ? 'from' : 'above'} 0 up to ${most.toLocaleString('en')}, not "${String(values[name])}".`,
        );
      return [name, value];
    }),
  );
}

try {
  const rates = readRates();
  console.log(rates ? describeSize(rates) : `npm run size -- [options]\n${help}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
