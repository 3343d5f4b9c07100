import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fields } from '../../../../src/service/resource/field.ts';
import { filtersOf } from '../../../../src/service/resource/query/filters.ts';
import {
  parameterSuggestions,
  suggestionsFor,
} from '../../../../src/service/resource/query/suggestions.ts';
import { variantB } from '../../../../src/service/todo/variant-b.ts';

const FIELDS: Fields = {
  ...variantB.fields,
  due: { kind: 'boolean', description: '', nullable: true },
  dueAt: { kind: 'timestamp', description: '' },
};

const NAMES = [...['search', 'where', 'sort', 'limit', 'offset'], ...filtersOf(FIELDS).keys()];

describe('an unknown parameter', () => {
  for (const [text, ...names] of [
    // axios, qs, json-server, Django, Strapi, Directus, DataTables, PHP
    ['id[]', 'id.in'],
    ['id[0]', 'id.in'],
    ['completed[eq]', 'completed.eq'],
    ['priority[$gte]', 'priority.gte'],
    ['priority[_gte]', 'priority.gte'],
    ['priority_gte', 'priority.gte'],
    ['priority__gte', 'priority.gte'],
    ['priority:gte', 'priority.gte'],
    ['Priority_gte', 'priority.gte'],
    ['priority>', 'priority.gte'],
    ['priority<', 'priority.lte'],
    ['title!', 'title.ne'],
    ['title[contains_ignore_case]', 'title.containsIgnoreCase'],
    ['title.contain', 'title.contains'],
    ['title__icontains', 'title.contains'],
    ['due[is_null]', 'due.isNull'],
    ['_limit', 'limit'],
    ['sort[]', 'sort'],
    ['Completed', 'completed'],
    ['Completed.ne', 'completed.ne'],
    ['prioritty.gte', 'priority.gte'],
    ['created_at', 'createdAt'],
    ['Created_At.lt', 'createdAt.lt'],
    ['created_at__lt', 'createdAt.lt'],
    ['due_at_lt', 'dueAt.lt'],
    ['title_', 'title'],
    [`${'_'.repeat(3000)}limit`, 'limit'],
    ['q', 'search'],
    ['query', 'search'],
    ['page', 'limit', 'offset'],
    ['_per_page', 'limit'],
    ['pageSize', 'limit'],
    ['skip', 'offset'],
    ['_order', 'sort'],
    ['orderBy', 'sort'],
    ['sort_by', 'sort'],
    ['like', 'title.contains', 'description.contains'],
    ['title_like', 'title.contains', 'title.startsWith', 'title.endsWith'],
  ] as const) {
    it(`such as ${text.slice(0, 40)} suggests ${names.join(', ')}`, () => {
      assert.deepEqual(parameterSuggestions(text, NAMES, FIELDS), names);
    });
  }

  it('suggests nothing rather than a wrong name', () => {
    for (const text of [
      ...['_', '', '-', '[', '.', 'utm_source', 'idx', 'ids', 'id_token', 'due_lt'],
      ...['constructor', '__proto__', 'x[id]', 'a.id', 'filter[id]', 'priority_min'],
      ...['priority.nin', 'priority.ge', 'priority.like', 'x'.repeat(9000)],
    ]) {
      assert.deepEqual(parameterSuggestions(text, NAMES, FIELDS), [], text);
    }
    assert.deepEqual(suggestionsFor('page', ['search', 'where']), []);
    assert.deepEqual(suggestionsFor('q', []), []);
  });
});
