// Numbers, times and sizes as people read them. Pure: nothing here touches the page.
//
// A quantity is a list of [number, unit] pairs, so that the page can set units smaller than numbers; text() joins them
// for titles, copies and screen readers.

const NARROW = '\u202f';
const MINUS = '\u2212';

const UNITS = [['ns', 1], ['µs', 1e3], ['ms', 1e6], ['s', 1e9]];

// text joins a quantity: "1 m 06 s".
export function text(q) {
  return q.map(([n, u]) => (u ? n + NARROW + u : n)).join('\u00a0');
}

// signed puts a true minus, or a plus when asked to, before a number's text.
export function signed(s, plus = false) {
  if (s.startsWith('-')) return /[1-9]/.test(s) ? MINUS + s.slice(1) : s.slice(1);
  return plus && /[1-9]/.test(s) ? '+' + s : s;
}

// duration shows nanoseconds with three significant digits; from 60 s on with two units.
export function duration(ns) {
  if (ns == null || Number.isNaN(ns)) return [['unknown', '']];
  if (ns === 0) return [['0', 's']];
  const neg = ns < 0;
  const q = positiveDuration(Math.abs(ns));
  if (neg) q[0] = [MINUS + q[0][0], q[0][1]];
  return q;
}

function positiveDuration(ns) {
  if (ns >= 59.95e9) return longDuration(Math.round(ns / 1e9));
  let i = 0;
  while (i < 3 && ns >= UNITS[i + 1][1]) i++;
  let s = three(ns / UNITS[i][1]);
  if (s === '1000' && i < 3) { i++; s = '1.00'; }
  if (i === 0) s = String(Math.round(ns));
  return [[s, UNITS[i][0]]];
}

// three gives a number below 1000 three significant digits, without exponents.
export function three(v) {
  const a = Math.abs(v);
  if (a === 0) return '0';
  if (a < 9.995) return v.toFixed(2);
  if (a < 99.95) return v.toFixed(1);
  return v.toFixed(0);
}

function longDuration(s) {
  if (s < 3600) return [[String(Math.floor(s / 60)), 'm'], [two(s % 60), 's']];
  if (s < 86400) return [[String(Math.floor(s / 3600)), 'h'], [two(Math.floor(s % 3600 / 60)), 'm']];
  return [[group(String(Math.floor(s / 86400))), 'd'], [String(Math.floor(s % 86400 / 3600)), 'h']];
}

function two(n) { return String(n).padStart(2, '0'); }

// unitFor is the unit and the number of decimals of a column whose longest duration is max.
export function unitFor(max) {
  if (!(max > 0) || max >= 1e9) return { unit: 's', per: 1e9, decimals: 2 };
  const i = max >= 1e6 ? 2 : max >= 1e3 ? 1 : 0, per = UNITS[i][1];
  return { unit: UNITS[i][0], per, decimals: i === 0 ? 0 : max / per >= 100 ? 1 : 2 };
}

// longest is the largest of some durations, 0 when there is none.
export function longest(list) {
  return list.reduce((a, b) => (b > a ? b : a), 0);
}

const SECONDS = unitFor(1e9);

// column is a duration in a column: one unit, one number of decimals, so that the points align.
export function column(ns, u = SECONDS) {
  if (ns == null || Number.isNaN(ns)) return null;
  return [[signed(group((ns / u.per).toFixed(u.decimals))), u.unit]];
}

// columnDifference is a signed duration in a column.
export function columnDifference(ns, u = SECONDS) {
  if (ns == null) return null;
  const s = group((Math.abs(ns) / u.per).toFixed(u.decimals));
  return [[(/[1-9]/.test(s) ? (ns < 0 ? MINUS : '+') : '') + s, u.unit]];
}

// whole is a duration without fractions of a second: what was counted, not measured.
export function whole(ns) {
  return ns < 59.5e9 ? [[String(Math.max(0, Math.round(ns / 1e9))), 's']] : duration(ns);
}

// difference is a signed duration.
export function difference(ns) {
  const q = duration(Math.abs(ns));
  if (ns === 0) return [['0', '']];
  q[0] = [(ns < 0 ? MINUS : '+') + q[0][0], q[0][1]];
  return q;
}

// countdown is a running time or what is left of one: 1:14, 12:03, 2:05:00.
export function countdown(ns) {
  const s = Math.max(0, Math.floor(ns / 1e9));
  if (s < 3600) return Math.floor(s / 60) + ':' + two(s % 60);
  return Math.floor(s / 3600) + ':' + two(Math.floor(s % 3600 / 60)) + ':' + two(s % 60);
}

// group sets commas by thousands in a decimal text.
export function group(s) {
  const [whole, frac] = s.split('.');
  const w = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return frac === undefined ? w : w + '.' + frac;
}

export function count(n) {
  if (n == null) return '';
  return signed(group(String(Math.round(n))));
}

// plural picks the noun for a count: plural(1, 'span') is "1 span".
export function plural(n, one, many = one + 's') {
  return count(n) + ' ' + (n === 1 ? one : many);
}

const SIZES = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

export function bytes(n) {
  if (n == null) return [['unknown', '']];
  let i = 0, v = n;
  while (v >= 999.5 && i < SIZES.length - 1) { v /= 1000; i++; }
  return [[i === 0 ? String(Math.round(v)) : three(v), SIZES[i]]];
}

// limit is a size that someone chose: 2 GB, not 2.00 GB.
export function limit(n) {
  const [[v, u]] = bytes(n);
  return [[v.includes('.') ? v.replace(/\.?0+$/, '') : v, u]];
}

export function percent(share) {
  if (share == null || Number.isNaN(share)) return null;
  const p = share * 100;
  if (p === 0) return [['0', '%']];
  if (p > 0 && p < 0.05) return [['<0.1', '%']];
  return [[signed(p.toFixed(1)), '%']];
}

// rate shows a number a second, with as many digits as tell something.
export function rate(v, unit) {
  if (v == null) return null;
  if (v === 0) return [['0', unit]];
  return [[v >= 999.5 ? group(v.toFixed(0)) : v.toFixed(1), unit]];
}

export function reward(v, decimals = 2) {
  return v == null ? '' : signed(v.toFixed(decimals));
}

// middle cuts an id in its middle: 3a6ff850…ac27.
export function middle(id, head = 8, tail = 4) {
  return id.length <= head + tail + 1 ? id : id.slice(0, head) + '…' + id.slice(-tail);
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

// clock is the local time of day, in milliseconds since 1970.
export function clock(ms) {
  const d = new Date(ms);
  return two(d.getHours()) + ':' + two(d.getMinutes()) + ':' + two(d.getSeconds());
}

// when is the clock today, the weekday before it within a week, else the date.
export function when(ms, now) {
  const d = new Date(ms), days = midnights(ms, now);
  if (days === 0) return clock(ms);
  const hm = two(d.getHours()) + ':' + two(d.getMinutes());
  if (days > 0 && days < 7) return DAYS[d.getDay()] + ' ' + hm;
  const year = d.getFullYear() === new Date(now).getFullYear() ? '' : ' ' + d.getFullYear();
  return MONTHS[d.getMonth()] + ' ' + d.getDate() + year + ' ' + hm;
}

function midnights(ms, now) {
  const a = new Date(ms), b = new Date(now);
  a.setHours(12, 0, 0, 0);
  b.setHours(12, 0, 0, 0);
  return Math.round((b - a) / 86400e3);
}

// day names a date in a sentence: Dec 7.
export function day(ms) {
  const d = new Date(ms);
  return MONTHS[d.getMonth()] + ' ' + d.getDate();
}

// since is a time counted from a run's beginning: +0:37.
export function since(ns) {
  return (ns < 0 ? MINUS : '+') + countdown(Math.abs(ns));
}

// zone names the local zone by its distance: UTC+1, UTC−3:30.
export function zone(offsetMinutes) {
  const m = -offsetMinutes;
  if (m === 0) return 'UTC';
  const h = Math.floor(Math.abs(m) / 60), r = Math.abs(m) % 60;
  return 'UTC' + (m < 0 ? MINUS : '+') + h + (r ? ':' + two(r) : '');
}

// exact is a time to the nanosecond, from a decimal text of nanoseconds since 1970 (too long for a number).
export function exact(unixNano) {
  const ns = BigInt(unixNano);
  const frac = String(ns % 1000000000n).padStart(9, '0');
  const d = new Date(Number(ns / 1000000n));
  const date = d.getFullYear() + '-' + two(d.getMonth() + 1) + '-' + two(d.getDate());
  return date + ' ' + clock(d.getTime()) + '.' + frac;
}

// Above 200 s ticks stand at whole minutes, hours and days.
const LONG_STEPS = [300, 600, 1200, 1800, 3600, 7200, 18000, 36000, 86400].map((s) => s * 1e9);

// tickStep is the distance of a timeline's ticks: about `want` steps of 1, 2 or 5 × 10^n.
export function tickStep(span, want = 6) {
  if (!(span > 0)) return 1;
  const raw = span / want, long = raw > 200e9 && LONG_STEPS.find((s) => raw <= s * 1.0001);
  if (long) return long;
  const pow = 10 ** Math.floor(Math.log10(raw));
  for (const m of [1, 2, 5, 10]) if (raw <= m * pow * 1.0001) return m * pow;
  return 10 * pow;
}

// longTick leaves out a zero at the end: 20 m, 1 h, 1 h 20 m.
function longTick(s) {
  const q = longDuration(s);
  return Number(q[1][0]) === 0 ? q.slice(0, 1) : q;
}

// tick labels one tick, in the unit that suits the step and the longest time of the scale.
export function tick(ns, step, max = Infinity) {
  if (ns === 0) return '0';
  if (step >= 300e9) return text(longTick(Math.round(ns / 1e9)));
  let i = 3;
  while (i > 0 && (step < UNITS[i][1] / 10 || max < UNITS[i][1])) i--;
  const per = UNITS[i][1];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / per) - 1e-9));
  return group((ns / per).toFixed(decimals)) + NARROW + UNITS[i][0];
}
