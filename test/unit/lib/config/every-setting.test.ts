import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { parseCommand } from '../../../../src/lib/config/command-line.ts';
import { ConfigError, type Settings, variableOf } from '../../../../src/lib/config/setting.ts';
import { describeError, jsonLog, Output } from '../../../../src/lib/log.ts';
import { printableLine } from '../../../../src/lib/printable.ts';
import { configuredStore } from '../../../../src/replicas/configured-store.ts';
import { configuredApp } from '../../../../src/service/app.ts';
import { InvalidInputError } from '../../../../src/service/resource/validation.ts';
import { ITEM_SETTINGS, SETTINGS } from '../../../../src/service/settings/service-settings.ts';
import { configOf } from '../../../support/service.ts';
import { Stream } from '../../../support/stream.ts';

const SECRET = 'x7Kq9sEcReT';
const PEM = `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----\n`;
/** CSI and NEL of C1, and characters that begin a line or end a text. */
const ODD = `a\r\nb"c'd\\\u009b31m\u0085\u2028\u001b[2J\u007f`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
const CONTROL = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/;

/** All that the program may print about a setting: its error, or the line `listening`. */
async function printedFor(variable: string, text: string, flag?: string): Promise<string> {
  const stream = new Stream();
  const output = new Output(stream);
  const log = jsonLog(output);
  // Settings of etcd are used with it only.
  const env = { STORE: 'etcd', ...(flag === undefined && { [variable]: text }) };
  try {
    const config = configOf(env, flag === undefined ? [] : [`${flag}=${text}`]);
    log('info', 'listening', { settings: config.changes });
    configuredStore(config, config.of(ITEM_SETTINGS), log, assert.fail);
    await configuredApp(config, { log });
  } catch (error) {
    assert(error instanceof ConfigError || error instanceof InvalidInputError, String(error));
    const names = [
      variable,
      flag ?? variable,
      { SEED_FILE: 'the seed file', RESOURCE: 'the resource' }[variable] ?? variable,
    ];
    assert(
      names.some((name) => error.message.includes(name)),
      error.message,
    );
    log('error', 'x', describeError(error));
    stream.taken.push(printableLine(error.message), inspect(error, { depth: 9 }));
  }
  output.flush();
  return stream.taken.join('');
}

describe('every setting', () => {
  const settings = Object.entries<Settings[string]>(SETTINGS);
  for (const [name, { default: value, defaultText, parse }] of settings) {
    const variable = variableOf(name);
    const flag = `--${variable.toLowerCase().replaceAll('_', '-')}`;

    it(`${variable} has the default that the help shows`, () => {
      const shown = defaultText === 'none' ? undefined : parse(defaultText);
      if (shown !== undefined) assert.deepEqual(shown, value);
    });

    it(`${variable} counts as absent if it is empty`, () => {
      const command = parseCommand(SETTINGS, [], { [variable]: '' });
      assert.equal(command.name, 'serve');
      assert.equal(command.config.isGiven(name), false);
    });

    it(`${variable} is ${SETTINGS[name]?.isSecret ? 'not ' : ''}shown`, async () => {
      const texts = [PEM, SECRET, `${SECRET}\u009b`, `/nowhere/${SECRET}`];
      const urls = [`http://root:${SECRET}@etcd:2379`, `root:${SECRET}`, `https://a?t=${SECRET}`];
      const printed: string[] = [];
      for (const text of [...texts, ...urls, `[{"requestHeaders":"${SECRET}"}]`]) {
        printed.push(await printedFor(variable, text), await printedFor(variable, text, flag));
      }
      const isHidden = SETTINGS[name]?.isSecret || SETTINGS[name]?.withdrawn;
      for (const each of printed) assert(!isHidden || !each.includes(SECRET), each);
      assert(isHidden || printed.some((each) => each.includes(SECRET)));
    });

    const [, least, most] = / (\d+) to (\d+)$/.exec(SETTINGS[name]?.allowed ?? '') ?? [];
    if (least !== undefined && most !== undefined) {
      it(`${variable} takes every integer from ${least} to ${most}, and no other`, () => {
        for (const text of [least, most]) assert(configOf({ [variable]: text }).isGiven(name));
        for (const text of [
          Number(least) - 1,
          Number(most) + 1,
          `${least}.5`,
          `+${least}`,
          '1e9',
        ]) {
          assert.throws(() => configOf({ [variable]: String(text) }), ConfigError, String(text));
        }
      });
    }

    it(`${variable} cannot put control characters on a line`, async () => {
      const printed = await printedFor(variable, ODD);
      assert.doesNotMatch(printed, CONTROL);
    });
  }

  it('has one line, however long it is', async () => {
    const printed = printableLine(`the file ${'é'.repeat(50_000)} cannot be read`);
    assert(Buffer.byteLength(printed) <= 16_000 && printed.endsWith('é…\n'));
    assert((await printedFor('HOST', 'x y'.repeat(50_000))).length < 3_000);
  });
});
