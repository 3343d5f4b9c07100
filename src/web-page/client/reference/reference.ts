import type { ApiDocument, ApiOperation } from '../api/document.ts';
import type { Fields, Send } from '../api/exchange.ts';
import { exchangeDetails } from '../requests/requests.ts';
import { button, type Child, element, newId, optionsOf, termOf } from '../shared/dom.ts';
import { textOf } from '../shared/json.ts';
import { announce, find, onSubmit } from '../shared/page.ts';

/** Shows the operations of the API, by tag. */
export function showReference(send: Send, { operations }: ApiDocument): void {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const tagged = operations.filter((operation) => operation.tag === tag);
    const shown = tagged.map((operation) => operationDetails(send, operation));
    return element('section', {}, element('h3', {}, tag), ...shown);
  });
  find('operations', HTMLElement).replaceChildren(...sections);
}

function operationDetails(send: Send, operation: ApiOperation): HTMLElement {
  const { id, method, path, summary } = operation;
  const what = element('span', { class: 'what' }, summary);
  const line = element('summary', {}, element('b', {}, method), element('code', {}, path), what);
  const details = element('details', { class: 'operation card', id: `operation-${id}` }, line);
  const fill = () => details.append(operationForm(send, operation));
  details.addEventListener('toggle', fill, { once: true });
  return details;
}

function operationForm(send: Send, operation: ApiOperation): HTMLFormElement {
  const { method, path, summary, description, parameters, contents, responses } = operation;
  const hasContent = contents.length > 0;
  const code = { spellcheck: 'false', class: 'mono' };
  const rows = parameters.map(parameterRow);
  const content = element('textarea', { ...code, rows: 5 });
  const contentType = choiceOf(mediaTypesOf(contents), offerExamples);
  const examples = element('div', { class: 'bar' });
  const good = responses.filter(({ status }) => status.startsWith('2'));
  const accept = choiceOf([...good.flatMap((each) => mediaTypesOf(each.contents)), '*/*']);
  const others = element('textarea', { ...code, rows: 1, placeholder: 'Name: value' });
  const result = element('div', { class: 'exchange' });
  const stop = button({ hidden: true }, () => sending?.abort(), 'Stop');
  let sending: AbortController | undefined;

  function fill(text: string): void {
    content.defaultValue = text;
    content.value = text;
  }

  /** Offers the examples of the chosen media type, and fills in the first, unless edited. */
  function offerExamples(): void {
    const offered = contents[contentType.selectedIndex]?.examples ?? [];
    const chips = offered.map(({ name, text }) =>
      button({ class: 'chip' }, () => fill(text), name),
    );
    examples.replaceChildren(...chips);
    if (content.value === content.defaultValue) fill(offered[0]?.text ?? '');
  }

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

  function headers(): Fields {
    const fields = [
      ['Accept', accept.value],
      ['Content-Type', contentType.value],
      ...valuesIn('header'),
      ...[...others.value.matchAll(/^([^:\n]+):(.*)$/gm)].map(([, ...field]) => field),
    ];
    return fields
      .map(([name = '', value = '']): Fields[number] => [name.trim(), value.trim()])
      .filter(([, value]) => value !== '');
  }

  async function submit(): Promise<void> {
    sending?.abort();
    sending = new AbortController();
    const body = hasContent ? content.value : null;
    const request = { method, path: target(), headers: headers(), body, signal: sending.signal };
    try {
      await send(request, (exchange, text) => {
        const { isOpen, isStream, status, failure } = exchange;
        stop.hidden = !isOpen || !isStream;
        if (isOpen && !isStream) return;
        result.replaceChildren(...exchangeDetails(exchange));
        if (text === '') announce(failure || `The service responded with ${status}`);
      });
    } catch (error) {
      // Any other failure is shown with the exchange.
      if (!(error instanceof TypeError)) return;
      result.replaceChildren(element('p', { class: 'error' }, error.message));
    }
  }

  offerExamples();
  // The many filters with an operator are hidden until they are opened.
  const rowsWhere = (isRare: boolean) =>
    rows.filter(({ name }) => name.includes('.') === isRare).map((row) => row.element);
  const rare = rowsWhere(true);
  const outcomes = responses.flatMap((response) => {
    const types = element('i', {}, mediaTypesOf(response.contents).join(', '));
    return termOf(response.status, ...marked(response.description), ' ', types);
  });
  const form = element(
    'form',
    { novalidate: true, 'aria-label': summary },
    element('p', {}, ...marked(description)),
    grid(...rowsWhere(false)),
    rare.length > 0 && disclosure(`${rare.length} more filters`, grid(...rare)),
    hasContent && labelled(['Content'], content, examples),
    grid(
      hasContent && labelled(['Content-Type'], contentType),
      labelled(['Accept'], accept),
      labelled(['More header fields'], others),
    ),
    element('div', { class: 'bar' }, element('button', { class: 'primary' }, 'Send'), stop),
    result,
    disclosure('Responses', element('dl', {}, ...outcomes)),
  );
  onSubmit(form, submit);
  return form;
}

function parameterRow(parameter: ApiOperation['parameters'][number]) {
  const { name, in: place, description, schema, example } = parameter;
  const hint = element('p', { class: 'small', id: newId() }, ...marked(description));
  const text = { type: 'text', autocomplete: 'off', class: 'mono', 'aria-describedby': hint.id };
  const shown = place === 'path' ? 'value' : 'placeholder';
  const input = element('input', { ...text, [shown]: example });
  const type = textOf(schema.format) || textOf(schema.type);
  const label = [name, element('i', {}, ` ${place}, ${type}`)];
  return { name, in: place, input, element: labelled(label, input, hint) };
}

function mediaTypesOf(contents: ApiOperation['contents']): readonly string[] {
  return contents.map(({ mediaType }) => mediaType.replace('*+', 'vnd.example+'));
}

function choiceOf(values: readonly string[], change = () => {}): HTMLSelectElement {
  return element('select', { change }, ...optionsOf(values.map((value) => [value, value])));
}

function labelled(label: readonly Child[], control: HTMLElement, more?: Node): HTMLElement {
  control.id = newId();
  const head = element('label', { for: control.id }, ...label);
  return element('div', { class: 'field' }, head, control, more);
}

function grid(...fields: readonly Child[]): HTMLElement {
  return element('div', { class: 'fields' }, ...fields);
}

function disclosure(summary: string, content: Node): HTMLElement {
  return element('details', {}, element('summary', {}, summary), content);
}

/** Formats text between backticks as code. */
function marked(text: string): readonly Child[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}
