'use strict';
// Draws the state, and changes it when the user clicks.

function drawSwitches() {
  fill('n', ALL_SIZES.map((n) => choice('radio', 'n', n, n === state.n, whole(n))));
  for (const [kind, members] of Object.entries(SWITCHES)) {
    fill(kind, members.map((member) =>
      choice('checkbox', 'member', member.name, isShown(member), dot(member),
        member === MACHINE ? 'floor of the machine' : member.name)));
    byId(kind).closest('details').hidden = !members.length;
  }
}

function drawNavigation() {
  for (const place of document.querySelectorAll('.at-n')) {
    place.textContent = `at n = ${whole(state.n)}`;
  }
  const link = ({id, dataset}) => make('a', {href: fragmentOf({section: id})}, dataset.title);
  fill('nav', [...document.querySelectorAll('section[data-title]:not([hidden])')].map(link));
}

function draw() {
  // A choice made by the keyboard keeps the focus.
  const {name, value} = document.activeElement ?? {};
  drawSwitches();
  drawAnswers();
  drawGlance();
  drawOwnLoad();
  drawSeen();
  drawHeat();
  drawReplayHeat();
  drawCrossings();
  drawNavigation();
  if (name) {
    document.querySelector(`input[name="${CSS.escape(name)}"][value="${CSS.escape(value)}"]`)?.focus();
  }
}

// Changes the state. Each change is an entry in the browser's history, so that Back undoes it.
function change(changes) {
  Object.assign(state, changes);
  settle();
  const {workload, measure, at} = state;
  history.pushState(structuredClone({workload, measure, at}), '', fragmentOf());
  draw();
}

function toggle(member, shown) {
  const hidden = new Set(state.hidden);
  if (shown) hidden.delete(member);
  else hidden.add(member);
  change({hidden});
}

// Hides the sections of which nothing was measured.
function hideEmptySections() {
  byId('workloads').hidden = !OF_WORKLOADS.length;
  byId('replay-all').hidden = !benchOf('replay');
  byId('crossings').hidden = !DATA.crossings.length;
  byId('answer').hidden = !Object.values(DATA.answers).some((of) => of.length) && !DATA.glance.length;
  fill('glance-of', DATA.glance.map(({title}) => make('option', {value: title}, title)));
}

function open() {
  if (history.state) Object.assign(state, structuredClone(history.state));
  const section = readFragment();
  see(section ?? '');
  draw();
  if (section) byId(section)?.scrollIntoView();
}

// Applies a choice of a card. The input of a choice is named after the card: `churn workload`.
function choose(bench, what, value) {
  state.bench = bench;
  if (what === 'at' && benchOf(bench).kind === 'queues' && Number(value)) {
    change({n: Number(value)});
  } else {
    state[what][bench] = what === 'at' ? Number(value) : value;
    change({});
  }
}

document.addEventListener('change', ({target}) => {
  const {name, value, checked} = target;
  if (name === 'log') change({log: checked});
  else if (name === 'member') toggle(value, checked);
  else if (name === 'n') change({n: Number(value)});
  else if (target.id === 'glance-of') drawGlance();
  else if (name.includes(' ')) choose(...name.split(' '), value);
});

for (const kind of Object.keys(SWITCHES)) {
  const names = SWITCHES[kind].map(({name}) => name);
  const others = () => [...state.hidden].filter((name) => !names.includes(name));
  byId(`all-${kind}`).addEventListener('click', () => change({hidden: new Set(others())}));
  byId(`no-${kind}`).addEventListener('click', () =>
    change({hidden: new Set([...others(), ...names.filter((name) => name !== MACHINE.name)])}));
}
window.addEventListener('popstate', open);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
NARROW.addEventListener('change', draw);
byId('queues').closest('details').open = !matchMedia('(max-width: 1099px)').matches;
hideEmptySections();
placeCards();
open();
for (const {section} of cards) observer.observe(section);
