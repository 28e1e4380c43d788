package repair

import (
	"go.opentelemetry.io/otel/attribute"
	sdklog "go.opentelemetry.io/otel/sdk/log"
)

// Records repairs log records in their place: an exporter owns what it is given.
func Records(records []sdklog.Record) {
	for i := range records {
		repairRecord(&records[i])
	}
}

func repairRecord(r *sdklog.Record) {
	var body, rest fixer
	if v := body.value(r.Body()); body.changed {
		r.SetBody(v)
	}
	r.SetEventName(rest.text(r.EventName()))
	r.SetSeverityText(rest.text(r.SeverityText()))
	var attrs []attribute.KeyValue
	rest.changed = false
	r.WalkAttributes(func(kv attribute.KeyValue) bool {
		attrs = append(attrs, attribute.KeyValue{Key: attribute.Key(rest.text(string(kv.Key))), Value: rest.value(kv.Value)})
		return true
	})
	if rest.changed {
		r.SetAttributes(attrs...)
	}
}
