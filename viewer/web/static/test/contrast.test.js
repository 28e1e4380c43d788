import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const css = readFileSync(new URL('../css/tokens.css', import.meta.url), 'utf8');
const light = tokens(css.slice(css.indexOf(':root {'), css.indexOf(':root[data-theme'))), dark = { ...light, ...tokens(css.slice(css.indexOf(':root[data-theme'))) };

function tokens(s) { return Object.fromEntries([...s.matchAll(/--([\w-]+): (#[0-9A-F]{6})/g)].map((m) => [m[1], m[2]])); }
function rgb(hex) { return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((v) => (v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)); }
function luminance(hex) { const [r, g, b] = rgb(hex); return .2126 * r + .7152 * g + .0722 * b; }
function contrast(a, b) { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); }

for (const [name, t] of [['light', light], ['dark', dark]]) {
  test(name + ': text has 4.5 on every ground it lies on', () => {
    for (const ink of ['ink', 'ink2', 'ink3', 'acc', 'err', 'warn']) {
      for (const ground of ['panel', 'bg', 'hover', 'sunk', 'acc-tint']) assert.ok(contrast(t[ink], t[ground]) >= 4.5, `${ink} on ${ground}: ${contrast(t[ink], t[ground]).toFixed(2)}`);
    }
    assert.ok(contrast(t.err, t['err-tint']) >= 4.5);
    assert.ok(contrast(t.warn, t['warn-tint']) >= 4.5);
  });
  test(name + ': marks and edges have 3', () => {
    for (const c of ['edge', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8']) {
      for (const ground of ['panel', 'acc-tint']) assert.ok(contrast(t[c], t[ground]) >= 3, `${c} on ${ground}: ${contrast(t[c], t[ground]).toFixed(2)}`);
    }
  });
  test(name + ': colours stay apart for every eye', () => {
    const p = [1, 2, 3, 4, 5, 6, 7, 8].map((i) => t['c' + i]);
    assert.ok(least(p.slice(0, 4)) >= 9.9, 'first four: ' + least(p.slice(0, 4)).toFixed(2));
    assert.ok(least(p) >= 7.1, 'all eight: ' + least(p).toFixed(2));
  });
}

// Machado, Oliveira, Fernandes 2009, severity 1.
const EYES = [null,
  [[.152286, 1.052583, -.204868], [.114503, .786281, .099216], [-.003882, -.048116, 1.051998]],
  [[.367322, .860646, -.227968], [.280085, .672501, .047413], [-.01182, .04294, .968881]],
  [[1.255528, -.076749, -.178779], [-.078411, .930809, .147602], [.004733, .691367, .3039]]];

function least(colours) {
  let min = Infinity;
  for (const eye of EYES) {
    const labs = colours.map((c) => oklab(seen(rgb(c), eye)));
    for (let i = 0; i < labs.length; i++) for (let j = 0; j < i; j++) min = Math.min(min, 100 * Math.hypot(...labs[i].map((v, k) => v - labs[j][k])));
  }
  return min;
}

function seen(v, m) { return m ? m.map((r) => Math.max(0, Math.min(1, r[0] * v[0] + r[1] * v[1] + r[2] * v[2]))) : v; }

function oklab([r, g, b]) {
  const l = Math.cbrt(.4122214708 * r + .5363325363 * g + .0514459929 * b), m = Math.cbrt(.2119034982 * r + .6806995451 * g + .1073969566 * b), s = Math.cbrt(.0883024619 * r + .2817188376 * g + .6299787005 * b);
  return [.2104542553 * l + .793617785 * m - .0040720468 * s, 1.9779984951 * l - 2.428592205 * m + .4505937099 * s, .0259040371 * l + .7827717662 * m - .808675766 * s];
}
