package otlp

// Unregister takes a protocol out of the program again, and forgets what was said of it.
func Unregister(protocol string) {
	delete(dialers, protocol)
	saidByPort.Clear()
}
