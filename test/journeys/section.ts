import { type Block, blocks, pageOf } from '../docs/pages.js'

/** A reader's next step on a page. */
export type Step =
  | { readonly kind: 'write'; readonly line: number; readonly file: string; readonly text: string }
  | {
      readonly kind: 'type'
      readonly line: number
      /** The commands, as the page shows them. */
      readonly commands: string
      /** The lines that it prints, if the page shows them. */
      readonly shown: { readonly line: number; readonly text: string } | undefined
      /** 0, unless the page names another. */
      readonly exitCode: number
      /** Whether it is `serve`, or `npm start`, which the next one takes the place of, unless it is typed in another terminal. */
      readonly isServer: boolean
      /** Whether it is typed in another terminal than the step before. */
      readonly isBeside: boolean
      /** Whether it keeps running: it is `serve`, or the page has the next command typed in another terminal. */
      readonly staysUp: boolean
    }

const isBeside = ({ said }: Block): boolean => /\b(?:another|a third) terminal\b/i.test(said)
/** Whether a block is what the commands of the one before it print. */
const isOutput = ({ language, mark, said }: Block, before: Block | undefined): boolean =>
  language === '' && mark === undefined && before?.language === 'sh' && !isNotRun(before) && !/^#/m.test(said)
const isNotRun = ({ mark }: Block): boolean => mark?.startsWith('not run: ') === true

/**
 * The steps of a page, or of what is below one of its headings. A block of `sh` is typed. A block without a language is
 * what the commands before it print. Any other is written to the file which the sentence before it names at its end:
 * "Write a client, `ask.mjs`:". All others are left out: `test/docs/blocks.test.ts` lists those that nothing runs.
 */
export function stepsOf(path: string, heading?: string): Step[] {
  const section = blocksUnder(path, heading)
  return section.flatMap((block, index): Step[] => {
    const { line, language, code, said, mark } = block
    if (language === 'ts' || isNotRun(block)) return []
    const [, file] = /`([^`]+\.\w+)`[^`]*:$/.exec(said) ?? []
    if (file !== undefined && language !== '' && language !== 'sh') return [{ kind: 'write', line, file, text: code }]
    if (mark !== undefined || language !== 'sh') return []
    const next = section.slice(index + 1)
    const output = next[0] !== undefined && isOutput(next[0], block) ? next[0] : undefined
    const [, exitCode = '0'] = /exit code (\d+)/.exec(output?.said ?? '') ?? []
    const nextCommands = next.findIndex((each) => each.language === 'sh')
    const between = nextCommands < 0 ? [] : next.slice(0, nextCommands + 1)
    const isServer = /^(?:(?:\w+=\S+ )?npx harmony-responses serve|npm start)\b/.test(
      code.trimEnd().split('\n').at(-1) ?? '',
    )
    return [
      {
        ...{ kind: 'type', line, commands: code, exitCode: Number(exitCode) },
        shown: output && { line: output.line, text: output.code },
        ...{ isServer, isBeside: isBeside(block), staysUp: isServer || between.some(isBeside) },
      },
    ]
  })
}

function blocksUnder(path: string, heading: string | undefined): readonly Block[] {
  const own = blocks.filter(({ page }) => page === path)
  if (heading === undefined) return own
  const page = pageOf(path)
  const start = page.indexOf(`\n## ${heading}\n`)
  if (start < 0) throw new Error(`${path} has no heading ${heading}`)
  const end = page.indexOf('\n## ', start + 1)
  const lineAt = (index: number): number => page.slice(0, index).split('\n').length
  return own.filter(({ line }) => line > lineAt(start) && (end < 0 || line < lineAt(end)))
}
