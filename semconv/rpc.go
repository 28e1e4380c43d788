// Code generated from semconv/conventions.yaml by go generate ./semconv. DO NOT EDIT.

package semconv

// Attributes of RPC spans, beside those that they share with HTTP.
const (
	// RPCSystemName: string, stable. The system.
	RPCSystemName = "rpc.system.name"

	// RPCMethod: string, stable. The method with its service.
	RPCMethod = "rpc.method"

	// RPCMethodOriginal: string, stable. What the client asked for, where the server does not have it.
	RPCMethodOriginal = "rpc.method_original"

	// RPCResponseStatusCode: string, stable. The name of the code.
	RPCResponseStatusCode = "rpc.response.status_code"

	// NetworkPeerAddress: string, stable. Who was at the other end of the connection.
	NetworkPeerAddress = "network.peer.address"

	// NetworkPeerPort: int, stable. Its port.
	NetworkPeerPort = "network.peer.port"
)

// Values of the attributes above.
const (
	// RPCSystemGRPC is a value of rpc.system.name. gRPC.
	RPCSystemGRPC = "grpc"
)
