import jsonServer from 'json-server';
import { Todos } from './store.js';

/*
 * json-server has no validation. Its list parameters have other names, and it needs no logger here.
 */
const app = jsonServer.create();
app.use(jsonServer.defaults({ logger: false }));
app.use('/api/todos', (request, _response, next) => {
  const { search, offset, limit, ...others } = request.query;
  if (search) request.query = { ...others, q: search };
  else if (limit) request.query = { ...others, _start: offset ?? '0', _limit: limit };
  next();
});
app.use('/api', jsonServer.router({ todos: new Todos().list() }));
app.listen(Number(process.env.PORT));
