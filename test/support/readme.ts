import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './folder.ts';

/** The commands with which README.md begins: the three ways to start the service from a clone. */
export const WAYS_IN = {
  clone: 'node start.js',
  package: 'npm ci && npm pack && npx -y ./todo-service-*.tgz',
  images: 'docker compose up --build',
} as const;

/** The commands in the first block of README.md, without their comments. */
export function firstCommands(): readonly string[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, block = ''] = /```sh\n([^`]+)```/.exec(readme) ?? [];
  return block
    .trim()
    .split('\n')
    .map((line) => line.replace(/ *#.*/, ''));
}
