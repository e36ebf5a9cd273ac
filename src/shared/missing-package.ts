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
