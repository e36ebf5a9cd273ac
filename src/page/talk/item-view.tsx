import type { ComponentChild, JSX } from 'preact'
import { OuterLink, ShownText, shownText } from '../parts/shown-text.js'
import type { Item } from './answer.js'
import { type Annotation, linksOf } from './citations.js'

interface Part {
  readonly type: string
  readonly text?: string
  readonly annotations?: readonly Annotation[]
}

type View = (item: Item) => JSX.Element

/** The views of items by their type. Any other item is shown by its fields. */
const VIEWS: Readonly<Record<string, View>> = {
  message: messageOf,
  reasoning: reasoningOf,
  function_call: (item) => call(item, `${item['name']}`, [argumentsOf(item['arguments'])]),
  custom_tool_call: (item) => call(item, `${item['name']}`, [code('Input', item['input'])]),
  mcp_call: (item) =>
    call(item, `${item['server_label']}.${item['name']}`, [
      argumentsOf(item['arguments']),
      code('Result', item['output']),
      item['error'] == null ? null : code('Error', JSON.stringify(item['error'], null, 2)),
    ]),
  mcp_approval_request: (item) =>
    call(item, `${item['server_label']}.${item['name']}`, [argumentsOf(item['arguments'])], 'asks for your consent'),
  mcp_list_tools: toolsOf,
  code_interpreter_call: (item) => call(item, 'python', [code('Code', item['code']), ...outputsOf(item)]),
  web_search_call: searchOf,
  file_search_call: filesOf,
  image_generation_call: imageOf,
}

export function ItemView({ item }: { readonly item: Item }): JSX.Element {
  return (VIEWS[item.type] ?? otherOf)(item)
}

function partsOf(item: Item, list: 'content' | 'summary'): readonly Part[] {
  return ((item[list] as readonly (Part | undefined)[] | null | undefined) ?? []).filter((part) => part !== undefined)
}

function messageOf(item: Item): JSX.Element {
  const parts = partsOf(item, 'content')
  const sources = parts.flatMap(({ annotations = [] }) => annotations)
  return (
    <div class={item['phase'] === 'commentary' ? 'message aside' : 'message'}>
      {parts.map(({ text = '', annotations = [] }, index) => (
        <ShownText key={index} text={text} links={linksOf(text, annotations)} />
      ))}
      {sources.length > 0 && <Sources sources={sources} />}
    </div>
  )
}

function Sources({ sources }: { readonly sources: readonly Annotation[] }): JSX.Element {
  const names = new Map(sources.map((each) => [each.url ?? each.filename ?? '', each]))
  return (
    <ul class="sources" aria-label="Sources">
      {[...names].map(([name, { url, title }]) => (
        <li key={name}>
          {url === undefined ? (
            shownText(name)
          ) : (
            <OuterLink url={url} title={title ?? url}>
              {shownText(title || url)}
            </OuterLink>
          )}
        </li>
      ))}
    </ul>
  )
}

function reasoningOf(item: Item): JSX.Element {
  const text = [...partsOf(item, 'summary'), ...partsOf(item, 'content')].map((part) => part.text ?? '').join('\n\n')
  const isOpen = item['status'] === 'in_progress'
  if (text === '') return <p class="note">{isOpen ? 'Thinking …' : 'The server does not show its reasoning.'}</p>
  return (
    <details class="fold">
      <summary>{isOpen ? 'Thinking …' : 'Reasoning'}</summary>
      <ShownText text={text} />
    </details>
  )
}

const STATUSES: Readonly<Record<string, string>> = {
  in_progress: 'is written …',
  searching: 'is running …',
  interpreting: 'is running …',
  calling: 'is running …',
  failed: 'has failed',
  incomplete: 'was not finished',
}

/** A call: what it calls, how it stands, what it was given, and what came of it. */
function call(item: Item, name: string, parts: readonly ComponentChild[], standing?: string): JSX.Element {
  const status = standing ?? STATUSES[`${item['status']}`] ?? ''
  return (
    <div class="call">
      <p class="heading">
        <span class="kind">Call</span> <b>{shownText(name)}</b> <span class="note">{status}</span>
      </p>
      {parts}
    </div>
  )
}

function code(title: string, text: unknown): JSX.Element | null {
  if (typeof text !== 'string' || text === '') return null
  return (
    <div class="part" key={title}>
      <p class="kind">{title}</p>
      <div class="code block">
        <ShownText text={text.replace(/\n$/, '')} />
      </div>
    </div>
  )
}

/** Arguments as they are written; once they are JSON, in its usual lines. */
function argumentsOf(value: unknown): JSX.Element | null {
  const text = typeof value === 'string' ? value : ''
  return code('Arguments', text === '{}' ? '' : indented(text))
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function outputsOf(item: Item): ComponentChild[] {
  const outputs = (item['outputs'] as readonly { type: string; logs?: string; url?: string }[] | null) ?? []
  return outputs.map(({ logs, url }, index) =>
    url?.startsWith('data:image/') ? <img key={index} src={url} alt="Made by the code" /> : code('Output', logs ?? url),
  )
}

function toolsOf(item: Item): JSX.Element {
  const label = shownText(`${item['server_label']}`)
  if (item['error'] != null) return <p class="wrong">The tools of {label} could not be listed.</p>
  const tools = (item['tools'] as readonly { name: string; description?: string }[] | undefined) ?? []
  return (
    <details class="fold">
      <summary>
        Tools of {label}: {tools.length}
      </summary>
      <dl>
        {tools.map(({ name, description = '' }) => (
          <div key={name}>
            <dt>{shownText(name)}</dt>
            <dd>{shownText(description)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function searchOf(item: Item): JSX.Element {
  const action = (item['action'] as Readonly<Record<string, unknown>> | undefined) ?? {}
  const what = [action['query'], action['pattern'], action['url']].filter((each) => each).join(' in ')
  const sources = (action['sources'] as readonly Annotation[] | undefined) ?? []
  return call(item, 'web search', [code('Search', what), sources.length > 0 && <Sources sources={sources} />])
}

function filesOf(item: Item): JSX.Element {
  const queries = (item['queries'] as readonly string[] | undefined) ?? []
  const results = (item['results'] as readonly { filename: string; text: string }[] | null | undefined) ?? []
  const found = results.map(({ filename, text }) => code(filename, text))
  return call(item, 'file search', [code('Search', queries.join('\n')), ...found])
}

function imageOf(item: Item): JSX.Element {
  const { result } = item
  if (typeof result !== 'string') return call(item, 'image', [])
  return <img src={`data:image/png;base64,${result}`} alt="Made by the model" />
}

/** The fields that say nothing to a reader. */
const UNTOLD: readonly string[] = ['id', 'type', 'status', 'call_id']

function otherOf(item: Item): JSX.Element {
  const fields = Object.entries(item).filter(([name, value]) => !UNTOLD.includes(name) && value != null)
  const text = JSON.stringify(Object.fromEntries(fields), null, 2)
  return call(item, item.type.replace(/_call$/, '').replaceAll('_', ' '), [code('Content', text)])
}
