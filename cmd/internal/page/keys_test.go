package page

import (
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// press types keys, one after the other: texts, or names such as kb.Enter.
func (p *tab) press(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		for _, r := range k {
			p.key(r, chromedp.ModifierNone)
		}
	}
}

// pressCtrl types a key with Ctrl held.
func (p *tab) pressCtrl(key rune) {
	p.t.Helper()
	p.key(key, chromedp.ModifierCtrl)
}

// key is one stroke. The character comes of the key going down, as on a keyboard, and not by itself: a page that answers the
// key keeps it from being typed.
func (p *tab) key(r rune, held chromedp.Modifier) {
	p.t.Helper()
	strokes := kb.Encode(r)
	down, up := *strokes[0], *strokes[len(strokes)-1]
	down.Modifiers |= int64(held)
	up.Modifiers |= int64(held)
	if len(strokes) == 3 && held == chromedp.ModifierNone {
		down.Text, down.UnmodifiedText = strokes[1].Text, strokes[1].UnmodifiedText
	}
	call(p, input.DispatchKeyEvent, down)
	call(p, input.DispatchKeyEvent, up)
}
