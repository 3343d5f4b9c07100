import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Config, ConfigError, helpText, parseCommand, rowsThatFit } from '../src/config.ts';

function configOf(args: string[], env: NodeJS.ProcessEnv = {}): Config {
  const command = parseCommand(args, env);
  assert.equal(command.name, 'serve');
  return command.config;
}

describe('the settings', () => {
  it('have defaults', () => {
    const { variant, ...rest } = configOf([]);
    assert.equal(variant.name, 'a');
    assert.deepEqual(rest, {
      port: 8080,
      host: undefined,
      timeZone: undefined,
      maxRows: 1_000_000,
      drainTimeoutMs: 8_000,
    });
  });

  it('keep fewer items by default where the heap is small', () => {
    const MiB = 1024 * 1024;
    assert.equal(rowsThatFit(64 * MiB), 43_690);
    assert.equal(rowsThatFit(64 * 1024 * MiB), 1_000_000);
  });

  it('come from environment variables, and flags of the same names win', () => {
    const env = { PORT: '1', HOST: '127.0.0.1', VARIANT: 'b', TZ: 'Europe/Berlin', MAX_ROWS: '5' };
    const fromEnv = configOf([], env);
    assert.deepEqual(
      [fromEnv.port, fromEnv.host, fromEnv.variant.name, fromEnv.timeZone, fromEnv.maxRows],
      [1, '127.0.0.1', 'b', 'Europe/Berlin', 5],
    );
    const fromFlags = configOf(
      ['--port', '2', '--host=::1', '--variant', 'a', '--tz=UTC', '--max-rows', '6'],
      env,
    );
    assert.deepEqual(
      [
        fromFlags.port,
        fromFlags.host,
        fromFlags.variant.name,
        fromFlags.timeZone,
        fromFlags.maxRows,
      ],
      [2, '::1', 'a', 'UTC', 6],
    );
  });

  for (const [args, env, message] of [
    [[], { PORT: '' }, 'PORT must be an integer from 0 to 65535, not ""'],
    [[], { PORT: '65536' }, 'PORT must be an integer from 0 to 65535, not "65536"'],
    [[], { PORT: '80 80' }, 'PORT must be an integer from 0 to 65535, not "80 80"'],
    [['--port', '-1'], {}, "Option '--port' argument is ambiguous; --help lists the flags"],
    [['--port=-1'], {}, '--port must be an integer from 0 to 65535, not "-1"'],
    [['--port=1e3'], {}, '--port must be an integer from 0 to 65535, not "1e3"'],
    [[], { HOST: 'a b' }, 'HOST must be a host name, an IP address or *, not "a b"'],
    [[], { VARIANT: 'A' }, 'VARIANT must be a or b, not "A"'],
    [['--variant=c'], { VARIANT: 'a' }, '--variant must be a or b, not "c"'],
    [
      [],
      { TZ: 'Mars/Olympus' },
      'TZ must be an IANA time zone, such as Europe/Berlin, not "Mars/Olympus"',
    ],
    [[], { TZ: '' }, 'TZ must be an IANA time zone, such as Europe/Berlin, not ""'],
    [[], { MAX_ROWS: '0' }, 'MAX_ROWS must be an integer from 1 to 100000000, not "0"'],
    [
      [],
      { DRAIN_TIMEOUT_MS: '8s' },
      'DRAIN_TIMEOUT_MS must be an integer from 0 to 3600000, not "8s"',
    ],
    [['--nonsense'], {}, "Unknown option '--nonsense'; --help lists the flags"],
    [['serve'], {}, "Unexpected argument 'serve'; --help lists the flags"],
  ] as const) {
    it(`refuse ${JSON.stringify([args, env])} in one line`, () => {
      assert.throws(
        () => parseCommand(args, env),
        (error: Error) => {
          assert(error instanceof ConfigError);
          assert(!error.message.includes('\n'));
          assert.equal(error.message, message);
          return true;
        },
      );
    });
  }

  it('are all in the help text', () => {
    for (const name of ['PORT', 'HOST', 'VARIANT', 'TZ', 'MAX_ROWS', 'DRAIN_TIMEOUT_MS']) {
      assert(helpText().includes(` ${name} `), name);
      assert(helpText().includes(`--${name.toLowerCase().replaceAll('_', '-')} `), name);
    }
  });

  it('ask for help or the version without being checked', () => {
    assert.equal(parseCommand(['--help'], { PORT: 'x' }).name, 'help');
    assert.equal(parseCommand(['--version'], { PORT: 'x' }).name, 'version');
  });
});
