import { describedRoute, Problem } from '../../src/lib/http/index.ts';
import { and } from '../../src/lib/table/index.ts';
import { TAG } from '../../src/service/todo/item-resource.ts';
import { defineVariant } from '../../src/service/todo/variant.ts';

const given = { create: {}, update: true } as const;

/** The API of Todo-Backend (https://todobackend.com). */
export const todoBackend = defineVariant({
  name: 'todo-backend',
  summary: 'the API of Todo-Backend',
  fields: {
    id: { kind: 'integer', description: 'Never reused.', identity: { from: 1, to: 2 ** 31 - 1 } },
    title: { ...given, kind: 'text', description: 'What is to be done.' },
    completed: { ...given, kind: 'boolean', description: 'Whether it is done.', default: false },
    order: { ...given, kind: 'integer', description: 'Its place in the list.', nullable: true },
  },
  api: {
    collection: '/',
    searched: ['title'],
    examples: {
      create: { 'a title': { title: 'Buy milk' }, 'a place': { title: 'Buy milk', order: 1 } },
      update: { done: { completed: true } },
      where: { completed: false },
      brokenCreate: { order: 'first' },
      brokenUpdate: { completed: 'yes' },
    },
    computed: {
      url: {
        schema: { type: 'string', format: 'uri', description: 'Where the item is.' },
        example: 'http://localhost:8080/1',
        of: ({ id }, origin) => `${origin}/${id}`,
      },
    },
    routes: ({ store }) => [
      describedRoute('DELETE', '/', {
        id: 'deleteTodos',
        summary: 'Delete all items',
        description: 'It takes no condition.',
        tag: TAG,
        responses: { 204: { description: 'There are no items any more.' } },
        problems: store.problems.ofWrites,
        handle: async (request) => {
          if (!request.query.isEmpty) throw new Problem('malformed-request', 'It takes no query');
          await store.writeMatching({
            where: [and()],
            run: (steps) => request.run(steps),
            check: () => {},
            changeOf: () => 'deletion',
          });
          return { status: 204 };
        },
      }),
    ],
  },
});
