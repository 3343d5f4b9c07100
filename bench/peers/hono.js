import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { etag } from 'hono/etag';
import { validator } from 'hono/validator';
import { createProblem, updateProblem } from './check.js';
import { Todos } from './store.js';

const todos = new Todos();
const app = new Hono();
app.use(etag());

const checked = (problemOf) =>
  validator('json', (body, c) => {
    const problem = problemOf(body);
    return problem ? c.json({ message: problem }, 400) : body;
  });
const id = validator('param', ({ id }, c) => {
  return /^\d+$/.test(id) ? Number(id) : c.json({ message: 'id must be an integer' }, 400);
});

app.get('/api/todos', (c) => {
  const { search, offset, limit } = c.req.query();
  return c.json(todos.list(search, offset && Number(offset), limit && Number(limit)));
});
app.post('/api/todos', checked(createProblem), (c) => {
  const created = todos.create(c.req.valid('json'));
  return c.json(created, 201, { Location: `/api/todos/${created.id}` });
});
app.get('/api/todos/:id', id, (c) => {
  const todo = todos.get(c.req.valid('param'));
  return todo ? c.json(todo) : c.json({ message: 'not found' }, 404);
});
app.put('/api/todos/:id', id, checked(updateProblem), (c) => {
  const todo = todos.update(c.req.valid('param'), c.req.valid('json'));
  return todo ? c.json(todo) : c.json({ message: 'not found' }, 404);
});
app.delete('/api/todos/:id', id, (c) => {
  todos.delete(c.req.valid('param'));
  return c.body(null, 204);
});

serve({ fetch: app.fetch, port: Number(process.env.PORT) });
