/** Whether tests run at the length that finds rare faults, instead of the one a developer waits for. */
export const LONG: boolean = process.env.LONG === '1';
