// While a button of the mouse or a finger is down, answers wait: what was pressed must still stand there when it is let go,
// else the browser makes no click of it. Live updates would take every third click.

let down = false, waiting = [];

function letGo() {
  down = false;
  const now = waiting;
  waiting = [];
  for (const go of now) go();
}

// listen begins to watch. The click that follows goes first.
export function listen() {
  addEventListener('pointerdown', () => { down = true; }, true);
  addEventListener('pointermove', (e) => { if (down && !e.buttons) letGo(); }, true);
  for (const end of ['pointerup', 'pointercancel', 'dragend', 'blur']) addEventListener(end, () => setTimeout(letGo), true);
}

// released comes when nothing is pressed.
export async function released() {
  while (down) await new Promise((go) => waiting.push(go));
}
