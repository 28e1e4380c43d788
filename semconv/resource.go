// Code generated from semconv/conventions.yaml by go generate ./semconv. DO NOT EDIT.

package semconv

// GPUs.
const (
	// HostGPUCount: int, development. GPUs that the process may use.
	HostGPUCount = "host.gpu.count"
)

// Kubernetes.
const (
	// K8sContainerName: string, stable. The container.
	K8sContainerName = "k8s.container.name"

	// K8sJobName: string, stable. The job.
	K8sJobName = "k8s.job.name"

	// K8sNamespaceName: string, stable. The namespace.
	K8sNamespaceName = "k8s.namespace.name"

	// K8sNodeName: string, stable. The node.
	K8sNodeName = "k8s.node.name"

	// K8sPodName: string, stable. The pod.
	K8sPodName = "k8s.pod.name"

	// K8sPodUID: string, stable. The pod's UID.
	K8sPodUID = "k8s.pod.uid"
)

// The part of a process in a training. They come from the program or from OTEL_RESOURCE_ATTRIBUTES.
const (
	// NVDLGlobalBatchSize: int, development. Samples of a step.
	NVDLGlobalBatchSize = "nv.dl.training.config.global_batch_size"

	// NVDLJobUUID: string, development. A submitted job: the same after a restart.
	NVDLJobUUID = "nv.dl.job.uuid"

	// NVDLLaunchImage: string, development. The image of the container.
	NVDLLaunchImage = "nv.dl.launch.container.image"

	// NVDLLocalRank: int, development. The rank on its host.
	NVDLLocalRank = "nv.dl.local_rank"

	// NVDLMicroBatchSize: int, development. Samples of a forward pass.
	NVDLMicroBatchSize = "nv.dl.training.config.micro_batch_size"

	// NVDLRank: int, development. The rank.
	NVDLRank = "nv.dl.rank"

	// NVDLRunUUID: string, development. One attempt of a job: another one after a restart.
	NVDLRunUUID = "nv.dl.run.uuid"

	// NVDLSequenceLength: int, development. Tokens of a sample.
	NVDLSequenceLength = "nv.dl.training.config.sequence_length"

	// NVDLSizeDP: int, development. Size of the data parallel group.
	NVDLSizeDP = "nv.dl.topology.size.dp"

	// NVDLSizePP: int, development. Size of the pipeline parallel group.
	NVDLSizePP = "nv.dl.topology.size.pp"

	// NVDLSizeTP: int, development. Size of the tensor parallel group.
	NVDLSizeTP = "nv.dl.topology.size.tp"

	// NVDLTargetIterations: int, development. Iterations to train for.
	NVDLTargetIterations = "nv.dl.training.target.train_iters"

	// NVDLTargetSamples: int, development. Samples to train for.
	NVDLTargetSamples = "nv.dl.training.target.train_samples"

	// NVDLTargetTokens: int, development. Tokens to train for.
	NVDLTargetTokens = "nv.dl.training.target.train_tokens"

	// NVDLWorldSize: int, development. How many ranks there are.
	NVDLWorldSize = "nv.dl.world_size"
)

// The GPU of a process that has one.
const (
	// NVGPUComputeCapability: string, development. What it can compute.
	NVGPUComputeCapability = "nv.gpu.compute_capability"

	// NVGPUDriverVersion: string, development. The driver.
	NVGPUDriverVersion = "nv.gpu.driver_version"

	// NVGPUIndex: int, development. The host's number of it, not the process's.
	NVGPUIndex = "nv.gpu.index"

	// NVGPUMemoryTotal: int, development. Bytes of its memory.
	NVGPUMemoryTotal = "nv.gpu.memory_total"

	// NVGPUModel: string, development. The model.
	NVGPUModel = "nv.gpu.model"

	// NVGPUPCIBusID: string, development. Where it is on the bus.
	NVGPUPCIBusID = "nv.gpu.pci_bus_id"

	// NVGPUSerial: string, development. The serial number.
	NVGPUSerial = "nv.gpu.serial"

	// NVGPUUUID: string, development. The UUID.
	NVGPUUUID = "nv.gpu.uuid"
)

// The job of Slurm.
const (
	// SLURMArrayCount: int, development. Tasks of the array, 1 without one.
	SLURMArrayCount = "slurm.array.count"

	// SLURMArrayJobID: string, development. The array, the job without one.
	SLURMArrayJobID = "slurm.array.job_id"

	// SLURMArraySLUID: string, development. The array's id that is unique over all clusters.
	SLURMArraySLUID = "slurm.array.sluid"

	// SLURMArrayTaskID: string, development. The task of the array, 0 without one.
	SLURMArrayTaskID = "slurm.array.task_id"

	// SLURMClusterName: string, development. The cluster.
	SLURMClusterName = "slurm.cluster.name"

	// SLURMHeadNodeName: string, development. The first node of the job.
	SLURMHeadNodeName = "slurm.head_node.name"

	// SLURMJobAccount: string, development. The account.
	SLURMJobAccount = "slurm.job.account"

	// SLURMJobID: string, development. The job, <array job>_<task> in an array.
	SLURMJobID = "slurm.job.id"

	// SLURMJobIDRaw: string, development. The job, in an array too.
	SLURMJobIDRaw = "slurm.job.id.raw"

	// SLURMJobName: string, development. The job's name.
	SLURMJobName = "slurm.job.name"

	// SLURMJobQOS: string, development. The quality of service.
	SLURMJobQOS = "slurm.job.qos"

	// SLURMJobReservation: string, development. The reservation.
	SLURMJobReservation = "slurm.job.reservation"

	// SLURMJobUser: string, development. Whose job it is.
	SLURMJobUser = "slurm.job.user"

	// SLURMNodes: int, development. Nodes of the job.
	SLURMNodes = "slurm.nnodes"

	// SLURMPartition: string, development. The partition.
	SLURMPartition = "slurm.partition"

	// SLURMRestartCount: int, development. How often the job was started again.
	SLURMRestartCount = "slurm.restart_count"

	// SLURMSLUID: string, development. The job's id that is unique over all clusters.
	SLURMSLUID = "slurm.sluid"

	// SLURMSegment: string, development. Nodes of a segment of the job.
	SLURMSegment = "slurm.segment"

	// SLURMTasks: int, development. Tasks of the job.
	SLURMTasks = "slurm.ntasks"

	// SLURMTopologyAddr: string, development. Where the node is in the network.
	SLURMTopologyAddr = "slurm.topology.addr"

	// SLURMTopologyAddrPattern: string, development. What the parts of that are.
	SLURMTopologyAddrPattern = "slurm.topology.addr_pattern"
)
