import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { VARIANTS } from '../../../support/service.ts';
import { documented, HERE } from '../documents.ts';

/** The package of each version, the program in it, and the oldest Node that runs it. */
const VERSIONS = [
  { version: 7, name: 'orval-7', program: 'dist/bin/orval.js', oldest: 20 },
  { version: 8, name: 'orval', program: 'dist/bin/orval.mjs', oldest: 22 },
] as const;

const NODE = Number(process.versions.node.split('.')[0]);

for (const { version, name, program, oldest } of VERSIONS) {
  for (const variant of VARIANTS) {
    const title = `orval ${version} makes a client of variant ${variant.name.toUpperCase()}`;
    it(title, { skip: NODE < oldest && `it needs Node ${oldest}` }, async (test) => {
      const options = { env: { ADMIN_TOKEN: 'a-token' } };
      const { folder, file } = await documented(test, name, variant, options);
      const output = `${folder}/client.ts`;
      const args = ['--input', file, '--output', output, '--client', 'fetch'];
      const orval = `${HERE}node_modules/${name}/${program}`;
      execFileSync(process.execPath, [orval, ...args], { cwd: HERE });
      const tsc = `${HERE}node_modules/typescript/bin/tsc`;
      const check = ['--noEmit', '--strict', '--skipLibCheck', '--types', 'node'];
      const target = ['--target', 'esnext', '--module', 'preserve'];
      execFileSync(process.execPath, [
        tsc,
        ...check,
        ...target,
        '--lib',
        'esnext,dom,dom.iterable',
        output,
      ]);
    });
  }
}
