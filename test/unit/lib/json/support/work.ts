/** Counts characters that are looked at one by one, and bigints that are made, during some work. */
export function workOf(work: () => void): {
  readonly characters: number;
  readonly bigints: number;
} {
  const { charCodeAt } = String.prototype;
  const { BigInt: makeBigInt } = globalThis;
  let [characters, bigints] = [0, 0];
  Object.assign(String.prototype, {
    charCodeAt(this: string, index: number) {
      characters++;
      return charCodeAt.call(this, index);
    },
  });
  const counted = (value: string | number | bigint) => {
    bigints++;
    return makeBigInt(value);
  };
  Object.assign(globalThis, { BigInt: counted });
  try {
    work();
  } finally {
    Object.assign(String.prototype, { charCodeAt });
    Object.assign(globalThis, { BigInt: makeBigInt });
  }
  return { characters, bigints };
}
