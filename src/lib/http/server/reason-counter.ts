import { clock } from '../../clock.ts';

/** The least time between two reports of a reason, in milliseconds. */
const REPORT_MS = 60_000;

/** Reports the first event in a minute. @param count the events since the last report, with this one */
export type ReportReason = (reason: string, count: number) => void;

interface Count {
  total: number;
  reported: number;
  reportedAt: number;
}

/** Counts events by their reason, such as refusals of requests (operations.md: "Metrics"). */
export class ReasonCounter {
  readonly #counts = new Map<string, Count>();
  readonly #report: ReportReason;

  constructor(report: ReportReason = () => {}) {
    this.#report = report;
  }

  add(reason: string): void {
    const count = this.#counts.get(reason) ?? {
      ...{ total: 0, reported: 0 },
      reportedAt: Number.NEGATIVE_INFINITY,
    };
    this.#counts.set(reason, count);
    count.total++;
    if (clock.now() - count.reportedAt < REPORT_MS) return;
    this.#report(reason, count.total - count.reported);
    count.reported = count.total;
    count.reportedAt = clock.now();
  }

  /** The number of events with a reason. */
  count(reason: string): number {
    return this.#counts.get(reason)?.total ?? 0;
  }
}
