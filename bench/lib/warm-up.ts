/**
 * V8 needs this long to compile and optimize what an operation calls. What is repeated for as long
 * before it is timed, is timed as it is in a service that has run for a while.
 */
export const SECONDS_TO_SPEED = 3;
