/*
 * Makes docs/page.png, the picture in README.md: `npm run test:system -- browser/picture`. Run it before a
 * release, because the page shows the version.
 */
import { fileURLToPath } from 'node:url';
import { startTodoService } from '../../../../src/package/index.ts';
import { theBrowser } from '../browser.ts';

const FILE = fileURLToPath(new URL('../../../../docs/page.png', import.meta.url));
const TOKEN = 'secret';
const LIST = '/api/todos';

const service = await startTodoService({
  seed: [
    { title: 'Buy milk', description: 'Two litres', priority: 5 },
    { title: 'Call the dentist', priority: 4 },
    { title: 'Water the plants', completed: true },
    { title: 'Read a book', priority: 1 },
  ],
  env: { ADMIN_TOKEN: TOKEN },
});
const browser = await theBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 640 } });
  await page.goto(`${service.url}/#token=${TOKEN}`);
  await page.getByText('Live', { exact: true }).waitFor();
  const send = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
    fetch(service.url + path, { ...init, headers });
  const front = { Origin: 'http://localhost:5173', 'User-Agent': 'Mozilla/5.0' };
  const json = { 'Content-Type': 'application/json' };
  await send(`${LIST}?completed=false&sort=-priority`, front);
  await send(
    `${LIST}/2`,
    { ...front, ...json },
    { method: 'PATCH', body: JSON.stringify({ priority: 3 }) },
  );
  await send(
    LIST,
    { 'User-Agent': 'curl/8.14.1', ...json },
    { method: 'POST', body: '{"title":""}' },
  );
  await send(`${LIST}/99`, { 'User-Agent': 'python-requests/2.32.5' });
  await page.locator('#traffic').getByText('/99').waitFor();
  await service.faults([{ rate: 0.3, status: 503 }, { delayMs: 300 }]);
  await page.waitForTimeout(1_500);
  await page.screenshot({ path: FILE });
} finally {
  await browser.close();
  await service.stop();
}
