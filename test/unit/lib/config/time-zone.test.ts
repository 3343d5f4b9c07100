import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { parseTimeZone, setTimeZone } from '../../../../src/lib/config/time-zone.ts';
import { LONG } from '../../../support/random.ts';

/** Whether a text is a value of TZ that the process can have. */
function isUsable(text: string): boolean {
  const name = parseTimeZone(text);
  return name !== undefined && setTimeZone(name);
}

describe('a time zone', () => {
  const { TZ } = process.env;
  after(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });

  it('may be any that the engine lists, or any other name in the zone data', () => {
    const listed = Intl.supportedValuesOf('timeZone');
    for (const name of listed.filter((_, i) => LONG || i % 8 === 0)) assert(isUsable(name), name);
    for (const name of [
      ...['US/Pacific', 'GB', 'NZ', 'EST', 'EST5EDT', 'CET', 'Cuba', 'W-SU', 'PRC', 'Iceland'],
      ...['Etc/GMT+5', 'Etc/GMT-14', 'Europe/Kyiv', 'Asia/Kolkata', 'Asia/Calcutta'],
      ...['UTC', 'Etc/UTC', 'GMT', 'Zulu', 'Etc/Greenwich', 'Africa/Abidjan'],
    ]) {
      assert(isUsable(name), name);
    }
  });

  it('may begin with a colon, and be that of the system', () => {
    assert.equal(parseTimeZone(':Europe/Berlin'), 'Europe/Berlin');
    for (const text of [':', '/etc/localtime', ':/etc/localtime']) {
      assert.equal(parseTimeZone(text), null);
      assert(isUsable(text));
      assert.equal(process.env.TZ, undefined);
    }
  });

  it('may not be one that Intl accepts but Date treats as UTC, nor another spelling', () => {
    for (const name of [
      ...['europe/berlin', 'EUROPE/BERLIN', 'Asia/tokyo', 'africa/abidjan', 'us/pacific'],
      ...['PST', 'JST', 'utc', 'etc/utc', 'etc/gmt+5'],
      ...['', 'system', 'Mars/Olympus', '+01:00', 'UTC+1', 'localtime'],
    ]) {
      assert.equal(isUsable(name), false, name);
    }
  });

  it('is parsed without changing the process', () => {
    const before = process.env.TZ;
    parseTimeZone('Asia/Tokyo');
    parseTimeZone('PST');
    assert.equal(process.env.TZ, before);
  });
});
