'use strict';
// The user's own load, set by sliders: what a timer costs, interpolated between cells that were
// measured.

const {corners: CORNERS} = DATA;

// The sliders. The values of `pending` and `limits` are exponents of ten.
const SLIDERS = ['pending', 'cancelled', 'limits'];

const loadOfSliders = () => ({
  n: 10 ** Number(byId('own-pending').value),
  cancelled: Number(byId('own-cancelled').value) / 100,
  spread: Number(byId('own-limits').value),
});

// Interpolates linearly between the two neighbours of x. Beyond all points it returns the value of the
// nearest point; without any point it returns null.
function between(points, x) {
  const known = points.filter(([, y]) => y !== null).sort((a, b) => a[0] - b[0]);
  if (!known.length) return null;
  const after = known.findIndex(([at]) => at >= x);
  if (after === 0 || after === -1) return known.at(after === 0 ? 0 : -1)[1];
  const [[x0, y0], [x1, y1]] = [known[after - 1], known[after]];
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

// Returns the logarithm of the time that a timer takes with n pending; null if the queue was too slow
// to be timed, or if n is outside of the measured range.
function logAt({bench, workload}, queue, n) {
  const {cells} = workloadOf(benchOf(bench), workload);
  const sizes = Object.keys(cells[queue] ?? {}).map(Number);
  if (!sizes.length || Math.max(...sizes) < n * 0.999 || Math.min(...sizes) > n * 1.001) return null;
  const points = sizes.map((size) => {
    const figure = figureItself(benchOf(bench), cells[queue][size]);
    return [Math.log(size), figure && figure.mark !== 'slower_than' ? Math.log(figure.mean) : NaN];
  });
  const log = between(points, Math.log(n));
  return Number.isFinite(log) ? log : null;
}

// Returns the time that a timer takes that ends in one way; null unless all corners around this spread
// are known.
function costOf(corners, queue, {n, spread}) {
  const logs = corners.map((corner) => [corner.spread, logAt(corner, queue, n)]);
  const around = logs.filter(([at], place) =>
    at === spread || (at < spread && (logs[place + 1]?.[0] ?? Infinity) > spread) ||
    (at > spread && (logs[place - 1]?.[0] ?? -Infinity) < spread));
  const used = around.length ? around : [spread > logs.at(-1)[0] ? logs.at(-1) : logs[0]];
  if (used.some(([, log]) => log === null)) return null;
  return Math.exp(between(used, spread));
}

// Returns the time of a timer from its insert to its end, in ns.
function costOfOwn(queue, load) {
  const parts = [['cancelled', load.cancelled], ['expired', 1 - load.cancelled]]
    .filter(([, share]) => share > 0)
    .map(([end, share]) => [share, costOf(CORNERS[end], queue, load)]);
  if (parts.some(([, cost]) => cost === null)) return null;
  return parts.reduce((sum, [share, cost]) => sum + share * cost, 0);
}

const SECONDS = (ms) => (ms < 1000 ? `${Number(ms.toPrecision(2))} ms` : `${Number((ms / 1000).toPrecision(2))} s`);

function sayOwnLoad({n, cancelled, spread}) {
  byId('own-pending-is').textContent = whole(Number(n.toPrecision(2)));
  byId('own-cancelled-is').textContent = `${Math.round(100 * cancelled)}%`;
  byId('own-limits-is').textContent = spread === 0
    ? 'all alike'
    : `the longest ${whole(Number((10 ** spread).toPrecision(2)))} times the shortest, such as ${SECONDS(1)} to ${SECONDS(10 ** spread)}`;
}

function drawOwnLoad() {
  const section = byId('own');
  section.hidden = !CORNERS.cancelled;
  if (section.hidden) return;
  const load = loadOfSliders();
  sayOwnLoad(load);
  const rows = shownQueues()
    .map((member) => ({member, cost: costOfOwn(member.name, load)}))
    .filter(({cost}) => cost !== null)
    .sort((a, b) => a.cost - b.cost);
  if (!rows.length) {
    fill('own-bars', make('p', {class: 'nothing'}, NOT_MEASURED));
    return;
  }
  const most = rows.at(-1).cost;
  fill('own-bars', make('table', {class: 'bars'}, make('tbody', {}, rows.map(({member, cost}) =>
    make('tr', {'data-member': member.name, 'data-cost': cost},
      make('th', {scope: 'row'}, dot(member), member.name),
      make('td', {class: 'track'}, make('div', {}, make('i', {
        class: 'bar whole', style: `width: ${100 * cost / most}%; --colour: ${colourOf(member)}`,
      }))),
      make('td', {class: 'number value'}, `about ${Number(cost.toPrecision(2))} ns`))))));
}

for (const slider of SLIDERS) byId(`own-${slider}`).addEventListener('input', drawOwnLoad);
