import { StoreError } from './errors.ts';

/** A request that waits for etcd. */
export interface WaitingRequest {
  /** Whether its transaction has been sent, so that to refuse it leaves its outcome open. */
  isSent(): boolean;
  /** Ends the wait with an error. */
  refuse(error: StoreError): void;
}

/** The requests that wait for etcd, by age. They can be refused if they take too much memory. */
export class WaitingRequests extends Set<WaitingRequest> {
  /** Waits for a promise, until the request is refused. @throws StoreError if it is */
  during<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const request: WaitingRequest = { isSent: () => false, refuse: reject };
      this.add(request);
      promise.finally(() => this.delete(request)).then(resolve, reject);
    });
  }

  /** Refuses the oldest one that is not sent, or else the oldest. @returns whether there was one */
  refuseOldest(): boolean {
    let [oldest] = this;
    for (const request of this) {
      if (request.isSent()) continue;
      oldest = request;
      break;
    }
    if (oldest === undefined) return false;
    this.delete(oldest);
    oldest.refuse(new StoreError('too many requests wait for it'));
    return true;
  }
}
