//go:build !race

package chat_test

import (
	"testing"

	"github.com/lensgo/lens/gym/responses/chat"
)

// The race detector makes pools forget on purpose, so that counts mean nothing under it.

// A conversion may allocate for each message, and not for each of its members.
func TestAllocs(t *testing.T) {
	p := params(t, string(conversation(256)))
	items, err := p.Input()
	if err != nil {
		t.Fatal(err)
	}
	var r chat.Request
	perItem := testing.AllocsPerRun(10, func() { r, err = chat.FromParams(p, chat.Options{}) }) / float64(len(items))
	if err != nil || perItem > 4 {
		t.Errorf("converting a request allocates %.1f times an item, %v; want at most 4", perItem, err)
	}
	body := r.AppendTo(nil)
	messages, _ := r.Array("messages")
	pass := testing.AllocsPerRun(10, func() {
		var again chat.Request
		if again, err = chat.ParseRequest(body); err == nil {
			again, err = chat.Options{Model: "n", TokenIDs: true}.Prepare(again)
		}
		again.AppendTo(nil)
	})
	if err != nil || pass > 100 {
		t.Errorf("passing on a request of %d messages allocates %v times, %v; want at most 100", len(messages), pass, err)
	}
}
