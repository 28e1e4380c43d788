// The colours that canvases draw with, read from the style sheet when the theme changes.

const NAMES = ['panel', 'line', 'line2', 'edge', 'ink', 'ink3', 'acc', 'err', 'warn', 'sunk', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'sans'];

export function read() {
  const css = getComputedStyle(document.documentElement), out = {};
  for (const n of NAMES) out[n] = css.getPropertyValue('--' + n).trim();
  out.p = [out.c1, out.c1, out.c2, out.c3, out.c4, out.c5, out.c6, out.c7, out.c8];
  return out;
}

// GROUPS gives span groups their places in the palette.
const GROUPS = { job: 1, server: 2, http_client: 3, rollout: 4, startup: 5, agent: 6, model_call: 7, verify: 8 };

// colourer tells the palette place of a row, by process or by group.
export function colourer(head, by) {
  if (by !== 'group') return (c, i) => (c.service[i] < 0 ? 0 : head.services[c.service[i]].colour);
  const places = groupPlaces(head);
  return (c, i) => (c.group[i] < 0 ? 1 : places[c.group[i]]);
}

export function groupPlaces(head) {
  let next = 1;
  return head.groups.map((g) => GROUPS[g] || ((next++ - 1) % 8) + 1);
}
