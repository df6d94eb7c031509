// Ends with a sentence where Node is too old, in syntax that its oldest versions read: each would otherwise name whatever it lacks first.
const found = process.versions.node;
const version = found.split('.').map(Number);
const isFit = version[0] === 20 ? version[1] >= 19 : version[0] === 22 ? version[1] >= 12 : version[0] > 22;
if (!isFit) {
  process.stderr.write(`Vigil needs Node 20.19, 22.12 or newer; this is Node ${found}.\n`);
  process.exit(1);
}
