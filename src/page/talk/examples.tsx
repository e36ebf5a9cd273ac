import type { JSX } from 'preact'
import type { AboutPage } from '../../cli/serve/about-page.js'
import { shownText } from '../parts/shown-text.js'
import { ask, type RequestBody } from './conversation.js'
import { requestFields, settings } from './settings.js'

/** Questions to a model, where no recordings are played. */
const QUESTIONS: readonly Example[] = [
  { input: 'What is the capital of France?' },
  { input: 'Explain in three sentences how a tide works.' },
  { input: 'Write a haiku about a river in winter.' },
]

/** At most so many are shown. */
const MAX_SHOWN = 8

type Example = Pick<RequestBody, 'input'> & { readonly input: string; readonly tools?: readonly object[] }

/** What stands in an empty conversation: something to begin with. */
export function Examples({ about }: { readonly about: AboutPage }): JSX.Element {
  const recorded = distinct(about.examples as readonly Example[])
  return (
    <div class="examples">
      <h2>Talk with {about.models[0]}</h2>
      <p class="note">
        {recorded.length > 0
          ? 'This server plays recordings in place of a model. It has answers to these questions:'
          : 'Ask anything below, or begin with one of these:'}
      </p>
      <ul>
        {(recorded.length > 0 ? recorded : QUESTIONS).slice(0, MAX_SHOWN).map((example) => (
          <li key={example.input}>
            <button
              type="button"
              onClick={() => ask({ ...requestFields({ ...settings.value, tools: [] }, about), ...example })}
            >
              {shownText(example.input)}
              <span class="note">{featureOf(example)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The tools whose use is shown first: those that the server runs. */
const FEATURES: Readonly<Record<string, string>> = {
  none: 'An answer',
  web_search: 'A web search',
  code_interpreter: 'A run of code',
  mcp: 'Calls of an MCP server',
  function: 'A call of your function',
}

function kindOf({ tools = [] }: Example): string {
  return (tools[0] as { readonly type?: string } | undefined)?.type ?? 'none'
}

function featureOf(example: Example): string {
  return FEATURES[kindOf(example)] ?? `A call of ${kindOf(example).replaceAll('_', ' ')}`
}

/** Each question once; first one of each kind, in the order of the kinds. */
function distinct(examples: readonly Example[]): Example[] {
  const each = [...new Map(examples.map((example) => [example.input, example])).values()]
  const kinds = Object.keys(FEATURES)
  const rank = (example: Example): number => {
    const kind = kindOf(example)
    const isFirst = each.find((other) => kindOf(other) === kind) === example
    const at = kinds.indexOf(kind)
    return (isFirst && at >= 0 ? 0 : kinds.length) + (at < 0 ? kinds.length : at)
  }
  return each.sort((a, b) => rank(a) - rank(b))
}
