import { passwordCost } from '../src/lib/password.ts';

// Hundreds of users log in during the tests; the tests of the command line and of whole processes hash at the full cost.
passwordCost.N = 2 ** 10;
