import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { RealServer } from './server.js'

/** `bench --only vllm` runs, without `probe`: what it prints on a machine without other work is in bench/README.md. */
export function benchRow(server: () => RealServer): void {
  test('the comparison in bench gives all contenders the same prompt', async () => {
    const program = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url))
    const args = [program, '--only', 'vllm', '--smoke', '--json']
    const env = { ...process.env, VLLM_URL: server().url }
    const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 })
    // It fails if a prompt is another one.
    const rows: readonly { readonly figure: string }[] = JSON.parse(stdout).targets[0].rows
    expect(rows.map(({ figure }) => figure)).toContain('alone: whole answer, ours')
  })
}
