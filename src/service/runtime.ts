/**
 * Returns the reason why a runtime cannot run the service, or not with its options; undefined if it
 * can. `engines` in
 * package.json states the same versions of Node. The build puts this file into the launchers
 * (scripts/build.js), which run in every Node, so it imports nothing, and has the syntax and the
 * methods of ES2015 alone.
 */
export function unsupportedRuntime(versions: NodeJS.ProcessVersions): string | undefined {
  // These have a `node:http` of their own.
  if (versions.bun !== undefined) return 'Bun is not supported; run it with Node';
  if (versions.deno !== undefined) return 'Deno is not supported; run it with Node';
  const [major = 0, minor = 0, patch = 0] = versions.node.split('.').map(Number);
  const number = (major * 1000 + minor) * 1000 + patch;
  if (!(major === 20 ? number >= 20_020_002 : number >= 22_003_000)) {
    return `Node ${versions.node} is not supported; use 20.20.2 or a later Node 20, or 22.3 or newer`;
  }
  if (Object.isFrozen(Error)) return '--frozen-intrinsics is not supported; start Node without it';
  return mayListen() ? undefined : 'Node may not listen; add --allow-net beside --permission';
}

/** Whether Node's permissions allow it to listen. Older versions do not restrict the network. */
function mayListen(): boolean {
  const { permission, allowedNodeEnvironmentFlags } = process;
  const isRestricted = permission !== undefined && allowedNodeEnvironmentFlags.has('--allow-net');
  return !isRestricted || permission.has('net');
}
