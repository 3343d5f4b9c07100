import { TOKEN, testGeneratedClient } from '../openapi-generator.ts';
import { runJava } from '../run.ts';

/* The generator knows no event streams here: `watchTodos` returns when the stream has ended. */
testGeneratedClient({
  generator: 'java',
  options: ['--library', 'native', '--additional-properties=useSingleRequestParameter=true'],
  run: (folder, url) => runJava(folder, new URL('Program.java', import.meta.url), url, TOKEN),
});
