/** A file or directory of an archive. */
export interface TarEntry {
  readonly name: string;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly isDirectory: boolean;
  readonly content: Buffer;
}

const BLOCK = 512;

/** The entries of an archive in the ustar format; names end without a slash. */
export function readTar(archive: Buffer): readonly TarEntry[] {
  const entries: TarEntry[] = [];
  for (let offset = 0; archive[offset]; ) {
    const header = archive.subarray(offset, offset + BLOCK);
    const text = (from: number, to: number) =>
      header.toString('latin1', from, to).split('\0', 1)[0];
    const octal = (from: number, to: number) => Number.parseInt(text(from, to) ?? '', 8);
    const type = text(156, 157) ?? '';
    if ('xgLK'.includes(type || '0')) throw new Error(`an entry of type ${type} is not expected`);
    const size = octal(124, 136);
    entries.push({
      name: `${text(0, 100)}`.replace(/\/$/, ''),
      mode: octal(100, 108) & 0o7777,
      uid: octal(108, 116),
      gid: octal(116, 124),
      isDirectory: type === '5',
      content: archive.subarray(offset + BLOCK, offset + BLOCK + size),
    });
    offset += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return entries;
}
