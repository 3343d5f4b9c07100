import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalName, isTimeZone } from '../../../src/lib/config/time-zone.ts';
import { LONG } from '../table/support/random.ts';

describe('a time zone', () => {
  it('may be any that the engine lists, or any other name in the zone data', () => {
    const listed = Intl.supportedValuesOf('timeZone');
    for (const name of listed.filter((_, i) => LONG || i % 8 === 0)) assert(isTimeZone(name), name);
    for (const name of [
      ...['US/Pacific', 'GB', 'NZ', 'EST', 'EST5EDT', 'CET', 'Cuba', 'W-SU', 'PRC', 'Iceland'],
      ...['Etc/GMT+5', 'Etc/GMT-14', 'Europe/Kyiv', 'Asia/Kolkata', 'Asia/Calcutta'],
      ...['UTC', 'Etc/UTC', 'GMT', 'Zulu', 'Etc/Greenwich', 'Africa/Abidjan'],
    ]) {
      assert(isTimeZone(name), name);
    }
  });

  it('may not be one that Intl accepts but Date treats as UTC, nor another spelling', () => {
    for (const [name, meant] of [
      ['europe/berlin', 'Europe/Berlin'],
      ['EUROPE/BERLIN', 'Europe/Berlin'],
      ['Asia/tokyo', 'Asia/Tokyo'],
      ['etc/gmt+5', 'Etc/GMT+5'],
      ['us/pacific', 'America/Los_Angeles'],
      ['PST', 'America/Los_Angeles'],
      ['JST', 'Asia/Tokyo'],
      ['utc', 'UTC'],
      ['etc/utc', 'UTC'],
      ['africa/abidjan', 'Africa/Abidjan'],
    ] as const) {
      assert.equal(isTimeZone(name), false, name);
      assert.equal(canonicalName(name), meant);
    }
    for (const name of ['', 'system', 'Mars/Olympus', '+01:00', 'UTC+1', ':UTC', 'localtime']) {
      assert.equal(isTimeZone(name), false, name);
    }
  });

  it('is checked without changing the environment', () => {
    const { TZ } = process.env;
    isTimeZone('Asia/Tokyo');
    isTimeZone('PST');
    assert.equal(process.env.TZ, TZ);
  });
});
