package web

import (
	"net/http"
	"time"

	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/store"
)

func (h *Handler) getRuns(r *http.Request, p *params) (any, error) {
	a := p.ask("started", "name", "rollouts", "failed", "rate", "reward", "p95", "spans")
	if p.err != nil {
		return nil, p.err
	}
	return h.model.runs(a)
}

func (h *Handler) getServices(r *http.Request, p *params) (any, error) {
	since := p.number("since_ns", int64(time.Hour), 1, maxGap)
	if p.err != nil {
		return nil, p.err
	}
	return h.model.services(since), nil
}

func (h *Handler) getRun(r *http.Request, p *params) (any, error) {
	filter := p.text("q", maxFilter)
	if p.err != nil {
		return nil, p.err
	}
	return h.model.detail(runName(r.PathValue("run")), filter)
}

func (h *Handler) getRollouts(r *http.Request, p *params) (any, error) {
	a := p.ask("state", "env", "task", "attempt", "reward", "dur", "total", "admission", "pool", "model", "tools", "verify", "other",
		"turns", "calls", "tok.in", "tok.out", "spans", "started")
	if p.err != nil {
		return nil, p.err
	}
	return h.model.rollouts(runName(r.PathValue("run")), a)
}

func (h *Handler) getTasks(r *http.Request, p *params) (any, error) {
	a := p.ask("state", "env", "task", "mean", "difference")
	if p.err != nil {
		return nil, p.err
	}
	return h.model.tasks(runName(r.PathValue("run")), a)
}

func (h *Handler) getTraces(r *http.Request, p *params) (any, error) {
	a := p.ask("started", "dur", "spans", "errors", "root", "service")
	run := p.maybe("run")
	if p.err != nil {
		return nil, p.err
	}
	return h.model.traces(run, a)
}

func (h *Handler) getGroups(r *http.Request, p *params) (any, error) {
	run := p.maybe("run")
	if p.err != nil {
		return nil, p.err
	}
	g, err := h.model.groups(run)
	if err == nil && run == nil {
		g.StoredBytes = new(h.o.Store.Stats().Kinds[store.Traces].Bytes)
	}
	return g, err
}

func (h *Handler) getNames(r *http.Request, p *params) (any, error) {
	a := p.ask()
	run, group := p.maybe("run"), p.maybe("group")
	if p.values.Has("group") && group == nil {
		group = new("") // spans without a group
	}
	if p.err != nil {
		return nil, p.err
	}
	return h.model.names(run, group, a)
}

func (h *Handler) getRunComparison(r *http.Request, p *params) (any, error) {
	a := p.ask()
	one, two := p.text("a", maxParameter), p.text("b", maxParameter)
	if one == "" || two == "" {
		p.wrong("a, b", one+", "+two, "Both name a run.")
	}
	if p.err != nil {
		return nil, p.err
	}
	return h.model.compare(runName(one), runName(two), a)
}

func (h *Handler) getCompletion(r *http.Request, p *params) (any, error) {
	list := p.oneOf("for", "rollouts", "tasks", "runs", "traces")
	run, text := p.maybe("run"), p.text("text", maxParameter)
	if p.err != nil {
		return nil, p.err
	}
	of := map[string]query.List{"rollouts": query.Rollouts, "tasks": query.Rollouts, "runs": query.Runs, "traces": query.Traces}[list]
	return h.model.complete(of, run, text), nil
}

func (h *Handler) getFound(_ *http.Request, p *params) (any, error) {
	text := p.text("text", maxParameter)
	if p.err != nil {
		return nil, p.err
	}
	return h.model.find(text), nil
}
