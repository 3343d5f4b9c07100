import { median } from './stats.ts';

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

  /** The lowest and the highest of these ratios. */
  ratioRange(what: string, whom: string, to: string): [number, number] {
    const ratios = this.#ratios(what, whom, to);
    return [Math.min(...ratios), Math.max(...ratios)];
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
