/** A script of a tenant did not end within its time. */
export class ScriptTimeout extends Error {
  override readonly name = 'ScriptTimeout';
}
