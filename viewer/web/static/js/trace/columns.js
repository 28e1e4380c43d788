// The spans of one trace in columns. Rows come from the server in drawing order: depth first, children by start, a parent
// before its children. Times are nanoseconds from the trace's start, never from 1970, so that a number holds them.

export const ERROR = 1, OPEN = 2, TRUNCATED = 4, GHOST = 8, ORPHAN = 16, DUPLICATE = 32, CYCLE = 64, SKEW = 128,
  EVENTS = 256, ROLLOUT = 512, RESENT = 1024, LINKS = 2048;

export const SERVER = 2, CLIENT = 3;

// Columns grows page by page; n rows are there so far.
export class Columns {
  constructor(rows) {
    this.n = 0;
    this.rows = rows;
    this.id = new Array(rows);
    this.strings = [];
    this.parent = new Int32Array(rows);
    this.depth = new Int32Array(rows);
    this.start = new Float64Array(rows);
    this.end = new Float64Array(rows); // of an open span: NaN
    this.name = new Int32Array(rows);
    this.service = new Int32Array(rows);
    this.group = new Int32Array(rows);
    this.kind = new Uint8Array(rows);
    this.flags = new Uint16Array(rows);
    this.path = new Float64Array(rows);
    this.notes = new Map();
    this.messages = new Map();
    this.skew = new Map();
    this.copies = new Map();
    this.known = new Map(); // string -> index in strings
  }

  // add takes the next page, whose `from` must be n.
  add(page) {
    if (page.from !== this.n) throw new Error('page ' + page.from + ' does not follow row ' + this.n);
    const at = this.n, m = page.id.length;
    const strings = page.strings.map((s) => this.intern(s));
    for (let k = 0; k < m; k++) {
      const i = at + k;
      this.id[i] = page.id[k];
      this.parent[i] = page.parent[k];
      this.depth[i] = page.depth[k];
      this.start[i] = page.start_ns[k];
      this.end[i] = page.end_ns[k] === -1 && page.flags[k] & OPEN ? NaN : page.end_ns[k];
      this.name[i] = strings[page.name[k]];
      this.service[i] = page.service[k];
      this.group[i] = page.group[k];
      this.kind[i] = page.kind[k];
      this.flags[i] = page.flags[k];
      this.path[i] = page.path_ns[k];
    }
    for (const [i, v] of page.notes) this.notes.set(i, v);
    for (const [i, v] of page.messages) this.messages.set(i, v);
    for (const [i, v] of page.skew) this.skew.set(i, v);
    for (const [i, v] of page.copies) this.copies.set(i, v);
    this.n += m;
  }

  intern(s) {
    let i = this.known.get(s);
    if (i === undefined) {
      i = this.strings.length;
      this.strings.push(s);
      this.known.set(s, i);
    }
    return i;
  }
}

// nameOf is a row's span name; a ghost is called after the id that its children name.
export function nameOf(c, i) {
  return c.flags[i] & GHOST ? 'parent ' + c.id[i].slice(0, 8) + '…' : c.strings[c.name[i]];
}
