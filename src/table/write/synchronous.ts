import { AsyncTransactionError } from '../errors.ts';

/** The type that a transaction may return: anything but a promise. */
export type Synchronous =
  | (object & { readonly then?: undefined })
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: callbacks that return nothing are meant
  | void;

/**
 * Calls a function that must not be asynchronous.
 *
 * @throws AsyncTransactionError when it is
 */
export function callSynchronously<A, T extends Synchronous>(call: (value: A) => T, value: A): T {
  // Do not call it: an async function would go on after it was refused.
  if (Object.prototype.toString.call(call) === '[object AsyncFunction]') {
    throw new AsyncTransactionError();
  }
  const result = call(value);
  if (typeof result === 'object' && result !== null) {
    if (typeof Reflect.get(result, 'then') === 'function') throw new AsyncTransactionError();
  }
  return result;
}
