import { createServer } from 'node:http';

/**
 * A front end that renders the list on the server.
 * @param api the base URL of the service
 * @param fieldsFor returns the header fields to send there, for a request of a browser
 */
export function createFront(api, fieldsFor) {
  return createServer(async (request, response) => {
    const todos = await fetch(`${api}/api/todos`, { headers: fieldsFor(request) });
    const items = (await todos.json()).map(({ title }) => `<li>${title}</li>`);
    response.setHeader('Content-Type', 'text/html').end(`<ul>${items.join('')}</ul>`);
  });
}

/** Passes the field `baggage` on, by which the service chooses the list. */
export function passBaggage({ headers: { baggage = '' } }) {
  return { baggage };
}
