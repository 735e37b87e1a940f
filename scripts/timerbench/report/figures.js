'use strict';
// The figures of the page, how they are written, and how elements are made to show them.

const DATA = JSON.parse(document.getElementById('data').textContent);

const isTime = (measure) => measure === 'ns_per_operation' || isCall(measure);
const isCall = (measure) => measure.endsWith('_expire_ns');

// A figure: what [mean, low, high, unstable, values] is in DATA, with the mark of its cell. Of
// the values there is one for each round, `null` for one that lacks it.
function figureOf(cell, measure) {
  if (!cell || !cell[measure]) return null;
  const [mean, low, high, unstable, values] = cell[measure];
  const rounds = values.filter((value) => value !== null).length;
  return {mean, low, high, unstable, values, rounds, mark: cell.mark, time: isTime(measure)};
}

const benchOf = (name) => DATA.benches.find((bench) => bench.name === name);
const workloadOf = (bench, name) => bench?.workloads.find((workload) => workload.name === name);
const cellOf = (workload, queue, n) => workload?.cells[queue]?.[n];

// A trace has one n, called 0.
const sizesOf = (workload) =>
  [...new Set(Object.values(workload.cells).flatMap((cells) => Object.keys(cells).map(Number)))]
    .sort((a, b) => a - b);

const measuresOf = (workload) =>
  Object.keys(DATA.measures).filter((measure) =>
    Object.values(workload.cells).some((cells) =>
      Object.values(cells).some((cell) => cell[measure])));

// Three digits, and all digits of what has more before the point: 7.31, 73.1, 731, 7,310.
function digits(value) {
  if (value === 0) return '0';
  return value >= 99.95
    ? Math.round(value).toLocaleString('en-US')
    : value.toPrecision(3);
}

const whole = (n) => n.toLocaleString('en-US');

const UNITS_OF_TIME = [
  {name: 'ns', per: 1}, {name: 'µs', per: 1e3}, {name: 'ms', per: 1e6}, {name: 's', per: 1e9},
];

// The unit in which the least of the figures has at most four digits before the point.
function unitOf(figures) {
  if (!figures[0]?.time) return {name: '', per: 1};
  const least = Math.min(...figures.map(({mean}) => mean));
  return UNITS_OF_TIME.find(({per}) => least < 1e4 * per) ?? UNITS_OF_TIME.at(-1);
}

// 100 ns, 10 µs, 1 ms, 2 s.
function duration(ns) {
  const {name, per} = UNITS_OF_TIME.findLast((unit) => ns >= unit.per) ?? UNITS_OF_TIME[0];
  return `${Number((ns / per).toPrecision(3))} ${name}`;
}

// What `>` and `~` stand for is said under "How to read". A bound says its own unit: it is far off.
function written(figure, per = 1) {
  if (!figure) return '–';
  if (figure.mark === 'slower_than' && figure.time) return `> ${duration(figure.mean)}`;
  return (figure.unstable ? '~ ' : '') + digits(figure.mean / per);
}

// Of a bound there is no interval, and none of one process.
const hasSpread = (figure) => figure.mark !== 'slower_than' && figure.rounds > 1;

function spread(figure, per = 1) {
  if (!hasSpread(figure)) return '–';
  return `${digits(figure.low / per)} to ${digits(figure.high / per)}`;
}

// How many times as much it is as another, of the rounds that have both: the geometric mean, and its
// 95% interval. A machine has faster hours and slower ones, and a round is of one.
function ratio(figure, other) {
  const logs = figure.values.flatMap((value, round) =>
    (value > 0 && other.values[round] > 0 ? Math.log(value / other.values[round]) : []));
  if (!logs.length) return null;
  const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);
  const mean = sum(logs) / logs.length;
  const variance = sum(logs.map((log) => (log - mean) ** 2)) / (logs.length - 1);
  const reach = logs.length > 1 ? DATA.t[logs.length - 1] * Math.sqrt(variance / logs.length) : 0;
  return {mean: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach)};
}

// How many times as much it is as the best of these, of which it may be one; null if nobody knows.
function besideBest(figure, figures) {
  const known = figures.filter((other) => other && other.mark !== 'slower_than');
  if (known.some(({mean}) => mean <= 0)) return null;
  const ratios = known.map((other) => ratio(figure, other)).filter(Boolean);
  return ratios.sort((a, b) => b.mean - a.mean)[0] ?? null;
}

// What the interval cannot tell apart from the best is as good.
const isTie = (figure, beside) =>
  figure.mark !== 'slower_than' && beside !== null && beside.low <= 1 && beside.high >= 1;

// In little space: 1.0, 12, 34M.
function times(figure, beside) {
  if (beside === null) return figure.mark === 'slower_than' ? '>' : '–';
  const compact = {notation: 'compact', maximumSignificantDigits: 2};
  const ratio = beside.mean;
  const text = ratio < 9.95 ? ratio.toFixed(1) : ratio.toLocaleString('en-US', compact);
  return (figure.mark === 'slower_than' ? '>' : '') + text;
}

// From where to where it may be.
function spreadInWords(figure, per = 1) {
  if (!hasSpread(figure)) return figure.rounds === 1 ? 'one process' : null;
  return `95% interval ${spread(figure, per)}`;
}

function remarks(figure) {
  const remark = {window: 'timed in a window', slower_than: 'slower than this'}[figure.mark];
  return [remark, figure.unstable && 'unstable'].filter(Boolean);
}

// What a measure is of: `bytes a timer`; of a time, what follows its unit.
function measureOf(workload, measure) {
  const {unit} = DATA.measures[measure];
  return measure === 'ns_per_operation' ? `${unit} ${workload.operation}` : unit;
}


// An element with attributes and children; `null` children are left out.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value);
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

function fill(id, ...children) {
  document.getElementById(id).replaceChildren(...children.flat());
}

const cssColour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

// WCAG's relative luminance.
function luminance(colour) {
  const [red, green, blue] = channels(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// The queue's colour of the charts; on a dark page as much lighter as it takes to be seen, and for
// black the colour of the text.
function colourOf(queue) {
  const surface = luminance(cssColour('--surface'));
  if (surface < 0.2 && queue.colour === '#000000') return cssColour('--text');
  let colour = queue.colour;
  while (surface < 0.2 && (luminance(colour) + 0.05) / (surface + 0.05) < 3.5) {
    const lighter = channels(colour).map((channel) => Math.ceil(channel + (255 - channel) * 0.1));
    colour = '#' + lighter.map((channel) => channel.toString(16).padStart(2, '0')).join('');
  }
  return colour;
}

function dot(queue) {
  const [on, off] = queue.dashes ?? [1, 0];
  return make('i', {
    class: 'dot', style: `--colour: ${colourOf(queue)}; --on: ${on}; --off: ${off}`,
  });
}
