package fleet

import (
	"time"

	"github.com/lensgo/lens/gym/config"
)

// Instance is a running server as the head server lists it, in the form of the Python system.
type Instance struct {
	ConfigPath    string  `json:"config_path"` // the instance
	DirPath       string  `json:"dir_path"`    // of an external server; "." for ours
	Entrypoint    string  `json:"entrypoint"`
	Host          string  `json:"host"`
	Name          string  `json:"name"` // the implementation
	PID           int     `json:"pid"`
	Port          int     `json:"port"`
	ProcessName   string  `json:"process_name"`
	ServerType    string  `json:"server_type"`
	StartTime     float64 `json:"start_time"` // seconds since 1970
	Status        string  `json:"status"`     // StatusUp or StatusDown
	UptimeSeconds float64 `json:"uptime_seconds"`
	URL           string  `json:"url"`
}

// What an [Instance] can say of its state; the words are those of the Python system.
const (
	StatusUp   = "success"
	StatusDown = "connection_error"
)

// Instances lists the servers that have a process of their own.
func (f *Fleet) Instances() []Instance {
	now := time.Now()
	list := make([]Instance, 0, len(f.children))
	for _, c := range f.children {
		list = append(list, c.describe(now))
	}
	return list
}

func (c *child) describe(now time.Time) Instance {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := describe(c.in)
	if e, ok := c.launch.(*externalServer); ok {
		i.DirPath = e.dir
	}
	if c.p == nil {
		return i
	}
	i.PID = c.p.pid()
	i.StartTime = float64(c.started.UnixMilli()) / 1e3
	i.UptimeSeconds = now.Sub(c.started).Seconds()
	select {
	case <-c.p.exited:
	default:
		if c.answered {
			i.Status = StatusUp
		}
	}
	return i
}

func describe(in *config.Instance) Instance {
	var s struct {
		Entrypoint string `json:"entrypoint"`
	}
	in.DecodeSettings(&s) //nolint:errcheck // it was checked, and is for people only
	return Instance{
		ConfigPath: in.Name, ProcessName: in.Name, Name: in.Impl, DirPath: ".", Entrypoint: s.Entrypoint,
		Host: in.Host, Port: in.Port, ServerType: in.Type, URL: in.URL(), Status: StatusDown,
	}
}
