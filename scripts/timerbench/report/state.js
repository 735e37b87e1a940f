'use strict';
// What is shown. It is kept in the fragment of the address, so that a view can be linked.

const state = {bench: '', workload: '', measure: '', n: 0, hidden: new Set(), log: false};

// Benches that have queues; the floor is drawn with them, and all else has tables.
const BENCHES = DATA.benches.filter((bench) => bench.subject === 'queues');
const ALL_SIZES = [
  ...new Set(BENCHES.flatMap((bench) => bench.workloads.flatMap(sizesOf))),
].filter(Boolean).sort((a, b) => a - b);
const QUEUES = DATA.queues;
const SWITCHES = benchOf('floor') ? [...QUEUES, {name: DATA.machine, colour: '#888888', dashes: [1, 1]}] : QUEUES;

const shownQueues = () => QUEUES.filter((queue) => !state.hidden.has(queue.name));
const chosenBench = () => benchOf(state.bench);
const chosenWorkload = () => workloadOf(chosenBench(), state.workload);

// A trace has an n of its own.
const chosenN = () => (sizesOf(chosenWorkload()).includes(0) ? 0 : state.n);

const orElse = (wanted, choices, preferred) =>
  choices.includes(wanted) ? wanted : choices.includes(preferred) ? preferred : choices[0];

// Replaces what the results do not have by what they have.
function settle() {
  state.bench = orElse(state.bench, BENCHES.map((bench) => bench.name), 'churn');
  const workloads = chosenBench().workloads;
  state.workload = orElse(state.workload, workloads.map((workload) => workload.name));
  state.measure = orElse(state.measure, measuresOf(chosenWorkload()));
  state.n = orElse(state.n, ALL_SIZES, 100000) ?? 0;
}

function fragmentOf(changes = {}) {
  const shown = {...state, ...changes};
  const pairs = [
    ['bench', shown.bench],
    ['workload', shown.workload],
    ['measure', shown.measure],
    ['n', shown.n],
    ['hidden', [...shown.hidden].join(',')],
    ['scale', shown.log ? 'log' : ''],
    ['section', changes.section ?? ''],
  ];
  return '#' + pairs.filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
    .join('&');
}

// Returns the section that the address asks for, if any.
function readFragment() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const names = SWITCHES.map((queue) => queue.name);
  state.bench = wanted.get('bench');
  state.workload = wanted.get('workload');
  state.measure = wanted.get('measure');
  state.n = Number(wanted.get('n'));
  state.hidden = new Set((wanted.get('hidden') ?? '').split(',').filter((q) => names.includes(q)));
  state.log = wanted.get('scale') === 'log';
  settle();
  return wanted.get('section');
}
