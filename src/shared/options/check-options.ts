import { didYouMean } from '../did-you-mean.js'
import { check, HarmonyResponsesError } from '../errors.js'

/**
 * Checks the value of an option.
 *
 * @param path - the option's name in messages: `limits.queue`
 * @throws HarmonyResponsesError `bad_option`
 */
export type OptionCheck = (value: unknown, path: string) => void

/**
 * A check for each option of a type. The compiler requires a line for each option of the type, and rejects one for an
 * option that it lacks.
 */
export type OptionTable<Options extends object> = { readonly [Name in keyof Required<Options>]: OptionCheck }

/**
 * Checks options that plain JavaScript may have got wrong, when they are passed and not when they are used. An
 * undefined option counts as unset.
 *
 * @param where - the function that takes the options: `createMemoryStore`
 * @param required - the options that have no default
 * @param within - the name of the option that contains these, for paths
 * @throws HarmonyResponsesError `bad_option`: not an object, an unknown name, or a value that its check rejects
 */
export function checkOptions<Options extends object>(
  where: string,
  options: unknown,
  table: OptionTable<Options>,
  required: readonly (keyof Options & string)[] = [],
  within = '',
): void {
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options)
  check(isObject, within === '' ? `${where}: options` : within, 'an object', options)
  const prefix = within === '' ? '' : `${within}.`
  const checks = table as Readonly<Record<string, OptionCheck>>
  for (const [name, value] of Object.entries(options as object)) {
    if (value === undefined) continue
    const checkValue = Object.hasOwn(checks, name) ? checks[name] : undefined
    if (checkValue === undefined) throw unknownOption(where, `${prefix}${name}`, name, Object.keys(checks), prefix)
    checkValue(value, `${prefix}${name}`)
  }
  for (const name of required) {
    // A missing option fails its own check, whose message states what is expected.
    const value = (options as Readonly<Record<string, unknown>>)[name]
    if (value === undefined) checks[name]?.(value, `${prefix}${name}`)
  }
}

/** Picks a part of a table, for options that mean the same elsewhere. */
export function picked<Table extends object, Name extends keyof Table>(
  table: Table,
  names: readonly Name[],
): Pick<Table, Name> {
  return Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<Table, Name>
}

function unknownOption(
  where: string,
  path: string,
  name: string,
  names: readonly string[],
  prefix: string,
): HarmonyResponsesError {
  const suggestion = didYouMean(name, names, prefix)
  const message = `${where}: there is no option ${JSON.stringify(path.slice(0, 100))}${suggestion}`
  return new HarmonyResponsesError('bad_option', suggestion === '' ? `${message}; it has ${names.join(', ')}` : message)
}
