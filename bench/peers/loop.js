/*
 * What a programmer writes in an hour: node:http, a Map, validation, the JSON and the lower-case text of
 * each item made when it is written, and the list made when it is first read. No tags, no filters, no
 * limits, no events.
 */
import { createServer } from 'node:http';
import { createProblem, updateProblem } from './check.js';
import { Todos } from './store.js';

const LIST = '/api/todos';
const todos = new Todos();
/** By id: the JSON of an item, and its texts in lower case. */
const made = new Map();
let list;

for (const todo of todos.list()) keep(todo);

function keep(todo) {
  const { id, title, description } = todo;
  const entry = { json: JSON.stringify(todo), lower: `${title}\n${description}`.toLowerCase() };
  made.set(id, entry);
  list = undefined;
  return entry.json;
}

function found(search) {
  const term = search?.toLowerCase();
  if (!term?.trim()) {
    list ??= `[${Array.from(made.values(), ({ json }) => json).join()}]`;
    return list;
  }
  const items = [];
  for (const { json, lower } of made.values()) if (lower.includes(term)) items.push(json);
  return `[${items.join()}]`;
}

function send(response, status, json, fields) {
  const length = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) };
  response.writeHead(status, { ...length, ...fields }).end(json);
}

const refuse = (response, status, message) => send(response, status, JSON.stringify({ message }));

function write(request, response, id) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    let content;
    try {
      content = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return refuse(response, 400, 'the body must be JSON');
    }
    const isCreate = id === undefined;
    const problem = isCreate ? createProblem(content) : updateProblem(content);
    if (problem !== undefined) return refuse(response, 400, problem);
    const todo = isCreate ? todos.create(content) : todos.update(id, content);
    if (todo === undefined) return refuse(response, 404, 'not found');
    const fields = isCreate ? { Location: `${LIST}/${todo.id}` } : undefined;
    return send(response, isCreate ? 201 : 200, keep(todo), fields);
  });
}

createServer((request, response) => {
  const [path, query = ''] = request.url.split('?');
  const [, digits] = /^\/api\/todos(?:\/(\d+))?$/.exec(path) ?? [];
  const id = digits === undefined ? undefined : Number(digits);
  if (path !== LIST && id === undefined) refuse(response, 404, 'not found');
  else if (request.method !== 'GET') write(request, response, id);
  else if (id === undefined) send(response, 200, found(new URLSearchParams(query).get('search')));
  else if (made.has(id)) send(response, 200, made.get(id).json);
  else refuse(response, 404, 'not found');
}).listen(Number(process.env.PORT));
