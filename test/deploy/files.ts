import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { parse as parseArguments } from '../../src/cli/command.js'
import { readConfig } from '../../src/cli/serve/config-file.js'
import { OPTIONS } from '../../src/cli/serve/options.js'
import { serveSettings } from '../../src/cli/serve/read-settings.js'
import type { ServeSettings } from '../../src/cli/serve/settings.js'
import { fakeIo } from '../cli/io.js'
import { root } from '../docs/pages.js'

/** Returns the text of a file in `examples/deploy/`. */
export function deployFile(name: string): string {
  return readFileSync(`${root}examples/deploy/${name}`, 'utf8')
}

/** Returns the value of a YAML file in `examples/deploy/`. @throws if it is no YAML */
// biome-ignore lint/suspicious/noExplicitAny: what a test reads of a file is what it tests
export function deployYaml(name: string): any {
  return parse(deployFile(name), { strict: true, uniqueKeys: true })
}

/**
 * Reads the arguments of `harmony-responses serve` as the command does, without starting it.
 *
 * @param words - the arguments after `serve`
 * @throws UsageError
 */
export async function settingsOf(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ServeSettings> {
  const {
    typed: { config, ...typed },
    operands,
  } = parseArguments(words, OPTIONS)
  const given = config === undefined ? { values: {} } : await readConfig(config, fakeIo({ [config]: configFile() }))
  return serveSettings({ ...given.values, ...typed }, operands, env)
}

const configFile = (): string => deployFile('serve.json')

/** Why a checker's test is skipped, at the end of its title; undefined if the program, or its subcommand, is here. */
export function skipReason(program: string, ...subcommand: readonly string[]): string | undefined {
  const words = subcommand.length === 0 ? ['--version'] : [...subcommand, 'version']
  if (spawnSync(program, words).status === 0) return undefined
  return ` (skipped: ${[program, ...subcommand].join(' ')} is not installed)`
}
