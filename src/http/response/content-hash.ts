/** How many characters of a hash to use, 6 bits each: enough to rule out an accident. */
const LENGTH = 24;

/** Loaded when it is first needed, because that takes as long as a tenth of the start. */
let hash: typeof import('node:crypto').hash | undefined;

/** A SHA-256 hash of a text, of characters that may be in an entity tag. */
export function contentHash(text: string): string {
  hash ??= process.getBuiltinModule('node:crypto').hash;
  return hash('sha256', text, 'base64url').slice(0, LENGTH);
}
