import { createServer } from 'node:http';
import { Todos } from './store.js';

/* Only the Map of plain objects; the server just reports when it is filled. */
const todos = new Todos();
createServer((_request, response) => response.end(String(todos.get(1)?.id))).listen(
  Number(process.env.PORT),
);
