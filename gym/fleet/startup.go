package fleet

import (
	"context"
	"os"
	"strconv"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// Stages of a start, as the Python system names them.
const (
	StageLoadConfig       = "load_config"
	StageInitTelemetry    = "init_telemetry"
	StageStartHead        = "start_head_server"
	StageSpawnServers     = "spawn_servers"
	StageWaitForServers   = "wait_for_servers"
	stageInterpreterStart = "interpreter_start" // from the spawn to the first line of ours
	stageInitServer       = "init_server"
)

// Environment variables by which a server's own start-up spans join those of whoever started it, as in the Python system.
const (
	envSpawn   = "NEMO_GYM_STARTUP_SPAWN_NS"
	envStarted = "NEMO_GYM_STARTUP_TRACEPARENT"
)

// Stage is a part of a start. Parts come before telemetry is set up, so they are told afterwards, with their times.
type Stage struct {
	Name     string
	From, To time.Time
}

// Stages collects parts that follow each other. The zero value begins with the first call of Begin.
type Stages struct{ list []Stage }

// Begin ends the stage that runs, and begins one; "" only ends.
func (s *Stages) Begin(name string) {
	now := time.Now()
	if n := len(s.list); n > 0 && s.list[n-1].To.IsZero() {
		s.list[n-1].To = now
	}
	if name != "" {
		s.list = append(s.list, Stage{Name: name, From: now})
	}
}

// List ends the stage that runs, and returns all.
func (s *Stages) List() []Stage {
	s.Begin("")
	return s.list
}

// record writes stages as spans below ctx.
func record(ctx context.Context, parent string, stages []Stage) {
	if !telemetry.Startup.Enabled() {
		return
	}
	for _, s := range stages {
		_, span := telemetry.Startup.StartWith(ctx, parent+"."+s.Name, lens.StartConfig{Time: s.From})
		span.Str(semconv.GymStartupStage, s.Name)
		span.EndAt(s.To)
	}
}

// stamps are the variables of a child that is about to be spawned below ctx.
func stamps(ctx context.Context) []string {
	env := []string{envSpawn + "=" + strconv.FormatInt(time.Now().UnixNano(), 10)}
	if ref := lens.RefFrom(ctx); ref.Valid() {
		env = append(env, envStarted+"="+ref.String())
	}
	return env
}

// ownStart is what a server knows about its own start. The stamps are taken out of the environment: they are not for
// processes that the server starts.
type ownStart struct {
	parent lens.Ref
	spawn  time.Time // zero: nobody told
	stages Stages
}

func readStamps() *ownStart {
	o := &ownStart{}
	now := time.Now()
	if ns, err := strconv.ParseInt(os.Getenv(envSpawn), 10, 64); err == nil && ns > 0 && ns <= now.UnixNano() {
		o.spawn = time.Unix(0, ns)
		o.stages.list = []Stage{{Name: stageInterpreterStart, From: o.spawn, To: now}}
	}
	o.parent, _ = lens.ParseRef(os.Getenv(envStarted), "")
	os.Unsetenv(envSpawn)
	os.Unsetenv(envStarted)
	return o
}

// end writes the span and the measures of a server that is about to accept its first request.
func (o *ownStart) end(ctx context.Context, server, kind string) {
	stages := o.stages.List()
	if len(stages) == 0 {
		return
	}
	if o.parent.Valid() {
		ctx = lens.WithParent(ctx, o.parent)
	}
	ctx, span := telemetry.Startup.StartWith(ctx, semconv.SpanGymServerStartup, lens.StartConfig{Time: stages[0].From})
	span.Str(semconv.GymServerName, server).Str(semconv.GymServerType, kind).Int(semconv.ProcessPID, os.Getpid())
	record(ctx, semconv.SpanGymServerStartup, stages)
	span.EndAt(stages[len(stages)-1].To)
	for _, s := range stages {
		metrics.Gym.ServerStage(ctx, server, kind, s.Name, s.To.Sub(s.From))
	}
}
