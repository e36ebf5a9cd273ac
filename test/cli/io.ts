import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { filePieces } from '../../src/cli/file-pieces.js'
import type { Io } from '../../src/cli/run.js'
import { readText } from '../../src/shared/system/platform/text-files.js'

/** A fake environment for the command line, with the recorded effects. */
export interface FakeIo extends Io {
  readonly out: string
  readonly err: string
  /** The written files, by path. */
  readonly written: Readonly<Record<string, string>>
}

/** Files by their path; standard input is the file `-`. With `error`, writes to standard output fail. */
export function fakeIo(files: Readonly<Record<string, string | Error>> = {}, error?: Error): FakeIo {
  const read = async (path: string): Promise<string> => {
    const found = files[path] ?? Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`))
    if (found instanceof Error) throw found
    return found
  }
  const io = {
    out: '',
    err: '',
    version: '1.2.3',
    screen: { columns: 120, hasColors: false },
    env: {},
    fixtures: fileURLToPath(new URL('../../fixtures', import.meta.url)),
    page: fileURLToPath(new URL('../../dist/page', import.meta.url)),
    today: () => '2026-01-31',
    time: () => '12:34:56',
    readFile: read,
    async readFolder(): Promise<string[]> {
      throw Object.assign(new Error('ENOTDIR: not a directory'), { code: 'ENOTDIR' })
    },
    readStdin: () => read('-'),
    async makeFolder() {},
    async writeFile(path: string, pieces: Iterable<string>) {
      io.written[path] = [...pieces].join('')
    },
    async appendFile(path: string, text: string) {
      io.written[path] = (io.written[path] ?? '') + text
    },
    written: {} as Record<string, string>,
    async *pieces(path: string) {
      yield await read(path)
    },
    async print(text: string) {
      if (error !== undefined) throw error
      io.out += text
    },
    complain(text: string) {
      io.err += text
    },
    onStop: () => () => {},
    onReload: () => () => {},
  }
  return io
}

/** As {@link fakeIo}, but with the files of this machine. */
export function realFolder(): FakeIo {
  return Object.assign(fakeIo(), { readFile: readText, readFolder: readdir, pieces: filePieces })
}
