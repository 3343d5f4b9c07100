/**
 * V8 needs this long to compile and optimize the code of an operation. An operation that is
 * repeated for this time first is then as fast as in a service that has run for a while.
 */
export const SECONDS_TO_SPEED = 3;
