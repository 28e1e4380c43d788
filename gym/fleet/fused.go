package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/wire"
)

// fused are the servers that run in this process.
type fused struct {
	local   *wire.Local
	clients []*wire.Client
	closers []func()
}

// fuse builds the servers that are to be in this process; external ones run by now.
func (f *Fleet) fuse(ctx context.Context) error {
	if !f.o.Fused {
		return nil
	}
	var here []*config.Instance
	var names []string
	for _, in := range f.o.Graph.Instances {
		if f.o.Builders[in.Impl] != nil && !f.apart(in.Name) {
			here, names = append(here, in), append(names, in.Name)
		}
	}
	if err := f.checkCallers(names); err != nil {
		return err
	}
	f.fused = &fused{local: wire.NewLocal(ctx, names...)}
	for _, in := range here {
		if err := f.fuseOne(in); err != nil {
			return err
		}
	}
	return nil
}

// apart tells whether an instance has a process of its own.
func (f *Fleet) apart(name string) bool {
	for _, c := range f.children {
		if c.in.Name == name {
			return true
		}
	}
	return false
}

// checkCallers refuses processes that would call servers which have no port.
func (f *Fleet) checkCallers(fused []string) error {
	isFused := map[string]bool{}
	for _, name := range fused {
		isFused[name] = true
	}
	for _, c := range f.children {
		for _, ref := range c.in.Refs {
			if isFused[ref.Name] {
				return fmt.Errorf("cannot fuse: %q is a process of its own and calls %q, which would have no port; run without --fused", c.in.Name, ref.Name)
			}
		}
	}
	return nil
}

func (f *Fleet) fuseOne(in *config.Instance) error {
	log := newLineWriter(f.o.Stderr, "["+in.Name+"] ")
	if f.o.LogDir != "" {
		file, err := os.Create(filepath.Join(f.o.LogDir, in.Name+".log"))
		if err != nil {
			return fmt.Errorf("cannot make the log file of server %q: %w", in.Name, err)
		}
		log.tee = file
		f.fused.closers = append(f.fused.closers, func() { file.Close() })
	}
	o := f.Client()
	o.MaxConnsPerHost = max(MaxConns()/f.asking(), leastConns)
	for _, name := range f.o.Graph.Names(config.TypeResources) {
		o.MaxConns[name] = resourcesConns
	}
	client := wire.NewClient(o)
	f.fused.clients = append(f.fused.clients, client)
	server, err := f.o.Builders[in.Impl](in, client, Logger(log, in.Name))
	if err != nil {
		return fmt.Errorf("cannot build server %q (%s): %w", in.Name, in.Impl, err)
	}
	f.fused.local.Add(server)
	return nil
}

// asking is how many of the model servers in this process have connections of their own, at least 1.
func (f *Fleet) asking() int {
	n := 0
	for _, in := range f.o.Graph.Instances {
		if in.Type == config.TypeModel && in.Impl != synthetic && !f.apart(in.Name) {
			n++
		}
	}
	return max(n, 1)
}

// stop lets running requests finish.
func (f *fused) stop() error {
	err := f.local.Stop()
	for _, c := range f.clients {
		c.Close()
	}
	for _, done := range f.closers {
		done()
	}
	return err
}
