import * as path from 'node:path'

/** The rules of paths: those of `node:path`, `win32` or `posix`. */
export type PathRules = Pick<typeof path, 'sep' | 'relative' | 'isAbsolute'>

/** Returns the path of a file in a folder, which may be written with separators at its end. */
export function inFolder(folder: string, name: string, { sep }: PathRules = path): string {
  return `${folder.replace(sep === '\\' ? /[\\/]+$/ : /\/+$/, '')}/${name}`
}

/** Returns the name of a file by its way from a folder, with `/` on every system. */
export function nameWithin(folder: string, inner: string, { sep, relative }: PathRules = path): string {
  return relative(folder, inner).replaceAll(sep, '/')
}

/** Whether a path leads into a folder. Both are real and absolute. */
export function isWithin(folder: string, inner: string, { sep, relative, isAbsolute }: PathRules = path): boolean {
  const way = relative(folder, inner)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
