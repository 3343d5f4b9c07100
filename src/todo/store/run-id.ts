import { clock } from '../../clock.ts';
/**
 * Makes an id that distinguishes this run of the service from all others. It is no secret, so that
 * the start need not load `node:crypto`, which takes a tenth of it.
 */
export function runId(): string {
  return [clock.time(), ...randomNumbers()].map((number) => number.toString(36)).join('-');
}

/** Together as many random bits as a UUID has. */
function randomNumbers(): readonly number[] {
  return Array.from({ length: 3 }, () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER));
}
