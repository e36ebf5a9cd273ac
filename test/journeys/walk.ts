import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { type Desk, env, freePorts, versions } from './project.js'
import { type Step, stepsOf } from './section.js'
import { hasShown } from './shown.js'
import { type Terminal, type } from './terminal.js'

/** The ports of the pages. A journey replaces them with free ports of this machine. */
const PORTS = ['8000', '8080', '8443', '3000']

/** A port of theirs, but for that of the shipped `nginx.conf`, which a command replaces. */
const ON_THE_PAGE = /\b(?:(?<!server 127\.0\.0\.1:)8000|8080|8443|3000)\b/g

/** Of one block of commands. */
const LONGEST_MS = 120_000

/**
 * Executes a section of a page in an empty folder: writes its files, runs its commands, and compares their output with
 * the page. Only ports differ from the page, and the versions of packages, which are pinned.
 */
export async function walk(desk: Desk, path: string, heading: string): Promise<void> {
  const folder = await desk.createFolder(heading.toLowerCase().replaceAll(/\W+/g, '-'))
  const ports = new Map((await freePorts(PORTS.length)).map((port, index) => [PORTS[index] ?? '', String(port)]))
  const withPorts = (text: string): string => text.replace(ON_THE_PAGE, (port) => ports.get(port) ?? port)
  const running: { readonly name: string; readonly terminal: Terminal }[] = []
  try {
    for (const step of stepsOf(path, heading)) {
      if (step.kind === 'write') await write(join(folder, step.file), withPorts(step.text))
      else {
        const name = `${path}:${step.line}`
        const terminal = type(withPorts(asTyped(step.commands, name)), folder, env)
        running.push({ name, terminal })
        await expectShown(name, terminal, step, withPorts(step.shown ?? ''))
        if (!step.staysUp) running.pop()
      }
    }
    for (const { name, terminal } of running) expect(terminal.isRunning, `${name}: ${terminal.printed}`).toBe(true)
    expect(await desk.unpinned(folder)).toEqual([])
  } finally {
    await Promise.all(running.map(({ terminal }) => terminal.close()))
  }
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

/** Waits until a command has printed the page's output, and until it has ended if it should. */
async function expectShown(
  name: string,
  terminal: Terminal,
  step: Step & { kind: 'type' },
  shown: string,
): Promise<void> {
  const { staysUp, exitCode } = step
  const isShown = (printed: string): boolean => step.shown === undefined || hasShown(withoutOwnWarnings(printed), shown)
  const late = new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(new Error(`${name}: not within ${LONGEST_MS} ms:\n${terminal.printed}`)),
      LONGEST_MS,
    ).unref()
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
          if (index < 2 || word.startsWith('../')) return word
          const version = versions[word]
          if (version === undefined) throw new Error(`${name}: test/journeys/package.json has no version of ${word}`)
          return `${word}@${version}`
        })
        .join(' '),
    )
    .replace(/harmony-responses serve (?!.*--port)/g, 'harmony-responses serve --port 8000 ')
}
