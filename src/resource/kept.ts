/**
 * Keeps the bytes of a text that is the same as long as a version is, so that it is made once between two writes.
 * What comes in slices is too large to keep and is made each time.
 */
export function keptPerVersion<Slices extends object>(
  versionOf: () => number,
  make: () => string | Slices,
): () => Buffer | Slices {
  let kept: { readonly version: number; readonly bytes: Buffer } | undefined;
  return () => {
    const version = versionOf();
    if (kept?.version === version) return kept.bytes;
    const text = make();
    if (typeof text !== 'string') return text;
    kept = { version, bytes: Buffer.from(text) };
    return kept.bytes;
  };
}
