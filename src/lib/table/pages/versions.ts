import type { StoredRow } from '../schema/column.ts';
import type { Page } from './page.ts';

/** The open snapshots of one epoch, and the superseded pages whose newest readers they are. */
interface OpenEpoch {
  readonly epoch: number;
  snapshots: number;
  readonly pages: Page[];
}

/**
 * The versions of pages that open snapshots see, and the bytes that are held for them alone
 * (decision 15). A superseded page belongs to the newest open epoch that sees it, then to the next
 * older one, if that sees it too; otherwise it is released.
 */
export class Versions {
  /** In ascending order of epoch. */
  readonly #open: OpenEpoch[] = [];
  /** Bytes of pages and rows that only snapshots see. */
  bytes = 0;

  /** Whether an open snapshot sees what was made in an epoch, so that it must not change. */
  isSeen(epoch: number): boolean {
    return epoch <= (this.#open.at(-1)?.epoch ?? -1);
  }

  /** Adds a snapshot: of the present, or of an epoch that has an open one. */
  open(epoch: number): void {
    const entry = this.#open.findLast((each) => each.epoch === epoch);
    if (entry) entry.snapshots++;
    else this.#open.push({ epoch, snapshots: 1, pages: [] });
  }

  close(epoch: number): void {
    const index = this.#open.findLastIndex((entry) => entry.epoch === epoch);
    const entry = this.#open[index];
    if (!entry || --entry.snapshots > 0) return;
    this.#open.splice(index, 1);
    const older = this.#open[index - 1];
    for (const page of entry.pages) {
      if (older && older.epoch >= page.epoch) older.pages.push(page);
      else this.#release(page);
    }
  }

  /**
   * Puts a newer version, if any, in the place of a page, which is kept if a snapshot sees it.
   * @param dropped the bytes of the rows that only the page has
   */
  supersede(page: Page, newer: Page | undefined, dropped: number): void {
    const { older } = page;
    page.isCurrent = false;
    const reader = this.#open.at(-1);
    if (reader && reader.epoch >= page.epoch) {
      reader.pages.push(page);
      link(page, newer);
      this.#retain(page, page.structureBytes + dropped);
    } else if (older) {
      link(older, newer);
      if (dropped > 0) this.#handOver(page, older, newer);
      page.older = undefined;
    }
  }

  /** Follows a change of the row at a position: a snapshot may see the old row, or the new one. */
  rowReplaced(page: Page, at: number, after: StoredRow | undefined): void {
    const { older } = page;
    if (!older) return;
    const seenAt = older.positionOf(page.slotAt(at));
    const seen = older.rows[seenAt];
    if (seen === undefined) return;
    if (seen === page.rows[at]) this.#retain(older, older.rowBytesAt(seenAt));
    if (seen === after) this.#retain(older, -older.rowBytesAt(seenAt));
  }

  #retain(page: Page, bytes: number): void {
    page.retainedBytes += bytes;
    this.bytes += bytes;
  }

  /** Forgets a version, so that who still refers to it does not keep others. */
  #release(page: Page): void {
    const { older, newer } = page;
    this.#retain(page, -page.retainedBytes);
    link(older, newer);
    if (older) this.#handOver(page, older, newer);
    page.older = undefined;
    page.newer = undefined;
  }

  /** Holds the rows of a version for an older one that sees them, too, unless a newer one does. */
  #handOver(page: Page, older: Page, newer: Page | undefined): void {
    for (let at = 0; at < older.end; at++) {
      if (hasRowOf(page, older, at) && !(newer && hasRowOf(newer, older, at))) {
        this.#retain(older, older.rowBytesAt(at));
      }
    }
  }
}

function link(older: Page | undefined, newer: Page | undefined): void {
  if (older) older.newer = newer;
  if (newer) newer.older = older;
}

/** Whether a page has the row at a position of another version, wherever. */
export function hasRowOf(page: Page, other: Page, at: number): boolean {
  const row = other.rows[at];
  return row !== undefined && (page.rows[at] === row || page.rowOf(other.slotAt(at)) === row);
}
