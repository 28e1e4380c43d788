// Package export writes what a store holds for other tools: OTLP for collectors and programs, the Trace Event Format for Perfetto and
// Chrome, CSV for spreadsheets, DuckDB and pandas.
//
//	file, err := export.Create("spans.csv.zst", false)
//	done, err := export.Write(ctx, file, export.Source{Store: s}, export.Options{Format: export.CSV})
//	if err != nil {
//		file.Abort()
//		return err
//	}
//	err = file.Commit()
//
// # What is written
//
// [Options] choose traces: all, some by id, those of a run, those that a filter of the page finds, the newest. A trace is written
// whole, whichever of its spans the filter was about. A span that came more than once with equal content is written once
// and counted in [Done]; spans with one id and different content are all written. Nothing is corrected: clocks that differ stay so.
//
//   - [OTLPJSON] is a request a line, as the file exporter of the OpenTelemetry Collector writes and its file receiver reads: ids in
//     hexadecimal, enums as numbers, integers as strings. Loaded into another store it gives the same spans. A trace is a line; one
//     of more than a megabyte or so is several. Text that is no UTF-8 has U+FFFD for its bad bytes, and fields that OTLP did not
//     have when this program was built are lost: JSON has no place for them.
//   - [OTLPProto] is the bytes as they came, put together by trace, as one ExportTraceServiceRequest.
//   - [Chrome] has a process for each service and as many threads as spans overlap. A span is drawn inside its parent
//     where both are of one service and the child ends first, and never inside a stranger. Arrows lead from callers to what they call
//     in other services, and from a span to those that are linked to it. An arrow that would go back in time, because
//     clocks differ, is left out and counted.
//   - [CSV] is a table: of spans, of rollouts or of traces. Columns are never renamed; new ones stand at the end. A cell is empty where the
//     value is unknown. Durations are nanoseconds. Cells that begin with =, +, - or @ are written as they are:
//     a number below zero must stay one, and whoever opens text from outside in a spreadsheet has to import it as text.
//
// Metrics and logs can be written as OTLP, as they came: a run chooses by resource, and traces choose the log records that name them.
//
// # Guarantees
//
// Memory does not grow with the spans of the store: one trace is held at a time, see [store.Store.EachTrace]. A filter, a run or a
// limit needs the model of the runs ([Options.NeedsRuns]), which holds a row for each trace and rollout.
//
// [Write] shows the store at the time of its call, and is consistent while a viewer writes to the folder: what comes later is not in the
// output. What retention removes meanwhile is missing from it and counted. It may be called by several goroutines at a time, for one source
// too. It stops when its context ends; a [File] that was not committed leaves nothing behind.
package export
