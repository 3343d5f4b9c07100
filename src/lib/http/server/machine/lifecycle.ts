/**
 * - `open`: requests are served.
 * - `draining`: requests are served; the last response that is owed closes the connection.
 * - `ending`: only requests that have arrived are served.
 * - `lingering`: the last response has begun; whatever still arrives is ignored.
 * - `closed`.
 */
export type State = 'open' | 'draining' | 'ending' | 'lingering' | 'closed';

/** What moves it on (README: "How a connection ends"). */
export type LifecycleEvent = 'stop' | 'end' | 'last' | 'close';

/** What follows each state. An event that is not listed changes nothing. */
export const TRANSITIONS: Readonly<
  Record<State, Readonly<Partial<Record<LifecycleEvent, State>>>>
> = {
  open: { stop: 'draining', end: 'ending', last: 'lingering', close: 'closed' },
  draining: { end: 'ending', last: 'lingering', close: 'closed' },
  ending: { last: 'lingering', close: 'closed' },
  lingering: { close: 'closed' },
  closed: {},
};
