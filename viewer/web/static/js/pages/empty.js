// Nothing received yet: is it listening, what do I type?

import { h } from '../dom.js';
import { count, limit, text, whole } from '../format.js';
import { sinceInstant } from '../clock.js';
import { cmd } from '../help.js';
import * as glyph from '../glyph.js';

export function empty(app) {
  const s = app.now;
  const http = s && s.listening.find((l) => l.what.startsWith('OTLP over HTTP'));
  const el = h('div.empty', null,
    h('div', null,
      h('h1', null, 'Nothing received yet'), h('p.lead', null, s && s.receiving ? 'Lens is listening. This page fills by itself when the first span arrives.' : 'This folder holds no spans, and nothing is listening.'),
      step('Collect some rollouts', '120 rollouts in three small environments, no model endpoint needed, under a minute.', 'gym demo', true),
      http && step('Send from a program you have', 'Any OpenTelemetry SDK in any language' + (http.address.endsWith(':4318') ? '; these are the standard ports.' : '.'), 'export OTEL_EXPORTER_OTLP_ENDPOINT=http://' + http.address),
      step('Open a file', 'OTLP JSON, also gzip or zstd.' + (http ? ' You can drop it anywhere on this page.' : ''), 'lens view traces.jsonl')),
    s && h('div.facts', null,
      h('section', null, h('h2', null, 'What is listening'), [...s.listening, { what: 'This page', address: location.host }].map((l) => row([glyph.dot(''), l.what], h('span.mid', null, l.address)))),
      h('section', null, h('h2', null, 'Since the start, ' + text(whole(sinceInstant(s.started))) + ' ago'),
        row('Requests received', some(s.requests.received)), row('Requests refused', some(s.requests.refused)),
        row('Spans stored', [some(s.spans.stored), h('span.dim', null, kept(s.store))])),
      h('section', null, h('h2', null, 'If nothing comes'),
        h('p', null, 'Sending from a container? ', h('span.mono', null, '127.0.0.1'), ' is the container itself there. Start with ', h('span.mono', null, '--listen'), ' on another address; Lens then asks for a token.'))));
  return el;
}

// some is a count; nothing is grey.
function some(n) { return n ? count(n) : h('span.dim', null, '0'); }

function kept(st) {
  const parts = [];
  if (st.max_bytes != null) parts.push(text(limit(st.max_bytes)));
  if (st.max_age_ns != null) parts.push(Math.round(st.max_age_ns / 86400e9) + ' days');
  return parts.length ? ' of ' + parts.join(', ') : '';
}

function row(a, b) { return h('div.row', null, a, h('span', null, b)); }

function step(title, words, command, first = false) {
  return h('section', null, h('h2', null, title), h('p', null, words), cmd(command, first ? '.first' : ''));
}
