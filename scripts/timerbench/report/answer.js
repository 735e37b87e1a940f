'use strict';
// The first screen: the questions of users who choose, the members that are unbeaten, and all queues in
// one picture.

const ANSWERS = {queues: 'Which queue?', services: 'Which service?'};

function answerRow({question, names, more, why, bench, workload, measure, n}) {
  const size = benchOf(bench)?.kind === 'queues' ? {n} : {at: n};
  const place = bench ? {bench, workload, measure, ...size, section: bench} : {section: 'workloads'};
  const members = names.map((name) => {
    const member = [...QUEUES, ...SERVICES].find((one) => one.name === name);
    return make('span', {class: 'name'}, member ? dot(member) : '', name);
  });
  return make('tr', {},
    make('th', {scope: 'row'}, make('a', {href: fragmentOf(place)}, question)),
    make('td', {}, members, more ? make('span', {class: 'hint'}, `and ${more} more`) : ''),
    make('td', {class: 'why'}, why));
}

function drawAnswers() {
  fill('answers', Object.entries(ANSWERS).filter(([kind]) => DATA.answers[kind].length)
    .map(([kind, title]) => make('div', {},
      make('h2', {}, title),
      make('table', {class: 'answers', 'data-kind': kind},
        make('tbody', {}, DATA.answers[kind].map(answerRow))))));
}

// Returns a logarithmic axis that holds all of these values.
function axisOver(title, values, write) {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  const range = [Math.min(...logs) - 0.08, Math.max(...logs) + 0.08];
  const steps = range[1] - range[0] > 2.5 ? [1] : [1, 2, 5];
  return {...axis(`${title}, logarithmic`, range, steps, write), automargin: true};
}

function drawGlance() {
  const box = byId('glance');
  box.parentElement.hidden = !DATA.glance.length;
  const glance = DATA.glance.find(({title}) => title === byId('glance-of').value) ?? DATA.glance[0];
  if (!glance) return;
  const members = shownQueues().filter(({name}) => glance.points[name]);
  if (!members.length) {
    Plotly.purge(box);
    fill(box, make('p', {class: 'nothing'}, NOT_MEASURED));
    return;
  }
  box.querySelector('.nothing')?.remove();
  const points = members.map(({name}) => glance.points[name]);
  const column = (at) => points.map((point) => point[at]);
  const write = glance.unit === 'ns' ? duration : plain;
  const errors = (at) => ({
    type: 'data', symmetric: false, thickness: 1, width: 0, color: cssColour('--behind'),
    array: points.map((point) => point[at + 2] - point[at]),
    arrayminus: points.map((point) => point[at] - point[at + 1]),
  });
  // All points are one trace, since nobody can tell twenty entries of a key apart. Names stand at the
  // points if there is room. The name of a point also appears when the mouse is over it.
  Plotly.react(box, [{
    x: column(0),
    y: column(3),
    error_x: errors(0),
    error_y: errors(3),
    mode: NARROW.matches ? 'markers' : 'markers+text',
    text: members.map(({name}) => name),
    textposition: members.map((_, at) => (at % 2 ? 'top center' : 'bottom center')),
    textfont: {size: 9, color: members.map(colourOf)},
    marker: {size: 9, color: members.map(colourOf)},
    hovertext: members.map(({name}, at) =>
      `<b>${name}</b><br>${digits(points[at][0])} ${glance.x}<br>${write(points[at][3])}: ${glance.y}`),
    hoverinfo: 'text',
    cliponaxis: false,
  }], {
    ...layoutOfAll(),
    xaxis: axisOver(glance.x, points.flatMap((point) => point.slice(0, 3)), plain),
    yaxis: axisOver(glance.y, points.flatMap((point) => point.slice(3)), write),
    margin: {l: 50, r: 20, t: 12, b: 42},
    showlegend: false,
  }, CONFIG);
}
