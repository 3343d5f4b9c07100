import type { Api } from '../api/api.ts';
import type { ApiContent, ApiOperation, ApiParameter, ApiResponse } from '../api/document.ts';
import type { Exchange, Fields } from '../api/exchange.ts';
import { exchangeDetails } from '../requests/exchange-view.ts';
import { button, type Child, element, newId, onSubmit, optionsOf } from '../shared/dom.ts';
import { textOf } from '../shared/json.ts';

/** A parameter, and the input for its value. */
interface ParameterInput {
  readonly parameter: ApiParameter;
  readonly input: HTMLInputElement;
}

/** Describes an operation of the API, and sends it as edited. */
export function operationForm(api: Api, operation: ApiOperation): HTMLFormElement {
  const { method, path, summary, description, parameters, contents, responses } = operation;
  const inputs = parameters.map((parameter) => ({ parameter, input: inputFor(parameter) }));
  const content = textarea(5);
  const contentType = choiceOf(mediaTypesOf(contents), offerExamples);
  const examples = element('div', { class: 'chips' });
  const good = responses.filter(({ status }) => status.startsWith('2'));
  const accept = choiceOf([...good.flatMap((each) => mediaTypesOf(each.contents)), '*/*']);
  const others = textarea(1);
  others.placeholder = 'Name: value';
  const result = element('div', { class: 'exchange', role: 'status' });
  const stop = button({ hidden: true }, 'Stop', () => sending?.abort());
  let sending: AbortController | undefined;
  /** The example that the content was filled with. */
  let example = '';

  function fill(text: string): void {
    content.value = text;
    example = text;
  }

  /** Offers the examples of the chosen media type, and fills in the first, unless edited. */
  function offerExamples(): void {
    const offered = contents[contentType.selectedIndex]?.examples ?? [];
    const chips = offered.map(([name, text]) => button({ class: 'chip' }, name, () => fill(text)));
    examples.replaceChildren(...chips);
    if (content.value === example) fill(offered[0]?.[1] ?? '');
  }

  function valuesIn(place: string): [name: string, value: string][] {
    return inputs
      .filter(({ parameter }) => parameter.in === place)
      .map(({ parameter, input }) => [parameter.name, input.value]);
  }

  function target(): string {
    const query = new URLSearchParams(valuesIn('query').filter(([, value]) => value !== ''));
    const filled = valuesIn('path').reduce(
      (before, [name, value]) => before.replace(`{${name}}`, encodeURIComponent(value)),
      path,
    );
    return query.size === 0 ? filled : `${filled}?${query}`;
  }

  function headers(): Fields {
    const typed = others.value.split('\n').map((line): [string, string] => {
      const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(line) ?? [];
      return [name.trim(), value.trim()];
    });
    const fields: Fields = [
      ['Accept', accept.value],
      ['Content-Type', contentType.value],
      ...valuesIn('header'),
      ...typed,
    ];
    return fields.filter(([, value]) => value !== '');
  }

  function watch(exchange: Exchange): void {
    exchange.watch(() => {
      const { isOpen, isStream } = exchange;
      stop.hidden = !isOpen || !isStream;
      if (!isOpen || isStream) result.replaceChildren(...exchangeDetails(exchange));
    });
  }

  async function send(): Promise<void> {
    sending?.abort();
    sending = new AbortController();
    const body = contents.length > 0 ? content.value : undefined;
    const options = { headers: headers(), body, signal: sending.signal, onExchange: watch };
    try {
      await api.exchange(method, target(), options);
    } catch (error) {
      // Any other failure is shown with the exchange.
      if (!(error instanceof TypeError)) return;
      result.replaceChildren(element('p', { class: 'error' }, error.message));
    }
  }

  offerExamples();
  // The many filters with an operator are hidden until they are opened.
  const rare = inputs.filter(({ parameter }) => parameter.name.includes('.'));
  const common = inputs.filter((each) => !rare.includes(each));
  const hasContent = contents.length > 0;
  const form = element(
    'form',
    { novalidate: true, 'aria-label': summary },
    element('p', {}, ...marked(description)),
    grid(...common.map(parameterField)),
    rare.length > 0 && disclosure(`${rare.length} more filters`, grid(...rare.map(parameterField))),
    hasContent && labelled(['Content'], content, examples),
    grid(
      hasContent && labelled(['Content-Type'], contentType),
      labelled(['Accept'], accept),
      labelled(['More header fields'], others),
    ),
    element('div', { class: 'buttons' }, element('button', { class: 'primary' }, 'Send'), stop),
    result,
    disclosure('Responses', element('dl', {}, ...responses.flatMap(responseEntry))),
  );
  onSubmit(form, send);
  return form;
}

function inputFor({ in: place, example }: ApiParameter): HTMLInputElement {
  const text = { id: newId(), type: 'text', autocomplete: 'off', class: 'mono' };
  return element('input', { ...text, [place === 'path' ? 'value' : 'placeholder']: example });
}

function parameterField({ parameter, input }: ParameterInput): HTMLElement {
  const { name, description, schema } = parameter;
  const type = textOf(schema.format) || textOf(schema.type);
  const hint = element('p', { class: 'hint', id: newId() }, ...marked(description));
  input.setAttribute('aria-describedby', hint.id);
  return labelled([name, element('i', {}, ` ${parameter.in}, ${type}`)], input, hint);
}

function responseEntry({ status, description, contents }: ApiResponse): readonly Node[] {
  const types = element('i', {}, mediaTypesOf(contents).join(', '));
  return [element('dt', {}, status), element('dd', {}, ...marked(description), ' ', types)];
}

/** Any media type of a range stands for it. */
function mediaTypesOf(contents: readonly ApiContent[]): readonly string[] {
  return contents.map(({ mediaType }) => mediaType.replace('*+', 'vnd.example+'));
}

function choiceOf(values: readonly string[], change = () => {}): HTMLSelectElement {
  const options = optionsOf(values.map((value) => [value, value]));
  return element('select', { id: newId(), change }, ...options);
}

function textarea(rows: number): HTMLTextAreaElement {
  return element('textarea', { id: newId(), rows, spellcheck: 'false', class: 'mono' });
}

function labelled(label: readonly Child[], control: HTMLElement, more?: Node): HTMLElement {
  const head = element('label', { for: control.id }, ...label);
  return element('div', { class: 'field' }, head, control, more);
}

function grid(...fields: readonly Child[]): HTMLElement {
  return element('div', { class: 'parameters' }, ...fields);
}

function disclosure(summary: string, content: Node): HTMLElement {
  return element('details', {}, element('summary', {}, summary), content);
}

/** Formats text between backticks as code. */
function marked(text: string): readonly Child[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}
