import { describe, expect, it } from 'vitest';
import { render, sql } from '../../lib/sql.ts';
import { Problem } from '../../model/errors.ts';
import type { Catalogue } from './catalogue.ts';
import { compileWhere } from './compileWhere.ts';

const catalogue: Catalogue = {
  id: { type: 'integer', column: sql`t.id` },
  name: { type: 'string', column: sql`t.name` },
  score: { type: 'number', column: sql`t.score` },
  active: { type: 'boolean', column: sql`t.active` },
  tags: { type: 'string', column: sql`t.tags`, array: true },
  config: { type: 'json', column: sql`t.config` },
  schema: {
    type: 'one',
    from: sql`s where s.id = t.schema_id`,
    fields: { name: { type: 'string', column: sql`s.name` } },
  },
  parts: {
    type: 'many',
    from: sql`p where p.t = t.id`,
    fields: { size: { type: 'integer', column: sql`p.size` } },
  },
};

describe('compileWhere', () => {
  it('gives no condition for blank text', () => {
    expect(compileWhere(' \n', catalogue)).toEqual({ condition: undefined, names: new Set() });
  });

  it('lists the top-level fields that the clause names', () => {
    const { names } = compileWhere(
      'not (id = 1 or schema.name is null) and config.status = 1 and id = 2',
      catalogue,
    );
    expect(names).toEqual(new Set(['id', 'schema', 'config']));
  });

  it('stands in parentheses, so that it cannot take apart what it is ANDed to', () => {
    const { condition } = compileWhere('id = 1 or id = 2', catalogue);
    expect(render(sql`t.tenant = ${7} and ${condition}`)).toEqual({
      text: 't.tenant = $1 and (((t.id) = $2::bigint) or ((t.id) = $3::bigint))',
      values: [7, '1', '2'],
    });
  });

  it('binds every text of the caller, member names included', () => {
    const evil = "x' or 1=1 --";
    const { condition } = compileWhere(
      `config."${evil}"."'; drop" = '${evil.replaceAll("'", "''")}' and name like '${evil.replaceAll("'", "''")}'`,
      catalogue,
    );
    const { text, values } = render(condition!);
    expect(text).not.toContain('1=1');
    expect(text).not.toContain('drop');
    expect(values).toEqual([evil, evil, "'; drop", evil]);
  });

  it('compares whole numbers as bigint and all others as numeric', () => {
    expect(rendered('id = 10e-1')).toEqual({ text: '((t.id) = $1::bigint)', values: ['1'] });
    expect(rendered("id = '-9223372036854775808'")).toEqual({
      text: '((t.id) = $1::bigint)',
      values: ['-9223372036854775808'],
    });
    expect(rendered('id = 9223372036854775808').text).toBe('((t.id) = $1::numeric)');
    expect(rendered('id = 0.5').text).toBe('((t.id) = $1::numeric)');
    expect(rendered('id = 1e-1000').text).toBe('((t.id) = $1::numeric)');
    expect(rendered('id = -0.0')).toEqual({ text: '((t.id) = $1::bigint)', values: ['0'] });
  });

  it.each([
    ['nmae = 1', 1, "there is no field 'nmae' (did you mean 'name'?)."],
    ['id = 1 and schema.nam = 1', 19, "there is no field 'schema.nam' (did you mean 'schema.name'?)."],
    ['privateKey = 1', 1, "there is no field 'privateKey'."],
    ['__proto__ = 1', 1, "there is no field '__proto__'."],
    ['constructor = 1', 1, "there is no field 'constructor'."],
    ['toString is null', 1, "there is no field 'toString'."],
    ['schema.__proto__ = 1', 8, "there is no field 'schema.__proto__'."],
    ['__proto__.id = 1', 1, "there is no field '__proto__'."],
    ['parts.hasOwnProperty = 1', 7, "there is no field 'parts.hasOwnProperty'."],
    ["name.first = 'x'", 6, "'name' is a plain value and has no member 'first'"],
    ['tags.length = 1', 6, "'tags' is a plain value and has no member 'length'"],
    ["schema = 'x'", 1, "'schema' is not a value; compare a member, such as 'schema.name'"],
    ['parts contains 1', 1, "'parts' is not a value; compare a member, such as 'parts.size'"],
    ['schema = null', 1, "'schema' is not a value"],
    ['name = 5', 8, "'name' is compared with a text in single quotes, but found 5"],
    ['name in (null, true)', 16, 'but found TRUE'],
    ["id = 'x'", 6, "'id' is compared with a number, but found 'x'"],
    ["id not in (null, 'x')", 18, "but found 'x'"],
    ["id = ' 1'", 6, "but found ' 1'"],
    ["id = ''", 6, "but found ''"],
    ["score = '1e'", 9, "but found '1e'"],
    ["score = 'NaN'", 9, "but found 'NaN'"],
    ["score = 'Infinity'", 9, "but found 'Infinity'"],
    ['active = 1', 10, "'active' is compared with TRUE or FALSE, but found 1"],
    ["active = 'true'", 10, "but found 'true'"],
    ['active < true', 10, 'TRUE and FALSE have no order'],
    ['config.x between 1 and false', 24, 'TRUE and FALSE have no order'],
    ["id like '1%'", 1, "'id' is not text"],
    ["active ilike 't'", 1, "'active' is not text"],
    ["name contains 'x'", 6, "'name' is not a list; for a part of a text write LIKE"],
    ["name like 'x\\'", 11, "the pattern 'x\\' ends in its escape character"],
    ["name like 'x!' escape '!'", 11, "the pattern 'x!' ends in its escape character"],
    ['id = 1e1001', 6, "the exponent of '1e1001' is not between -1000 and 1000"],
    ["score > '1e-99999999999999999999'", 9, 'the exponent of'],
    [`score = ${'1'.repeat(300)}e`, 309, 'is not a number'],
  ])('refuses %s at column %i: %s', (text, position, message) => {
    const problem = refusal(text);
    expect(problem.message).toContain(message);
    expect(problem).toMatchObject({ code: 'invalid-where', status: 400, members: { position } });
  });
});

function rendered(text: string): ReturnType<typeof render> {
  return render(compileWhere(text, catalogue).condition!);
}

function refusal(text: string): Problem {
  try {
    compileWhere(text, catalogue);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}
