import { median, quantile } from './stats.ts';

/** Figures by measurement, subject and round. */
export class Figures {
  readonly #rounds = new Map<string, Map<number, number>>();

  /** @param round the round, if not every subject is in each; the next one by default */
  add(what: string, whom: string, figure: number, round?: number): void {
    const key = `${what}\n${whom}`;
    const rounds = this.#rounds.get(key) ?? new Map<number, number>();
    this.#rounds.set(key, rounds);
    rounds.set(round ?? rounds.size, figure);
  }

  /** The median over the rounds; NaN if there is none. */
  of(what: string, whom: string): number {
    return median([...this.#of(what, whom).values()]);
  }

  /** The highest figure of all rounds. */
  worst(what: string, whom: string): number {
    return Math.max(...this.#of(what, whom).values());
  }

  /** The median of the ratios of two subjects in the same round. */
  ratio(what: string, whom: string, to: string): number {
    return median(this.#ratios(what, whom, to));
  }

  /**
   * The quartiles of these ratios. A question mark stands behind a range that is wider than 0.85 to
   * 1.15 of the median: the machine has changed too often to say more.
   */
  range(what: string, whom: string, to: string): string {
    const sorted = this.#ratios(what, whom, to).toSorted((a, b) => a - b);
    const [low, high] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
    const middle = median(sorted);
    const isWide = low < 0.85 * middle || high > 1.15 * middle;
    return `${low.toFixed(2)}–${high.toFixed(2)}${isWide ? '?' : ''}`;
  }

  #ratios(what: string, whom: string, to: string): number[] {
    const others = this.#of(what, to);
    return [...this.#of(what, whom)].flatMap(([round, figure]) => {
      const other = others.get(round);
      return other === undefined ? [] : [figure / other];
    });
  }

  #of(what: string, whom: string): ReadonlyMap<number, number> {
    return this.#rounds.get(`${what}\n${whom}`) ?? new Map();
  }
}
