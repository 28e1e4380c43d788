// Making elements. Text is only ever set as text; there is no way here to write markup. What cannot be seen in a text is made
// visible here too, so that no page can forget it.

import { text } from './format.js';
import { inert } from './inert.js';

const READ = new Set(['title', 'aria-label', 'placeholder', 'alt']); // attributes that people read

// h makes an element: h('div.head', {title: 'x', onclick: f}, child, 'text', [more]). null and false children are left out.
export function h(what, props, ...kids) {
  const [tag, ...classes] = what.split('.');
  const el = document.createElement(tag || 'div');
  if (classes.length) el.className = classes.join(' ');
  return fill(el, props, kids);
}

// s makes an SVG element.
export function s(tag, props, ...kids) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), props, kids);
}

function fill(el, props, kids) {
  for (const [k, v] of Object.entries(props || {})) {
    if (v == null || v === false) continue;
    if (k.startsWith('on')) el.addEventListener(k.slice(2), v);
    else if (k === 'style') for (const [p, x] of Object.entries(v)) el.style.setProperty(p, x);
    else if (k === 'data') Object.assign(el.dataset, v);
    else if (READ.has(k) && v !== true) say(el, k, v);
    else el.setAttribute(k, v === true ? '' : v);
  }
  add(el, kids);
  return el;
}

function add(el, kids) {
  for (const k of kids) {
    if (k == null || k === false) continue;
    if (Array.isArray(k)) add(el, k);
    else el.append(typeof k === 'string' ? inert(k) : k);
  }
}

// put replaces what an element holds.
export function put(el, ...kids) {
  el.replaceChildren();
  add(el, kids);
  return el;
}

// setText writes a text only when it changed. It is for texts of the page's own, and for those that are inert already.
export function setText(el, t) {
  if (el.textContent !== t) el.textContent = t;
}

// say gives an element an attribute that people read.
export function say(el, attribute, t) { el.setAttribute(attribute, inert(String(t))); }

// qty draws a quantity, units smaller than numbers. null is an empty cell.
export function qty(q, className) {
  if (q == null) return null;
  const el = h('span.q' + (className ? '.' + className : ''));
  q.forEach(([n, u], i) => {
    if (i) el.append('\u00a0');
    el.append(n);
    if (u) el.append(h('span.u', null, u));
  });
  say(el, 'aria-label', text(q));
  return el;
}

// labelled is a pair in a meta line.
export function labelled(label, ...value) {
  return h('span', null, h('span.lab', null, label), value);
}
