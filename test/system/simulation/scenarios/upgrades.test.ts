import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describedFields } from '../../../../src/lib/replica/stored/meta.ts';
import { defineVariant, type Variant } from '../../../../src/service/todo/variant.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';
import { create, titles } from '../../../support/items.ts';
import { simulated } from './stage.ts';

/** Variant B with one more field, as the next version may have it. */
const next = defineVariant({
  ...variantB,
  fields: {
    ...variantB.fields,
    addedLater: {
      kind: 'text',
      description: 'A field of the next version.',
      nullable: true,
      default: null,
      create: {},
      update: true,
    },
  },
});

/** The same with a field that items cannot lack. */
const incompatible: Variant = {
  ...variantB,
  fields: {
    ...variantB.fields,
    owner: { kind: 'text', description: 'Whose it is.', maxLength: 9, create: {} },
  },
};

describe('versions side by side', () => {
  simulated('keep fields of other versions, and give missing ones their default', async (all) => {
    const before = all.start({ variant: variantB });
    const id = await create(before, 'old');
    const after = all.start({ variant: next });
    await all.ready();
    const path = `/api/todos/${id}`;
    assert.equal((await after.get(path)).json<{ addedLater: unknown }>().addedLater, null);
    const addedLater = '2027-01-01';
    const changed = await after.put(path, { addedLater });
    assert.equal(changed.status, 200, changed.text);
    for (let round = 0; round < 3; round++) {
      const title = `round ${round}`;
      assert.equal((await before.put(path, { title })).status, 200);
      const both = await after.get(path);
      const { addedLater: kept } = both.json<{ addedLater: string }>();
      assert.equal(both.json().title, title);
      assert.equal(kept, addedLater);
      assert(!(await before.get(path)).text.includes('addedLater'));
      assert.equal((await after.put(path, { completed: round % 2 === 0 })).status, 200);
    }
    const late = all.start({ variant: variantB });
    await all.ready();
    assert.equal((await late.put(path, { priority: 1 })).status, 200);
    const { addedLater: kept } = (await after.get(path)).json<{ addedLater: string }>();
    assert.equal(kept, addedLater);
    assert.equal((await after.reset()).status, 204);
    for (const each of [before, after, late]) assert.deepEqual(await titles(each), []);
  });

  simulated('have tags of their own', async (all) => {
    const [before, after] = [all.start({ variant: variantB }), all.start({ variant: next })];
    await create(before, 'x');
    for (const path of ['/api/todos', '/api/todos/1']) {
      const [ofBefore, ofAfter] = [await before.get(path), await after.get(path)];
      assert.notEqual(ofBefore.headers.etag, ofAfter.headers.etag);
    }
  });
});

describe('the description of fields', () => {
  const { fields } = variantB;
  const first = describedFields(fields, undefined, 'x');

  it('grows with each version, and none removes anything', () => {
    const second = describedFields(next.fields, first, 'x');
    assert('addedLater' in JSON.parse(second));
    assert.equal(describedFields(fields, second, 'x'), second);
    assert.equal(describedFields(next.fields, second, 'x'), second);
    const ofLater = second.replace('"kind":"text"', '"kind":"text","note":"of a later version"');
    assert.equal(describedFields(fields, ofLater, 'x'), ofLater);
  });

  it('refuses a version that is not compatible with the stored items', () => {
    assert.throws(() => describedFields(incompatible.fields, first, 'x'), {
      message: 'x has items without owner, which is neither nullable nor has a default',
    });
    const stored = describedFields(incompatible.fields, undefined, 'x');
    assert.throws(() => describedFields(fields, stored, 'x'), {
      message: 'x has items that must have owner, which this version does not know',
    });
    assert.throws(() => describedFields(fields, '7', 'x'), { name: 'IncompatibleError' });
  });

  it('has each field with one meaning', () => {
    const { title } = fields;
    for (const changed of [
      { ...title, kind: 'integer' as const },
      { ...title, nullable: true },
      { ...title, maxLength: 7 },
      { ...title, default: '-' },
    ]) {
      assert.throws(() => describedFields({ ...fields, title: changed }, first, 'x'), {
        name: 'IncompatibleError',
        message: /^x stores title differently: /,
      });
    }
  });
});
