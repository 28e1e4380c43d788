// The filter's language, as far as the page needs it: cutting a query into terms, saying what is wrong with one, changing
// one term. The server answers queries and completes words; this module never filters.
//
//	query = { [ "-" ] term }      term = field op value | text

// FIELDS are the names that may stand before an operator, besides attribute keys. RUN_FIELDS are known in lists of runs too.
const FIELDS = ('env task attempt outcome failure reward dur total admission pool model tools verify other turns calls tok.in tok.out ' +
  'spans started since trace run service name kind status group error').split(' ');
const RUN_FIELDS = ['failed', 'rate', 'processes'];

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

// known reports whether a field may stand before an operator: a named one, or an attribute key (they have a dot).
function known(field, runs = false) {
  return FIELDS.includes(field) || (runs && RUN_FIELDS.includes(field)) || (/[._]/.test(field) && !field.startsWith('tok.'));
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
  const names = runs ? [...FIELDS, ...RUN_FIELDS] : FIELDS;
  let best = '', least = Math.max(2, Math.ceil(word.length / 2)) + 1;
  for (const n of names) {
    const d = distance(word.toLowerCase(), n);
    if (d < least) { least = d; best = n; }
  }
  return best;
}

// distance counts the letters to change between two words (Levenshtein).
function distance(a, b) {
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
