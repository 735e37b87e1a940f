'use strict';
// Tables of all workloads at the chosen n: heat maps, and where wheel and heap cross.

// From this ratio on, a cell of a heat map has the full colour.
const HEAT_MOST = DATA.worst;

function heatCell(queue, figure, figures) {
  if (!figure) return make('td', {class: 'absent'}, '–');
  const beside = besideBest(figure, figures);
  // The colour shows the lower end of the interval, so that a tie looks like the best.
  const share = Math.min(Math.log(Math.max(beside?.low ?? 1, 1)) / Math.log(HEAT_MOST), 1);
  const marks = [figure.mark, figure.unstable && 'unstable', share > 0.8 && 'dark',
    isTie(figure, beside) && 'best'].filter(Boolean);
  return make('td', {
    class: marks.join(' '),
    style: `--share: ${share}`,
    title: [`${queue.name}: ${written(figure)}${figure.mark === 'slower_than' ? '' : ' ns'}`,
      spreadInWords(figure), ...remarks(figure)].filter(Boolean).join(', '),
  }, times(figure, beside));
}

function heatRow(bench, workload, n, label) {
  const figures = shownQueues().map((queue) =>
    figureItself(bench, cellOf(workload, queue.name, n)));
  if (!figures.some(Boolean)) return null;
  const chosen = state.bench === bench.name && chosenWorkload(bench) === workload;
  const link = {bench: bench.name, workload: workload.name, measure: '', section: bench.name};
  return make('tr', {
    'data-row': `${bench.name}/${workload.name}`, class: chosen ? 'chosen' : '',
  },
  make('th', {scope: 'row', title: workload.line}, make('a', {href: fragmentOf(link)}, label)),
  shownQueues().map((queue, at) => heatCell(queue, figures[at], figures)));
}

// Returns a heat map of groups of rows. Each group has a title and a hint.
function heatTable(groups) {
  const filled = groups.map((group) => ({...group, rows: group.rows.filter(Boolean)}))
    .filter(({rows}) => rows.length);
  if (!filled.length) return [make('p', {class: 'nothing'}, NOT_MEASURED)];
  return [
    make('div', {class: 'heat-scale'}, 'best', make('i'), `${HEAT_MOST}× and more`),
    make('table', {class: 'heat'},
      make('thead', {}, make('tr', {}, make('td', {class: 'absent'}), shownQueues().map((queue) =>
        make('th', {scope: 'col'}, make('span', {}, queue.name), dot(queue))))),
      filled.map(({title, hint, rows}) => make('tbody', {'data-group': title},
        make('tr', {class: 'group'}, make('th', {colspan: 1 + shownQueues().length},
          title, make('span', {class: 'hint'}, hint))),
        rows))),
  ];
}

const POPULATIONS = [
  ['timeouts', 'Timeouts', ', nearly always cancelled or re-armed'],
  ['schedules', 'Schedules', ', which nearly always expire'],
  ['events', 'Events', ' of simulations'],
  [null, 'Both', ', or neither'],
];

// The benches of queues whose workloads stand in one table.
const OF_WORKLOADS = OF_QUEUES.filter(({name}) => name !== 'replay' && name !== 'memory');

function drawHeat() {
  fill('heat', heatTable(POPULATIONS.map(([population, title, hint]) => ({
    title,
    hint,
    rows: OF_WORKLOADS.flatMap((bench) => bench.workloads
      .filter((workload) => workload.population === population)
      .map((workload) =>
        heatRow(bench, workload, state.n, `${bench.name} ${workload.name}`))),
  }))));
}

function drawReplayHeat() {
  const bench = benchOf('replay');
  const ticks = [...new Set((bench?.workloads ?? []).map(({name}) => name.split('@')[1]))];
  fill('replay-heat', heatTable(ticks.map((tick) => ({
    title: `A tick of ${tick.replace(/(\d+)/, '$1 ').replace('us', 'µs')}`,
    hint: '',
    rows: bench.workloads.filter(({name}) => name.split('@')[1] === tick)
      .map((workload) => heatRow(bench, workload, 0, workload.name.split('@')[0])),
  }))));
}

// Returns a track along n. It shows which of the two is faster in each stretch, and where their last
// crossing may lie.
function crossingTrack({stretches, doubtful}, [least, most]) {
  const place = (value) => 100 * Math.log(value / least) / Math.log(most / least);
  const part = ([from, to], kind, style = '') => make('i', {
    class: kind, style: `left: ${place(from)}%; width: ${place(to) - place(from)}%; ${style}`,
  });
  const colour = (name) => colourOf(QUEUES.find((queue) => queue.name === name));
  return make('td', {class: 'track'}, make('div', {},
    stretches.map(([name, ...ends]) => part(ends, 'bar', `--colour: ${colour(name)}`)),
    doubtful && part(doubtful, 'interval')));
}

function drawCrossings() {
  const {crossings} = DATA;
  if (!crossings.length) return;
  const sizes = crossings.flatMap((crossing) => crossing.sizes);
  const ends = [Math.min(...sizes), Math.max(...sizes)];
  const link = ({bench, workload}) => fragmentOf({bench, workload, measure: '', section: bench});
  fill('crossing-table', make('table', {class: 'crossings'},
    make('thead', {}, make('tr', {}, make('td'),
      make('td', {}, make('div', {}, ends.map((n) => make('span', {}, whole(n))))), make('td'))),
    make('tbody', {}, crossings.map((crossing) => make('tr', {},
      make('th', {scope: 'row'},
        make('a', {href: link(crossing)}, `${crossing.bench} ${crossing.workload}`)),
      crossingTrack(crossing, ends),
      make('td', {class: 'words'}, crossing.words))))));
}
