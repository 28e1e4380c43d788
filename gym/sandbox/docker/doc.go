// Package docker is the sandbox provider that makes containers with the docker command, or one that takes the same arguments
// (podman). The engine is wherever that command finds it.
//
// A sandbox is a container that sleeps; commands are run in it by docker exec. Its name is nemo-gym-<hex>, and it has the
// label nemo-gym.sandbox=1 beside those of the spec's metadata, so that what a killed program left behind can be found:
//
//	docker rm -f $(docker ps -aq --filter label=nemo-gym.sandbox=1)
//
// A spec needs an image. Containers have the network that the engine gives them, which reaches the world and, by way of the
// host's addresses, servers on the host that listen on more than loopback; the option network: none takes it away.
//
// When the time of a command is over, the docker command is killed; the process in the container may go on until the sandbox
// is stopped, as it does in NeMo Gym. Values of environments stand in the docker command's arguments, which other users of
// the machine may be able to read; they are masked in errors.
package docker
