package semconv

// Attributes of RPC spans (OpenTelemetry RPC conventions, stable from v1.45 on), beside those that they share with HTTP.
const (
	RPCSystemName         = "rpc.system.name"          // string: RPCSystemGRPC
	RPCMethod             = "rpc.method"               // string: "package.Service/Method", or OtherMethod
	RPCMethodOriginal     = "rpc.method_original"      // string, where RPCMethod is OtherMethod: what the client asked for
	RPCResponseStatusCode = "rpc.response.status_code" // string: the name of the code, "OK", "DEADLINE_EXCEEDED"
	NetworkPeerAddress    = "network.peer.address"     // string: who was at the other end of the connection
	NetworkPeerPort       = "network.peer.port"        // int
)

// RPCSystemGRPC is the value of [RPCSystemName] for gRPC.
const RPCSystemGRPC = "grpc"
