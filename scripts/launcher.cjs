#!/usr/bin/env node
// Becomes dist/main.js. Runs program.js, which lies beside it, with the code that V8 made of it
// during the build, because compiling it takes a quarter of the start. V8 does not use code that
// another version of it made, and compiles (docs/decisions/0101).
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const filename = join(__dirname, 'program.js');
const cache = join(__dirname, 'program.cache');
const script = new Script(readFileSync(filename, 'latin1'), {
  filename,
  cachedData: existsSync(cache) ? readFileSync(cache) : undefined,
});
script.runInThisContext()(exports, require, module, filename, __dirname);
