#!/bin/bash
# Runs a command beside a Slurm cluster of one node, this machine, that lives as long as the command does.
#
#     sudo apt-get install slurm-wlm
#     experiments/one_node_slurm.sh python experiments/ipc.py --all --environment slurm …
#
# Everything of the cluster is in a folder of its own, which is removed in the end: configuration, keys, sockets, logs.
# Jobs that the command leaves in the queue are waited for.
set -euo pipefail
PATH=$PATH:/usr/sbin

for program in munged slurmctld slurmd sbatch; do
  command -v "$program" > /dev/null || { echo "error: no $program; on Debian: apt-get install slurm-wlm" >&2; exit 36; }
done

folder=$(mktemp -d)
processes=()
stop() {
  status=$?
  scancel --quiet --partition=all 2> /dev/null || true
  for _ in $(seq 100); do [ -z "$(squeue --noheader 2> /dev/null)" ] && break; sleep 0.1; done
  for pid in "${processes[@]}"; do kill "$pid" 2> /dev/null || true; done
  wait "${processes[@]}" 2> /dev/null || true
  if [ $status -ne 0 ]; then tail -n 5 "$folder"/*.log >&2 || true; fi
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

host=$(hostname -s)
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'; }
cat > "$folder/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthInfo=socket=$folder/munge.socket
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
ReturnToService=2
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$(free -m | awk '/^Mem:/ { print $2 }')
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
mkdir "$folder/state" "$folder/spool"
(umask 077; head -c 1024 /dev/urandom > "$folder/munge.key")
export SLURM_CONF=$folder/slurm.conf

munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munge.pid" --log-file="$folder/munge.log" --seed-file="$folder/munge.seed" &> "$folder/start.log" &
processes+=($!)
until [ -S "$folder/munge.socket" ]; do sleep 0.1; kill -0 "${processes[0]}"; done
slurmctld -D &> "$folder/slurmctld.out.log" &
processes+=($!)
slurmd -D &> "$folder/slurmd.out.log" &
processes+=($!)
for _ in $(seq 300); do
  sinfo --noheader --format=%T 2> /dev/null | grep -q idle && break
  for pid in "${processes[@]}"; do kill -0 "$pid"; done
  sleep 0.1
done
sinfo --noheader --format="Slurm cluster of %D node, %c cores, %t"

"$@"
while [ -n "$(squeue --noheader)" ]; do sleep 0.2; done
