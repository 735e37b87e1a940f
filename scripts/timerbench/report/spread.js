'use strict';
// How late tasks are: a row for each service, from the median to the worst, on one logarithmic axis.

const SYMBOLS = ['circle', 'diamond', 'square', 'triangle-right', 'x'];

function drawSpread(bench, card) {
  const workload = chosenWorkload(bench);
  const n = chosenN(bench);
  const measures = bench.quantiles.map((name) => bench.measures.find((one) => one.name === name));
  const rows = shownOf(bench)
    .map((member) => ({
      member,
      points: measures.map((measure) => figureOf(cellOf(workload, member.name, n), measure))
        .map((figure) => (figure && figure.mean > 0 ? figure : null)),
    }))
    .filter(({points}) => points.some(Boolean))
    .sort((a, b) => (b.points[0]?.mean ?? 0) - (a.points[0]?.mean ?? 0));
  card.spread.parentElement.hidden = !rows.length;
  if (!rows.length) return;
  card.spread.style.height = `${90 + 19 * rows.length}px`;
  const names = rows.map(({member}) => member.name);
  const dash = rows.map(({points}) => points.filter(Boolean).map(({mean}) => mean));
  const traces = [
    {
      x: dash.flatMap((values) => [Math.min(...values), Math.max(...values), null]),
      y: names.flatMap((name) => [name, name, null]),
      mode: 'lines', line: {width: 1, color: cssColour('--behind')}, hoverinfo: 'skip',
      showlegend: false,
    },
    ...measures.map((measure, at) => ({
      name: measure.label,
      x: rows.map(({points}) => points[at]?.mean ?? null),
      y: names,
      mode: 'markers',
      marker: {
        symbol: SYMBOLS[at % SYMBOLS.length],
        size: 8,
        color: rows.map(({member}) => colourOf(member)),
      },
      text: rows.map(({member, points}) => points[at] &&
        [`<b>${member.name}</b>`, `${measure.label}: ${duration(points[at].mean)}`,
          spreadInWords(points[at]), ...remarks(points[at])].filter(Boolean).join('<br>')),
      hovertemplate: '%{text}<extra></extra>',
    })),
  ];
  const values = dash.flat().map(Math.log10);
  const range = [Math.min(...values) - 0.1, Math.max(...values) + 0.1];
  Plotly.react(card.spread, traces, {
    ...layoutOfAll(),
    xaxis: axis('late, logarithmic', range, range[1] - range[0] > 3 ? [1] : [1, 2, 5], duration),
    yaxis: {automargin: true, tickfont: {size: 11}, gridcolor: cssColour('--rule'), type: 'category'},
    margin: {l: 10, r: 12, t: 8, b: 42},
    legend: {orientation: 'h', y: 1.02, yanchor: 'bottom', font: {size: 11}},
    showlegend: true,
  }, CONFIG);
}
