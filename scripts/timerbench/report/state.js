'use strict';
// The state is what the page shows. It is kept in the fragment of the address, so that a view can be
// linked, and so that the browser's Back leads to the previous view.

// `bench` is the card that was touched last. The choices of the other cards stay as long as the page is
// open.
const state = {
  bench: '', workload: {}, measure: {}, at: {}, n: 0, hidden: new Set(), log: false,
};

const CARDS = DATA.benches.filter((bench) => bench.subject !== 'machine');
const OF_QUEUES = CARDS.filter((bench) => bench.subject === 'queues');
const ALL_SIZES = [
  ...new Set(OF_QUEUES.flatMap((bench) => bench.workloads.flatMap(sizesOf))),
].filter(Boolean).sort((a, b) => a - b);

// What can be switched off: the queues with the floor below them, and the services.
const [MACHINE] = DATA.members.machine;
const unique = (members) => [...new Map(members.map((one) => [one.name, one])).values()];
const QUEUES = unique([...DATA.members.queues, ...DATA.members.staying]);
const SERVICES = unique(
  ['services', 'settings', 'wheels'].flatMap((subject) => DATA.members[subject]));
const SWITCHES = {
  queues: benchOf('floor') ? [...QUEUES, MACHINE] : QUEUES,
  services: SERVICES,
};

const isShown = ({name}) => !state.hidden.has(name);
const shownOf = (bench) => DATA.members[bench.subject].filter(isShown);
const shownQueues = () => DATA.members.queues.filter(isShown);

const orElse = (wanted, choices, preferred) =>
  choices.includes(wanted) ? wanted : choices.includes(preferred) ? preferred : choices[0];

const chosenWorkload = (bench) => workloadOf(bench,
  orElse(state.workload[bench.name], bench.workloads.map(({name}) => name)));

function chosenMeasure(bench) {
  const measures = measuresOf(bench, chosenWorkload(bench));
  return measures.find(({name}) => name === state.measure[bench.name]) ?? measures[0];
}

// Returns the n that a bench shows. The benches of queues share an n. If it was not measured, the next
// smaller n takes its place. A trace has an n of its own.
function chosenN(bench) {
  const sizes = sizesOf(chosenWorkload(bench));
  const wanted = bench.kind === 'queues' ? state.n : state.at[bench.name] ?? sizes.at(-1);
  return sizes.findLast((n) => n <= wanted) ?? sizes[0];
}

// Replaces choices that the results do not have by choices that they have.
function settle() {
  state.bench = orElse(state.bench, CARDS.map((bench) => bench.name), 'churn');
  state.n = orElse(state.n, ALL_SIZES, 100000) ?? 0;
}

// Returns the address of the view that is shown, or of another card or section.
function fragmentOf({
  bench = state.bench, workload = state.workload[bench], measure = state.measure[bench],
  at = state.at[bench], n = state.n, section,
} = {}) {
  const pairs = Object.entries({
    bench, workload, measure, at, n,
    hidden: [...state.hidden].join(','), scale: state.log ? 'log' : '', section,
  });
  return '#' + pairs.filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
    .join('&');
}

// Reads the state from the address, and returns the section that the address asks for, if any. An
// address that names no bench means the page as it was opened.
function readFragment() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const names = [...SWITCHES.queues, ...SWITCHES.services].map(({name}) => name);
  const bench = CARDS.find(({name}) => name === wanted.get('bench'));
  state.bench = bench?.name;
  if (!bench && !history.state) Object.assign(state, {workload: {}, measure: {}, at: {}});
  if (bench) {
    state.workload[bench.name] = wanted.get('workload');
    state.measure[bench.name] = wanted.get('measure');
    state.at[bench.name] = Number(wanted.get('at')) || undefined;
  }
  state.n = Number(wanted.get('n'));
  state.hidden = new Set((wanted.get('hidden') ?? '').split(',').filter((q) => names.includes(q)));
  state.log = wanted.get('scale') === 'log';
  settle();
  return wanted.get('section');
}
