'use strict';
// A measure of all shown queues at the chosen n, sorted, with the figures themselves.

// Where a value stands on the track, in percent of its width.
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

function track(queue, figure, place) {
  const marks = `bar ${figure.mark}${figure.unstable ? ' unstable' : ''}`;
  const width = figure.mark === 'slower_than' ? 100 : place(figure.mean);
  const low = place(figure.low);
  return make('td', {class: 'track'}, make('div', {},
    make('i', {class: marks, style: `width: ${width}%; --colour: ${colourOf(queue)}`}),
    !hasSpread(figure) ? null : make('i', {
      class: 'interval', style: `left: ${low}%; width: ${place(figure.high) - low}%`,
    })));
}

function barRow({queue, figure}, figures, place, per) {
  const row = make('tr', {'data-queue': queue.name, title: remarks(figure).join(', ')},
    make('th', {scope: 'row'}, dot(queue), queue.name),
    track(queue, figure, place),
    make('td', {class: 'number value'}, written(figure, per)),
    make('td', {class: 'number'}, spread(figure, per)),
    make('td', {class: 'number'}, times(figure, besideBest(figure, figures))));
  row.dataset.mean = figure.mean;
  return row;
}

function drawBars() {
  const n = chosenN();
  const rows = shownQueues()
    .map((queue) => ({
      queue, figure: figureOf(cellOf(chosenWorkload(), queue.name, n), state.measure),
    }))
    .filter(({figure}) => figure)
    .sort((a, b) => (a.figure.mark === 'slower_than') - (b.figure.mark === 'slower_than') ||
      a.figure.mean - b.figure.mean);
  const figures = rows.map(({figure}) => figure);
  const unit = unitOf(figures);
  const where = n ? `At n = ${whole(n)}` : state.workload;
  fill('bars-title', `${where}: ${unit.name} ${measureOf(chosenWorkload(), state.measure)}`);
  if (!rows.length) {
    fill('bars', make('p', {class: 'nothing'}, NOT_MEASURED));
    return;
  }
  const place = placer(figures);
  fill('bars', make('table', {class: 'bars'},
    make('thead', {}, make('tr', {}, ['queue', '', 'mean', '95% interval', '× best'].map((text, at) =>
      make('th', {scope: 'col', style: at > 1 ? 'text-align: right' : ''}, text)))),
    make('tbody', {}, rows.map((row) => barRow(row, figures, place, unit.per)))));
}
