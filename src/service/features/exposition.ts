/** A value and its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string | number | undefined>>;
  readonly value: number;
  /** A suffix to the name of the metric, such as `_bucket`. */
  readonly suffix?: string;
}

/** A metric with its samples. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** A metric that is a single number, or one for each of several labels. */
export function gauge(name: string, help: string, value: number | readonly Sample[]): Metric {
  return { name, type: 'gauge', help, samples: typeof value === 'number' ? [{ value }] : value };
}

/** A metric that is a single number, and never falls. */
export function counter(name: string, help: string, value: number): Metric {
  return { name, type: 'counter', help, samples: [{ value }] };
}

/** The media type of Prometheus's text format. */
export const EXPOSITION_MEDIA_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Formats metrics as Prometheus's text format. */
export function expositionOf(metrics: readonly Metric[]): string {
  return metrics.map(metricText).join('');
}

function metricText({ name, type, help, samples }: Metric): string {
  const lines = samples.map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

/** A label without a value is omitted, which means the same. JSON has the same escapes. */
function labelsText(labels: NonNullable<Sample['labels']>): string {
  const given = Object.entries(labels).filter(([, value]) => value !== undefined);
  const texts = given.map(([name, value]) => `${name}=${JSON.stringify(String(value))}`);
  return texts.length === 0 ? '' : `{${texts.join(',')}}`;
}
