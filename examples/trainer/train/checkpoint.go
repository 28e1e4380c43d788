package train

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/lensgo/lens/examples/trainer/train/telemetry"
)

// Save writes the model to a file. The file is whole or not there.
func (m *Model) Save(ctx context.Context, path string) (err error) {
	_, span := telemetry.Checkpoint.Start(ctx, "trainer.checkpoint.save")
	defer span.EndErr(&err)
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("cannot write the model to %s: %w", path, err)
	}
	span.Int("bytes", len(text))
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return fmt.Errorf("cannot write the model: %w", err)
	}
	return os.Rename(path+".new", path)
}

// Load reads a model that [Model.Save] wrote.
func Load(ctx context.Context, path string) (_ *Model, err error) {
	_, span := telemetry.Checkpoint.Start(ctx, "trainer.checkpoint.load")
	defer span.EndErr(&err)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the model: %w", err)
	}
	m := &Model{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("cannot read the model from %s: %w", path, err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("cannot read the model from %s: %w", path, err)
	}
	m.connect()
	return m, nil
}
