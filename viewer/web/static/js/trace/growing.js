// Which part of the time split grows while a rollout runs: that of the span that owns the path's last moment. Pure.

import { SERVER } from './columns.js';

const MODEL = 2, TOOLS = 3, VERIFY = 4, OTHER = 5;

// growing gives the place in the time split of a row: of the model's process, of a route of the resources, or other.
export function growing(c, services, row) {
  const role = (i) => (i < 0 || c.service[i] < 0 ? '' : services[c.service[i]].role);
  if (role(row) === 'model') return MODEL;
  let i = row; // what a server does inside belongs to its route
  while (i >= 0 && c.kind[i] !== SERVER && c.service[i] === c.service[row]) i = c.parent[i];
  if (role(row) !== 'resources' || role(i) !== 'resources' || c.kind[i] !== SERVER) return OTHER;
  const name = c.strings[c.name[i]];
  if (/\/verify$|^gym\.verify$/.test(name)) return VERIFY;
  return /\/seed_session$/.test(name) ? OTHER : TOOLS;
}

// grown is a rollout with what has passed since its last span was received: {duration, total, parts}.
export function grown(r, part, sinceStart) {
  const more = Math.max(0, sinceStart - r.duration_ns), parts = [...r.parts_ns];
  parts[part] += more;
  return { duration: r.duration_ns + more, total: r.total_ns + more, parts };
}
