/*
 * The floor: the cost of `node:http` with a constant response. ANSWER names a file with its body,
 * FIELDS is a JSON object of its header fields. Requests with a body are read and parsed first.
 *
 * CommonJS, because it starts faster: an ES import of node:http makes Node evaluate its WebSocket
 * client too.
 */
const { isAscii } = require('node:buffer');
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');

const bytes = process.env.ANSWER ? readFileSync(process.env.ANSWER) : Buffer.from('[]');
// A string or a buffer, whichever node:http sends faster. A short string is written together with
// the head. Other strings would be encoded for each response.
const body = bytes.length < 16 * 1024 && isAscii(bytes) ? bytes.toString('latin1') : bytes;
const fields = JSON.parse(process.env.FIELDS ?? '{"Content-Type":"application/json"}');
const head = { ...fields, 'Content-Length': bytes.length };

createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, head);
    response.end(body);
    return;
  }
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { title } = JSON.parse(Buffer.concat(chunks).toString());
    if (typeof title !== 'string') response.writeHead(400).end();
    else if (request.method === 'POST') {
      response.writeHead(201, { ...head, Location: '/api/todos/1' }).end(body);
    } else response.writeHead(200, head).end(body);
  });
}).listen(Number(process.env.PORT));
