package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensionauth"
)

// tokenConfig says which requests are taken.
type tokenConfig struct {
	Bearer string `mapstructure:"bearer"`
}

// Validate is asked by the Collector when it has read its configuration.
func (c *tokenConfig) Validate() error {
	if c.Bearer == "" {
		return errors.New("bearer is missing: the token of those who may send")
	}
	return nil
}

// newToken is the extension token, an authenticator for receivers.
func newToken() extension.Factory {
	return extension.NewFactory(component.MustNewType("token"), func() component.Config { return &tokenConfig{} },
		func(_ context.Context, _ extension.Settings, c component.Config) (extension.Extension, error) {
			return tokenServer{bearer: c.(*tokenConfig).Bearer}, nil
		}, component.StabilityLevelDevelopment)
}

type tokenServer struct {
	component.StartFunc
	component.ShutdownFunc
	bearer string
}

var _ extensionauth.Server = tokenServer{}

// Authenticate looks for the token in the headers of a request, whose names HTTP and gRPC spell differently.
func (s tokenServer) Authenticate(ctx context.Context, headers map[string][]string) (context.Context, error) {
	for name, values := range headers {
		if strings.EqualFold(name, "authorization") && slices.Contains(values, "Bearer "+s.bearer) {
			return ctx, nil
		}
	}
	return ctx, errors.New("no such token")
}
