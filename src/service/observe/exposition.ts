/** A value of a metric with its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
  /** A suffix to the name of the metric, such as `_bucket`. */
  readonly suffix?: string;
}

/** The text of a gauge: a single number, or one for each set of labels. */
export function gauge(name: string, help: string, value: number | readonly Sample[]): string {
  return metric('gauge', name, help, value);
}

/** The text of a counter, which never falls: a single number, or one for each set of labels. */
export function counter(name: string, help: string, value: number | readonly Sample[]): string {
  return metric('counter', name, help, value);
}

/** The text of a metric of any type (Prometheus text format 0.0.4). */
export function metric(
  type: 'counter' | 'gauge' | 'histogram',
  name: string,
  help: string,
  value: number | readonly Sample[],
): string {
  const samples = typeof value === 'number' ? [{ value }] : value;
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** Prometheus reads a missing label as an empty one. It knows the escapes `\\`, `\"` and `\n` of JSON. */
function labelsText(labels: NonNullable<Sample['labels']>): string {
  const given = Object.entries(labels).filter(([, value]) => value !== undefined);
  const texts = given.map(([name, value]) => `${name}=${JSON.stringify(String(value))}`);
  return texts.length === 0 ? '' : `{${texts.join(',')}}`;
}
