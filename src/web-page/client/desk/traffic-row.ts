import type { Exchange } from '../api/api-request.ts';
import { durationOf, exchangeDetails } from '../requests/exchange-details.ts';
import { element } from '../shared/dom.ts';
import { attempt } from '../shared/json.ts';
import { setText } from '../shared/page.ts';

export type TrafficRow = ReturnType<typeof createTrafficRow>;

/**
 * Creates a row of the traffic: a line, and the request and response when it is opened.
 * @param number the place among the entries of the journal
 * @param isFound whether a row with such words is shown
 */
export function createTrafficRow(
  exchange: Exchange,
  number: number,
  isFound: (words: string) => boolean,
) {
  const { method, path } = exchange.request;
  const code = element('span', { class: 'code mono' });
  const time = element('span', { class: 'time small' });
  const readable = attempt(() => decodeURIComponent(path.replaceAll('+', ' '))) ?? path;
  const target = element('span', { class: 'path mono', title: path }, readable);
  const client = element('span', { class: 'client' }, exchange.client);
  const body = element('div', { class: 'exchange' });
  const summary = element('summary', {}, element('b', {}, method), target, client, code, time);
  const details = element('details', { toggle: render }, summary, body);
  const isOfPage = ['this page', 'another tab'].includes(exchange.client);
  const row = element('li', { class: isOfPage && 'own' }, details);
  let frame = 0;

  function render(): void {
    frame = 0;
    const { status, isOpen, failure } = exchange;
    const isBegun = status !== 0;
    setText(code, isBegun ? String(status) : failure || '\u2026');
    setText(time, isBegun && isOpen ? 'open' : durationOf(exchange));
    row.classList.toggle('bad', isBegun ? status >= 400 : !isOpen);
    row.hidden = !isFound(`${method} ${readable} ${code.textContent} ${exchange.client}`);
    body.replaceChildren(...(details.open ? exchangeDetails(exchange) : []));
  }

  render();
  return {
    exchange,
    number,
    element: row,
    open(isOpen: boolean): void {
      details.open = isOpen;
    },
    /** Renders once per frame, since a stream can change thousands of times a second. */
    changed(): void {
      if (frame === 0) frame = requestAnimationFrame(render);
    },
  };
}
