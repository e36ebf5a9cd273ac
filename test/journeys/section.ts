import { pageOf } from '../docs/pages.js'

/** A reader's next step on a page. */
export type Step =
  | { readonly kind: 'write'; readonly line: number; readonly file: string; readonly text: string }
  | {
      readonly kind: 'type'
      readonly line: number
      /** The commands, as the page shows them. */
      readonly commands: string
      /** The lines that it prints, if the page shows them. */
      readonly shown: string | undefined
      /** 0, unless the page names another. */
      readonly exitCode: number
      /** Whether it keeps running, because the page has the next command typed in another terminal. */
      readonly staysUp: boolean
    }

interface Fence {
  readonly line: number
  readonly language: string
  readonly text: string
  /** The text between the previous block and this one. */
  readonly said: string
}

/**
 * The steps below a heading of a page. A block of `sh` is typed. A block without a language is what the commands before it
 * print. Any other is written to the file which the sentence before it names at its end: "Write a client, `ask.mjs`:".
 * Throws an `Error` at a block that is none of these.
 */
export function stepsOf(path: string, heading: string): Step[] {
  const fences = fencesUnder(path, heading)
  return fences.flatMap((fence, index): Step[] => {
    const { line, language, text, said } = fence
    if (language === '') {
      if (fences[index - 1]?.language === 'sh') return []
      throw new Error(`${path}:${line}: a block without a language shows what the commands before it print`)
    }
    if (language !== 'sh') {
      const [, file] = /`([^`]+)`[^`]*:$/.exec(said) ?? []
      if (file === undefined) throw new Error(`${path}:${line}: the sentence before the block does not name its file`)
      return [{ kind: 'write', line, file, text }]
    }
    const next = fences.slice(index + 1)
    const shown = next[0]?.language === '' ? next[0] : undefined
    const [, exitCode = '0'] = /exit code (\d+)/.exec(shown?.said ?? '') ?? []
    const nextCommands = next.findIndex((each) => each.language === 'sh')
    const between = nextCommands < 0 ? [] : next.slice(0, nextCommands + 1)
    const staysUp = between.some((each) => /\b(?:another|a third) terminal\b/i.test(each.said))
    return [{ kind: 'type', line, commands: text, shown: shown?.text, exitCode: Number(exitCode), staysUp }]
  })
}

function fencesUnder(path: string, heading: string): Fence[] {
  const page = pageOf(path)
  const start = page.indexOf(`\n## ${heading}\n`)
  if (start < 0) throw new Error(`${path} has no heading ${heading}`)
  const end = page.indexOf('\n## ', start + 1)
  const section = page.slice(start, end < 0 ? undefined : end)
  const above = page.slice(0, start).split('\n').length
  let told = 0
  return [...section.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((found) => {
    const { 0: whole, 1: language = '', 2: text = '', index } = found
    const said = section.slice(told, index).trim()
    told = index + whole.length
    return { line: above + section.slice(0, index).split('\n').length, language, text, said }
  })
}
