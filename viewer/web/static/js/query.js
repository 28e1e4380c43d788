// The filter's language, as far as the page needs it: cutting a query into terms, saying what is wrong with one,
// changing one term, and completing what is being typed. The server answers queries; this module never filters.
//
//	query = { [ "-" ] term }      term = field op value | text

// FIELDS says what each field means, and which operator a completion writes behind it.
export const FIELDS = {
  env: [':', 'the environment'],
  task: [':', 'the task, by its index'],
  attempt: [':', 'the attempt, from 1'],
  outcome: [':', 'scored, failed, running, waiting'],
  failure: [':', 'the failure class'],
  reward: ['<', 'the reward of a rollout'],
  dur: ['>', 'duration'],
  total: ['>', 'admission wait and duration'],
  admission: ['>', 'wait for admission'],
  pool: ['>', 'wait for a connection'],
  model: ['>', 'time in the model'],
  tools: ['>', 'time in tools'],
  verify: ['>', 'time in verify'],
  other: ['>', 'time that nothing explains'],
  turns: ['>', 'model calls'],
  calls: ['>', 'tool calls'],
  'tok.in': ['>', 'tokens read by the model'],
  'tok.out': ['>', 'tokens written by the model'],
  spans: ['>', 'spans of a trace'],
  started: [':', 'the time since the run began'],
  since: [':', 'not older than'],
  trace: [':', 'a trace id'],
  run: [':', 'a run'],
  service: [':', 'a service'],
  name: [':', 'a span name'],
  kind: [':', 'server, client, internal, producer, consumer'],
  status: [':', 'ok, error, unset'],
  group: [':', 'a span group'],
  error: [':', 'an error text'],
};

// RUN_FIELDS are known in lists of runs besides.
export const RUN_FIELDS = {
  failed: ['>', 'failed rollouts'],
  rate: ['>', 'rollouts a minute'],
  processes: ['>', 'processes of a run'],
};

const OPS = ['!=', '<=', '>=', ':', '=', '<', '>', '~'];
const SPACE = /\s/;

// terms cuts a query. Each term has its text as written, and where it stood.
export function terms(q) {
  const out = [];
  let i = 0;
  while (i < q.length) {
    if (SPACE.test(q[i])) { i++; continue; }
    const from = i;
    let quoted = false;
    for (; i < q.length && (quoted || !SPACE.test(q[i])); i++) {
      if (quoted && q[i] === '\\') i++;
      else if (q[i] === '"') quoted = !quoted;
    }
    i = Math.min(i, q.length);
    out.push({ ...term(q.slice(from, i)), from, to: i, open: quoted });
  }
  return out;
}

// term takes one term apart. A text has no field.
export function term(raw) {
  const not = raw.length > 1 && raw[0] === '-';
  const body = not ? raw.slice(1) : raw;
  const at = body.search(/[:=<>~!"]/);
  if (at > 0 && body[at] !== '"') {
    const op = OPS.find((o) => body.startsWith(o, at));
    if (op) return { raw, not, field: body.slice(0, at), op, value: body.slice(at + op.length) };
  }
  return { raw, not, field: '', op: '', value: body };
}

// quote writes a value so that terms() reads it back as one.
export function quote(v) {
  return /^[^\s",:=<>~!()]+$/.test(v) && !v.includes('..') ? v : '"' + v.replace(/["\\]/g, '\\$&') + '"';
}

// unquote is what a value means.
export function unquote(v) {
  return v.length > 1 && v[0] === '"' && v.endsWith('"') ? v.slice(1, -1).replace(/\\(.)/g, '$1') : v;
}

// known reports whether a field may stand before an operator: a named one, or an attribute key (they have a dot).
export function known(field, runs = false) {
  return field in FIELDS || (runs && field in RUN_FIELDS) || (/[._]/.test(field) && !field.startsWith('tok.'));
}

// complaint says in one sentence what the page can see is wrong with a query, or is ''.
export function complaint(q, runs = false) {
  for (const t of terms(q)) {
    if (t.open) return 'The quotation mark in ' + t.raw + ' is not closed.';
    if (!t.field || known(t.field, runs)) continue;
    const near = nearest(t.field, runs);
    return 'No field is called "' + t.field + '".' + (near ? ' Nearest: ' + near + '.' : '');
  }
  return '';
}

// nearest is the field name that is written most alike, if any is near.
export function nearest(word, runs = false) {
  const names = Object.keys(runs ? { ...FIELDS, ...RUN_FIELDS } : FIELDS);
  let best = '', least = Math.max(2, Math.ceil(word.length / 2)) + 1;
  for (const n of names) {
    const d = distance(word.toLowerCase(), n);
    if (d < least) { least = d; best = n; }
  }
  return best;
}

// distance counts the letters to change between two words (Levenshtein).
export function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}

// join writes terms back.
export function join(list) {
  return list.map((t) => (typeof t === 'string' ? t : t.raw)).join(' ');
}

// withTerm sets a term: another one on the same field is replaced, an equal one stays once.
export function withTerm(q, raw) {
  const t = term(raw);
  const rest = terms(q).filter((o) => o.raw !== raw && !(t.field && o.field === t.field && o.not === t.not));
  return join([...rest, raw]);
}

// withoutTerm drops each term written like raw.
export function withoutTerm(q, raw) {
  return join(terms(q).filter((t) => t.raw !== raw));
}

// complete lists what the word under the cursor may become: fields, then the field's values with counts, text last.
// values maps a field to [[value, count], …]. At most eight lines.
export function complete(word, values = {}, runs = false) {
  const not = word.startsWith('-') && word.length > 1 ? '-' : '';
  const w = not ? word.slice(1) : word;
  const t = term(w);
  const out = [];
  if (t.field) {
    const start = unquote(t.value).toLowerCase();
    for (const [v, n] of values[t.field] || []) {
      if (v.toLowerCase().includes(start)) out.push({ insert: not + t.field + t.op + quote(v), show: t.field + t.op + quote(v), count: n, done: true });
    }
    return out.slice(0, 8);
  }
  const fields = runs ? { ...FIELDS, ...RUN_FIELDS } : FIELDS;
  const low = w.toLowerCase();
  const rank = ([n]) => (n.startsWith(low) ? 0 : n.includes(low) ? 1 : 2);
  Object.entries(fields).filter((f) => rank(f) < 2).sort((a, b) => rank(a) - rank(b))
    .forEach(([n, [op, means]]) => out.push({ insert: not + n + op, show: n + op, means, done: false }));
  for (const [f, list] of Object.entries(values)) {
    for (const [v, n] of list) {
      if (w.length >= 2 && v.toLowerCase().startsWith(low)) out.push({ insert: not + f + ':' + quote(v), show: f + ':' + quote(v), count: n, done: true });
    }
  }
  const cut = out.slice(0, w ? 7 : 8);
  if (w) cut.push({ insert: not + quote(w), show: '"' + w + '"', means: 'text in names, attributes, messages', done: true });
  return cut;
}
