/** Brings slots into ascending order, each once. Most lists are so already. */
export function ascending(slots: number[]): number[] {
  for (let i = 1; i < slots.length; i++) {
    if ((slots[i - 1] ?? 0) >= (slots[i] ?? 0)) return sortedOnce(slots);
  }
  return slots;
}

function sortedOnce(slots: readonly number[]): number[] {
  const once: number[] = [];
  // A typed array sorts numbers without calling back for each comparison.
  for (const slot of new Float64Array(slots).sort()) {
    if (slot !== once.at(-1)) once.push(slot);
  }
  return once;
}

/** Unites lists that are ascending each. */
export function united(lists: readonly (readonly number[])[]): readonly number[] {
  return lists.reduce(merged, []);
}

function merged(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length === 0) return b;
  const both: number[] = [];
  let next = 0;
  for (const slot of a) {
    for (let other = b[next]; other !== undefined && other <= slot; other = b[++next]) {
      if (other < slot) both.push(other);
    }
    both.push(slot);
  }
  for (; next < b.length; next++) both.push(b[next] ?? 0);
  return both;
}
