#!/usr/bin/env node
// Becomes dist/main.js. Runs program.js, which lies beside it, with the code that V8 made of it
// during the build, because compiling it takes a quarter of the start. V8 does not use code that
// another version of it made, and compiles (docs/decisions/0101). But it trusts what its own
// version made, and a damaged byte would end the process: so the file has the code twice.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const filename = join(__dirname, 'program.js');
const script = new Script(readFileSync(filename, 'latin1'), {
  filename,
  cachedData: undamaged(join(__dirname, 'program.cache')),
});
script.runInThisContext()(exports, require, module, filename, __dirname);

/** The first half of a file, if the second is the same; a checksum would take two milliseconds. */
function undamaged(file) {
  try {
    const bytes = readFileSync(file);
    const half = bytes.subarray(0, bytes.length / 2);
    return half.equals(bytes.subarray(half.length)) ? half : undefined;
  } catch {
    return undefined;
  }
}
