import test from 'node:test';
import assert from 'node:assert/strict';
import { apart, rewardStretch, term, logTicks } from '../js/charts.js';

const rows = (...list) => list.map((env) => ({ env }));

test('names that begin alike are told apart by what follows', () => {
  const three = rows('example_multi_step', 'example_single_tool_call', 'example_session');
  assert.deepEqual(three.map((r) => apart(r.env, three)), ['…multi_step', '…single_tool_call', '…session']);
  assert.equal(apart('multi_step', rows('multi_step', 'session_state')), 'multi_step');
  assert.equal(apart('mcqa', rows('mcqa')), 'mcqa');
  assert.equal(apart('ab_x', rows('ab_x', 'ab_y')), 'ab_x', 'a short beginning is not worth it');
});

test('a stretch of reward bins is a term that holds them', () => {
  assert.deepEqual(rewardStretch({ from: 0, to: 1 }, 0, 0), [0, 0.05]);
  assert.deepEqual(rewardStretch({ from: 0, to: 1 }, 4, 10), [0.35, 1]);
  assert.deepEqual(rewardStretch({ from: -1, to: 1 }, 0, 3), [-1, -0.3]);
});

test('a stretch of time is a term', () => {
  assert.equal(term('dur', 5.004e9, 8e9), 'dur:5s..8s');
  assert.equal(term('dur', 1e6, 250e6), 'dur:1ms..250ms');
});

test('a log axis has at most six round ticks', () => {
  assert.deepEqual(logTicks(2e9, 40e9), [2e9, 5e9, 10e9, 20e9]);
  assert.ok(logTicks(1, 1e12).length <= 6);
});
