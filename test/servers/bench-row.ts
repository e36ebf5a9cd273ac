import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { RealServer } from './server.js'

interface Row {
  readonly figure: string
  readonly value: number
}

/** `bench --only vllm` runs: what it prints on a machine without other work is in bench/README.md. */
export function benchRow(server: () => RealServer): void {
  test('the comparison in bench gives all contenders the same prompt, and probe finds no fault in ours', async () => {
    const program = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url))
    const args = [program, '--only', 'vllm', '--smoke', '--json']
    const env = { ...process.env, VLLM_URL: server().url }
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 })
    const rows: readonly Row[] = JSON.parse(stdout).targets[0].rows
    expect(rows.map(({ figure }) => figure)).toContain('alone: whole answer, ours')
    expect(rows.find(({ figure }) => figure === 'scenarios of probe that fail, ours')).toMatchObject({ value: 0 })
  })
}
