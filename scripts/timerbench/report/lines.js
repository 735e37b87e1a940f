'use strict';
// A measure over n: a line and a band for each member, and the floor of the machine.

const WIDTH = 1.8;

// The number of lines that colours and names can tell apart.
const {most_lines: MOST_LINES} = DATA;

const logMean = (figures) =>
  figures.reduce((sum, {mean}) => sum + Math.log(mean), 0) / figures.length;

// Returns a function that says how high a line is, over the n that all lines have. A bound counts as
// slower than a figure.
function levelAmong(lines) {
  const shared = lines.map(({points}) => points.map(({n}) => n))
    .reduce((some, sizes) => some.filter((n) => sizes.includes(n)));
  return ({points}) => {
    const known = points.filter(({n}) => !shared.length || shared.includes(n))
      .map(({figure}) => figure);
    return [known.filter(({mark}) => mark === 'slower_than').length, logMean(known)];
  };
}

const before = (a, b) => a[0] - b[0] || a[1] - b[1];

// Returns the lowest line of a family. Lines of queues that may be late count only if no queue of the
// family is exact.
function bestOf(family) {
  const exact = family.filter(({isLate}) => !isLate);
  const rivals = exact.length ? exact : family;
  const level = levelAmong(rivals);
  return [...rivals].sort((a, b) => before(level(a), level(b)))[0];
}

// Returns the lines that stand out: all lines if there are few, otherwise the best line of each of the
// lowest families. The other lines are drawn behind these.
function standingOut(lines) {
  if (lines.length <= MOST_LINES) return lines;
  const families = [...new Set(lines.map(({family}) => family))];
  const best = families.map((one) => bestOf(lines.filter(({family}) => family === one)));
  const level = levelAmong(best);
  const nearest = best.sort((a, b) => before(level(a), level(b))).slice(0, MOST_LINES);
  return lines.filter((line) => nearest.includes(line));
}

// Returns the symbol of a point. The symbol says how the figure was measured; the colour says whose it
// is.
function symbolOf(figure) {
  if (figure.mark === 'slower_than') return 'triangle-up';
  if (figure.unstable) return 'x';
  return figure.mark === 'window' ? 'circle-open' : 'circle';
}

function pointsOf(workload, member, measure) {
  return sizesOf(workload)
    .map((n) => ({n, figure: figureOf(cellOf(workload, member, n), measure)}))
    .filter(({figure}) => figure && figure.mean > 0);
}

// Returns the range of the axis. Bounds do not stretch it if there are other figures: a bound beyond
// the range stands at the edge.
function rangeOf(lines) {
  const figures = lines.flatMap(({points}) => points.map(({figure}) => figure));
  const timed = figures.filter((figure) => figure.mark !== 'slower_than');
  const values = (timed.length ? timed : figures).flatMap(({mean, low, high}) =>
    [mean, low, high].filter((value) => value > 0));
  const least = Math.log10(Math.min(...values));
  const most = Math.log10(Math.max(...values));
  const margin = 0.05 * Math.max(most - least, 0.5);
  return [least - margin, most + margin];
}

// Returns the band of a line: an outline around each run of points that have an interval, and a gap
// before the next run.
function bandOf({name, colour, points}) {
  const runs = points.reduce((of, point) => {
    if (point.figure.rounds === 1) of.push([]);
    else of.at(-1).push(point);
    return of;
  }, [[]]).filter((run) => run.length);
  const outline = (low, high) => runs.flatMap((run, at) =>
    [...(at ? [null] : []), ...run.map(low), ...run.map(high).reverse()]);
  return {
    name,
    x: outline(({n}) => n, ({n}) => n),
    y: outline(({figure}) => figure.low, ({figure}) => figure.high),
    mode: 'lines',
    line: {width: 0},
    fill: 'toself',
    fillcolor: transparent(colour, 0.15),
    hoverinfo: 'skip',
  };
}

function hoverOf(name, {measure, of}, {n, figure}) {
  const unit = unitOf([figure], measure);
  const lines = [`<b>${name}</b>`, `n = ${whole(n)}`,
    `${written(figure, unit.write)} ${figure.mark === 'slower_than' ? '' : unit.name} ${of}`];
  return [...lines, spreadInWords(figure, unit.write), ...remarks(figure)].filter(Boolean).join('<br>');
}

function lineOf({name, colour, dash, points}, top, of) {
  return {
    name,
    x: points.map(({n}) => n),
    y: points.map(({figure}) =>
      figure.mark === 'slower_than' ? Math.min(figure.mean, top) : figure.mean),
    mode: 'lines+markers',
    cliponaxis: false,
    line: {color: colour, width: WIDTH, dash},
    marker: {
      size: points.map(({figure}) => (symbolOf(figure) === 'circle' ? 6 : 10)),
      symbol: points.map(({figure}) => symbolOf(figure)),
      line: {width: points.map(({figure}) => (symbolOf(figure) === 'circle-open' ? 2 : 0))},
    },
    text: points.map((point) => hoverOf(name, of, point)),
    hovertemplate: '%{text}<extra></extra>',
  };
}

// Returns a line that is grey, thin, and without a label. The name of the queue appears when the mouse
// is over the line.
function behindTrace(line, top, of) {
  const trace = lineOf(line, top, of);
  const colour = cssColour('--behind');
  return {
    ...trace,
    line: {...trace.line, color: colour, width: 1},
    marker: {...trace.marker, color: colour, size: trace.marker.size.map((size) => size / 2)},
    hoverlabel: {bordercolor: line.colour},
  };
}

// Returns the lines of the bench `floor`, from the least to the greatest of these n. That bench
// measures only times.
function floorLines(sizes, faint) {
  if (!isShown(MACHINE)) return [];
  const floor = benchOf('floor');
  const inside = ({n}) => sizes[0] <= n && n <= sizes.at(-1);
  return (floor?.workloads ?? []).map((workload) => ({
    name: `floor: ${workload.name}`,
    colour: faint,
    points: pointsOf(workload, MACHINE.name, floor.measures[0]).filter(inside),
  })).filter(({points}) => points.length);
}

function floorTrace(line) {
  return {
    ...lineOf(line, Infinity, {measure: benchOf('floor').measures[0], of: 'for a touch'}),
    mode: 'lines',
    line: {color: line.colour, width: 1, dash: 'dot'},
  };
}

// Moves the names of lines that end at the same n apart, so that they do not overlap, and keeps them
// below `high`.
function moveApart(ends, least, high) {
  ends.sort((a, b) => a.y - b.y);
  ends.forEach((end, at) => {
    if (at > 0) end.y = Math.max(end.y, ends[at - 1].y + least);
  });
  ends.reduceRight((limit, end) => {
    end.y = Math.min(end.y, limit);
    return end.y - least;
  }, high);
}

// Returns the labels with the names of lines, at their right ends.
function namesOf(lines, [low, high], height) {
  const ends = lines.map(({name, colour, points}) => {
    const {n, figure} = points.at(-1);
    return {name, colour, x: Math.log10(n), y: Math.min(Math.log10(figure.mean), high)};
  });
  for (const x of new Set(ends.map((end) => end.x))) {
    moveApart(ends.filter((end) => end.x === x), 12 * (high - low) / height, high);
  }
  return ends.map(({name, colour, x, y}) => ({
    text: name, x, y, xanchor: 'left', xshift: 4, showarrow: false, font: {size: 10, color: colour},
    borderpad: 0, bgcolor: transparent(cssColour('--surface'), 0.7),
  }));
}

// Returns the ticks of an axis: these steps of each decade.
function ticksOf([low, high], steps, write) {
  const decades = Array.from({length: Math.ceil(high) - Math.floor(low) + 1},
    (_, at) => Math.floor(low) + at);
  const values = decades.flatMap((decade) => steps.map((step) => step * 10 ** decade));
  return {tickvals: values, ticktext: values.map(write)};
}

function axis(title, range, steps, write) {
  return {
    title: {text: title, font: {size: 12}, standoff: 8},
    type: 'log',
    range,
    gridcolor: cssColour('--rule'),
    zeroline: false,
    ...ticksOf(range, steps, write),
  };
}

const MARGIN = {l: 55, t: 26, b: 42};

// On a telephone there is no room for names beside the lines.
const NARROW = matchMedia('(max-width: 480px)');

// Writes a number in short: 100, 1k, 10M.
const inShort = (value) => value.toLocaleString('en-US', {notation: 'compact'}).toLowerCase()
  .replace('m', 'M');

// Writes the number at a tick, which may be a fraction.
const plain = (value) => value.toLocaleString('en-US', {maximumSignificantDigits: 3});

// The width of a letter of the labels, in pixels.
const LETTER = 6;

// Returns the layout that all charts share.
const layoutOfAll = () => ({
  modebar: {bgcolor: 'transparent', color: cssColour('--faint'), activecolor: cssColour('--text')},
  hovermode: 'closest',
  paper_bgcolor: 'transparent',
  plot_bgcolor: 'transparent',
  font: {color: cssColour('--text'), size: 12, family: 'system-ui, "DejaVu Sans", sans-serif'},
  hoverlabel: {bgcolor: cssColour('--surface'), font: {color: cssColour('--text')}, align: 'left'},
});

const CONFIG = {
  responsive: true, displaylogo: false, modeBarButtons: [['toImage', 'resetScale2d']],
};

function layoutOf(lines, named, {bench, measure, title}, height) {
  const sizes = lines.flatMap(({points}) => points.map(({n}) => Math.log10(n)));
  const range = rangeOf(lines);
  const steps = range[1] - range[0] > 3.5 ? [1] : [1, 2, 5];
  const write = measure.unit === 'ns' && range[0] > 3 ? duration : plain;
  return {
    ...layoutOfAll(),
    xaxis: axis(`${chosenWorkload(bench).over}, logarithmic`,
      [Math.min(...sizes) - 0.08, Math.max(...sizes) + 0.08], sizes.some((n) => n % 1) ? [1, 2, 4, 8] : [1],
      inShort),
    yaxis: {...axis(`${title}, logarithmic`, range, steps, write), automargin: true},
    annotations: namesOf(named, range, height - MARGIN.t - MARGIN.b),
    margin: {...MARGIN, r: 12 + Math.max(24, ...named.map(({name}) => LETTER * name.length))},
    showlegend: false,
    // A zoom stays while members come and go.
    uirevision: [bench.name, chosenWorkload(bench).name, measure.name].join(),
  };
}

function drawLines(bench, card) {
  const {chart, overN: box, behind: key} = card;
  const workload = chosenWorkload(bench);
  const measure = chosenMeasure(bench);
  const sizes = sizesOf(workload);
  box.hidden = sizes.length < 2;
  if (box.hidden) return;
  const of = measureOf(measure, workload);
  const members = shownOf(bench).map((member) => ({
    name: member.name,
    family: member.family,
    isLate: member.late,
    colour: colourOf(member),
    dash: member.dashes?.map((length) => `${length * WIDTH}px`).join() ?? 'solid',
    points: pointsOf(workload, member.name, measure),
  })).filter(({points}) => points.length);
  if (!members.length) {
    Plotly.purge(chart);
    fill(chart, make('p', {class: 'nothing'}, NOT_MEASURED));
    return;
  }
  chart.querySelector('.nothing')?.remove();
  const isFigureItself = measure.name === 'ns_per_operation' && bench.kind === 'queues';
  const floors = isFigureItself ? floorLines(sizes, cssColour('--faint')) : [];
  const best = standingOut(members);
  const behind = members.filter((line) => !best.includes(line));
  key.hidden = !behind.length;
  const named = NARROW.matches ? [] : [...floors, ...(behind.length ? best : [])];
  const title = measure.unit === 'ns' ? `time ${of}` : of;
  const layout = layoutOf([...members, ...floors], named, {bench, measure, title}, chart.clientHeight);
  const top = 10 ** layout.yaxis.range[1];
  const shown = {measure, of};
  Plotly.react(chart, [
    ...behind.map((line) => behindTrace(line, top, shown)),
    ...floors.map(floorTrace),
    ...best.map(bandOf),
    ...best.map((line) => lineOf(line, top, shown)),
  ], layout, CONFIG);
}
