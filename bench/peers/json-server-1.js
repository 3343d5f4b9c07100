import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from 'json-server-1/lib/app.js';
import { Todos } from './store.js';

/*
 * json-server 1.0 has no validation, and its ids are strings. It searches by a condition, which
 * ignores case. Its data stay in memory here: it would write all of them to a file after each write.
 */
const todos = new Todos().list().map((todo) => ({ ...todo, id: String(todo.id) }));
// It reads its static files from `public` in the working directory, which must exist.
const folder = join(tmpdir(), 'json-server-1');
mkdirSync(join(folder, 'public'), { recursive: true });
process.chdir(folder);
const app = createApp({ data: { todos }, write: async () => {} }, { logger: false });

createServer((request, response) => {
  const [path, query] = request.url.split('?');
  const search = new URLSearchParams(query).get('search');
  const conditions = ['title', 'description'].map((field) => ({ [field]: { contains: search } }));
  const where = search && encodeURIComponent(JSON.stringify({ or: conditions }));
  request.url = path.replace('/api', '') + (where ? `?_where=${where}` : '');
  app.handler(request, response);
}).listen(Number(process.env.PORT));
