import test from 'node:test';
import assert from 'node:assert/strict';
import * as f from '../js/format.js';
import { inert, line } from '../js/inert.js';

const flat = (q) => q && f.text(q).replaceAll('\u202f', ' ').replaceAll('\u00a0', ' ');

test('durations have three significant digits, and two units from a minute on', () => {
  for (const [ns, want] of [[0, '0 s'], [12, '12 ns'], [999, '999 ns'], [1234, '1.23 µs'], [9220000, '9.22 ms'], [46100000, '46.1 ms'], [384000000, '384 ms'], [999600000, '1.00 s'],
    [10900000000, '10.9 s'], [59940000000, '59.9 s'], [59960000000, '1 m 00 s'], [66000000000, '1 m 06 s'], [7500e9, '2 h 05 m'], [532800e9, '6 d 4 h'], [-5100000, '−5.10 ms']]) {
    assert.equal(flat(f.duration(ns)), want, String(ns));
  }
  assert.equal(flat(f.duration(null)), 'unknown');
});

test('columns have fixed decimals', () => {
  assert.equal(flat(f.column(33230000000)), '33.23 s');
  assert.equal(flat(f.column(1234567e6)), '1,234.57 s');
  assert.equal(f.column(null), null);
});

test('a column takes its unit from its longest value', () => {
  assert.equal(flat(f.column(154000, f.unitFor(374e6))), '0.2 ms');
  assert.equal(flat(f.column(374.2e6, f.unitFor(374.2e6))), '374.2 ms');
  assert.equal(flat(f.column(1500, f.unitFor(90e3))), '1.50 µs');
  assert.equal(flat(f.columnDifference(-640e6)), '−0.64 s');
  assert.equal(flat(f.columnDifference(1e6)), '0.00 s');
  assert.equal(f.longest([null, 3, 2]), 3);
});

test('counts have commas and a true minus', () => {
  assert.equal(f.count(1716202), '1,716,202');
  assert.equal(f.count(-402), '−402');
  assert.equal(f.count(0), '0');
  assert.equal(f.plural(1, 'span'), '1 span');
  assert.equal(f.plural(1204, 'span'), '1,204 spans');
});

test('bytes are decimal', () => {
  assert.equal(flat(f.bytes(412)), '412 B');
  assert.equal(flat(f.bytes(912000000)), '912 MB');
  assert.equal(flat(f.bytes(2140000)), '2.14 MB');
  assert.equal(flat(f.limit(2000000000)), '2 GB');
  assert.equal(flat(f.bytes(999999)), '1.00 MB');
});

test('percent has one decimal; a little is not nothing', () => {
  assert.equal(flat(f.percent(.854)), '85.4 %');
  assert.equal(flat(f.percent(.0001)), '<0.1 %');
  assert.equal(flat(f.percent(0)), '0 %');
});

test('differences carry their sign', () => {
  assert.equal(flat(f.difference(4.13e9)), '+4.13 s');
  assert.equal(flat(f.difference(-402e6)), '−402 ms');
  assert.equal(flat(f.difference(0)), '0');
  assert.equal(f.signed('-0.00'), '0.00');
});

test('countdowns and times since the start', () => {
  assert.equal(f.countdown(74e9), '1:14');
  assert.equal(f.countdown(7500e9), '2:05:00');
  assert.equal(f.since(37e9), '+0:37');
});

test('rewards: two decimals for one, three for means', () => {
  assert.equal(f.reward(1), '1.00');
  assert.equal(f.reward(-.109, 3), '−0.109');
  assert.equal(f.reward(null), '');
});

test('ids are cut in the middle', () => {
  assert.equal(f.middle('3a6ff850c1b14f0aa4d9c1d2e3f4ac27'), '3a6ff850…ac27');
  assert.equal(f.middle('short'), 'short');
});

test('ticks are 1, 2, 5 times a power of ten', () => {
  assert.equal(f.tickStep(10.9e9), 2e9);
  assert.equal(f.tick(4e9, 2e9).replace('\u202f', ' '), '4 s');
  assert.equal(f.tick(2.5e6, .5e6).replace('\u202f', ' '), '2.5 ms');
  assert.equal(f.tick(1e8, 1e8, 374e6).replace('\u202f', ' '), '100 ms');
  assert.equal(f.tick(0, 1), '0');
  assert.equal(flat(f.whole(42.3e9)), '42 s');
});

test('exact times keep their nanoseconds', () => {
  assert.match(f.exact('1796007750123456789'), /\.123456789$/);
});

test('dates: the clock today, the weekday within a week, else the date', () => {
  const now = new Date(2026, 10, 30, 14, 3).getTime();
  assert.equal(f.when(new Date(2026, 10, 30, 3, 0).getTime(), now), '03:00:00');
  assert.equal(f.when(new Date(2026, 10, 29, 18, 22).getTime(), now), 'Sun 18:22');
  assert.equal(f.when(new Date(2026, 10, 2, 9, 5).getTime(), now), 'Nov 2 09:05');
  assert.equal(f.when(new Date(2025, 10, 2, 9, 5).getTime(), now), 'Nov 2 2025 09:05');
});

test('outside text is inert and visible', () => {
  assert.equal(inert('a\u0000b\u001b[31m'), 'a␀b␛[31m');
  assert.equal(inert('x\u202Egnp'), 'x\\u202egnp');
  assert.equal(inert('\ud800'), '\\ud800');
  assert.equal(inert('tab\tline\nsmile 😀'), 'tab\tline\nsmile 😀');
  assert.equal(line('a\r\nb\tc'), 'a↵b c');
});

test('long ticks stand at whole minutes and hours', () => {
  assert.equal(f.tickStep(9000e9, 6), 1800e9);
  assert.equal(f.tickStep(66e9, 6), 20e9);
  assert.equal(f.tick(1800e9, 1800e9), '30\u202fm');
  assert.equal(f.tick(5400e9, 1800e9), '1\u202fh\u00a030\u202fm');
  assert.equal(f.tick(7200e9, 1800e9), '2\u202fh');
});
