package viewer

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lensgo/lens/viewer/ingest"
	"github.com/lensgo/lens/viewer/store"
	"github.com/lensgo/lens/viewer/web"
)

// Addresses of a viewer that was not told. 4318 and 4317 are OTLP's own.
const (
	DefaultListen   = "127.0.0.1:4319"
	DefaultOTLPHTTP = "127.0.0.1:4318"
	DefaultOTLPGRPC = "127.0.0.1:4317"
)

// Options say what a viewer keeps, where it listens and what it shows.
type Options struct {
	// Data is the folder; it is made when it is missing. Retention bounds it.
	Data      string
	Retention Retention
	// Listen is where the page is, OTLPHTTP and OTLPGRPC where spans come in. Each may be empty for nowhere: a run that keeps
	// its traces hands them to Sink and needs none. Port 0 asks for a free one.
	Listen, OTLPHTTP, OTLPGRPC string
	// Files are read into the store at the start: the OTLP JSON file format, also compressed with gzip or zstd.
	Files []string
	// Results is the results file of a Gym run, from which the page reads conversations. ResultsRun is its nemo.run.id.
	Results, ResultsRun string
	// Version is the program's.
	Version string
	Logger  *slog.Logger // nil discards
}

// Viewer is a running viewer. Its methods are safe for concurrent use.
type Viewer struct {
	o        Options
	store    *store.Store
	models   models
	drivers  *drivers
	receiver *ingest.Receiver // nil when nothing is received
	intake   intake           // of receivers of somebody else's
	handler  *web.Handler
	server   *http.Server
	address  net.Addr
	token    string

	serving     sync.WaitGroup // what runs in the background
	stopHealing func()         // nil before the store is open
	once        sync.Once
	err         error
}

// Start opens the folder, reads the files, listens and serves. When it fails nothing is left open. ctx bounds the start; to
// end the viewer call Shutdown.
func Start(ctx context.Context, o Options) (*Viewer, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	v := &Viewer{o: o}
	if err := v.start(ctx); err != nil {
		return nil, errors.Join(err, v.Shutdown(context.WithoutCancel(ctx)))
	}
	return v, nil
}

func (v *Viewer) start(ctx context.Context) error {
	v.models = newModels()
	var err error
	if v.store, err = store.Open(v.o.Data, v.models.storeOptions(store.Options{
		MaxBytes: v.o.Retention.Bytes, MaxAge: v.o.Retention.Age, Logger: v.o.Logger,
	})); err != nil {
		return err
	}
	v.intake.store = v.store
	v.drivers = openDrivers(v.o.Data, v.models.runs, v.o.Logger)
	healing, stop := context.WithCancel(context.WithoutCancel(ctx))
	v.stopHealing = stop
	v.serving.Go(func() { heal(healing, v.models.runs, v.store) })
	for _, path := range v.o.Files {
		if _, err := ingest.Load(ctx, path, sink{v.store}); err != nil {
			return err
		}
	}
	if v.o.Listen == "" {
		return v.receive(ctx)
	}
	page, err := ingest.Listen(v.o.Listen)
	if err != nil {
		return err
	}
	v.address = page.Addr()
	if err := errors.Join(v.receive(ctx), v.secure()); err != nil {
		return errors.Join(err, page.Close())
	}
	return v.serve(page)
}

// receive starts to take OTLP, where that is wanted.
func (v *Viewer) receive(ctx context.Context) error {
	if v.o.OTLPHTTP == "" {
		return nil
	}
	listener, err := ingest.Listen(v.o.OTLPHTTP)
	if err != nil {
		return err
	}
	c := ingest.Config{Sink: sink{v.store}, Logger: v.o.Logger, Hosts: hostsOf(v.o.OTLPHTTP)}
	if v.address != nil {
		c.Origins = []string{"http://" + v.address.String()}
	}
	if v.o.OTLPGRPC != "" {
		if c.GRPC, err = ingest.Listen(v.o.OTLPGRPC); err != nil {
			listener.Close()
			return err
		}
	}
	v.receiver, err = ingest.Start(context.WithoutCancel(ctx), listener, c)
	return err
}

// secure decides about the token. Loopback is not private where several people share a machine, so a viewer that can show
// conversations asks for it there too: those of a results file, and those that spans may hold.
func (v *Viewer) secure() (err error) {
	v.token, err = makeToken(v.o.Data)
	return err
}

// serve starts the page.
func (v *Viewer) serve(l net.Listener) (err error) {
	v.handler, err = web.New(v.models.webOptions(web.Options{
		Store: v.store, Results: v.o.Results, ResultsRun: v.o.ResultsRun, Token: v.token, Data: dataFlag(v.o.Data),
		MaxBytes: v.o.Retention.Bytes, MaxAge: v.o.Retention.Age,
		Hosts: hostsOf(v.o.Listen), Version: v.o.Version, Received: v.received, Logger: v.o.Logger,
	}))
	if err != nil {
		l.Close()
		return err
	}
	v.server = &http.Server{Handler: v.handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(v.o.Logger.Handler(), slog.LevelDebug)}
	v.serving.Go(func() { v.server.Serve(l) }) //nolint:errcheck // it ends with Shutdown
	return v.store.SetAddress(v.base())
}

// hostsOf is the name in a listen address, by which the page may be called besides addresses and localhost.
func hostsOf(listen string) []string {
	host, _, err := net.SplitHostPort(listen)
	if err != nil || host == "" {
		return nil
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return nil
	}
	return []string{host}
}

// base is the page's base URL, without the token.
func (v *Viewer) base() string { return "http://" + reachable(v.address) }

// reachable is an address to connect to: for one that means all, that of this host.
func reachable(a net.Addr) string {
	t, ok := a.(*net.TCPAddr)
	if !ok || !t.IP.IsUnspecified() {
		return a.String()
	}
	host, err := os.Hostname()
	if err != nil {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, strconv.Itoa(t.Port))
}

// Sink takes requests into the store, for a receiver of somebody else's.
func (v *Viewer) Sink() ingest.Sink { return &v.intake }

// Progress says how far the run of that nemo.run.id is, which only its driver knows: the page shows it within a second. Call it as
// often as a few times a second. The folder remembers the last word, for whoever looks when the driver is gone.
func (v *Viewer) Progress(run string, p Progress) { v.drivers.tell(run, p) }

// URL is where the page is, with the token that the first visit needs; "" when there is none.
func (v *Viewer) URL() string {
	if v.address == nil {
		return ""
	}
	return v.base() + "/?token=" + url.QueryEscape(v.token)
}

// OTLPEndpoint is where OTLP over HTTP is taken, "" when nothing is received.
func (v *Viewer) OTLPEndpoint() string {
	if v.receiver == nil {
		return ""
	}
	return v.receiver.Endpoint()
}

// OTLPGRPCEndpoint is where OTLP over gRPC is taken, "" for nowhere.
func (v *Viewer) OTLPGRPCEndpoint() string {
	if v.receiver == nil {
		return ""
	}
	return v.receiver.GRPCEndpoint()
}

// received tells the page what came in.
func (v *Viewer) received() web.Received {
	var r web.Received
	i := &v.intake
	r.Requests, r.Spans, r.RefusedSpans = i.requests.Load(), i.spans.Load(), i.rejected.Load()
	r.Metrics, r.Logs = i.metrics.Load(), i.logs.Load()
	if v.receiver == nil {
		return r
	}
	s := v.receiver.Stats()
	r.Requests += s.Requests + s.MetricsRequests + s.LogsRequests
	r.Refused = s.Refused
	r.Spans += s.Spans
	r.RefusedSpans += s.Rejected
	r.Metrics += s.MetricsRequests
	r.Logs += s.LogsRequests
	address := func(endpoint string) string { return strings.TrimPrefix(endpoint, "http://") }
	r.Listening = append(r.Listening, web.Listener{What: "OTLP over HTTP, protobuf and JSON", Address: address(v.OTLPEndpoint())})
	if at := v.OTLPGRPCEndpoint(); at != "" {
		r.Listening = append(r.Listening, web.Listener{What: "OTLP over gRPC", Address: address(at)})
	}
	return r
}

// Shutdown stops receiving, takes what is on its way, ends the page's streams, and seals and closes the folder. It may be
// called more than once.
func (v *Viewer) Shutdown(ctx context.Context) error {
	v.once.Do(func() { v.err = v.shutdown(ctx) })
	return v.err
}

func (v *Viewer) shutdown(ctx context.Context) error {
	var errs []error
	if v.receiver != nil {
		errs = append(errs, v.receiver.Shutdown(ctx))
	}
	if v.handler != nil {
		errs = append(errs, v.handler.Close(ctx))
	}
	if v.server != nil {
		errs = append(errs, v.server.Shutdown(ctx))
	}
	if v.stopHealing != nil {
		v.stopHealing()
	}
	v.serving.Wait()
	if v.store != nil {
		v.models.runs.Settle()
		errs = append(errs, v.store.Close(ctx))
	}
	return errors.Join(errs...)
}
