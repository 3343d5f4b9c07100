import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const LIB = fileURLToPath(new URL('../../../../src/lib', import.meta.url));

/** All that it may need: what lies below it. */
const PACKED = ['http', 'json', 'steps.ts', 'clock.ts', 'lazy.ts'];

/** A server with two routes, which knows the library by its door alone. */
const GREETER = `
import { describedRoute, HttpServer, Problem, valueResponse } from './http/index.ts';

const tag = { name: 'Greetings', description: 'All there is.' };
const greeting = describedRoute('GET', '/greetings/{name}', {
  id: 'greet',
  summary: 'Greet',
  description: 'Somebody.',
  tag,
  responses: { 200: { description: 'The greeting.', content: { 'application/json': {} } } },
  handle: ({ params: [name] }) => valueResponse(200, { greeting: \`Hello \${name}\` }),
});
const farewell = describedRoute('POST', '/farewells', {
  id: 'leave',
  summary: 'Leave',
  description: 'For good.',
  tag,
  responses: { 204: { description: 'Gone.' } },
  handle: () => {
    throw new Problem({ code: 'stay', status: 409, title: 'Stay' }, 'It is too early');
  },
});

const server = new HttpServer({ onUnexpectedError: console.error });
server.setRoutes([greeting, farewell]);
const { port } = await server.listen(0, '127.0.0.1');
for (const [method, path] of [
  ['GET', '/greetings/world'],
  ['POST', '/farewells'],
  ['GET', '/none'],
]) {
  const response = await fetch(\`http://127.0.0.1:\${port}\${path}\`, { method });
  const { greeting, type, code } = await response.json();
  console.log(response.status, greeting ?? [type, code].join(' '));
}
console.log(await server.drain(5_000));
`;

const PRINTED = `200 Hello world
409 urn:problem-type:stay stay
404 urn:problem-type:unknown-path unknown-path
true
`;

describe('the HTTP server', () => {
  test('needs nothing but what lies below it: a server with two routes', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'greeter-'));
    try {
      for (const part of PACKED) cpSync(join(LIB, part), join(outside, part), { recursive: true });
      writeFileSync(join(outside, 'package.json'), '{ "type": "module" }');
      writeFileSync(join(outside, 'greeter.ts'), GREETER);
      const args = ['--import', import.meta.resolve('tsx'), 'greeter.ts'];
      const run = promisify(execFile);
      assert.equal((await run(process.execPath, args, { cwd: outside })).stdout, PRINTED);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  test('says nothing of who uses it', () => {
    for (const part of ['http', 'json']) {
      const folder = join(LIB, part);
      for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(ts|md)$/.test(file)) continue;
        assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /to-?do/i, file);
      }
    }
  });
});
