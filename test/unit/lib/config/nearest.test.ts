import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearest } from '../../../../src/lib/nearest.ts';

describe('the nearest name', () => {
  it('takes the fewest changes of a letter, whatever their case', () => {
    const names = ['id', 'title', 'TITLE.contains', 'completed', 'priority', 'sort'];
    for (const [text, name] of [
      ['completd', 'completed'],
      ['Proirity', 'priority'],
      ['title.contain', 'TITLE.contains'],
      ['titles', 'title'],
      ['titel', 'title'],
      ['_ID', 'id'],
      ['srt', 'sort'],
    ] as const) {
      assert.equal(nearest(text, names), name, text);
    }
    assert.equal(nearest('x', []), undefined);
    for (const text of ['', 'q', 'i', 'ids', 'title.like', 'page']) {
      assert.equal(nearest(text, names), undefined, text);
    }
  });

  it('is none if several are equally near', () => {
    assert.equal(nearest('cart', ['cast', 'card']), undefined);
    assert.equal(nearest('cart', ['cast', 'caart', 'cards']), undefined);
    assert.equal(nearest('cart', ['carts', 'xxxx']), 'carts');
    assert.equal(nearest('MAXROWS', ['MAX_ROWS', 'MAX_ROW']), 'MAX_ROWS');
  });

  it('is found by the first forty letters, so that a long text takes no long time', () => {
    const start = 'x'.repeat(39);
    assert.equal(nearest(`${start}yz`, [`${start}yz`, `${start}y`]), `${start}y`);
    assert.equal(nearest('y'.repeat(400), [start]), undefined);
  });
});

describe('the nearest name with an operator', () => {
  const equality = ['eq', 'ne', 'in', 'notIn'];
  const ordered = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'notIn'];
  const operators = {
    id: ordered,
    title: [...ordered, 'contains', 'containsIgnoreCase', 'startsWith', 'endsWith'],
    completed: equality,
    priority: ordered,
    createdAt: ordered,
    due: [...equality, 'isNull', 'isNotNull'],
    dueAt: ordered,
  };
  const names = [
    ...['search', 'where', 'sort', 'limit', 'offset'],
    ...Object.entries(operators).flatMap(([name, all]) => [
      name,
      ...all.map((operator) => `${name}.${operator}`),
    ]),
  ];

  for (const [text, name] of [
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
    ['SORT', 'sort'],
    ['Completed.ne', 'completed.ne'],
    ['complete', 'completed'],
    ['prioritty', 'priority'],
    ['prioritty.gte', 'priority.gte'],
    ['created_at', 'createdAt'],
    ['created-at', 'createdAt'],
    ['Created_At.lt', 'createdAt.lt'],
    ['created_at__lt', 'createdAt.lt'],
    ['due_at_lt', 'dueAt.lt'],
    ['title_', 'title'],
    [`${'_'.repeat(3000)}limit`, 'limit'],
  ] as const) {
    it(`of ${text.slice(0, 40)} is ${name}`, () => {
      assert.equal(nearest(text, names, operators), name);
    });
  }

  it('is none rather than a wrong one', () => {
    for (const text of [
      ...['_', '', '-', '[', '.', 'utm_source', 'page', 'idx', 'ids', 'id_token', 'due_lt'],
      ...['constructor', '__proto__', 'x[id]', 'a.id', 'filter[id]', 'priority_min', 'title.like'],
      ...['priority.nin', 'priority.ge', 'x'.repeat(9000)],
    ]) {
      assert.equal(nearest(text, names, operators), undefined, text);
    }
  });
});
