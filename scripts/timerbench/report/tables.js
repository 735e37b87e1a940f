'use strict';
// Tables of all workloads at the chosen n: heat maps, memory, horizon.

// From here on a heat map has its full colour.
const HEAT_MOST = 10;

function heatCell(queue, figure, figures) {
  if (!figure) return make('td', {class: 'absent'}, '–');
  const beside = besideBest(figure, figures);
  // The colour says what is sure, so that a tie looks as the best does.
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
    figureOf(cellOf(workload, queue.name, n), 'ns_per_operation'));
  if (!figures.some(Boolean)) return null;
  const chosen = state.bench === bench.name && state.workload === workload.name;
  const link = {bench: bench.name, workload: workload.name, measure: '', section: 'explore'};
  return make('tr', {
    'data-row': `${bench.name}/${workload.name}`, class: chosen ? 'chosen' : '',
  },
  make('th', {scope: 'row', title: workload.line}, make('a', {href: fragmentOf(link)}, label)),
  shownQueues().map((queue, at) => heatCell(queue, figures[at], figures)));
}

// A heat map of groups of rows, each with its title and a word on it.
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

function drawHeat() {
  const benches = BENCHES.filter(({name}) => name !== 'replay');
  fill('heat', heatTable(POPULATIONS.map(([population, title, hint]) => ({
    title,
    hint,
    rows: benches.flatMap((bench) => bench.workloads
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

// The stretches of the two on an axis of n, and where their last crossing may lie.
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
  const link = ({bench, workload}) => fragmentOf({bench, workload, section: 'explore'});
  fill('crossing-table', make('table', {class: 'crossings'},
    make('thead', {}, make('tr', {}, make('td'),
      make('td', {}, make('div', {}, ends.map((n) => make('span', {}, whole(n))))), make('td'))),
    make('tbody', {}, crossings.map((crossing) => make('tr', {},
      make('th', {scope: 'row'},
        make('a', {href: link(crossing)}, `${crossing.bench} ${crossing.workload}`)),
      crossingTrack(crossing, ends),
      make('td', {class: 'words'}, crossing.words))))));
}

// Columns: {label, workload, counter}, and perhaps an n of their own; groups of them stand under a
// title. A row for each of `things` that has a figure.
function figuresTable(groups, things = shownQueues()) {
  const columns = groups.flatMap(({columns: of}) =>
    of.map((column, at) => ({n: state.n, ...column, at})));
  const rows = things.filter((thing) =>
    columns.some(({workload, n}) => cellOf(workload, thing.name, n)));
  if (!rows.length) return make('p', {class: 'nothing'}, NOT_MEASURED);
  const place = ({at}) => ({class: at === 0 ? 'first' : ''});
  const titled = groups.some(({title}) => title);
  return make('table', {class: 'figures'},
    make('thead', {},
      titled ? make('tr', {}, make('td'), groups.map(({title, columns: of}) =>
        make('th', {scope: 'colgroup', colspan: of.length, class: 'first'}, title))) : null,
      make('tr', {}, make('td'), columns.map((column) =>
        make('th', {scope: 'col', ...place(column)}, column.label)))),
    make('tbody', {}, rows.map((thing) => make('tr', {'data-queue': thing.name},
      make('th', {scope: 'row'}, dot(thing), thing.name),
      columns.map((column) => {
        const figure = figureOf(cellOf(column.workload, thing.name, column.n), column.counter);
        return make('td', {
          ...place(column), title: figure ? [spreadInWords(figure), ...remarks(figure)].filter(Boolean).join(', ') : '',
        }, written(figure));
      })))));
}

const MEMORY_COLUMNS = {
  bytes_per_timer: 'bytes a timer',
  peak_bytes_per_timer: 'bytes a timer at the peak',
  bytes_empty: 'bytes of an empty queue',
  residue_bytes: 'bytes held after all are cancelled',
  leak_bytes_per_operation: 'leak, bytes an operation',
  allocations_per_operation: 'allocations an operation',
};

function drawMemory() {
  const workloads = benchOf('memory')?.workloads ?? [];
  fill('memory-table', figuresTable(workloads.map((workload) => ({
    title: workloads.length > 1 ? workload.name : '',
    columns: Object.entries(MEMORY_COLUMNS)
      .map(([counter, label]) => ({label, workload, counter})),
  }))));
}

const HORIZON_COLUMNS = {
  ns_per_operation: (workload) => `ns ${workload.operation}`,
  empty_calls_per_timer: 'empty calls',
  moves_per_timer: 'moves',
};

function drawHorizon() {
  fill('horizon-table', figuresTable((benchOf('horizon')?.workloads ?? []).map((workload) => ({
    title: workload.name,
    columns: Object.entries(HORIZON_COLUMNS).map(([counter, label]) =>
      ({label: typeof label === 'string' ? label : label(workload), workload, counter})),
  }))));
}

// A group for each call in each memory, with a column for each number of threads.
function groupsOfCalls(workloads) {
  const groups = [...new Set(workloads.map(({calls}) => calls).filter(Boolean))];
  return groups.map((group) => {
    const of = workloads.filter(({calls}) => calls === group);
    const n = Math.max(...of.flatMap(sizesOf));
    return {
      title: `ns, ${group}, ${whole(n)} pending`,
      columns: of.filter((workload) => sizesOf(workload).includes(n)).map((workload) =>
        ({label: workload.threads, workload, counter: 'ns_per_operation', n})),
    };
  });
}

function groupOfExpiries(workload) {
  const sizes = sizesOf(workload);
  return {
    title: 'ns of processor time an expiry',
    columns: [
      ...sizes.map((n) => ({label: `n = ${whole(n)}`, workload, counter: 'ns_per_operation', n})),
      {label: 'allocations a schedule', workload, counter: 'allocations_per_schedule', n: sizes.at(-1)},
    ],
  };
}

function drawServices() {
  fill('services-table', figuresTable([
    ...groupsOfCalls(benchOf('contention')?.workloads ?? []),
    ...(benchOf('dispatch')?.workloads ?? []).map(groupOfExpiries),
  ], DATA.services));
}

const SLEEP_COLUMNS = {
  ns_per_operation: 'median',
  p99_ns: 'p99',
  p999_ns: 'p99.9',
  worst_ns: 'worst',
  wake_call_ns: 'to wake it',
  woken_after_ns: 'until it runs',
};

function drawSleep() {
  fill('sleep-table', figuresTable((benchOf('sleep')?.workloads ?? []).map((workload) => ({
    title: `${workload.line} ns late`,
    columns: Object.entries(SLEEP_COLUMNS).map(([counter, label]) =>
      ({label, workload, counter, n: sizesOf(workload).at(-1)})),
  })), DATA.ways));
}
