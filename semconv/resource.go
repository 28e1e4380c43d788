package semconv

// Names of resource attributes: where a process runs, and as which part of a job.
const (
	HostGPUCount = "host.gpu.count" // int

	K8sContainerName = "k8s.container.name"
	K8sJobName       = "k8s.job.name"
	K8sNamespaceName = "k8s.namespace.name"
	K8sNodeName      = "k8s.node.name"
	K8sPodName       = "k8s.pod.name"
	K8sPodUID        = "k8s.pod.uid"

	NVDLGlobalBatchSize  = "nv.dl.training.config.global_batch_size" // int
	NVDLJobUUID          = "nv.dl.job.uuid"                          // of a submitted job: the same after a restart
	NVDLLaunchImage      = "nv.dl.launch.container.image"
	NVDLLocalRank        = "nv.dl.local_rank"                       // int
	NVDLMicroBatchSize   = "nv.dl.training.config.micro_batch_size" // int
	NVDLRank             = "nv.dl.rank"                             // int
	NVDLRunUUID          = "nv.dl.run.uuid"                         // of one attempt of a job
	NVDLSequenceLength   = "nv.dl.training.config.sequence_length"  // int
	NVDLSizeDP           = "nv.dl.topology.size.dp"                 // int: data parallel
	NVDLSizePP           = "nv.dl.topology.size.pp"                 // int: pipeline parallel
	NVDLSizeTP           = "nv.dl.topology.size.tp"                 // int: tensor parallel
	NVDLTargetIterations = "nv.dl.training.target.train_iters"      // int
	NVDLTargetSamples    = "nv.dl.training.target.train_samples"    // int
	NVDLTargetTokens     = "nv.dl.training.target.train_tokens"     // int
	NVDLWorldSize        = "nv.dl.world_size"                       // int

	NVGPUComputeCapability = "nv.gpu.compute_capability" // such as 9.0
	NVGPUDriverVersion     = "nv.gpu.driver_version"
	NVGPUIndex             = "nv.gpu.index"        // int: the host's number of it, not the process's
	NVGPUMemoryTotal       = "nv.gpu.memory_total" // int By
	NVGPUModel             = "nv.gpu.model"
	NVGPUPCIBusID          = "nv.gpu.pci_bus_id"
	NVGPUSerial            = "nv.gpu.serial"
	NVGPUUUID              = "nv.gpu.uuid"

	SLURMArrayCount          = "slurm.array.count" // int
	SLURMArrayJobID          = "slurm.array.job_id"
	SLURMArraySLUID          = "slurm.array.sluid"
	SLURMArrayTaskID         = "slurm.array.task_id"
	SLURMClusterName         = "slurm.cluster.name"
	SLURMHeadNodeName        = "slurm.head_node.name"
	SLURMJobAccount          = "slurm.job.account"
	SLURMJobID               = "slurm.job.id" // <array job>_<task> in an array
	SLURMJobIDRaw            = "slurm.job.id.raw"
	SLURMJobName             = "slurm.job.name"
	SLURMJobQOS              = "slurm.job.qos"
	SLURMJobReservation      = "slurm.job.reservation"
	SLURMJobUser             = "slurm.job.user"
	SLURMNodes               = "slurm.nnodes" // int
	SLURMPartition           = "slurm.partition"
	SLURMRestartCount        = "slurm.restart_count" // int
	SLURMSLUID               = "slurm.sluid"         // unique over all clusters
	SLURMSegment             = "slurm.segment"
	SLURMTasks               = "slurm.ntasks" // int
	SLURMTopologyAddr        = "slurm.topology.addr"
	SLURMTopologyAddrPattern = "slurm.topology.addr_pattern"
)
