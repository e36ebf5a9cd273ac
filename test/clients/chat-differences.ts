import type { Shows } from './play.js'

/** Where a client does not show or send back the same with the chat engine as in docs/clients.md. */
export interface Difference {
  readonly client: string
  readonly scenario: string
  /** What is sent back there. */
  readonly sentBack: Shows['sentBack']
  readonly because: string
}

/**
 * Scenarios whose model calls a tool that nobody declares, or that nothing runs. A server of Chat Completions knows the tools
 * that it was sent, and no others: a call of any other is one of a function, by the name that it has there.
 */
export const UNTAUGHT: Readonly<Record<string, string>> = {
  'undeclared tool': 'notes__write',
  'search without a runner': 'browser__search',
  'code without a runner': 'python',
}

export const DIFFERENCES: readonly Difference[] = [
  {
    client: '@openai/agents',
    scenario: 'compaction by the host',
    sentBack: { message: 'unchanged' },
    because:
      'text before a call is held until the call, so that what the host inserts meanwhile stands before it: the client sends back what follows a compaction',
  },
  {
    client: 'Codex CLI',
    scenario: 'custom tool',
    sentBack: { reasoning: 'without status' },
    because: 'no item records how a call was sampled, since the server samples no tokens of ours',
  },
]

/** The differences as rows of a page. */
export function differenceRows(): string[] {
  const untaught = Object.entries(UNTAUGHT).map(
    ([scenario, name]) =>
      `| ${scenario} | all | a call of the function \`${name}\`: the server was not sent such a tool |`,
  )
  const others = DIFFERENCES.map(({ scenario, client, because }) => `| ${scenario} | ${client} | ${because} |`)
  return ['| scenario | client | difference |', '| --- | --- | --- |', ...untaught, ...others]
}
