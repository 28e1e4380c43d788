package resource

import (
	"os"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/semconv"
)

// secrets is where Kubernetes mounts what a pod may know of its cluster.
const secrets = "/var/run/secrets/kubernetes.io"

// Kubernetes returns k8s.* of the pod that this process runs in, from the variables K8S_NAMESPACE, K8S_POD_NAME, K8S_POD_UID,
// K8S_NODE_NAME, K8S_CONTAINER_NAME and K8S_JOB_NAME, which a manifest fills by the downward API. Outside of a cluster, which
// has neither KUBERNETES_SERVICE_HOST nor mounted secrets, it is nothing.
//
// Without K8S_POD_NAME the pod's name is HOSTNAME. That is a guess: it is cut at 63 bytes, and with hostNetwork it is the node.
func Kubernetes() []attribute.KeyValue { return kubernetes(secrets) }

func kubernetes(secrets string) []attribute.KeyValue {
	if _, err := os.Stat(secrets); err != nil && os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
		return nil
	}
	var l list
	l.text(semconv.K8sNamespaceName, os.Getenv("K8S_NAMESPACE"))
	l.text(semconv.K8sPodName, first("K8S_POD_NAME", "HOSTNAME"))
	l.text(semconv.K8sPodUID, os.Getenv("K8S_POD_UID"))
	l.text(semconv.K8sNodeName, os.Getenv("K8S_NODE_NAME"))
	l.text(semconv.K8sContainerName, os.Getenv("K8S_CONTAINER_NAME"))
	l.text(semconv.K8sJobName, os.Getenv("K8S_JOB_NAME"))
	return l
}
