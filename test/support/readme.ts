import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './folder.ts';

/** The commands with which README.md begins, and then the other ways to start the service. */
export const WAYS_IN = {
  start: 'npm ci && npm start',
  test: 'npm ci && npm test',
  sources: 'node start.js',
  images: 'docker compose up --build',
  package: 'npm ci && npm pack && npx -y ./todo-service-*.tgz',
} as const;

/** The commands in the first two blocks of README.md, without their comments. */
export function firstCommands(): readonly string[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```sh\n([^`]+)```/g)].slice(0, 2);
  return blocks.flatMap(([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map((line) => line.replace(/ *#.*/, '')),
  );
}
