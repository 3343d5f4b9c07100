import etag from '@fastify/etag';
import Fastify from 'fastify';
import { IS_VARIANT_B, Todos } from './store.js';

const todos = new Todos();
const app = Fastify();
await app.register(etag);

const fields = {
  title: { type: 'string', minLength: 1, maxLength: 200 },
  description: { type: 'string', maxLength: 1000 },
  priority: { type: 'integer', minimum: 1, maximum: 5 },
};
const todo = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    title: { type: 'string' },
    description: { type: 'string' },
    completed: { type: 'boolean' },
    priority: { type: 'integer' },
    ...(IS_VARIANT_B && { createdAt: { type: 'string' } }),
  },
};
// A number would round ids above 2^53, so variant B takes their digits.
const params = {
  type: 'object',
  properties: { id: IS_VARIANT_B ? { type: 'string', pattern: '^-?\\d{1,19}$' } : { type: 'integer' } },
};
const idOf = IS_VARIANT_B ? BigInt : (id) => id;
const createBody = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { ...fields.title, pattern: '\\S' },
    description: { ...fields.description, default: '' },
    priority: { ...fields.priority, default: 3 },
  },
};
const updateBody = { type: 'object', properties: { ...fields, completed: { type: 'boolean' } } };
const querystring = {
  type: 'object',
  properties: {
    search: { type: 'string' },
    limit: { type: 'integer', minimum: 0 },
    offset: { type: 'integer', minimum: 0 },
  },
};

const notFound = (reply, id) => reply.code(404).send({ message: `Todo with id ${id} was not found` });

app.get(
  '/api/todos',
  { schema: { querystring, response: { 200: { type: 'array', items: todo } } } },
  async ({ query }) => todos.list(query.search, query.offset, query.limit),
);
app.post('/api/todos', { schema: { body: createBody, response: { 201: todo } } }, async (request, reply) => {
  const created = todos.create(request.body);
  reply.code(201).header('Location', `/api/todos/${created.id}`);
  return created;
});
app.get('/api/todos/:id', { schema: { params, response: { 200: todo } } }, async ({ params }, reply) => {
  return todos.get(idOf(params.id)) ?? notFound(reply, params.id);
});
app.put(
  '/api/todos/:id',
  { schema: { params, body: updateBody, response: { 200: todo } } },
  async ({ params, body }, reply) => todos.update(idOf(params.id), body) ?? notFound(reply, params.id),
);
app.delete('/api/todos/:id', { schema: { params } }, async ({ params }, reply) => {
  todos.delete(idOf(params.id));
  reply.code(204);
});

await app.listen({ port: Number(process.env.PORT), host: '::' });
