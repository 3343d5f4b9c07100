/** The configuration of an nginx in the foreground, with all of its files in a folder. */
export function nginxConfig(folder: string, servers: string): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `
    user root; daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1;
    events { worker_connections 1024; }
    http { access_log off; ${paths.join(' ')} ${servers} }`;
}
