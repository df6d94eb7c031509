/**
 * An ISO 8601 date or time as PostgreSQL reads it under any settings; undefined if there is no such moment. Without an
 * offset it is UTC, without a time the start of the day.
 */
export function readInstant(text: string): string | undefined {
  const parts = instantPattern.exec(text);
  if (parts === null) return undefined;
  const [, day = '', hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = parts;
  const date = new Date(`${day}T00:00:00Z`);
  const isDay =
    !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) && !day.startsWith('0000');
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  if (!isDay || !isTime || !isOffset(offset)) return undefined;
  return `${day} ${hour}:${minute}:${second}${fraction}${offset.toUpperCase()}`;
}

const instantPattern =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(\.\d{1,6})?)?([Zz]|[+-]\d\d:?\d\d)?)?$/;

function isOffset(offset: string): boolean {
  if (/^z$/i.test(offset)) return true;
  return Number(offset.slice(1, 3)) < 16 && Number(offset.slice(-2)) < 60;
}
