'use strict';
// A card for each bench: its finding, what one can choose, its pictures, and how it was measured.
// A card is drawn when it comes into sight.

const KINDS = [['queues', 'Queues'], ['services', 'Services'], ['ways', 'Sleep']];

const {marks: MARKS} = DATA;
const KEY = [
  '● timed whole', `○ ${MARKS.window}`, `✕ 95% interval ${MARKS.unstable}`, `▲ ${MARKS.slower_than}`,
  '┄ floor: what the machine takes',
];

function pickers(bench) {
  const workload = make('div', {class: 'choices', role: 'radiogroup', 'aria-label': 'workload'});
  const measure = make('div', {class: 'choices', role: 'radiogroup', 'aria-label': 'measure'});
  const at = make('div', {class: 'choices', role: 'radiogroup', 'aria-label': 'n'});
  const box = (title, choices) => make('div', {class: 'picker'}, make('b', {}, title), choices);
  return {
    workload, measure, at,
    elements: [box('Workload', workload), box('Measure', measure), box('n', at)],
  };
}

function figuresOf(card) {
  card.chart = make('div', {class: 'chart'});
  card.behind = make('span', {}, make('i', {class: 'swatch behind'}),
    ` ${MARKS.behind}: point at it`);
  card.overN = make('figure', {class: 'over-n'}, make('figcaption', {}, 'Over n'), card.chart,
    make('p', {class: 'key'}, KEY.map((text) => make('span', {}, text)), card.behind));
  card.barsTitle = make('span', {class: 'bars-title'});
  card.bars = make('div', {class: 'bars-box'});
  card.log = make('input', {type: 'checkbox', name: 'log'});
  const figure = make('figure', {}, make('figcaption', {}, card.barsTitle,
    make('label', {class: 'log'}, card.log, ' logarithmic')), card.bars);
  card.spread = make('div', {class: 'spread'});
  const late = make('figure', {class: 'late'},
    make('figcaption', {}, 'From the median to the worst'), card.spread);
  return [card.overN, figure, late];
}

function sources(bench) {
  return make('p', {class: 'sources'},
    make('a', {href: `${bench.name}.json`}, `${bench.name}.json`),
    bench.pictures.map((file) => [' · ', make('a', {href: file}, file)]).flat(),
    ' · once more: ', make('code', {}, `./scripts/run.py --full --filter ^${bench.name}/`));
}

function makeCard(bench) {
  const card = {bench, seen: false};
  card.pickers = pickers(bench);
  card.line = make('p', {class: 'line'});
  card.section = make('section', {id: bench.name, class: 'card', 'data-title': bench.title},
    make('h2', {}, bench.finding ?? bench.question),
    make('p', {class: 'question'}, `${bench.title}. `, bench.finding ? bench.question : ''),
    make('div', {class: 'pickers'}, card.pickers.elements),
    card.line,
    make('div', {class: 'views'}, figuresOf(card)),
    make('details', {class: 'how'}, make('summary', {}, 'How it was measured'),
      make('p', {}, bench.how), sources(bench)));
  return card;
}

const cards = CARDS.map(makeCard);

function placeCards() {
  for (const [kind, title] of KINDS) {
    const of = cards.filter(({bench}) => bench.kind === kind);
    if (of.length) byId('cards').append(make('h1', {}, title), ...of.map(({section}) => section));
  }
}

function drawPickers({bench, pickers: {workload, measure, at}}) {
  const chosen = chosenWorkload(bench);
  fill(workload, bench.workloads.map(({name}) =>
    choice('radio', `${bench.name} workload`, name, name === chosen.name, name)));
  fill(measure, measuresOf(bench, chosen).map(({name, label}) =>
    choice('radio', `${bench.name} measure`, name, name === chosenMeasure(bench).name, label)));
  const sizes = sizesOf(chosen);
  at.parentElement.hidden = sizes.length < 2;
  fill(at, sizes.map((n) =>
    choice('radio', `${bench.name} at`, n, n === chosenN(bench), whole(n))));
}

function drawCard(card) {
  const {bench} = card;
  const workload = chosenWorkload(bench);
  drawPickers(card);
  fill(card.line, `${workload.name}: ${workload.line} `,
    workload.population ? make('span', {class: 'population'}, workload.population) : '');
  card.log.checked = state.log;
  drawLines(bench, card);
  drawBars(bench, card);
  if (bench.quantiles.length) drawSpread(bench, card);
  else card.spread.parentElement.hidden = true;
}

function drawSeen() {
  for (const card of cards.filter(({seen}) => seen)) drawCard(card);
}

// Draws a card a bit before it comes into sight, so that nobody sees an empty card.
const observer = new IntersectionObserver((entries) => {
  for (const {target, isIntersecting} of entries) {
    const card = cards.find(({section}) => section === target);
    if (isIntersecting && !card.seen) {
      card.seen = true;
      drawCard(card);
    }
  }
}, {rootMargin: '600px'});

// Marks the card that the address asks for, so that it is drawn before the page scrolls to it.
function see(bench) {
  const card = cards.find((one) => one.bench.name === bench);
  if (card) card.seen = true;
}
