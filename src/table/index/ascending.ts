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
  for (const slot of Float64Array.from(slots).sort()) {
    if (slot !== once.at(-1)) once.push(slot);
  }
  return once;
}
