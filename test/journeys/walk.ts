import { expect } from 'vitest'
import { writeFiles } from './installed.js'
import { type Desk, env, freePorts, versions } from './project.js'
import { type Step, stepsOf } from './section.js'
import { hasShown } from './shown.js'
import { type Terminal, type } from './terminal.js'

/** The ports of the pages. A journey replaces them with free ports of this machine. */
const PORTS = ['8000', '8080', '8443', '9090', '3000']

/** A port of theirs, but for that of the shipped `nginx.conf`, which a command replaces. */
const ON_THE_PAGE = /\b(?:(?<!server 127\.0\.0\.1:)8000|8080|8443|9090|3000)\b/g

/** Of one block of commands: `npm start` installs and builds. */
const MAX_MS = 240_000

/** Executes a section of a page in an empty folder. */
export async function walk(desk: Desk, path: string, heading: string): Promise<void> {
  const folder = await desk.createFolder(heading.toLowerCase().replaceAll(/\W+/g, '-'))
  await walkIn(folder, path, stepsOf(path, heading))
  expect(await desk.unpinned(folder)).toEqual([])
}

/**
 * Executes steps of a page: writes their files, runs their commands, and compares the output with the page. Only ports differ
 * from the page, the versions of packages, which are pinned, and what a reader replaces.
 *
 * @param own - what stands in the place of texts of the page: an engine of this machine for an address
 */
export async function walkIn(
  folder: string,
  path: string,
  steps: readonly Step[],
  own: Readonly<Record<string, string>> = {},
): Promise<void> {
  const ports = new Map((await freePorts(PORTS.length)).map((port, index) => [PORTS[index] ?? '', String(port)]))
  function asHere(text: string): string {
    const replaced = Object.entries(own).reduce((all, [given, mine]) => all.replaceAll(given, `\0${mine}\0`), text)
    // What has been replaced has ports of its own.
    const parts = replaced.split('\0')
    return parts
      .map((part, at) => (at % 2 ? part : part.replace(ON_THE_PAGE, (port) => ports.get(port) ?? port)))
      .join('')
  }
  let running: { readonly name: string; readonly isServer: boolean; readonly terminal: Terminal }[] = []
  const close = (all: typeof running): Promise<unknown> => Promise.all(all.map(({ terminal }) => terminal.close()))
  try {
    for (const step of steps) {
      if (step.kind === 'write') await writeFiles(folder, { [step.file]: asHere(step.text) })
      else {
        const name = `${path}:${step.line}`
        const { isServer } = step
        if (isServer && !step.isBeside) {
          await close(running.filter((each) => each.isServer))
          running = running.filter((each) => !each.isServer)
        }
        const terminal = type(asHere(asTyped(step.commands, name)), folder, env)
        running.push({ name, isServer, terminal })
        await expectShown(name, terminal, step, step.shown && asHere(step.shown.text))
        if (!step.staysUp) running.pop()
      }
    }
    for (const { name, terminal } of running) expect(terminal.isRunning, `${name}: ${terminal.printed}`).toBe(true)
  } finally {
    await close(running)
  }
}

/** Waits until a command has printed the page's output, and until it has ended if it should. */
async function expectShown(
  name: string,
  terminal: Terminal,
  step: Step & { kind: 'type' },
  shown: string | undefined,
): Promise<void> {
  const { staysUp, exitCode, isServer } = step
  const isShown = (printed: string): boolean =>
    shown === undefined ? !isServer || printed.includes(' listens on ') : hasShown(withoutOwnWarnings(printed), shown)
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`${name}: not within ${MAX_MS} ms:\n${terminal.printed}`)), MAX_MS).unref()
  })
  await Promise.race([staysUp ? terminal.until(isShown) : terminal.exit, late])
  const { isRunning } = terminal
  const printed = withoutOwnWarnings(terminal.printed)
  if (isRunning !== staysUp) expect.fail(`${name}: ended with ${await terminal.exit}, and has to stay up:\n${printed}`)
  if (!isRunning) expect(await terminal.exit, `${name}: the exit code, after it has printed\n${printed}`).toBe(exitCode)
  if (!isShown(printed)) expect(printed, `${name}: what it prints`).toBe(shown)
  expect(printed.match(/^npm warn .*$/gm) ?? [], `${name}: warnings`).toEqual([])
}

/** Removes npm's warnings about the user's own configuration. */
function withoutOwnWarnings(printed: string): string {
  return printed.replace(/^npm warn Unknown (?:user|env) config.*\n/gm, '')
}

/** The commands of a page, with the pinned versions of packages, and `serve` on the port that the page assumes. */
function asTyped(commands: string, name: string): string {
  return commands
    .replace(/^npm install .*$/gm, (line) =>
      line
        .split(' ')
        .map((word, index) => {
          if (index < 2 || /^(?:--|\.\.\/)/.test(word)) return word
          const version = versions[word]
          if (version === undefined) throw new Error(`${name}: test/journeys/package.json has no version of ${word}`)
          return `${word}@${version}`
        })
        .join(' '),
    )
    .replace(/harmony-responses serve (?!.*--port)/g, 'harmony-responses serve --port 8000 ')
    .replace(/^npm start$/gm, 'npm start -- --port 8000')
}
