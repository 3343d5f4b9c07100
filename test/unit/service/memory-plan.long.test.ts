import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';

const MiB = 1024 * 1024;

/** The memory of V8's young generation and of the program itself, in bytes. */
const REST = 16 * MiB;

it("the parts of a heap divide its old generation, without V8's young generation", () => {
  const heap = 64;
  const plan = new URL('../../../src/service/memory-plan.ts', import.meta.url).href;
  const script = `import { HEAP_BUDGET } from '${plan}'; console.log(JSON.stringify(HEAP_BUDGET));`;
  const options = [`--max-old-space-size=${heap}`, '--import=tsx', '--input-type=module'];
  const args = [...options, `--eval=${script}`];
  const text = execFileSync(process.execPath, args, { encoding: 'utf8' });
  const parts: Record<string, number> = JSON.parse(text);
  const sum = Object.values(parts).reduce((a, b) => a + b, REST);
  assert(sum < 0.9 * heap * MiB, `${text} in ${heap} MiB`);
});
