'use strict';
// The figures of the page, how they are written, and how elements are made to show them.

const DATA = JSON.parse(document.getElementById('data').textContent);

// Returns a figure of a cell, or null. DATA has it as [mean, low, high, unstable, values, shared].
// `values` has one value for each round, and `null` for a round without the figure. `shared` is what the
// ratios to this figure share, if they share something. DATA leaves out the mark of a cell if it is
// `whole`, and names `whose` it is only if it is an original.
function figureOf(cell, measure) {
  if (!cell || !cell[measure.name]) return null;
  const [mean, low, high, unstable, values, shared = []] = cell[measure.name];
  const rounds = values.filter((value) => value !== null).length;
  const time = measure.unit === 'ns';
  const {mark = 'whole', whose} = cell;
  return {mean, low, high, unstable, values, shared, rounds, mark, whose, time};
}

const benchOf = (name) => DATA.benches.find((bench) => bench.name === name);
const workloadOf = (bench, name) => bench?.workloads.find((workload) => workload.name === name);
const cellOf = (workload, member, n) => workload?.cells[member]?.[n];

// Returns each n of a workload, in order. A trace has one n, which is 0.
const sizesOf = (workload) =>
  [...new Set(Object.values(workload.cells).flatMap((cells) => Object.keys(cells).map(Number)))]
    .sort((a, b) => a - b);

const measuresOf = (bench, workload) =>
  bench.measures.filter(({name}) =>
    Object.values(workload.cells).some((cells) =>
      Object.values(cells).some((cell) => cell[name])));

// Returns the figure of what a bench is about: its first measure.
const figureItself = (bench, cell) => figureOf(cell, bench.measures[0]);

// Writes three digits, or all digits before the point if there are more: 7.31, 73.1, 731, 7,310.
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

// Writes a duration in the unit that suits it: 100 ns, 10 µs, 1 ms, 2 s.
function duration(ns) {
  const {name, per} = UNITS_OF_TIME.findLast((unit) => ns >= unit.per) ?? UNITS_OF_TIME[0];
  return `${Number((ns / per).toPrecision(3))} ${name}`;
}

// Returns how the figures of a measure are written: in the unit in which the least figure has at most
// four digits before the point. If the figures are decades apart, each is written in its own unit.
function unitOf(figures, measure) {
  if (measure.unit !== 'ns') return {name: UNITS[measure.unit], write: digits};
  const means = figures.filter(({mark}) => mark !== 'slower_than').map(({mean}) => mean);
  const [least, most] = [Math.min(...means), Math.max(...means)];
  if (most >= 1e5 && most > 1e3 * least) return {name: '', write: duration};
  const {name, per} = UNITS_OF_TIME.find((unit) => least < 1e4 * unit.per) ?? UNITS_OF_TIME.at(-1);
  return {name, write: (value) => digits(value / per)};
}

// Writes a figure. The page explains `>` and `~` under "How to read". A bound has its own unit, since
// it is far from the other figures.
function written(figure, write = digits) {
  if (!figure) return '–';
  if (figure.mark === 'slower_than' && figure.time) return `> ${duration(figure.mean)}`;
  return (figure.unstable ? '~ ' : '') + write(figure.mean);
}

// Returns whether a figure has an interval. A bound has none, and a figure of a single process has
// none.
const hasSpread = (figure) => figure.mark !== 'slower_than' && figure.rounds > 1;

function spread(figure, write = digits) {
  if (!hasSpread(figure)) return '–';
  return `${write(figure.low)} to ${write(figure.high)}`;
}

// Returns how many times as large a figure is as another: the trimmed mean of the logarithms, and its
// 95% interval. Only rounds that have both figures count. A machine has faster hours and slower hours,
// so each value is compared with the value of the same round. Ours and originals do not share how they
// vary, as in results.py.
function ratio(figure, other) {
  const logs = figure.values.flatMap((value, round) =>
    (value > 0 && other.values[round] > 0 ? Math.log(value / other.values[round]) : []));
  if (!logs.length) return null;
  const {mean, error, degrees} = trimmedMean(logs);
  const shared = figure.mark !== 'slower_than' && error > DATA.rounding
    && figure.whose === other.whose && other.shared.find(([rounds]) => rounds === logs.length);
  const reach = shared ? moderated(error, shared) : degrees ? DATA.t[degrees] * error : 0;
  return {mean: Math.exp(mean), low: Math.exp(mean - reach), high: Math.exp(mean + reach)};
}

// Returns how far the interval reaches by the moderated variance, as moderated.py says.
function moderated(error, [, variance, ownShare, errors]) {
  return errors * Math.sqrt(variance + ownShare * (error ** 2 - variance));
}

// Returns the same as trimmed_mean.py: the highest sixth of the numbers does not count, nor the lowest
// sixth. If the others are all equal, the spread is that of all numbers.
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

// Returns the ratio of a figure to the best of these figures, which may be the figure itself; null if
// the ratio is not known.
function besideBest(figure, figures) {
  const known = figures.filter((other) => other && other.mark !== 'slower_than');
  if (known.some(({mean}) => mean <= 0)) return null;
  const ratios = known.map((other) => ratio(figure, other)).filter(Boolean);
  return ratios.sort((a, b) => b.mean - a.mean)[0] ?? null;
}

// Returns whether a figure is as good as the best: the interval cannot tell the two apart.
const isTie = (figure, beside) =>
  figure.mark !== 'slower_than' && beside !== null && beside.low <= 1 && beside.high >= 1;

// Writes a ratio in little space: 1.0, 12, 34M.
function times(figure, beside) {
  if (beside === null) return figure.mark === 'slower_than' ? '>' : '–';
  const compact = {notation: 'compact', maximumSignificantDigits: 2};
  const ratio = beside.mean;
  const text = ratio < 9.95 ? ratio.toFixed(1) : ratio.toLocaleString('en-US', compact);
  return (figure.mark === 'slower_than' ? '>' : '') + text;
}

// Returns the interval, in words.
function spreadInWords(figure, write = digits) {
  if (!hasSpread(figure)) return figure.rounds === 1 ? 'one process' : null;
  return `95% interval ${spread(figure, write)}`;
}

function remarks(figure) {
  const {marks} = DATA;
  return [marks[figure.mark], figure.unstable && `95% interval ${marks.unstable}`].filter(Boolean);
}

// Returns what a measure is of: `bytes a timer`, `for a call`. If the measure is `own`, it is of the
// operation of the workload.
function measureOf(measure, workload) {
  const of = measure.own ? `for ${workload.operation}` : measure.of;
  return measure.unit === 'bytes' ? `bytes ${of}` : of;
}

// Makes an element with attributes and children; `null` children are left out.
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

// Returns the relative luminance of a colour, as WCAG defines it.
function luminance(colour) {
  const [red, green, blue] = channels(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// Returns the colour that a member has in charts. On a dark page the colour is made lighter until it
// can be seen, and black becomes the colour of the text.
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

// Makes a radio button or a checkbox inside a label, which looks pressed if it is chosen.
function choice(kind, group, value, checked, ...label) {
  return make('label', {},
    make('input', {type: kind, name: group, value, ...(checked ? {checked: ''} : {})}), ...label);
}
