// Truncates an executable after the last byte that is loaded into memory. The rest is symbols and
// debug information. (The base image has no `strip`.) Works for every 64-bit little-endian
// platform. usage: node trim-elf.js FILE
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

const file = openSync(process.argv[2], 'r+');
const header = read(0, 64);
if (header.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') throw new Error('not a 64-bit ELF file');

const programHeaders = {
  offset: Number(header.readBigUInt64LE(32)),
  size: header.readUInt16LE(54),
};
let end = 0;
for (let index = 0; index < header.readUInt16LE(56); index++) {
  const segment = read(programHeaders.offset + index * programHeaders.size, programHeaders.size);
  const [offset, sizeInFile] = [segment.readBigUInt64LE(8), segment.readBigUInt64LE(32)];
  end = Math.max(end, Number(offset + sizeInFile));
}

ftruncateSync(file, end);
// Clears the section headers: their offset (8 bytes), their number, and the index of their names.
header.fill(0, 40, 48).fill(0, 60, 64);
writeSync(file, header, 0, header.length, 0);
closeSync(file);

function read(offset, length) {
  const bytes = Buffer.alloc(length);
  readSync(file, bytes, 0, length, offset);
  return bytes;
}
