/** A line of a plot. */
export interface Series {
  readonly name: string;
  readonly points: [x: number, y: number][];
}

const [WIDTH, HEIGHT] = [760, 440];
const MARGIN = { left: 70, right: 200, top: 20, bottom: 50 };
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];
/** The least distance between the names of lines. */
const LINE_HEIGHT = 16;

/** A plot as SVG, both axes logarithmic, each line with its name at its end. */
export function logPlot(
  series: readonly Series[],
  axes: { readonly x: string; readonly y: string; readonly format: (y: number) => string },
): string {
  const x = scaleOf(series.flatMap(({ points }) => points.map(([value]) => value)));
  const y = scaleOf(series.flatMap(({ points }) => points.map(([, value]) => value)));
  const left = (value: number) =>
    round(MARGIN.left + x.share(value) * (WIDTH - MARGIN.left - MARGIN.right));
  const top = (value: number) =>
    round(HEIGHT - MARGIN.bottom - y.share(value) * (HEIGHT - MARGIN.top - MARGIN.bottom));
  const [bottom, end] = [HEIGHT - MARGIN.bottom, WIDTH - MARGIN.right];
  const grid = [
    ...x.powers.map(
      (value) =>
        `<path class="grid" d="M${left(value)} ${MARGIN.top}V${bottom}"/>
<text x="${left(value)}" y="${bottom + 18}" text-anchor="middle">${value.toLocaleString('en-US')}</text>`,
    ),
    ...y.powers.map(
      (value) =>
        `<path class="grid" d="M${MARGIN.left} ${top(value)}H${end}"/>
<text x="${MARGIN.left - 8}" y="${top(value) + 4}" text-anchor="end">${axes.format(value)}</text>`,
    ),
  ];
  const lines = series.map(({ points }, i) => {
    const path = points.map(([a, b], at) => `${at === 0 ? 'M' : 'L'}${left(a)} ${top(b)}`).join('');
    return `<path class="line" stroke="${colour(i)}" d="${path}"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${axes.y} by ${axes.x}">
<style>text{font:12px sans-serif;fill:#333}.grid{stroke:#ddd;fill:none}.line{stroke-width:2;fill:none}</style>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${grid.join('\n')}
${lines.join('\n')}
${names(series, end, top).join('\n')}
<text x="${(MARGIN.left + end) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${axes.x}</text>
<text transform="translate(14 ${(MARGIN.top + bottom) / 2}) rotate(-90)" text-anchor="middle">${axes.y}</text>
</svg>
`;
}

/** The names of the lines, beside their ends, moved down where they would overlap. */
function names(series: readonly Series[], end: number, top: (y: number) => number): string[] {
  let free = 0;
  return series
    .map(({ name, points }, i) => ({ name, fill: colour(i), at: top(points.at(-1)?.[1] ?? 1) }))
    .sort((a, b) => a.at - b.at)
    .map(({ name, fill, at }) => {
      const baseline = Math.max(at + 4, free);
      free = baseline + LINE_HEIGHT;
      return `<text x="${end + 8}" y="${round(baseline)}" style="fill:${fill}">${name}</text>`;
    });
}

/** A logarithmic scale from one power of ten to another. */
function scaleOf(values: readonly number[]): {
  readonly powers: readonly number[];
  readonly share: (value: number) => number;
} {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return {
    powers: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)),
    share: (value) => (Math.log10(value) - low) / (high - low),
  };
}

function colour(i: number): string {
  return COLOURS[i % COLOURS.length] ?? '#000';
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
