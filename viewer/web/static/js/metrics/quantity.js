// Values of metrics as people read them, by the unit that they were sent with (UCUM, as OpenTelemetry writes it). Pure.

import { bytes, duration, group, signed, text, three } from '../format.js';

const TIMES = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9, d: 86400e9 };
const SIZES = { By: 1, kBy: 1e3, MBy: 1e6, GBy: 1e9, KiBy: 2 ** 10, MiBy: 2 ** 20, GiBy: 2 ** 30, TiBy: 2 ** 40 };

// quantity is a value with its unit; null when there is none. rate: it is so much a second.
export function quantity(v, unit, rate = false) {
  if (v == null || Number.isNaN(v)) return null;
  const noun = annotation(unit);
  if (rate) {
    if (SIZES[unit]) { const [[n, u]] = sized(v * SIZES[unit]); return [[n, u + '/s']]; }
    return [[number(v), (noun !== null ? '' : unit === '1' ? '' : unit) + '/s']];
  }
  if (TIMES[unit]) return v === 0 ? [['0', unit === 'us' ? 'µs' : unit]] : duration(v * TIMES[unit]);
  if (SIZES[unit]) return sized(v * SIZES[unit]);
  if (noun) return [[number(v), Math.abs(v) === 1 ? noun : plural(noun)]];
  return [[number(v), unit === '1' || noun !== null ? '' : unit]];
}

function sized(v) {
  const [[n, u]] = bytes(Math.abs(v));
  return [[v < 0 ? signed('-' + n) : n, u]];
}

// annotation is what stands in braces: {token} counts tokens. null: the unit is not one of these.
function annotation(unit) {
  const m = /^\{(.*)\}$/.exec(unit);
  return m ? m[1] : unit === '' ? '' : null;
}

function plural(noun) { return /(s|x|ch|sh)$/.test(noun) ? noun + 'es' : noun + 's'; }

// number has three significant digits, or all of a whole number.
export function number(v) {
  const a = Math.abs(v);
  if (a >= 1e15) return signed(v.toExponential(2));
  if (a >= 999.5) return signed(group(String(Number.isInteger(v) ? v : Math.round(v))));
  if (Number.isInteger(v)) return signed(String(v));
  if (a < 1e-4) return signed(v.toExponential(2));
  if (a < .995) return signed(String(Number(v.toPrecision(3))));
  return signed(three(v));
}

// axisWords is a value at an axis, where the head of the chart names what is counted.
export function axisWords(v, unit, rate) {
  if (v === 0) return '0';
  return annotation(unit) === null ? plain(quantity(v, unit, rate)) : number(v) + (rate ? '\u202f/s' : '');
}

// unitWords says what a chart shows, in its head.
export function unitWords(m) {
  const noun = annotation(m.unit), per = m.shows === 'rate' ? ' a second' : '';
  const unit = noun !== null ? (noun ? plural(noun) : '') : m.unit === '1' ? '' : SIZES[m.unit] ? 'bytes' : m.unit;
  const of = { distribution: 'p50, p95, p99', quantiles: 'quantiles' }[m.shows] || '';
  return [of, (unit + per).trim()].filter(Boolean).join(', ');
}

// atLeast is a quantity of a histogram's highest bucket, which tells nothing of what is beyond its bound.
export function atLeast(v, top, unit) {
  const q = quantity(v, unit);
  if (q && top != null && v >= top) q[0][0] = '≥\u202f' + q[0][0];
  return q;
}

export const plain = (q) => (q ? text(q) : '');
