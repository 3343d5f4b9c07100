import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { helpText, parseCommand } from '../../../src/lib/config/command-line.ts';
import { ConfigError, variableOf } from '../../../src/lib/config/setting.ts';
import { PLACE_BYTES } from '../../../src/lib/http/index.ts';
import { STORE_SETTINGS } from '../../../src/replicas/store-settings.ts';
import {
  largestMaxBytes,
  longLivedBytes,
  memoryPlan,
  nearlyFullBytes,
} from '../../../src/service/memory-plan.ts';
import { PROCESS_SETTINGS } from '../../../src/service/settings/process-settings.ts';
import { ITEM_SETTINGS, SETTINGS } from '../../../src/service/settings/service-settings.ts';
import { VARIANTS } from '../../../src/service/todo/variants.ts';

const SETTINGS_OF_ALL = { ...PROCESS_SETTINGS, ...ITEM_SETTINGS, ...STORE_SETTINGS };

function configOf(args: string[], env: NodeJS.ProcessEnv = {}) {
  const command = parseCommand(SETTINGS, args, env);
  assert.equal(command.name, 'serve');
  return command.config.of(SETTINGS_OF_ALL);
}

const TIME_ZONE = 'an IANA time zone in its exact spelling, such as Europe/Berlin';

const ENDPOINTS =
  'ETCD_ENDPOINTS must be http or https URLs without user, password and path, separated by commas';

const NAMES = [...VARIANTS.keys()].join(' or ');

const WITHDRAWN = 'was withdrawn; STRICT=off ignores unknown names';

const MiB = 1024 * 1024;

describe('the settings', () => {
  it('divide any heap, so that no part can fill it', () => {
    for (const heap of [32, 64, 128, 256, 4096, 65536]) {
      const { maxBytes, permits, places, cacheBytes } = memoryPlan(heap * MiB);
      const waitingBytes = places * PLACE_BYTES;
      const program = Math.min(16, (3 * heap) / 4) * MiB;
      assert(maxBytes > 0 && permits > 0 && waitingBytes > 0 && cacheBytes > 0);
      // Long contents and results are outside the heap.
      const most = program + 1.5 * maxBytes + waitingBytes + cacheBytes;
      assert(most < 0.95 * heap * MiB, `${most} of ${heap} MiB`);
    }
    assert(memoryPlan(4096 * MiB).maxBytes > 1600 * MiB);
    const longestSeeds = [64, 32].map((heap) => memoryPlan(heap * MiB).maxSeedBytes / MiB);
    assert.deepEqual(longestSeeds, [1, 0.5]);
  });

  it('count a heap as nearly full from 70 % on, and not for items alone, up to 85 %', () => {
    for (const heap of [32 * MiB, 64 * MiB, 4096 * MiB]) {
      const { maxBytes } = memoryPlan(heap);
      assert(nearlyFullBytes(heap, 0) === 0.7 * heap);
      assert(nearlyFullBytes(heap, maxBytes) <= 0.8 * heap);
      const largest = largestMaxBytes(heap);
      assert(largest > maxBytes && nearlyFullBytes(heap, largest) <= 0.85 * heap);
      assert(nearlyFullBytes(heap, largest) > 1.5 * largest);
    }
  });

  it('take most of the heap limit that Node has in a container, and never too much', () => {
    for (const [memory, heapLimit] of [
      [128, 70],
      [256, 134],
      [384, 204],
      [512, 268],
      [1024, 536],
    ] as const) {
      const bytes = longLivedBytes(heapLimit * MiB, memory * MiB);
      assert(bytes <= (memory / 2) * MiB, `${memory} MiB`);
      assert(bytes > 0.94 * (memory / 2) * MiB, `${memory} MiB`);
    }
  });

  it('leave free the space for new objects, also if flags of Node set a size', () => {
    // Limits that Node 20 and 26 report with --max-old-space-size=64 and 24 GiB of memory.
    for (const [heapLimit, flags, expected] of [
      [112, '--max-old-space-size=64', 64],
      [160, 'undefined --max_old_space_size 64 --inspect', 64],
      [160, '--max-old-space-size=128 --max-old-space-size=64', 64],
      [160, '--max-old-space-size=0', 64],
      [112, '', 44.8],
      [160, '--max-semi-space-size=0', 64],
      [448, '--max-semi-space-size=128', 64],
      [448, '--max_semi_space_size=100 --inspect', 64],
      [112, '"--max-semi-space-size=128" --max-semi-space-size 16', 64],
    ] as const) {
      const bytes = longLivedBytes(heapLimit * MiB, 24 * 1024 * MiB, flags);
      assert.equal(Math.round(bytes), Math.round(expected * MiB), flags);
    }
  });

  it('come from environment variables, overridden by flags of the same names', () => {
    const env = { PORT: '1', HOST: '127.0.0.1', VARIANT: 'b', TZ: 'Europe/Berlin', MAX_ROWS: '5' };
    const fromEnv = configOf([], env);
    assert.deepEqual(
      [fromEnv.port, fromEnv.host, fromEnv.variant.name, fromEnv.tz, fromEnv.maxRows],
      [1, '127.0.0.1', 'b', 'Europe/Berlin', 5],
    );
    const fromFlags = configOf(
      ['--port', '1', '--port', '2', '--host=::1', '--variant', 'a', '--tz=UTC', '--max-rows', '6'],
      env,
    );
    assert.deepEqual(
      [fromFlags.port, fromFlags.host, fromFlags.variant.name, fromFlags.tz, fromFlags.maxRows],
      [2, '::1', 'a', 'UTC', 6],
    );
  });

  for (const [args, env, message] of [
    [['--port='], {}, '--port must be an integer from 0 to 65535, not ""'],
    [['--port'], {}, '--port needs a value: an integer from 0 to 65535'],
    [['--access-log'], {}, '--access-log needs a value: on or off'],
    [['--help=x'], {}, '--help takes no value'],
    [[], { HOST: 'a b' }, 'HOST must be a host name, an IP address or *, not "a b"'],
    [[], { HOST: 'x:8080' }, 'HOST must be a host name, an IP address or *, not "x:8080"'],
    [[], { VARIANT: 'A' }, `VARIANT must be ${NAMES}, not "A"`],
    [[], { TZ: 'Mars/Olympus' }, `TZ must be ${TIME_ZONE}, not "Mars/Olympus"`],
    [['--tz=system'], { TZ: 'UTC' }, `--tz must be ${TIME_ZONE}, not "system"`],
    ...[
      ...['app.example', 'http://a/', 'http://A', 'http://a:80', 'none,*', 'https://*.example'],
      'http://a,,*',
    ].map(
      (list) =>
        [
          [],
          { CORS_ORIGINS: list },
          `CORS_ORIGINS must be none, *, or origins such as https://app.example:8443 (no / at the end), localhost or null, not ${JSON.stringify(list)}`,
        ] as const,
    ),
    ...['http://x', 'x:80', 'a,,b', '*,a', '.*', 'a b', '', '.', 'x..y'].map(
      (list) =>
        [
          ['--allowed-hosts', list],
          {},
          `--allowed-hosts must be names such as abc.example or .example, without ports, separated by commas; or *, not ${JSON.stringify(list)}`,
        ] as const,
    ),
    ...['anna,b c', 'anna,anna', ','].map(
      (list) =>
        [
          ['--lists', list],
          {},
          `--lists must be up to 100 different names of 1 to 64 letters, digits and -._~, separated by commas, not ${JSON.stringify(list)}`,
        ] as const,
    ),
    [[], { STRICT: '1' }, 'STRICT must be on or off, not "1"'],
    [[], { STRICT_QUERY: 'on' }, `STRICT_QUERY ${WITHDRAWN}`],
    [['--strict-query', 'off'], {}, `--strict-query ${WITHDRAWN}`],
    [[], { METRICS: '"on"' }, 'METRICS must be on or off, not "\\"on\\""'],
    [[], { ETCD_ENDPOINTS: 'http://a:1//' }, ENDPOINTS],
    [[], { ETCD_ENDPOINTS: 'root:secret' }, ENDPOINTS],
    [[], { ETCD_ENDPOINTS: 'http://a:1,root:123456' }, ENDPOINTS],
    [['--nonsense'], {}, '--nonsense is unknown; --help lists the flags'],
    [['--SECRET'], {}, 'argument 1 is unknown; --help lists the flags'],
    [['--', 'secret'], {}, 'argument 2 is unknown; --help lists the flags'],
    [['--', '--nonsense'], {}, '--nonsense is unknown; --help lists the flags'],
    [['--port=1', '127.0.0.1'], {}, 'argument 2 is unknown; --help lists the flags'],
    [['--max-rows', '1', '--prot=2'], {}, '--prot is unknown; did you mean --port?'],
    [['--seed', 'x'], {}, '--seed is unknown; did you mean --seed-file?'],
    [['--cors'], {}, '--cors is unknown; did you mean --cors-origins?'],
    [['--etcd', 'x'], {}, '--etcd is unknown; did you mean --etcd-ca?'],
    [['--delay', '300'], {}, `--delay is unknown; type --faults '[{"delayMs": 300}]'`],
    [['--', '9000'], {}, 'argument 2 is unknown; type --port 9000'],
    [['-p', '9000'], {}, 'argument 1 is unknown; type --port 9000'],
    [['-p9000'], {}, 'argument 1 is unknown; type --port 9000'],
    [['--variant', 'b', 'secret/x.json'], {}, 'argument 3 is unknown; type --seed-file db.json'],
    [
      ['db.json'],
      { npm_lifecycle_event: 'start' },
      'argument 1 is unknown; type npm start -- --seed-file db.json',
    ],
    [['--seedfile', 'x'], {}, '--seedfile is unknown; did you mean --seed-file?'],
    [['--port', '8080', '8080'], {}, 'argument 3 is unknown; type --port 9000'],
    [['--', '--port', 'x', '--', 'x'], {}, 'argument 5 is unknown; --help lists the flags'],
    [['--max', '1'], {}, '--max is unknown; --help lists the flags'],
    [['--a1'], {}, 'argument 1 is unknown; --help lists the flags'],
    [['--a.b=c'], {}, 'argument 1 is unknown; --help lists the flags'],
    [['port=80'], {}, 'argument 1 is unknown; did you mean --port?'],
  ] as const) {
    it(`reject ${JSON.stringify([args, env])} in one line`, () => {
      assert.throws(
        () => parseCommand(SETTINGS, args, env),
        (error: Error) => {
          assert(error instanceof ConfigError);
          assert(!error.message.includes('\n'));
          assert.equal(error.message, message);
          return true;
        },
      );
    });
  }

  it('take on, off, true and false for switches', () => {
    for (const [text, isOn] of [
      ['on', true],
      ['true', true],
      ['off', false],
      ['false', false],
    ] as const) {
      const { metrics, strict, accessLog } = configOf([], {
        ...{ METRICS: text, STRICT: text, ACCESS_LOG: text },
      });
      assert.deepEqual([metrics, strict, accessLog], [isOn, isOn, isOn], text);
    }
  });

  it('are all in the help text, with their defaults, except withdrawn ones', () => {
    const shown = Object.entries(SETTINGS).filter(([name]) => name !== 'strictQuery');
    for (const [name, { defaultText }] of shown) {
      const variable = variableOf(name);
      const flag = `--${variable.toLowerCase().replaceAll('_', '-')}`;
      const line = helpText('program', 'does what it does', SETTINGS)
        .split('\n')
        .find((each) => each.trim().startsWith(`${flag} `));
      assert(line?.includes(`  ${variable}  `), variable);
      assert(line?.endsWith(`(default: ${defaultText})`), line);
    }
    const rows = helpText('program', 'x', SETTINGS).match(/^ {2}--\S+ {2,}[A-Z_]+ {2,}/gm) ?? [];
    assert.equal(rows.length, shown.length);
    const columns = new Set(rows.flatMap((row) => [row.length, row.search(/[A-Z]/)]));
    assert.equal(columns.size, 2, 'variables and descriptions have a column each');
  });

  for (const host of ['localhost', '127.0.0.1', '::1', 'fe80::1%eth0', 'a-b.example', '*']) {
    it(`accept ${host} as a host`, () => assert.equal(configOf([], { HOST: host }).host, host));
  }

  it('are not checked for --help, -h and --version', () => {
    assert.equal(parseCommand(SETTINGS, ['-h'], { PORT: 'x' }).name, 'help');
    assert.equal(parseCommand(SETTINGS, ['--help'], { PORT: 'x' }).name, 'help');
    assert.equal(parseCommand(SETTINGS, ['--version'], { PORT: 'x' }).name, 'version');
  });
});

it('the settings that differ from the defaults can be shown, without secrets', () => {
  const FAULTS = '[{"requestHeaders":{"Authorization":"secret"},"status":503}]';
  const secrets = { ADMIN_TOKEN: 'secret', ETCD_USER: 'todo:secret', FAULTS };
  const command = parseCommand(SETTINGS, [], { ...secrets, MAX_ROWS: '5', STORE: 'memory' });
  assert.equal(command.name, 'serve');
  const shown = { MAX_ROWS: '5', FAULTS: '1 fault', ADMIN_TOKEN: 'set', ETCD_USER: 'set' };
  assert.deepEqual(command.config.changes, shown);
  const others = { BASE_PATH: '/a', ETCD_ENDPOINTS: 'http://a:1, https://b', SEED_FILE: 'a@b?c' };
  const withToken = parseCommand(SETTINGS, [], { ADMIN_TOKEN: 'a', ...others });
  assert.equal(withToken.name, 'serve');
  assert.deepEqual(withToken.config.changes, {
    ...others,
    ADMIN_TOKEN: 'set',
    ETCD_ENDPOINTS: 'http://a:1,https://b',
  });
  assert.throws(() => parseCommand(SETTINGS, [], { ADMIN_TOKEN: 'a', PORT: 'a' }), {
    message: 'PORT must be an integer from 0 to 65535, not "a"',
  });
  const same = {
    CORS_ORIGINS: 'localhost',
    ETCD_ENDPOINTS: 'http://127.0.0.1:2379',
    METRICS: 'on',
  };
  const repeated = parseCommand(SETTINGS, [], { ...same, VARIANT: 'b', IMAGE_VARIANT: 'b' });
  assert.equal(repeated.name, 'serve');
  assert.deepEqual(repeated.config.changes, {});
});
