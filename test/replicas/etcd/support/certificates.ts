import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates a certificate authority, `ca.pem`, and certificates for a server and a client, each with
 * its key, in a folder.
 * @param days the validity of the client's certificate; negative if it has expired
 */
export function certificates(folder: string, days = 30): void {
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...key, '-subj', '/CN=ca', '-keyout', 'ca.key', '-out', 'ca.pem');
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1\n');
  for (const name of ['server', 'client']) {
    const validity = name === 'client' ? days : 30;
    openssl('req', ...key, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key'],
      ...['-days', String(validity), '-CAcreateserial', '-extfile', 'names', '-out', `${name}.pem`],
    );
  }
}
