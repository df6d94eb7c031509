import { expect, it } from 'vitest';
import { splitHosts, withHost } from './splitHosts.ts';

it.each([
  ['postgres://u:p@db/vigil', ['postgres://u:p@db/vigil']],
  ['postgres://db:5432', ['postgres://db:5432']],
  ['postgres://u:p@/vigil?host=%2Frun%2Fa', ['postgres://u:p@/vigil?host=%2Frun%2Fa']],
  [
    'postgresql://u:p%2C%40@a:1,[::1]:2,c/vigil?sslmode=require&target_session_attrs=read-write',
    [
      'postgresql://u:p%2C%40@a:1/vigil?sslmode=require',
      'postgresql://u:p%2C%40@[::1]:2/vigil?sslmode=require',
      'postgresql://u:p%2C%40@c/vigil?sslmode=require',
    ],
  ],
  [
    'postgres://u@/vigil?host=%2Frun%2Fa,/run/b&port=5433',
    ['postgres://u@/vigil?host=%2Frun%2Fa&port=5433', 'postgres://u@/vigil?host=/run/b&port=5433'],
  ],
  ['postgres://u@/v?host=a,b&port=1,2', ['postgres://u@/v?host=a&port=1', 'postgres://u@/v?host=b&port=2']],
])('%s names %j', (address, single) => {
  expect(splitHosts(address)).toEqual(single);
});

it('names another server of the same database', () => {
  expect(withHost('postgres://u:p%2C%40@a:1/vigil?sslmode=require', 'b', 2)).toBe(
    'postgres://u:p%2C%40@/vigil?host=b&port=2&sslmode=require',
  );
  expect(withHost('postgres://u@/vigil?host=%2Frun%2Fa&port=5433', '/run/b', 5432)).toBe(
    'postgres://u@/vigil?host=%2Frun%2Fb&port=5432',
  );
});
