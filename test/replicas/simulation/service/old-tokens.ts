import { OtherWriters } from '../../../../src/replicas/replica/other-writers.ts';
import type { Environment, Process } from '../environment/environment.ts';

/**
 * Makes some processes treat the tokens of commits as 4.0 does: it writes none with the time that a
 * commit took, and ignores that of others, so that it pauses for its own. @returns the way back
 */
export function useTokensOf4_0(environment: Environment, isOld: (process: Process) => boolean) {
  const { newToken, record } = OtherWriters.prototype;
  const asIn4_0 = (token: string) => {
    const { process } = environment;
    return process !== undefined && isOld(process) ? token.split('.', 2).join('.') : token;
  };
  OtherWriters.prototype.newToken = function () {
    return asIn4_0(newToken.call(this));
  };
  OtherWriters.prototype.record = function (token) {
    record.call(this, asIn4_0(token));
  };
  return () => Object.assign(OtherWriters.prototype, { newToken, record });
}
