import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { StartTodoService, TodoService } from '../../../src/package/types.ts';

const PAGE = readFileSync(new URL('../../../docs/testing.md', import.meta.url), 'utf8');
const [RECIPES = ''] = /\n## One server.*?(?=\n## In the process)/s.exec(PAGE) ?? [];

type Recipe = (...names: readonly unknown[]) => Promise<void>;
const AsyncFunction: new (...source: readonly string[]) => Recipe = Object.getPrototypeOf(
  async () => {},
).constructor;

describe('each recipe of docs/testing.md works', () => {
  const { startTodoService }: { startTodoService: StartTodoService } = createRequire(
    import.meta.url,
  )('../../../dist/index.js');
  let service: TodoService;
  before(async () => {
    service = await startTodoService({ seed: [{ title: 'Buy milk' }] });
  });
  beforeEach(() => service.reset());
  after(() => service.stop());

  const sections = RECIPES.split(/^##+ /m).slice(1);
  it('is there', () => assert(sections.length >= 10, `${sections.length} recipes`));
  for (const section of sections) {
    const [title = ''] = section.split('\n');
    for (const [, code = ''] of section.matchAll(/```js\n(.*?)```/gs)) {
      it(title, async () => {
        const recipe = new AsyncFunction('service', 'startTodoService', 'assert', code);
        await recipe(service, startTodoService, assert);
      });
    }
  }
});
