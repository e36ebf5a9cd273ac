import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)

/** The settings of this project, without declarations: tests do not need them, and they take the longest. */
export const SETTINGS: ts.CompilerOptions = {
  // Its settings alone: no program here is of all files that it names, and finding those takes long.
  ...ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, root).options,
  declaration: false,
  isolatedDeclarations: false,
}

/** The syntax tree of a text, with parents. Documentation stays a comment: reading it takes longer than all else. */
export function syntaxOf(path: string, text: string): ts.SourceFile {
  const options = { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }
  return ts.createSourceFile(path, text, options, true)
}

/** Files as they are on the disk. Reading and parsing the libraries takes longer than most checks, so once is enough. */
const parsed = new Map<string, ts.SourceFile | undefined>()

/**
 * A program of the compiler's.
 *
 * @param roots - the paths of its files, which import the others
 * @param options - the differences from {@link SETTINGS}. All programs must parse files in the same way.
 * @param texts - of files that are not on the disk, or not as they are there
 */
export function programOf(
  roots: readonly string[],
  options: Omit<ts.CompilerOptions, 'target' | 'module' | 'moduleDetection' | 'jsx'> = {},
  texts: ReadonlyMap<string, string> = new Map(),
): ts.Program {
  const settings = { ...SETTINGS, ...options }
  const host = ts.createCompilerHost(settings)
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseNone
  const { readFile, fileExists, getSourceFile } = host
  host.fileExists = (path) => texts.has(path) || fileExists(path)
  host.readFile = (path) => texts.get(path) ?? readFile(path)
  host.getSourceFile = (path, target) => {
    const text = texts.get(path)
    if (text !== undefined) return ts.createSourceFile(path, text, target)
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, target))
    return parsed.get(path)
  }
  return ts.createProgram(roots, settings, host)
}
