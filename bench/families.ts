import { familyTable } from './support/familyRow.ts';
import { machine } from './support/machine.ts';
import { measureFamilies } from './support/measureFamilies.ts';

/** The part of `bench:watch` about chains beside EVM, which takes seconds. */
console.log([`${machine()}.`, '', ...familyTable(await measureFamilies())].join('\n'));
