package doctor

import (
	"fmt"
	"strings"

	"github.com/lensgo/lens/telemetry"
)

// Spool is where what a collector does not take is kept.
type Spool struct {
	On      bool      `json:"on"`
	From    string    `json:"from"`
	Dir     string    `json:"dir"`
	DirFrom string    `json:"dir_from"`
	Bytes   int64     `json:"bytes"`      // that its files have
	Most    int64     `json:"most_bytes"` // that those of one endpoint and signal may have
	Free    int64     `json:"free_bytes"` // of its disk; -1: not known
	Waiting []Waiting `json:"waiting"`

	StartRecords bool `json:"start_records"` // of spans, so that none is lost when the process is killed
}

// Waiting is what waits there for one endpoint.
type Waiting struct {
	Signal    string `json:"signal"`
	URL       string `json:"url"`
	Items     uint64 `json:"items"`
	Bytes     int64  `json:"bytes"`
	Processes int    `json:"processes"` // living ones, which send it themselves
}

func (e *examination) spoolDir() string {
	if e.config.SpoolDir != "" {
		return e.config.SpoolDir
	}
	return e.plan.SpoolDir
}

// spool looks at the folder, also when the spool is off: an earlier program may have left something.
func (e *examination) spool() {
	s := &e.report.Spool
	*s = Spool{
		On: e.config.Spool, From: e.variables["SPOOL"].Name, Dir: e.spoolDir(), DirFrom: e.variables["SPOOL_DIR"].Name,
		Most: e.plan.SpoolBytes, Free: -1, StartRecords: e.config.StartRecords && e.config.Spool,
	}
	if s.On && s.From == "" && !e.gym() { // Gym has one by default
		s.From = e.variables["START_RECORDS"].Name
	}
	e.spoolNotes()
	if s.Dir == "" {
		if s.On {
			e.report.add(Problem, "spool", "", "There is no folder for a spool, so what a collector does not take is lost. Name one with "+e.options.Prefix+"_SPOOL_DIR.")
		}
		return
	}
	waiting, err := telemetry.LookIntoSpool(s.Dir)
	for _, err := range each(err) {
		if s.On {
			e.report.add(Problem, "spool", "", sentence(err.Error())+" What a collector does not take is lost.")
		}
	}
	for _, w := range waiting {
		e.waits(w)
	}
	if free, ok := freeBytes(s.Dir); ok {
		if s.Free = free; s.On && free < s.Most {
			e.report.add(Note, "spool_space", "", fmt.Sprintf("The disk of the spool has %s left, and each endpoint and signal may fill %s of it.", size(free), size(s.Most)))
		}
	}
}

// leastSpool is what holds some full batches.
const leastSpool = 1 << 20

// spoolNotes tells of settings that work against each other.
func (e *examination) spoolNotes() {
	s := e.report.Spool
	if e.config.StartRecords && !s.On {
		e.report.add(Note, "spool", "", fmt.Sprintf("There are no start records, since they are in the spool, and %s switches it off. Unset it.", s.From))
	}
	if s.On && s.Most < leastSpool {
		e.report.add(Note, "spool", "", fmt.Sprintf("%s is %s, and a request that is larger does not fit: what it holds is lost. A batch of spans may have a megabyte or more.",
			e.variables["SPOOL_BYTES"].Name, size(s.Most)))
	}
}

// waits adds what waits for one endpoint.
func (e *examination) waits(w telemetry.Waiting) {
	s := &e.report.Spool
	s.Bytes += w.Bytes
	if w.Items == 0 && w.Living == 0 && w.Unread == 0 {
		return
	}
	s.Waiting = append(s.Waiting, Waiting{Signal: w.Signal, URL: w.URL, Items: w.Items, Bytes: w.Bytes, Processes: w.Living})
	if w.Unread > 0 {
		e.report.add(Note, "spool_unread", "", fmt.Sprintf("The spool has files that are none of ours, or of another version, in %s.", w.Dir))
	}
	if w.Items > 0 && w.Living == 0 {
		e.report.add(Note, "spool_left", "", fmt.Sprintf("Ended programs have left %s for %s in the spool. The next program that sends there takes them along; 'lens recover' does it now.",
			counted(int64(w.Items), itemOf(w.Signal)), w.URL))
	}
	if s.On && w.Bytes > s.Most/10*9 {
		e.report.add(Note, "spool_full", "", fmt.Sprintf("The spool for %s is nearly full: %s of %s. The oldest goes first.", w.URL, size(w.Bytes), size(s.Most)))
	}
}

// itemOf is what a signal is made of.
func itemOf(signal string) string {
	switch strings.ToLower(signal) {
	case telemetry.SignalMetrics:
		return "data point"
	case telemetry.SignalLogs:
		return "log record"
	}
	return "span"
}

// settings are the lines of the spool.
func (s Spool) settings() []Setting {
	on := Setting{Name: "spool", Value: map[bool]string{true: "on", false: "off"}[s.On], From: s.From}
	if s.From == "" {
		on.Why = "by default"
	}
	if s.StartRecords {
		on.Value += ", with start records"
	}
	list := []Setting{on}
	if s.On && s.Dir != "" {
		used := fmt.Sprintf("%s of %s for each endpoint and signal", size(s.Bytes), size(s.Most))
		if s.Free >= 0 {
			used += ", " + size(s.Free) + " free on the disk"
		}
		list = append(list, Setting{"folder", s.Dir, s.DirFrom, ""}, Setting{"used", used, "", ""})
	}
	for _, w := range s.Waiting {
		text := fmt.Sprintf("%s for %s", counted(int64(w.Items), itemOf(w.Signal)), w.URL)
		if w.Processes > 0 {
			text += ", with " + counted(int64(w.Processes), "living process")
		}
		list = append(list, Setting{"waiting", text, "", ""})
	}
	return list
}
