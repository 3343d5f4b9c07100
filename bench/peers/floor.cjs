/*
 * The baseline: the cost of `node:http` with constant responses. ANSWERS is a JSON object of the
 * kinds get, list and search, each with a file of content and header fields. Requests with content
 * are read and parsed first, and get the answer of get.
 *
 * CommonJS, because it starts faster: an ES import of node:http makes Node evaluate its WebSocket
 * client too.
 */
const { isAscii } = require('node:buffer');
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');

const LIST = '/api/todos';
const answers = JSON.parse(process.env.ANSWERS ?? '{}');
const [get, list, search] = ['get', 'list', 'search'].map((kind) => {
  const { file, fields = { 'Content-Type': 'application/json' } } = answers[kind] ?? {};
  const bytes = file ? readFileSync(file) : Buffer.from('[]');
  // A string or a buffer, whichever node:http sends faster. A short string is written together with
  // the head. Other strings would be encoded for each response.
  const body = bytes.length < 16 * 1024 && isAscii(bytes) ? bytes.toString('latin1') : bytes;
  return { body, head: { ...fields, 'Content-Length': bytes.length } };
});

createServer((request, response) => {
  if (request.method === 'GET') {
    const { url } = request;
    const isItem = url.charCodeAt(LIST.length) === 47;
    const { head, body } = isItem ? get : url.length === LIST.length ? list : search;
    response.writeHead(200, head);
    response.end(body);
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { title } = JSON.parse(Buffer.concat(chunks).toString());
    const { head, body } = get;
    if (typeof title !== 'string') response.writeHead(400).end();
    else if (request.method === 'POST') {
      response.writeHead(201, { ...head, Location: '/api/todos/1' }).end(body);
    } else response.writeHead(200, head).end(body);
  });
}).listen(Number(process.env.PORT));
