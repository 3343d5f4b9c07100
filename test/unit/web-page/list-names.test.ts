import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { listNamesIn } from '../../../src/web-page/client/desk/list-names.ts';

it('the names of people become names of lists, each a different one', () => {
  const text = 'Anna Müller\r\nJosé  Ángel\n\n  ben , Ben\nWeiß; Øystein\n李雷\n王芳\n..\nx.y_z~1';
  assert.deepEqual(listNamesIn(text), [
    ...['anna-muller', 'jose-angel', 'ben', 'ben-2', 'weiss', 'oystein'],
    ...['list', 'list-2', 'list-3', 'x.y_z~1'],
  ]);
});

it('any text becomes names that the service accepts', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      for (const name of listNamesIn(`${text}\n${text}`)) {
        assert.match(name, /^[A-Za-z0-9._~-]{1,64}$/);
        assert.doesNotMatch(name, /^\.\.?$/);
      }
    }),
  );
});
