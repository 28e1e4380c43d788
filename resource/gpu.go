package resource

import (
	"context"
	"os"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/semconv"
)

// visible is the variable that says which GPUs CUDA shows a process, and in which order.
const visible = "CUDA_VISIBLE_DEVICES"

// GPUCount returns host.gpu.count: how many GPUs CUDA_VISIBLE_DEVICES names, by number, UUID or MIG instance, none when it is
// blank; where it is not set, how many nvidia-smi lists. Without that program, and when it fails, there is no attribute.
//
// The program runs in a process group of its own, which is killed when ctx ends, and after five seconds.
func GPUCount(ctx context.Context) []attribute.KeyValue {
	if devices, set := os.LookupEnv(visible); set {
		count := 0
		if strings.TrimSpace(devices) != "" {
			count = strings.Count(devices, ",") + 1
		}
		return []attribute.KeyValue{attribute.Int(semconv.HostGPUCount, count)}
	}
	lines, err := smi(ctx, "--query-gpu=name", "--format=csv,noheader")
	if err != nil || len(lines) == 0 {
		return nil
	}
	return []attribute.KeyValue{attribute.Int(semconv.HostGPUCount, len(lines))}
}

// fields are what nvidia-smi is asked about one GPU. The name comes last: it is what could have a comma. Drivers before branch
// 495 do not know the last but one.
var fields = []struct{ name, key string }{
	{"index", semconv.NVGPUIndex},
	{"uuid", semconv.NVGPUUUID},
	{"serial", semconv.NVGPUSerial},
	{"pci.bus_id", semconv.NVGPUPCIBusID},
	{"memory.total", semconv.NVGPUMemoryTotal},
	{"driver_version", semconv.NVGPUDriverVersion},
	{"compute_cap", semconv.NVGPUComputeCapability},
	{"name", semconv.NVGPUModel},
}

// GPU returns nv.gpu.* of the one GPU that this process works with, which is that at localRank among those that
// CUDA_VISIBLE_DEVICES shows, or that of the host where it is not set. A negative localRank stands for LOCAL_RANK, else
// SLURM_LOCALID, else 0.
//
// No detector asks for it, since only the program knows that it works with one GPU; hand it to the set-up:
//
//	otelopt.WithResourceAttributes(resource.GPU(ctx, -1)...)
//
// The answer is nvidia-smi's, which runs as for [GPUCount]; memory is exact to a MiB. Where the visible device is named by a UUID
// and not by its number, where there is none at that rank, and when the program fails, there is no attribute.
func GPU(ctx context.Context, localRank int) []attribute.KeyValue {
	index, ok := physicalIndex(localRank)
	if !ok {
		return nil
	}
	lines, err := smi(ctx, gpuQuery(index, true)...)
	withCapability := true
	if exitCode(err) == invalidArgument {
		lines, err = smi(ctx, gpuQuery(index, false)...)
		withCapability = false
	}
	if err != nil || len(lines) != 1 {
		return nil
	}
	return gpuOf(lines[0], index, withCapability)
}

// physicalIndex finds the host's number of the GPU that the process counts as localRank.
func physicalIndex(localRank int) (index int64, ok bool) {
	rank := int64(localRank)
	if rank < 0 {
		rank, _ = integer(first("LOCAL_RANK", "SLURM_LOCALID"))
	}
	index = rank
	if devices, set := os.LookupEnv(visible); set {
		list := strings.Split(devices, ",")
		if rank < 0 || rank >= int64(len(list)) {
			return 0, false
		}
		if index, ok = integer(list[rank]); !ok {
			return 0, false
		}
	}
	return index, index >= 0
}

// gpuQuery are the arguments that ask nvidia-smi about one GPU.
func gpuQuery(index int64, capability bool) []string {
	var names []string
	for _, f := range fields {
		if capability || f.key != semconv.NVGPUComputeCapability {
			names = append(names, f.name)
		}
	}
	return []string{
		"--id=" + strconv.FormatInt(index, 10),
		"--query-gpu=" + strings.Join(names, ","),
		"--format=csv,noheader,nounits",
	}
}

// gpuOf reads the answer to gpuQuery. An answer about another GPU, or with too few values, is none.
func gpuOf(line string, index int64, capability bool) []attribute.KeyValue {
	known := len(fields)
	if !capability {
		known--
	}
	values := strings.SplitN(line, ",", known)
	if len(values) != known {
		return nil
	}
	var l list
	for _, f := range fields {
		if f.key == semconv.NVGPUComputeCapability && !capability {
			continue
		}
		value := strings.TrimSpace(values[0])
		values = values[1:]
		if strings.HasPrefix(value, "[") {
			continue // [N/A], [Not Supported]
		}
		switch n, isNumber := integer(value); f.key {
		case semconv.NVGPUIndex:
			if !isNumber || n != index {
				return nil
			}
			l.integer(f.key, value)
		case semconv.NVGPUMemoryTotal:
			const mib = 1 << 20
			if isNumber && n >= 0 && n < 1<<40 {
				l = append(l, attribute.Int64(f.key, n*mib))
			}
		default:
			l.text(f.key, value)
		}
	}
	return l
}
