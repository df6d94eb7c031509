import { describe, expect, it } from 'vitest';
import { commonWords } from './commonWords.ts';
import { passwordFault } from './passwordFault.ts';

describe('a password that is guessed early', () => {
  it.each([
    'password1234',
    'P@ssw0rd2024!',
    'Pa$$w0rd1234',
    'passwordpassword',
    'Welcome2024!',
    'letmein12345',
    'iloveyou1234',

    'qwerty123456',
    'qwertyuiop123',
    'administrator',
    'Summer2025!!!',
    '4dm1n1234567',
    'football1234',
    'changeme1234',

    '123456789012',
    '1q2w3e4r5t6y',
    '1qaz2wsx3edc',
    'zaq12wsxcde3',
    'asdfghjkl123',
    'qazwsxedcrfv',
    'poiuytrewq12',

    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'abcdefghijkl',
    '111111111111',
    'xyxyxyxyxyxy',
    '            ',
    'zyxwvutsrqpo',
    'k9vk9vk9vk9v',
    'Dragon Dragon',
    'bitcoin2025!',
    '987654321098',
  ])('is refused: %s', (password) => {
    expect(passwordFault(password)).toMatch(/^(must|is) .*\.$/);
  });

  it('includes every common word with the usual decorations', () => {
    const passed = [...commonWords]
      .flatMap((word) => [
        `${word}123456789`,
        `${word}2024!!!!!!`,
        `123456${word}!!`,
        `${word.toUpperCase()}!111111`,
      ])
      .filter((password) => password.length >= 12 && passwordFault(password) === undefined);
    expect(passed).toEqual([]);
  });

  it.each([
    ['alice@example.com', 'alice@example.com'],
    ['alice1234567', 'alice@example.com'],
    ['AliceWonder12', 'Alice Wonder'],
    ['vigilvigil12', 'x@y.z'],
    ['Vigil-2026-!!', 'x@y.z'],
    ['moc.elpmaxe12', 'alice@example.com'],
  ])('is one made of the user’s own words: %s of %s', (password, own) => {
    expect(passwordFault(password, [own])).toContain('your own name or e-mail address');
  });

  it.each([
    'correct horse battery',
    'correct horse battery 2',
    'x7Kq-93mV-tt2p',
    'blue piano under seven rivers',
    'Tr0ub4dor&3xZq',
    'gvLk29!xpQ_7',
    '839201748562',
    'пароль-длинный-и-редкий',
    'my cat eats 14 lemons',
  ])('is not one like this: %s', (password) => {
    expect(passwordFault(password, ['alice@example.com', 'Alice'])).toBeUndefined();
  });

  it('is found by a check that takes little time, however long the password is', () => {
    const before = process.cpuUsage();
    for (let n = 0; n < 20; n++) passwordFault('ab1!'.repeat(50), ['a'.repeat(200)]);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000 / 20).toBeLessThan(50);
  });
});
