// Package query is the filter line of the viewer: what a person types to say which runs, rollouts or traces they mean.
//
//	q, err := query.Parse(`reward<0.5 env:multi_step dur:5s..8s -outcome:failed "connection reset"`, query.Options{})
//	if err != nil {
//		// *query.Error: where, why, and the nearest name
//	}
//	for _, row := range rows {
//		if q.Match(row) { ... }
//	}
//
// # Grammar
//
//	query = { [ "-" ] term }                 blank = and; a leading "-" negates
//	term  = field op value | text            text or "quoted text" searches names, attributes, messages
//	op    = ":" | "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"
//	value = word | "quoted" | number [unit] | value "," value | number ".." number       "," = or
//	unit  = ns us ms s m h d | k M | B kB MB GB | %
//
// Fields are those of [Fields], and any attribute key with a dot in it (http.route:/verify), or that [Options.Attribute] knows.
//
// # What matches
//
//   - Text fields: ":" finds the value anywhere, whatever its case (env:step finds multi_step); "=" and "!=" compare the whole,
//     case and all; "~" is an RE2 expression that matches anywhere.
//   - Number fields: ":" and "=" mean equal; ranges include both ends. Durations are in seconds unless the unit says otherwise; a
//     unit behind a range holds for both ends.
//   - since:2h keeps what began in the last two hours, since:2026-11-30 what began from that day on (UTC), and
//     since:2026-11-30T14:00:00Z what began from that instant on.
//   - error:true means error>0.
//   - Attributes are compared as text, or as numbers when both sides are numbers. "<" and ">" need numbers.
//   - A value that is not there equals nothing: reward<0.5 leaves out what has no reward, -reward<0.5 and reward!=1 keep it.
//   - In quotes, \" is a quote and \\ a backslash. A true minus sign is read as "-".
//
// # Guarantees
//
// A parsed [Query] is immutable and safe for concurrent use. Its zero value matches everything. Matching allocates nothing, apart
// from what folding the case of letters outside ASCII takes. Time is linear in the text that is searched. [Parse] never panics and
// bounds what it accepts.
package query
