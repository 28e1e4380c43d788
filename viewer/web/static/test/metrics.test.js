import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { axisWords, quantity, unitWords, atLeast, plain, number } from '../js/metrics/quantity.js';
import { align, grid, labels, lastOf, rows, tableOf } from '../js/metrics/lines.js';

const api = (name) => JSON.parse(readFileSync(new URL('../../testdata/api/' + name + '.json', import.meta.url), 'utf8'));
const N = '\u202f';

test('values have their unit', () => {
  for (const [v, unit, rate, want] of [
    [9220, 'us', false, '9.22' + N + 'ms'], [1234, 'ms', false, '1.23' + N + 's'], [66, 's', false, '1' + N + 'm\u00a006' + N + 's'], [0, 'ms', false, '0' + N + 'ms'],
    [1, '{token}', false, '1' + N + 'token'], [1234, '{token}', false, '1,234' + N + 'tokens'], [2, '{process}', false, '2' + N + 'processes'],
    [1.5e9, 'By', false, '1.50' + N + 'GB'], [4, 'KiBy', false, '4.10' + N + 'kB'], [-2000, 'By', false, '−2.00' + N + 'kB'],
    [0.25, '1', false, '0.25'], [0.3333, '', false, '0.333'], [12.345, '%', false, '12.3' + N + '%'],
    [2.5, '{rollout}', true, '2.50' + N + '/s'], [1e6, 'By', true, '1.00' + N + 'MB/s'], [0.4, 's', true, '0.4' + N + 's/s'], [0.0333333, '', true, '0.0333' + N + '/s'],
  ]) assert.equal(plain(quantity(v, unit, rate)), want, v + ' ' + unit);
  assert.equal(quantity(null, 'ms'), null);
  assert.equal(quantity(NaN, 'ms'), null);
  assert.equal(number(1e-9), '1.00e-9');
  assert.equal(number(-0.5), '−0.5');
});

test('a value of the highest bucket may be any higher one', () => {
  assert.equal(plain(atLeast(30000, 30000, 'ms')), '≥' + N + '30.0' + N + 's');
  assert.equal(plain(atLeast(29000, 30000, 'ms')), '29.0' + N + 's');
  assert.equal(plain(atLeast(5, null, 'ms')), '5.00' + N + 'ms');
});

test('the head says what is shown', () => {
  assert.equal(unitWords({ unit: 'ms', shows: 'distribution' }), 'p50, p95, p99, ms');
  assert.equal(unitWords({ unit: '{rollout}', shows: 'rate' }), 'rollouts a second');
  assert.equal(unitWords({ unit: '', shows: 'value' }), '');
  assert.equal(unitWords({ unit: '', shows: 'rate' }), 'a second');
});

test('the answers of the API become lines', () => {
  const c = api('chart'), list = rows(c), a = align(c, list);
  assert.deepEqual(list.map((r) => r.label), ['p50', 'p95', 'p99']);
  assert.equal(a.x.length, 2);
  assert.equal(a.x[1] - a.x[0], 10);
  assert.equal(a.y[0][1], c.lines[0].values[0][1]);
  const r = api('chart_rate');
  assert.deepEqual(rows(r).map((x) => x.label), ['']);
  const v = api('chart_value'), gap = align(v);
  assert.equal(gap.y[0][1], null, 'NaN is a gap');
  assert.equal(lastOf(gap.y[0]), 3);
});

const line = (attributes, over = {}) => ({ service: 's', instance: '', kind: 'sum', columns: ['per_s'], attributes: Object.entries(attributes).map(([key, text]) => ({ key, text })), t_ns: [], values: [[]], low: null, high: null, ...over });

test('lines are named by what tells them apart', () => {
  assert.deepEqual(labels([line({ a: '1' })]), ['']);
  assert.deepEqual(labels([line({ 'x.outcome': 'ok', same: 'y' }), line({ 'x.outcome': 'timeout', same: 'y' })]), ['ok', 'timeout']);
  assert.deepEqual(labels([line({ 'x.outcome': 'ok', 'x.token_type': 'in' }), line({ 'x.outcome': 'ok', 'x.token_type': 'out' }), line({ 'x.outcome': 'bad', 'x.token_type': 'in' })]), ['outcome ok · token type in', 'outcome ok · token type out', 'outcome bad · token type in']);
  assert.deepEqual(labels([line({}, { service: 'a' }), line({}, { service: 'b' })]), ['a', 'b']);
  assert.deepEqual(labels([line({}, { instance: '0123456789abcdef' }), line({}, { instance: 'fedcba9876543210' })]), ['01234567…', 'fedcba98…']);
  assert.deepEqual(labels([line({ k: 'v' }), line({})]), ['v', 'the rest']);
  assert.deepEqual(labels([line({}), line({})]), ['series (1)', 'series (2)']);
  assert.equal(new Set(labels(Array.from({ length: 20 }, (_, i) => line({ k: String(i) })))).size, 20);
});

test('rows without a point at a time are not gaps', () => {
  const c = { start: '1796047331000000000', lines: [line({ k: 'a' }, { t_ns: [0, 2e9], values: [[1, 2]] }), line({ k: 'b' }, { t_ns: [1e9, 2e9], values: [[null, 4]] })] };
  const a = align(c);
  assert.deepEqual(a.x.map((x) => x - 1796047331), [0, 1, 2]);
  assert.equal(a.y[0][1], undefined);
  assert.equal(a.y[1][0], undefined);
  assert.equal(a.y[1][1], null);
  assert.deepEqual(tableOf(rows(c), a, (ms) => ms - 1796047331000, (v) => v ?? '', 2), [[2000, 2, 4], [0, 1, '']]);
  assert.deepEqual(align({ start: null, lines: [] }).x, []);
});

test('no line is drawn across a long silence', () => {
  const c = { start: '1796047331000000000', lines: [line({}, { t_ns: [0, 1e9, 2e9, 60e9, 61e9], values: [[1, 2, 3, 4, 5]], low: [0, 0, 0, 0, 0] })] };
  const [r] = rows(c);
  assert.deepEqual(r.times, [0, 1e9, 2e9, 3e9, 60e9, 61e9]);
  assert.deepEqual(r.values, [1, 2, 3, null, 4, 5]);
  assert.deepEqual(r.low, [0, 0, 0, null, 0, 0]);
  assert.equal(tableOf([r], align(c), () => '', (v) => v).length, 5);
});

test('a chart has two grid lines at round values, and holds what is drawn', () => {
  for (const [min, max] of [[0, 1], [0, 7], [0, 12345], [3, 3], [0, 0], [-5, 5], [-8, -2], [0, 1e-6], [4.1e9, 4.2e9], [-0.001, 40]]) {
    const g = grid(min, max);
    assert.ok(g.lines.length <= 2 && g.lines.length >= 1, min + '..' + max + ': ' + g.lines);
    assert.ok(g.from <= Math.min(0, min) && g.to >= max && g.to > g.from, JSON.stringify(g));
    for (const v of g.lines) assert.ok(v >= g.from && v <= g.to, v + ' in ' + JSON.stringify(g));
  }
  assert.deepEqual(grid(0, 10).lines, [5, 10]);
  assert.deepEqual(grid(0, 28).lines, [10, 20]);
  assert.deepEqual(grid(-5, 5).lines, [-4, 4]);
  assert.equal(axisWords(20, '{sandbox}', false), '20');
  assert.equal(axisWords(0.5, '', true), '0.5' + N + '/s');
  assert.equal(axisWords(4e6, 'us', false), '4.00' + N + 's');
});
