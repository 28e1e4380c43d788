// Finding spans by text: names, notes, messages and ids. Pure.

export function find(c, text) {
  const t = text.trim().toLowerCase(), out = [];
  if (!t) return out;
  const inName = c.strings.map((s) => s.toLowerCase().includes(t));
  const id = /^[0-9a-f]{4,16}$/.test(t);
  for (let i = 0; i < c.n; i++) {
    if (inName[c.name[i]] || has(c.notes.get(i), t) || has(c.messages.get(i), t) || (id && c.id[i].startsWith(t))) out.push(i);
  }
  return out;
}

function has(s, t) { return s !== undefined && s.toLowerCase().includes(t); }
