import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { it } from 'node:test';
import { UNCOUNTED } from '../../support/process.ts';

const MiB = 1024 * 1024;

/** The memory of V8's young generation and of the program itself, in bytes. */
const REST = 16 * MiB;

const HEAP_MIB = 64;

for (const [flags, env] of [
  [[], {}],
  [['--max-semi-space-size=128'], {}],
  [['--max-semi-space-size=100'], { NODE_OPTIONS: '--max-semi-space-size=256' }],
  [[], { NODE_OPTIONS: '--no-deprecation --max_semi_space_size=32' }],
] as const) {
  const name = [...flags, ...Object.values(env)].join(' ');
  it(`the parts of a heap divide its old generation, without V8's young generation: ${name}`, () => {
    const module = new URL('../../../src/service/memory-plan.ts', import.meta.url).href;
    const script = `import { HEAP_BUDGET } from '${module}'; console.log(JSON.stringify(HEAP_BUDGET));`;
    const options = [`--max-old-space-size=${HEAP_MIB}`, '--import=tsx', '--input-type=module'];
    const text = execFileSync(process.execPath, [...options, ...flags, `--eval=${script}`], {
      encoding: 'utf8',
      env: { ...process.env, ...UNCOUNTED, ...env },
    });
    const plan: Record<string, number> = JSON.parse(text);
    // The parts within the heap: permits and places are for what is mostly outside.
    const { maxBytes = 0, maxFaultBytes = 0, cacheBytes = 0, historyBytes = 0 } = plan;
    const sum = REST + 1.5 * maxBytes + maxFaultBytes + cacheBytes + historyBytes;
    assert(sum < 0.9 * HEAP_MIB * MiB && sum > 0.5 * HEAP_MIB * MiB, text);
  });
}
