import type { Api } from '../api/api.ts';
import type { ApiOperation, ApiParameter } from '../api/api-document.ts';
import type { Fields } from '../api/exchange.ts';
import { sentenceOf } from '../api/problem.ts';
import { exchangeDetails } from '../requests/exchange-view.ts';
import { button, element, newId, show } from '../shared/dom.ts';

/** A parameter, and the input for its value. */
interface ParameterInput {
  readonly parameter: ApiParameter;
  readonly input: HTMLInputElement;
}

/** Describes an operation of the API, and has a form that sends it. */
export class OperationView {
  readonly element: HTMLDetailsElement;
  readonly #api: Api;
  readonly #operation: ApiOperation;
  readonly #inputs: ParameterInput[] = [];
  readonly #mediaType = element('select', { id: newId() });
  readonly #body = element('textarea', { id: newId(), rows: 5, spellcheck: false, class: 'mono' });
  readonly #headers = element('textarea', {
    ...{ id: newId(), rows: 1, spellcheck: false, class: 'mono' },
    placeholder: 'Name: value',
  });
  readonly #accept = element('select', { id: newId() });
  readonly #response = element('div', { class: 'exchange', role: 'status' });
  readonly #stop = button({ hidden: true }, 'Stop', () => this.#sending?.abort());
  #sending: AbortController | undefined;

  constructor(api: Api, operation: ApiOperation) {
    this.#api = api;
    this.#operation = operation;
    const { method, path, summary } = operation;
    this.element = element(
      'details',
      { class: 'operation', id: `operation-${operation.id}` },
      element(
        'summary',
        {},
        element('b', {}, method),
        element('code', {}, path),
        element('span', { class: 'what' }, summary),
      ),
    );
    const fill = () => {
      this.element.append(this.#form());
      this.element.removeEventListener('toggle', fill);
    };
    this.element.addEventListener('toggle', fill);
  }

  #form(): HTMLElement {
    const { description, parameters, responses, contents } = this.#operation;
    const form = element(
      'form',
      { novalidate: true, 'aria-label': this.#operation.summary },
      ...(description === '' ? [] : [element('p', {}, ...marked(description))]),
      ...this.#parameterGroups(parameters),
      ...(contents.length > 0 ? [this.#contentGroup()] : []),
      this.#headerGroup(),
      element(
        'div',
        { class: 'buttons' },
        element('button', { class: 'primary' }, 'Send'),
        this.#stop,
      ),
      this.#response,
      element(
        'details',
        { class: 'responses' },
        element('summary', {}, 'Responses'),
        element(
          'dl',
          {},
          ...responses.flatMap(({ status, description: text, mediaTypes }) => [
            element('dt', {}, status),
            element('dd', {}, ...marked(text), ' ', element('i', {}, mediaTypes.join(', '))),
          ]),
        ),
      ),
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#send();
    });
    return form;
  }

  /** The many filters with an operator are hidden until they are opened. */
  #parameterGroups(parameters: readonly ApiParameter[]): readonly Node[] {
    const isRare = ({ name }: ApiParameter) => name.includes('.');
    const rare = parameters.filter(isRare);
    const grid = (some: readonly ApiParameter[]) =>
      element('div', { class: 'parameters' }, ...some.map((each) => this.#parameterField(each)));
    const common = parameters.filter((each) => !isRare(each));
    return [
      ...(common.length > 0 ? [grid(common)] : []),
      ...(rare.length > 0
        ? [
            element(
              'details',
              {},
              element('summary', {}, `${rare.length} more filters`),
              grid(rare),
            ),
          ]
        : []),
    ];
  }

  #parameterField(parameter: ApiParameter): HTMLElement {
    const { name, description, type, example } = parameter;
    const [id, hint] = [newId(), newId()];
    const isPath = parameter.in === 'path';
    const input = element('input', {
      ...{ id, type: 'text', autocomplete: 'off', class: 'mono', 'aria-describedby': hint },
      ...(isPath ? { value: example } : { placeholder: example }),
    });
    this.#inputs.push({ parameter, input });
    return element(
      'div',
      { class: 'field' },
      element('label', { for: id }, name, element('i', {}, ` ${parameter.in}, ${type}`)),
      input,
      element('p', { class: 'hint', id: hint }, ...marked(description)),
    );
  }

  #contentGroup(): HTMLElement {
    const { contents } = this.#operation;
    const options = contents.map(({ mediaType }) =>
      element('option', {}, mediaType.replace('*+', 'vnd.example+')),
    );
    this.#mediaType.append(...options);
    const examples = contents[0]?.examples ?? [];
    this.#body.value = examples[0]?.[1] ?? '';
    const choices = examples.map(([name, text]) =>
      button({ class: 'chip' }, name, () => {
        this.#body.value = text;
      }),
    );
    return element(
      'div',
      { class: 'field' },
      element('label', { for: this.#body.id }, 'Content'),
      element('div', { class: 'chips' }, ...choices),
      this.#body,
      element('label', { for: this.#mediaType.id }, 'Content-Type'),
      this.#mediaType,
    );
  }

  #headerGroup(): HTMLElement {
    const { responses } = this.#operation;
    const produced = responses
      .filter(({ status }) => status.startsWith('2'))
      .flatMap(({ mediaTypes }) => mediaTypes);
    this.#accept.append(...[...produced, '*/*'].map((type) => element('option', {}, type)));
    return element(
      'div',
      { class: 'parameters' },
      element(
        'div',
        { class: 'field' },
        element('label', { for: this.#accept.id }, 'Accept'),
        this.#accept,
      ),
      element(
        'div',
        { class: 'field' },
        element('label', { for: this.#headers.id }, 'More header fields'),
        this.#headers,
      ),
    );
  }

  async #send(): Promise<void> {
    this.#sending?.abort();
    const sending = new AbortController();
    this.#sending = sending;
    const { signal } = sending;
    const { method, contents } = this.#operation;
    const body = contents.length > 0 ? this.#body.value : undefined;
    try {
      const options = { headers: this.#fields(), body, signal };
      const { exchange, response } = await this.#api.open(method, this.#path(), options);
      const render = () => this.#response.replaceChildren(...exchangeDetails(exchange));
      const isStream = (response.headers.get('Content-Type') ?? '').includes('event-stream');
      show(this.#stop, isStream);
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      try {
        for (;;) {
          const chunk = await reader?.read();
          if (chunk === undefined || chunk.done) break;
          exchange.received(chunk.value, isStream);
          if (isStream) render();
        }
        exchange.ended();
      } catch {
        exchange.ended(signal.aborted ? 'Stopped' : 'Connection lost');
      }
      render();
    } catch (error) {
      const wrong = element('p', { class: 'error' }, sentenceOf(error));
      if (!signal.aborted) this.#response.replaceChildren(wrong);
    }
    show(this.#stop, false);
  }

  #path(): string {
    const query = new URLSearchParams();
    let path = this.#operation.path;
    for (const { parameter, input } of this.#inputs) {
      const { name } = parameter;
      if (parameter.in === 'path')
        path = path.replace(`{${name}}`, encodeURIComponent(input.value));
      else if (parameter.in === 'query' && input.value !== '') query.append(name, input.value);
    }
    return query.size === 0 ? path : `${path}?${query}`;
  }

  #fields(): Fields {
    const typed = this.#headers.value.split('\n').flatMap((line): Fields => {
      const colon = line.indexOf(':');
      return colon < 1 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]];
    });
    const parameters = this.#inputs
      .filter(({ parameter, input }) => parameter.in === 'header' && input.value !== '')
      .map(({ parameter, input }) => [parameter.name, input.value] as const);
    return [
      ['Accept', this.#accept.value],
      ...(this.#mediaType.value === '' ? [] : [['Content-Type', this.#mediaType.value] as const]),
      ...parameters,
      ...typed,
    ];
  }
}

/** Formats text between backticks as code. */
function marked(text: string): readonly (Node | string)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}
