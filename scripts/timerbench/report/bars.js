'use strict';
// The bars: one measure of all members that are shown, at the chosen n, sorted, with the figures.

// Returns a function that gives the place of a value on the track, in percent of the track's width.
function placer(figures) {
  const timed = figures.filter((figure) => figure.mark !== 'slower_than');
  const of = timed.length ? timed : figures;
  const most = Math.max(...of.map(({mean, high}) => Math.max(mean, high)));
  if (!state.log) return (value) => (most > 0 ? Math.min(100 * value / most, 100) : 0);
  const positive = of.flatMap(({mean, low}) => [mean, low]).filter((value) => value > 0);
  const start = Math.floor(Math.log10(Math.min(...positive)) - 0.05);
  const width = Math.log10(most) - start;
  return (value) =>
    value > 0 ? Math.max(0, Math.min(100 * (Math.log10(value) - start) / width, 100)) : 0;
}

function track(member, figure, place) {
  const marks = `bar ${figure.mark}${figure.unstable ? ' unstable' : ''}`;
  const width = figure.mark === 'slower_than' ? 100 : Math.max(place(figure.mean), 0);
  const low = place(figure.low);
  return make('td', {class: 'track'}, make('div', {},
    make('i', {class: marks, style: `width: ${width}%; --colour: ${colourOf(member)}`}),
    !hasSpread(figure) ? null : make('i', {
      class: 'interval', style: `left: ${low}%; width: ${place(figure.high) - low}%`,
    })));
}

function barRow({member, figure}, figures, place, write) {
  const beside = besideBest(figure, figures);
  return make('tr', {
    'data-member': member.name,
    'data-mean': figure.mean,
    title: remarks(figure).join(', '),
    class: isTie(figure, beside) ? 'best' : '',
  },
  make('th', {scope: 'row'}, dot(member), member.name),
  track(member, figure, place),
  make('td', {class: 'number value'}, written(figure, write)),
  make('td', {class: 'number'}, spread(figure, write)),
  make('td', {class: 'number'}, times(figure, beside)));
}

const COLUMNS = ['', '', 'mean', '95% interval', '× best'];

function drawBars(bench, card) {
  const workload = chosenWorkload(bench);
  const measure = chosenMeasure(bench);
  const n = chosenN(bench);
  const rows = shownOf(bench)
    .map((member) => ({member, figure: figureOf(cellOf(workload, member.name, n), measure)}))
    .filter(({figure}) => figure)
    .sort((a, b) => (a.figure.mark === 'slower_than') - (b.figure.mark === 'slower_than') ||
      a.figure.mean - b.figure.mean);
  const figures = rows.map(({figure}) => figure);
  const {name, write} = unitOf(figures, measure);
  const what = measure.unit === 'bytes' ? measure.of : measureOf(measure, workload);
  const over = workload.over === 'timers' ? `n = ${whole(n)}` : `${whole(n)} ${workload.over}`;
  const where = n ? `At ${over}` : workload.name;
  fill(card.barsTitle, `${where}: ${[name, what].filter(Boolean).join(' ')}`);
  if (!rows.length) {
    fill(card.bars, make('p', {class: 'nothing'}, NOT_MEASURED));
    return;
  }
  const at = placer(figures);
  fill(card.bars, make('table', {class: 'bars'},
    make('thead', {}, make('tr', {}, COLUMNS.map((text, column) =>
      make('th', {scope: 'col', style: column > 1 ? 'text-align: right' : ''}, text)))),
    make('tbody', {}, rows.map((row) => barRow(row, figures, at, write)))));
}
