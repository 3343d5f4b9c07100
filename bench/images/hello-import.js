import { createServer } from 'node:http';

createServer((_request, response) => response.end('hello')).listen(8080);
