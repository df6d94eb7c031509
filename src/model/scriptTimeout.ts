/** After this many timeouts in a row the scripts of a binding no longer run. */
export const maxScriptTimeouts = 3;

/** A script of a tenant did not end within its time. */
export class ScriptTimeout extends Error {
  override readonly name = 'ScriptTimeout';
}
