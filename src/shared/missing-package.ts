import { HarmonyResponsesError } from './errors.js'

/** Whether an import failed because a package is not installed. */
export function isMissing(error: unknown, name: string): boolean {
  // By its message, because runtimes and bundlers share no code: "Cannot find package", "Could not resolve".
  const { message } = Object(error) as { message?: unknown }
  return typeof message === 'string' && /find|resolve/i.test(message) && message.includes(name)
}

/** Says that a package is not installed, and how to install it, in one line. */
export function notInstalled(name: string, major: number): string {
  return `${name} is not installed: npm install ${name}@${major}`
}

/**
 * Imports a package that only one feature needs. By a name that bundlers do not see, so that they leave it alone.
 *
 * @param where - the function that needs it: `mcpTools`
 * @param major - its version
 * @param path - of a module in it: `/stdio`
 * @throws HarmonyResponsesError `bad_option` if it is not installed
 */
export async function loadPackage<Module>(where: string, name: string, major: number, path = ''): Promise<Module> {
  try {
    return (await import(/* webpackIgnore: true */ /* @vite-ignore */ `${name}${path}`)) as Module
  } catch (error) {
    if (!isMissing(error, name)) throw error
    throw new HarmonyResponsesError('bad_option', `${where}: ${notInstalled(name, major)}`, { cause: error })
  }
}
