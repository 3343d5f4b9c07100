import { connect } from 'node:net';
import { EVENTS } from '../../support/paths.ts';
import { getRequest } from '../../support/raw-requests.ts';

/*
 * Holds event streams open, and counts their events. Sends 'ready' when all are open, and at the
 * end the number of streams that ended early. Run as a separate process:
 *
 *   node --import tsx test/system/load/listeners.ts <port> <streams> <events each>
 */
const [port = 0, streams = 0, expected = 0] = process.argv.slice(2).map(Number);
const EVENT = Buffer.from('event: put');
const OVERLAP = EVENT.length - 1;

let open = 0;
let done = 0;
let missed = 0;

function count(isMissed: boolean): void {
  done++;
  if (isMissed) missed++;
  if (done === streams) process.send?.(missed, () => process.exit());
}

for (let i = 0; i < streams; i++) {
  const socket = connect(port, '127.0.0.1', () => socket.write(getRequest(EVENTS)));
  let events = 0;
  let isOpen = false;
  /** The end of the last chunk, which may be the start of an incomplete event. */
  let rest = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    if (!isOpen) {
      isOpen = true;
      if (++open === streams) process.send?.('ready');
    }
    const text = Buffer.concat([rest, chunk]);
    for (let at = text.indexOf(EVENT); at !== -1; at = text.indexOf(EVENT, at + 1)) events++;
    rest = text.subarray(-OVERLAP);
    if (events === expected) socket.destroy();
  });
  socket.once('close', () => count(events !== expected));
}
