import { passwordFault } from '../../lib/passwordFault.ts';
import { unprocessable } from '../../model/errors.ts';

/** Refuses a password that is guessed early: a common one, a row of keys, or one made of the user's own address or name. */
export function checkPassword(
  pointer: string,
  password: string,
  { email, name }: { email: string; name?: unknown },
): void {
  const userWords = [email, ...(typeof name === 'string' ? [name] : [])];
  const fault = passwordFault(password, userWords);
  if (fault) throw unprocessable(pointer, 'too-weak', fault);
}
