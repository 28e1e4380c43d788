// The marks of states, told apart by shape, and the few icons of the frame. 12 px unless said otherwise.

import { s, h } from './dom.js';
import { reward as rewardText } from './format.js';

function g(label, ...kids) {
  return s('svg', { class: 'g', viewBox: '0 0 12 12', role: label ? 'img' : null, 'aria-label': label, 'aria-hidden': label ? null : 'true' }, ...kids);
}

export function dot(label = 'finished') { return g(label, s('circle', { cx: 6, cy: 6, r: 2.5, fill: 'var(--ink3)' })); }

export function cross(label = 'failed') {
  return g(label, s('path', { d: 'M2 2l8 8M10 2l-8 8', stroke: 'var(--err)', 'stroke-width': 2.2, fill: 'none' }));
}

export function ring(label = 'running') {
  const el = g(label, s('circle', { cx: 6, cy: 6, r: 4.4, fill: 'none', stroke: 'var(--acc-line)', 'stroke-width': 2 }),
    s('path', { d: 'M6 1.6A4.4 4.4 0 0 1 10.4 6', fill: 'none', stroke: 'var(--acc)', 'stroke-width': 2 }));
  el.classList.add('spin');
  return el;
}

export function hollow(label = 'waiting') {
  return g(label, s('circle', { cx: 6, cy: 6, r: 3.6, fill: 'none', stroke: 'var(--edge)', 'stroke-width': 1.6 }));
}

export function truncated(label = 'truncated') {
  return g(label, s('path', { d: 'M0 6h7M9.5 1v10', stroke: 'var(--warn)', 'stroke-width': 2.2, fill: 'none' }));
}

export function warning(label = 'warning') {
  return g(label, s('path', { d: 'M6 1.6l5 9H1zM6 5v2.6', stroke: 'var(--warn)', 'stroke-width': 1.3, fill: 'none', 'stroke-linejoin': 'round' }),
    s('circle', { cx: 6, cy: 9, r: .7, fill: 'var(--warn)' }));
}

// state is the mark of a run's or a rollout's state.
export function state(name) {
  switch (name) {
    case 'failed': return cross();
    case 'running': return ring();
    case 'waiting': return hollow();
    case 'truncated': return truncated();
    default: return dot(name);
  }
}

// reward is a square filled to the value, then the number.
export function reward(v, decimals = 2) {
  if (v == null) return null;
  const neg = v < 0, fill = Math.round(Math.min(1, Math.abs(v)) * 100);
  return [h('span.rw' + (neg ? '.neg' : ''), { 'aria-hidden': 'true' }, h('i', { style: { height: fill + '%' } })), h('span.rn', null, rewardText(v, decimals))];
}

function icon(size, d, width = 1.4) {
  return s('svg', { width: size, height: size, viewBox: '0 0 14 14', 'aria-hidden': 'true' },
    s('path', { d, fill: 'none', stroke: 'currentColor', 'stroke-width': width, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }));
}

export const search = () => icon(14, 'M6 10.2a4.2 4.2 0 1 0 0-8.4 4.2 4.2 0 0 0 0 8.4zM9.2 9.2l3.3 3.3', 1.6);
export const copy = () => icon(13, 'M4.7 4.7h7v7h-7zM2.3 9.3v-7h7', 1.5);
export const close = () => icon(12, 'M3.5 3.5l7 7M10.5 3.5l-7 7');
export const menu = () => icon(16, 'M1 3h12M1 7h12M1 11h12', 1.4);
export const chevron = () => icon(12, 'M3 5l4 4 4-4', 1.6);
export const half = () => s('svg', { width: 16, height: 16, viewBox: '0 0 16 16', 'aria-hidden': 'true' },
  s('circle', { cx: 8, cy: 8, r: 6.2, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.6 }), s('path', { d: 'M8 2a6 6 0 0 0 0 12z', fill: 'currentColor' }));
export const mark = () => s('svg', { width: 18, height: 16, viewBox: '0 0 18 16', 'aria-hidden': 'true' },
  s('rect', { x: 0, y: 1, width: 16, height: 3, rx: 1.5 }), s('rect', { x: 3, y: 6.5, width: 9, height: 3, rx: 1.5 }), s('rect', { x: 9, y: 12, width: 8, height: 3, rx: 1.5 }));
