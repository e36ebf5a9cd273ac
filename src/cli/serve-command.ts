import { type Command, parse } from './command.js'
import type { ConfigValues } from './serve/config-file.js'
import { ENGINES } from './serve/engines/index.js'
import { OPTIONS, type ServeValues } from './serve/options.js'

export const serve: Command = {
  name: 'serve',
  summary: 'serves the Responses API in front of an engine',
  help: [
    `One of ${Object.keys(ENGINES)
      .map((name) => `--${name}`)
      .join(', ')} is the engine.`,
    `HARMONY_RESPONSES_OPERATOR_KEY is your own key, which opens /metrics. Each variable with a key may be NAME_FILE instead, the
path of a file that has it. SIGHUP reads files of keys again, while it serves.

It prints example requests, and logs each request in a line on standard error. docs/serve.md has more.

Exit codes: 0 stopped by SIGINT or SIGTERM, 2 wrong usage, or it cannot listen; 130 stopped twice.`,
  ],
  options: OPTIONS,
  async run(args, io) {
    const {
      typed: { config, ...typed },
      operands,
    } = parse(args, OPTIONS)
    // Checked first, so that wrong usage is refused before the server is loaded.
    const { serveSettings } = await import('./serve/read-settings.js')
    const given =
      config === undefined ? undefined : await (await import('./serve/config-file.js')).readConfig(config, io)
    const [values, others] = merged(given, typed, operands)
    const settings = serveSettings(values, others, io.env)
    if (settings.workers !== undefined) {
      const { serveByWorkers } = await import('./serve/workers/serve-by-workers.js')
      return serveByWorkers(settings, { ...values, config }, io)
    }
    const { serve } = await import('./serve/serve.js')
    return serve(settings, io)
  },
}

/**
 * Merges a configuration with the command line, which takes precedence option by option: a typed `--mcp` replaces the
 * file's. A typed engine replaces the file's, since `serve` has only one.
 */
function merged(
  config: ConfigValues | undefined,
  typed: ServeValues,
  operands: readonly string[],
): [values: ServeValues, operands: readonly string[]] {
  if (config === undefined) return [typed, operands]
  const isTyped = Object.entries(typed).some(([name, value]) => isEngine(name) && value !== undefined)
  const known = Object.entries(config.values).filter(([name]) => !(isTyped && isEngine(name)))
  const given = Object.entries(typed).filter(([, value]) => value !== undefined)
  return [Object.fromEntries([...known, ...given]), isTyped ? operands : [...config.operands, ...operands]]
}

const isEngine = (name: string): boolean => Object.hasOwn(ENGINES, name)
