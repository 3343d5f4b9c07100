import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { variantA } from '../../src/service/todo/variant-a.ts';
import { itemPath, LIST } from '../support/paths.ts';
import { RawClient, type RawResponse, rawClientFor } from '../support/raw.ts';
import { createRequest, getRequest } from '../support/raw-requests.ts';
import { startApp } from '../support/service.ts';
import { describeApi } from './suite.ts';

const HERE = 'http://localhost:5173';

async function start(test: TestContext, list: string) {
  const { port } = await startApp(test, variantA, { env: { CORS_ORIGINS: list } });
  return (bytes: string) => send(port, bytes);
}

async function send(port: number, bytes: string): Promise<RawResponse> {
  const client = await RawClient.connect(port);
  const response = await client.send(bytes).next();
  client.destroy();
  return response ?? assert.fail('there is a response');
}

function from(origin: string, target = LIST): string {
  return getRequest(target, `Origin: ${origin}\r\n`);
}

function preflight(origin: string, fields = '', target = LIST): string {
  const all = `Origin: ${origin}\r\nAccess-Control-Request-Method: PUT\r\n${fields}`;
  return getRequest(target, all).replace('GET', 'OPTIONS');
}

const allowOrigin = ({ headers }: RawResponse) => headers['access-control-allow-origin'];

describeApi('a page on an allowed origin', 'Cross-origin requests', (api) => {
  const ask = (bytes: string) => send(api.port, bytes);

  it('can read every response', async () => {
    const ORIGIN = `Origin: ${HERE}\r\n`;
    const withLength = (length: number) => `${ORIGIN}Content-Length: ${length}\r\n`;
    const create = createRequest({ fields: withLength(20) });
    for (const [bytes, status] of [
      [from(HERE), 200],
      [from(HERE).replace('Origin', 'If-None-Match: *\r\nOrigin'), 304],
      [from(HERE, itemPath(0)), 404],
      [from(HERE, '/none'), 404],
      [from(HERE, itemPath('x')), 400],
      [from(HERE, `${LIST}?limit=x`), 400],
      [from(HERE).replace('GET', 'TRACE'), 405],
      [from(HERE).replace('GET', 'OPTIONS'), 204],
      [getRequest(LIST, `${ORIGIN}Accept: text/html\r\n`), 406],
      [createRequest({ fields: withLength(99_999), body: '' }), 413],
      [from(HERE, `/${'x'.repeat(9_000)}`), 414],
      [create.replace('json', 'xml'), 415],
      [from(HERE).replace('Origin', 'Expect: x\r\nOrigin'), 417],
      [create, 201],
      [createRequest({ fields: withLength(2), body: '{}' }), 400],
    ] as const) {
      const response = await ask(bytes);
      const { headers } = response;
      assert.equal(response.status, status, bytes.slice(0, 200));
      assert.equal(allowOrigin(response), HERE, `${status}`);
      assert.equal(headers.vary, 'Origin');
      assert.equal(
        headers['access-control-expose-headers'],
        'ETag, Link, Location, X-Total-Count, X-Request-Id, ' +
          'Retry-After, Allow, Accept-Patch, Accept-Post',
      );
      assert.equal(headers['access-control-allow-credentials'], 'true');
    }
  });
});

describeApi('a preflight', 'Cross-origin requests', (api) => {
  const ask = (bytes: string) => send(api.port, bytes);

  it('of a known path gets its methods and the requested fields, if the origin is allowed', async () => {
    const fields = 'Access-Control-Request-Headers: content-type, If-Match,x-y\r\n';
    const { headers: plain, status } = await ask(preflight('https://evil.example'));
    assert.deepEqual([status, plain.vary], [204, 'Origin']);
    for (const name in plain) assert(!name.startsWith('access-control'), name);
    for (const target of [LIST, itemPath(1)]) {
      const response = await ask(preflight(HERE, fields, target));
      assert.equal(response.status, 204);
      assert.equal(allowOrigin(response), HERE);
      const { allow, 'access-control-allow-methods': methods } = response.headers;
      assert.equal(methods, allow);
      assert.equal(allow === plain.allow, target === LIST, 'each path has its own');
      assert.equal(response.headers['access-control-allow-headers'], 'content-type, If-Match, x-y');
      assert.equal(response.headers['access-control-max-age'], '600');
    }
  });

  it('allows the field names that are tokens', async () => {
    for (const [names, allowed] of [
      ['a b', undefined],
      ['a;b', undefined],
      ['"a"', undefined],
      ['a, <b>,c', 'a, c'],
    ]) {
      const response = await ask(preflight(HERE, `Access-Control-Request-Headers: ${names}\r\n`));
      assert.equal(response.status, 204);
      assert.equal(response.headers['access-control-allow-headers'], allowed, names);
    }
  });

  it('of an unknown path gets all methods, so that the page can read the 404', async () => {
    for (const target of ['/none', `${LIST}/`, '/administrator']) {
      const response = await ask(preflight(HERE, '', target));
      assert.equal(response.status, 204);
      assert.equal(allowOrigin(response), HERE);
      assert.equal(response.headers.vary, 'Origin');
      const { 'access-control-allow-methods': methods } = response.headers;
      assert.equal(methods, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
    }
    assert.equal((await ask(preflight('https://evil.example', '', '/none'))).status, 404);
    assert.equal((await ask(preflight(HERE, '', '/none?%'))).status, 400);
  });
});

it("the service's own origin gets none of these fields, unless the setting is *", async (test) => {
  for (const [setting, origin, expected] of [
    ['localhost', 'http://localhost', undefined],
    ['localhost', 'https://localhost', 'https://localhost'],
    ['localhost', 'http://localhost:1', 'http://localhost:1'],
    ['*', 'http://localhost', '*'],
  ] as const) {
    const ask = await start(test, setting);
    const ofHost = from(origin).replace(/Host:[^\r]*/, 'Host: localhost');
    const absolute = from(origin, `http://localhost${LIST}`);
    for (const request of [ofHost, absolute.replace(/Host:[^\r]*/, 'Host: other')]) {
      const response = await ask(request);
      assert.equal(allowOrigin(response), expected, request);
      assert.equal(response.headers.vary, setting === '*' ? undefined : 'Origin');
    }
  }
});

it('/admin and paths below it have no CORS; without a token, they are like unknown paths', async (test) => {
  const ask = await start(test, 'localhost');
  const fieldsOf = async (target: string) => {
    const { headers } = await ask(from(HERE, target));
    const { date, 'x-request-id': id, 'content-length': length, ...others } = headers;
    return others;
  };
  const ofUnknown = await fieldsOf('/other/x');
  assert.equal(ofUnknown['access-control-allow-origin'], HERE);
  const isShared = (name: string) => name.startsWith('access-control-');
  const expected = Object.fromEntries(
    Object.entries(ofUnknown).filter(([name]) => !isShared(name)),
  );
  for (const target of ['/admin', '/admin/x', '/admin/reset']) {
    assert.deepEqual(await fieldsOf(target), expected, target);
    const refused = await ask(preflight(HERE, '', target));
    assert.deepEqual([refused.status, allowOrigin(refused)], [404, undefined], target);
  }
});

describe('the allowed origins', () => {
  for (const [list, allowed, refused] of [
    [
      'localhost',
      [
        ...['http://localhost', 'http://localhost:5173', 'https://localhost:8443'],
        ...['http://127.0.0.1:3000', 'http://[::1]:3000', 'http://my_app.localhost:3000'],
        'https://a.b-c.localhost',
      ],
      [
        ...['http://localhost.evil.example', 'http://notlocalhost'],
        ...['http://evil.example/localhost', 'http://localhost:80:80', 'ftp://localhost', 'null'],
        ...['http://127.0.0.2', 'HTTP://LOCALHOST', 'http://localhost:5173/', 'localhost'],
      ],
    ],
    [
      'https://app.example:8443, http://[2001:db8::1], capacitor://localhost',
      ['https://app.example:8443', 'http://[2001:db8::1]', 'capacitor://localhost'],
      ['https://app.example', 'http://app.example:8443', 'http://localhost:5173'],
    ],
    [
      'https://a.example,localhost',
      ['https://a.example', 'http://localhost:1'],
      ['https://b.example'],
    ],
  ] as const) {
    it(`${list}: exactly these`, async (test) => {
      const ask = await start(test, list);
      for (const origin of allowed)
        assert.equal(
          allowOrigin(await ask(from(origin).replace('localhost', '127.0.0.1'))),
          origin,
        );
      for (const origin of refused) {
        const response = await ask(from(origin));
        assert.equal(response.status, 200);
        assert.equal(allowOrigin(response), undefined, origin);
        assert.equal(response.headers.vary, 'Origin');
      }
      assert.equal((await ask(getRequest(LIST))).headers.vary, 'Origin');
    });
  }

  it('null: without credentials, which origins that are named may send', async (test) => {
    const ask = await start(test, 'null,https://a.example');
    for (const [origin, credentials] of [
      ['null', undefined],
      ['https://a.example', 'true'],
    ] as const) {
      for (const bytes of [from(origin), preflight(origin)]) {
        const response = await ask(bytes);
        assert.equal(allowOrigin(response), origin);
        assert.equal(response.headers['access-control-allow-credentials'], credentials);
      }
    }
  });

  it('*: every origin', async (test) => {
    const ask = await start(test, '*');
    for (const bytes of [from('https://x.example'), from('null'), getRequest('/livez')]) {
      const response = await ask(bytes);
      assert.equal(allowOrigin(response), '*');
      assert.equal(response.headers.vary, undefined);
      assert.equal(response.headers['access-control-allow-credentials'], undefined);
    }
    for (const target of [LIST, '/none']) {
      const { headers } = await ask(preflight('https://x.example', '', target));
      assert.match(String(headers['access-control-allow-methods']), /^GET, HEAD, /);
      assert.deepEqual([headers['access-control-allow-origin'], headers.vary], ['*', undefined]);
    }
    assert.equal((await ask(preflight('https://x.example', '', '/admin/x'))).status, 404);
  });

  it('none: responses show no trace of CORS', async (test) => {
    const ask = await start(test, 'none');
    for (const bytes of [from(HERE), preflight(HERE)]) {
      const { headers } = await ask(bytes);
      assert.equal(headers.vary, undefined);
      for (const name in headers) assert(!name.startsWith('access-control'), name);
    }
  });
});

it('an origin that is refused is logged once; its own never is', async (test) => {
  const refused: unknown[] = [];
  const { port } = await startApp(test, variantA, {
    env: { ALLOWED_HOSTS: 'own.example' },
    log: (_level, message, fields) => {
      if (message.startsWith('origin refused')) refused.push(fields?.origin);
    },
  });
  const client = await rawClientFor(test, port);
  for (const origin of ['http://a.example', 'http://b.example', 'http://a.example', HERE]) {
    await client.send(from(origin)).next();
  }
  for (const [own, host, fields = ''] of [
    ['http://own.example:8550', 'own.example', 'Sec-Fetch-Site: same-origin\r\n'],
    [`http://127.0.0.1:${port}`, `127.0.0.1:${port}`],
    [`http://localhost:${port}`, `LOCALHOST:${port}`],
    ['https://own.example', 'own.example'], // of a gateway that ends TLS
  ] as const) {
    const request = from(own).replace(/Host: [^\r]*\r\n/, `Host: ${host}\r\n${fields}`);
    const answer = await client.send(request).next();
    assert.equal(answer?.headers['access-control-allow-origin'], undefined);
  }
  assert.deepEqual(refused, ['http://a.example', 'http://b.example']);
});
