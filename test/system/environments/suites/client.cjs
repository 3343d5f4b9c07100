const { request } = require('node:http');

/** Sends a request with what no environment replaces, and resolves to its status and content. */
exports.send = (method, url, value) =>
  new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json' };
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.on('error', reject).end(value === undefined ? undefined : JSON.stringify(value));
  });
