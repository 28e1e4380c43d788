package query_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/viewer/query"
)

// row is a record made by hand.
type row struct {
	numbers map[query.Field]float64
	texts   map[query.Field][]string
	attrs   map[string]string
	search  []string
}

func (r row) Number(f query.Field) (float64, bool) { x, ok := r.numbers[f]; return x, ok }

func (r row) Text(f query.Field, match func(string) bool) bool { return any(r.texts[f], match) }

func (r row) Attribute(key string, match func(string) bool) bool {
	v, ok := r.attrs[key]
	return ok && match(v)
}

func (r row) Search(match func(string) bool) bool { return any(r.search, match) }

func any(texts []string, match func(string) bool) bool {
	for _, s := range texts {
		if match(s) {
			return true
		}
	}
	return false
}

var (
	now    = time.Date(2026, 11, 30, 14, 3, 25, 0, time.UTC)
	second = float64(time.Second)

	sample = row{
		numbers: map[query.Field]float64{
			query.Reward: 0.5, query.Duration: 6 * second, query.Model: 250e6, query.Task: 12, query.TokensIn: 1500, query.Errors: 2, query.Turns: 0,
			query.Since: float64(now.Add(-time.Hour).UnixNano()),
		},
		texts: map[query.Field][]string{
			query.Env: {"multi_step"}, query.Outcome: {"failed"}, query.Group: {"server", "http_client"}, query.Trace: {"3a6ff850c1b14f0aa4d9c1d2e3f4ac27"},
		},
		attrs:  map[string]string{"http.route": "/verify", "http.response.status_code": "500", "iteration": "7", "llm.temperature": "0.25", "body.size": "1500"},
		search: []string{"multi_step", "Connection reset by peer", "Größe", `say "no"`},
	}

	options = query.Options{Now: now, Attribute: func(key string) bool { return key == "iteration" }}
)

func TestMatch(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                   true,
		"  ":                                 true,
		"env:multi_step":                     true,
		"env:STEP":                           true,
		"env:mcqa":                           false,
		"env=multi_step":                     true,
		"env=step":                           false,
		"env!=step":                          true,
		"env!=multi_step":                    false,
		"env!=mcqa,multi_step":               false,
		"env:mcqa,multi":                     true,
		`env:"multi_step"`:                   true,
		`env:mcqa,"multi_step"`:              true,
		"-env:mcqa":                          true,
		"-env:multi":                         false,
		"env~^multi_(step|turn)$":            true,
		"env~^step":                          false,
		`env~"^multi.step$"`:                 true,
		"failure:timeout":                    false, // it has none
		"failure!=timeout":                   true,
		"-failure:timeout":                   true,
		"group:server":                       true,
		"group=http_client":                  true,
		"group!=server":                      false, // one of its groups is
		"trace:3a6f":                         true,
		"outcome:failed env:mcqa":            false,
		"outcome:failed env:multi":           true,
		"reward:0.5":                         true,
		"reward:50%":                         true,
		"reward=.5":                          true,
		"reward<0.5":                         false,
		"reward<=0.5":                        true,
		"reward>0.5":                         false,
		"reward>=0.5":                        true,
		"reward<0.51":                        true,
		"reward!=0.5":                        false,
		"reward!=1":                          true,
		"reward!=0.5,1":                      false,
		"reward:-1..0.5":                     true,
		"reward:−1..0":                       false,
		"dur>2s":                             true,
		"dur>2":                              true,
		"dur>6000ms":                         false,
		"dur>=6000ms":                        true,
		"dur:5s..8s":                         true,
		"dur:5..8s":                          true,
		"dur:5s..8":                          true,
		"dur:5..8":                           true,
		"dur:5..8ms":                         false,
		"dur:5000000000ns..0.1m":             true,
		"dur<1h":                             true,
		"model:250ms":                        true,
		"model:.25":                          true,
		"model:250us":                        false,
		"model:250000µs":                     true,
		"pool>0":                             false, // it has none
		"-pool>0":                            true,
		"pool!=0":                            true,
		"task:12":                            true,
		"task:1,3,10..12":                    true,
		"task:1,3":                           false,
		"tok.in:1.5k":                        true,
		"tok.in<1M":                          true,
		"turns:0":                            true,
		"error:true":                         true,
		"error:false":                        false,
		"error>1":                            true,
		"-error:false":                       true,
		"since:2h":                           true,
		"since:30m":                          false,
		"since:2d":                           true,
		"since:2026-11-30":                   true,
		"since:2026-12-01":                   false,
		"since:2026-11-30T13:00":             true,
		"since=2026-11-30T13:30:00Z":         false,
		"http.route:/verify":                 true,
		"http.route=/verify":                 true,
		"http.route=verify":                  false,
		"http.route!=/run":                   true,
		"http.route~^/ver":                   true,
		"http.response.status_code:500":      true,
		"http.response.status_code>=400":     true,
		"http.response.status_code:400..499": false,
		"http.response.status_code:200,500":  true,
		"http.route>5":                       false, // no number
		"http.missing:1":                     false,
		"http.missing!=1":                    true,
		"iteration:7":                        true,
		"llm.temperature:25%":                true,
		"body.size>1kB":                      true,
		"connection":                         true,
		`"connection reset"`:                 true,
		"connection reset":                   true,
		`"reset connection"`:                 false,
		"-connection":                        false,
		`-"no such text"`:                    true,
		"größe":                              true,
		"GRÖSSE":                             false,
		`"say \"no\""`:                       true,
		"14:02":                              false, // begins with a digit: a text
		"reward<0.6 -env:mcqa dur>2s peer":   true,
		"reward<0.6\tenv:multi\u00a0peer":    true,
	} {
		q, err := query.Parse(text, options)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := q.Match(sample); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		again, err := query.Parse(q.String(), options)
		if err != nil || again.String() != q.String() || again.Match(sample) != want {
			t.Errorf("%s, written as %s: %v, or it means something else", text, q, err)
		}
	}
}

func TestErrors(t *testing.T) {
	long := strings.Repeat("a", query.MaxLength+1)
	for text, want := range map[string]query.Error{
		"rewrd<0.5":              {0, 5, `No field is called "rewrd". Nearest: reward.`, "reward"},
		"env:a rewrad:1":         {6, 6, `Nearest: reward.`, "reward"},
		"-ouctome:failed":        {1, 7, `Nearest: outcome.`, "outcome"},
		"duration>2s":            {0, 8, `Nearest: dur.`, "dur"},
		"environment:x":          {0, 11, `Nearest: env.`, "env"},
		"tok_in>5":               {0, 6, `Nearest: tok.in.`, "tok.in"},
		"zzzzzzzz:1":             {0, 8, `No field is called "zzzzzzzz". To search`, ""},
		"http://x":               {0, 4, `put it in quotes`, ""},
		"failed>0":               {0, 6, "failed is no field of rollouts.", "outcome"},
		"env:":                   {3, 1, `A value must follow ":".`, ""},
		"env:a,":                 {5, 1, `A value must follow ",".`, ""},
		"env: a":                 {3, 1, `A value must follow ":".`, ""},
		`env:"a`:                 {4, 2, "The quote is not closed.", ""},
		`"a`:                     {0, 2, "The quote is not closed.", ""},
		`"a"b`:                   {0, 4, "A blank must follow the closing quote.", ""},
		`env:"a"b`:               {0, 8, "A blank must follow the closing quote.", ""},
		"-":                      {0, 1, `A term must follow "-".`, ""},
		"- env:a":                {0, 1, `A term must follow "-".`, ""},
		"env<a":                  {0, 4, "env is a text", ""},
		"dur~5":                  {0, 4, "dur is a number", ""},
		"dur:fast":               {4, 4, `"fast" is no number that dur can be compared with. Units are ns, us, ms, s, m, h and d.`, ""},
		"dur:5kB":                {4, 3, `"5kB" is no number`, ""},
		"reward:5s":              {7, 2, "The unit may be %.", ""},
		"task:5s":                {5, 2, "Units are k and M.", ""},
		"task:0x10":              {5, 4, "is no number", ""},
		"task:1_0":               {5, 3, "is no number", ""},
		"task:NaN":               {5, 3, "is no number", ""},
		"task:Inf":               {5, 3, "is no number", ""},
		"dur:8s..5s":             {4, 6, "The range 8s..5s begins above its end.", ""},
		"dur>5s..8s":             {4, 6, "is no number", ""},
		"dur>5s,8s":              {4, 3, `"dur>" takes one value.`, ""},
		"since>2h":               {0, 6, "since takes", ""},
		"since:soon":             {6, 4, `"soon" is no age and no date.`, ""},
		"since:-2h":              {6, 3, "no age", ""},
		"env~(":                  {4, 1, "This is no RE2 expression: missing closing ): `(`.", ""},
		"http.size>big":          {10, 3, `"big" is no number. Attributes`, ""},
		long:                     {query.MaxLength, 1, "The filter has 4097 bytes", ""},
		strings.Repeat("a ", 65): {128, 2, "The filter can have 64 terms.", ""},
	} {
		q, err := query.Parse(text, options)
		var got *query.Error
		if !errors.As(err, &got) {
			t.Errorf("%.40s: %v, want an error", text, err)
			continue
		}
		if got.Offset != want.Offset || got.Length != want.Length || got.Nearest != want.Nearest || !strings.Contains(got.Error(), want.Reason) || !q.Empty() {
			t.Errorf("%.40s: %d+%d, nearest %q: %s\nwant %d+%d, %q: ...%s...", text, got.Offset, got.Length, got.Nearest, got, want.Offset, want.Length, want.Nearest, want.Reason)
		}
	}
}

func TestLists(t *testing.T) {
	for text, in := range map[string][3]bool{ // rollouts, traces, runs
		"env:a": {true, true, true}, "attempt:1": {true, true, false}, "failed>0": {false, false, true}, "rate<5": {false, false, true}, "processes:4": {false, false, true},
	} {
		for l, want := range in {
			if _, err := query.Parse(text, query.Options{List: query.List(l)}); (err == nil) != want {
				t.Errorf("%s in %s: %v", text, query.List(l), err)
			}
		}
	}
	// What the design and the issue show as examples.
	for text, l := range map[string]query.List{
		"reward<0.5 env:multi_step dur>2s outcome:failed text": query.Rollouts,
		"env:multi_step failed>0 reward<0.5 since:2d":          query.Runs,
		"dur:5s..8s": query.Rollouts,
	} {
		if _, err := query.Parse(text, query.Options{List: l}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestFields holds that the table and the constants say the same.
func TestFields(t *testing.T) {
	seen := map[string]bool{}
	for f := query.Env; f < query.Attribute; f++ {
		info, ok := query.Lookup(f.String())
		if !ok || info.Field != f || info.Meaning == "" || seen[info.Name] {
			t.Errorf("field %d is %+v, %v", f, info, ok)
		}
		seen[info.Name] = true
	}
	if _, ok := query.Lookup(""); ok {
		t.Error("the empty name is a field")
	}
	if n := len(query.Fields(query.Rollouts)); n != 29 {
		t.Errorf("rollouts have %d fields", n)
	}
}

func TestTerms(t *testing.T) {
	q, err := query.Parse(`  env:a,"b c" -http.route~x "t"`, options)
	if err != nil {
		t.Fatal(err)
	}
	terms := q.Terms()
	if len(terms) != 3 {
		t.Fatalf("%d terms", len(terms))
	}
	if a := terms[0]; a.Offset != 2 || a.Length != 11 || a.Field != query.Env || a.Op != query.Has || len(a.Values) != 2 || a.Values[1] != "b c" || a.Negated {
		t.Errorf("first term %+v", a)
	}
	if b := terms[1]; b.Offset != 14 || b.Length != 13 || b.Field != query.Attribute || b.Key != "http.route" || b.Op != query.Matches || !b.Negated {
		t.Errorf("second term %+v", b)
	}
	if c := terms[2]; c.Field != query.Text || c.Op != "" || c.Values[0] != "t" {
		t.Errorf("third term %+v", c)
	}
	if got, want := q.String(), `env:a,"b c" -http.route~x t`; got != want {
		t.Errorf("written %s, want %s", got, want)
	}
}

func TestAllocations(t *testing.T) {
	q, err := query.Parse("reward<0.6 env:multi dur:5s..8s -outcome:scored http.response.status_code>=400 reset", options)
	if err != nil {
		t.Fatal(err)
	}
	var r query.Record = sample
	if n := testing.AllocsPerRun(100, func() {
		if !q.Match(r) {
			t.Error("no match")
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkMatch(b *testing.B) {
	q, _ := query.Parse("reward<0.6 env:multi dur>2s", options)
	var r query.Record = sample
	for b.Loop() {
		q.Match(r)
	}
}
