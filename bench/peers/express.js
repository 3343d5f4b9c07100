import express from 'express';
import { createProblem, updateProblem } from './check.js';
import { Todos } from './store.js';

const todos = new Todos();
const app = express();

app.use(express.json());

const checked = (problemOf) => (request, response, next) => {
  const problem = problemOf(request.body);
  if (problem) response.status(400).json({ message: problem });
  else next();
};

app.param('id', (request, response, next, id) => {
  if (!/^\d+$/.test(id)) return response.status(400).json({ message: 'id must be an integer' });
  request.id = Number(id);
  next();
});

app.get('/api/todos', (request, response) => {
  const { search, offset, limit } = request.query;
  response.json(todos.list(search, offset && Number(offset), limit && Number(limit)));
});
app.post('/api/todos', checked(createProblem), (request, response) => {
  const created = todos.create(request.body);
  response.status(201).location(`/api/todos/${created.id}`).json(created);
});
app.get('/api/todos/:id', (request, response) => {
  const todo = todos.get(request.id);
  if (todo) response.json(todo);
  else response.status(404).json({ message: 'not found' });
});
app.put('/api/todos/:id', checked(updateProblem), (request, response) => {
  const todo = todos.update(request.id, request.body);
  if (todo) response.json(todo);
  else response.status(404).json({ message: 'not found' });
});
app.delete('/api/todos/:id', (request, response) => {
  todos.delete(request.id);
  response.status(204).end();
});

app.listen(Number(process.env.PORT));
