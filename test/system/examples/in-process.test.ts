import { describe, it } from 'node:test';
import { Example } from './example.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

describe('in a new clone, with nothing before them, the commands of the README pass', () => {
  for (const name of ['node-test', 'vitest', 'jest', 'playwright']) {
    it(`of ${name}`, async () => {
      const example = await Example.clone(name);
      await example.run(
        [
          'npm ci --prefix ../..',
          'npm install --no-save "$(npm pack --silent ../..)"',
          // The browser of this machine replaces that of Playwright.
          ...(name === 'playwright' ? ([['npx playwright install chromium', ':']] as const) : []),
          'npm test',
        ],
        { CHROMIUM, CI: 'true' },
      );
      await example.end();
    });
  }
});
