'use strict';
// Draws the state, and changes it as the person clicks.

function choice(kind, group, value, checked, ...label) {
  return make('label', {},
    make('input', {type: kind, name: group, value, ...(checked ? {checked: ''} : {})}), ...label);
}

function drawChoices() {
  const workload = chosenWorkload();
  const sizes = sizesOf(workload);
  fill('bench', BENCHES.map((bench) =>
    make('option', {value: bench.name, ...(bench.name === state.bench ? {selected: ''} : {})},
      bench.title)));
  fill('workload', chosenBench().workloads.map(({name}) =>
    choice('radio', 'workload', name, name === state.workload, name)));
  fill('measure', measuresOf(workload).map((name) =>
    choice('radio', 'measure', name, name === state.measure, DATA.measures[name].name)));
  fill('n', ALL_SIZES.map((n) => {
    const label = choice('radio', 'n', n, n === state.n, whole(n));
    if (!sizes.includes(n)) label.classList.add('lacking');
    return label;
  }));
  fill('queues', SWITCHES.map((queue) =>
    choice('checkbox', 'queue', queue.name, !state.hidden.has(queue.name), dot(queue),
      queue.name === DATA.machine ? 'floor of the machine' : queue.name)));
}

function drawWords() {
  const bench = chosenBench();
  const {line, population} = chosenWorkload();
  fill('question', `${bench.title}: `, make('span', {}, bench.question));
  fill('line', `${state.workload}: ${line} `,
    population ? make('span', {class: 'population'}, population) : '');
  for (const place of document.querySelectorAll('.at-n')) {
    place.textContent = `at n = ${whole(state.n)}`;
  }
  document.getElementById('log').checked = state.log;
  fill('nav', [...document.querySelectorAll('section:not([hidden])')].map(({id, dataset}) =>
    make('a', {href: fragmentOf({section: id})}, dataset.title)));
}

function draw() {
  // A choice made by the keyboard keeps the focus.
  const {name, value} = document.activeElement ?? {};
  drawChoices();
  if (name) document.querySelector(`input[name="${name}"][value="${CSS.escape(value)}"]`)?.focus();
  drawWords();
  drawLines();
  drawBars();
  drawHeat();
  drawReplayHeat();
  drawCrossings();
  drawMemory();
  drawHorizon();
  drawServices();
  drawSleep();
}

function change(changes) {
  Object.assign(state, changes);
  settle();
  history.replaceState(null, '', fragmentOf());
  draw();
}

function toggle(queue, shown) {
  const hidden = new Set(state.hidden);
  if (shown) hidden.delete(queue);
  else hidden.add(queue);
  change({hidden});
}

// What was not measured has no section.
function hideEmptySections() {
  for (const bench of ['replay', 'memory', 'horizon', 'sleep']) {
    document.getElementById(bench).hidden = !benchOf(bench);
  }
  document.getElementById('services').hidden = !DATA.services.length;
  document.getElementById('crossings').hidden = !DATA.crossings.length;
}

function open() {
  const section = readFragment();
  draw();
  if (section) document.getElementById(section)?.scrollIntoView();
}

document.addEventListener('change', ({target}) => {
  if (target.id === 'bench') change({bench: target.value});
  else if (target.id === 'log') change({log: target.checked});
  else if (target.name === 'queue') toggle(target.value, target.checked);
  else if (target.name === 'n') change({n: Number(target.value)});
  else change({[target.name]: target.value});
});
document.getElementById('all').addEventListener('click', () => change({hidden: new Set()}));
document.getElementById('none').addEventListener('click', () =>
  change({hidden: new Set(QUEUES.map((queue) => queue.name))}));
window.addEventListener('hashchange', open);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
NARROW.addEventListener('change', draw);
hideEmptySections();
open();
