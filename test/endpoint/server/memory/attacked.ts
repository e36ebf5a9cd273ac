import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { MemoryUse } from '../../../../src/endpoint/flow/byte-budget.js'

/** The server's figures. All but `memory` are in bytes. */
export interface Held {
  readonly rss: number
  /** The most that it has ever had. */
  readonly peak: number
  readonly memory: MemoryUse
}

/** A server in a process of its own. */
export interface AttackedServer {
  readonly url: string
  readonly port: number
  /** Whether the process lives. */
  readonly isAlive: boolean
  /** Its memory after a collection. */
  held(): Promise<Held>
  kill(): Promise<void>
}

export interface AttackedProgram {
  /**
   * @param heapMegabytes - the limit of its heap
   * @param memoryBytes - `limits.memoryBytes`
   * @param port - default: one that is free
   */
  start(heapMegabytes: number, memoryBytes?: number, port?: number): Promise<AttackedServer>
  remove(): void
}

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** Builds `attacked-server.ts` into a folder of its own. */
export async function attackedProgram(): Promise<AttackedProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'attacked-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  await build({
    entryPoints: [join(root, 'test/endpoint/server/memory/attacked-server.ts')],
    outfile: join(folder, 'server.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    packages: 'external',
    logLevel: 'silent',
    tsconfigRaw: '{}',
  })
  return {
    start: (heapMegabytes, ...given) => start(join(folder, 'server.mjs'), heapMegabytes, ...given),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function start(file: string, heapMegabytes: number, memoryBytes = 0, port = 0): Promise<AttackedServer> {
  const flags = [`--max-old-space-size=${heapMegabytes}`, '--expose-gc']
  const child: ChildProcess = spawn(process.execPath, [...flags, file, String(memoryBytes), String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('the process has no streams')
  const gone = new Promise<never>((_, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`the server is gone: ${signal ?? code}`)))
  })
  gone.catch(() => {})
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  const line = async (): Promise<never> => {
    const { value } = await Promise.race([lines.next(), gone])
    return JSON.parse(value as string) as never
  }
  const { url } = (await line()) as { readonly url: string }
  return {
    url,
    port: Number(new URL(url).port),
    get isAlive() {
      return child.exitCode === null && child.signalCode === null
    },
    async held() {
      stdin.write('\n')
      return await line()
    },
    async kill() {
      child.kill('SIGKILL')
      await gone.catch(() => {})
    },
  }
}
