import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ListQuery, linksOf } from '../../src/web-page/client/list/list-query.ts';
import { LIST } from '../support/paths.ts';
import { serviceOf } from './service-of.ts';

describe('the address of the page', () => {
  it('has the parameters of the request', async (test) => {
    const service = await serviceOf(test);
    const query = new ListQuery(service, '?search=a+b&title.like=x%25&offset=100');
    assert.equal(query.apiPath(), `${LIST}?search=a+b&title.like=x%25&offset=100&limit=50`);
    assert.equal(query.pageQuery, '?search=a+b&title.like=x%25&offset=100');
    assert.deepEqual(query.filters, [['title.like', 'x%']]);
    assert.equal(query.with('sort', '-id').pageQuery, '?search=a+b&title.like=x%25&sort=-id');
    const more = query.and(['title.like', 'y']);
    assert.equal(more.pageQuery, '?search=a+b&title.like=x%25&title.like=y');
    assert.equal(more.without(['title.like', 'x%']).pageQuery, '?search=a+b&title.like=y');
    assert.equal(query.with('search', '').without(['title.like', 'x%']).pageQuery, '');
    assert.equal(new ListQuery(service, 'limit=7').apiPath(), `${LIST}?limit=7`);
  });

  it('has what the service understands, or says what is wrong with, and nothing else', async (test) => {
    const service = await serviceOf(test);
    const query = new ListQuery(
      service,
      '?utm_source=mail&q=milk&priority.near=4&titles=x&id.gt=5',
    );
    assert.equal(query.pageQuery, '?priority.near=4&id.gt=5');
    assert.deepEqual(query.filters, [
      ['priority.near', '4'],
      ['id.gt', '5'],
    ]);
  });

  it('tells whether it begins with the first item of all, and depends on fields', async (test) => {
    const service = await serviceOf(test);
    const facts = (query: string) => {
      const { isWhole, dependsOnFields } = new ListQuery(service, query);
      return [isWhole, dependsOnFields];
    };
    assert.deepEqual(facts('limit=5'), [true, false]);
    assert.deepEqual(facts('offset=50'), [false, false]);
    assert.deepEqual(facts('sort=title'), [true, true]);
    assert.deepEqual(facts('completed=true'), [false, true]);
    assert.deepEqual(facts('id.gt=5'), [false, true]);
  });

  it('follows links of the service', async (test) => {
    const query = new ListQuery(await serviceOf(test), '');
    const field =
      `<${LIST}?sort=-id&limit=50&offset=0>; rel="first", ` +
      `<${LIST}?sort=-id&limit=50&offset=150>; rel="last"`;
    const links = linksOf(field);
    assert.deepEqual([...links.keys()], ['first', 'last']);
    assert.equal(query.follow(links.get('first') ?? '').pageQuery, '?sort=-id');
    assert.equal(query.follow(links.get('last') ?? '').pageQuery, '?sort=-id&offset=150');
    assert.equal(linksOf(null).size, 0);
  });

  it('has a target that selects what is done on all pages', async (test) => {
    const service = await serviceOf(test);
    const pathFor = (query: string) =>
      new ListQuery(service, query).selectionPath(['completed', 'true']);
    assert.equal(pathFor(''), `${LIST}?completed=true`);
    assert.equal(
      pathFor('?sort=title&limit=7&offset=14&search=milk&completed=true&id.gt=5'),
      `${LIST}?search=milk&id.gt=5&completed=true`,
    );
  });
});
