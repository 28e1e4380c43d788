// What a screen must give those who cannot see it as drawn. Each complaint is a line.
const complaints = [], say = (e, what) => complaints.push(what + ': <' + e.tagName.toLowerCase() + (e.className && e.className.baseVal === undefined ? '.' + e.className.trim().replaceAll(' ', '.') : '') + '> ' + words(e).slice(0, 60));

// Colours, over one another.
const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return { r: m[0], g: m[1], b: m[2], a: m[3] ?? 1 }; };
const over = (a, b) => ({ r: a.r * a.a + b.r * (1 - a.a), g: a.g * a.a + b.g * (1 - a.a), b: a.b * a.a + b.b * (1 - a.a), a: 1 });
const luminance = (c) => { const [r, g, b] = [c.r, c.g, c.b].map((v) => v / 255).map((v) => (v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)); return .2126 * r + .7152 * g + .0722 * b; };
const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };

function ground(e) {
  const layers = [];
  for (let x = e; x; x = x.parentElement) {
    const c = parse(getComputedStyle(x).backgroundColor);
    if (c.a) layers.push(c);
    if (c.a === 1) break;
  }
  return layers.reverse().reduce((under, c) => over(c, under), parse(getComputedStyle(document.documentElement).colorScheme.includes('dark') ? 'rgb(0,0,0)' : 'rgb(255,255,255)'));
}

// Text in sight against what it lies on: 4.5, large text 3. Placeholders too.
let texts = 0;
const lie = (e, style, what) => {
  let alpha = 1;
  for (let x = e; x; x = x.parentElement) alpha *= Number(getComputedStyle(x).opacity);
  const under = ground(e), ink = parse(style.color), size = parseFloat(style.fontSize);
  const got = contrast(over({ ...ink, a: ink.a * alpha }, under), under), want = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
  texts++;
  if (got < want - .005) say(e, what + ' has a contrast of ' + got.toFixed(2) + ', needs ' + want);
};
const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
for (const e of $$('body *')) {
  if (!seen(e) || e.closest('[aria-disabled=true], :disabled')) continue;
  if (e instanceof SVGElement) {
    if (e.tagName === 'text' && own(e)) lie(e, { color: getComputedStyle(e).fill, fontSize: getComputedStyle(e).fontSize, fontWeight: 400 }, 'text');
    continue;
  }
  if (own(e)) lie(e, getComputedStyle(e), 'text');
  if (e.matches('input') && e.placeholder && !e.value) lie(e, { ...only(getComputedStyle(e, '::placeholder')) }, 'placeholder');
}
function only(s) { return { color: s.color, fontSize: s.fontSize, fontWeight: s.fontWeight }; }

// Names of what can be used.
const nameOf = (e) => {
  const by = e.getAttribute('aria-labelledby');
  if (by) return by.split(' ').map((id) => words(document.getElementById(id))).join(' ');
  return e.ariaLabel || (e.labels && [...e.labels].map((l) => words(l)).join(' ')) || (e.matches('input') ? e.placeholder : '') || words(e) || e.title || $$('title', e).map((x) => x.textContent).join(' ') || $$('[aria-label]', e).map((x) => x.ariaLabel).join(' ');
};
for (const e of $$('a[href], button, input, select, textarea, summary, [tabindex="0"], [role=button], [role=tab], [role=dialog], dialog, [role=grid], [role=treegrid], [role=table], [role=tablist], [role=img], [role=combobox], [role=list], nav, aside')) {
  if (seen(e) && !nameOf(e)) say(e, 'no name');
}

// Rows of grids: known places, owned by their grid.
for (const g of $$('[role=grid], [role=treegrid], [role=table]')) {
  if (!seen(g)) continue;
  const tree = g.role === 'treegrid', list = $$('[role=row]', g).filter((r) => r.closest('[role=grid], [role=treegrid], [role=table]') === g);
  if (!list.length) say(g, 'a grid without rows');
  if (!$$('[role=columnheader]', g).length) say(g, 'a grid without heads');
  if (g.tabIndex === 0 && g.role !== 'table' && list.length > 1 && !$$('[aria-selected=true]', g).length) say(g, 'a grid in which nothing is selected');
  const active = g.getAttribute('aria-activedescendant');
  if (active && !document.getElementById(active)) say(g, 'its active row ' + active + ' is not there');
  for (const r of list) {
    if (!$$('[role=gridcell], [role=columnheader], [role=cell], [role=rowheader]', r).length) say(r, 'a row without cells');
    if ($('[role=columnheader]', r)) continue;
    if (tree && !(r.ariaLevel >= 1)) say(r, 'a tree row without a level');
    if (tree && !(r.ariaPosInSet >= 1 && Number(r.ariaSetSize) >= Number(r.ariaPosInSet))) say(r, 'a tree row without its place');
    if (g.role === 'grid' && g.ariaRowCount && !(r.ariaRowIndex >= 1 && Number(r.ariaRowIndex) <= Number(g.ariaRowCount))) say(r, 'a row without its place');
  }
}

// The page itself.
const ids = $$('[id]').map((e) => e.id);
for (const id of new Set(ids.filter((x, i) => ids.indexOf(x) !== i))) complaints.push('the id ' + id + ' is there twice');
if (document.documentElement.lang !== 'en') complaints.push('the page has no language');
if (!document.title.includes('Lens') || document.title === 'Lens') complaints.push('the title does not say where one is: ' + document.title);
if ($$('h1').filter(seen).length !== 1) complaints.push($$('h1').filter(seen).length + ' first headings');
if ($$('main').length !== 1) complaints.push('no main part');
if (!$('[aria-live=polite]')) complaints.push('no live region');
for (const e of $$('[tabindex]')) if (e.tabIndex > 0) say(e, 'an order of its own for the Tab key');
return { complaints: [...new Set(complaints)], texts };
