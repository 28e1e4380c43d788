package protospan

import "google.golang.org/protobuf/encoding/protowire"

// Numbers of the fields of a Span.
const (
	fieldTraceID           protowire.Number = 1
	fieldSpanID            protowire.Number = 2
	fieldTraceState        protowire.Number = 3
	fieldParent            protowire.Number = 4
	fieldName              protowire.Number = 5
	fieldKind              protowire.Number = 6
	fieldStart             protowire.Number = 7
	fieldEnd               protowire.Number = 8
	fieldAttributes        protowire.Number = 9
	fieldDroppedAttributes protowire.Number = 10
	fieldEvents            protowire.Number = 11
	fieldDroppedEvents     protowire.Number = 12
	fieldLinks             protowire.Number = 13
	fieldDroppedLinks      protowire.Number = 14
	fieldStatus            protowire.Number = 15
	fieldFlags             protowire.Number = 16
)

// Of an Event, a Link and a Status.
const (
	fieldEventTime       protowire.Number = 1
	fieldEventName       protowire.Number = 2
	fieldEventAttributes protowire.Number = 3
	fieldEventDropped    protowire.Number = 4

	fieldLinkTrace      protowire.Number = 1
	fieldLinkSpan       protowire.Number = 2
	fieldLinkAttributes protowire.Number = 4
	fieldLinkDropped    protowire.Number = 5
	fieldLinkFlags      protowire.Number = 6

	fieldMessage protowire.Number = 2
	fieldCode    protowire.Number = 3
)

// Of a KeyValue, an AnyValue and the lists in one.
const (
	fieldKey   protowire.Number = 1
	fieldValue protowire.Number = 2

	fieldString protowire.Number = 1
	fieldBool   protowire.Number = 2
	fieldInt    protowire.Number = 3
	fieldDouble protowire.Number = 4
	fieldArray  protowire.Number = 5
	fieldMap    protowire.Number = 6
	fieldBytes  protowire.Number = 7

	fieldElement protowire.Number = 1
)

// Of what is around spans: a request, ResourceSpans, a Resource, ScopeSpans, an InstrumentationScope; and of our own message
// with the two that have spans.
const (
	fieldResourceSpans protowire.Number = 1

	fieldResource       protowire.Number = 1
	fieldScopeSpans     protowire.Number = 2
	fieldResourceSchema protowire.Number = 3

	fieldResourceAttributes protowire.Number = 1

	fieldScope       protowire.Number = 1
	fieldSpans       protowire.Number = 2
	fieldScopeSchema protowire.Number = 3

	fieldScopeName       protowire.Number = 1
	fieldScopeVersion    protowire.Number = 2
	fieldScopeAttributes protowire.Number = 3

	fieldOriginResource protowire.Number = 1
	fieldOriginScope    protowire.Number = 2
)
