import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dateTimeIn, localDateTime, nextDate } from '../../../../src/service/resource/date-time.ts';
import { propertyOptions } from '../../../support/property.ts';

/** Runs synchronous work in a time zone. */
function inZone(zone: string, work: () => void): void {
  const { TZ } = process.env;
  process.env.TZ = zone;
  try {
    work();
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
    // Node looks at the zone again.
    new Date().getTimezoneOffset();
  }
}

describe('a date-time with a zone, or in that of the service', () => {
  it('is that moment in the zone of the service', () => {
    for (const [zone, text, moment] of [
      ['UTC', '2026-11-25T10:00Z', '2026-11-25T10:00:00.000'],
      ['UTC', '2026-11-25T10:00:00+02:00', '2026-11-25T08:00:00.000'],
      ['UTC', '2026-11-25T10:00:00.5 02:00', '2026-11-25T08:00:00.500'],
      ['UTC', '2026-11-25T10:00:00.5-05:30', '2026-11-25T15:30:00.500'],
      ['UTC', '2026-12-31T23:59:59.999999999-23:59', '2027-01-01T23:58:59.999'],
      ['Asia/Kolkata', '2026-11-25T20:00:01.25Z', '2026-11-26T01:30:01.250'],
      ['Asia/Kolkata', '2026-11-25', '2026-11-25T00:00:00.000'],
      ['Asia/Kolkata', '2026-11-25T20:00:01.25', '2026-11-25T20:00:01.250'],
      // The clock goes forward from 02:00 to 03:00, and back from 03:00 to 02:00.
      ['Europe/Berlin', '2026-03-29T00:59:59.999Z', '2026-03-29T01:59:59.999'],
      ['Europe/Berlin', '2026-03-29T01:00Z', '2026-03-29T03:00:00.000'],
      ['Europe/Berlin', '2026-10-25T00:30:00.000Z', '2026-10-25T02:30:00.000'],
      ['Europe/Berlin', '2026-10-25T01:30:00.000Z', '2026-10-25T02:30:00.000'],
      ['Europe/Berlin', '2026-07-01T12:00:00.000+02:00', '2026-07-01T12:00:00.000'],
      // Until 1893, this was half a minute from a whole one.
      ['Europe/Berlin', '1890-01-01T00:00:00.000Z', '1890-01-01T00:53:28.000'],
    ] as const) {
      inZone(zone, () => assert.equal(dateTimeIn(text), moment, `${text} in ${zone}`));
    }
  });

  it('has a local year from 0 to 9999', () => {
    inZone('Asia/Tokyo', () => {
      assert.equal(dateTimeIn('9999-12-31T15:00Z'), undefined);
      assert.equal(dateTimeIn('0000-01-01T00:00+14:00'), undefined);
      assert.notEqual(dateTimeIn('9999-12-31T14:59Z'), undefined);
    });
  });

  it('is the moment that every zone shows in its own way', () => {
    const zones = ['UTC', 'America/St_Johns', 'Australia/Lord_Howe', 'Europe/Berlin'] as const;
    const moments = fc.date({
      min: new Date('1000-01-01'),
      max: new Date('9000-01-01'),
      noInvalidDate: true,
    });
    const offset = fc.integer({ min: -1439, max: 1439 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), moments, offset, (zone, moment, minutes) => {
        const shown = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const two = (value: number) => String(value).padStart(2, '0');
        const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
        const text = `${shown}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
        inZone(zone, () => {
          assert.equal(dateTimeIn(text), localDateTime(moment), text);
        });
      }),
      propertyOptions(250),
    );
  });
});

it('the date after a date is undefined after the last year', () => {
  for (const [date, next] of [
    ['2026-02-28', '2026-03-01'],
    ['2024-02-28', '2024-02-29'],
    ['2026-12-31', '2027-01-01'],
    ['0000-01-01', '0000-01-02'],
    ['9999-12-31', undefined],
  ] as const) {
    assert.equal(nextDate(date), next, date);
  }
});
