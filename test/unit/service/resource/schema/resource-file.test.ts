import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ConfigError } from '../../../../../src/lib/config/index.ts';
import { resourceOfFile } from '../../../../../src/service/resource/schema/resource-file.ts';
import { configuredDefinition } from '../../../../../src/service/settings/configured-definition.ts';
import { variantB } from '../../../../../src/service/todo/variant-b.ts';
import { temporaryFolder } from '../../../../support/folder.ts';
import { NOTE_SCHEMA } from '../../../../support/notes.ts';
import { configOf } from '../../../../support/service.ts';

const folder = temporaryFolder();

/** Writes a file, and returns its path. */
function fileOf(content: unknown, name = 'file.json'): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const { $defs, title: _, ...schema } = NOTE_SCHEMA;
const DOCUMENT = {
  openapi: '3.1.0',
  components: { schemas: { Status: $defs.Status, 'Note-Output': schema, Other: {} } },
  $defs,
};

describe('the file of a resource', () => {
  it('has a schema, whose limits may have any digits', () => {
    const text = JSON.stringify({ ...NOTE_SCHEMA, x: 1 }).replace('"x":1', '"x-y":1');
    const exact = text.replace('"views":{', '"views":{"maximum":9223372036854775807,');
    const { name, fields } = resourceOfFile(fileOf(`\ufeff${exact}`));
    assert.deepEqual([name, fields.views?.rules?.maximum], ['Note', 2n ** 63n - 1n]);
  });

  it('may be an OpenAPI document, with the place of a schema, whose name is that of an item', () => {
    const file = fileOf(DOCUMENT, 'api#1.json');
    const { name, api } = resourceOfFile(`${file}#/components/schemas/Note-Output`);
    assert.deepEqual([name, api.collection], ['NoteOutput', '/api/noteOutputs']);
    assert.throws(() => resourceOfFile(file), {
      message: `the resource ${file} cannot be used: it is an OpenAPI document; name one of its schemas, such as ${file}#/components/schemas/Status (it has Status, Note-Output, Other)`,
    });
    assert.throws(() => resourceOfFile(`${file}#/components/schemas/None`), {
      message: `the resource ${file}#/components/schemas/None cannot be used: #/components/schemas/None must be a schema: an object`,
    });
    const { violations } = (() => {
      try {
        return resourceOfFile(`${file}#/components/schemas/Status`);
      } catch (error) {
        return Object(error);
      }
    })();
    assert.deepEqual(
      violations.map(({ pointer }: { pointer: string }) => pointer),
      ['#/components/schemas/Status/type'],
    );
  });

  it('cannot be used if it is no JSON, too large, or not there', () => {
    mkdirSync(join(folder, 'folder'));
    for (const [path, reason] of [
      [join(folder, 'none.json'), /cannot be read: ENOENT: [a-z ]+$/],
      [join(folder, 'folder'), /is not a file$/],
      [fileOf('{', 'a.json'), /is not JSON .*; it must be JSON in UTF-8$/],
      [fileOf('[]', 'b.json'), /it must be a schema: an object$/],
      [fileOf(' '.repeat(4 * 1024 * 1024 + 1), 'c.json'), /has 4194305 bytes, more than 4194304$/],
    ] as const) {
      assert.throws(() => resourceOfFile(path), { name: 'InvalidInputError', message: reason });
    }
  });
});

describe('the setting RESOURCE', () => {
  const file = fileOf(NOTE_SCHEMA, 'note.json');

  it('replaces the variants; a variant beside it is a bad setting, but not that of an image', () => {
    assert.equal(configuredDefinition(configOf({ VARIANT: 'b' })), variantB);
    assert.equal(configuredDefinition(configOf({ RESOURCE: file })).name, 'Note');
    assert.equal(
      configuredDefinition(configOf({ RESOURCE: file, IMAGE_VARIANT: 'b' })).name,
      'Note',
    );
    assert.equal(configuredDefinition(configOf({ RESOURCE: file, VARIANT: '' })).name, 'Note');
    assert.throws(() => configuredDefinition(configOf({ RESOURCE: file, VARIANT: 'a' })), {
      name: ConfigError.name,
      message: 'set VARIANT or RESOURCE, not both',
    });
    assert.throws(() => configuredDefinition(configOf({ VARIANT: 'a' }, ['--resource', file])), {
      message: 'set VARIANT or --resource, not both',
    });
  });
});
