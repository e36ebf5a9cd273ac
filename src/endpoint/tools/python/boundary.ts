/** What a session of Python may use. */
export interface PythonLimits {
  /** The maximum memory in bytes. */
  readonly memoryBytes: number
  /** The maximum number of processes and threads. */
  readonly maxProcesses: number
  /** The maximum number of files that a process may have open. */
  readonly maxOpenFiles: number
  /** The maximum size of all files in `/mnt/data` together, in bytes. */
  readonly diskBytes: number
  /** Whether it has a network. */
  readonly network: boolean
}

/** A boundary that works on this machine. */
export interface OpenBoundary {
  /**
   * Returns the command line that runs Python in it with these arguments. Its standard input and output are ours.
   *
   * @param name - of the session, unique on this machine
   */
  command(name: string, args: readonly string[]): readonly string[]
  /** Returns the command line that ends a session. Absent if ending the first one's process is enough. */
  end?(name: string): readonly string[]
  /** What bounds memory and processes, for the operator: `1024 MiB by Docker`. */
  readonly about: string
}

/** What separates Python from this machine: `bubblewrap()`, `docker({ image })`, `podman({ image })`. */
export interface PythonBoundary {
  /** The name of its program. */
  readonly name: string
  /**
   * Finds out whether it works here, and how.
   *
   * @throws HarmonyResponsesError `bad_option` if it does not; the message says what to install
   */
  open(limits: PythonLimits): Promise<OpenBoundary>
}

/** The size of what is in `/tmp`, and of what is in `/dev/shm`, in bytes. */
export const SCRATCH_BYTES = 67_108_864

/** The variables that a session has, and no others. */
export const VARIABLES = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/mnt/data',
  LANG: 'C.UTF-8',
  // Figures become images.
  MPLBACKEND: 'agg',
  // Each thread counts as a process, and takes address space.
  OPENBLAS_NUM_THREADS: '1',
} as const

/** Returns a size for the operator. */
export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 1_048_576)} MiB`
}
