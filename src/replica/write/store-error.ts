/** Why a store could not do what was asked. */
export type StoreFailure = 'store-unavailable' | 'outcome-unknown';

/** Makes the error for the caller. */
export type Fail = (failure: StoreFailure, detail: string) => Error;
