// A thread that sees which functions the main thread calls. It stops there at each call, with the
// debugger of V8, and lets it go on.
import { Session } from 'node:inspector/promises';
import { parentPort } from 'node:worker_threads';

const session = new Session();
session.connectToMainThread();
const scripts = new Map();
let calls = [];
let breakpoints = [];

session.on('Debugger.scriptParsed', ({ params }) => {
  scripts.set(params.scriptId, params);
  scripts.set(params.url, params);
});
session.on('Debugger.paused', ({ params: { callFrames } }) => {
  const [url, caller] = callFrames.map(({ location }) => scripts.get(location.scriptId)?.url);
  calls.push({ url, name: callFrames[0].functionName, caller });
  session.post('Debugger.resume');
});
parentPort.on('message', async (request) => {
  if (request === 'calls') {
    for (const breakpointId of breakpoints) {
      await session.post('Debugger.removeBreakpoint', { breakpointId });
    }
    parentPort.postMessage(calls);
    return;
  }
  calls = [];
  breakpoints = [];
  for (const range of request) await stopAt(range);
  parentPort.postMessage('ready');
});
await session.post('Debugger.enable');
parentPort.postMessage('ready');

/** Stops at each call of a function, where its code begins. */
async function stopAt({ url, start, end }) {
  const { scriptId, positionOf } = await sourceOf(url);
  const { locations } = await session.post('Debugger.getPossibleBreakpoints', {
    start: { scriptId, ...positionOf(start) },
    end: { scriptId, ...positionOf(end) },
  });
  const [location] = locations;
  if (location === undefined) return;
  try {
    const { breakpointId } = await session.post('Debugger.setBreakpoint', { location });
    breakpoints.push(breakpointId);
  } catch (error) {
    // A function that only makes another one begins where that does.
    if (!error.message.includes('already exists')) throw error;
  }
}

/** The id of a script, and what turns an offset in its source into a position. */
async function sourceOf(url) {
  const script = scripts.get(url);
  if (script.positionOf === undefined) {
    const { scriptId } = script;
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
    const begins = [0, ...[...scriptSource.matchAll(/\n/g)].map(({ index }) => index + 1)];
    script.positionOf = (offset) => {
      const lineNumber = begins.findLastIndex((begin) => begin <= offset);
      return { lineNumber, columnNumber: offset - begins[lineNumber] };
    };
  }
  return script;
}
