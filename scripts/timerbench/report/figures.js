'use strict';
// The figures of the page, how they are written, and how elements are made to show them.

const DATA = JSON.parse(document.getElementById('data').textContent);

// A figure: what [mean, low, high, unstable, values] is in DATA, with the mark of its cell, which
// stands there unless the cell is whole. Of the values there is one for each round, `null` for one
// that lacks it.
function figureOf(cell, measure) {
  if (!cell || !cell[measure.name]) return null;
  const [mean, low, high, unstable, values] = cell[measure.name];
  const rounds = values.filter((value) => value !== null).length;
  const time = measure.unit === 'ns';
  return {mean, low, high, unstable, values, rounds, mark: cell.mark || 'whole', time};
}

const benchOf = (name) => DATA.benches.find((bench) => bench.name === name);
const workloadOf = (bench, name) => bench?.workloads.find((workload) => workload.name === name);
const cellOf = (workload, member, n) => workload?.cells[member]?.[n];

// A trace has one n, called 0.
const sizesOf = (workload) =>
  [...new Set(Object.values(workload.cells).flatMap((cells) => Object.keys(cells).map(Number)))]
    .sort((a, b) => a - b);

const measuresOf = (bench, workload) =>
  bench.measures.filter(({name}) =>
    Object.values(workload.cells).some((cells) =>
      Object.values(cells).some((cell) => cell[name])));

// What a bench is about: its first measure.
const figureItself = (bench, cell) => figureOf(cell, bench.measures[0]);

// Three digits, and all digits of what has more before the point: 7.31, 73.1, 731, 7,310.
function digits(value) {
  if (value === 0) return '0';
  return Math.abs(value) >= 99.95
    ? Math.round(value).toLocaleString('en-US')
    : value.toPrecision(3);
}

const whole = (n) => n.toLocaleString('en-US');

const UNITS_OF_TIME = [
  {name: 'ns', per: 1}, {name: 'µs', per: 1e3}, {name: 'ms', per: 1e6}, {name: 's', per: 1e9},
];
const UNITS = {bytes: 'bytes', percent: '%', number: ''};

// 100 ns, 10 µs, 1 ms, 2 s.
function duration(ns) {
  const {name, per} = UNITS_OF_TIME.findLast((unit) => ns >= unit.per) ?? UNITS_OF_TIME[0];
  return `${Number((ns / per).toPrecision(3))} ${name}`;
}

// How figures of a measure are written: in the unit in which the least of them has at most four
// digits before the point. Where they are decades apart, each in its own.
function unitOf(figures, measure) {
  if (measure.unit !== 'ns') return {name: UNITS[measure.unit], write: digits};
  const means = figures.filter(({mark}) => mark !== 'slower_than').map(({mean}) => mean);
  const [least, most] = [Math.min(...means), Math.max(...means)];
  if (most >= 1e5 && most > 1e3 * least) return {name: '', write: duration};
  const {name, per} = UNITS_OF_TIME.find((unit) => least < 1e4 * unit.per) ?? UNITS_OF_TIME.at(-1);
  return {name, write: (value) => digits(value / per)};
}

// What `>` and `~` stand for is said under "How to read". A bound says its own unit: it is far off.
function written(figure, write = digits) {
  if (!figure) return '–';
  if (figure.mark === 'slower_than' && figure.time) return `> ${duration(figure.mean)}`;
  return (figure.unstable ? '~ ' : '') + write(figure.mean);
}

// Of a bound there is no interval, and none of one process.
const hasSpread = (figure) => figure.mark !== 'slower_than' && figure.rounds > 1;

function spread(figure, write = digits) {
  if (!hasSpread(figure)) return '–';
  return `${write(figure.low)} to ${write(figure.high)}`;
}

// How many times as much it is as another, of the rounds that have both: the trimmed mean of the
// logarithms, and its 95% interval. A machine has faster hours and slower ones, and a round is of one.
function ratio(figure, other) {
  const logs = figure.values.flatMap((value, round) =>
    (value > 0 && other.values[round] > 0 ? Math.log(value / other.values[round]) : []));
  if (!logs.length) return null;
  const {mean, error, degrees} = trimmedMean(logs);
  const reach = degrees ? DATA.t[degrees] * error : 0;
  return {mean: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach)};
}

// As trimmed_mean.py: of the numbers the sixth that is highest does not count, nor the lowest sixth.
// Where the others are equal, all tell the spread.
function trimmedMean(numbers) {
  const meanOf = (some) => some.reduce((all, number) => all + number, 0) / some.length;
  const ordered = [...numbers].sort((a, b) => a - b);
  const leftOut = Math.floor(ordered.length / DATA.left_out);
  const counted = ordered.slice(leftOut, ordered.length - leftOut);
  const kept = counted.length;
  const [least, most] = [counted[0], counted[kept - 1]];
  const spread = least === most
    ? ordered : ordered.map((number) => Math.min(Math.max(number, least), most));
  const middle = meanOf(spread);
  const squares = spread.reduce((all, number) => all + (number - middle) ** 2, 0);
  return {
    mean: meanOf(counted), error: Math.sqrt(squares / (kept * (kept - 1))), degrees: kept - 1,
  };
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
function spreadInWords(figure, write = digits) {
  if (!hasSpread(figure)) return figure.rounds === 1 ? 'one process' : null;
  return `95% interval ${spread(figure, write)}`;
}

function remarks(figure) {
  const {marks} = DATA;
  return [marks[figure.mark], figure.unstable && `95% interval ${marks.unstable}`].filter(Boolean);
}

// What a measure is of: `bytes a timer`, `for a call`. That of a workload is its own operation.
function measureOf(measure, workload) {
  const of = measure.own ? `for ${workload.operation}` : measure.of;
  return measure.unit === 'bytes' ? `bytes ${of}` : of;
}

// An element with attributes and children; `null` children are left out.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value);
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

const byId = (id) => document.getElementById(id);

function fill(place, ...children) {
  (typeof place === 'string' ? byId(place) : place).replaceChildren(...children.flat());
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

// A member's colour of the charts; on a dark page as much lighter as it takes to be seen, and for
// black the colour of the text.
function colourOf(member) {
  const surface = luminance(cssColour('--surface'));
  if (surface < 0.2 && member.colour === '#000000') return cssColour('--text');
  let colour = member.colour;
  while (surface < 0.2 && (luminance(colour) + 0.05) / (surface + 0.05) < 3.5) {
    const lighter = channels(colour).map((channel) => Math.ceil(channel + (255 - channel) * 0.1));
    colour = '#' + lighter.map((channel) => channel.toString(16).padStart(2, '0')).join('');
  }
  return colour;
}

const transparent = (colour, alpha) => `rgba(${channels(colour).join()},${alpha})`;

function dot(member) {
  const [on, off] = member.dashes ?? [1, 0];
  return make('i', {
    class: 'dot', style: `--colour: ${colourOf(member)}; --on: ${on}; --off: ${off}`,
  });
}

const NOT_MEASURED = 'Nothing of this is measured for those that are shown.';

// A radio or a checkbox inside of a label that looks pressed or not.
function choice(kind, group, value, checked, ...label) {
  return make('label', {},
    make('input', {type: kind, name: group, value, ...(checked ? {checked: ''} : {})}), ...label);
}
