import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fields } from '../../../src/service/resource/field.ts';
import { nearNames } from '../../../src/service/resource/query/filters.ts';
import { variantB } from '../../../src/service/todo/variant-b.ts';

const FIELDS: Fields = {
  ...variantB.fields,
  due: { kind: 'boolean', nullable: true, description: 'A state.' },
  dueAt: { kind: 'timestamp', nullable: true, description: 'A time.' },
};
const meantBy = nearNames(FIELDS, ['search', 'where', 'sort', 'limit', 'offset']);

describe('the name that was meant', () => {
  for (const [name, meant] of [
    // axios, qs, json-server, Django, Strapi, Directus, DataTables, PHP
    ['id[]', 'id.in'],
    ['id[0]', 'id.in'],
    ['completed[eq]', 'completed'],
    ['priority[$gte]', 'priority.gte'],
    ['priority[_gte]', 'priority.gte'],
    ['priority_gte', 'priority.gte'],
    ['priority__gte', 'priority.gte'],
    ['Priority_gte', 'priority.gte'],
    ['title[contains_ignore_case]', 'title.containsIgnoreCase'],
    ['due[is_null]', 'due.isNull'],
    ['_limit', 'limit'],
    ['sort[]', 'sort'],
    ['sort[0]', 'sort'],
    ['search[value]', 'search'],
    ['where[title]', 'where'],
    ['Completed', 'completed'],
    ['SORT', 'sort'],
    ['Completed.ne', 'completed.ne'],
    ['sort.by', 'sort'],
    ['created_at', 'createdAt'],
    ['created-at', 'createdAt'],
    ['Created_At.lt', 'createdAt.lt'],
    ['created_at__lt', 'createdAt.lt'],
    ['due_at_lt', 'dueAt.lt'],
    ['due_lt', 'due'],
    ['id_token', 'id'],
    ['search_type', 'search'],
    ['title_', 'title'],
    [`${'_'.repeat(3000)}limit`, 'limit'],
  ] as const) {
    it(`by ${name.slice(0, 40)} is ${meant}`, () => assert.equal(meantBy(name), meant));
  }

  it('is none for others', () => {
    for (const name of [
      ...['_', '', '-', '[', '.', 'utm_source', 'idx', 'ids', 'titles', 'limits', 'page', '_page'],
      ...['constructor', '__proto__', 'completd', 'x[id]', 'a.id', 'filter[id]', 'id-in', 'id '],
      'x'.repeat(9000),
    ]) {
      assert.equal(meantBy(name), undefined, name);
    }
  });
});
