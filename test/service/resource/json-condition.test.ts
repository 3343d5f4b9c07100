import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonNode } from '../../../src/lib/json/json-tree.ts';
import { parseJsonTree } from '../../../src/lib/json/json-tree.ts';
import { ConditionReader } from '../../../src/service/resource/query/json-condition.ts';
import { variantB } from '../../../src/service/todo/variant-b.ts';

/** As many as fit into 64 KiB. */
const MANY = 21_000;

function read(node: JsonNode) {
  const reader = new ConditionReader(variantB.fields);
  return { condition: reader.read(node, ['where']), violations: reader.violations };
}

/** Copies of a JSON value that count how many of them are looked at. */
function counted(text: string) {
  const node = parseJsonTree(text);
  const seen = new Set<number>();
  const copies = Array.from({ length: MANY }, (_, i): JsonNode => {
    const look = (target: JsonNode, name: string | symbol) => {
      seen.add(i);
      return Reflect.get(target, name, target);
    };
    return new Proxy(node, { get: look });
  });
  return { copies, seen };
}

describe('a condition as JSON', () => {
  it('is looked at no further than its bounds', () => {
    for (const [bound, text, inside] of [
      [1_000, '1', (values: JsonNode[]) => member('id', member('in', array(values)))],
      [1_000, '{}', (values: JsonNode[]) => member('id', member('in', array(values)))],
      [1_000, '[]', (values: JsonNode[]) => member('and', array(values))],
    ] as const) {
      const { copies, seen } = counted(text);
      const { violations } = read(inside(copies));
      assert(violations.length > 0 && violations.length <= bound, `${violations.length}`);
      assert(seen.size <= bound, `${text}: ${seen.size} of ${MANY}`);
    }
  });

  it('may have any number of conditions without a field, which are gone when it is read', () => {
    const { condition, violations } = read(parseJsonTree(`{"and":[${'{},'.repeat(MANY)}{}]}`));
    assert.deepEqual(violations, []);
    assert.deepEqual(condition, { op: 'and', conditions: [] });
  });

  it('gets all its violations, as long as they are not absurdly many', () => {
    const conditions = Array.from({ length: 100 }, () => '{"priority":"high"}');
    const { violations } = read(parseJsonTree(`{"or":[${conditions.join()}]}`));
    assert.deepEqual(
      violations.map(({ pointer }) => pointer),
      conditions.map((_, i) => `#/where/or/${i}/priority`),
    );
  });
});

function array(elements: readonly JsonNode[]): JsonNode {
  return { type: 'array', source: '', elements };
}

function member(name: string, node: JsonNode): JsonNode {
  return { type: 'object', source: '', members: [{ name, node }] };
}
