import type { PythonBoundary } from '../../endpoint/tools/python/index.js'
import { HarmonyResponsesError } from '../../shared/errors.js'
import { UsageError } from '../io.js'
import type { HostedTool } from './hosted-tool.js'
import type { ServeSettings } from './settings.js'

type PythonSettings = Pick<ServeSettings, 'python' | 'pythonImage' | 'pythonNetwork'>

/** The image without `--python-image`, as each program finds it. */
const IMAGES = { docker: 'python:3.13-slim', podman: 'docker.io/library/python:3.13-slim' } as const

/** Opens the Python of `--python`, within a boundary that works here. @throws UsageError if there is none */
export async function openPython(settings: PythonSettings): Promise<HostedTool | undefined> {
  const { python, pythonImage: image, pythonNetwork: network } = settings
  if (python === undefined) return undefined
  if (python === 'bwrap' && image !== undefined)
    throw new UsageError('--python-image: expected only with --python docker, podman or auto')
  const { bubblewrap, createPythonTool, docker, podman } = await import('../../endpoint/tools/python/index.js')
  const boundaries: { readonly [name in 'bwrap' | 'docker' | 'podman']: () => PythonBoundary } = {
    bwrap: () => bubblewrap(),
    docker: () => docker({ image: image ?? IMAGES.docker }),
    podman: () => podman({ image: image ?? IMAGES.podman }),
  }
  // An image is for the programs that have images.
  const tried = python !== 'auto' ? [python] : image === undefined ? ALL : ALL.slice(1)
  const refused: string[] = []
  for (const name of tried) {
    try {
      const tool = await createPythonTool({ boundary: boundaries[name](), network })
      const shared = network ? ', with a network' : ', without a network'
      const about = [`code_interpreter: Python by ${name}${shared}; a session has ${tool.about}`]
      const declaration = { type: 'code_interpreter', container: { type: 'auto' } } as const
      return { tool, declaration, about, close: () => tool.close() }
    } catch (error) {
      if (!(error instanceof HarmonyResponsesError)) throw error
      refused.push(error.message)
    }
  }
  throw new UsageError(`--python ${python}: ${refused.join('; ')}`)
}

const ALL = ['bwrap', 'docker', 'podman'] as const
