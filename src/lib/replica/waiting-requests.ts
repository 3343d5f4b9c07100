import { StoreError } from './errors.ts';

/** A request that waits for etcd. */
export interface WaitingRequest {
  /** Whether its transaction has been sent, so that to refuse it leaves its outcome open. */
  isSent(): boolean;
  /** Ends the wait with an error. */
  refuse(error: StoreError): void;
}

/** The requests that wait for etcd, which can be refused when they take too much memory. */
export class WaitingRequests {
  /** The oldest one comes first. */
  readonly #all = new Set<WaitingRequest>();

  add(request: WaitingRequest): void {
    this.#all.add(request);
  }

  remove(request: WaitingRequest): void {
    this.#all.delete(request);
  }

  /** Waits for a promise, until the request is refused. @throws StoreError if it is */
  during<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const request: WaitingRequest = { isSent: () => false, refuse: reject };
      const end = (settle: () => void) => {
        this.#all.delete(request);
        settle();
      };
      this.#all.add(request);
      promise.then(
        (value) => end(() => resolve(value)),
        (error) => end(() => reject(error)),
      );
    });
  }

  /** Refuses the oldest one that is not sent, or else the oldest. @returns whether there was one */
  refuseOldest(): boolean {
    let [oldest] = this.#all;
    for (const request of this.#all) {
      if (request.isSent()) continue;
      oldest = request;
      break;
    }
    if (oldest === undefined) return false;
    this.#all.delete(oldest);
    oldest.refuse(new StoreError('too many requests wait for it'));
    return true;
  }
}
