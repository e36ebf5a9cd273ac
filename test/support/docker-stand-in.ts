import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A program that takes the place of `docker` and `podman`: it writes its arguments down, has every image but `absent`, and
 * runs Python within bubblewrap, without a bound of its own but that of processes.
 */
const PROGRAM = `#!/bin/sh
for word in "$@"; do [ "$word" = -I ] && break; printf '%s ' "$word"; done >>"$0.calls"
echo >>"$0.calls"
case "$*" in
  image*absent) echo 'Error: No such image: absent' >&2; exit 1 ;;
  image*down) echo 'Cannot connect to the Docker daemon' >&2; exit 1 ;;
  image*|rm*) exit 0 ;;
esac
while [ "$1" != --pids-limit ]; do shift; done
processes=$2
while [ "$1" != -I ]; do shift; done
[ "$(id -u)" = 0 ] && user='setpriv --reuid=65534 --regid=65534 --clear-groups --'
exec $user bwrap --unshare-all --as-pid-1 --die-with-parent --ro-bind / / --proc /proc --dev /dev \\
  prlimit --nproc="$processes" /usr/bin/python3 "$@"
`

export interface StandIn {
  /** The folder with the programs, for PATH. */
  readonly folder: string
  /** The command lines of its calls, without Python's own arguments. */
  calls(name: 'docker' | 'podman'): readonly string[]
  remove(): void
}

export function dockerStandIn(): StandIn {
  const folder = mkdtempSync(join(tmpdir(), 'docker-'))
  for (const name of ['docker', 'podman']) {
    writeFileSync(join(folder, name), PROGRAM)
    chmodSync(join(folder, name), 0o755)
  }
  return {
    folder,
    calls: (name) =>
      readFileSync(join(folder, `${name}.calls`), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.trim()),
    remove: () => rmSync(folder, { recursive: true }),
  }
}
