package web

import "testing"

func sideOf(reward float64, parts Parts) *side {
	total := int64(0)
	for _, p := range parts {
		total += p
	}
	return &side{shown: ComparedTrace{Rollout: &Rollout{Reward: &reward, Total: &total, Parts: &parts}}}
}

func TestSentenceParts(t *testing.T) {
	const ms = 1_000_000
	a := sideOf(1, Parts{100 * ms, 0, 900 * ms})
	for name, c := range map[string]struct {
		b             *side
		deeds, longer string
	}{
		"as good, as long": {sideOf(1, Parts{110 * ms, 0, 900 * ms}), "Both scored 1.00.", "Both took about 1.01\u202fs."},
		"worse, longer":    {sideOf(0, Parts{90 * ms, 0, 1900 * ms}), "One scored 1.00, two scored 0.00.", "Two took 990\u202fms longer: the model +1.00\u202fs, everything else −10.0\u202fms."},
		"shorter":          {sideOf(1, Parts{0, 0, 900 * ms}), "Both scored 1.00.", "One took 100\u202fms longer: waiting for admission +100\u202fms, everything else the same."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := deeds(a, c.b, nil, "One", "Two"); got != c.deeds {
				t.Errorf("got %q, want %q", got, c.deeds)
			}
			if got := longer(a, c.b, "One", "Two"); got != c.longer {
				t.Errorf("got %q, want %q", got, c.longer)
			}
		})
	}
	for argument, want := range map[string]string{`{"synonym":"Dry"}`: `"Dry"`, `{"a":1,"b":2}`: `{"a":1,"b":2}`, "plain": "plain", "{}": "{}"} {
		if got := bare(argument); got != want {
			t.Errorf("bare(%q) is %q, want %q", argument, got, want)
		}
	}
}
