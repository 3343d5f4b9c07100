import { type Fields, type Send, sentenceOf } from '../api/api-request.ts';
import { exchangeDetails } from '../requests/exchange-details.ts';
import { button, type Child, element, labelled, newId, termAndDescription } from '../shared/dom.ts';
import { parseJson } from '../shared/json.ts';
import { announce, find, onSubmit, setText, whileBusy } from '../shared/page.ts';
import { type ApiDocument, type ApiOperation, readDocument } from './api-document.ts';

/** Fetches the API document when the reference is opened, and shows its operations by tag. */
export function createReference(send: Send, base: string): void {
  const link = find('document', HTMLAnchorElement);
  link.href = `${base}/${link.getAttribute('href')}`;
  const reference = find('reference', HTMLDetailsElement);
  const sections = find('operations');
  const problem = find('reference-problem');

  /** Loads and shows the operations. After a failure, opening the reference again repeats it. */
  async function load(): Promise<void> {
    setText(problem, '');
    const headers: Fields = [['Accept', 'application/json']];
    try {
      const { text } = await send({ method: 'GET', path: link.pathname, headers });
      const document = readDocument(parseJson(text), base);
      sections.replaceChildren(...operationSections(send, document));
    } catch (error) {
      setText(problem, sentenceOf(error));
    }
  }

  reference.addEventListener('toggle', () => {
    const isNeeded = reference.open && sections.childElementCount === 0;
    return isNeeded && whileBusy(sections, load);
  });
}

function operationSections(send: Send, { operations }: ApiDocument): readonly HTMLElement[] {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  return tags.map((tag) => {
    const tagged = operations.filter((operation) => operation.tag === tag);
    const details = tagged.map((operation) => operationDetails(send, operation));
    return element('section', {}, element('h3', {}, tag), ...details);
  });
}

function operationDetails(send: Send, operation: ApiOperation): HTMLElement {
  const { id, method, path, summary } = operation;
  const label = element('span', { class: 'what' }, summary);
  const line = element('summary', {}, element('b', {}, method), element('code', {}, path), label);
  const details = element('details', { class: 'operation card', id: `operation-${id}` }, line);
  const addForm = () => details.append(operationForm(send, operation));
  details.addEventListener('toggle', addForm, { once: true });
  return details;
}

/** Creates the form that shows an operation, and sends a request for it. */
function operationForm(send: Send, operation: ApiOperation): HTMLFormElement {
  const { method, path, summary, description, parameters, contents, responses } = operation;
  const code = { spellcheck: 'false', class: 'mono' };
  const rows = parameters.map(parameterRow);
  const content = element('textarea', { ...code, rows: 5 });
  const headers = element('textarea', { ...code, rows: 1 }, headersOf(operation));
  const result = element('div', { class: 'exchange' });
  let sending: AbortController | undefined;
  const stop = button({ hidden: true }, () => sending?.abort(), 'Stop');

  function valuesIn(place: string): Fields {
    return rows
      .filter((row) => row.in === place && row.input.value !== '')
      .map(({ name, input }) => [name, input.value]);
  }

  function target(): string {
    const query = new URLSearchParams(valuesIn('query'));
    const ids = new Map(valuesIn('path'));
    const filled = path.replace(/{(.*?)}/g, (_, name) => encodeURIComponent(ids.get(name) ?? ''));
    return query.size === 0 ? filled : `${filled}?${query}`;
  }

  async function submit(): Promise<void> {
    sending?.abort();
    sending = new AbortController();
    const request = {
      method,
      path: target(),
      headers: [...fieldsIn(headers.value), ...valuesIn('header')],
      body: contents.length > 0 ? content.value : null,
      signal: sending.signal,
    };
    try {
      await send(request, (exchange, text) => {
        const { isOpen, isStream, status, failure } = exchange;
        stop.hidden = !isOpen || !isStream;
        // Only a stream is shown before it has ended.
        if (isOpen && !isStream) return;
        result.replaceChildren(...exchangeDetails(exchange));
        // Not for each piece of a stream.
        if (text === '') announce(failure || `The service responded with ${status}`);
      });
    } catch (error) {
      // A TypeError is an invalid header field, for which there is no exchange. Any other failure
      // is part of the exchange.
      if (!(error instanceof TypeError)) return;
      result.replaceChildren(element('p', { class: 'error' }, error.message));
    }
  }

  function fill(text: string): void {
    content.value = text;
  }

  const examples = contents.flatMap((each) => each.examples);
  // By text, so that equal examples get one chip.
  const chips = new Map(
    examples.map(({ name, text }) => [text, button({ class: 'chip' }, () => fill(text), name)]),
  );
  fill(examples[0]?.text ?? '');
  // Filters with an operator, such as `priority.gte`, are many, so a disclosure hides them.
  const rowsWhere = (isRare: boolean) =>
    rows.filter(({ name }) => name.includes('.') === isRare).map((row) => row.element);
  const rare = rowsWhere(true);
  const outcomes = responses.flatMap((response) => {
    const types = response.contents.map(({ mediaType }) => mediaType).join(', ');
    return termAndDescription(
      response.status,
      ...withCode(response.description),
      ' ',
      element('i', {}, types),
    );
  });
  const form = element(
    'form',
    { 'aria-label': summary },
    element('p', {}, ...withCode(description)),
    element('div', { class: 'fields' }, ...rowsWhere(false)),
    rare.length > 0 &&
      disclosure(`${rare.length} more filters`, element('div', { class: 'fields' }, ...rare)),
    contents.length > 0 &&
      labelled(['Content'], content, element('div', { class: 'bar' }, ...chips.values())),
    labelled(['Header fields'], headers),
    element('div', { class: 'bar' }, element('button', { class: 'primary' }, 'Send'), stop),
    result,
    disclosure('Responses', element('dl', {}, ...outcomes)),
  );
  onSubmit(form, submit);
  return form;
}

/** The initial header fields, one per line. */
function headersOf({ contents, responses, needsToken }: ApiOperation): string {
  const good = responses.filter(({ status }) => status.startsWith('2'));
  const accepted = good.flatMap((response) => response.contents)[0]?.mediaType ?? '*/*';
  const contentType = contents[0]?.mediaType;
  return [
    `Accept: ${accepted}`,
    ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
    ...(needsToken ? ['Authorization: Bearer $ADMIN_TOKEN'] : []),
  ].join('\n');
}

/** Reads header fields, one per line. */
function fieldsIn(text: string): Fields {
  const lines = [...text.matchAll(/^([^:\n]+):(.*)$/gm)];
  return lines.map(([, name = '', value = '']) => [name.trim(), value.trim()]);
}

function parameterRow(parameter: ApiOperation['parameters'][number]) {
  const { name, in: place, description, type, example } = parameter;
  const hint = element('p', { class: 'small', id: newId() }, ...withCode(description));
  const text = { type: 'text', autocomplete: 'off', class: 'mono', 'aria-describedby': hint.id };
  const attribute = place === 'path' ? 'value' : 'placeholder';
  const input = element('input', { ...text, [attribute]: example });
  const label = [name, element('i', {}, ` ${place}, ${type}`)];
  return { name, in: place, input, element: labelled(label, input, hint) };
}

function disclosure(summary: string, content: Node): HTMLElement {
  return element('details', {}, element('summary', {}, summary), content);
}

/** Formats text between backticks as code. */
function withCode(text: string): readonly Child[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}
